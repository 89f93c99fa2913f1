/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels that take longer than any wait, because others use the GPU or because
 * it hangs; the two look alike. Meanwhile only their own memory is held, and
 * when they are done the GPU counts again. */
#include <string.h>

#include "common/env.h"
#include "common/suite.h"
#include "gpu.h"

#define WIDTH 320
#define HEIGHT 240
#define N_FRAMES 12
#define FRAME_TIME (20 * G_TIME_SPAN_MILLISECOND)
#define SECOND G_TIME_SPAN_SECOND

/* A kernel is late after this time; a little later every thread knows it. */
#define LATE (2 * SECOND)
#define SURELY_LATE (LATE + SECOND / 2)

typedef struct
{
  gboolean cuda;
  TestFrame frame[N_FRAMES];
  GstBuffer *buffer[N_FRAMES];  /* pushed buffers */
  GstVideoHistogram *expected[N_FRAMES];
} Frames;

/* An endless stream of frames, and the results. */
typedef struct
{
  TestElement t;
  Frames *frames;
  guint n_pushed;
  gint n_cuda, n_cpu;           /* atomic: counted by each */
  gint n_wrong;                 /* atomic */
  guint n_warnings;
  guint n_held;                 /* buffers held after the last push */
  gint64 time;                  /* total microseconds of pushing */
} Stream;

static void
on_histogram (G_GNUC_UNUSED GstElement * element, GstVideoHistogram * histogram,
    Stream * self)
{
  const guint i = gst_video_histogram_get_info (histogram)->timestamp %
      N_FRAMES;

  if (gst_video_histogram_get_info (histogram)->bins == 256
      && test_compare (histogram, self->frames->expected[i]))
    g_atomic_int_inc (&self->n_wrong);
  g_atomic_int_inc (strcmp (gst_video_histogram_get_backend (histogram),
          "cuda") == 0 ? &self->n_cuda : &self->n_cpu);
}

static void
frames_init (Frames * self, gboolean cuda)
{
  guint i;

  self->cuda = cuda;
  for (i = 0; i < N_FRAMES; i++) {
    TestFrame *frame = &self->frame[i];

    test_frame_init_plain (frame, &test_numbers, GST_VIDEO_FORMAT_NV12, WIDTH,
        HEIGHT, NULL);
    self->expected[i] = test_count_on_cpu (frame->buffer, frame->caps,
        &test_spec);
    if (cuda) {
      self->buffer[i] = test_copy_off_pool (test_upload (&test_uploader,
              frame->buffer, frame->caps));
    } else {
      self->buffer[i] = gst_buffer_ref (frame->buffer);
    }
  }
}

static void
frames_clear (Frames * self)
{
  guint i;

  for (i = 0; i < N_FRAMES; i++) {
    gst_buffer_unref (self->buffer[i]);
    gst_video_histogram_unref (self->expected[i]);
    test_frame_clear (&self->frame[i]);
  }
}

static void
stream_init (Stream * self, Frames * frames)
{
  memset (self, 0, sizeof (*self));
  self->frames = frames;
  test_element_init (&self->t, NULL, "backend", "cuda", "interval", "0",
      "message-counts", "false", "message-statistics", "false", NULL);
  test_gpu_set_caps (&self->t, frames->frame[0].caps, frames->cuda);
  g_signal_connect (self->t.element, "histogram", G_CALLBACK (on_histogram),
      self);
}

static void
take_messages (Stream * self)
{
  GstMessage *message;

  while ((message = gst_bus_pop (self->t.bus))) {
    fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
    self->n_warnings += GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING;
    gst_message_unref (message);
  }
}

static void
stream_clear (Stream * self)
{
  take_messages (self);
  test_element_clear (&self->t);
  fail_unless_equals_int (self->n_wrong, 0);
}

/* Passes a frame, and checks that nothing else has to wait, and that the
 * memories of at most two frames are held. */
