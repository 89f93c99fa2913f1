/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The contents of messages, and when they are posted. */
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

#include "common/close.h"
#include "common/element.h"
#include "common/suite.h"

#define CAPS TEST_GRAY_CAPS (8, 4)

static const gchar *const statistics[] = {
  "average", "variance", "min", "max", "median", "p1", "p99", "entropy",
  "clipped-low", "clipped-high",
};

static TestElement t;

static void
teardown (void)
{
  test_element_clear (&t);
}

/* 8x4 pixels: the left half 0, the right half 255. */
static GstBuffer *
half_frame (GstClockTime pts)
{
  GstBuffer *buffer = test_gray_buffer (8, 4, 0, pts);
  guint y;

  for (y = 0; y < 4; y++)
    gst_buffer_memset (buffer, y * 8 + 4, 255, 4);
  return buffer;
}

static gdouble
get_double (const GstStructure * s, const gchar * field)
{
  gdouble value = -100;

  fail_unless (gst_structure_get_double (s, field, &value), "no %s", field);
  return value;
}

static guint
get_item (const GstStructure * s, const gchar * field, guint i)
{
  const GValue *array = gst_structure_get_value (s, field);

  fail_unless (array && GST_VALUE_HOLDS_ARRAY (array), "no array %s", field);
  fail_unless (i < gst_value_array_get_size (array));
  return g_value_get_uint (gst_value_array_get_value (array, i));
}

static guint
get_length (const GstStructure * s, const gchar * field)
{
  const GValue *array = gst_structure_get_value (s, field);

  fail_unless (array && GST_VALUE_HOLDS_ARRAY (array), "no array %s", field);
  return gst_value_array_get_size (array);
}

/* Every field with its type, in words. */
static const struct
{
  const gchar *name, *type;
} fields[] = {
  {"timestamp", "guint64"}, {"stream-time", "guint64"},
  {"running-time", "guint64"}, {"duration", "guint64"}, {"width", "gint"},
  {"height", "gint"}, {"format", "gchararray"}, {"colorimetry", "gchararray"},
  {"matrix", "gchararray"}, {"range", "gchararray"}, {"depth", "guint"},
  {"bins", "guint"},
  {"pixels", "guint64"}, {"backend", "gchararray"}, {"grid", "gchararray"},
  {"roi", "gchararray"},
};

GST_START_TEST (test_fields)
{
  static const gchar *const channels[] = {
    "luma", "red", "green", "blue", "gradient",
  };
  GstMessage *message;
  const GstStructure *s;
  guint i, c;

  test_element_init (&t, CAPS, "interval", "0", "channels",
      "luma+red+green+blue+gradient", NULL);
  test_element_push (&t, half_frame (3 * GST_SECOND));
  message = test_element_pop_result (&t);
  fail_unless (message != NULL);
  fail_unless (GST_MESSAGE_SRC (message) == GST_OBJECT (t.element));
  s = gst_message_get_structure (message);
  fail_unless_equals_string (gst_structure_get_name (s), "videohistogram");

  for (i = 0; i < G_N_ELEMENTS (fields); i++) {
    fail_unless (gst_structure_has_field (s, fields[i].name), "no %s",
        fields[i].name);
    fail_unless_equals_string (g_type_name (gst_structure_get_field_type (s,
                fields[i].name)), fields[i].type);
  }
  for (c = 0; c < G_N_ELEMENTS (channels); c++) {
    fail_unless_equals_int (get_length (s, channels[c]), 256);
    for (i = 0; i < G_N_ELEMENTS (statistics); i++) {
      gchar *field = g_strdup_printf ("%s-%s", channels[c], statistics[i]);

      get_double (s, field);
      g_free (field);
    }
  }
  fail_unless (gst_structure_has_field_typed (s, "gradient-pixels",
          G_TYPE_UINT64));
  fail_unless_equals_int (gst_structure_n_fields (s), G_N_ELEMENTS (fields) +
      1 + G_N_ELEMENTS (channels) * (1 + G_N_ELEMENTS (statistics)));
  gst_message_unref (message);
}

GST_END_TEST;

