/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element's joint histograms: what its messages contain, and what happens
 * to frames without one. */
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

#include "common/close.h"
#include "common/element.h"
#include "common/env.h"
#include "common/suite.h"

#define CAPS TEST_GRAY_CAPS (8, 4)

static const gchar *const fields[] = {
  "joint", "joint-bins", "joint-mutual-information",
  "joint-normalized-mutual-information", "joint-correlation-ratio",
  "joint-running-time",
};

static TestElement t;

static void
teardown (void)
{
  test_element_clear (&t);
}

/* Checks that @message, which it takes, has no fields of a joint histogram. */
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

/* 8x4 pixels: columns from @first on are 255, those before are 0. */
static GstBuffer *
make_frame (guint n, guint first)
{
  GstBuffer *buffer = test_gray_buffer (8, 4, 0, n * GST_SECOND);
  guint y;

  for (y = 0; y < 4; y++)
    gst_buffer_memset (buffer, y * 8 + first, 255, 8 - first);
  return buffer;
}

/* Checks that the bus has a warning that contains @part, or none if NULL. */
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

  /* The same frame, its inverse, and one without information. */
  test_element_push (&t, make_frame (1, 4));
  check_joint (test_element_pop_result (&t), "previous", 16, 1, 2, 1);
  in = make_frame (2, 0);
  out = test_element_pass (&t, in);
  fail_unless (out == in);
  gst_buffer_unref (out);
  check_joint (test_element_pop_result (&t), "previous", 16, 0, 1, 1);
  test_element_push (&t, make_frame (3, 4));
  check_joint (test_element_pop_result (&t), "previous", 16, 0, 1, 0);

  /* Of 8 columns, 4, 2 and 2 go from 0 to 0, 0 to 255, 255 to 255: means of b
   * are 0.5 and 1 around 0.75 with a variance of 0.1875. */
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

/* Compared with the last analysed frame, not with the last that passed. */
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

/* The rest is counted, with one warning about what is missing. */
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

/* The meta has it, too. */
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
  GQueue messages[2];           /* of each stream, not asked for yet */
  GQueue warnings;              /* of both streams */
} Streams;

static void
streams_init (Streams * s, guint inner_one, const gchar * caps_of_a,
    const gchar * joint_with)
{
  static const gchar *const names[] = { "a", "b" };
  GstElement *inner = gst_bin_new (NULL);
  guint i;

  g_queue_init (&s->messages[0]);
  g_queue_init (&s->messages[1]);
  g_queue_init (&s->warnings);
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
  g_queue_clear_full (&s->messages[0], (GDestroyNotify) gst_message_unref);
  g_queue_clear_full (&s->messages[1], (GDestroyNotify) gst_message_unref);
  g_queue_clear_full (&s->warnings, (GDestroyNotify) gst_message_unref);
  gst_object_unref (s->bus);
  gst_element_set_state (s->pipeline, GST_STATE_NULL);
  gst_object_unref (s->pipeline);
}

static void
push (Streams * s, guint i, GstBuffer * frame)
{
  fail_unless_equals_int (gst_harness_push (s->h[i], frame), GST_FLOW_OK);
}

/* Returns the next message of stream @i, for the frame at @n seconds. Either
 * element may post first. */
static GstMessage *
await (Streams * s, guint i, guint n)
{
  GstMessage *message;
  guint64 time;

  while (!(message = g_queue_pop_head (&s->messages[i]))) {
    message = gst_bus_timed_pop_filtered (s->bus, TEST_MAX_WAIT * GST_SECOND,
        GST_MESSAGE_ELEMENT | GST_MESSAGE_WARNING);
    fail_unless (message != NULL);
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
      g_queue_push_tail (&s->warnings, message);
      continue;
    }
    g_queue_push_tail (&s->messages[GST_MESSAGE_SRC (message) ==
            GST_OBJECT (s->elements[1])], message);
  }
  fail_unless (gst_structure_get_uint64 (gst_message_get_structure (message),
          "running-time", &time));
  fail_unless_equals_uint64 (time, n * GST_SECOND);
  return message;
}

/* Pushes @frame to stream @i, which has nothing to wait for; returns its
 * element's message. */
static GstMessage *
feed (Streams * s, guint i, GstBuffer * frame)
{
  const guint n = GST_BUFFER_PTS (frame) / GST_SECOND;

  push (s, i, frame);
  return await (s, i, n);
}

/* Like check_joint(), for equal or unequal frames; the other frame is that at
 * @n seconds. */
static void
check_pair (GstMessage * message, guint n, gboolean equal)
{
  const GstStructure *s = gst_message_get_structure (message);
  guint64 time = 0;

  fail_unless (gst_structure_get_uint64 (s, "joint-running-time", &time));
  fail_unless_equals_uint64 (time, n * GST_SECOND);
  check_joint (message, "other", 64, equal, equal ? 2 : 1, equal);
}

