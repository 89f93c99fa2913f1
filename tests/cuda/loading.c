/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A busy context in which modules are loaded or memory is freed, or which is
 * destroyed: the driver waits until it is idle. Streams in other contexts keep
 * counting, and come and go. */
#include "common/env.h"
#include "common/suite.h"
#include "cuda/gstcudacompat.h"
#include "gpu.h"

#define WIDTH 64
#define HEIGHT 48
#define N_ROUNDS 8

#define SECOND G_TIME_SPAN_SECOND

/* Two contexts, on one device or on two. */
static GstCudaContext *contexts[2];
static gint second_device;
static GstCaps *caps;

/* A context is busy as long as the slowest of this many operations, each of
 * which takes a random time up to busy_time. */
#define N_BUSY 12
static gint64 busy_time, busy_since;

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

/* Counts the frame of @stream with @t. */
static void
count (Stream * stream, TestElement * t)
{
  GstBuffer *out = test_element_pass (t, gst_buffer_copy (stream->buffer));

  test_check_histogram (test_get_histogram (out),
      gst_video_histogram_ref (stream->expected));
  gst_buffer_unref (out);
  test_element_check_string (t, "active-backend", "cuda");
}

/* A stream continues and changes, and others in its context come and go. */
static void
check_counting (Stream * stream)
{
  guint i;

  for (i = 0; i < N_ROUNDS; i++) {
    TestElement other;

    count (stream, &stream->t);
    init_element (&other);
    count (stream, &other);
    test_element_clear (&other);
    g_object_set (stream->t.element, "roi", i % 2 ? "" : "0,0,64,48", NULL);
  }
}

static void
make_contexts (void)
{
  test_double ()->set_devices (2);
  fail_unless (gst_cuda_load_library ());
  gst_cuda_memory_init_once ();
  contexts[0] = gst_cuda_context_new (0);
  contexts[1] = gst_cuda_context_new (second_device);
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
  busy_since = g_get_monotonic_time ();
  test_set_delay (busy_time);
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

/* Whether the context is certainly still busy. */
static gboolean
is_busy (void)
{
  return g_get_monotonic_time () - busy_since < busy_time / 2;
}

/* Runs @function in a thread, which waits for the first context. Returns
 * whether @stream did not wait. */
static gboolean
goes_on_meanwhile (GThreadFunc function, Waiting * waiting, Stream * stream)
{
  GThread *thread;
  gboolean busy;

  make_busy (contexts[0]);
  thread = g_thread_new ("waits", function, waiting);
  g_usleep (100000);
  check_counting (stream);
  busy = is_busy ();
  fail_if (busy && g_atomic_int_get (&waiting->done),
      "the context was not busy");
  g_thread_join (thread);
  return busy;
}

/* Whoever waits for the context waits however long it is busy. A slow machine
 * does not. */
static void
check_goes_on (gboolean (*goes_on) (void))
{
  for (busy_time = 2 * SECOND; !goes_on (); busy_time *= 2)
    fail_unless (busy_time < TEST_MAX_WAIT * SECOND, "the other stream waits");
}

/* A stream opens in the first context. */
static gboolean
load (void)
{
  Stream streams[2];
  Waiting waiting = { &streams[0], FALSE };
  gboolean goes_on;
  guint i;

  make_contexts ();
  for (i = 0; i < 2; i++)
    stream_init (&streams[i], contexts[i]);
  init_element (&streams[1].t);
  count (&streams[1], &streams[1].t);
  goes_on = goes_on_meanwhile (open_stream, &waiting, &streams[1]);
  for (i = 0; i < 2; i++) {
    stream_clear (&streams[i]);
    gst_object_unref (contexts[i]);
  }
  return goes_on;
}

/* The first context is destroyed. */
static gboolean
destroy (void)
{
  Stream streams[2];
  Waiting waiting = { &streams[0], FALSE };
  gboolean goes_on;
  guint i;

  make_contexts ();
  for (i = 0; i < 2; i++) {
    stream_init (&streams[i], contexts[i]);
    init_element (&streams[i].t);
    count (&streams[i], &streams[i].t);
  }
  stream_clear (&streams[0]);
  goes_on = goes_on_meanwhile (drop_context, &waiting, &streams[1]);
  stream_clear (&streams[1]);
  gst_object_unref (contexts[1]);
  return goes_on;
}

/* A frame of the first context is freed after its kernel, and waits until the
 * context is idle; a frame of the other context returns to its pool meanwhile,
 * although no further frame comes. */
static gboolean
free_frame (void)
{
  GstBufferPoolAcquireParams params = {
    .flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT,
  };
  GstBufferPool *pool;
  Stream streams[2];
  GstBuffer *frame, *buffer;
  gboolean goes_on;
  guint i;

  make_contexts ();
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
    while (gst_buffer_pool_acquire_buffer (pool, &buffer, &params) !=
        GST_FLOW_OK)
      g_usleep (1000);
    test_element_push (&streams[1].t, buffer);
  }
  goes_on = is_busy ();
  test_gpu_finish ();
  for (i = 0; i < 2; i++)
    stream_clear (&streams[i]);
  test_pool_free (pool);
  for (i = 0; i < 2; i++)
    gst_object_unref (contexts[i]);
  return goes_on;
}

static gboolean (*const tests[]) (void) = { load, destroy, free_frame };

GST_START_TEST (test_goes_on)
{
  if (test_leave_out ("a context that is busy"))
    return;
  second_device = __i__ % 2;
  check_goes_on (tests[__i__ / 2]);
}

GST_END_TEST;

TEST_SUITE (loading, setup, teardown)
{
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_goes_on, 0, 2 * G_N_ELEMENTS (tests));
}