GST_START_TEST (test_values)
{
  GstMessage *message;
  const GstStructure *s;
  guint64 timestamp, stream_time, running_time, duration, pixels;
  gint width, height;
  guint bins;

  test_element_init (&t, CAPS ",colorimetry=1:4:0:0", "interval", "0", NULL);
  test_element_push (&t, half_frame (3 * GST_SECOND));
  message = test_element_pop_result (&t);
  s = gst_message_get_structure (message);
  fail_unless (gst_structure_get (s, "timestamp", G_TYPE_UINT64, &timestamp,
          "stream-time", G_TYPE_UINT64, &stream_time, "running-time",
          G_TYPE_UINT64, &running_time, "duration", G_TYPE_UINT64, &duration,
          "pixels", G_TYPE_UINT64, &pixels, "width", G_TYPE_INT, &width,
          "height", G_TYPE_INT, &height, "bins", G_TYPE_UINT, &bins, NULL));
  fail_unless_equals_uint64 (timestamp, 3 * GST_SECOND);
  fail_unless_equals_uint64 (stream_time, 3 * GST_SECOND);
  fail_unless_equals_uint64 (running_time, 3 * GST_SECOND);
  fail_unless_equals_uint64 (duration, 40 * GST_MSECOND);
  fail_unless_equals_uint64 (pixels, 32);
  fail_unless_equals_int (width, 8);
  fail_unless_equals_int (height, 4);
  fail_unless_equals_int (bins, 256);
  fail_unless_equals_string (gst_structure_get_string (s, "format"), "GRAY8");
  fail_unless_equals_string (gst_structure_get_string (s, "colorimetry"),
      "1:4:0:0");
  fail_unless_equals_string (gst_structure_get_string (s, "matrix"), "bt601");
  fail_unless_equals_string (gst_structure_get_string (s, "range"), "full");
  fail_unless_equals_string (gst_structure_get_string (s, "backend"), "cpu");
  fail_unless_equals_string (gst_structure_get_string (s, "grid"), "1x1");
  fail_unless_equals_string (gst_structure_get_string (s, "roi"), "0,0,8,4");

  fail_unless_equals_int (get_item (s, "luma", 0), 16);
  fail_unless_equals_int (get_item (s, "luma", 1), 0);
  fail_unless_equals_int (get_item (s, "luma", 255), 16);
  fail_unless_close (get_double (s, "luma-average"), 0.5);
  fail_unless_close (get_double (s, "luma-variance"), 0.25);
  fail_unless_close (get_double (s, "luma-min"), 0);
  fail_unless_close (get_double (s, "luma-max"), 1);
  fail_unless_close (get_double (s, "luma-median"), 0);
  fail_unless_close (get_double (s, "luma-p1"), 0);
  fail_unless_close (get_double (s, "luma-p99"), 1);
  fail_unless_close (get_double (s, "luma-entropy"), 1);
  fail_unless_close (get_double (s, "luma-clipped-low"), 0.5);
  fail_unless_close (get_double (s, "luma-clipped-high"), 0.5);
  fail_if (gst_structure_has_field (s, "red"));
  gst_message_unref (message);
}

GST_END_TEST;

GST_START_TEST (test_limited_range)
{
  GstMessage *message;
  const GstStructure *s;

  test_element_init (&t, CAPS ",colorimetry=2:3:0:0", "interval", "0", NULL);
  test_element_push (&t, test_gray_buffer (8, 4, 235, 0));
  message = test_element_pop_result (&t);
  s = gst_message_get_structure (message);
  fail_unless_equals_string (gst_structure_get_string (s, "range"), "limited");
  fail_unless_equals_string (gst_structure_get_string (s, "matrix"), "bt709");
  fail_unless (get_double (s, "luma-average") == 1.0);
  gst_message_unref (message);
  test_element_push (&t, test_gray_buffer (8, 4, 16, 40 * GST_MSECOND));
  message = test_element_pop_result (&t);
  s = gst_message_get_structure (message);
  fail_unless (get_double (s, "luma-average") == 0.0);
  gst_message_unref (message);
}

GST_END_TEST;

