/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties, as documented, and how values that are not allowed are
 * handled. */
#include <gst/videohistogram/videohistogram.h>

#include "common/element.h"
#include "common/log.h"
#include "common/properties.h"
#include "common/suite.h"

#define CAPS TEST_GRAY_CAPS (8, 4)
#define N_FRAMES 3000

static const TestProperty properties[] = {
  {"backend", "GstVideoHistogramBackend", "auto", TEST_READY},
  {"cuda-device-id", "gint", "-1", TEST_READY},
  {"channels", "GstVideoHistogramChannels", "luma", TEST_PLAYING},
  {"bins", "guint", "0", TEST_PLAYING},
  {"grid", "gchararray", "1x1", TEST_PLAYING},
  {"roi", "gchararray", "", TEST_PLAYING},
  {"method", "GstVideoHistogramMethod", "auto", TEST_PLAYING},
  {"joint", "GstVideoHistogramJoint", "none", TEST_PLAYING},
  {"joint-bins", "guint", "64", TEST_PLAYING},
  {"joint-with", "gchararray", "", TEST_PLAYING},
  {"post-messages", "gboolean", "true", TEST_PLAYING},
  {"interval", "guint64", "100000000", TEST_PLAYING},
  {"message-counts", "gboolean", "true", TEST_PLAYING},
  {"message-bytes", "gboolean", "false", TEST_PLAYING},
  {"message-statistics", "gboolean", "true", TEST_PLAYING},
  {"attach-meta", "GstVideoHistogramAttachMeta", "auto", TEST_PLAYING},
  {"overload", "GstVideoHistogramOverloadPolicy", "auto", TEST_PLAYING},
  {"active-backend", "gchararray", NULL, 0},
  {"backend-reason", "gchararray", NULL, 0},
  {"last-histogram", "GstVideoHistogram", NULL, 0},
  {"processed", "guint64", "0", 0},
  {"dropped", "guint64", "0", 0},
  {"skipped", "guint64", "0", 0},
};

static GstElement *element;
static TestElement t;

static void
setup (void)
{
  element = gst_element_factory_make ("videohistogram", NULL);
  gst_object_ref_sink (element);
  test_log_catch ();
}

static void
teardown (void)
{
  test_log_expect_nothing ();
  gst_object_unref (element);
  test_element_clear (&t);
}

static void
check_text (const gchar * name, const gchar * expected)
{
  test_property_check (element, name, expected);
}

/* The documented properties, and no others. */
GST_START_TEST (test_properties)
{
  test_properties_check (element, properties, G_N_ELEMENTS (properties));
}

GST_END_TEST;

GST_START_TEST (test_nicks)
{
  test_nicks_check ("GstVideoHistogramBackend", "auto cpu cuda");
  test_nicks_check ("GstVideoHistogramAttachMeta", "auto always never");
  test_nicks_check ("GstVideoHistogramOverloadPolicy", "auto drop wait");
  test_nicks_check ("GstVideoHistogramJoint", "none chroma previous other");
  test_nicks_check ("GstVideoHistogramChannels",
      "luma red green blue gradient");
}

GST_END_TEST;

static const struct
{
  const gchar *name, *value;
} allowed[] = {
  {"grid", "1x1"}, {"grid", "64x64"}, {"grid", "4x3"}, {"grid", " 4 x 3 "},
  {"roi", ""}, {"roi", "0,0,1,1"}, {"roi", "10,20,300,400"},
  {"roi", "0, 0, 2147483647, 2147483647"}, {"bins", "65536"}, {"bins", "1"},
  {"bins", "0"}, {"channels", "luma+red+green+blue"}, {"channels", "blue"},
  {"channels", "luma+gradient"},
  {"interval", "0"}, {"interval", "18446744073709551615"},
  {"backend", "cpu"}, {"backend", "cuda"}, {"cuda-device-id", "0"},
  {"cuda-device-id", "2147483647"}, {"attach-meta", "always"},
  {"attach-meta", "never"}, {"overload", "drop"}, {"overload", "wait"},
  {"post-messages", "false"},
  {"message-counts", "false"}, {"message-statistics", "false"},
  {"message-bytes", "true"},
  {"method", "auto"}, {"joint", "chroma"}, {"joint", "previous"},
  {"joint-bins", "1"}, {"joint-bins", "256"}, {"joint-with", "a"},
  {"joint-with", ""},
};

