/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames are returned as soon as the GPU is done with them, even if no further
 * frame comes, nobody reads a result and the element has stopped: a source with
 * a single buffer gets it back for its next frame. */
#include "common/env.h"
#include "common/suite.h"
#include "gpu.h"

#define WIDTH 160
#define HEIGHT 96
#define N_FRAMES 50

/* The longest time for a frame: the GPU needs a few ms, a busy machine more. A
 * frame that is held until the next one comes, or until a kernel is late after
 * 2 s, is not back by then. */
#define MAX_WAIT (TEST_SANITIZED (2000, 1500) * G_TIME_SPAN_MILLISECOND)

/* Maximum microseconds before an operation of a slow GPU starts. */
#define VERY_SLOW 30000

static TestElement t;
static GstCaps *caps;

static void
setup (void)
{
  test_gpu_setup ();
  caps = test_caps ("NV12", WIDTH, HEIGHT);
}

static void
teardown (void)
{
  test_element_clear (&t);
  gst_clear_caps (&caps);
  test_gpu_teardown ();
}

/* Nothing waits for the counts or requests them. */
static void
init_histogram (gboolean cuda)
{
  test_element_init (&t, NULL, "backend", "cuda", "interval", "0",
      "post-messages", "false", NULL);
  test_gpu_set_caps (&t, caps, cuda);
}

static GstBufferPool *
make_cuda_pool (guint n)
{
  GstBuffer *buffer = test_gpu_frame (&test_uploader, WIDTH, HEIGHT, NULL,
      NULL);
  GstBufferPool *pool = test_cuda_pool_new (test_context_of (buffer),
      caps, n, FALSE);

  gst_buffer_unref (buffer);
  return pool;
}

/* Returns the next buffer of @pool, or NULL after a timeout. */
static GstBuffer *
acquire (GstBufferPool * pool)
{
  const gint64 end = g_get_monotonic_time () + MAX_WAIT;
  GstBufferPoolAcquireParams params = {
    .flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT,
  };
  GstBuffer *buffer = NULL;

  while (gst_buffer_pool_acquire_buffer (pool, &buffer, &params) != GST_FLOW_OK
      && g_get_monotonic_time () < end)
    g_usleep (500);
  return buffer;
}

/* A frame of random pixels in a buffer of @pool. */
static GstBuffer *
next_frame (GstBufferPool * pool, guint n)
{
  GstBuffer *buffer = acquire (pool);
  TestFrame frame;

  fail_unless (buffer != NULL, "frame %u is still held", n);
  test_frame_init_plain (&frame, &test_numbers, GST_VIDEO_FORMAT_NV12, WIDTH,
      HEIGHT, NULL);
  test_fill (buffer, &frame);
  test_frame_clear (&frame);
  return buffer;
}

/* In CUDA memory, and in pinned memory. */
GST_START_TEST (test_histogram)
{
  const gboolean cuda = __i__;
  GstBufferPool *pool;
  guint i;

  init_histogram (cuda);
  pool = cuda ? make_cuda_pool (1) : test_offered_pool (&t, caps, 1, NULL);
  for (i = 0; i < N_FRAMES; i++)
    test_element_push (&t, next_frame (pool, i));
  gst_buffer_unref (next_frame (pool, i));
  /* The frame is returned before its result is delivered. */
  test_wait_for_frames (&t, N_FRAMES);
  test_element_check_count (&t, "processed", N_FRAMES);
  test_pool_free (pool);
}

GST_END_TEST;

/* In place, and into a copy if something else holds the frame. */
GST_START_TEST (test_equalize)
{
  const gboolean held = __i__;
  GstBufferPool *pool;
  guint i;

  test_element_init_equalize (&t, NULL, "smoothing", "0", NULL);
  test_gpu_set_caps (&t, caps, TRUE);
  pool = make_cuda_pool (1);
  for (i = 0; i < N_FRAMES; i++) {
    GstBuffer *buffer = next_frame (pool, i), *out;

    if (held)
      gst_buffer_ref (buffer);
    out = test_element_pass (&t, buffer);
    fail_unless_equals_int (out != buffer, held);
    if (held)
      gst_buffer_unref (buffer);
    gst_buffer_unref (out);
  }
  test_element_check_count (&t, "uncorrected", 0);
  gst_buffer_unref (next_frame (pool, i));
  test_pool_free (pool);
}

GST_END_TEST;

/* The element stops while its kernels run. */
GST_START_TEST (test_ready)
{
  const gboolean equalize = __i__;
  GstBuffer *buffers[2];
  GstBufferPool *pool;
  guint i, k;

  if (equalize)
    test_element_init_equalize (&t, NULL, "smoothing", "0", NULL);
  else
    test_element_init (&t, NULL, "interval", "0", "post-messages", "false",
        NULL);
  test_gpu_set_caps (&t, caps, TRUE);
  pool = make_cuda_pool (2);
  test_element_push (&t, next_frame (pool, 0));
  for (i = 0; i < 5; i++) {
    for (k = 0; k < 2; k++)
      buffers[k] = next_frame (pool, k);
    test_set_delay (VERY_SLOW);
    for (k = 0; k < 2; k++)
      test_element_push (&t, buffers[k]);
    gst_element_set_state (t.element, GST_STATE_READY);
    for (k = 0; k < 2; k++) {
      buffers[k] = acquire (pool);
      fail_unless (buffers[k] != NULL, "%u frames are held in READY", 2 - k);
    }
    test_set_delay (0);
    for (k = 0; k < 2; k++)
      gst_buffer_unref (buffers[k]);
    gst_element_set_state (t.element, GST_STATE_PLAYING);
    test_element_begin (&t, NULL);
    test_gpu_set_caps (&t, caps, TRUE);
  }
  test_pool_free (pool);
}

GST_END_TEST;

TEST_SUITE (held, setup, teardown)
{
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_histogram, 0, 2);
  tcase_add_loop_test (tc, test_equalize, 0, 2);
  tcase_add_loop_test (tc, test_ready, 0, 2);
}
