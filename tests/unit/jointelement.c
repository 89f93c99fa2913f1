/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Joint histograms of the element: what its messages say about them, and what
 * happens to frames without one. */
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

#include "common/close.h"
#include "common/element.h"
#include "common/suite.h"

#define CAPS TEST_GRAY_CAPS (8, 4)

static const gchar *const fields[] = {
  "joint", "joint-bins", "joint-mutual-information",
  "joint-normalized-mutual-information", "joint-correlation-ratio",
};

static TestElement t;

static void
teardown (void)
{
  test_element_clear (&t);
}

/* Fails where @message, which it takes, says something of a joint
 * histogram. */
static void
check_none (GstMessage * message)
{
  guint i;

  fail_unless (message != NULL);
  for (i = 0; i < G_N_ELEMENTS (fields); i++) {
    fail_if (gst_structure_has_field (gst_message_get_structure (message),
            fields[i]), "%s", fields[i]);
  }
  gst_message_unref (message);
}

/* Takes @message. */
static void
check_joint (GstMessage * message, const gchar * joint, guint bins,
    gdouble mutual, gdouble normalized, gdouble ratio)
{
  const GstStructure *s;
  const gchar *found;
  guint found_bins;
  gdouble numbers[3];

  fail_unless (message != NULL);
  s = gst_message_get_structure (message);
  found = gst_structure_get_string (s, "joint");
  fail_unless_equals_string (found, joint);
  fail_unless (gst_structure_get (s, "joint-bins", G_TYPE_UINT, &found_bins,
          "joint-mutual-information", G_TYPE_DOUBLE, &numbers[0],
          "joint-normalized-mutual-information", G_TYPE_DOUBLE, &numbers[1],
          "joint-correlation-ratio", G_TYPE_DOUBLE, &numbers[2], NULL));
  fail_unless_equals_int (found_bins, bins);
  fail_unless_close (numbers[0], mutual);
  fail_unless_close (numbers[1], normalized);
  fail_unless_close (numbers[2], ratio);
  gst_message_unref (message);
}

/* 8x4 pixels: columns from @first on are 255, those before 0. */
static GstBuffer *
make_frame (guint n, guint first)
{
  GstBuffer *buffer = test_gray_buffer (8, 4, 0, n * GST_SECOND);
  guint y;

  for (y = 0; y < 4; y++)
    gst_buffer_memset (buffer, y * 8 + first, 255, 8 - first);
  return buffer;
}

/* The warning on the bus, which has to name @part; none where that is NULL. */
static void
check_warning (GstBus * bus, const gchar * part)
{
  gchar *text = test_bus_pop_warning (bus);

  fail_unless (!text == !part);
  if (!part)
    return;
  fail_unless (strstr (text, part) != NULL, "%s", text);
  fail_unless (g_str_has_prefix (text, "No joint histograms"));
  g_free (text);
}

GST_START_TEST (test_previous)
{
  GstVideoHistogram *histogram;
  GstBuffer *in, *out;

  test_element_init (&t, CAPS, "interval", "0", "joint", "previous",
      "joint-bins", "16", NULL);
  test_element_push (&t, make_frame (0, 4));
  check_none (test_element_pop_result (&t));

  /* The same, the other way round, and what tells nothing. */
  test_element_push (&t, make_frame (1, 4));
  check_joint (test_element_pop_result (&t), "previous", 16, 1, 2, 1);
  in = make_frame (2, 0);
  out = test_element_pass (&t, in);
  fail_unless (out == in);
  gst_buffer_unref (out);
  check_joint (test_element_pop_result (&t), "previous", 16, 0, 1, 1);
  test_element_push (&t, make_frame (3, 4));
  check_joint (test_element_pop_result (&t), "previous", 16, 0, 1, 0);

  /* Of 8 columns 4, 2 and 2 are 0 to 0, 0 to 255, 255 to 255: means of b are
   * 0.5 and 1 around 0.75 with a variance of 0.1875. */
  test_element_push (&t, make_frame (4, 2));
  check_joint (test_element_pop_result (&t), "previous", 16,
      1 + 0.811278124459133 - 1.5, 1.811278124459133 / 1.5, 0.0625 / 0.1875);

  g_object_get (t.element, "last-histogram", &histogram, NULL);
  fail_unless_equals_int (gst_video_joint_histogram_get_counts
      (gst_video_histogram_get_joint (histogram), NULL)[15], 8);
  gst_video_histogram_unref (histogram);

  g_object_set (t.element, "message-statistics", FALSE, NULL);
  test_element_push (&t, make_frame (5, 2));
  check_none (test_element_pop_result (&t));
  g_object_set (t.element, "message-statistics", TRUE, "joint",
      GST_VIDEO_HISTOGRAM_JOINT_NONE, NULL);
  test_element_push (&t, make_frame (6, 2));
  check_none (test_element_pop_result (&t));
  check_warning (t.bus, NULL);
}

