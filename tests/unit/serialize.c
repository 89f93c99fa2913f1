/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bytes of a histogram: everything comes back, and invalid bytes are
 * rejected without harm. Also run with sanitizers. */

#include "common/pending.h"
#include "common/random.h"
#include "common/suite.h"
#include "gst/videohistogram/histogram/histogramserialize.h"
#include <gst/videohistogram/videohistogram.h>

#define N_CHANNELS GST_VIDEO_HISTOGRAM_N_CHANNELS
#define LUMA GST_VIDEO_HISTOGRAM_CHANNELS_LUMA
#define GREEN GST_VIDEO_HISTOGRAM_CHANNELS_GREEN
#define RGB GST_VIDEO_HISTOGRAM_CHANNELS_RGB

/* Bytes before the counts, and offsets of words in them, in version 1. */
#define HEADER_SIZE 104
#define AT_FORMAT 0
#define AT_DEPTH 4
#define AT_COLOR_RANGE 32
#define AT_MATRIX 48
#define AT_CHANNELS 52
#define AT_BINS 56
#define AT_COLUMNS 60
#define AT_ROWS 64
#define AT_BACKEND 68

typedef struct
{
  GstVideoFormat format;
  guint depth;
  GstVideoHistogramChannels channels;
  guint bins, columns, rows;
  const gchar *backend;
} Shape;

static const Shape shapes[] = {
  {GST_VIDEO_FORMAT_GRAY8, 8, LUMA, 1, 1, 1, "none"},
  {GST_VIDEO_FORMAT_I420, 8, LUMA, 256, 1, 1, "cpu"},
  {GST_VIDEO_FORMAT_NV12, 8, LUMA | RGB, 4, 3, 2, "cuda"},
  {GST_VIDEO_FORMAT_RGBA, 8, GREEN, 7, 64, 1, "cpu"},
  {GST_VIDEO_FORMAT_P010_10LE, 10, LUMA | GREEN, 1024, 1, 5, "cuda"},
  {GST_VIDEO_FORMAT_Y444_16LE, 16, RGB, 65536, 2, 1, "cpu"},
  {GST_VIDEO_FORMAT_BGR, 8, RGB, 2, 64, 64, "cuda"},
};

static guint32 *
get_storage (GstVideoHistogram * histogram)
{
  return vh_counts_storage (vh_histogram_counts (histogram));
}

static gsize
get_length (GstVideoHistogram * histogram)
{
  return vh_counts_length (vh_histogram_counts (histogram));
}

/* A histogram of @shape in which all numbers differ. */
static GstVideoHistogram *
make_histogram (const Shape * shape, guint seed)
{
  const GstVideoHistogramInfo info = {
    .format = shape->format,
    .depth = shape->depth,
    .width = 1920,
    .height = 1080,
    .region_x = 11,
    .region_y = 12,
    .region_width = 1001,
    .region_height = 702,
    .colorimetry.range = GST_VIDEO_COLOR_RANGE_16_235,
    .colorimetry.matrix = GST_VIDEO_COLOR_MATRIX_BT709,
    .colorimetry.transfer = GST_VIDEO_TRANSFER_SRGB,
    .colorimetry.primaries = GST_VIDEO_COLOR_PRIMARIES_BT2020,
    .matrix = GST_VIDEO_COLOR_MATRIX_BT601,
    .channels = shape->channels,
    .bins = shape->bins,
    .columns = shape->columns,
    .rows = shape->rows,
    .timestamp = G_GUINT64_CONSTANT (0x0123456789abcdef),
    .stream_time = GST_CLOCK_TIME_NONE,
    .running_time = 0,
    .duration = 40 * GST_MSECOND,
  };
  GstVideoHistogram *histogram = vh_histogram_new (&info, shape->backend);
  TestRandom random = test_random_new (seed);

  test_random_fill (&random, (guint8 *) get_storage (histogram),
      get_length (histogram) * sizeof (guint32));
  vh_counts_complete (vh_histogram_counts (histogram));
  return histogram;
}

/* Serializes to an odd address. */
static guint8 *
to_bytes (GstVideoHistogram * histogram, gsize * size)
{
  guint8 *block, *data;

  *size = vh_histogram_serialized_size (histogram);
  fail_unless (*size > 0);
  block = g_malloc (*size + 1);
  vh_histogram_serialize (histogram, block + 1);
  data = g_memdup2 (block + 1, *size);
  g_free (block);
  return data;
}

