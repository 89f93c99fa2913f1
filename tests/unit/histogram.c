/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The histogram object: its contents, and how it becomes complete. */

#include "common/pending.h"
#include "common/suite.h"

#define LUMA GST_VIDEO_HISTOGRAM_CHANNEL_LUMA
#define N_THREADS 8

GST_START_TEST (test_new_one)
{
  GstVideoHistogramInfo info = test_counts_info (GST_VIDEO_FORMAT_I420, 8,
      GST_VIDEO_COLOR_RANGE_16_235, 16, 12);
  GstVideoHistogram *histogram;
  const guint32 *counts;
  guint n = 99, b;

  info.timestamp = 5;
  histogram = gst_video_histogram_new (&info);
  fail_unless (GST_IS_VIDEO_HISTOGRAM (histogram));
  fail_unless_equals_int (gst_video_histogram_get_state (histogram),
      GST_VIDEO_HISTOGRAM_STATE_COMPLETE);
  fail_unless (gst_video_histogram_wait (histogram, 0));
  fail_unless_equals_string (gst_video_histogram_get_backend (histogram),
      "none");
  fail_unless (memcmp (gst_video_histogram_get_info (histogram), &info,
          sizeof (info)) == 0);
  fail_unless_equals_uint64 (gst_video_histogram_get_pixels (histogram), 12);

  counts = gst_video_histogram_get_counts (histogram, LUMA, &n);
  fail_unless_equals_int (n, 16);
  for (b = 0; b < n; b++)
    fail_unless_equals_int (counts[b], 0);
  fail_unless (gst_video_histogram_get_counts (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_RED, &n) == NULL);
  fail_unless_equals_int (n, 0);
  gst_clear_video_histogram (&histogram);
  fail_unless (histogram == NULL);
}

GST_END_TEST;

