/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A GPU that fails for a while is tried again, less and less often; a lost GPU
 * is left alone for the rest of the process.
 *
 * TEST_FAULT: runs only the test of a lost GPU, with this error instead of an
 * illegal address. */
#include <stdlib.h>
#include <string.h>

#include "common/suite.h"
#include "gpu.h"

#define FRAME_TIME (20 * G_TIME_SPAN_MILLISECOND)
#define OUT_OF_MEMORY 2
#define ILLEGAL_ADDRESS 700

static TestElement t;
static guint n_pushed;

static void
init_element (const gchar * backend)
{
  test_element_init (&t, NULL, "backend", backend, "attach-meta", "always",
      "interval", "0", NULL);
  n_pushed = 0;
}

/* Passes a frame, checks the counts, and returns the backend that counted, or
 * NULL. */
static const gchar *
count_frame (gboolean cuda)
{
  GstVideoHistogram *histogram = NULL, *expected;
  const gchar *backend = NULL;
  GstBuffer *out;
  GstCaps *caps;

  out = test_gpu_frame (cuda ? &test_uploader : NULL, 320, 240, &caps,
      &expected);
  test_gpu_set_caps (&t, caps, cuda);
  gst_caps_unref (caps);
  out = test_element_pass (&t, out);
  test_wait_for_frames (&t, ++n_pushed);
  if (gst_buffer_get_video_histogram_meta (out))
    histogram = test_get_histogram (out);
  if (histogram && gst_video_histogram_wait (histogram, GST_SECOND)) {
    backend = gst_video_histogram_get_backend (histogram);
    test_check_histogram (gst_video_histogram_ref (histogram),
        gst_video_histogram_ref (expected));
  }
  gst_clear_video_histogram (&histogram);
  gst_video_histogram_unref (expected);
  gst_buffer_unref (out);
  return backend;
}

/* The backend that counts meanwhile, or NULL. */
static const gchar *
stand_in (gboolean cuda)
{
  return cuda ? NULL : "cpu";
}

/* Out of memory once: another backend counts for a second. */
GST_START_TEST (test_once)
{
  gboolean cuda = __i__;
  gint64 start, back;

  if (test_leave_out ("a driver that fails"))
    return;
  init_element ("cuda");
  fail_unless_equals_string (count_frame (cuda), "cuda");
  test_double ()->fail_call (TEST_GPU_LAUNCH, 1, OUT_OF_MEMORY,
      VH_DOUBLE_ONCE);
  start = g_get_monotonic_time ();
  fail_unless_equals_string (count_frame (cuda), stand_in (cuda));
  test_element_check_string (&t, "active-backend", cuda ? "none" : "cpu");
  while (g_strcmp0 (count_frame (cuda), "cuda") != 0) {
    fail_unless (g_get_monotonic_time () < start + 3 * G_TIME_SPAN_SECOND);
    g_usleep (FRAME_TIME);
  }
  back = g_get_monotonic_time () - start;
  fail_unless (back >= G_TIME_SPAN_SECOND * 9 / 10, "back after %d ms",
      (gint) (back / 1000));
  test_element_check_string (&t, "active-backend", "cuda");
  fail_unless_equals_int (test_element_count_messages (&t,
          GST_MESSAGE_WARNING), 1);
  test_element_clear (&t);
}

GST_END_TEST;

/* A permanent failure: the GPU is tried again after one second, and after two
 * more. */
GST_START_TEST (test_for_ever)
{
  gboolean cuda = __i__;
  gint64 start;
  guint tries;

  if (test_leave_out ("a driver that fails"))
    return;
  init_element ("cuda");
  fail_unless_equals_string (count_frame (cuda), "cuda");
  tries = test_gpu_calls (TEST_GPU_LAUNCHES, NULL);
  test_double ()->fail_call (TEST_GPU_LAUNCH, 1, OUT_OF_MEMORY,
      VH_DOUBLE_EVER);
  start = g_get_monotonic_time ();
  while (g_get_monotonic_time () < start + 3.6 * G_TIME_SPAN_SECOND) {
    fail_unless_equals_string (count_frame (cuda), stand_in (cuda));
    g_usleep (FRAME_TIME);
  }
  fail_unless_equals_int (test_gpu_calls (TEST_GPU_LAUNCHES, NULL) - tries, 3);
  fail_unless_equals_int (test_element_count_messages (&t,
          GST_MESSAGE_WARNING), 1);
  test_element_clear (&t);
}

GST_END_TEST;

static void
check_was_lost (void)
{
  gchar *reason = test_element_dup_string (&t, "backend-reason");

  fail_unless (strstr (reason, "was lost") != NULL, "%s", reason);
  g_free (reason);
}

/* Runs last, because it takes the GPU from this process. */
GST_START_TEST (test_lost)
{
  const gchar *fault = g_getenv ("TEST_FAULT");
  guint i, calls;

  if (test_leave_out ("a kernel that faults"))
    return;
  init_element ("cuda");
  fail_unless_equals_string (count_frame (FALSE), "cuda");
  test_double ()->fault_kernel (1, fault ? atoi (fault) : ILLEGAL_ADDRESS);
  count_frame (FALSE);
  fail_unless_equals_string (count_frame (FALSE), "cpu");
  calls = test_double ()->calls ();
  for (i = 0; i < 5; i++)
    fail_unless_equals_string (count_frame (FALSE), "cpu");
  fail_unless_equals_int (test_element_count_messages (&t,
          GST_MESSAGE_WARNING), 1);
  check_was_lost ();

  /* The driver is not called any more, neither for frames, nor to stop, nor to
   * start again. */
  test_element_clear (&t);
  fail_unless_equals_int (test_double ()->calls (), calls);
  test_element_init (&t, NULL, "backend", "auto", "attach-meta", "always",
      NULL);
  n_pushed = 0;
  fail_unless_equals_string (count_frame (FALSE), "cpu");
  check_was_lost ();
  gst_element_set_state (t.element, GST_STATE_NULL);
  g_object_set (t.element, "backend", 2, NULL);
  fail_unless_equals_int (gst_element_set_state (t.element, GST_STATE_PLAYING),
      GST_STATE_CHANGE_FAILURE);
  fail_unless_equals_int (test_element_count_messages (&t, GST_MESSAGE_ERROR),
      1);
  fail_unless_equals_int (test_double ()->calls (), calls);
  gst_element_set_state (t.element, GST_STATE_NULL);
  test_element_clear (&t);
}

GST_END_TEST;

TEST_SUITE (recovery, test_gpu_setup, test_gpu_teardown)
{
  tcase_set_timeout (tc, 0);
  if (!g_getenv ("TEST_FAULT")) {
    tcase_add_loop_test (tc, test_once, 0, 2);
    tcase_add_loop_test (tc, test_for_ever, 0, 2);
  }
  tcase_add_test (tc, test_lost);
}
