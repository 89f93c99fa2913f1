/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element videoequalize between nvcodec's elements: the result in CUDA
 * memory is the same as in system memory, and stays on the GPU. */
#include <string.h>

#include "common/suite.h"
#include "cuda/gstcudacompat.h"
#include "gpu.h"

#define WIDTH 64
#define HEIGHT 48
#define N_FRAMES 6

#define SOURCE "videotestsrc num-buffers=6 pattern=zone-plate kt=3 kx2=20 " \
    "ky2=20 ! video/x-raw,width=64,height=48,framerate=25/1,format="

/* Pipelines */

static void
note_frame (G_GNUC_UNUSED GstElement * sink, GstBuffer * buffer,
    G_GNUC_UNUSED GstPad * pad, gpointer user_data)
{
  g_ptr_array_add (user_data, test_read (buffer));
}

/* Returns the frames that reach the sink, as GBytes. @counted is how many the
 * element `e` counted itself. */
static GPtrArray *
run (const gchar * launch, guint64 * counted)
{
  GPtrArray *frames =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  GstElement *pipeline = gst_parse_launch (launch, NULL);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), "e");
  guint64 uncorrected;

  g_object_set (sink, "signal-handoffs", TRUE, "sync", FALSE, NULL);
  g_signal_connect (sink, "handoff", G_CALLBACK (note_frame), frames);
  test_pipeline_play_to_end (pipeline);
  g_object_get (element, "counted", counted, "uncorrected", &uncorrected, NULL);
  fail_unless_equals_uint64 (uncorrected, 0);
  fail_unless_equals_int (frames->len, N_FRAMES);
  gst_object_unref (sink);
  gst_object_unref (element);
  test_pipeline_stop (pipeline);
  return frames;
}

static const gchar *const formats[] = { "NV12", "P010_10LE", "RGBA" };

static const struct
{
  const gchar *between;
  guint counted;
} chains[] = {
  {"videoequalize name=e", N_FRAMES},
  {"videoequalize name=e method=clahe tiles=2x1", N_FRAMES},
  {"videohistogram ! videoequalize name=e method=gamma smoothing=0", 0},
  {"videohistogram grid=2x2 ! videoequalize name=e method=clahe tiles=2x2", 0},
  /* Something else holds the frames. */
  {"tee name=t t. ! queue ! fakesink t. ! queue ! videoequalize name=e",
      N_FRAMES},
};

GST_START_TEST (test_same_bytes)
{
  const gchar *format = formats[__i__ % G_N_ELEMENTS (formats)];
  const gchar *between = chains[__i__ / G_N_ELEMENTS (formats)].between;
  gchar *on_cpu = g_strdup_printf (SOURCE "%s ! %s ! fakesink name=sink",
      format, between);
  gchar *on_gpu = g_strdup_printf (SOURCE "%s ! cudaupload ! video/x-raw("
      TEST_CUDA ") ! %s ! video/x-raw(" TEST_CUDA ") ! cudadownload ! "
      "video/x-raw ! fakesink name=sink", format, between);
  gchar *untouched = g_strdup_printf (SOURCE "%s ! videoequalize name=e "
      "method=none ! fakesink name=sink", format);
  guint64 counted;
  GPtrArray *frames = run (on_gpu, &counted), *expected, *source;
  guint i;

  fail_unless_equals_uint64 (counted,
      chains[__i__ / G_N_ELEMENTS (formats)].counted);
  expected = run (on_cpu, &counted);
  source = run (untouched, &counted);
  for (i = 0; i < N_FRAMES; i++) {
    fail_unless (g_bytes_equal (frames->pdata[i], expected->pdata[i]),
        "%s: frame %u differs", on_gpu, i);
    fail_if (g_bytes_equal (frames->pdata[i], source->pdata[i]));
  }
  g_ptr_array_unref (frames);
  g_ptr_array_unref (expected);
  g_ptr_array_unref (source);
  g_free (on_cpu);
  g_free (on_gpu);
  g_free (untouched);
}

GST_END_TEST;

/* Buffers */

