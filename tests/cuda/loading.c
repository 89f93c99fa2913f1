/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A busy context in which modules are loaded or memory is freed, or which is
 * destroyed: the driver waits until it is idle. Streams in other contexts keep
 * counting, and come and go. */
#include "common/suite.h"
#include "cuda/gstcudacompat.h"
#include "gpu.h"

#define WIDTH 64
#define HEIGHT 48
#define N_ROUNDS 8

#define SECOND G_TIME_SPAN_SECOND

/* The limit by which nothing has waited. */
#define SOON SECOND

/* Two contexts, on one device or on two. */
static GstCudaContext *contexts[2];
static GstCaps *caps;

/* A context is busy as long as the slowest of this many operations, each of
 * which takes a random time up to BUSY. */
#define N_BUSY 12
#define BUSY (2 * SECOND)

static void
setup (void)
{
  test_gpu_setup ();
  caps = test_caps ("NV12", WIDTH, HEIGHT);
}

static void
teardown (void)
{
  test_set_delay (0);
  gst_clear_caps (&caps);
  test_gpu_teardown ();
}

/* A stream that repeats one frame. */
typedef struct
{
  TestElement t;
  GstBufferPool *pool;
  GstBuffer *buffer;
  GstVideoHistogram *expected;
} Stream;

static void
init_element (TestElement * t)
{
  test_element_init (t, NULL, "interval", "0", "attach-meta", "always",
      "message-counts", "false", "grid", "2x2", NULL);
  test_gpu_set_caps (t, caps, TRUE);
}

/* Initializes all but its element. */
static void
stream_init (Stream * self, GstCudaContext * context)
{
  TestFrame frame;

  test_spec.columns = test_spec.rows = 2;
  test_frame_init_plain (&frame, &test_numbers, GST_VIDEO_FORMAT_NV12, WIDTH,
      HEIGHT, NULL);
  self->expected = test_count_on_cpu (frame.buffer, frame.caps, &test_spec);
  self->pool = test_cuda_pool_new (context, caps, 0, FALSE);
  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (self->pool,
          &self->buffer, NULL), GST_FLOW_OK);
  test_fill (self->buffer, &frame);
  test_frame_clear (&frame);
}

static void
stream_clear (Stream * self)
{
  test_element_clear (&self->t);
  gst_buffer_unref (self->buffer);
  test_pool_free (self->pool);
  gst_video_histogram_unref (self->expected);
}

/* Counts the frame of @stream with @t, within SOON. */
static void
count (Stream * stream, TestElement * t)
{
  const gint64 start = g_get_monotonic_time ();
  GstBuffer *out = test_element_pass (t, gst_buffer_copy (stream->buffer));

  test_check_histogram (test_get_histogram (out),
      gst_video_histogram_ref (stream->expected));
  gst_buffer_unref (out);
  test_element_check_string (t, "active-backend", "cuda");
  fail_unless (g_get_monotonic_time () - start < SOON);
}

/* A stream continues and changes, and others in its context come and go,
 * without delays. */
static void
check_unhindered (Stream * stream)
{
  guint i;

  for (i = 0; i < N_ROUNDS; i++) {
    const gint64 start = g_get_monotonic_time ();
    TestElement other;

    count (stream, &stream->t);
    init_element (&other);
    count (stream, &other);
    test_element_clear (&other);
    g_object_set (stream->t.element, "roi", i % 2 ? "" : "0,0,64,48", NULL);
    fail_unless (g_get_monotonic_time () - start < SOON);
  }
}

static gboolean
make_contexts (gint second)
{
  if (test_leave_out ("a context that is busy"))
    return FALSE;
  test_double ()->set_devices (2);
  fail_unless (gst_cuda_load_library ());
  gst_cuda_memory_init_once ();
  contexts[0] = gst_cuda_context_new (0);
  contexts[1] = gst_cuda_context_new (second);
  return TRUE;
}

/* Makes @context busy. Work before and after is not slow. */
static void
make_busy (GstCudaContext * context)
{
  CUresult (*record) (CUevent, CUstream) =
      test_driver_function ("cuEventRecord");
  CUresult (*create) (CUevent *, unsigned) =
      test_driver_function ("cuEventCreate");
  CUresult (*destroy) (CUevent) = test_driver_function ("cuEventDestroy_v2");
  CUstream stream;
  CUevent event;
  guint i;

  test_gpu_finish ();
  fail_unless (gst_cuda_context_push (context));
  fail_unless_equals_int (create (&event, CU_EVENT_DISABLE_TIMING),
      CUDA_SUCCESS);
  test_set_delay (BUSY);
  for (i = 0; i < N_BUSY; i++) {
    fail_unless_equals_int (CuStreamCreate (&stream, CU_STREAM_NON_BLOCKING),
        CUDA_SUCCESS);
    fail_unless_equals_int (record (event, stream), CUDA_SUCCESS);
    fail_unless_equals_int (CuStreamDestroy (stream), CUDA_SUCCESS);
  }
  /* By now each operation has started to wait. */
  g_usleep (50000);
  test_set_delay (0);
  fail_unless_equals_int (destroy (event), CUDA_SUCCESS);
  gst_cuda_context_pop (NULL);
}

