/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several GPUs, and several contexts on one: each frame is counted where it is,
 * or on the requested device, and the stream may switch between them at any
 * frame. */
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>

#include "common/suite.h"
#include "clock.h"
#include "gpu.h"

#define N_DEVICES 2
#define N_FRAMES 60

/* Maximum microseconds before a GPU operation starts, so that frames are in
 * flight when the next one arrives. */
#define SLOW 3000

static TestUploader uploaders[N_DEVICES];
static gint n_launches[N_DEVICES];      /* atomic; launches on each device */

static void
note_launch (G_GNUC_UNUSED void *data, G_GNUC_UNUSED const char *kernel,
    unsigned device, G_GNUC_UNUSED const void *parameters,
    G_GNUC_UNUSED size_t bytes)
{
  g_atomic_int_inc (&n_launches[device]);
}

static gboolean
has_devices (void)
{
  if (test_leave_out ("a second GPU"))
    return FALSE;
  test_double ()->set_devices (N_DEVICES);
  return TRUE;
}

static void
setup (void)
{
  test_numbers = test_random_new (__LINE__);
  gst_video_histogram_spec_init (&test_spec);
  n_launches[0] = n_launches[1] = 0;
  if (test_double ())
    test_double ()->watch_launches (note_launch, NULL);
}

static void
teardown (void)
{
  if (test_double ())
    test_double ()->watch_launches (NULL, NULL);
}

static void
init_uploaders (gint first, gint second)
{
  test_uploader_init (&uploaders[0], first);
  test_uploader_init (&uploaders[1], second);
}

static void
clear_uploaders (void)
{
  test_uploader_clear (&uploaders[0]);
  test_uploader_clear (&uploaders[1]);
}

/* Makes a frame for @t, and sets its caps: in memory of @uploader, or in system
 * memory if NULL. */
static GstBuffer *
make_frame (TestElement * t, TestUploader * uploader,
    GstVideoHistogram ** expected)
{
  GstCaps *caps;
  GstBuffer *buffer = test_gpu_frame (uploader, 320, 240, &caps, expected);

  test_gpu_set_caps (t, caps, uploader != NULL);
  gst_caps_unref (caps);
  return buffer;
}

/* The requested device counts, whatever else exists: frames uploaded to it, and
 * frames already there. */
GST_START_TEST (test_device_id)
{
  const gint device = __i__ % N_DEVICES;
  const gboolean cuda = __i__ / N_DEVICES;
  gchar *id = g_strdup_printf ("%d", device);
  const TestLive live = test_live ();
  GstVideoHistogram *expected;
  GstCudaContext *other;
  GstContext *wrapped;
  GstBuffer *out;
  TestElement t;
  guint i;

  if (!has_devices ())
    return;
  init_uploaders (0, 1);
  other = gst_cuda_context_new (1 - device);
  wrapped = gst_context_new_cuda_context (other);
  test_element_init (&t, NULL, "backend", "cuda", "attach-meta", "always",
      "cuda-device-id", id, NULL);
  gst_element_set_context (t.element, wrapped);
  for (i = 0; i < 5; i++) {
    out = test_element_pass (&t, make_frame (&t,
            cuda ? &uploaders[device] : NULL, &expected));
    test_check_histogram (test_get_histogram (out), expected);
    gst_buffer_unref (out);
  }
  fail_unless_equals_int (n_launches[device], 5);
  fail_unless_equals_int (n_launches[1 - device], 0);
  fail_unless_equals_int (test_element_count_messages (&t,
          GST_MESSAGE_WARNING | GST_MESSAGE_ERROR), 0);
  test_element_clear (&t);
  gst_context_unref (wrapped);
  gst_object_unref (other);
  clear_uploaders ();
  test_live_check (&live);
  g_free (id);
}

GST_END_TEST;

/* The device does not exist: the CPU counts, with one warning. */
GST_START_TEST (test_no_such_device)
{
  GstVideoHistogram *histogram, *expected;
  GstBuffer *out;
  TestElement t;
  guint i;

  if (!has_devices ())
    return;
  test_element_init (&t, NULL, "backend", "cuda", "attach-meta", "always",
      "cuda-device-id", "5", NULL);
  for (i = 0; i < 5; i++) {
    out = test_element_pass (&t, make_frame (&t, NULL, &expected));
    histogram = test_get_histogram (out);
    fail_unless_equals_string (gst_video_histogram_get_backend (histogram),
        "cpu");
    test_check_histogram (histogram, expected);
    gst_buffer_unref (out);
  }
  fail_unless_equals_int (test_element_count_messages (&t,
          GST_MESSAGE_WARNING | GST_MESSAGE_ERROR), 1);
  test_element_clear (&t);
}

GST_END_TEST;

/* Frames of two contexts, on one device or two, in any order, while earlier
 * ones are still being counted: each is counted where it is, correctly. */
