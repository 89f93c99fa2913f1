/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Distances between counts against values computed by hand. */
#include "common/close.h"
#include "common/counts.h"
#include "common/suite.h"

#define LUMA GST_VIDEO_HISTOGRAM_CHANNEL_LUMA

static gdouble
distance (GstVideoHistogram * a, GstVideoHistogram * b,
    GstVideoHistogramDistance kind)
{
  gdouble result = -100;

  fail_unless (gst_video_histogram_distance (a, b, LUMA, kind, &result));
  return result;
}

/* Shares 1/4, 0, 3/4, 0 and 0, 1/4, 1/4, 1/2. */
GST_START_TEST (test_by_hand)
{
  GstVideoHistogram *a = TEST_COUNTS (4, 0, 1, 2, 3);
  GstVideoHistogram *b = TEST_COUNTS (4, 1, 2, 2, 2, 3, 4);

  /* 1/4, 0, 1/2, 0 carried from bin to bin */
  fail_unless_close (distance (a, b, GST_VIDEO_HISTOGRAM_DISTANCE_EARTH_MOVER),
      0.1875);
  fail_unless_close (distance (a, b, GST_VIDEO_HISTOGRAM_DISTANCE_CORRELATION),
      -0.0625 / sqrt (0.375 * 0.125));
  fail_unless_close (distance (a, b, GST_VIDEO_HISTOGRAM_DISTANCE_CHI_SQUARE),
      0.25 + 1.0 / 3);
  fail_unless_close (distance (b, a, GST_VIDEO_HISTOGRAM_DISTANCE_CHI_SQUARE),
      0.25 + 1 + 0.5);
  fail_unless_close (distance (a, b,
          GST_VIDEO_HISTOGRAM_DISTANCE_CHI_SQUARE_ALT), 2.5);
  fail_unless_close (distance (b, a,
          GST_VIDEO_HISTOGRAM_DISTANCE_CHI_SQUARE_ALT), 2.5);
  fail_unless_close (distance (a, b, GST_VIDEO_HISTOGRAM_DISTANCE_INTERSECTION),
      0.25);
  fail_unless_close (distance (a, b,
          GST_VIDEO_HISTOGRAM_DISTANCE_BHATTACHARYYA),
      sqrt (1 - sqrt (0.1875)));
  fail_unless_close (distance (a, b,
          GST_VIDEO_HISTOGRAM_DISTANCE_KULLBACK_LEIBLER),
      0.25 * log (0.25 / 1e-10) + 0.75 * log (3));
  gst_video_histogram_unref (a);
  gst_video_histogram_unref (b);
}

GST_END_TEST;

/* The same shares with another number of pixels. */
GST_START_TEST (test_equal)
{
  GstVideoHistogram *a = TEST_COUNTS (256, 3, 1, 40, 5, 250, 2);
  GstVideoHistogram *b = TEST_COUNTS (256, 3, 3, 40, 15, 250, 6);

  fail_unless_close (distance (a, b, GST_VIDEO_HISTOGRAM_DISTANCE_EARTH_MOVER),
      0);
  fail_unless_close (distance (a, b, GST_VIDEO_HISTOGRAM_DISTANCE_CORRELATION),
      1);
  fail_unless_close (distance (a, b, GST_VIDEO_HISTOGRAM_DISTANCE_CHI_SQUARE),
      0);
  fail_unless_close (distance (a, b,
          GST_VIDEO_HISTOGRAM_DISTANCE_CHI_SQUARE_ALT), 0);
  fail_unless_close (distance (a, b, GST_VIDEO_HISTOGRAM_DISTANCE_INTERSECTION),
      1);
  /* The square root of a rounding error. */
  fail_unless (distance (a, b,
          GST_VIDEO_HISTOGRAM_DISTANCE_BHATTACHARYYA) < 1e-7);
  fail_unless_close (distance (a, b,
          GST_VIDEO_HISTOGRAM_DISTANCE_KULLBACK_LEIBLER), 0);
  gst_video_histogram_unref (a);
  gst_video_histogram_unref (b);
}

GST_END_TEST;