static void
push (Stream * self)
{
  const gint64 start = g_get_monotonic_time ();
  const guint i = self->n_pushed % N_FRAMES;
  gint64 time;
  GstBuffer *buffer = gst_buffer_copy (self->frames->buffer[i]);
  guint k;

  GST_BUFFER_PTS (buffer) = self->n_pushed++;
  test_element_push (&self->t, buffer);
  time = g_get_monotonic_time () - start;
  self->time += time;
  fail_unless (time < SECOND, "frame %u was kept for %d ms", self->n_pushed,
      (gint) (time / 1000));
  self->n_held = 0;
  for (k = 0; self->frames->cuda && k < N_FRAMES; k++) {
    self->n_held += GST_MINI_OBJECT_REFCOUNT (gst_buffer_peek_memory
        (self->frames->buffer[k], 0)) > 1;
  }
  fail_unless (self->n_held <= 2, "%u frames are held", self->n_held);
  take_messages (self);
}

/* Waits until the GPU has counted @n frames. */
static void
wait_for_cuda (Stream * self, gint n)
{
  const gint64 end = g_get_monotonic_time () + 10 * SECOND;

  while (g_atomic_int_get (&self->n_cuda) < n) {
    fail_unless (g_get_monotonic_time () < end, "a frame is not counted");
    g_usleep (100);
  }
}

/* Passes frames until @end. */
static void
push_until (Stream * streams, guint n, gint64 end)
{
  guint i;

  while (g_get_monotonic_time () < end) {
    for (i = 0; i < n; i++)
      push (&streams[i]);
    g_usleep (FRAME_TIME);
  }
}

/* Bytes allocated on the GPU, and pinned. */
static gsize
live_bytes (void)
{
  return test_double ()->live_bytes (VH_DOUBLE_DEVICE_MEMORY) +
      test_double ()->live_bytes (VH_DOUBLE_PINNED_MEMORY);
}

/* Freeing follows the order of streams, so it happens a little later. */
static void
expect_bytes (gsize bytes)
{
  const gint64 end = g_get_monotonic_time () + SECOND;

  while (live_bytes () > bytes && g_get_monotonic_time () < end)
    g_usleep (1000);
  fail_unless (live_bytes () <= bytes);
}

/* A kernel takes five seconds: the CPU counts what it can, then the GPU counts
 * again. */
GST_START_TEST (test_late)
{
  const TestLive live = test_live ();
  static Frames frames[2];
  static Stream streams[2];
  gint64 start, end;
  guint i, launches;
  gsize bytes;

  if (test_leave_out ("a kernel that is late"))
    return;
  for (i = 0; i < 2; i++) {
    frames_init (&frames[i], i);
    stream_init (&streams[i], &frames[i]);
    push (&streams[i]);
    wait_for_cuda (&streams[i], 1);
  }

  test_double ()->hang_kernels (TRUE);
  start = g_get_monotonic_time ();
  launches = test_gpu_calls (TEST_GPU_LAUNCHES, NULL);
  push_until (streams, 2, start + SURELY_LATE);
  test_element_check_string (&streams[0].t, "active-backend", "cpu");
  test_element_check_string (&streams[1].t, "active-backend", "none");
  bytes = live_bytes ();
  push_until (streams, 2, start + 5 * SECOND);
  fail_unless (live_bytes () <= bytes);
  fail_unless_equals_int (test_gpu_calls (TEST_GPU_LAUNCHES, NULL) - launches,
      4);
  /* Freeing memory that a kernel reads waits for that kernel. */
  fail_unless_equals_int (streams[1].n_held, 2);
  for (i = 0; i < 2; i++) {
    fail_unless_equals_int (streams[i].n_cuda, 1);
    fail_unless_equals_int (streams[i].n_warnings, 1);
  }
  fail_unless (streams[0].n_cpu > 0);
  test_element_check_count (&streams[0].t, "skipped", 2);

  /* The GPU is tried after 1, 2 and 4 seconds. */
  test_double ()->hang_kernels (FALSE);
  end = start + LATE + 8 * SECOND;
  while (g_atomic_int_get (&streams[0].n_cuda) < 10
      || g_atomic_int_get (&streams[1].n_cuda) < 10) {
    fail_unless (g_get_monotonic_time () < end, "the GPU does not count again");
    push_until (streams, 2, g_get_monotonic_time () + FRAME_TIME);
  }
  for (i = 0; i < 2; i++) {
    test_element_check_string (&streams[i].t, "active-backend", "cuda");
    push (&streams[i]);
    test_wait_for_frames (&streams[i].t, streams[i].n_pushed);
    fail_unless (streams[i].n_held <= 1);
    stream_clear (&streams[i]);
    frames_clear (&frames[i]);
    fail_unless_equals_int (streams[i].n_warnings, 1);
  }
  fail_unless_equals_int (test_double ()->violations (), 0);
  test_gpu_check_live (&live);
}

