/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties, as documented, and how values that are not allowed are
 * handled. */
#include <gst/videohistogram/videohistogram.h>

#include "common/element.h"
#include "common/log.h"
#include "common/suite.h"

#define CAPS TEST_GRAY_CAPS (8, 4)
#define N_FRAMES 3000

typedef struct
{
  const gchar *name, *type, *value;
} Property;

static const Property properties[] = {
  {"backend", "GstVideoHistogramBackend", "auto"},
  {"cuda-device-id", "gint", "-1"},
  {"channels", "GstVideoHistogramChannels", "luma"},
  {"bins", "guint", "0"},
  {"grid", "gchararray", "1x1"},
  {"roi", "gchararray", ""},
  {"method", "GstVideoHistogramMethod", "auto"},
  {"joint", "GstVideoHistogramJoint", "none"},
  {"joint-bins", "guint", "64"},
  {"joint-with", "gchararray", ""},
  {"post-messages", "gboolean", "true"},
  {"interval", "guint64", "100000000"},
  {"message-counts", "gboolean", "true"},
  {"message-bytes", "gboolean", "false"},
  {"message-statistics", "gboolean", "true"},
  {"attach-meta", "GstVideoHistogramAttachMeta", "auto"},
  {"overload", "GstVideoHistogramOverloadPolicy", "auto"},
};

static const Property read_only[] = {
  {"active-backend", "gchararray", NULL},
  {"backend-reason", "gchararray", NULL},
  {"last-histogram", "GstVideoHistogram", NULL},
  {"processed", "guint64", "0"},
  {"dropped", "guint64", "0"},
  {"skipped", "guint64", "0"},
};

static GstElement *element;

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
}

static gchar *
join_nicks (guint channels)
{
  GString *nicks = g_string_new (NULL);
  guint channel;

  for (channel = 0; channel < GST_VIDEO_HISTOGRAM_N_CHANNELS; channel++) {
    if (channels & (1 << channel)) {
      g_string_append_printf (nicks, "%s%s", nicks->len ? "+" : "",
          gst_video_histogram_channel_get_name (channel));
    }
  }
  return g_string_free (nicks, FALSE);
}

/* The value of a property in gst-launch-1.0's notation, or NULL. */
static gchar *
get_text (GObject * object, const gchar * name)
{
  GValue value = G_VALUE_INIT;
  gchar *text;

  g_object_get_property (object, name, &value);
  if (G_VALUE_HOLDS_STRING (&value))
    text = g_value_dup_string (&value);
  else if (G_VALUE_HOLDS_BOXED (&value))
    text = g_value_get_boxed (&value) ? g_strdup ("something") : NULL;
  else if (G_VALUE_HOLDS_FLAGS (&value))
    text = join_nicks (g_value_get_flags (&value));
  else
    text = gst_value_serialize (&value);
  g_value_unset (&value);
  return text;
}

static void
check_text (const gchar * name, const gchar * expected)
{
  gchar *text = get_text (G_OBJECT (element), name);

  fail_unless_equals_string (text, expected);
  g_free (text);
}

static void
check_property (const Property * property, GParamFlags access)
{
  GParamSpec *pspec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (element),
      property->name);

  fail_unless (pspec != NULL, "no property %s", property->name);
  fail_unless_equals_string (g_type_name (pspec->value_type), property->type);
  fail_unless_equals_int (pspec->flags & G_PARAM_READWRITE, access);
  fail_unless (strlen (g_param_spec_get_blurb (pspec)) > 10);
  check_text (property->name, property->value);
}

GST_START_TEST (test_types_and_defaults)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (properties); i++)
    check_property (&properties[i], G_PARAM_READWRITE);
  for (i = 0; i < G_N_ELEMENTS (read_only); i++)
    check_property (&read_only[i], G_PARAM_READABLE);
}

GST_END_TEST;

/* The lists above, which match the documentation, are complete. */
GST_START_TEST (test_no_others)
{
  GParamSpec **all;
  guint n, i, own = 0;

  all = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
  for (i = 0; i < n; i++)
    own += all[i]->owner_type != GST_TYPE_OBJECT
        && all[i]->owner_type != GST_TYPE_BASE_TRANSFORM;
  fail_unless_equals_int (own,
      G_N_ELEMENTS (properties) + G_N_ELEMENTS (read_only));
  g_free (all);
}