/* Cells follow each other row by row. */
GST_START_TEST (test_grid)
{
  GstMessage *message;
  const GstStructure *s;

  test_element_init (&t, CAPS, "interval", "0", "grid", "2x2", "bins", "2",
      "roi", "1,0,7,4", NULL);
  test_element_push (&t, half_frame (0));
  message = test_element_pop_result (&t);
  s = gst_message_get_structure (message);
  fail_unless_equals_string (gst_structure_get_string (s, "grid"), "2x2");
  fail_unless_equals_string (gst_structure_get_string (s, "roi"), "1,0,7,4");
  fail_unless_equals_int (get_length (s, "luma"), 2);
  fail_unless_equals_int (get_item (s, "luma", 0), 12);
  fail_unless_equals_int (get_item (s, "luma", 1), 16);
  fail_unless_equals_int (get_length (s, "luma-cells"), 8);
  /* 7 pixels in 2 columns: 4 and 3; the first three of the 4 are dark. */
  fail_unless_equals_int (get_item (s, "luma-cells", 0), 6);
  fail_unless_equals_int (get_item (s, "luma-cells", 1), 2);
  fail_unless_equals_int (get_item (s, "luma-cells", 2), 0);
  fail_unless_equals_int (get_item (s, "luma-cells", 3), 6);
  fail_unless_equals_int (get_item (s, "luma-cells", 4), 6);
  fail_unless_equals_int (get_item (s, "luma-cells", 5), 2);
  fail_unless_equals_int (get_item (s, "luma-cells", 6), 0);
  fail_unless_equals_int (get_item (s, "luma-cells", 7), 6);
  gst_message_unref (message);
}

GST_END_TEST;

/* Checks that @field has @n counts as bytes, and that count @i is @count. */
static void
check_bytes (const GstStructure * s, const gchar * field, gsize n, gsize i,
    guint count)
{
  GBytes *bytes = NULL;
  const guint8 *data;
  gsize size;

  fail_unless (gst_structure_get (s, field, G_TYPE_BYTES, &bytes, NULL));
  data = g_bytes_get_data (bytes, &size);
  fail_unless_equals_int (size, n * sizeof (guint32));
  fail_unless_equals_int (GST_READ_UINT32_LE (data + i * sizeof (guint32)),
      count);
  g_bytes_unref (bytes);
}

GST_START_TEST (test_without_counts_or_statistics)
{
  GstMessage *message;
  const GstStructure *s;

  test_element_init (&t, CAPS, "interval", "0", "grid", "2x2",
      "message-counts", "false", NULL);
  test_element_push (&t, half_frame (0));
  message = test_element_pop_result (&t);
  s = gst_message_get_structure (message);
  fail_if (gst_structure_has_field (s, "luma"));
  fail_if (gst_structure_has_field (s, "luma-cells"));
  fail_unless_close (get_double (s, "luma-average"), 0.5);
  gst_message_unref (message);

  g_object_set (t.element, "message-counts", TRUE, "message-statistics", FALSE,
      NULL);
  test_element_push (&t, half_frame (GST_SECOND));
  message = test_element_pop_result (&t);
  s = gst_message_get_structure (message);
  fail_unless_equals_int (get_item (s, "luma", 255), 16);
  fail_if (gst_structure_has_field (s, "luma-average"));
  gst_message_unref (message);

  g_object_set (t.element, "message-bytes", TRUE, NULL);
  test_element_push (&t, half_frame (GST_SECOND * 3 / 2));
  message = test_element_pop_result (&t);
  s = gst_message_get_structure (message);
  check_bytes (s, "luma", 256, 255, 16);
  check_bytes (s, "luma-cells", 4 * 256, 255, 0);
  check_bytes (s, "luma-cells", 4 * 256, 256 + 255, 8);
  gst_message_unref (message);

  g_object_set (t.element, "message-counts", FALSE, NULL);
  test_element_push (&t, half_frame (2 * GST_SECOND));
  message = test_element_pop_result (&t);
  s = gst_message_get_structure (message);
  fail_unless_equals_int (gst_structure_n_fields (s), G_N_ELEMENTS (fields));
  gst_message_unref (message);
}

GST_END_TEST;