GST_START_TEST (test_set_counts)
{
  GstVideoHistogramInfo info = test_counts_info (GST_VIDEO_FORMAT_RGB, 8,
      GST_VIDEO_COLOR_RANGE_0_255, 3, 7);
  const guint32 first[] = { 1, 2, 1 }, second[] = { 0, 0, 3 };
  const guint32 *counts;
  GstVideoHistogram *histogram;
  guint n;

  info.channels = GST_VIDEO_HISTOGRAM_CHANNELS_RED |
      GST_VIDEO_HISTOGRAM_CHANNELS_BLUE;
  info.columns = 2;
  histogram = gst_video_histogram_new (&info);
  fail_unless (gst_video_histogram_set_counts (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_BLUE, 0, 0, first, 3));
  fail_unless (gst_video_histogram_set_counts (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_BLUE, 1, 0, second, 3));

  counts = gst_video_histogram_get_counts (histogram,
      GST_VIDEO_HISTOGRAM_CHANNEL_BLUE, &n);
  fail_unless_equals_int (n, 3);
  fail_unless (counts[0] == 1 && counts[1] == 2 && counts[2] == 4);
  counts = gst_video_histogram_get_cell_counts (histogram,
      GST_VIDEO_HISTOGRAM_CHANNEL_BLUE, 1, 0, &n);
  fail_unless (n == 3 && memcmp (counts, second, sizeof (second)) == 0);
  counts = gst_video_histogram_get_counts (histogram,
      GST_VIDEO_HISTOGRAM_CHANNEL_RED, NULL);
  fail_unless (counts[0] == 0 && counts[1] == 0 && counts[2] == 0);

  /* Totals are updated. */
  fail_unless (gst_video_histogram_set_counts (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_BLUE, 0, 0, second, 3));
  counts = gst_video_histogram_get_counts (histogram,
      GST_VIDEO_HISTOGRAM_CHANNEL_BLUE, NULL);
  fail_unless (counts[0] == 0 && counts[1] == 0 && counts[2] == 6);

  fail_if (gst_video_histogram_set_counts (histogram, LUMA, 0, 0, first, 3));
  fail_if (gst_video_histogram_set_counts (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_RED, 0, 0, first, 2));
  fail_if (gst_video_histogram_set_counts (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_RED, 2, 0, first, 3));
  fail_if (gst_video_histogram_set_counts (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_RED, 0, 1, first, 3));
  fail_unless (gst_video_histogram_get_cell_counts (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_RED, 2, 0, &n) == NULL);
  fail_unless_equals_int (n, 0);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

/* Cells of 7 x 5 pixels in 3 columns and 2 rows: 3, 2, 2 wide and 3, 2 high;
 * and empty cells if there are more cells than pixels. */
GST_START_TEST (test_cell_pixels)
{
  GstVideoHistogramInfo info = test_counts_info (GST_VIDEO_FORMAT_GRAY8, 8,
      GST_VIDEO_COLOR_RANGE_0_255, 3, 7);
  const guint64 wanted[2][3] = { {9, 6, 6}, {6, 4, 4} };
  GstVideoHistogram *histogram;
  guint column, row;
  guint64 sum = 0;

  info.region_height = 5;
  info.columns = 3;
  info.rows = 2;
  histogram = gst_video_histogram_new (&info);
  for (row = 0; row < 2; row++) {
    for (column = 0; column < 3; column++) {
      fail_unless_equals_uint64 (gst_video_histogram_get_cell_pixels (histogram,
              column, row), wanted[row][column]);
    }
  }
  fail_unless_equals_uint64 (gst_video_histogram_get_cell_pixels (histogram, 3,
          0), 0);
  fail_unless_equals_uint64 (gst_video_histogram_get_cell_pixels (histogram, 0,
          2), 0);
  gst_video_histogram_unref (histogram);

  info.columns = info.rows = 64;
  histogram = gst_video_histogram_new (&info);
  for (row = 0; row < 64; row++) {
    for (column = 0; column < 64; column++)
      sum += gst_video_histogram_get_cell_pixels (histogram, column, row);
  }
  fail_unless_equals_uint64 (sum, 35);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

/* The last pixel of a row has no gradient: 6 x 5 of 7 x 5 pixels have one, and
 * none of a single column. */
GST_START_TEST (test_channel_pixels)
{
  const GstVideoHistogramChannel gradient =
      GST_VIDEO_HISTOGRAM_CHANNEL_GRADIENT;
  GstVideoHistogramInfo info = test_counts_info (GST_VIDEO_FORMAT_GRAY8, 8,
      GST_VIDEO_COLOR_RANGE_0_255, 3, 7);
  const guint64 wanted[2][3] = { {9, 6, 3}, {6, 4, 2} };
  GstVideoHistogram *histogram;
  guint column, row;

  info.channels |= GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT;
  info.region_height = 5;
  info.columns = 3;
  info.rows = 2;
  histogram = gst_video_histogram_new (&info);
  for (row = 0; row < 2; row++) {
    for (column = 0; column < 3; column++) {
      fail_unless_equals_uint64 (gst_video_histogram_get_cell_channel_pixels
          (histogram, gradient, column, row), wanted[row][column]);
      fail_unless_equals_uint64 (gst_video_histogram_get_cell_channel_pixels
          (histogram, GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, column, row),
          gst_video_histogram_get_cell_pixels (histogram, column, row));
    }
  }
  fail_unless_equals_uint64 (gst_video_histogram_get_cell_channel_pixels
      (histogram, gradient, 3, 0), 0);
  fail_unless_equals_uint64 (gst_video_histogram_get_channel_pixels (histogram,
          gradient), 30);
  fail_unless_equals_uint64 (gst_video_histogram_get_channel_pixels (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_LUMA), 35);
  fail_unless_equals_uint64 (gst_video_histogram_get_channel_pixels (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_RED), 0);
  gst_video_histogram_unref (histogram);

  info.region_width = 1;
  histogram = gst_video_histogram_new (&info);
  fail_unless_equals_uint64 (gst_video_histogram_get_channel_pixels (histogram,
          gradient), 0);
  gst_video_histogram_unref (histogram);
  info.region_width = 0;
  histogram = gst_video_histogram_new (&info);
  fail_unless_equals_uint64 (gst_video_histogram_get_channel_pixels (histogram,
          gradient), 0);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

GST_START_TEST (test_pending_to_complete)
{
  TestJob job;
  GstVideoHistogram *histogram = test_pending_new (&job);
  const guint32 *counts;

  fail_unless_equals_int (gst_video_histogram_get_state (histogram),
      GST_VIDEO_HISTOGRAM_STATE_PENDING);
  fail_unless_equals_string (gst_video_histogram_get_backend (histogram),
      "fake");
  fail_unless_equals_uint64 (gst_video_histogram_get_pixels (histogram), 12);
  fail_if (gst_video_histogram_wait (histogram, 0));
  fail_if (gst_video_histogram_wait (histogram, 3 * GST_MSECOND));
  fail_unless_equals_int (job.releases, 0);

  g_atomic_int_set (&job.result, GST_VIDEO_HISTOGRAM_STATE_COMPLETE);
  fail_unless (gst_video_histogram_wait (histogram, GST_CLOCK_TIME_NONE));
  fail_unless_equals_int (gst_video_histogram_get_state (histogram),
      GST_VIDEO_HISTOGRAM_STATE_COMPLETE);
  counts = gst_video_histogram_get_counts (histogram, LUMA, NULL);
  fail_unless_equals_int (counts[3], 12);

  /* Forever. */
  job.polls = 0;
  g_atomic_int_set (&job.result, GST_VIDEO_HISTOGRAM_STATE_FAILED);
  fail_unless (gst_video_histogram_wait (histogram, 0));
  fail_unless_equals_int (job.polls, 0);
  gst_video_histogram_unref (histogram);
  fail_unless_equals_int (job.releases, 1);
}

GST_END_TEST;

GST_START_TEST (test_pending_to_failed)
{
  TestJob job;
  GstVideoHistogram *histogram = test_pending_new (&job);
  GstVideoHistogramStatistics stats;
  gdouble distance;
  guint n = 99;

  g_atomic_int_set (&job.result, GST_VIDEO_HISTOGRAM_STATE_FAILED);
  fail_if (gst_video_histogram_wait (histogram, GST_CLOCK_TIME_NONE));
  fail_unless_equals_int (gst_video_histogram_get_state (histogram),
      GST_VIDEO_HISTOGRAM_STATE_FAILED);
  fail_unless (gst_video_histogram_get_counts (histogram, LUMA, &n) == NULL);
  fail_unless_equals_int (n, 0);
  fail_unless (gst_video_histogram_get_cell_counts (histogram, LUMA, 0, 0,
          NULL) == NULL);
  fail_if (gst_video_histogram_get_statistics (histogram, LUMA, &stats));
  fail_unless_equals_int (gst_video_histogram_get_percentile_bin (histogram,
          LUMA, 50), -1);
  fail_if (gst_video_histogram_distance (histogram, histogram, LUMA,
          GST_VIDEO_HISTOGRAM_DISTANCE_EARTH_MOVER, &distance));
  fail_unless (gst_video_histogram_to_structure (histogram,
          GST_VIDEO_HISTOGRAM_STRUCTURE_COUNTS) == NULL);
  gst_video_histogram_unref (histogram);
  fail_unless_equals_int (job.releases, 1);
}

GST_END_TEST;

/* The state is never polled. */
GST_START_TEST (test_freed_while_pending)
{
  TestJob job;

  gst_video_histogram_unref (test_pending_new (&job));
  fail_unless_equals_int (job.polls, 0);
  fail_unless_equals_int (job.releases, 1);
}

GST_END_TEST;

static gpointer
read_counts (gpointer histogram)
{
  const guint32 *counts = gst_video_histogram_get_counts (histogram, LUMA,
      NULL);

  return GUINT_TO_POINTER (counts ? counts[3] : 0);
}

/* Many threads wait, one completes it. */
GST_START_TEST (test_waiting_threads)
{
  TestJob job;
  GstVideoHistogram *histogram = test_pending_new (&job);
  GThread *threads[N_THREADS];
  guint i;

  for (i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("wait", read_counts, histogram);
  while (g_atomic_int_get (&job.polls) < N_THREADS)
    g_thread_yield ();
  g_atomic_int_set (&job.result, GST_VIDEO_HISTOGRAM_STATE_COMPLETE);
  for (i = 0; i < N_THREADS; i++) {
    fail_unless_equals_int (GPOINTER_TO_UINT (g_thread_join (threads[i])), 12);
  }
  gst_video_histogram_unref (histogram);
  fail_unless_equals_int (job.releases, 1);
}

GST_END_TEST;

/* Counted by another thread, which reports it. */
GST_START_TEST (test_completed_from_outside)
{
  const GstVideoHistogramInfo info = test_counts_info (GST_VIDEO_FORMAT_GRAY8,
      8, GST_VIDEO_COLOR_RANGE_0_255, 16, 12);
  GstVideoHistogram *histogram = vh_histogram_new (&info, "fake");
  GThread *thread = g_thread_new ("wait", read_counts, histogram);

  fail_unless_equals_int (gst_video_histogram_get_state (histogram),
      GST_VIDEO_HISTOGRAM_STATE_PENDING);
  vh_counts_cell (vh_histogram_counts (histogram), LUMA, 0, 0)[3] = 12;
  vh_counts_complete (vh_histogram_counts (histogram));
  fail_unless_equals_int (GPOINTER_TO_UINT (g_thread_join (thread)), 12);
  gst_video_histogram_unref (histogram);

  histogram = vh_histogram_new (&info, "fake");
  thread = g_thread_new ("wait", read_counts, histogram);
  vh_counts_fail (vh_histogram_counts (histogram));
  fail_unless_equals_int (GPOINTER_TO_UINT (g_thread_join (thread)), 0);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

static gpointer
read_totals (gpointer histogram)
{
  return (gpointer) gst_video_histogram_get_counts (histogram, LUMA, NULL);
}

/* Totals of a grid are computed once, by the first thread. */
GST_START_TEST (test_totals_from_many_threads)
{
  GstVideoHistogramInfo info = test_counts_info (GST_VIDEO_FORMAT_GRAY8, 8,
      GST_VIDEO_COLOR_RANGE_0_255, 4096, 64);
  GThread *threads[N_THREADS];
  GstVideoHistogram *histogram;
  gconstpointer totals;
  guint i;

  info.columns = 64;
  histogram = gst_video_histogram_new (&info);
  for (i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("read", read_totals, histogram);
  totals = read_totals (histogram);
  for (i = 0; i < N_THREADS; i++)
    fail_unless (g_thread_join (threads[i]) == totals);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

GST_START_TEST (test_names)
{
  fail_unless_equals_string (gst_video_histogram_channel_get_name (LUMA),
      "luma");
  fail_unless_equals_string (gst_video_histogram_channel_get_name
      (GST_VIDEO_HISTOGRAM_CHANNEL_RED), "red");
  fail_unless_equals_string (gst_video_histogram_channel_get_name
      (GST_VIDEO_HISTOGRAM_CHANNEL_GREEN), "green");
  fail_unless_equals_string (gst_video_histogram_channel_get_name
      (GST_VIDEO_HISTOGRAM_CHANNEL_BLUE), "blue");
}

GST_END_TEST;

TEST_SUITE (histogram, NULL, NULL)
{
  tcase_add_test (tc, test_new_one);
  tcase_add_test (tc, test_set_counts);
  tcase_add_test (tc, test_cell_pixels);
  tcase_add_test (tc, test_channel_pixels);
  tcase_add_test (tc, test_pending_to_complete);
  tcase_add_test (tc, test_pending_to_failed);
  tcase_add_test (tc, test_freed_while_pending);
  tcase_add_test (tc, test_waiting_threads);
  tcase_add_test (tc, test_completed_from_outside);
  tcase_add_test (tc, test_totals_from_many_threads);
  tcase_add_test (tc, test_names);
}