GST_END_TEST;

/* Some properties need a stopped element; all others change while playing. */
GST_START_TEST (test_when_they_change)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (properties); i++) {
    const GParamFlags flags =
        g_object_class_find_property (G_OBJECT_GET_CLASS (element),
        properties[i].name)->flags;
    const gboolean ready = strcmp (properties[i].name, "backend") == 0
        || strcmp (properties[i].name, "cuda-device-id") == 0;

    fail_unless ((flags & GST_PARAM_MUTABLE_READY) == (ready ?
            GST_PARAM_MUTABLE_READY : 0), "%s", properties[i].name);
    fail_unless ((flags & GST_PARAM_MUTABLE_PLAYING) == (ready ? 0 :
            GST_PARAM_MUTABLE_PLAYING), "%s", properties[i].name);
  }
}

GST_END_TEST;

GST_START_TEST (test_nicks)
{
  static const struct
  {
    const gchar *type, *nicks;
  } enums[] = {
    {"GstVideoHistogramBackend", "auto cpu cuda"},
    {"GstVideoHistogramAttachMeta", "auto always never"},
    {"GstVideoHistogramOverloadPolicy", "auto drop wait"},
    {"GstVideoHistogramJoint", "none chroma previous other"},
  };
  GFlagsClass *flags = g_type_class_ref (GST_TYPE_VIDEO_HISTOGRAM_CHANNELS);
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (enums); i++) {
    GEnumClass *klass = g_type_class_ref (g_type_from_name (enums[i].type));
    gchar **nicks = g_strsplit (enums[i].nicks, " ", -1);

    fail_unless_equals_int (klass->n_values, g_strv_length (nicks));
    for (k = 0; k < klass->n_values; k++)
      fail_unless_equals_string (klass->values[k].value_nick, nicks[k]);
    g_strfreev (nicks);
    g_type_class_unref (klass);
  }

  fail_unless_equals_int (flags->n_values, 5);
  fail_unless_equals_string (flags->values[0].value_nick, "luma");
  fail_unless_equals_string (flags->values[1].value_nick, "red");
  fail_unless_equals_string (flags->values[2].value_nick, "green");
  fail_unless_equals_string (flags->values[3].value_nick, "blue");
  fail_unless_equals_string (flags->values[4].value_nick, "gradient");
  g_type_class_unref (flags);
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

/* Sets the property to @bad; the warning must contain it and, unless NULL,
 * @says; the value stays. */
static void
check_out_of_range (const gchar * name, const gchar * was,
    const GValue * bad, const gchar * word, const gchar * says)
{
  gst_util_set_object_arg (G_OBJECT (element), name, was);
  g_object_set_property (G_OBJECT (element), name, bad);
  test_log_expect (name, word, says, NULL);
  check_text (name, was);
}

GST_START_TEST (test_out_of_range)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_UINT);
  /* GObject checks these itself, and does not say what is allowed. */
  g_value_set_uint (&value, 70000);
  check_out_of_range ("bins", "77", &value, "70000", "out of range");
  g_value_set_uint (&value, 65537);
  check_out_of_range ("bins", "77", &value, "65537", "out of range");
  g_value_set_uint (&value, G_MAXUINT);
  check_out_of_range ("bins", "77", &value, "4294967295", "out of range");
  g_value_set_uint (&value, 0);
  check_out_of_range ("joint-bins", "77", &value, "0", "out of range");
  g_value_set_uint (&value, 257);
  check_out_of_range ("joint-bins", "77", &value, "257", "out of range");
  g_value_unset (&value);

  g_value_init (&value, GST_TYPE_VIDEO_HISTOGRAM_CHANNELS);
  g_value_set_flags (&value, 0);
  check_out_of_range ("channels", "red+blue", &value, "0", "at least one of");
  /* GObject checks these, too. */
  g_value_set_flags (&value, 32);
  check_out_of_range ("channels", "red+blue", &value, "out of range", NULL);
  g_value_set_flags (&value, 33);
  check_out_of_range ("channels", "red+blue", &value, "out of range", NULL);
  g_value_unset (&value);

  g_value_init (&value, G_TYPE_INT);
  g_value_set_int (&value, -2);
  check_out_of_range ("cuda-device-id", "3", &value, "-2", NULL);
  g_value_unset (&value);
}