GST_START_TEST (test_allowed_values)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (allowed); i++) {
    gst_util_set_object_arg (G_OBJECT (element), allowed[i].name,
        allowed[i].value);
    check_text (allowed[i].name, allowed[i].value);
    test_log_expect_nothing ();
  }
}

GST_END_TEST;

/* Invalid strings, and what else the warning must name. */
static const struct
{
  const gchar *name, *value, *says;
} malformed[] = {
  {"grid", "0x9", "1 to 64"}, {"grid", "9x0", "1 to 64"},
  {"grid", "65x1", "1 to 64"}, {"grid", "1x65", "1 to 64"},
  {"grid", "", "COLUMNSxROWS"}, {"grid", "4", "COLUMNSxROWS"},
  {"grid", "4x", "COLUMNSxROWS"}, {"grid", "x4", "COLUMNSxROWS"},
  {"grid", "4x3x2", "COLUMNSxROWS"}, {"grid", "4X3", "COLUMNSxROWS"},
  {"grid", "4,3", "COLUMNSxROWS"}, {"grid", "-4x3", "COLUMNSxROWS"},
  {"grid", "4x3a", "COLUMNSxROWS"}, {"grid", "0x4x3", "COLUMNSxROWS"},
  {"grid", "4.0x3", "COLUMNSxROWS"}, {"grid", "four", "COLUMNSxROWS"},
  {"grid", "99999999999999999999x1", "1 to 64"},
  {"grid", "18446744073709551617x1", "1 to 64"},
  {"roi", "1,2", "X,Y,WIDTH,HEIGHT"}, {"roi", "1,2,3", "X,Y,WIDTH,HEIGHT"},
  {"roi", "1,2,3,4,5", "X,Y,WIDTH,HEIGHT"}, {"roi", "1,2,3,", "WIDTH"},
  {"roi", ",,,", "WIDTH"}, {"roi", "0,0,0,5", "at least 1"},
  {"roi", "0,0,5,0", "at least 1"}, {"roi", "-1,0,5,5", "WIDTH"},
  {"roi", "0,0,-5,5", "WIDTH"}, {"roi", "1x2x3x4", "WIDTH"},
  {"roi", "0,0,5,2147483648", "WIDTH"}, {"roi", "4294967296,0,5,5", "WIDTH"},
  {"roi", "a,b,c,d", "WIDTH"}, {"roi", " ", "WIDTH"},
  {"roi", "0,0,5.5,5", "WIDTH"},
};

GST_START_TEST (test_malformed_strings)
{
  guint i;

  g_object_set (element, "grid", "3x2", "roi", "5,6,7,8", NULL);
  for (i = 0; i < G_N_ELEMENTS (malformed); i++) {
    g_object_set (element, malformed[i].name, malformed[i].value, NULL);
    test_log_expect (malformed[i].name, malformed[i].value, malformed[i].says,
        GST_OBJECT_NAME (element), NULL);
    test_log_expect_nothing ();
    check_text ("grid", "3x2");
    check_text ("roi", "5,6,7,8");
  }
}

GST_END_TEST;

/* A value probably meant in seconds. */
GST_START_TEST (test_short_interval)
{
  static const gchar *const names[] = { "videohistogram", "videohealth" };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    GstElement *e = gst_element_factory_make (names[i], NULL);
    guint64 interval;

    g_object_set (e, "interval", GST_VIDEO_HISTOGRAM_MIN_TIME, NULL);
    test_log_expect_nothing ();
    g_object_set (e, "interval", G_GUINT64_CONSTANT (2), NULL);
    test_log_expect (GST_OBJECT_NAME (e), "interval=2 ", "was not set",
        "2000000000 for 2 seconds", NULL);
    g_object_set (e, "interval", GST_VIDEO_HISTOGRAM_MIN_TIME - 1, NULL);
    test_log_expect ("interval=999999 ", NULL);
    g_object_get (e, "interval", &interval, NULL);
    fail_unless_equals_uint64 (interval, GST_VIDEO_HISTOGRAM_MIN_TIME);
    test_log_expect_nothing ();
    gst_object_unref (e);
  }
}

