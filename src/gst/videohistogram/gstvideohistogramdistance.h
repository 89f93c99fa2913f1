/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/gstvideohistogram.h>

G_BEGIN_DECLS

/**
 * GstVideoHistogramDistance:
 * @GST_VIDEO_HISTOGRAM_DISTANCE_EARTH_MOVER: one-dimensional earth mover's
 *     distance, the default: the mean distance that a sample moves, as a share
 *     of the code space; 0 to 1, 0 for equal histograms
 * @GST_VIDEO_HISTOGRAM_DISTANCE_CORRELATION: correlation; -1 to 1, 1 for equal
 *     histograms
 * @GST_VIDEO_HISTOGRAM_DISTANCE_CHI_SQUARE: sum of `(a-b)^2 / a` over the bins
 *     where a is not 0; not symmetric; 0 for equal histograms
 * @GST_VIDEO_HISTOGRAM_DISTANCE_CHI_SQUARE_ALT: sum of `2 (a-b)^2 / (a+b)`,
 *     the symmetric form; 0 to 4, 0 for equal histograms
 * @GST_VIDEO_HISTOGRAM_DISTANCE_INTERSECTION: sum of `min (a, b)`; 0 to 1, 1
 *     for equal histograms
 * @GST_VIDEO_HISTOGRAM_DISTANCE_BHATTACHARYYA: Hellinger distance, which
 *     OpenCV calls Bhattacharyya; 0 to 1, 0 for equal histograms
 * @GST_VIDEO_HISTOGRAM_DISTANCE_KULLBACK_LEIBLER: sum of `a ln (a / b)` in
 *     nats, with 1e-10 for empty bins of b; not symmetric; 0 for equal
 *     histograms
 *
 * How gst_video_histogram_distance() compares two histograms. In the formulas,
 * a and b are the counts, each divided by their sum, so that frames of
 * different sizes can be compared. Names and formulas follow OpenCV's
 * HistCompMethods, apart from the earth mover's distance, the only distance
 * that grows with the size of an exposure shift.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_VIDEO_HISTOGRAM_DISTANCE_EARTH_MOVER,
  GST_VIDEO_HISTOGRAM_DISTANCE_CORRELATION,
  GST_VIDEO_HISTOGRAM_DISTANCE_CHI_SQUARE,
  GST_VIDEO_HISTOGRAM_DISTANCE_CHI_SQUARE_ALT,
  GST_VIDEO_HISTOGRAM_DISTANCE_INTERSECTION,
  GST_VIDEO_HISTOGRAM_DISTANCE_BHATTACHARYYA,
  GST_VIDEO_HISTOGRAM_DISTANCE_KULLBACK_LEIBLER,
} GstVideoHistogramDistance;

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_histogram_distance (GstVideoHistogram * a,
    GstVideoHistogram * b, GstVideoHistogramChannel channel,
    GstVideoHistogramDistance distance, gdouble * result);

G_END_DECLS
