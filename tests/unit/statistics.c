/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statistics of counts against values computed by hand. */
#include "common/close.h"
#include "common/counts.h"
#include "common/suite.h"

#define LUMA GST_VIDEO_HISTOGRAM_CHANNEL_LUMA
#define LIMITED GST_VIDEO_COLOR_RANGE_16_235
#define FULL GST_VIDEO_COLOR_RANGE_0_255

/* Takes @histogram. */
static GstVideoHistogramStatistics
statistics_of (GstVideoHistogram * histogram)
{
  GstVideoHistogramStatistics stats;

  fail_unless (gst_video_histogram_get_statistics (histogram, LUMA, &stats));
  gst_video_histogram_unref (histogram);
  return stats;
}

/* 0, 51, 51 and 255 of 255: mean 357 / 4. */
GST_START_TEST (test_full_range)
{
  const GstVideoHistogramStatistics stats =
      statistics_of (TEST_COUNTS (256, 0, 1, 51, 2, 255, 1));

  fail_unless_equals_uint64 (stats.pixels, 4);
  fail_unless_close (stats.average, 0.35);
  /* (0.35^2 + 2 * 0.15^2 + 0.65^2) / 4 */
  fail_unless_close (stats.variance, 0.1475);
  fail_unless_close (stats.min, 0);
  fail_unless_close (stats.max, 1);
  fail_unless_close (stats.median, 0.2);
  fail_unless_close (stats.p1, 0);
  fail_unless_close (stats.p99, 1);
  fail_unless_close (stats.entropy, 1.5);
  fail_unless_close (stats.clipped_low, 0.25);
  fail_unless_close (stats.clipped_high, 0.25);
}

GST_END_TEST;

GST_START_TEST (test_limited_range)
{
  const guint numbers[] = { 4, 1, 16, 2, 126, 4, 235, 1, 255, 2 };
  const GstVideoHistogramStatistics stats = statistics_of (test_counts_new
      (GST_VIDEO_FORMAT_I420, 8, LIMITED, 256, numbers,
          G_N_ELEMENTS (numbers)));

  /* Code values less 16: -12, 0, 0, 110, 110, 110, 110, 219, 239, 239. */
  fail_unless_close (stats.average, 112.5 / 219);
  fail_unless_close (stats.variance, (124.5 * 124.5 + 2 * 112.5 * 112.5
          + 4 * 2.5 * 2.5 + 106.5 * 106.5 + 2 * 126.5 * 126.5) / 10
      / (219.0 * 219.0));
  fail_unless_close (stats.min, -12.0 / 219);
  fail_unless_close (stats.max, 239.0 / 219);
  fail_unless_close (stats.median, 110.0 / 219);
  fail_unless_close (stats.p1, -12.0 / 219);
  fail_unless_close (stats.p99, 239.0 / 219);
  fail_unless_close (stats.entropy, -(2 * 0.1 * log2 (0.1)
          + 2 * 0.2 * log2 (0.2) + 0.4 * log2 (0.4)));
  fail_unless_close (stats.clipped_low, 0.3);
  fail_unless_close (stats.clipped_high, 0.3);
}

GST_END_TEST;

/* A single value: black or white. */
static void
check_end (GstVideoFormat format, guint depth, GstVideoColorRange range,
    guint bins, guint code, gdouble level)
{
  const guint numbers[] = { ((guint64) code * bins) >> depth, 7 };
  const GstVideoHistogramStatistics stats = statistics_of (test_counts_new
      (format, depth, range, bins, numbers, 2));

  fail_unless (stats.average == level && stats.min == level
      && stats.max == level && stats.median == level && stats.p1 == level
      && stats.p99 == level, "%u bits, %u bins, %u: average %f, not %f", depth,
      bins, code, stats.average, level);
  fail_unless (stats.variance == 0 && stats.entropy == 0);
  fail_unless (stats.clipped_low == (level == 0 ? 1 : 0));
  fail_unless (stats.clipped_high == (level == 1 ? 1 : 0));
}

GST_START_TEST (test_black_is_0_and_white_is_1)
{
  static const struct
  {
    guint depth;
    GstVideoFormat yuv, rgb;
  } depths[] = {
    {8, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_RGB},
    {10, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_GBR_10LE},
    {12, GST_VIDEO_FORMAT_I420_12LE, GST_VIDEO_FORMAT_GBR_12LE},
    {16, GST_VIDEO_FORMAT_Y444_16LE, GST_VIDEO_FORMAT_ARGB64_LE},
  };
  static const guint bins[] = { 2, 3, 64, 100, 255, 256, 1000, 1024, 4096,
    65535, 65536,
  };
  guint d, b;

  for (d = 0; d < G_N_ELEMENTS (depths); d++) {
    const guint depth = depths[d].depth, unit = 1 << (depth - 8);

    for (b = 0; b < G_N_ELEMENTS (bins); b++) {
      check_end (depths[d].yuv, depth, LIMITED, bins[b], 16 * unit, 0.0);
      check_end (depths[d].yuv, depth, LIMITED, bins[b], 235 * unit, 1.0);
      check_end (depths[d].yuv, depth, FULL, bins[b], 0, 0.0);
      check_end (depths[d].yuv, depth, FULL, bins[b], 256 * unit - 1, 1.0);
      check_end (depths[d].rgb, depth, LIMITED, bins[b], 16 * unit, 0.0);
      check_end (depths[d].rgb, depth, LIMITED, bins[b], 235 * unit, 1.0);
      check_end (depths[d].rgb, depth, FULL, bins[b], 0, 0.0);
      check_end (depths[d].rgb, depth, FULL, bins[b], 256 * unit - 1, 1.0);
    }
  }
}