GST_END_TEST;

/* A kernel never ends, while every setting changes from frame to frame: nothing
 * accumulates, and every element can stop, with and without frames in flight,
 * and start again. */
GST_START_TEST (test_never)
{
  static Stream stream, neighbour;
  static Frames frames;
  TestLive live;
  gint64 start, stop;
  gsize bytes = 0;
  guint i;

  if (test_leave_out ("a kernel that never ends"))
    return;
  frames_init (&frames, __i__);
  stream_init (&neighbour, &frames);
  push (&neighbour);
  wait_for_cuda (&neighbour, 1);
  stream_init (&stream, &frames);
  push (&stream);
  wait_for_cuda (&stream, 1);
  /* Pinned memory is kept for later use. */
  live = test_live ();

  test_double ()->hang_kernels (TRUE);
  start = g_get_monotonic_time ();
  for (i = 0; g_get_monotonic_time () - start < LATE + 2 * SECOND; i++) {
    g_object_set (stream.t.element, "bins", i % 3 * 128, NULL);
    push (&stream);
    g_usleep (FRAME_TIME);
    if (i == 0)
      bytes = live_bytes ();
    fail_unless (live_bytes () <= bytes);
  }
  fail_unless_equals_int (stream.n_warnings, 1);
  fail_unless (stream.time < SECOND);

  stop = g_get_monotonic_time ();
  gst_element_set_state (neighbour.t.element, GST_STATE_NULL);
  fail_unless (g_get_monotonic_time () - stop < SECOND);
  for (i = 0; i < 5; i++) {
    stop = g_get_monotonic_time ();
    gst_element_set_state (stream.t.element, GST_STATE_NULL);
    fail_unless (g_get_monotonic_time () - stop < SECOND);
    expect_bytes (bytes);
    gst_element_set_state (stream.t.element, GST_STATE_PLAYING);
    fail_unless (g_get_monotonic_time () - stop < 2 * SECOND);
    push (&stream);
  }
  gst_element_set_state (stream.t.element, GST_STATE_NULL);
  fail_unless_equals_int (stream.n_cuda, 1);

  /* The kernel ends after all. */
  test_double ()->hang_kernels (FALSE);
  test_gpu_finish ();
  gst_element_set_state (stream.t.element, GST_STATE_PLAYING);
  push (&stream);
  wait_for_cuda (&stream, 2);
  stream_clear (&stream);
  gst_element_set_state (neighbour.t.element, GST_STATE_PLAYING);
  push (&neighbour);
  wait_for_cuda (&neighbour, 2);
  test_live_check (&live);
  stream_clear (&neighbour);
  frames_clear (&frames);
  fail_unless_equals_int (test_double ()->violations (), 0);
}

GST_END_TEST;

/* A kernel hung when its element stopped, and has ended since: its memory is
 * freed as soon as anything counts again, even in another context. */
