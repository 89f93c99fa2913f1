/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an element that counts does with a frame for which the device has no
 * room, or while video is late: its property `overload`. */
#pragma once

#include <gst/videohistogram/videohistogram.h>

#include "gstvideohistogramfilter.h"

G_BEGIN_DECLS

/* Whether @interval has passed since @last; also if time has jumped back, or
 * there was none. */
gboolean vh_has_passed (GstClockTime last, GstClockTime interval,
    GstClockTime now);

/* Whether a frame of time @now for which the device has no room waits for it:
 * offline every frame is analysed, live video is never held up. Streaming
 * thread. */
gboolean vh_overload_waits (GstVideoHistogramOverloadPolicy overload,
    GstVideoHistogramFilter * filter, GstClockTime now);

/* Whether the frame of time @now is left out because video is late; the last
 * one that was not was of @last_analysed. */
gboolean vh_overload_is_too_late (GstVideoHistogramOverloadPolicy overload,
    GstVideoHistogramFilter * filter, GstClockTime now,
    GstClockTime last_analysed);

G_END_DECLS
