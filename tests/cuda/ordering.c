/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames are written right before and right after they are counted: the counts
 * are those of the frame that the element got, and the video does not wait for
 * them. */
#include <string.h>

#include "cuda/gstcudacompat.h"
#include "common/env.h"
#include "common/suite.h"
#include "clock.h"
#include "gpu.h"

#define FORMAT GST_VIDEO_FORMAT_NV12
#define WIDTH 640
#define HEIGHT 412
#define N_FRAMES TEST_SANITIZED (15, 40)

static TestElement t;
static GstCaps *caps;

static void
setup (void)
{
  test_gpu_setup_slow ();
  caps = test_caps ("NV12", WIDTH, HEIGHT);
}

static void
teardown (void)
{
  gst_clear_caps (&caps);
  test_gpu_teardown ();
}

static void
make_frame (TestFrame * frame, GstVideoHistogram ** expected)
{
  test_frame_init_plain (frame, &test_numbers, FORMAT, WIDTH, HEIGHT, NULL);
  if (expected)
    *expected = test_count_on_cpu (frame->buffer, frame->caps, &test_spec);
}

/* A new frame in CUDA memory. */
static GstBuffer *
make_cuda_frame (GstVideoHistogram ** expected)
{
  return test_gpu_frame (&test_uploader, WIDTH, HEIGHT, NULL, expected);
}

static void
init_element (gboolean cuda_frames, const gchar * attach_meta)
{
  test_element_init (&t, NULL, "attach-meta", attach_meta, "interval", "0",
      "message-counts", "false", NULL);
  test_gpu_set_caps (&t, caps, cuda_frames);
}

static void
overwrite (GstBuffer * buffer, GstMapFlags flags)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE | flags));
  if (flags & GST_MAP_CUDA) {
    GstCudaMemory *memory = GST_CUDA_MEMORY_CAST (map.memory);
    guint8 *junk = g_malloc0 (map.size);
    CUDA_MEMCPY2D copy = { 0, };

    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = junk;
    copy.srcPitch = copy.WidthInBytes = WIDTH;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = (CUdeviceptr) (guintptr) map.data;
    copy.dstPitch = WIDTH;
    copy.Height = HEIGHT;
    fail_unless (gst_cuda_context_push (memory->context));
    fail_unless_equals_int (CuMemcpy2D (&copy), CUDA_SUCCESS);
    gst_cuda_context_pop (NULL);
    g_free (junk);
  } else {
    memset (map.data, 0, map.size);
  }
  gst_buffer_unmap (buffer, &map);
}

/* The element downstream writes to the frame at once. */
GST_START_TEST (test_writer_behind)
{
  GstVideoHistogram *expected, *histogram;
  GstMemory *memories[N_FRAMES];
  GstBuffer *out;
  guint i, n = 0;

  init_element (TRUE, "always");
  for (i = 0; i < N_FRAMES; i++) {
    out = test_element_pass (&t, make_cuda_frame (&expected));
    /* GStreamer's copies within the GPU return before they are done. */
    memories[i] = gst_buffer_get_memory (out, 0);
    if (!gst_buffer_get_video_histogram_meta (out)) {
      gst_video_histogram_unref (expected);
    } else {
      histogram = test_get_histogram (out);
      out = gst_buffer_make_writable (out);
      overwrite (out, __i__ ? GST_MAP_CUDA : 0);
      test_check_histogram (histogram, expected);
      n++;
    }
    gst_buffer_unref (out);
  }
  fail_unless_equals_int (n, N_FRAMES);
  for (i = 0; i < N_FRAMES; i++)
    gst_memory_unref (memories[i]);
  test_element_clear (&t);
}

GST_END_TEST;

/* Where frames come from. */
typedef enum
{
  CUDA_FRAMES,
  PAGEABLE_FRAMES,
  PINNED_FRAMES,
  STREAM_FRAMES,                /* in CUDA memory; GStreamer may return before
                                 * they are written */
} Source;

/* A pool of @n buffers in CUDA memory, or in pinned memory offered by the
 * element. */
static GstBufferPool *
make_pool (Source source, guint n)
{
  GstBufferPool *pool;

  if (source != PINNED_FRAMES) {
    GstBuffer *buffer = make_cuda_frame (NULL);

    pool = test_cuda_pool_new (test_context_of (buffer), caps, n,
        source == STREAM_FRAMES);
    gst_buffer_unref (buffer);
    return pool;
  }

  return test_offered_pool (&t, caps, n, NULL);
}

/* A producer with a small pool gets its buffers back at once, and writes the
 * next frame there. */
