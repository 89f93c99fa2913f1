/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds histograms that are attached to the frames to correct. */
#pragma once

#include <gst/videohistogram/gstvideohistogram.h>
#include "core/frameview.h"
#include "devices/devices.h"

G_BEGIN_DECLS

/* Returns a reference to a histogram on the buffer of @view that was counted as
 * @wanted says, apart from the times, and that a corrector at @where can use.
 * NULL if no histogram fits or is ready. */
GstVideoHistogram *vh_equalizer_find_histogram (const VhFrameView * view,
    VhWhere where, const GstVideoHistogramInfo * wanted);

G_END_DECLS