/* Nothing in common: only the earth mover's distance says how far apart. */
GST_START_TEST (test_disjoint)
{
  GstVideoHistogram *a = TEST_COUNTS (256, 100, 10);
  GstVideoHistogram *near = TEST_COUNTS (256, 101, 10);
  GstVideoHistogram *far = TEST_COUNTS (256, 228, 10);

  fail_unless_close (distance (a, near,
          GST_VIDEO_HISTOGRAM_DISTANCE_EARTH_MOVER), 1.0 / 256);
  fail_unless_close (distance (a, far,
          GST_VIDEO_HISTOGRAM_DISTANCE_EARTH_MOVER), 0.5);
  fail_unless_close (distance (far, a,
          GST_VIDEO_HISTOGRAM_DISTANCE_EARTH_MOVER), 0.5);
  fail_unless_close (distance (a, near,
          GST_VIDEO_HISTOGRAM_DISTANCE_INTERSECTION), 0);
  fail_unless_close (distance (a, far,
          GST_VIDEO_HISTOGRAM_DISTANCE_BHATTACHARYYA), 1);
  fail_unless_close (distance (a, far,
          GST_VIDEO_HISTOGRAM_DISTANCE_CHI_SQUARE), 1);
  fail_unless_close (distance (a, far,
          GST_VIDEO_HISTOGRAM_DISTANCE_CHI_SQUARE_ALT), 4);
  gst_video_histogram_unref (a);
  gst_video_histogram_unref (near);
  gst_video_histogram_unref (far);
}

GST_END_TEST;

/* Flat counts do not vary; OpenCV calls their correlation 1. */
GST_START_TEST (test_flat)
{
  GstVideoHistogram *flat = TEST_COUNTS (4, 0, 2, 1, 2, 2, 2, 3, 2);
  GstVideoHistogram *one = TEST_COUNTS (4, 0, 2);

  fail_unless_close (distance (flat, flat,
          GST_VIDEO_HISTOGRAM_DISTANCE_CORRELATION), 1);
  fail_unless_close (distance (flat, one,
          GST_VIDEO_HISTOGRAM_DISTANCE_CORRELATION), 1);
  gst_video_histogram_unref (flat);
  gst_video_histogram_unref (one);
}

GST_END_TEST;

/* All cells together. */
GST_START_TEST (test_cells)
{
  GstVideoHistogramInfo info = test_counts_info (GST_VIDEO_FORMAT_GRAY8, 8,
      GST_VIDEO_COLOR_RANGE_0_255, 2, 4);
  const guint32 left[] = { 2, 0 }, right[] = { 0, 2 };
  GstVideoHistogram *cells, *whole = TEST_COUNTS (2, 0, 2, 1, 2);

  info.columns = 2;
  cells = gst_video_histogram_new (&info);
  gst_video_histogram_set_counts (cells, LUMA, 0, 0, left, 2);
  gst_video_histogram_set_counts (cells, LUMA, 1, 0, right, 2);
  fail_unless_close (distance (cells, whole,
          GST_VIDEO_HISTOGRAM_DISTANCE_EARTH_MOVER), 0);
  gst_video_histogram_unref (cells);
  gst_video_histogram_unref (whole);
}

GST_END_TEST;

GST_START_TEST (test_what_does_not_compare)
{
  GstVideoHistogram *a = TEST_COUNTS (4, 0, 1);
  GstVideoHistogram *other_bins = TEST_COUNTS (5, 0, 1);
  GstVideoHistogram *empty = TEST_COUNTS (4, 0, 0);
  gdouble result = -100;

  fail_if (gst_video_histogram_distance (a, other_bins, LUMA,
          GST_VIDEO_HISTOGRAM_DISTANCE_EARTH_MOVER, &result));
  fail_if (gst_video_histogram_distance (a, empty, LUMA,
          GST_VIDEO_HISTOGRAM_DISTANCE_EARTH_MOVER, &result));
  fail_if (gst_video_histogram_distance (empty, a, LUMA,
          GST_VIDEO_HISTOGRAM_DISTANCE_EARTH_MOVER, &result));
  fail_if (gst_video_histogram_distance (a, a, GST_VIDEO_HISTOGRAM_CHANNEL_RED,
          GST_VIDEO_HISTOGRAM_DISTANCE_EARTH_MOVER, &result));
  fail_unless (result == -100);
  gst_video_histogram_unref (a);
  gst_video_histogram_unref (other_bins);
  gst_video_histogram_unref (empty);
}

GST_END_TEST;

TEST_SUITE (distance, NULL, NULL)
{
  tcase_add_test (tc, test_by_hand);
  tcase_add_test (tc, test_equal);
  tcase_add_test (tc, test_disjoint);
  tcase_add_test (tc, test_flat);
  tcase_add_test (tc, test_cells);
  tcase_add_test (tc, test_what_does_not_compare);
}