/* Reads from an odd address, in a block that ends with the last byte: a
 * sanitizer notices reads beyond it. */
static GstVideoHistogram *
from_copy (const guint8 * data, gsize size)
{
  guint8 *block = g_malloc (size + 1);
  GstVideoHistogram *histogram;

  if (size > 0)
    memcpy (block + 1, data, size);
  histogram = vh_histogram_deserialize (block + 1, size, VH_SERIALIZE_VERSION);
  g_free (block);
  return histogram;
}

static void
assert_equal (GstVideoHistogram * a, GstVideoHistogram * b)
{
  const gsize n = get_length (a);

  fail_unless_equals_int (memcmp (gst_video_histogram_get_info (a),
          gst_video_histogram_get_info (b), sizeof (GstVideoHistogramInfo)), 0);
  fail_unless_equals_string (gst_video_histogram_get_backend (a),
      gst_video_histogram_get_backend (b));
  fail_unless_equals_int (gst_video_histogram_get_state (b),
      GST_VIDEO_HISTOGRAM_STATE_COMPLETE);
  fail_unless_equals_uint64 (n, get_length (b));
  fail_unless_equals_int (memcmp (get_storage (a),
          get_storage (b), n * sizeof (guint32)), 0);
}

GST_START_TEST (test_round_trip)
{
  GstVideoHistogram *histogram = make_histogram (&shapes[__i__], __i__);
  GstVideoHistogram *other;
  gsize size;
  guint8 *data = to_bytes (histogram, &size);

  fail_unless_equals_uint64 (size, HEADER_SIZE
      + get_length (histogram) * sizeof (guint32));
  other = from_copy (data, size);
  fail_unless (other != NULL);
  assert_equal (histogram, other);
  g_free (data);
  gst_video_histogram_unref (histogram);
  gst_video_histogram_unref (other);
}

GST_END_TEST;

