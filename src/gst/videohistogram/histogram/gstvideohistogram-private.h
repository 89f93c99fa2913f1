/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/gstvideohistogram.h>
#include "core/counts.h"

G_BEGIN_DECLS

/* Makes a histogram of @info with pending counts, counted by @backend (a static
 * string). NULL if there is not enough memory. */
GstVideoHistogram *vh_histogram_new (const GstVideoHistogramInfo * info,
    const gchar * backend);

/* Checks the ranges of all fields of @info. FALSE with the error SPEC, and a
 * message that names the field. */
gboolean vh_info_check (const GstVideoHistogramInfo * info, GError ** error);

/* How many pixels the counts of @channel sum to. */
guint64 vh_info_channel_pixels (const GstVideoHistogramInfo * info,
    GstVideoHistogramChannel channel);

/* The value of the field `range` in structures; "unknown" from VH_N_RANGES
 * on. */
#define VH_N_RANGES (GST_VIDEO_COLOR_RANGE_16_235 + 1)
const gchar *vh_range_name (guint range);

/* The counts that @info describes. */
VhCountsShape vh_histogram_shape (const GstVideoHistogramInfo * info);

/* See gst_video_histogram_get_percentile_bin(); @counts sum to @pixels. */
guint vh_percentile_bin (const guint32 * counts, guint bins, guint64 pixels,
    gdouble percentile);

/* Returns @n values, which belong to @owner, as 32-bit little-endian numbers.
 * On little-endian machines they are not copied. */
GBytes *vh_counts_to_bytes (const guint32 * values, gsize n,
    GstMiniObject * owner);

/* All of GstVideoHistogramStructureFlags. */
#define VH_STRUCTURE_ALL (GST_VIDEO_HISTOGRAM_STRUCTURE_COUNTS | \
    GST_VIDEO_HISTOGRAM_STRUCTURE_STATISTICS | \
    GST_VIDEO_HISTOGRAM_STRUCTURE_BYTES)

VhCounts *vh_histogram_counts (GstVideoHistogram * histogram);

/* Attaches @object to the histogram, which takes a reference. The histogram is
 * then complete only when @counts are no longer pending. Must be called before
 * the histogram is shared. */
void vh_histogram_attach (GstVideoHistogram * histogram,
    GstMiniObject * object, VhCounts * counts);

/* The attached object, or NULL. */
GstMiniObject *vh_histogram_get_attached (GstVideoHistogram * histogram);

G_END_DECLS