/* The work of a thread that has to wait, and whether it is done. */
typedef struct
{
  Stream *stream;
  gint done;                    /* atomic */
} Waiting;

static gpointer
open_stream (gpointer data)
{
  Waiting *self = data;

  init_element (&self->stream->t);
  gst_buffer_unref (test_element_pass (&self->stream->t,
          gst_buffer_copy (self->stream->buffer)));
  g_atomic_int_set (&self->done, TRUE);
  return NULL;
}

static gpointer
drop_context (gpointer data)
{
  Waiting *self = data;

  gst_object_unref (contexts[0]);
  g_atomic_int_set (&self->done, TRUE);
  return NULL;
}

/* Runs @function in a thread, which waits for the first context, and checks
 * that @stream does not wait. */
static void
check_meanwhile (GThreadFunc function, Waiting * waiting, Stream * stream)
{
  GThread *thread;

  make_busy (contexts[0]);
  thread = g_thread_new ("waits", function, waiting);
  g_usleep (100000);
  check_unhindered (stream);
  fail_if (g_atomic_int_get (&waiting->done), "the context was not busy");
  g_thread_join (thread);
}

/* A stream opens in the first context. */
GST_START_TEST (test_loading)
{
  Stream streams[2];
  Waiting waiting = { &streams[0], FALSE };
  guint i;

  if (!make_contexts (__i__))
    return;
  for (i = 0; i < 2; i++)
    stream_init (&streams[i], contexts[i]);
  init_element (&streams[1].t);
  count (&streams[1], &streams[1].t);
  check_meanwhile (open_stream, &waiting, &streams[1]);
  for (i = 0; i < 2; i++) {
    stream_clear (&streams[i]);
    gst_object_unref (contexts[i]);
  }
}

GST_END_TEST;

/* The first context is destroyed. */
GST_START_TEST (test_going)
{
  Stream streams[2];
  Waiting waiting = { &streams[0], FALSE };
  guint i;

  if (!make_contexts (__i__))
    return;
  for (i = 0; i < 2; i++) {
    stream_init (&streams[i], contexts[i]);
    init_element (&streams[i].t);
    count (&streams[i], &streams[i].t);
  }
  stream_clear (&streams[0]);
  check_meanwhile (drop_context, &waiting, &streams[1]);
  stream_clear (&streams[1]);
  gst_object_unref (contexts[1]);
}

GST_END_TEST;

/* A frame of the first context is freed after its kernel, and waits until the
 * context is idle; a frame of the other context returns to its pool meanwhile,
 * although no further frame comes. */
GST_START_TEST (test_freeing)
{
  GstBufferPoolAcquireParams params = {
    .flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT,
  };
  GstBufferPool *pool;
  Stream streams[2];
  GstBuffer *frame, *buffer;
  gint64 end;
  guint i;

  if (!make_contexts (__i__))
    return;
  for (i = 0; i < 2; i++) {
    stream_init (&streams[i], contexts[i]);
    init_element (&streams[i].t);
    count (&streams[i], &streams[i].t);
  }
  /* Nothing waits for its result. */
  g_object_set (streams[0].t.element, "post-messages", FALSE, NULL);
  gst_util_set_object_arg (G_OBJECT (streams[0].t.element), "attach-meta",
      "never");
  frame = test_copy_off_pool (gst_buffer_ref (streams[0].buffer));
  pool = test_cuda_pool_new (contexts[1], caps, 1, FALSE);
  make_busy (contexts[0]);
  test_set_delay (TEST_GPU_SLOW);
  test_element_push (&streams[0].t, frame);
  test_set_delay (0);
  g_usleep (100000);
  for (i = 0; i < N_ROUNDS; i++) {
    end = g_get_monotonic_time () + SOON;
    while (gst_buffer_pool_acquire_buffer (pool, &buffer, &params) !=
        GST_FLOW_OK) {
      fail_unless (g_get_monotonic_time () < end, "frame %u is held", i);
      g_usleep (1000);
    }
    test_element_push (&streams[1].t, buffer);
  }
  test_gpu_finish ();
  for (i = 0; i < 2; i++)
    stream_clear (&streams[i]);
  test_pool_free (pool);
  for (i = 0; i < 2; i++)
    gst_object_unref (contexts[i]);
}

GST_END_TEST;

TEST_SUITE (loading, setup, teardown)
{
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_loading, 0, 2);
  tcase_add_loop_test (tc, test_going, 0, 2);
  tcase_add_loop_test (tc, test_freeing, 0, 2);
}