GST_START_TEST (test_no_times)
{
  static const gchar *const times[] = {
    "timestamp", "stream-time", "running-time", "duration",
  };
  GstBuffer *buffer = test_gray_buffer (8, 4, 1, GST_CLOCK_TIME_NONE);
  GstMessage *message;
  guint64 time;
  guint i;

  GST_BUFFER_DURATION (buffer) = GST_CLOCK_TIME_NONE;
  test_element_init (&t, CAPS, "interval", "0", NULL);
  test_element_push (&t, buffer);
  message = test_element_pop_result (&t);
  for (i = 0; i < G_N_ELEMENTS (times); i++) {
    fail_unless (gst_structure_get_uint64 (gst_message_get_structure (message),
            times[i], &time));
    fail_unless_equals_uint64 (time, GST_CLOCK_TIME_NONE);
  }
  gst_message_unref (message);
}

GST_END_TEST;

/* Pushes frames @step apart and returns the number of results. */
static guint
count_results (TestElement * t, GstClockTime start, GstClockTime step, guint n)
{
  guint i;

  for (i = 0; i < n; i++)
    test_element_push (t, test_gray_buffer (8, 4, 1, start + i * step));
  return test_element_count_results (t);
}

GST_START_TEST (test_interval)
{
  /* The default is a tenth of a second: of frames 40 ms apart, those at 0, 120,
   * 240 ... */
  test_element_init (&t, CAPS, NULL, NULL);
  fail_unless_equals_int (count_results (&t, 0, 40 * GST_MSECOND, 25), 9);
  test_element_check_count (&t, "processed", 9);
  g_object_set (t.element, "interval", (guint64) 0, NULL);
  fail_unless_equals_int (count_results (&t, GST_SECOND, 40 * GST_MSECOND, 25),
      25);
  g_object_set (t.element, "interval", (guint64) GST_SECOND, NULL);
  fail_unless_equals_int (count_results (&t, 10 * GST_SECOND, 40 * GST_MSECOND,
          100), 4);
  /* Exactly the distance of frames. */
  g_object_set (t.element, "interval", (guint64) 40 * GST_MSECOND, NULL);
  fail_unless_equals_int (count_results (&t, 20 * GST_SECOND, 40 * GST_MSECOND,
          10), 10);
  g_object_set (t.element, "interval", G_MAXUINT64, NULL);
  fail_unless_equals_int (count_results (&t, 30 * GST_SECOND, GST_SECOND, 10),
      0);
  test_element_clear (&t);

  test_element_init (&t, CAPS, "interval", "18446744073709551615", NULL);
  fail_unless_equals_int (count_results (&t, 0, GST_SECOND, 10), 1);
}

GST_END_TEST;

/* A time that jumps back starts over. */
GST_START_TEST (test_backwards_time)
{
  test_element_init (&t, CAPS, "interval", "1000000000", NULL);
  fail_unless_equals_int (count_results (&t, 100 * GST_SECOND, GST_MSECOND, 5),
      1);
  fail_unless_equals_int (count_results (&t, 50 * GST_SECOND, GST_MSECOND, 5),
      1);
  fail_unless_equals_int (count_results (&t, 0, GST_MSECOND, 5), 1);
}

GST_END_TEST;

/* Frames without a time are timed by the wall clock: all of these come within
 * an hour. */
GST_START_TEST (test_no_timestamps)
{
  guint i;

  test_element_init (&t, CAPS, "interval", "3600000000000", NULL);
  for (i = 0; i < 10; i++) {
    test_element_push (&t, test_gray_buffer (8, 4, 1, GST_CLOCK_TIME_NONE));
  }
  fail_unless_equals_int (test_element_count_results (&t), 1);
  g_object_set (t.element, "interval", (guint64) 0, NULL);
  for (i = 0; i < 10; i++) {
    test_element_push (&t, test_gray_buffer (8, 4, 1, GST_CLOCK_TIME_NONE));
  }
  fail_unless_equals_int (test_element_count_results (&t), 10);
}

GST_END_TEST;

static void
count_signal (GstElement * element, GstVideoHistogram * histogram,
    gpointer user_data)
{
  fail_unless (GST_IS_VIDEO_HISTOGRAM (histogram));
  fail_unless_equals_int (gst_video_histogram_get_state (histogram),
      GST_VIDEO_HISTOGRAM_STATE_COMPLETE);
  fail_unless_equals_uint64 (gst_video_histogram_get_pixels (histogram), 32);
  /* The element holds no lock. */
  g_object_set (element, "message-counts", FALSE, NULL);
  GST_OBJECT_LOCK (element);
  GST_OBJECT_UNLOCK (element);
  ++*(guint *) user_data;
}

