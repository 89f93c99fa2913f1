/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The benchmark's reference counts, and the comparison with them. */
#include "bench/counts.h"
#include "common/suite.h"

static guint32 full[BENCH_MAX_CHANNELS * BENCH_CODES];

GST_START_TEST (test_bytes)
{
  const guint8 data[] = {
    3, 3, 5, 99,
    5, 3, 255, 99,
  };
  const BenchFrame frame = {
    .data = data,
    .stride = 4,
    .width = 3,
    .height = 2,
    .components = 1,
    .sample_bytes = 1,
    .depth = 8,
  };
  guint sum = 0, i;

  bench_counts_reference (&frame, full);
  fail_unless_equals_int (full[3], 3);
  fail_unless_equals_int (full[5], 2);
  fail_unless_equals_int (full[255], 1);
  for (i = 0; i < BENCH_CODES; i++)
    sum += full[i];
  fail_unless_equals_int (sum, 6);
}

GST_END_TEST;

/* Ten bits in the upper part of a word. */
GST_START_TEST (test_words)
{
  const guint16 data[] = { 1023 << 6, 512 << 6, 512 << 6, 0 };
  const BenchFrame frame = {
    .data = (const guint8 *) data,
    .stride = 2,
    .width = 1,
    .height = 4,
    .components = 1,
    .sample_bytes = 2,
    .depth = 10,
    .shift = 6,
  };

  bench_counts_reference (&frame, full);
  fail_unless_equals_int (full[1023], 1);
  fail_unless_equals_int (full[512], 2);
  fail_unless_equals_int (full[0], 1);
}

GST_END_TEST;

GST_START_TEST (test_rgba)
{
  const guint8 data[] = { 255, 0, 10, 77, 255, 1, 10, 77 };
  BenchFrame frame = {
    .data = data,
    .stride = 8,
    .width = 2,
    .height = 1,
    .components = 4,
    .sample_bytes = 1,
    .depth = 8,
  };

  bench_counts_reference (&frame, full);
  fail_unless_equals_int (full[255], 2);
  fail_unless_equals_int (full[BENCH_CODES + 0], 1);
  fail_unless_equals_int (full[BENCH_CODES + 1], 1);
  fail_unless_equals_int (full[2 * BENCH_CODES + 10], 2);
  fail_unless_equals_int (full[77], 0);

  /* 0.2126 * 255 + 0.0722 * 10 = 54.9, and 0.7 more */
  frame.luma = TRUE;
  bench_counts_reference (&frame, full);
  fail_unless_equals_int (full[55], 1);
  fail_unless_equals_int (full[56], 1);
}

GST_END_TEST;

/* More rows than threads, which share them. */
GST_START_TEST (test_large)
{
  const guint width = 1024, height = 1000;
  guint8 *data = g_malloc (width * height);
  const BenchFrame frame = {
    .data = data,
    .stride = width,
    .width = width,
    .height = height,
    .components = 1,
    .sample_bytes = 1,
    .depth = 8,
  };
  guint i;

  for (i = 0; i < width * height; i++)
    data[i] = i;
  bench_counts_reference (&frame, full);
  for (i = 0; i < 256; i++)
    fail_unless_equals_int (full[i], width * height / 256);
  g_free (data);
}

GST_END_TEST;

GST_START_TEST (test_rebin)
{
  guint32 values[256], bins[1024];
  guint i;

  for (i = 0; i < 256; i++)
    values[i] = i;
  bench_counts_rebin (values, 256, 8, 3, bins);
  /* 0 … 85, 86 … 170, 171 … 255 */
  fail_unless_equals_int (bins[0], 85 * 86 / 2);
  fail_unless_equals_int (bins[1], 85 * (86 + 170) / 2);
  fail_unless_equals_int (bins[2], 85 * (171 + 255) / 2);

  bench_counts_rebin (values, 256, 8, 1024, bins);
  fail_unless_equals_int (bins[4 * 200], 200);
  fail_unless_equals_int (bins[4 * 200 + 1], 0);

  bench_counts_rebin (values, 256, 8, 256, bins);
  fail_unless (memcmp (values, bins, sizeof (values)) == 0);
}

GST_END_TEST;

GST_START_TEST (test_equal)
{
  const guint32 right[] = { 1, 2, 3, 4, 5, 6 };
  guint32 counts[] = { 1, 2, 3, 4, 5, 6 };
  gchar *difference = NULL;
  guint i;

  fail_unless (bench_counts_equal (counts, right, 2, 3, &difference));
  fail_unless (difference == NULL);
  for (i = 0; i < G_N_ELEMENTS (counts); i++) {
    counts[i]++;
    fail_if (bench_counts_equal (counts, right, 2, 3, NULL));
    counts[i]--;
  }

  counts[4] = 0;
  counts[5] = 7;
  fail_if (bench_counts_equal (counts, right, 2, 3, &difference));
  fail_unless_equals_string (difference, "2 of 6 bins are wrong, such as bin 1 "
      "of channel 1: 0 instead of 5");
  g_free (difference);
}

GST_END_TEST;

TEST_SUITE (benchcounts, NULL, NULL)
{
  tcase_add_test (tc, test_bytes);
  tcase_add_test (tc, test_words);
  tcase_add_test (tc, test_rgba);
  tcase_add_test (tc, test_large);
  tcase_add_test (tc, test_rebin);
  tcase_add_test (tc, test_equal);
}