/* A frame in CUDA memory, and its contents. */
static GstBuffer *
make_frame (GstCaps ** caps, GBytes ** bytes)
{
  GstBuffer *buffer = test_gpu_frame (&test_uploader, WIDTH, HEIGHT, caps,
      NULL);

  *bytes = test_read (buffer);
  return buffer;
}

static void
init_element (TestElement * t)
{
  GstCaps *caps = test_caps ("NV12", WIDTH, HEIGHT);

  test_element_init_equalize (t, NULL, "smoothing", "0", NULL);
  test_gpu_set_caps (t, caps, TRUE);
  gst_caps_unref (caps);
}

static void
check_bytes (GstBuffer * buffer, GBytes * expected, gboolean equal)
{
  GBytes *bytes = test_read (buffer);

  fail_unless_equals_int (g_bytes_equal (bytes, expected), equal);
  g_bytes_unref (bytes);
}

/* Frames that nothing else holds are corrected in place; held ones into memory
 * of the same context. */
GST_START_TEST (test_where)
{
  const gboolean held = __i__;
  TestElement t;
  guint n;

  init_element (&t);
  for (n = 0; n < N_FRAMES; n++) {
    GBytes *bytes;
    GstBuffer *buffer = make_frame (NULL, &bytes), *out;
    GstMemory *memory = gst_buffer_peek_memory (buffer, 0);

    if (held)
      gst_buffer_ref (buffer);
    out = test_element_pass (&t, buffer);
    fail_unless_equals_int (gst_buffer_peek_memory (out, 0) == memory, !held);
    fail_unless (gst_is_cuda_memory (gst_buffer_peek_memory (out, 0)));
    check_bytes (out, bytes, FALSE);
    if (held) {
      fail_unless (GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (out, 0))
          ->context == GST_CUDA_MEMORY_CAST (memory)->context);
    }
    gst_buffer_unref (out);
    if (held) {
      check_bytes (buffer, bytes, TRUE);
      gst_buffer_unref (buffer);
    }
    g_bytes_unref (bytes);
  }
  test_element_check_count (&t, "uncorrected", 0);
  test_element_clear (&t);
}

GST_END_TEST;

/* The bytes of @buffer, which is in CUDA memory, copied on @stream. */
static GBytes *
read_device (GstBuffer * buffer, CUstream stream)
{
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0);
  CUDA_MEMCPY2D copy = {
    .srcMemoryType = CU_MEMORYTYPE_DEVICE,
    .dstMemoryType = CU_MEMORYTYPE_HOST,
    .WidthInBytes = memory->size,
    .Height = 1,
  };
  guint8 *bytes = g_malloc (memory->size);
  GstMapInfo map;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_READ | GST_MAP_CUDA));
  copy.srcDevice = (CUdeviceptr) (guintptr) map.data;
  copy.dstHost = bytes;
  fail_unless_equals_int (CuMemcpy2DAsync (&copy, stream), CUDA_SUCCESS);
  fail_unless_equals_int (CuStreamSynchronize (stream), CUDA_SUCCESS);
  gst_memory_unmap (memory, &map);
  return g_bytes_new_take (bytes, memory->size);
}

/* A pool whose frames are written on a stream, if GStreamer supports that. */
static GstBufferPool *
make_pool (GstCaps ** caps)
{
  GBytes *bytes;
  GstBuffer *buffer = make_frame (caps, &bytes);
  GstBufferPool *pool =
      test_cuda_pool_new (test_context_of (buffer), *caps, 0, TRUE);

  g_bytes_unref (bytes);
  gst_buffer_unref (buffer);
  return pool;
}

/* Reads @buffer on a GPU: in the order of the stream of its memory or, with
 * @sync or without a stream, on another one. */
static GBytes *
read_behind (GstBuffer * buffer, gboolean sync)
{
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0);
  CUstream stream = vh_gst_cuda_memory_stream (memory), other;
  GBytes *bytes;

  fail_unless_equals_int (stream != NULL, GST_CHECK_VERSION (1, 24, 0));
  fail_unless (gst_cuda_context_push (GST_CUDA_MEMORY_CAST (memory)->context));
  fail_unless_equals_int (CuStreamCreate (&other, CU_STREAM_NON_BLOCKING),
      CUDA_SUCCESS);
  if (sync)
    vh_gst_cuda_memory_sync (memory);
  bytes = read_device (buffer, stream && !sync ? stream : other);
  fail_unless_equals_int (CuStreamDestroy (other), CUDA_SUCCESS);
  gst_cuda_context_pop (NULL);
  return bytes;
}

