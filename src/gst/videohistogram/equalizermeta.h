/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histograms that come with the frames that are corrected. */
#pragma once

#include <gst/videohistogram/gstvideohistogram.h>
#include "core/frameview.h"
#include "devices/devices.h"

G_BEGIN_DECLS

/* A reference to the histogram of @wanted, but for its times, that came with
 * the frame of @view, and that what corrects at @where can use; NULL where none
 * fits, or none is there yet. */
GstVideoHistogram *vh_equalizer_find_histogram (const VhFrameView * view,
    VhWhere where, const GstVideoHistogramInfo * wanted);

/* Histograms that came with @buffer are of pixels that are no more. */
void vh_equalizer_outdate_metas (GstBuffer * buffer);

G_END_DECLS