GST_END_TEST;

/* Against the last frame that was analysed, not the last that passed. */
GST_START_TEST (test_interval)
{
  test_element_init (&t, CAPS, "interval", "2000000000", "joint", "previous",
      NULL);
  test_element_push (&t, make_frame (0, 4));
  check_none (test_element_pop_result (&t));
  test_element_push (&t, make_frame (1, 0));
  fail_unless (test_element_pop_result (&t) == NULL);
  test_element_push (&t, make_frame (2, 4));
  check_joint (test_element_pop_result (&t), "previous", 64, 1, 2, 1);
}

GST_END_TEST;

GST_START_TEST (test_chroma)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 4 * 4 * 3, NULL);

  test_element_init (&t, "video/x-raw,format=Y444,width=4,height=4,"
      "framerate=25/1", "interval", "0", "joint", "chroma", NULL);
  gst_buffer_memset (buffer, 0, 100, 48);
  gst_buffer_memset (buffer, 16, 200, 8);
  gst_buffer_memset (buffer, 32, 200, 4);
  gst_buffer_memset (buffer, 40, 200, 4);
  test_element_push (&t, buffer);
  check_joint (test_element_pop_result (&t), "chroma", 64, 0, 1, 0);
  check_warning (t.bus, NULL);
}

GST_END_TEST;

/* The rest is counted, and the warning comes once for what is wrong. */
GST_START_TEST (test_no_chroma)
{
  guint i;

  test_element_init (&t, CAPS, "interval", "0", "joint", "chroma", NULL);
  for (i = 0; i < 3; i++) {
    test_element_push (&t, make_frame (i, 4));
    check_none (test_element_pop_result (&t));
    check_warning (t.bus, i == 0 ? "GRAY8" : NULL);
  }
}

GST_END_TEST;

/* The meta carries it too. */
GST_START_TEST (test_meta)
{
  GstVideoJointHistogram *joint;
  GstBuffer *out;

  test_element_init (&t, CAPS, "attach-meta", "always", "post-messages",
      "false", "joint", "previous", NULL);
  test_element_push (&t, make_frame (0, 4));
  out = test_element_pass (&t, make_frame (1, 4));
  joint = gst_video_histogram_get_joint (gst_buffer_get_video_histogram_meta
      (out)->histogram);
  fail_unless_equals_int (gst_video_joint_histogram_get_pixels (joint), 32);
  gst_buffer_unref (out);
}

GST_END_TEST;

/* Two streams in one pipeline, one of them in a bin of its own. */
typedef struct
{
  GstElement *pipeline;
  GstElement *elements[2];
  GstHarness *h[2];
  GstBus *bus;
} Streams;

static void
streams_init (Streams * s, guint inner_one, const gchar * caps_of_a,
    const gchar * joint_with)
{
  static const gchar *const names[] = { "a", "b" };
  GstElement *inner = gst_bin_new (NULL);
  guint i;

  s->pipeline = gst_pipeline_new (NULL);
  s->bus = gst_element_get_bus (s->pipeline);
  gst_bin_add (GST_BIN (s->pipeline), inner);
  for (i = 0; i < 2; i++) {
    s->elements[i] = gst_element_factory_make ("videohistogram", names[i]);
    g_object_set (s->elements[i], "interval", G_GUINT64_CONSTANT (0), NULL);
    gst_bin_add (GST_BIN (i == inner_one ? inner : s->pipeline),
        s->elements[i]);
  }
  g_object_set (s->elements[1], "joint-with", joint_with, NULL);
  for (i = 0; i < 2; i++) {
    s->h[i] = gst_harness_new_with_element (s->elements[i], "sink", "src");
    gst_harness_set_src_caps_str (s->h[i], i == 0 ? caps_of_a : CAPS);
  }
}

static void
streams_clear (Streams * s)
{
  gst_harness_teardown (s->h[0]);
  gst_harness_teardown (s->h[1]);
  gst_object_unref (s->bus);
  gst_element_set_state (s->pipeline, GST_STATE_NULL);
  gst_object_unref (s->pipeline);
}

/* Feeds @frame to stream @i; returns what its element says. */
static GstMessage *
feed (Streams * s, guint i, GstBuffer * frame)
{
  GstMessage *message;

  fail_unless_equals_int (gst_harness_push (s->h[i], frame), GST_FLOW_OK);
  message = gst_bus_pop_filtered (s->bus, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL);
  fail_unless (GST_MESSAGE_SRC (message) == GST_OBJECT (s->elements[i]));
  return message;
}

