/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A display that cannot keep up costs analyses, never video. */

#include "common/element.h"
#include "common/suite.h"

#define FRAME_TIME (40 * GST_MSECOND)

static TestElement t;

static void
teardown (void)
{
  test_element_clear (&t);
}

/* Sends a QoS event: the frame of @timestamp was this late. */
static void
send_qos (TestElement * t, gdouble proportion, GstClockTimeDiff late,
    GstClockTime timestamp)
{
  gst_harness_push_upstream_event (t->h, gst_event_new_qos
      (GST_QOS_TYPE_UNDERFLOW, proportion, late, timestamp));
}

static void
push_frames (TestElement * t, guint first, guint n)
{
  guint i;

  for (i = first; i < first + n; i++)
    test_element_push (t, test_gray_buffer (8, 4, 1, i * FRAME_TIME));
}

/* The most extreme QoS values. */
static const struct
{
  gdouble proportion;
  GstClockTimeDiff late;
} worst[] = {
  {1000, G_MAXINT64}, {G_MAXDOUBLE, GST_SECOND * 3600}, {0, 100 * GST_SECOND},
};

/* Even if the sink is as late as entry @which above, the element analyses a
 * frame each second. */
static void
check_worst_case (guint which)
{
  push_frames (&t, 0, 1);
  send_qos (&t, worst[which].proportion, worst[which].late, 0);
  push_frames (&t, 1, 100);
  fail_unless_equals_int (gst_harness_buffers_received (t.h), 101);
  test_element_check_count (&t, "processed", 1 + 4);
  test_element_check_count (&t, "dropped", 96);
  test_element_check_count (&t, "skipped", 0);
  fail_unless_equals_int (test_element_count_messages (&t,
          GST_MESSAGE_QOS), 96);
}

GST_START_TEST (test_worst_case)
{
  test_element_init (&t, TEST_GRAY_CAPS (8, 4), "interval", "0", "attach-meta",
      __i__ % 2 ? "always" : "never", NULL);
  check_worst_case (__i__ / 2);
}

GST_END_TEST;

GST_START_TEST (test_worst_case_of_health)
{
  test_element_init_health (&t, TEST_GRAY_CAPS (8, 4), NULL, NULL);
  check_worst_case (__i__);
}

GST_END_TEST;

/* Visible output is not skipped: scopes are drawn on each frame. */
GST_START_TEST (test_worst_case_of_scope)
{
  test_element_init_scope (&t, TEST_GRAY_CAPS (8, 4), "layout",
      __i__ % 2 ? "beside" : "overlay", NULL);
  push_frames (&t, 0, 1);
  send_qos (&t, worst[__i__ / 2].proportion, worst[__i__ / 2].late, 0);
  push_frames (&t, 1, 100);
  fail_unless_equals_int (gst_harness_buffers_received (t.h), 101);
  test_element_check_count (&t, "drawn", 101);
  fail_unless_equals_int (test_element_count_messages (&t,
          GST_MESSAGE_QOS | GST_MESSAGE_WARNING), 0);
}

GST_END_TEST;

/* Downstream sends QoS after each frame, with the time of that frame, as sinks
 * do. */
GST_START_TEST (test_storm)
{
  guint i;

  test_element_init (&t, TEST_GRAY_CAPS (8, 4), "interval", "0", NULL);
  for (i = 0; i < 200; i++) {
    push_frames (&t, i, 1);
    send_qos (&t, 5.0, GST_SECOND / 2, i * FRAME_TIME);
  }
  fail_unless_equals_int (gst_harness_buffers_received (t.h), 200);
  fail_unless_equals_uint64 (test_element_get_count (&t, "processed") +
      test_element_get_count (&t, "dropped"), 200);
  test_element_check_count (&t, "processed", 8);
}

GST_END_TEST;