GST_END_TEST;

GST_START_TEST (test_read_only_ones)
{
  GObjectClass *klass = G_OBJECT_GET_CLASS (element);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (read_only); i++) {
    fail_if (g_object_class_find_property (klass, read_only[i].name)->flags &
        G_PARAM_WRITABLE);
  }
}

GST_END_TEST;

/* A grid that is too large together with bins or channels: video passes, and a
 * message says why there is no result. */
GST_START_TEST (test_too_much)
{
  TestElement t;
  gchar *warning;
  guint i;

  test_element_init (&t, CAPS, "interval", "0", "grid", "64x64", "bins",
      "65536", "channels", "luma+red", NULL);
  for (i = 0; i < 3; i++)
    test_element_push (&t, test_gray_buffer (8, 4, 1, i * GST_SECOND));
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
  test_element_clear (&t);
}

GST_END_TEST;

/* A region outside the picture causes one warning, and frames count as
 * skipped. */
GST_START_TEST (test_region_outside)
{
  TestElement t;

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
  test_element_clear (&t);
}

GST_END_TEST;

/* Each takes effect on the next frame. */
GST_START_TEST (test_change_while_playing)
{
  TestElement t;
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
  test_element_clear (&t);
}

GST_END_TEST;

static gpointer
change_properties (gpointer data)
{
  static const gchar *const grids[] = { "1x1", "7x3", "64x1" };
  static const gchar *const rois[] = { "", "1,1,2,2", "100,100,1,1" };
  TestElement *t = data;
  GstVideoHistogram *histogram;
  guint i;

  for (i = 0; gst_harness_buffers_received (t->h) < N_FRAMES; i++) {
    g_object_set (t->element, "grid", grids[i % 3], "roi", rois[i % 3],
        "bins", i % 300, "channels", i % 15 + 1, "attach-meta", i % 3,
        "message-counts", i % 2, "post-messages", i % 5 > 0, "joint", i % 4,
        "joint-bins", i % 256 + 1, NULL);
    g_object_get (t->element, "last-histogram", &histogram, NULL);
    gst_clear_video_histogram (&histogram);
  }
  return NULL;
}

/* From another thread, as fast as possible. */
GST_START_TEST (test_change_from_a_thread)
{
  TestElement t;
  GThread *thread;
  guint i;

  test_element_init (&t, CAPS, "interval", "0", NULL);
  gst_bus_set_flushing (t.bus, TRUE);
  thread = g_thread_new ("change", change_properties, &t);
  for (i = 0; i < N_FRAMES; i++)
    test_element_push (&t, test_gray_buffer (8, 4, 1, i * GST_MSECOND));
  g_thread_join (thread);
  fail_unless_equals_uint64 (test_element_get_count (&t, "processed") +
      test_element_get_count (&t, "skipped"), N_FRAMES);
  test_element_clear (&t);
}

GST_END_TEST;

TEST_SUITE (properties, setup, teardown)
{
  tcase_add_test (tc, test_types_and_defaults);
  tcase_add_test (tc, test_no_others);
  tcase_add_test (tc, test_when_they_change);
  tcase_add_test (tc, test_nicks);
  tcase_add_test (tc, test_allowed_values);
  tcase_add_test (tc, test_malformed_strings);
  tcase_add_test (tc, test_short_interval);
  tcase_add_test (tc, test_no_string);
  tcase_add_test (tc, test_out_of_range);
  tcase_add_test (tc, test_read_only_ones);
  tcase_add_test (tc, test_too_much);
  tcase_add_test (tc, test_region_outside);
  tcase_add_test (tc, test_change_while_playing);
  tcase_add_test (tc, test_change_from_a_thread);
}
