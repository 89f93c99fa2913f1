/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/gstvideohistogram.h>

G_BEGIN_DECLS

/**
 * GstVideoHistogramDistance:
 * @GST_VIDEO_HISTOGRAM_DISTANCE_EARTH_MOVER: 1-D earth mover's distance, the
 *     default: mean distance that a sample moves, as a share of the code space;
 *     0 to 1, 0 for equal ones
 * @GST_VIDEO_HISTOGRAM_DISTANCE_CORRELATION: -1 to 1, 1 for equal ones
 * @GST_VIDEO_HISTOGRAM_DISTANCE_CHI_SQUARE: sum of `(a-b)^2 / a` over the bins
 *     where a is not 0; not symmetric; 0 for equal ones
 * @GST_VIDEO_HISTOGRAM_DISTANCE_CHI_SQUARE_ALT: sum of `2 (a-b)^2 / (a+b)`, the
 *     symmetric form; 0 to 4, 0 for equal ones
 * @GST_VIDEO_HISTOGRAM_DISTANCE_INTERSECTION: sum of `min (a, b)`; 0 to 1, 1
 *     for equal ones
 * @GST_VIDEO_HISTOGRAM_DISTANCE_BHATTACHARYYA: the Hellinger distance, which
 *     OpenCV has under this name; 0 to 1, 0 for equal ones
 * @GST_VIDEO_HISTOGRAM_DISTANCE_KULLBACK_LEIBLER: sum of `a ln (a / b)` in
 *     nats, empty bins of b taken as 1e-10; not symmetric; 0 for equal ones
 *
 * How gst_video_histogram_distance() compares two histograms: by their counts a
 * and b, each divided by its sum. Names and formulas are those of OpenCV's
 * HistCompMethods; earth mover's distance is the one that grades an exposure
 * shift.
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