GST_START_TEST (test_other)
{
  Streams s;

  streams_init (&s, __i__, CAPS, "a");
  check_none (feed (&s, 1, make_frame (0, 4)));
  check_none (feed (&s, 0, make_frame (0, 4)));
  check_joint (feed (&s, 1, make_frame (1, 4)), "other", 64, 1, 2, 1);
  check_joint (feed (&s, 1, make_frame (2, 0)), "other", 64, 0, 1, 1);
  check_none (feed (&s, 0, make_frame (1, 0)));
  check_joint (feed (&s, 1, make_frame (3, 4)), "other", 64, 0, 1, 0);

  /* The other stream may end, and this one continue. */
  gst_harness_push_event (s.h[0], gst_event_new_eos ());
  check_joint (feed (&s, 1, make_frame (3, 0)), "other", 64, 0, 2, 1);
  gst_element_set_state (s.elements[0], GST_STATE_NULL);
  check_none (feed (&s, 1, make_frame (4, 4)));

  g_object_set (s.elements[1], "joint-with", "", NULL);
  check_none (feed (&s, 1, make_frame (5, 4)));
  g_object_set (s.elements[1], "joint", GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS,
      NULL);
  check_none (feed (&s, 1, make_frame (6, 4)));
  check_joint (feed (&s, 1, make_frame (7, 4)), "previous", 64, 1, 2, 1);
  check_warning (s.bus, NULL);
  streams_clear (&s);
}

GST_END_TEST;

/* Two sizes; and after one warning nothing more is said. */
GST_START_TEST (test_other_that_differs)
{
  Streams s;
  guint i;

  streams_init (&s, 0, TEST_GRAY_CAPS (16, 2), "a");
  check_none (feed (&s, 0, make_frame (0, 4)));
  for (i = 0; i < 3; i++) {
    check_none (feed (&s, 1, make_frame (i, 4)));
    check_warning (s.bus, i == 0 ? "16x2" : NULL);
  }
  streams_clear (&s);
}

GST_END_TEST;

/* joint=other alone does not say with what. */
GST_START_TEST (test_no_name)
{
  Streams s;

  streams_init (&s, 0, CAPS, "");
  g_object_set (s.elements[1], "joint", GST_VIDEO_HISTOGRAM_JOINT_OTHER, NULL);
  check_none (feed (&s, 1, make_frame (0, 4)));
  check_warning (s.bus, "joint=other needs the name");
  streams_clear (&s);
}

GST_END_TEST;

/* What has no such name, is no videohistogram, or is the element itself; and
 * then the right one, while it plays. */
GST_START_TEST (test_no_other)
{
  static const gchar *const names[] = { "nobody", "bin0", "b" };
  gchar *text = g_strdup_printf ("joint-with=%s does not name", names[__i__]);
  Streams s;

  streams_init (&s, 0, CAPS, names[__i__]);
  check_none (feed (&s, 0, make_frame (0, 4)));
  check_none (feed (&s, 1, make_frame (0, 4)));
  check_warning (s.bus, text);
  g_object_set (s.elements[1], "joint-with", "a", NULL);
  /* From now on a keeps its frames. */
  check_none (feed (&s, 1, make_frame (1, 4)));
  check_none (feed (&s, 0, make_frame (1, 4)));
  check_joint (feed (&s, 1, make_frame (2, 4)), "other", 64, 1, 2, 1);
  streams_clear (&s);
  g_free (text);
}

GST_END_TEST;

/* Naming another stream requests it, and naming none requests nothing. */
GST_START_TEST (test_joint_with)
{
  static const struct
  {
    const gchar *name, *value, *joint;
  } steps[] = {
    {"joint-with", "a", "other"}, {"joint-with", "", "none"},
    {"joint", "previous", "previous"}, {"joint-with", "", "previous"},
    {"joint-with", "b", "other"}, {"joint", "chroma", "chroma"},
  };
  GEnumClass *enums = g_type_class_ref (GST_TYPE_VIDEO_HISTOGRAM_JOINT);
  GstElement *element = gst_element_factory_make ("videohistogram", NULL);
  gint joint;
  guint i;

  gst_object_ref_sink (element);
  for (i = 0; i < G_N_ELEMENTS (steps); i++) {
    gst_util_set_object_arg (G_OBJECT (element), steps[i].name, steps[i].value);
    g_object_get (element, "joint", &joint, NULL);
    fail_unless_equals_string (g_enum_get_value (enums, joint)->value_nick,
        steps[i].joint);
  }
  g_type_class_unref (enums);
  gst_object_unref (element);
}

GST_END_TEST;

TEST_SUITE (jointelement, NULL, teardown)
{
  tcase_add_test (tc, test_previous);
  tcase_add_test (tc, test_interval);
  tcase_add_test (tc, test_chroma);
  tcase_add_test (tc, test_no_chroma);
  tcase_add_test (tc, test_meta);
  tcase_add_loop_test (tc, test_other, 0, 2);
  tcase_add_test (tc, test_other_that_differs);
  tcase_add_test (tc, test_no_name);
  tcase_add_loop_test (tc, test_no_other, 0, 3);
  tcase_add_test (tc, test_joint_with);
}