/* Either frame of a pair may come first. */
GST_START_TEST (test_other)
{
  Streams s;

  streams_init (&s, __i__, CAPS, "a");
  check_none (feed (&s, 0, make_frame (0, 4)));
  check_pair (feed (&s, 1, make_frame (0, 4)), 0, TRUE);
  check_none (feed (&s, 0, make_frame (1, 0)));
  check_none (feed (&s, 0, make_frame (2, 4)));
  push (&s, 1, make_frame (1, 4));
  check_joint (await (&s, 1, 1), "other", 64, 0, 1, 0);
  check_pair (feed (&s, 1, make_frame (2, 4)), 2, TRUE);

  /* The messages of b come in order once a has reached their times. */
  push (&s, 1, make_frame (3, 4));
  push (&s, 1, make_frame (4, 4));
  fail_unless (gst_bus_timed_pop_filtered (s.bus, 50 * GST_MSECOND,
          GST_MESSAGE_ELEMENT) == NULL);
  check_none (feed (&s, 0, make_frame (3, 4)));
  check_pair (await (&s, 1, 3), 3, TRUE);
  check_none (feed (&s, 0, make_frame (4, 4)));
  check_pair (await (&s, 1, 4), 4, TRUE);
  check_warning (s.bus, NULL);
  streams_clear (&s);
}

GST_END_TEST;

/* The two sides are not swapped, whichever comes first: a varies where b does
 * not. */
GST_START_TEST (test_sides)
{
  guint n;
  Streams s;

  streams_init (&s, 0, CAPS, "a");
  for (n = 0; n < 4; n++) {
    const GstStructure *structure;
    GstMessage *message;
    gdouble ratio;

    /* In b columns 0 and 1 are not 0, in a columns 0 to 3: knowing a says less
     * about b than knowing b says about a. */
    if (n % 2)
      check_none (feed (&s, 0, make_frame (n, 4)));
    push (&s, 1, make_frame (n, 6));
    if (n % 2 == 0)
      check_none (feed (&s, 0, make_frame (n, 4)));
    message = await (&s, 1, n);
    structure = gst_message_get_structure (message);
    fail_unless (gst_structure_get_double (structure, "joint-correlation-ratio",
            &ratio));
    /* Of b given a: means 0 and 0.5 around 0.25, with a variance of 3/16. */
    fail_unless_close (ratio, 0.0625 / 0.1875);
    gst_message_unref (message);
  }
  streams_clear (&s);
}

GST_END_TEST;

/* Frames missing on either side leave those of the other side without a
 * partner, and all others are paired. */
GST_START_TEST (test_other_drops)
{
  Streams s;
  guint n;

  streams_init (&s, 0, CAPS, "a");
  for (n = 0; n < 12; n++) {
    const gboolean in_a = n % 3 != 1, in_b = n % 4 != 2;

    if (in_b)
      push (&s, 1, make_frame (n, 4));
    if (in_a)
      push (&s, 0, make_frame (n, n % 2 ? 4 : 0));
  }
  gst_harness_push_event (s.h[0], gst_event_new_eos ());
  for (n = 0; n < 24; n++) {
    GstMessage *message = gst_bus_timed_pop_filtered (s.bus, GST_SECOND,
        GST_MESSAGE_ELEMENT);
    const GstStructure *structure;
    guint64 time, other;
    gboolean paired;

    if (!message)
      break;
    structure = gst_message_get_structure (message);
    gst_structure_get_uint64 (structure, "running-time", &time);
    paired = gst_structure_get_uint64 (structure, "joint-running-time", &other);
    if (GST_MESSAGE_SRC (message) == GST_OBJECT (s.elements[1]))
      fail_unless_equals_int (paired, time / GST_SECOND % 3 != 1);
    fail_unless (!paired || other == time);
    gst_message_unref (message);
  }
  fail_unless_equals_int (n, 8 + 9);
  streams_clear (&s);
}

GST_END_TEST;

/* A stream that ends, flushes, stops or gets new caps does not keep the other
 * one waiting. */
GST_START_TEST (test_other_ends)
{
  Streams s;

  streams_init (&s, 0, CAPS, "a");
  check_none (feed (&s, 0, make_frame (0, 4)));
  check_pair (feed (&s, 1, make_frame (0, 4)), 0, TRUE);
  push (&s, 1, make_frame (1, 4));
  switch (__i__) {
    case 0:
      gst_harness_push_event (s.h[0], gst_event_new_eos ());
      break;
    case 1:
      gst_harness_push_event (s.h[0], gst_event_new_flush_start ());
      gst_harness_push_event (s.h[0], gst_event_new_flush_stop (TRUE));
      break;
    case 2:
      gst_element_set_state (s.elements[0], GST_STATE_NULL);
      break;
    case 3:
      gst_harness_set_src_caps_str (s.h[0], TEST_GRAY_CAPS (16, 2));
      break;
    default:
      /* Its next frame is later. */
      check_none (feed (&s, 0, make_frame (2, 4)));
      break;
  }
  check_none (await (&s, 1, 1));
  if (__i__ == 0)
    check_none (feed (&s, 1, make_frame (2, 4)));
  if (__i__ == 4)
    check_pair (feed (&s, 1, make_frame (2, 4)), 2, TRUE);
  check_warning (s.bus, NULL);
  streams_clear (&s);
}

