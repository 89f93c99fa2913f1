/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element with a device that counts when the test says so: the element
 * never waits for it while video flows, keeps the order, and gives up at the
 * end. The element is linked in, and the device replaces the CPU. */
#include <gst/videohistogram/videohistogram.h>

#include "common/element.h"
#include "common/env.h"
#include "common/fakedevice.h"
#include "common/pending.h"
#include "common/suite.h"
#include "../../gst/gstvideohistogramelement.h"

#define CAPS TEST_GRAY_CAPS (8, 4)
#define MAX_JOBS 64

static TestElement t;
static TestJob jobs[MAX_JOBS];
static guint n_jobs;

/* The code of the error of counting the next frame, or TEST_NO_ERROR. */
static gint submit_error;

static gboolean
fake_count (const VhRect * region, VhCounts * counts, GError ** error)
{
  static const VhPendingFuncs funcs = { test_job_poll, test_job_release };

  if (submit_error != TEST_NO_ERROR) {
    g_set_error (error, VH_ERROR, submit_error, "as wished");
    return FALSE;
  }
  fail_unless (n_jobs < MAX_JOBS);
  jobs[n_jobs].pixels = region->width * region->height;
  vh_counts_set_pending (counts, &funcs, &jobs[n_jobs++]);
  return TRUE;
}

const VhDeviceClass vh_cpu_device_class = { FAKE_DEVICE };

static void
setup (void)
{
  GST_ELEMENT_REGISTER (videohistogram, NULL);
  memset (jobs, 0, sizeof (jobs));
  n_jobs = 0;
  submit_error = TEST_NO_ERROR;
}

static void
teardown (void)
{
  test_element_clear (&t);
}

static void
finish (guint job, GstVideoHistogramState state)
{
  g_atomic_int_set (&jobs[job].result, state);
}

static void
complete (guint job)
{
  finish (job, GST_VIDEO_HISTOGRAM_STATE_COMPLETE);
}

static void
push_frame (void)
{
  const guint n = gst_harness_buffers_received (t.h);

  test_element_push (&t, test_gray_buffer (8, 4, 1, n * GST_SECOND));
}

static void
check_result (GstMessage * message, guint n)
{
  guint64 timestamp;

  fail_unless (message != NULL, "no result of frame %u", n);
  fail_unless (gst_structure_get_uint64 (gst_message_get_structure (message),
          "timestamp", &timestamp));
  fail_unless_equals_uint64 (timestamp, n * GST_SECOND);
  gst_message_unref (message);
}

/* Takes the message for the frame of second @n, and waits for it if
 * necessary. */
static void
expect_result (guint n)
{
  check_result (gst_bus_timed_pop_filtered (t.bus, TEST_MAX_WAIT * GST_SECOND,
          GST_MESSAGE_ELEMENT), n);
}

/* Takes the message for the frame of second @n, which must already be there. */
static void
expect_result_now (guint n)
{
  check_result (test_element_pop_result (&t), n);
}

static void
init (const gchar * attach_meta)
{
  test_element_init (&t, CAPS, "interval", "0", "backend", "cpu", "attach-meta",
      attach_meta, NULL);
}

/* Results come in the order of frames, whichever is complete first. */
GST_START_TEST (test_order)
{
  init ("never");
  push_frame ();
  push_frame ();
  push_frame ();
  complete (1);
  push_frame ();
  complete (0);
  expect_result (0);
  expect_result (1);
  test_element_check_count (&t, "processed", 2);
  fail_unless_equals_int (g_atomic_int_get (&jobs[2].releases), 0);
  test_element_clear (&t);
  fail_unless_equals_int (jobs[0].releases, 1);
  fail_unless_equals_int (jobs[1].releases, 1);
}

GST_END_TEST;

/* A result comes out without a later frame. */
GST_START_TEST (test_last_frame)
{
  init ("never");
  push_frame ();
  complete (0);
  expect_result (0);
  fail_unless_equals_int (n_jobs, 1);
}

GST_END_TEST;

GST_START_TEST (test_failed)
{
  init ("never");
  push_frame ();
  push_frame ();
  finish (0, GST_VIDEO_HISTOGRAM_STATE_FAILED);
  complete (1);
  expect_result (1);
  test_element_check_count (&t, "skipped", 1);
  test_element_check_count (&t, "processed", 1);
}

GST_END_TEST;