GST_START_TEST (test_other_context)
{
  static Frames frames;
  static Stream stream;
  TestLive live;
  guint i;

  if (test_leave_out ("a kernel that hangs"))
    return;
  test_uploader_clear (&test_uploader);
  live = test_live ();
  for (i = 0; i < 2; i++) {
    test_uploader_init (&test_uploader, -1);
    frames_init (&frames, __i__ % 2);
    stream_init (&stream, &frames);
    if (__i__ / 2 && i == 0)
      gst_util_set_object_arg (G_OBJECT (stream.t.element), "joint",
          "previous");
    push (&stream);
    wait_for_cuda (&stream, 1);
    if (i == 0) {
      test_double ()->hang_kernels (TRUE);
      push (&stream);
    }
    stream_clear (&stream);
    test_double ()->hang_kernels (FALSE);
    test_gpu_finish ();
    frames_clear (&frames);
    test_uploader_clear (&test_uploader);
  }
  test_live_check (&live);
  test_uploader_init (&test_uploader, -1);
  fail_unless_equals_int (test_double ()->violations (), 0);
}

GST_END_TEST;

/* All kernels are late: they are launched less and less often. */
GST_START_TEST (test_always)
{
  static Frames frames;
  static Stream stream;
  gint64 start, launched = 0;
  guint launches, all = 0;

  if (test_leave_out ("kernels that are late"))
    return;
  frames_init (&frames, FALSE);
  stream_init (&stream, &frames);
  test_double ()->hang_kernels (TRUE);
  start = g_get_monotonic_time ();
  launches = test_gpu_calls (TEST_GPU_LAUNCHES, NULL);
  while (g_get_monotonic_time () - start <
      TEST_SANITIZED (5.5, 10.5) * SECOND) {
    const guint n = test_gpu_calls (TEST_GPU_LAUNCHES, NULL) - launches;

    if (n != all)
      launched = g_get_monotonic_time ();
    all = n;
    if (launched && g_get_monotonic_time () - launched > SURELY_LATE) {
      test_double ()->hang_kernels (FALSE);
      test_gpu_finish ();
      test_double ()->hang_kernels (TRUE);
      launched = 0;
    }
    push (&stream);
    g_usleep (FRAME_TIME);
  }
  /* Two at the start, one after 2 + 1 seconds and, without sanitizers, one
   * after 2 + 2 more. */
  fail_unless_equals_int (all, TEST_SANITIZED (4, 6));
  fail_unless_equals_int (stream.n_cuda, 0);
  fail_unless_equals_int (stream.n_warnings, 1);
  test_double ()->hang_kernels (FALSE);
  stream_clear (&stream);
  frames_clear (&frames);
}

GST_END_TEST;

/* Nobody waits for a histogram forever. A histogram that was not polled in time
 * does not get counts later, since the frame may have been overwritten. */