GST_START_TEST (test_recycling)
{
  static const Source sources[] = { CUDA_FRAMES, PINNED_FRAMES, STREAM_FRAMES };
  const Source source = sources[__i__ / 2];
  const guint n_buffers = 1 + __i__ % 2;
  GstVideoHistogram *expected, *histogram;
  GstBufferPool *pool;
  GstBuffer *buffer, *out;
  TestFrame frame;
  guint i, n = 0;

  init_element (source != PINNED_FRAMES, "always");
  pool = make_pool (source, n_buffers);
  for (i = 0; i < N_FRAMES; i++) {
    GPtrArray *pending = g_ptr_array_new ();
    guint k;

    /* Two at a time, then a pause to catch up. */
    for (k = 0; k < 2; k++) {
      make_frame (&frame, &expected);
      fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer,
              NULL), GST_FLOW_OK);
      test_fill (buffer, &frame);
      out = test_element_pass (&t, buffer);
      if (gst_buffer_get_video_histogram_meta (out)) {
        g_ptr_array_add (pending, test_get_histogram (out));
        g_ptr_array_add (pending, expected);
        n++;
      } else {
        gst_video_histogram_unref (expected);
      }
      gst_buffer_unref (out);
      test_frame_clear (&frame);
    }
    for (k = 0; k < pending->len; k += 2) {
      histogram = g_ptr_array_index (pending, k);
      test_check_histogram (histogram, g_ptr_array_index (pending, k + 1));
    }
    g_ptr_array_unref (pending);
  }
  fail_unless_equals_int (n, 2 * N_FRAMES);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  test_element_clear (&t);
}

GST_END_TEST;

/* At most two frames are kept from their owner, and none longer than it takes
 * to count them, whether more frames arrive or not. */
GST_START_TEST (test_held_frames)
{
  GPtrArray *memories;
  guint i;

  test_set_delay (5 * TEST_GPU_SLOW);
  memories = g_ptr_array_new_with_free_func ((GDestroyNotify)
      gst_memory_unref);
  init_element (TRUE, __i__ ? "always" : "never");
  for (i = 0; i < N_FRAMES; i++) {
    GstBuffer *frame = test_copy_off_pool (make_cuda_frame (NULL));

    g_ptr_array_add (memories, gst_buffer_get_memory (frame, 0));
    test_element_push (&t, frame);
    fail_unless (test_count_held (memories) <= 2);
    if (i % 10 == 9)
      test_wait_until_released (memories);
  }
  test_wait_for_frames (&t, N_FRAMES);
  test_element_check_count (&t, "skipped", 0);
  test_element_clear (&t);
  g_ptr_array_unref (memories);
}

GST_END_TEST;

/* Discarded results do not keep frames, either: a producer that flushes may
 * have no other buffers. */
GST_START_TEST (test_flushed_frames)
{
  GPtrArray *memories;
  guint i;

  memories = g_ptr_array_new_with_free_func ((GDestroyNotify)
      gst_memory_unref);
  test_set_delay (20 * TEST_GPU_SLOW);
  init_element (TRUE, "never");
  for (i = 0; i < 5; i++) {
    guint k;

    for (k = 0; k < 2; k++) {
      GstBuffer *frame = test_copy_off_pool (make_cuda_frame (NULL));

      g_ptr_array_add (memories, gst_buffer_get_memory (frame, 0));
      test_element_push (&t, frame);
    }
    test_element_flush (&t);
    test_wait_until_released (memories);
  }
  test_element_clear (&t);
  g_ptr_array_unref (memories);
}

GST_END_TEST;

static guint64
result_timestamp (GstMessage * message)
{
  guint64 timestamp = GST_CLOCK_TIME_NONE;

  gst_structure_get_uint64 (gst_message_get_structure (message), "timestamp",
      &timestamp);
  return timestamp;
}

/* Results come in the order of the frames. */
GST_START_TEST (test_order)
{
  GstMessage *message;
  guint i, n = 0;
  guint64 last = 0;

  init_element (TRUE, "never");
  for (i = 0; i < N_FRAMES; i++) {
    GstBuffer *frame = make_cuda_frame (NULL);

    GST_BUFFER_PTS (frame) = (i + 1) * GST_MSECOND;
    test_element_push (&t, frame);
    if (i % 3 == 2)
      g_usleep (3 * TEST_GPU_SLOW);
  }
  gst_harness_push_event (t.h, gst_event_new_eos ());
  while ((message = test_element_pop_result (&t))) {
    fail_unless (result_timestamp (message) > last);
    last = result_timestamp (message);
    gst_message_unref (message);
    n++;
  }
  fail_unless_equals_int (n, test_element_get_count (&t, "processed"));
  fail_unless_equals_int (n + test_element_get_count (&t, "dropped"), N_FRAMES);
  fail_unless (n >= N_FRAMES / 3);
  test_element_clear (&t);
}

GST_END_TEST;

