/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What lies between key frames of a file is dropped before it is queued. */
#include "common/suite.h"
#include "monitor/keyframes.h"

#define GROUPS 60
#define PACKETS 10              /* of a group; the first is a key frame */

static guint marked;            /* one key frame of so many has a mark in the
                                 * file; a parser finds all */
static guint n_parsed;
static guint n_received;

static GstPadProbeReturn
parse (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info,
    G_GNUC_UNUSED gpointer data)
{
  GstBuffer *buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER
      (info));

  if (n_parsed++ % PACKETS == 0)
    GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
receive (G_GNUC_UNUSED GstPad * pad, G_GNUC_UNUSED GstPadProbeInfo * info,
    G_GNUC_UNUSED gpointer data)
{
  n_received++;
  return GST_PAD_PROBE_OK;
}

static void
push (GstElement * source, guint i)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 1, NULL);
  GstFlowReturn result;

  GST_BUFFER_PTS (buffer) = i * GST_SECOND / 10;
  if (i % (marked * PACKETS))
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  g_signal_emit_by_name (source, "push-buffer", buffer, &result);
  fail_unless_equals_int (result, GST_FLOW_OK);
  gst_buffer_unref (buffer);
}

/* How many packets of such a file come to the decoder. */
static guint
count (gboolean only)
{
  VhmKeyFrames key_frames = {.only = only };
  GstElement *pipeline = gst_parse_launch ("appsrc name=source format=time "
      "caps=video/x-test ! multiqueue name=queue ! identity name=decoder ! "
      "fakesink async=false", NULL);
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  GstElement *decoder = gst_bin_get_by_name (GST_BIN (pipeline), "decoder");
  GstPad *pad = gst_element_get_static_pad (decoder, "sink");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstFlowReturn result;
  GstMessage *message;
  guint i;

  n_parsed = n_received = 0;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, parse, NULL, NULL);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, receive, NULL, NULL);
  vhm_key_frames_watch (&key_frames, decoder);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (i = 0; i < GROUPS * PACKETS; i++)
    push (source, i);
  g_signal_emit_by_name (source, "end-of-stream", &result);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pad);
  gst_object_unref (decoder);
  gst_object_unref (source);
  gst_object_unref (pipeline);
  return n_received;
}

GST_START_TEST (test_marked)
{
  marked = 1;
  /* Of later groups, the key frame and the packet after it. */
  fail_unless (count (TRUE) < GROUPS * PACKETS / 2);
}

GST_END_TEST;

GST_START_TEST (test_all)
{
  marked = 1;
  fail_unless_equals_int (count (FALSE), GROUPS * PACKETS);
}

GST_END_TEST;

/* A file that knows of one key frame in three. */
GST_START_TEST (test_unmarked)
{
  marked = 3;
  fail_unless_equals_int (count (TRUE), GROUPS * PACKETS);
}

GST_END_TEST;

TEST_SUITE (keyqueue, NULL, NULL)
{
  tcase_add_test (tc, test_marked);
  tcase_add_test (tc, test_all);
  tcase_add_test (tc, test_unmarked);
}