GST_START_TEST (test_waiting)
{
  GstVideoHistogramEngine *engine;
  GstVideoHistogram *histograms[2], *after, *expected;
  GstBuffer *buffer;
  GError *error = NULL;
  GstCaps *caps;
  gint64 start;
  guint i;

  if (test_leave_out ("a kernel that is late"))
    return;
  buffer = test_gpu_frame (&test_uploader, WIDTH, HEIGHT, &caps, &expected);
  gst_caps_take (&caps, test_cuda_caps (caps));
  engine = test_engine_new (GST_VIDEO_HISTOGRAM_BACKEND_CUDA, caps,
      &test_spec);
  test_double ()->hang_kernels (TRUE);
  start = g_get_monotonic_time ();
  for (i = 0; i < 2; i++) {
    histograms[i] = gst_video_histogram_engine_submit (engine, buffer, NULL,
        FALSE, NULL);
    fail_unless (histograms[i] != NULL);
  }
  if (__i__) {
    fail_if (gst_video_histogram_wait (histograms[1], GST_CLOCK_TIME_NONE));
    fail_unless (g_get_monotonic_time () - start >= LATE);
    fail_unless (g_get_monotonic_time () - start < SURELY_LATE + SECOND);
  }
  g_usleep (MAX (0, start + SURELY_LATE - g_get_monotonic_time ()));
  fail_unless (gst_video_histogram_engine_submit (engine, buffer, NULL, FALSE,
          &error) == NULL);
  fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_DEVICE));
  g_clear_error (&error);

  test_double ()->hang_kernels (FALSE);
  test_gpu_finish ();
  g_usleep (1.1 * SECOND);
  after = gst_video_histogram_engine_submit (engine, buffer, NULL, FALSE,
      &error);
  fail_unless (after != NULL, "%s", error ? error->message : "");
  fail_if (test_compare (after, expected));
  for (i = 0; i < 2; i++) {
    fail_if (gst_video_histogram_wait (histograms[i], GST_CLOCK_TIME_NONE));
    gst_video_histogram_unref (histograms[i]);
  }
  gst_video_histogram_unref (after);
  gst_video_histogram_unref (expected);
  g_object_unref (engine);
  gst_buffer_unref (buffer);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* A pool without other buffers gets back those that a late kernel reads, and a
 * producer that overwrites them changes no counts. A producer that allocates
 * for each frame does not fill the memory. */
GST_START_TEST (test_pool)
{
  GstBufferPoolAcquireParams params = {
    .flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT,
  };
  GstAllocator *allocator;
  GstBufferPool *pool;
  GstBuffer *buffer;
  static Frames frames;
  static Stream stream;
  gint64 start;
  guint i, pinned;

  if (test_leave_out ("a kernel that is late"))
    return;
  frames_init (&frames, FALSE);
  stream_init (&stream, &frames);
  pool = test_offered_pool (&stream.t, frames.frame[0].caps, 2, &allocator);
  test_double ()->hang_kernels (TRUE);
  start = g_get_monotonic_time ();
  for (i = 0; i < 2; i++) {
    fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer,
            &params), GST_FLOW_OK);
    gst_buffer_fill (buffer, 0, frames.frame[i].image, frames.frame[i].size);
    GST_BUFFER_PTS (buffer) = i;
    test_element_push (&stream.t, buffer);
  }
  fail_unless (gst_buffer_pool_acquire_buffer (pool, &buffer, &params) !=
      GST_FLOW_OK);
  g_usleep (MAX (0, start + SURELY_LATE - g_get_monotonic_time ()));
  for (i = 0; i < 2; i++) {
    fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer,
            &params), GST_FLOW_OK);
    gst_buffer_memset (buffer, 0, 0, -1);
    gst_buffer_unref (buffer);
  }

  pinned = test_live ().n[VH_DOUBLE_PINNED_MEMORY];
  for (i = 0; i < 100; i++)
    gst_memory_unref (gst_allocator_alloc (allocator, 1000, NULL));
  fail_unless (test_live ().n[VH_DOUBLE_PINNED_MEMORY] < pinned + 20);

  test_double ()->hang_kernels (FALSE);
  test_wait_for_frames (&stream.t, 2);
  test_element_check_count (&stream.t, "skipped", 2);
  test_gpu_finish ();
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  gst_object_unref (allocator);
  stream_clear (&stream);
  frames_clear (&frames);
}

GST_END_TEST;

TEST_SUITE (late, test_gpu_setup, test_gpu_teardown)
{
  tcase_set_timeout (tc, 0);
  tcase_add_test (tc, test_late);
  tcase_add_test (tc, test_always);
  tcase_add_loop_test (tc, test_waiting, 0, 2);
  tcase_add_test (tc, test_pool);
  tcase_add_loop_test (tc, test_never, 0, 2);
  tcase_add_loop_test (tc, test_other_context, 0, 4);
}