GST_END_TEST;

/* RGB made from limited YUV has black at 0 and white at the top. */
GST_START_TEST (test_range_of_converted_rgb)
{
  GstVideoHistogramInfo info = test_counts_info (GST_VIDEO_FORMAT_I420, 8,
      LIMITED, 256, 1);
  GstVideoHistogram *histogram;
  guint channel;

  info.channels |= GST_VIDEO_HISTOGRAM_CHANNELS_RGB |
      GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT;
  histogram = gst_video_histogram_new (&info);
  fail_unless_close (gst_video_histogram_get_bin_level (histogram, LUMA, 16),
      0);
  fail_unless_close (gst_video_histogram_get_bin_level (histogram, LUMA, 235),
      1);
  fail_unless_close (gst_video_histogram_get_bin_level (histogram, LUMA, 0),
      -16.0 / 219);
  fail_unless_close (gst_video_histogram_get_bin_level (histogram, LUMA, 255),
      239.0 / 219);
  /* Differences between levels. */
  fail_unless_close (gst_video_histogram_get_bin_level (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_GRADIENT, 0), 0);
  fail_unless_close (gst_video_histogram_get_bin_level (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_GRADIENT, 219), 1);
  for (channel = GST_VIDEO_HISTOGRAM_CHANNEL_RED;
      channel <= GST_VIDEO_HISTOGRAM_CHANNEL_BLUE; channel++) {
    fail_unless_close (gst_video_histogram_get_bin_level (histogram, channel,
            0), 0);
    fail_unless_close (gst_video_histogram_get_bin_level (histogram, channel,
            51), 0.2);
    fail_unless_close (gst_video_histogram_get_bin_level (histogram, channel,
            255), 1);
  }
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

GST_START_TEST (test_nearest_rank)
{
  GstVideoHistogram *histogram;

  /* Ranks 1 and 2 are in bin 10, 3 and 4 in bin 20. */
  histogram = TEST_COUNTS (256, 10, 2, 20, 2);
  fail_unless_equals_int (gst_video_histogram_get_percentile_bin (histogram,
          LUMA, 0), 10);
  fail_unless_equals_int (gst_video_histogram_get_percentile_bin (histogram,
          LUMA, 25), 10);
  fail_unless_equals_int (gst_video_histogram_get_percentile_bin (histogram,
          LUMA, 50), 10);
  fail_unless_equals_int (gst_video_histogram_get_percentile_bin (histogram,
          LUMA, 50.01), 20);
  fail_unless_equals_int (gst_video_histogram_get_percentile_bin (histogram,
          LUMA, 75), 20);
  fail_unless_equals_int (gst_video_histogram_get_percentile_bin (histogram,
          LUMA, 100), 20);
  gst_video_histogram_unref (histogram);

  /* 5 pixels: the median is the third. */
  histogram = TEST_COUNTS (256, 1, 2, 2, 1, 3, 2);
  fail_unless_equals_int (gst_video_histogram_get_percentile_bin (histogram,
          LUMA, 50), 2);
  gst_video_histogram_unref (histogram);

  /* 101 pixels: the first percentile is the second of them. */
  histogram = TEST_COUNTS (256, 1, 1, 2, 100);
  fail_unless_equals_int (gst_video_histogram_get_percentile_bin (histogram,
          LUMA, 1), 2);
  gst_video_histogram_unref (histogram);

  histogram = TEST_COUNTS (256, 200, 1);
  fail_unless_equals_int (gst_video_histogram_get_percentile_bin (histogram,
          LUMA, 0), 200);
  fail_unless_equals_int (gst_video_histogram_get_percentile_bin (histogram,
          LUMA, 100), 200);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

/* Of 100 different pixels, percentile p is the p-th, whatever p / 100 is as a
 * double. */
GST_START_TEST (test_whole_percents)
{
  guint numbers[200], p;
  GstVideoHistogram *histogram;

  for (p = 1; p <= 100; p++) {
    numbers[2 * p - 2] = p;
    numbers[2 * p - 1] = 1;
  }
  histogram = test_counts_new (GST_VIDEO_FORMAT_GRAY8, 8, FULL, 256, numbers,
      200);
  for (p = 1; p <= 100; p++) {
    fail_unless_equals_int (gst_video_histogram_get_percentile_bin (histogram,
            LUMA, p), p);
  }
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

/* 1 % and 99 % of common video sizes, on the edge between two bins. */
GST_START_TEST (test_percentiles_of_frames)
{
  static const guint pixels[] = { 307200, 921600, 2073600, 8294400, 33177600 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (pixels); i++) {
    const guint n = pixels[i] / 100;
    GstVideoHistogramStatistics stats;

    stats = statistics_of (TEST_COUNTS (256, 51, n, 102, 98 * n, 204, n));
    fail_unless_close (stats.p1, 0.2);
    fail_unless_close (stats.p99, 0.4);
    stats = statistics_of (TEST_COUNTS (256, 51, n - 1, 102, 98 * n, 204,
            n + 1));
    fail_unless_close (stats.p1, 0.4);
    fail_unless_close (stats.p99, 0.8);
  }
}

GST_END_TEST;

GST_START_TEST (test_one_bin)
{
  const GstVideoHistogramStatistics stats =
      statistics_of (TEST_COUNTS (1, 0, 100));

  fail_unless_equals_uint64 (stats.pixels, 100);
  fail_unless (stats.average == 0 && stats.variance == 0 && stats.min == 0
      && stats.max == 0 && stats.median == 0 && stats.entropy == 0);
  fail_unless (stats.clipped_low == 1 && stats.clipped_high == 1);
}

GST_END_TEST;

GST_START_TEST (test_no_pixels)
{
  GstVideoHistogram *histogram = TEST_COUNTS (256, 0, 0);
  const GstVideoHistogramStatistics nothing = { 0, };
  GstVideoHistogramStatistics stats;

  memset (&stats, 0xff, sizeof (stats));
  fail_unless (gst_video_histogram_get_statistics (histogram, LUMA, &stats));
  fail_unless (memcmp (&stats, &nothing, sizeof (stats)) == 0);
  fail_unless_equals_int (gst_video_histogram_get_percentile_bin (histogram,
          LUMA, 50), -1);
  fail_if (gst_video_histogram_get_statistics (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_RED, &stats));
  fail_unless_equals_int (gst_video_histogram_get_percentile_bin (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_RED, 50), -1);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

/* Stored counts with an unknown region. */
GST_START_TEST (test_stored_counts)
{
  GstVideoHistogramInfo info = test_counts_info (GST_VIDEO_FORMAT_GRAY8, 8,
      FULL, 4, 0);
  const guint32 counts[] = { 0, 3, 0, 1 };
  GstVideoHistogramStatistics stats;
  GstVideoHistogram *histogram = gst_video_histogram_new (&info);

  fail_unless (gst_video_histogram_set_counts (histogram, LUMA, 0, 0, counts,
          4));
  fail_unless (gst_video_histogram_get_statistics (histogram, LUMA, &stats));
  fail_unless_equals_uint64 (stats.pixels, 4);
  fail_unless_close (stats.average, 0.5);
  fail_unless_equals_int (gst_video_histogram_get_percentile_bin (histogram,
          LUMA, 50), 1);
  fail_unless_equals_int (gst_video_histogram_get_percentile_bin (histogram,
          LUMA, 100), 3);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

GST_START_TEST (test_cells)
{
  GstVideoHistogramInfo info = test_counts_info (GST_VIDEO_FORMAT_GRAY8, 8,
      FULL, 256, 4);
  GstVideoHistogramStatistics stats;
  GstVideoHistogram *histogram;
  guint32 counts[256] = { 0, };

  info.columns = 2;
  histogram = gst_video_histogram_new (&info);
  counts[51] = 2;
  fail_unless (gst_video_histogram_set_counts (histogram, LUMA, 0, 0, counts,
          256));
  counts[51] = 0;
  counts[255] = 2;
  fail_unless (gst_video_histogram_set_counts (histogram, LUMA, 1, 0, counts,
          256));

  fail_unless (gst_video_histogram_get_cell_statistics (histogram, LUMA, 0, 0,
          &stats));
  fail_unless_close (stats.average, 0.2);
  fail_unless (gst_video_histogram_get_cell_statistics (histogram, LUMA, 1, 0,
          &stats));
  fail_unless_close (stats.average, 1);
  fail_unless (gst_video_histogram_get_statistics (histogram, LUMA, &stats));
  fail_unless_close (stats.average, 0.6);
  fail_if (gst_video_histogram_get_cell_statistics (histogram, LUMA, 2, 0,
          &stats));
  fail_if (gst_video_histogram_get_cell_statistics (histogram, LUMA, 0, 1,
          &stats));
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

TEST_SUITE (statistics, NULL, NULL)
{
  tcase_add_test (tc, test_full_range);
  tcase_add_test (tc, test_limited_range);
  tcase_add_test (tc, test_black_is_0_and_white_is_1);
  tcase_add_test (tc, test_range_of_converted_rgb);
  tcase_add_test (tc, test_nearest_rank);
  tcase_add_test (tc, test_whole_percents);
  tcase_add_test (tc, test_percentiles_of_frames);
  tcase_add_test (tc, test_one_bin);
  tcase_add_test (tc, test_no_pixels);
  tcase_add_test (tc, test_stored_counts);
  tcase_add_test (tc, test_cells);
}