GST_START_TEST (test_changes)
{
  const gint second = __i__;
  const TestLive live = test_live ();
  GPtrArray *histograms = g_ptr_array_new ();
  gint n[N_DEVICES] = { 0, };
  guint i, which = 0, contexts;
  GstBuffer *out;
  TestElement t;

  if (!has_devices ())
    return;
  init_uploaders (0, second);
  test_element_init (&t, NULL, "attach-meta", "always", "interval", "0",
      "backend", "auto", NULL);
  test_set_delay (SLOW);
  for (i = 0; i < N_FRAMES; i++) {
    GstVideoHistogram *expected;

    if (test_random_once_in (&test_numbers, 3))
      which = 1 - which;
    out = test_element_pass (&t, make_frame (&t, &uploaders[which],
            &expected));
    if (gst_buffer_get_video_histogram_meta (out)) {
      g_ptr_array_add (histograms, test_get_histogram (out));
      g_ptr_array_add (histograms, expected);
      n[which ? second : 0]++;
    } else {
      gst_video_histogram_unref (expected);
    }
    gst_buffer_unref (out);
    /* Some frames find the GPU idle. */
    if (test_random_once_in (&test_numbers, 4))
      test_wait_for_frames (&t, i + 1);
  }
  /* Only the contexts of the frames and one of the element exist. */
  contexts = test_live ().n[VH_DOUBLE_CONTEXT];
  fail_unless (contexts <= live.n[VH_DOUBLE_CONTEXT] + 3);
  for (i = 0; i < histograms->len; i += 2) {
    test_check_histogram (g_ptr_array_index (histograms, i),
        g_ptr_array_index (histograms, i + 1));
  }
  fail_unless (histograms->len / 2 >= N_FRAMES / 3);
  g_ptr_array_unref (histograms);
  fail_unless_equals_int (n_launches[0], n[0]);
  fail_unless_equals_int (n_launches[1], n[1]);
  test_wait_for_frames (&t, N_FRAMES);
  test_element_check_count (&t, "skipped", 0);
  fail_unless_equals_int (test_element_count_messages (&t,
          GST_MESSAGE_WARNING | GST_MESSAGE_ERROR), 0);
  test_element_clear (&t);
  test_set_delay (0);
  clear_uploaders ();
  test_live_check (&live);
  fail_unless_equals_int (test_double ()->violations (), 0);
}

GST_END_TEST;

/* Frames on another device than the requested one pass; frames in system memory
 * between them are counted on the requested device. */
GST_START_TEST (test_elsewhere)
{
  GstVideoHistogram *histogram, *expected;
  GstBuffer *out;
  TestElement t;
  guint i;

  if (!has_devices ())
    return;
  init_uploaders (0, 1);
  test_element_init (&t, NULL, "backend", "cuda", "attach-meta", "always",
      "cuda-device-id", "1", NULL);
  for (i = 0; i < 12; i++) {
    TestUploader *from[] = { &uploaders[0], NULL, &uploaders[1] };

    out = test_element_pass (&t, make_frame (&t, from[i % 3], &expected));
    if (i % 3 == 0) {
      fail_unless (gst_buffer_get_video_histogram_meta (out) == NULL);
      gst_video_histogram_unref (expected);
    } else {
      histogram = test_get_histogram (out);
      fail_unless_equals_string (gst_video_histogram_get_backend (histogram),
          "cuda");
      test_check_histogram (histogram, expected);
    }
    gst_buffer_unref (out);
  }
  fail_unless_equals_int (n_launches[0], 0);
  fail_unless_equals_int (n_launches[1], 8);
  test_wait_for_frames (&t, 12);
  test_element_check_count (&t, "skipped", 4);
  test_element_clear (&t);
  clear_uploaders ();
}

GST_END_TEST;

/* A kernel hangs in one context while frames of another arrive: its memory is
 * kept, nothing accumulates, and stopping takes effect at once. */
GST_START_TEST (test_hang)
{
  const gint second = __i__;
  GstVideoHistogram *expected[2];
  GstBuffer *frames[2], *out;
  gsize bytes = 0, now;
  TestElement t;
  gint64 start;
  guint i;

  if (!has_devices ())
    return;
  test_clock_be_exact ();
  init_uploaders (0, second);
  test_element_init (&t, NULL, "interval", "0", NULL);
  for (i = 0; i < 2; i++)
    frames[i] = make_frame (&t, &uploaders[i], &expected[i]);
  test_element_push (&t, gst_buffer_copy (frames[0]));
  test_wait_for_frames (&t, 1);

  test_double ()->hang_kernels (TRUE);
  for (i = 0; i < 250; i++) {
    start = g_get_monotonic_time ();
    out = test_element_pass (&t, gst_buffer_copy (frames[i % 2]));
    gst_buffer_unref (out);
    fail_unless (g_get_monotonic_time () - start < G_TIME_SPAN_SECOND);
    now = test_double ()->live_bytes (VH_DOUBLE_DEVICE_MEMORY);
    /* One frame in each context. */
    if (i <= 1)
      bytes = now;
    fail_unless (now <= bytes);
    g_usleep (10000);
  }
  fail_unless_equals_int (test_element_count_messages (&t,
          GST_MESSAGE_WARNING | GST_MESSAGE_ERROR), 1);
  start = g_get_monotonic_time ();
  gst_element_set_state (t.element, GST_STATE_NULL);
  fail_unless (g_get_monotonic_time () - start < G_TIME_SPAN_SECOND);
  test_double ()->hang_kernels (FALSE);
  test_element_clear (&t);
  for (i = 0; i < 2; i++) {
    gst_buffer_unref (frames[i]);
    gst_video_histogram_unref (expected[i]);
  }
  fail_unless_equals_int (test_double ()->violations (), 0);
  test_double ()->reset ();
  clear_uploaders ();
  test_clock_slow_down ();
}

GST_END_TEST;

TEST_SUITE (devices, setup, teardown)
{
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_device_id, 0, 2 * N_DEVICES);
  tcase_add_test (tc, test_no_such_device);
  tcase_add_loop_test (tc, test_changes, 0, N_DEVICES);
  tcase_add_test (tc, test_elsewhere);
  tcase_add_loop_test (tc, test_hang, 0, N_DEVICES);
}
