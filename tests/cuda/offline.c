/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Offline, every frame is analysed, in order, however slow the GPU is; live
 * video is not delayed. */
#include <string.h>

#include "common/env.h"
#include "common/suite.h"
#include "gpu.h"

#define N_FRAMES 150
#define FRAME_TIME (GST_SECOND / 250)

/* As fast as frames are accepted, like a decoder. */
#define CAPS "video/x-raw,format=NV12,width=160,height=120,framerate=250/1"
#define SOURCE "videotestsrc num-buffers=150 is-live=%s ! " CAPS " ! %s "
#define OURS "! videohistogram name=v backend=cuda interval=0 %s " \
    "message-counts=false ! fakesink sync=false"
#define MANY "channels=luma+red+green+blue grid=7x3 bins=100"

typedef struct
{
  guint n, n_wrong;             /* messages, and those out of order */
  guint64 processed, dropped, skipped;
} Outcome;

static void
setup (void)
{
  test_set_delay (1500);
}

static void
teardown (void)
{
  if (test_double ())
    test_double ()->reset ();
}

static void
note_result (Outcome * outcome, GstMessage * message)
{
  guint64 timestamp;

  if (!gst_message_has_name (message, "videohistogram"))
    return;
  fail_unless (gst_structure_get_uint64 (gst_message_get_structure (message),
          "timestamp", &timestamp));
  outcome->n_wrong += timestamp != outcome->n * FRAME_TIME;
  outcome->n++;
}

static Outcome
run (const gchar * live, const gchar * between, const gchar * options)
{
  gchar *launch = g_strdup_printf (SOURCE OURS, live, between, options);
  GstElement *pipeline = gst_parse_launch (launch, NULL);
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), "v");
  GstBus *bus = gst_element_get_bus (pipeline);
  gboolean ended = FALSE;
  Outcome outcome = { 0, };
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!ended) {
    message = gst_bus_timed_pop_filtered (bus, TEST_MAX_WAIT * GST_SECOND,
        GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_ELEMENT);
    fail_unless (message != NULL, "no end: %s", launch);
    fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR, "%s", launch);
    ended = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    if (!ended)
      note_result (&outcome, message);
    gst_message_unref (message);
  }
  g_object_get (element, "processed", &outcome.processed, "dropped",
      &outcome.dropped, "skipped", &outcome.skipped, NULL);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  g_free (launch);
  return outcome;
}

static const gchar *const memories[] = {
  "identity", "cudaupload ! video/x-raw(" TEST_CUDA ")",
};

static void
check_all (const Outcome * outcome)
{
  fail_unless_equals_int (outcome->n, N_FRAMES);
  fail_unless_equals_int (outcome->n_wrong, 0);
  fail_unless_equals_uint64 (outcome->processed, N_FRAMES);
  fail_unless_equals_uint64 (outcome->dropped, 0);
  fail_unless_equals_uint64 (outcome->skipped, 0);
}

GST_START_TEST (test_every_frame)
{
  static const gchar *const options[] = { "", MANY, "overload=wait" };
  Outcome outcome = run ("false", memories[__i__ % 2], options[__i__ / 2]);

  check_all (&outcome);
}

GST_END_TEST;

/* A live source is not delayed; an offline one, if that is requested. */
GST_START_TEST (test_drop)
{
  const gboolean live = __i__ < 2;
  Outcome outcome;

  if (test_leave_out ("a GPU that is slow"))
    return;
  /* Longer than a frame's duration, so that slots run out. */
  test_set_delay (20000);
  outcome = run (live ? "true" : "false", memories[__i__ % 2], live ? "" :
      "overload=drop");
  fail_unless (outcome.dropped > 0);
  fail_unless_equals_uint64 (outcome.processed + outcome.dropped, N_FRAMES);
  fail_unless_equals_int (outcome.n, outcome.processed);
}

GST_END_TEST;

/* The harness is live, and QoS says that all frames are late. */
GST_START_TEST (test_late)
{
  const gboolean wait = __i__ > 0;
  TestElement t;
  guint i;

  test_element_init (&t, TEST_GRAY_CAPS (8, 4), "interval", "0", "backend",
      "cpu", "overload", wait ? "wait" : "auto", NULL);
  for (i = 0; i < 20; i++) {
    test_element_push (&t, test_gray_buffer (8, 4, 1, i * FRAME_TIME));
    gst_harness_push_upstream_event (t.h, gst_event_new_qos
        (GST_QOS_TYPE_UNDERFLOW, 1000, GST_SECOND, i * FRAME_TIME));
  }
  fail_unless_equals_uint64 (test_element_get_count (&t, "dropped"),
      wait ? 0 : 19);
  test_element_clear (&t);
}

GST_END_TEST;

/* Waiting for a hanging GPU is limited. */
GST_START_TEST (test_hangs)
{
  GstElement *pipeline, *element;
  gint64 begin;
  GstBus *bus;

  if (test_leave_out ("a GPU that hangs"))
    return;
  pipeline = gst_parse_launch ("videotestsrc num-buffers=20 ! " CAPS
      " ! videohistogram name=v backend=cuda interval=0 overload=wait ! "
      "fakesink", NULL);
  element = gst_bin_get_by_name (GST_BIN (pipeline), "v");
  bus = gst_element_get_bus (pipeline);
  test_double ()->hang_kernels (TRUE);
  begin = g_get_monotonic_time ();
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_message_unref (gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
          GST_MESSAGE_EOS));
  fail_unless (g_get_monotonic_time () - begin < 10 * G_TIME_SPAN_SECOND);
  test_double ()->hang_kernels (FALSE);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}

GST_END_TEST;

/* Nothing is held in READY. */
GST_START_TEST (test_ready)
{
  GstBufferPoolAcquireParams params = {
    .flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT,
  };
  TestUploader uploader;
  TestRandom random = test_random_new (1);
  GstBuffer *buffer[2], *sample;
  GstBufferPool *pool;
  TestFrame frame;
  TestElement t;
  guint i;

  test_uploader_init (&uploader, -1);
  test_frame_init_plain (&frame, &random, GST_VIDEO_FORMAT_NV12, 64, 48, NULL);
  sample = test_upload (&uploader, frame.buffer, frame.caps);
  pool = test_cuda_pool_new (test_context_of (sample), frame.caps, 2,
      FALSE);
  test_element_init (&t, NULL, "interval", "0", NULL);
  gst_harness_set_src_caps (t.h, test_cuda_caps (frame.caps));
  test_set_delay (30000);
  for (i = 0; i < 2; i++) {
    fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer[i],
            &params), GST_FLOW_OK);
    test_fill (buffer[i], &frame);
    test_element_push (&t, buffer[i]);
  }
  gst_element_set_state (t.element, GST_STATE_READY);
  for (i = 0; i < 2; i++) {
    fail_unless (gst_buffer_pool_acquire_buffer (pool, &buffer[i], &params) ==
        GST_FLOW_OK, "buffer %u is held", i);
  }
  gst_buffer_unref (buffer[0]);
  gst_buffer_unref (buffer[1]);
  test_element_clear (&t);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  gst_buffer_unref (sample);
  test_frame_clear (&frame);
  test_uploader_clear (&uploader);
}

GST_END_TEST;

TEST_SUITE (offline, setup, teardown)
{
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_every_frame, 0, 6);
  tcase_add_loop_test (tc, test_drop, 0, 4);
  tcase_add_loop_test (tc, test_late, 0, 2);
  tcase_add_test (tc, test_hangs);
  tcase_add_test (tc, test_ready);
}