GST_START_TEST (test_signal_and_last_histogram)
{
  GstVideoHistogram *histogram;
  guint n = 0;

  test_element_init (&t, CAPS, "interval", "0", "post-messages", "false", NULL);
  g_signal_connect (t.element, "histogram", G_CALLBACK (count_signal), &n);
  g_object_get (t.element, "last-histogram", &histogram, NULL);
  fail_unless (histogram == NULL);

  test_element_push (&t, test_gray_buffer (8, 4, 5, 0));
  test_element_push (&t, test_gray_buffer (8, 4, 6, GST_SECOND));
  fail_unless_equals_int (n, 2);
  fail_unless_equals_int (test_element_count_results (&t), 0);
  g_object_get (t.element, "last-histogram", &histogram, NULL);
  fail_unless_equals_int (gst_video_histogram_get_counts (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, NULL)[6], 32);
  fail_unless_equals_uint64 (gst_video_histogram_get_info (histogram)
      ->timestamp, GST_SECOND);
  gst_video_histogram_unref (histogram);

  g_object_set (t.element, "post-messages", TRUE, NULL);
  test_element_push (&t, test_gray_buffer (8, 4, 6, 2 * GST_SECOND));
  fail_unless_equals_int (test_element_count_results (&t), 1);
  fail_unless_equals_int (n, 3);
}

GST_END_TEST;

static GstBusSyncReply
use_element (G_GNUC_UNUSED GstBus * bus, GstMessage * message,
    gpointer user_data)
{
  GstElement *element = GST_ELEMENT (GST_MESSAGE_SRC (message));
  GstVideoHistogram *histogram;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT) {
    g_object_set (element, "bins", 3, "grid", "2x2", NULL);
    g_object_get (element, "last-histogram", &histogram, NULL);
    fail_unless (histogram != NULL);
    gst_video_histogram_unref (histogram);
    ++*(guint *) user_data;
  }
  return GST_BUS_PASS;
}

/* A synchronous message handler may use the element. */
GST_START_TEST (test_no_locks_held)
{
  guint n = 0;

  test_element_init (&t, CAPS, "interval", "0", NULL);
  gst_bus_set_sync_handler (t.bus, use_element, &n, NULL);
  fail_unless_equals_int (count_results (&t, 0, GST_SECOND, 3), 3);
  fail_unless_equals_int (n, 3);
  gst_bus_set_sync_handler (t.bus, NULL, NULL, NULL);
}

GST_END_TEST;

/* Counters start again with the stream. */
GST_START_TEST (test_counters_start_again)
{
  test_element_init (&t, CAPS, "interval", "0", NULL);
  fail_unless_equals_int (count_results (&t, 0, GST_SECOND, 3), 3);
  test_element_push (&t, gst_buffer_new ());
  test_element_check_count (&t, "processed", 3);
  test_element_check_count (&t, "skipped", 1);
  gst_element_set_state (t.element, GST_STATE_READY);
  test_element_check_count (&t, "processed", 3);
  gst_element_set_state (t.element, GST_STATE_PLAYING);
  test_element_check_count (&t, "processed", 0);
  test_element_check_count (&t, "skipped", 0);
}

GST_END_TEST;

TEST_SUITE (messages, NULL, teardown)
{
  tcase_add_test (tc, test_fields);
  tcase_add_test (tc, test_values);
  tcase_add_test (tc, test_limited_range);
  tcase_add_test (tc, test_grid);
  tcase_add_test (tc, test_without_counts_or_statistics);
  tcase_add_test (tc, test_no_times);
  tcase_add_test (tc, test_interval);
  tcase_add_test (tc, test_backwards_time);
  tcase_add_test (tc, test_no_timestamps);
  tcase_add_test (tc, test_signal_and_last_histogram);
  tcase_add_test (tc, test_no_locks_held);
  tcase_add_test (tc, test_counters_start_again);
}