GST_START_TEST (test_recovers)
{
  test_element_init (&t, TEST_GRAY_CAPS (8, 4), "interval", "0", NULL);
  push_frames (&t, 0, 1);
  /* Late by one frame: results due within two frames are skipped. */
  send_qos (&t, 1.5, FRAME_TIME, 0);
  push_frames (&t, 1, 5);
  test_element_check_count (&t, "dropped", 1);
  test_element_check_count (&t, "processed", 5);

  send_qos (&t, 1000, G_MAXINT64, 5 * FRAME_TIME);
  push_frames (&t, 6, 2);
  test_element_check_count (&t, "dropped", 3);
  /* On time again. */
  send_qos (&t, 0.5, -10, 7 * FRAME_TIME);
  push_frames (&t, 8, 5);
  test_element_check_count (&t, "dropped", 3);
  test_element_check_count (&t, "processed", 10);

  /* A flush resets it, too. */
  send_qos (&t, 1000, G_MAXINT64, 12 * FRAME_TIME);
  test_element_flush (&t);
  push_frames (&t, 13, 1);
  test_element_check_count (&t, "dropped", 3);
}

GST_END_TEST;

/* Events without a time are ignored. */
GST_START_TEST (test_no_timestamp)
{
  test_element_init (&t, TEST_GRAY_CAPS (8, 4), "interval", "0", NULL);
  send_qos (&t, 1000, G_MAXINT64, GST_CLOCK_TIME_NONE);
  push_frames (&t, 0, 10);
  test_element_check_count (&t, "processed", 10);
}

GST_END_TEST;

GST_START_TEST (test_message)
{
  GstMessage *message;
  gboolean live;
  guint64 running_time, stream_time, timestamp, duration, processed, dropped;
  gint64 jitter;
  gdouble proportion;
  gint quality;
  GstFormat format;

  test_element_init (&t, TEST_GRAY_CAPS (8, 4), "interval", "0", NULL);
  push_frames (&t, 0, 1);
  send_qos (&t, 2.5, 700 * GST_MSECOND, 0);
  push_frames (&t, 1, 1);
  message = gst_bus_pop_filtered (t.bus, GST_MESSAGE_QOS);
  fail_unless (message != NULL);
  fail_unless (GST_MESSAGE_SRC (message) == GST_OBJECT (t.element));
  gst_message_parse_qos (message, &live, &running_time, &stream_time,
      &timestamp, &duration);
  fail_unless_equals_uint64 (running_time, FRAME_TIME);
  fail_unless_equals_uint64 (stream_time, FRAME_TIME);
  fail_unless_equals_uint64 (timestamp, FRAME_TIME);
  fail_unless_equals_uint64 (duration, FRAME_TIME);
  gst_message_parse_qos_values (message, &jitter, &proportion, &quality);
  fail_unless_equals_int64 (jitter, 700 * GST_MSECOND);
  fail_unless (proportion == 2.5);
  gst_message_parse_qos_stats (message, &format, &processed, &dropped);
  fail_unless_equals_int (format, GST_FORMAT_BUFFERS);
  fail_unless_equals_uint64 (processed, 1);
  fail_unless_equals_uint64 (dropped, 1);
  gst_message_unref (message);
}

GST_END_TEST;

/* The base class drops video if its own property says so. */
GST_START_TEST (test_qos_property)
{
  gboolean qos;

  test_element_init (&t, TEST_GRAY_CAPS (8, 4), "interval", "0", NULL);
  g_object_get (t.element, "qos", &qos, NULL);
  fail_if (qos);
  g_object_set (t.element, "qos", TRUE, NULL);
  push_frames (&t, 0, 1);
  send_qos (&t, 1000, 100 * GST_SECOND, 0);
  push_frames (&t, 1, 10);
  fail_unless_equals_int (gst_harness_buffers_received (t.h), 11);
}

GST_END_TEST;

TEST_SUITE (qos, NULL, teardown)
{
  tcase_add_loop_test (tc, test_worst_case, 0, 2 * G_N_ELEMENTS (worst));
  tcase_add_loop_test (tc, test_worst_case_of_health, 0,
      G_N_ELEMENTS (worst));
  tcase_add_loop_test (tc, test_worst_case_of_scope, 0,
      2 * G_N_ELEMENTS (worst));
  tcase_add_test (tc, test_storm);
  tcase_add_test (tc, test_recovers);
  tcase_add_test (tc, test_no_timestamp);
  tcase_add_test (tc, test_message);
  tcase_add_test (tc, test_qos_property);
}
