/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histograms with counts chosen by a test. */
#pragma once

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

/* Describes @pixels luma pixels of @depth bits in @bins bins and one cell. */
static inline GstVideoHistogramInfo
test_counts_info (GstVideoFormat format, guint depth, GstVideoColorRange range,
    guint bins, guint pixels)
{
  return (GstVideoHistogramInfo) {
    .format = format,
    .depth = depth,
    .width = pixels,
    .height = 1,
    .region_width = pixels,
    .region_height = 1,
    .colorimetry.range = range,
    .matrix = GST_VIDEO_COLOR_MATRIX_BT709,
    .channels = GST_VIDEO_HISTOGRAM_CHANNELS_LUMA,
    .bins = bins,
    .columns = 1,
    .rows = 1,
    .timestamp = GST_CLOCK_TIME_NONE,
    .stream_time = GST_CLOCK_TIME_NONE,
    .running_time = GST_CLOCK_TIME_NONE,
    .duration = GST_CLOCK_TIME_NONE,
  };
}

/* @n numbers follow: a bin, its count, a bin, its count, and so on. */
static inline GstVideoHistogram *
test_counts_new (GstVideoFormat format, guint depth, GstVideoColorRange range,
    guint bins, const guint * numbers, guint n)
{
  guint32 *counts = g_new0 (guint32, bins);
  GstVideoHistogramInfo info;
  GstVideoHistogram *histogram;
  guint pixels = 0, i;

  for (i = 0; i + 1 < n; i += 2) {
    counts[numbers[i]] = numbers[i + 1];
    pixels += numbers[i + 1];
  }
  info = test_counts_info (format, depth, range, bins, pixels);
  histogram = gst_video_histogram_new (&info);
  gst_video_histogram_set_counts (histogram, GST_VIDEO_HISTOGRAM_CHANNEL_LUMA,
      0, 0, counts, bins);
  g_free (counts);
  return histogram;
}

/* 8-bit full-range gray in @bins bins. */
#define TEST_COUNTS(bins, ...) \
    test_counts_new (GST_VIDEO_FORMAT_GRAY8, 8, GST_VIDEO_COLOR_RANGE_0_255, \
        bins, (const guint[]) { __VA_ARGS__ }, \
        sizeof ((const guint[]) { __VA_ARGS__ }) / sizeof (guint))

G_END_DECLS
