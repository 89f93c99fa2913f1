/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The property `overload` of elements that count: what to do with a frame when
 * the device has no room for it, or when video is late. */
#pragma once

#include <gst/videohistogram/videohistogram.h>

#include "basetransform.h"

G_BEGIN_DECLS

/* Whether @interval has passed since @last. Also TRUE if time has jumped back,
 * or if @last is GST_CLOCK_TIME_NONE. */
gboolean vh_has_passed (GstClockTime last, GstClockTime interval,
    GstClockTime now);

/* Whether a frame of time @now waits if the device has no room for it. With
 * `auto`, every frame is analysed offline, and live or late video is never held
 * up. Streaming thread. */
gboolean vh_overload_waits (GstVideoHistogramOverloadPolicy overload,
    VhBaseTransform * base, GstClockTime now);

/* Whether the frame of time @now is left out because video is late.
 * @last_analysed is the time of the last frame that was not left out. */
gboolean vh_overload_is_too_late (GstVideoHistogramOverloadPolicy overload,
    VhBaseTransform * base, GstClockTime now,
    GstClockTime last_analysed);

G_END_DECLS