/* Other programs read these bytes: they must not change. */
GST_START_TEST (test_bytes)
{
  static const guint8 expected[] = {
    25, 0, 0, 0, 8, 0, 0, 0,    /* GRAY8, 8 bits */
    12, 0, 0, 0, 1, 0, 0, 0,    /* picture */
    0, 0, 0, 0, 0, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0,    /* region */
    1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,     /* colorimetry */
    3, 0, 0, 0, 1, 0, 0, 0,     /* matrix BT.709, luma */
    4, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, /* 4 bins, 1 x 1 */
    0, 0, 0, 0,                 /* backend: none */
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0, 0, 0, 0, 3, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0,
  };
  GstVideoHistogram *histogram = TEST_COUNTS (4, 1, 3, 2, 9);
  gsize size;
  guint8 *data = to_bytes (histogram, &size);

  fail_unless_equals_int (VH_SERIALIZE_VERSION, 1);
  fail_unless_equals_uint64 (size, sizeof (expected));
  fail_unless_equals_int (memcmp (data, expected, size), 0);
  g_free (data);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

static gpointer
complete_soon (gpointer data)
{
  TestJob *job = data;

  g_usleep (20 * 1000);
  g_atomic_int_set (&job->result, GST_VIDEO_HISTOGRAM_STATE_COMPLETE);
  return NULL;
}

GST_START_TEST (test_pending)
{
  TestJob job;
  GstVideoHistogram *histogram = test_pending_new (&job), *other;
  GThread *thread = g_thread_new ("complete", complete_soon, &job);
  gsize size;
  guint8 *data = to_bytes (histogram, &size);

  g_thread_join (thread);
  other = from_copy (data, size);
  fail_unless_equals_int (get_storage (other)[3], 12);
  /* A backend name without a number in the format. */
  fail_unless_equals_string (gst_video_histogram_get_backend (other), "none");
  g_free (data);
  gst_video_histogram_unref (histogram);
  gst_video_histogram_unref (other);
}

GST_END_TEST;

GST_START_TEST (test_failed)
{
  TestJob job;
  GstVideoHistogram *histogram = test_pending_new (&job);

  g_atomic_int_set (&job.result, GST_VIDEO_HISTOGRAM_STATE_FAILED);
  fail_unless_equals_uint64 (vh_histogram_serialized_size (histogram), 0);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

GST_START_TEST (test_no_format)
{
  Shape shape = shapes[1];
  GstVideoHistogram *histogram;

  shape.format = GST_VIDEO_FORMAT_UNKNOWN;
  histogram = make_histogram (&shape, 1);
  fail_unless_equals_uint64 (vh_histogram_serialized_size (histogram), 0);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

GST_START_TEST (test_truncated)
{
  GstVideoHistogram *histogram = make_histogram (&shapes[2], 1);
  gsize size, n;
  guint8 *data = to_bytes (histogram, &size);
  guint8 *longer = g_malloc0 (size + 8);

  for (n = 0; n < size; n++)
    fail_unless (from_copy (data, n) == NULL, "%" G_GSIZE_FORMAT " bytes", n);

  memcpy (longer, data, size);
  for (n = 1; n <= 8; n++)
    fail_unless (from_copy (longer, size + n) == NULL);

  g_free (longer);
  g_free (data);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

GST_START_TEST (test_version)
{
  GstVideoHistogram *histogram = make_histogram (&shapes[1], 1);
  gsize size;
  guint8 *data = to_bytes (histogram, &size);
  guint version;

  for (version = 0; version <= G_MAXUINT8; version++) {
    GstVideoHistogram *other = vh_histogram_deserialize (data, size, version);

    fail_unless ((other != NULL) == (version == VH_SERIALIZE_VERSION));
    gst_clear_video_histogram (&other);
  }
  g_free (data);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

/* Each with the counts that would follow if the word were trusted, or that a
 * calculation with overflow would give. */
static const struct
{
  guint at;
  guint32 word;
  guint n_counts;
} bad_words[] = {
  {AT_FORMAT, GST_VIDEO_FORMAT_UNKNOWN, 4},
  {AT_FORMAT, 100000, 4},
  {AT_FORMAT, 0xffffffff, 4},
  {AT_DEPTH, 7, 4},
  {AT_DEPTH, 17, 4},
  {AT_DEPTH, 0xffffffff, 4},
  {AT_CHANNELS, 0, 0},
  {AT_CHANNELS, 0x20, 4},
  {AT_CHANNELS, 0x80000001, 8},
  {AT_BINS, 0, 0},
  {AT_BINS, 65537, 65537},
  {AT_BINS, 0x40000000, 0},     /* 2^32 bytes of counts */
  {AT_BINS, 0x40000001, 1},
  {AT_COLUMNS, 0, 0},
  {AT_COLUMNS, 65, 260},
  {AT_COLUMNS, 0x80000000, 0},
  {AT_ROWS, 0, 0},
  {AT_ROWS, 65, 260},
  {AT_ROWS, 0x10000001, 4},
};

GST_START_TEST (test_bad_word)
{
  GstVideoHistogram *histogram = TEST_COUNTS (4, 1, 3);
  const gsize size = HEADER_SIZE + bad_words[__i__].n_counts * sizeof (guint32);
  guint8 *data = g_malloc0 (size + 4 * sizeof (guint32));

  vh_histogram_serialize (histogram, data);
  GST_WRITE_UINT32_LE (data + bad_words[__i__].at, bad_words[__i__].word);
  fail_unless (from_copy (data, size) == NULL);
  g_free (data);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

/* Each number is in range, and the number of counts matches. */
GST_START_TEST (test_too_many_counters)
{
  const gsize n_counts = GST_VIDEO_HISTOGRAM_MAX_COUNTERS + 65536;
  const gsize size = HEADER_SIZE + n_counts * sizeof (guint32);
  GstVideoHistogram *histogram = TEST_COUNTS (4, 1, 3);
  guint8 *data = g_malloc0 (size);

  vh_histogram_serialize (histogram, data);
  GST_WRITE_UINT32_LE (data + AT_BINS, 65536);
  GST_WRITE_UINT32_LE (data + AT_COLUMNS, 257);
  GST_WRITE_UINT32_LE (data + AT_ROWS, 1);
  fail_unless (vh_histogram_deserialize (data, size,
          VH_SERIALIZE_VERSION) == NULL);
  g_free (data);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

/* Values that newer versions of GStreamer, or of this library, may use. */
GST_START_TEST (test_unknown_values)
{
  GstVideoHistogram *histogram = make_histogram (&shapes[2], 1), *other;
  const GstVideoHistogramInfo *info;
  gsize size;
  guint8 *data = to_bytes (histogram, &size);
  guint at;

  for (at = AT_COLOR_RANGE; at <= AT_MATRIX; at += 4)
    GST_WRITE_UINT32_LE (data + at, 0xfffffff0 + at);
  GST_WRITE_UINT32_LE (data + AT_BACKEND, 3);
  other = from_copy (data, size);
  fail_unless (other != NULL);
  info = gst_video_histogram_get_info (other);
  fail_unless_equals_int (info->colorimetry.range, 0);
  fail_unless_equals_int (info->colorimetry.matrix, 0);
  fail_unless_equals_int (info->colorimetry.transfer, 0);
  fail_unless_equals_int (info->colorimetry.primaries, 0);
  fail_unless_equals_int (info->matrix, 0);
  fail_unless_equals_string (gst_video_histogram_get_backend (other), "none");
  g_free (data);
  gst_video_histogram_unref (histogram);
  gst_video_histogram_unref (other);
}

GST_END_TEST;

/* Calls every function on a histogram. */
static void
use (GstVideoHistogram * histogram)
{
  const GstVideoHistogramInfo *info = gst_video_histogram_get_info (histogram);
  GstVideoHistogramStatistics statistics;
  guint64 pixels = 0;
  gdouble distance;
  guint c, x, y;

  for (y = 0; y < info->rows; y++) {
    for (x = 0; x < info->columns; x++)
      pixels += gst_video_histogram_get_cell_pixels (histogram, x, y);
  }
  fail_unless_equals_uint64 (pixels,
      gst_video_histogram_get_pixels (histogram));

  for (c = 0; c < N_CHANNELS; c++) {
    gst_video_histogram_get_bin_level (histogram, c, info->bins - 1);
    gst_video_histogram_get_percentile_bin (histogram, c, 50);
    gst_video_histogram_distance (histogram, histogram, c,
        GST_VIDEO_HISTOGRAM_DISTANCE_EARTH_MOVER, &distance);
    gst_video_histogram_get_cell_statistics (histogram, c, info->columns - 1,
        info->rows - 1, &statistics);
  }
  gst_structure_free (gst_video_histogram_to_structure (histogram,
          GST_VIDEO_HISTOGRAM_STRUCTURE_COUNTS
          | GST_VIDEO_HISTOGRAM_STRUCTURE_STATISTICS));
}

/* Bytes that are accepted as a histogram make a harmless one. Most bytes of the
 * header determine the number of counts: half of the time the bytes are cut or
 * extended to that number, to get past that check. */
GST_START_TEST (test_damaged)
{
  GstVideoHistogram *histogram = make_histogram (&shapes[2], 1);
  TestRandom random = test_random_new (1);
  gsize size;
  guint8 *data = to_bytes (histogram, &size);
  guint accepted = 0, i, k;

  for (i = 0; i < 20000; i++) {
    GByteArray *bytes = g_byte_array_new ();
    const guint n = 1 + test_random_below (&random, 4);
    GstVideoHistogram *other;

    g_byte_array_append (bytes, data, size);
    for (k = 0; k < n; k++) {
      const guint at = test_random_below (&random, HEADER_SIZE);

      bytes->data[at] = test_random_once_in (&random, 2)
          ? bytes->data[at] ^ (1 << test_random_below (&random, 8))
          : test_random (&random);
    }
    if (test_random_once_in (&random, 2)) {
      const guint64 counts = (guint64)
          __builtin_popcount (GST_READ_UINT32_LE (bytes->data + AT_CHANNELS))
          * GST_READ_UINT32_LE (bytes->data + AT_BINS)
          * GST_READ_UINT8 (bytes->data + AT_COLUMNS)
          * GST_READ_UINT8 (bytes->data + AT_ROWS);
      const guint old = bytes->len;

      if (counts <= 1 << 16) {
        g_byte_array_set_size (bytes, HEADER_SIZE + 4 * counts);
        if (bytes->len > old)
          memset (bytes->data + old, 0xff, bytes->len - old);
      }
    }
    other = from_copy (bytes->data, bytes->len);
    if (other) {
      use (other);
      gst_video_histogram_unref (other);
      accepted++;
    }
    g_byte_array_unref (bytes);
  }
  /* Not only rejections were tested. */
  fail_unless (accepted > 1000 && accepted < i);
  g_free (data);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

/* Every flipped byte gives another histogram, or none: no byte is
 * meaningless. */
GST_START_TEST (test_flipped)
{
  GstVideoHistogram *histogram = make_histogram (&shapes[2], 1);
  gsize size, i;
  guint8 *data = to_bytes (histogram, &size);

  for (i = 0; i < size; i++) {
    GstVideoHistogram *other;

    data[i] ^= 0xff;
    other = from_copy (data, size);
    data[i] ^= 0xff;
    if (other) {
      fail_unless (memcmp (gst_video_histogram_get_info (histogram),
              gst_video_histogram_get_info (other),
              sizeof (GstVideoHistogramInfo)) != 0
          || memcmp (get_storage (histogram),
              get_storage (other), size - HEADER_SIZE) != 0
          || strcmp (gst_video_histogram_get_backend (histogram),
              gst_video_histogram_get_backend (other)) != 0,
          "byte %" G_GSIZE_FORMAT, i);
      use (other);
      gst_video_histogram_unref (other);
    }
  }
  g_free (data);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

#if GST_CHECK_VERSION (1, 24, 0)
static GstMeta *
add_meta (GstBuffer * buffer, GstVideoHistogram * histogram)
{
  return (GstMeta *) gst_buffer_add_video_histogram_meta (buffer, histogram);
}

GST_START_TEST (test_meta)
{
  GstVideoHistogram *histogram = make_histogram (&shapes[__i__], __i__);
  GstBuffer *buffer = gst_buffer_new (), *other = gst_buffer_new ();
  GByteArray *bytes = g_byte_array_new ();
  GstMeta *meta;
  guint32 consumed, n;
  guint n_first;

  /* Two in a row, as they are written for a buffer with more metas. */
  fail_unless (gst_meta_serialize_simple (add_meta (buffer, histogram), bytes));
  n_first = bytes->len;
  fail_unless (gst_meta_serialize_simple (add_meta (buffer, histogram), bytes));

  meta = gst_meta_deserialize (other, bytes->data, bytes->len, &consumed);
  fail_unless (meta != NULL);
  fail_unless_equals_int (consumed, n_first);
  fail_unless (meta ==
      (GstMeta *) gst_buffer_get_video_histogram_meta (other));
  assert_equal (histogram, ((GstVideoHistogramMeta *) meta)->histogram);
  meta = gst_meta_deserialize (other, bytes->data + n_first,
      bytes->len - n_first, &consumed);
  fail_unless (meta != NULL);
  assert_equal (histogram, ((GstVideoHistogramMeta *) meta)->histogram);

  for (n = 0; n < MIN (n_first, 1024); n++) {
    GstBuffer *none = gst_buffer_new ();

    fail_unless (gst_meta_deserialize (none, bytes->data, n,
            &consumed) == NULL);
    fail_unless (gst_buffer_get_video_histogram_meta (none) == NULL);
    gst_buffer_unref (none);
  }
  g_byte_array_unref (bytes);
  gst_buffer_unref (buffer);
  gst_buffer_unref (other);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

GST_START_TEST (test_failed_meta)
{
  GstVideoHistogram *whole = make_histogram (&shapes[1], 1);
  GstVideoHistogram *histogram = vh_histogram_new
      (gst_video_histogram_get_info (whole), "cpu");
  GstBuffer *buffer = gst_buffer_new ();
  GByteArray *bytes = g_byte_array_new ();

  gst_video_histogram_unref (whole);
  vh_counts_fail (vh_histogram_counts (histogram));
  fail_if (gst_meta_serialize_simple (add_meta (buffer, histogram), bytes));
  fail_unless_equals_int (bytes->len, 0);
  g_byte_array_unref (bytes);
  gst_buffer_unref (buffer);
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;
#endif

TEST_SUITE (serialize, NULL, NULL)
{
  tcase_add_loop_test (tc, test_round_trip, 0, G_N_ELEMENTS (shapes));
  tcase_add_test (tc, test_bytes);
  tcase_add_test (tc, test_pending);
  tcase_add_test (tc, test_failed);
  tcase_add_test (tc, test_no_format);
  tcase_add_test (tc, test_truncated);
  tcase_add_test (tc, test_version);
  tcase_add_loop_test (tc, test_bad_word, 0, G_N_ELEMENTS (bad_words));
  tcase_add_test (tc, test_too_many_counters);
  tcase_add_test (tc, test_unknown_values);
  tcase_add_test (tc, test_damaged);
  tcase_add_test (tc, test_flipped);
#if GST_CHECK_VERSION (1, 24, 0)
  tcase_add_loop_test (tc, test_meta, 0, G_N_ELEMENTS (shapes));
  tcase_add_test (tc, test_failed_meta);
#endif
}