/* The meta leaves with its frame, and is read when it is complete. */
GST_START_TEST (test_meta)
{
  GstBuffer *buffer;
  GstVideoHistogram *histogram;

  init ("always");
  buffer = test_element_pass (&t, test_gray_buffer (8, 4, 1, 0));
  histogram = gst_video_histogram_ref (gst_buffer_get_video_histogram_meta
      (buffer)->histogram);
  gst_buffer_unref (buffer);
  fail_unless_equals_int (gst_video_histogram_get_state (histogram),
      GST_VIDEO_HISTOGRAM_STATE_PENDING);
  test_element_clear (&t);

  /* The element is gone, but its job is not. */
  fail_unless_equals_int (jobs[0].releases, 0);
  complete (0);
  fail_unless_equals_int (gst_video_histogram_get_counts (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, NULL)[3], 32);
  gst_video_histogram_unref (histogram);
  fail_unless_equals_int (jobs[0].releases, 1);
}

GST_END_TEST;

static gboolean
end_stream (guint how)
{
  if (how == 0)
    return gst_harness_push_event (t.h, gst_event_new_eos ());
  gst_harness_set_src_caps_str (t.h, TEST_GRAY_CAPS (16, 4));
  return TRUE;
}

/* At the end of the stream, and before new caps, complete results are
 * posted. */
GST_START_TEST (test_end_with_results)
{
  init ("never");
  push_frame ();
  push_frame ();
  complete (0);
  complete (1);
  fail_unless (end_stream (__i__));
  expect_result_now (0);
  expect_result_now (1);
}

GST_END_TEST;

static gpointer
complete_when_polled (G_GNUC_UNUSED gpointer data)
{
  while (g_atomic_int_get (&jobs[0].polls) < 3)
    g_thread_yield ();
  complete (0);
  return NULL;
}

/* The element waits for nearly complete results. */
GST_START_TEST (test_end_waits)
{
  GThread *thread;

  init ("never");
  push_frame ();
  thread = g_thread_new ("complete", complete_when_polled, NULL);
  fail_unless (end_stream (__i__));
  g_thread_join (thread);
  expect_result_now (0);
}

GST_END_TEST;

/* A result that never completes blocks nothing forever. */
GST_START_TEST (test_end_gives_up)
{
  init ("never");
  push_frame ();
  fail_unless (end_stream (__i__));
  fail_unless_equals_int (test_element_count_results (&t), 0);
  test_element_clear (&t);
  fail_unless_equals_int (jobs[0].releases, 1);
}

GST_END_TEST;

/* A flush discards pending results, and only these. */
GST_START_TEST (test_flush)
{
  init ("never");
  push_frame ();
  test_element_flush (&t);
  push_frame ();
  complete (0);
  complete (1);
  expect_result (1);
  test_element_clear (&t);
  fail_unless_equals_int (jobs[0].releases, 1);
}

GST_END_TEST;

/* So does stopping. */
GST_START_TEST (test_stop)
{
  init ("never");
  push_frame ();
  gst_element_set_state (t.element, GST_STATE_READY);
  fail_unless_equals_int (jobs[0].releases, 1);
  fail_unless_equals_int (test_element_count_results (&t), 0);
}

GST_END_TEST;

/* A busy device costs analyses. */
GST_START_TEST (test_overload)
{
  GstMessage *message;

  init ("always");
  submit_error = GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD;
  push_frame ();
  test_element_check_count (&t, "dropped", 1);
  test_element_check_count (&t, "skipped", 0);
  message = gst_bus_pop_filtered (t.bus, GST_MESSAGE_QOS);
  fail_unless (message != NULL);
  gst_message_unref (message);
}

GST_END_TEST;

GST_START_TEST (test_device_error)
{
  init ("always");
  submit_error = GST_VIDEO_HISTOGRAM_ERROR_DEVICE;
  push_frame ();
  test_element_check_count (&t, "skipped", 1);
  submit_error = TEST_NO_ERROR;
  push_frame ();
  complete (0);
  expect_result (1);
}

GST_END_TEST;

TEST_SUITE (pending, setup, teardown)
{
  tcase_add_test (tc, test_order);
  tcase_add_test (tc, test_last_frame);
  tcase_add_test (tc, test_failed);
  tcase_add_test (tc, test_meta);
  tcase_add_loop_test (tc, test_end_with_results, 0, 2);
  tcase_add_loop_test (tc, test_end_waits, 0, 2);
  tcase_add_loop_test (tc, test_end_gives_up, 0, 2);
  tcase_add_test (tc, test_flush);
  tcase_add_test (tc, test_stop);
  tcase_add_test (tc, test_overload);
  tcase_add_test (tc, test_device_error);
}
