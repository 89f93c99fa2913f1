/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/gstvideohistogram.h>

G_BEGIN_DECLS

typedef struct _GstVideoHistogramStatistics GstVideoHistogramStatistics;

/**
 * GstVideoHistogramStatistics:
 * @pixels: number of pixels that were counted
 * @average: mean level
 * @variance: mean squared distance from @average, in levels squared
 * @min: lowest level that occurs
 * @max: highest level that occurs
 * @median: 50th percentile, as a level
 * @p1: 1st percentile, as a level
 * @p99: 99th percentile, as a level
 * @entropy: entropy in bits, 0 to log2 (bins)
 * @clipped_low: share of the pixels at or below black, 0 to 1
 * @clipped_high: share of the pixels at or above white, 0 to 1
 *
 * Statistics of one channel, computed from the counts in double precision.
 * Levels are relative to the range of the video: black is 0.0 and white is 1.0
 * in both limited and full range; sub-black is below 0.0 and super-white above
 * 1.0. All fields are 0 when no pixel was counted. docs/definitions.md has the
 * formulas.
 *
 * Since: 0.1
 */
struct _GstVideoHistogramStatistics
{
  guint64 pixels;
  gdouble average;
  gdouble variance;
  gdouble min;
  gdouble max;
  gdouble median;
  gdouble p1;
  gdouble p99;
  gdouble entropy;
  gdouble clipped_low;
  gdouble clipped_high;

  /*< private >*/
  gpointer _gst_reserved[GST_PADDING];
};

/**
 * GST_TYPE_VIDEO_HISTOGRAM_STATISTICS:
 *
 * The #GType of #GstVideoHistogramStatistics.
 *
 * Since: 0.1
 */
#define GST_TYPE_VIDEO_HISTOGRAM_STATISTICS \
    (gst_video_histogram_statistics_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_histogram_statistics_get_type (void);

GST_VIDEO_HISTOGRAM_API
GstVideoHistogramStatistics *gst_video_histogram_statistics_new (void);

GST_VIDEO_HISTOGRAM_API
GstVideoHistogramStatistics *gst_video_histogram_statistics_copy (
    const GstVideoHistogramStatistics * statistics);

GST_VIDEO_HISTOGRAM_API
void gst_video_histogram_statistics_free (
    GstVideoHistogramStatistics * statistics);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_histogram_get_statistics (GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel, GstVideoHistogramStatistics * statistics);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_histogram_get_cell_statistics (GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel, guint column, guint row,
    GstVideoHistogramStatistics * statistics);

GST_VIDEO_HISTOGRAM_API
gint gst_video_histogram_get_percentile_bin (GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel, gdouble percentile);

GST_VIDEO_HISTOGRAM_API
gdouble gst_video_histogram_get_bin_level (GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel, guint bin);

G_END_DECLS
