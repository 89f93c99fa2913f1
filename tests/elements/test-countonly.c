/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs the element of countonly.c in pipelines: the base class keeps all of its
 * promises for an element that adds nothing. */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#define CAPS "video/x-raw,format=GRAY8,width=8,height=4,framerate=25/1"

GST_ELEMENT_REGISTER_DECLARE (countonly);

static void
setup (void)
{
  fail_unless (GST_ELEMENT_REGISTER (countonly, NULL));
}

GST_START_TEST (test_pipeline)
{
  GstElement *pipeline = gst_parse_launch ("videotestsrc num-buffers=25 ! "
      "countonly name=c ! fakesink", NULL);
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), "c");
  GstMessage *message;
  guint64 frames;
  gdouble mean;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (GST_ELEMENT_BUS (pipeline),
      60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  gst_message_unref (message);
  g_object_get (element, "processed", &frames, "mean", &mean, NULL);
  fail_unless_equals_uint64 (frames, 25);
  fail_unless (mean > 0.1 && mean < 0.9);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (element);
  gst_object_unref (pipeline);
}

GST_END_TEST;

/* Frames pass with their memory and metas, even if something else holds them;
 * writing to other memories is refused. */
GST_START_TEST (test_base)
{
  GstHarness *h = gst_harness_new ("countonly");
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 32, NULL), *out;
  GstCaps *caps = gst_caps_from_string
      ("video/x-raw(memory:DMABuf),format=GRAY8,width=8,height=4");
  gint device;

  gst_buffer_memset (buffer, 0, 0x40, -1);
  gst_harness_set_src_caps_str (h, CAPS);
  gst_harness_push_upstream_event (h, gst_event_new_qos
      (GST_QOS_TYPE_UNDERFLOW, 1000, GST_SECOND, GST_CLOCK_TIME_NONE));
  gst_buffer_ref (buffer);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  out = gst_harness_pull (h);
  fail_unless (gst_buffer_peek_memory (out, 0) ==
      gst_buffer_peek_memory (buffer, 0));
  gst_buffer_unref (out);
  gst_buffer_unref (buffer);
  g_object_get (h->element, "cuda-device-id", &device, NULL);
  fail_unless_equals_int (device, -1);
  fail_if (gst_pad_query_accept_caps (h->element->sinkpads->data, caps));
  gst_caps_unref (caps);
  gst_harness_teardown (h);
}

GST_END_TEST;

static Suite *
countonly_suite (void)
{
  Suite *s = suite_create ("countonly");
  TCase *tc = tcase_create ("countonly");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, test_pipeline);
  tcase_add_test (tc, test_base);
  return s;
}

GST_CHECK_MAIN (countonly);