/* While the GPU is busy elsewhere, analyses are skipped and reported; the video
 * is complete and unchanged. */
GST_START_TEST (test_overload)
{
  GBytes *before, *after;
  guint i;

  if (test_leave_out ("a GPU that is too slow"))
    return;
  test_clock_be_exact ();
  test_set_delay (0);
  init_element (TRUE, __i__ ? "always" : "never");
  test_double ()->hang_kernels (TRUE);
  for (i = 0; i < N_FRAMES; i++) {
    GstBuffer *frame = make_cuda_frame (NULL), *out;
    GstMemory *memory = gst_buffer_peek_memory (frame, 0);
    const gint64 start = g_get_monotonic_time ();

    before = test_read (frame);
    out = test_element_pass (&t, frame);
    fail_unless (g_get_monotonic_time () - start < G_TIME_SPAN_SECOND);
    fail_unless (gst_buffer_peek_memory (out, 0) == memory);
    after = test_read (out);
    fail_unless (g_bytes_equal (before, after));
    g_bytes_unref (before);
    g_bytes_unref (after);
    gst_buffer_unref (out);
  }
  test_element_check_count (&t, "dropped", N_FRAMES - 2);
  fail_unless_equals_int (test_element_count_messages (&t,
          GST_MESSAGE_QOS), N_FRAMES - 2);
  test_double ()->hang_kernels (FALSE);
  test_wait_for_frames (&t, N_FRAMES);
  test_element_check_count (&t, "processed", 2);

  /* It counts again. */
  test_element_push (&t, make_cuda_frame (NULL));
  test_wait_for_frames (&t, N_FRAMES + 1);
  test_element_check_count (&t, "processed", 3);
  test_element_clear (&t);
  test_clock_slow_down ();
}

GST_END_TEST;

/* The streaming thread does not wait for the GPU, and nothing is allocated.
 * Frames are kept here until they are counted; test_recycling covers the other
 * case. */
GST_START_TEST (test_steady_state)
{
  GstBuffer *frames[12], *out;
  GstBufferPool *pool = NULL;
  TestFrame frame;
  guint i, waits = 0, allocations = 0, copies = 0;

  init_element (__i__ == CUDA_FRAMES, "always");
  if (__i__ == PINNED_FRAMES)
    pool = make_pool (__i__, 0);
  for (i = 0; i < G_N_ELEMENTS (frames); i++) {
    make_frame (&frame, NULL);
    if (__i__ == CUDA_FRAMES) {
      frames[i] = test_upload (&test_uploader, frame.buffer, frame.caps);
    } else if (__i__ == PAGEABLE_FRAMES) {
      frames[i] = gst_buffer_ref (frame.buffer);
    } else {
      fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &frames[i],
              NULL), GST_FLOW_OK);
      test_fill (frames[i], &frame);
    }
    test_frame_clear (&frame);
  }

  for (i = 0; i < 10 * G_N_ELEMENTS (frames); i++) {
    /* The first few frames allocate what is needed. */
    if (i == G_N_ELEMENTS (frames) && test_double ()) {
      waits = test_double ()->waits ();
      allocations = test_gpu_calls (TEST_GPU_ALLOCATIONS, NULL);
      copies = test_gpu_calls (TEST_GPU_COPIES, NULL);
    }
    out = test_element_pass (&t,
        gst_buffer_ref (frames[i % G_N_ELEMENTS (frames)]));
    gst_buffer_unref (out);
    if (i % 2)
      test_wait_for_frames (&t, i + 1);
  }
  test_element_check_count (&t, "processed", i);
  if (test_double ()) {
    fail_unless_equals_int (test_double ()->waits (), waits);
    fail_unless_equals_int (test_gpu_calls (TEST_GPU_ALLOCATIONS, NULL),
        allocations);
    fail_unless_equals_int (test_gpu_calls (TEST_GPU_COPIES, NULL) - copies,
        __i__ == CUDA_FRAMES ? 0 : i - G_N_ELEMENTS (frames));
  }

  for (i = 0; i < G_N_ELEMENTS (frames); i++)
    gst_buffer_unref (frames[i]);
  if (pool) {
    gst_buffer_pool_set_active (pool, FALSE);
    gst_object_unref (pool);
  }
  test_element_clear (&t);
}

GST_END_TEST;

TEST_SUITE (ordering, setup, teardown)
{
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_writer_behind, 0, 2);
  tcase_add_loop_test (tc, test_recycling, 0, 6);
  tcase_add_loop_test (tc, test_held_frames, 0, 2);
  tcase_add_test (tc, test_flushed_frames);
  tcase_add_test (tc, test_order);
  tcase_add_loop_test (tc, test_overload, 0, 2);
  tcase_add_loop_test (tc, test_steady_state, 0, 3);
}