GST_END_TEST;

GST_START_TEST (test_no_string)
{
  g_object_set (element, "grid", NULL, NULL);
  test_log_expect ("grid", "(null)", "COLUMNSxROWS", NULL);
  check_text ("grid", "1x1");
  /* An empty region resets it. */
  g_object_set (element, "roi", "1,2,3,4", NULL);
  g_object_set (element, "roi", NULL, NULL);
  check_text ("roi", "");
}

GST_END_TEST;

/* Values out of range, and what the warning says. GObject checks some itself,
 * and does not say what is allowed. */
static const struct
{
  const gchar *name, *was;
  gint64 bad;
  const gchar *word, *says;
} out_of_range[] = {
  {"bins", "77", 70000, "70000", "out of range"},
  {"bins", "77", 65537, "65537", "out of range"},
  {"bins", "77", G_MAXUINT, "4294967295", "out of range"},
  {"joint-bins", "77", 0, "0", "out of range"},
  {"joint-bins", "77", 257, "257", "out of range"},
  {"channels", "red+blue", 0, "0", "at least one of"},
  {"channels", "red+blue", 32, "out of range", NULL},
  {"channels", "red+blue", 33, "out of range", NULL},
  {"cuda-device-id", "3", -2, "-2", NULL},
};

GST_START_TEST (test_out_of_range)
{
  const gchar *name = out_of_range[__i__].name;

  gst_util_set_object_arg (G_OBJECT (element), name, out_of_range[__i__].was);
  g_object_set (element, name, (guint) out_of_range[__i__].bad, NULL);
  test_log_expect (name, out_of_range[__i__].word, out_of_range[__i__].says,
      NULL);
  check_text (name, out_of_range[__i__].was);
}

GST_END_TEST;

/* A grid that is too large together with bins or channels: video passes, and a
 * message says why there is no result. Setting a property to its value does not
 * repeat the message. */
GST_START_TEST (test_too_much)
{
  gchar *warning;
  guint i;

  test_element_init (&t, CAPS, "interval", "0", "grid", "64x64", "bins",
      "65536", "channels", "luma+red", NULL);
  for (i = 0; i < 3; i++) {
    test_element_push (&t, test_gray_buffer (8, 4, 1, i * GST_SECOND));
    g_object_set (t.element, "bins", 65536, NULL);
  }
  test_element_check_count (&t, "skipped", 3);
  warning = test_bus_pop_warning (t.bus);
  fail_unless (warning && strstr (warning, "64x64")
      && strstr (warning, "16777216"), "%s", warning);
  g_free (warning);
  fail_unless (gst_bus_pop_filtered (t.bus, GST_MESSAGE_WARNING) == NULL);

  /* And back. */
  g_object_set (t.element, "grid", "2x2", NULL);
  test_element_push (&t, test_gray_buffer (8, 4, 1, 10 * GST_SECOND));
  fail_unless_equals_int (test_element_count_results (&t), 1);
}

GST_END_TEST;

/* A region outside the picture causes one warning, and frames count as
 * skipped. */
GST_START_TEST (test_region_outside)
{

  test_element_init (&t, CAPS, "interval", "0", "roi", "8,0,1,1", NULL);
  test_element_push (&t, test_gray_buffer (8, 4, 1, 0));
  test_element_push (&t, test_gray_buffer (8, 4, 1, GST_SECOND));
  test_element_check_count (&t, "skipped", 2);
  fail_unless_equals_int (test_element_count_messages (&t,
          GST_MESSAGE_WARNING), 1);

  /* The picture grows. */
  gst_harness_set_src_caps_str (t.h, TEST_GRAY_CAPS (16, 4));
  test_element_push (&t, test_gray_buffer (16, 4, 1, 2 * GST_SECOND));
  fail_unless_equals_int (test_element_count_results (&t), 1);
}

