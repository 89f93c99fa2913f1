/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/gstvideohistogramstatistics.h>

G_BEGIN_DECLS

/* gst_video_histogram_get_bin_level() of histograms of @info. */
gdouble vh_info_bin_level (const GstVideoHistogramInfo * info,
    GstVideoHistogramChannel channel, guint bin);

G_END_DECLS