GST_END_TEST;

/* The element waits two seconds for a stalled stream, then no longer. */
GST_START_TEST (test_other_stands_still)
{
  Streams s;
  gint64 start;

  streams_init (&s, 0, CAPS, "a");
  check_none (feed (&s, 0, make_frame (0, 4)));
  push (&s, 1, make_frame (1, 4));
  check_none (await (&s, 1, 1));
  start = g_get_monotonic_time ();
  check_none (feed (&s, 1, make_frame (2, 4)));
  fail_unless (g_get_monotonic_time () - start < G_USEC_PER_SEC);
  streams_clear (&s);
}

GST_END_TEST;

/* Two streams whose times never meet cause a warning. */
GST_START_TEST (test_other_of_other_times)
{
  GError *warning;
  Streams s;
  guint n;

  streams_init (&s, 0, CAPS, "a");
  for (n = 0; n < 24; n++) {
    if (n % 2)
      check_none (feed (&s, 0, make_frame (n, 4)));
    else
      push (&s, 1, make_frame (n, 4));
    if (n % 2)
      check_none (await (&s, 1, n - 1));
  }
  fail_unless_equals_int (s.warnings.length, 1);
  gst_message_parse_warning (g_queue_peek_head (&s.warnings), &warning, NULL);
  fail_unless (strstr (warning->message, "with the same running times")
      != NULL, "%s", warning->message);
  g_error_free (warning);
  streams_clear (&s);
}

GST_END_TEST;

/* Two sizes cause one warning. */
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

/* joint=other alone does not name the other stream. */
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

/* No element has this name, it is not a videohistogram, or it is the element
 * itself; then the right name is set while playing. */
GST_START_TEST (test_no_other)
{
  static const gchar *const names[] = { "nobody", "bin0", "b" };
  gchar *text = g_strdup_printf ("joint-with=%s is not the name", names[__i__]);
  Streams s;

  streams_init (&s, 0, CAPS, names[__i__]);
  check_none (feed (&s, 0, make_frame (0, 4)));
  check_none (feed (&s, 1, make_frame (0, 4)));
  check_warning (s.bus, text);
  g_object_set (s.elements[1], "joint-with", "a", NULL);
  /* From its next frame on, a keeps its frames. */
  push (&s, 1, make_frame (1, 4));
  check_none (feed (&s, 0, make_frame (1, 4)));
  check_pair (await (&s, 1, 1), 1, TRUE);
  streams_clear (&s);
  g_free (text);
}

GST_END_TEST;

/* The other element comes later: setting the same value again finds it. */
GST_START_TEST (test_set_again)
{
  Streams s;
  GstObject *inner;

  streams_init (&s, 0, CAPS, "nobody");
  inner = gst_object_get_parent (GST_OBJECT (s.elements[0]));
  gst_bin_remove (GST_BIN (s.pipeline), GST_ELEMENT (inner));
  g_object_set (s.elements[1], "joint-with", "a", NULL);
  check_none (feed (&s, 1, make_frame (0, 4)));
  check_warning (s.bus, "joint-with=a is not the name");
  gst_bin_add (GST_BIN (s.pipeline), GST_ELEMENT (inner));
  gst_object_unref (inner);
  if (__i__)
    g_object_set (s.elements[1], "joint-with", "a", NULL);
  else
    gst_util_set_object_arg (G_OBJECT (s.elements[1]), "joint", "other");
  push (&s, 1, make_frame (1, 4));
  check_none (feed (&s, 0, make_frame (1, 4)));
  check_pair (await (&s, 1, 1), 1, TRUE);
  streams_clear (&s);
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
  tcase_add_test (tc, test_sides);
  tcase_add_test (tc, test_other_drops);
  tcase_add_loop_test (tc, test_other_ends, 0, 5);
  tcase_add_test (tc, test_other_stands_still);
  tcase_add_test (tc, test_other_of_other_times);
  tcase_add_test (tc, test_other_that_differs);
  tcase_add_test (tc, test_no_name);
  tcase_add_loop_test (tc, test_no_other, 0, 3);
  tcase_add_loop_test (tc, test_set_again, 0, 2);
  tcase_add_test (tc, test_joint_with);
}