GST_END_TEST;

/* Each takes effect on the next frame. */
GST_START_TEST (test_change_while_playing)
{
  GstVideoHistogram *histogram;
  const GstVideoHistogramInfo *info;
  guint i;

  test_element_init (&t, CAPS, "interval", "0", NULL);
  for (i = 1; i <= 20; i++) {
    gchar *grid = g_strdup_printf ("%ux%u", i, 21 - i);
    gchar *roi = g_strdup_printf ("%u,0,%u,2", i % 7, i);

    g_object_set (t.element, "bins", i * 3, "grid", grid, "roi", roi,
        "channels", i % 15 + 1, NULL);
    test_element_push (&t, test_gray_buffer (8, 4, 1, i * GST_SECOND));
    g_object_get (t.element, "last-histogram", &histogram, NULL);
    info = gst_video_histogram_get_info (histogram);
    fail_unless_equals_int (info->bins, i * 3);
    fail_unless_equals_int (info->columns, i);
    fail_unless_equals_int (info->rows, 21 - i);
    fail_unless_equals_int (info->region_x, i % 7);
    fail_unless_equals_int (info->region_height, 2);
    fail_unless_equals_int (info->channels, i % 15 + 1);
    gst_video_histogram_unref (histogram);
    g_free (grid);
    g_free (roi);
  }
  fail_unless_equals_int (test_element_count_results (&t), 20);
}

GST_END_TEST;

static gpointer
change_properties (G_GNUC_UNUSED gpointer data)
{
  static const gchar *const grids[] = { "1x1", "7x3", "64x1" };
  static const gchar *const rois[] = { "", "1,1,2,2", "100,100,1,1" };
  GstVideoHistogram *histogram;
  guint i;

  for (i = 0; gst_harness_buffers_received (t.h) < N_FRAMES; i++) {
    g_object_set (t.element, "grid", grids[i % 3], "roi", rois[i % 3],
        "bins", i % 300, "channels", i % 15 + 1, "attach-meta", i % 3,
        "message-counts", i % 2, "post-messages", i % 5 > 0, "joint", i % 4,
        "joint-bins", i % 256 + 1, NULL);
    g_object_get (t.element, "last-histogram", &histogram, NULL);
    gst_clear_video_histogram (&histogram);
  }
  return NULL;
}

/* From another thread, as fast as possible. */
GST_START_TEST (test_change_from_a_thread)
{
  GThread *thread;
  guint i;

  test_element_init (&t, CAPS, "interval", "0", NULL);
  gst_bus_set_flushing (t.bus, TRUE);
  thread = g_thread_new ("change", change_properties, NULL);
  for (i = 0; i < N_FRAMES; i++)
    test_element_push (&t, test_gray_buffer (8, 4, 1, i * GST_MSECOND));
  g_thread_join (thread);
  fail_unless_equals_uint64 (test_element_get_count (&t, "processed") +
      test_element_get_count (&t, "skipped"), N_FRAMES);
}

GST_END_TEST;

TEST_SUITE (properties, setup, teardown)
{
  tcase_add_test (tc, test_properties);
  tcase_add_test (tc, test_nicks);
  tcase_add_test (tc, test_allowed_values);
  tcase_add_test (tc, test_malformed_strings);
  tcase_add_test (tc, test_short_interval);
  tcase_add_test (tc, test_no_string);
  tcase_add_loop_test (tc, test_out_of_range, 0, G_N_ELEMENTS (out_of_range));
  tcase_add_test (tc, test_too_much);
  tcase_add_test (tc, test_region_outside);
  tcase_add_test (tc, test_change_while_playing);
  tcase_add_test (tc, test_change_from_a_thread);
}