/* Frames whose producer has not finished, with elements before and after that
 * do not wait for the GPU. */
GST_START_TEST (test_pending)
{
  const gboolean held = __i__ % 2, sync = __i__ / 2;
  TestElement gpu, cpu;
  GstBufferPool *pool;
  GstCaps *caps;
  guint n;

  init_element (&gpu);
  pool = make_pool (&caps);
  test_element_init_equalize (&cpu, NULL, "smoothing", "0", NULL);
  gst_harness_set_src_caps (cpu.h, gst_caps_ref (caps));
  test_set_delay (TEST_GPU_SLOW);
  for (n = 0; n < N_FRAMES; n++) {
    GstBuffer *buffer, *out, *expected;
    TestFrame frame;
    GBytes *bytes;

    test_frame_init_plain (&frame, &test_numbers, GST_VIDEO_FORMAT_NV12, WIDTH,
        HEIGHT, NULL);
    fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer,
            NULL), GST_FLOW_OK);
    test_fill (buffer, &frame);
    if (held)
      gst_buffer_ref (buffer);
    out = test_element_pass (&gpu, buffer);
    bytes = read_behind (out, sync);
    check_bytes (out, bytes, TRUE);
    g_bytes_unref (bytes);
    expected = test_element_pass (&cpu, gst_buffer_copy_deep (frame.buffer));
    fail_unless (test_same_picture (out, expected, caps));
    gst_buffer_unref (expected);
    gst_buffer_unref (out);
    if (held) {
      fail_unless (test_same_picture (buffer, frame.buffer, caps));
      gst_buffer_unref (buffer);
    }
    test_frame_clear (&frame);
  }
  test_set_delay (0);
  test_element_check_count (&gpu, "uncorrected", 0);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  gst_caps_unref (caps);
  test_element_clear (&cpu);
  test_element_clear (&gpu);
}

GST_END_TEST;

/* The GPU fails: frames pass unchanged, are counted, and one warning says
 * why. */
GST_START_TEST (test_failing_gpu)
{
  TestElement t;
  GBytes *bytes;
  GstBuffer *buffer, *out;
  guint n;

  if (test_leave_out ("a GPU that fails"))
    return;
  init_element (&t);
  buffer = make_frame (NULL, &bytes);
  out = test_element_pass (&t, buffer);
  check_bytes (out, bytes, FALSE);
  gst_buffer_unref (out);
  g_bytes_unref (bytes);

  for (n = 0; n < N_FRAMES; n++) {
    buffer = make_frame (NULL, &bytes);
    test_double ()->fail_call (TEST_GPU_LAUNCH, 1, 2, VH_DOUBLE_EVER);
    if (__i__)
      gst_buffer_ref (buffer);
    out = test_element_pass (&t, buffer);
    test_double ()->reset ();
    fail_unless (out == buffer);
    check_bytes (out, bytes, TRUE);
    gst_buffer_unref (out);
    if (__i__)
      gst_buffer_unref (buffer);
    g_bytes_unref (bytes);
  }
  test_element_check_count (&t, "uncorrected", N_FRAMES);
  fail_unless_equals_int (test_element_count_messages (&t,
          GST_MESSAGE_WARNING), 1);
  test_element_clear (&t);
}

GST_END_TEST;

TEST_SUITE (videoequalize, test_gpu_setup, test_gpu_teardown)
{
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_same_bytes, 0,
      G_N_ELEMENTS (formats) * G_N_ELEMENTS (chains));
  tcase_add_loop_test (tc, test_where, 0, 2);
  tcase_add_loop_test (tc, test_pending, 0, 4);
  tcase_add_loop_test (tc, test_failing_gpu, 0, 2);
}
