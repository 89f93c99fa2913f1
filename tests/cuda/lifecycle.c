/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What may change or end while the GPU works, and which objects may outlive
 * which. Everything that was allocated is freed. */
#include <gst/cuda/cuda-gst.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>
#include <string.h>

#include "common/figures.h"
#include "common/scenario.h"
#include "common/suite.h"
#include "clock.h"
#include "gpu.h"

#define LUMA GST_VIDEO_HISTOGRAM_CHANNEL_LUMA

/* Makes a frame for @t, and sets its caps. */
static GstBuffer *
make_frame (TestElement * t, gboolean cuda, GstVideoHistogram ** expected)
{
  GstCaps *caps;
  GstBuffer *buffer = test_gpu_frame (cuda ? &test_uploader : NULL, 320, 180,
      &caps, expected);

  test_gpu_set_caps (t, caps, cuda);
  gst_caps_unref (caps);
  return buffer;
}

static GstBuffer *
make_cuda_frame (TestElement * t, GstVideoHistogram ** expected)
{
  return make_frame (t, TRUE, expected);
}

/* Passes a frame and returns its histogram, which may be pending. */
static GstVideoHistogram *
count_frame (TestElement * t, GstVideoHistogram ** expected)
{
  GstBuffer *out = test_element_pass (t, make_cuda_frame (t, expected));
  GstVideoHistogram *histogram = test_get_histogram (out);

  gst_buffer_unref (out);
  return histogram;
}

/* Takes @buffer, and returns its histogram. If the GPU needs longer for earlier
 * frames than a change waits for, it is left alone for a second, and frames
 * pass without being analysed: then copies are sent until one is, with waits of
 * a millisecond, of which @n_tries_left are left. */
static GstVideoHistogram *
count_when_ready (TestElement * t, GstBuffer * buffer, guint * n_tries_left)
{
  GstBuffer *copy = gst_buffer_copy (buffer);
  GstVideoHistogram *histogram;

  buffer = test_element_pass (t, buffer);
  while (!gst_buffer_get_video_histogram_meta (buffer)) {
    fail_unless (*n_tries_left > 0, "frames are not analysed");
    (*n_tries_left)--;
    g_usleep (G_TIME_SPAN_MILLISECOND);
    gst_buffer_unref (buffer);
    buffer = test_element_pass (t, gst_buffer_copy (copy));
  }
  histogram = test_get_histogram (buffer);
  gst_buffer_unref (buffer);
  gst_buffer_unref (copy);
  return histogram;
}

/* Format, size, memory and every setting change from frame to frame, while
 * earlier ones are still being counted. */
GST_START_TEST (test_changes)
{
  const TestLive live = test_live ();
  GPtrArray *histograms = g_ptr_array_new ();
  TestElement t;
  TestFrame frame;
  guint n_tries_left = 3000, i;

  test_element_init (&t, NULL, "attach-meta", "always", "interval", "0",
      "backend", "cuda", NULL);
  for (i = 0; i < 60; i++) {
    const TestShape shape = test_scenario_shape (&test_numbers,
        TEST_SCENARIO_N_UPLOADED, 1, 300, 100);
    GstBuffer *buffer;

    test_frame_init_plain (&frame, &test_numbers, shape.format, shape.width,
        shape.height, NULL);
    test_spec_init_random (&test_spec, &test_numbers, frame.caps);
    test_set_spec (t.element, &test_spec);
    if (test_random_once_in (&test_numbers, 3)) {
      gst_harness_set_src_caps (t.h, gst_caps_ref (frame.caps));
      buffer = gst_buffer_ref (frame.buffer);
    } else {
      gst_harness_set_src_caps (t.h, test_cuda_caps (frame.caps));
      buffer = test_upload (&test_uploader, frame.buffer, frame.caps);
    }
    g_ptr_array_add (histograms, count_when_ready (&t, buffer, &n_tries_left));
    g_ptr_array_add (histograms, test_count_on_cpu (frame.buffer, frame.caps,
            &test_spec));
    test_frame_clear (&frame);
  }
  for (i = 0; i < histograms->len; i += 2) {
    test_check_histogram (g_ptr_array_index (histograms, i),
        g_ptr_array_index (histograms, i + 1));
  }
  g_ptr_array_unref (histograms);
  test_element_clear (&t);
  test_gpu_check_live (&live);
}

GST_END_TEST;

/* All results arrive before EOS. */
GST_START_TEST (test_eos)
{
  TestElement t;
  guint i;

  for (i = 0; i < 10; i++) {
    test_element_init (&t, NULL, "interval", "0", NULL);
    test_element_push (&t, make_cuda_frame (&t, NULL));
    test_element_push (&t, make_cuda_frame (&t, NULL));
    fail_unless (gst_harness_push_event (t.h, gst_event_new_eos ()));
    fail_unless_equals_int (test_element_count_results (&t), 2);
    test_element_clear (&t);
  }
}

GST_END_TEST;

/* No result from before a flush is posted after it. */
GST_START_TEST (test_flush)
{
  GstSegment segment;
  GstMessage *message;
  TestElement t;
  guint i;

  test_element_init (&t, NULL, "interval", "0", NULL);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (i = 0; i < 20; i++) {
    GstBuffer *frame = make_cuda_frame (&t, NULL);
    guint64 timestamp;

    GST_BUFFER_PTS (frame) = i * 1000;
    test_element_push (&t, frame);
    gst_harness_push_event (t.h, gst_event_new_flush_start ());
    gst_harness_push_event (t.h, gst_event_new_flush_stop (TRUE));
    segment.start = segment.position = i * GST_SECOND;
    gst_harness_push_event (t.h, gst_event_new_segment (&segment));
    test_element_count_results (&t);

    frame = make_cuda_frame (&t, NULL);
    GST_BUFFER_PTS (frame) = i * GST_SECOND;
    test_element_push (&t, frame);
    while (!(message = test_element_pop_result (&t)))
      g_usleep (100);
    fail_unless (gst_structure_get_uint64 (gst_message_get_structure (message),
            "timestamp", &timestamp));
    fail_unless_equals_uint64 (timestamp, i * GST_SECOND);
    gst_message_unref (message);
  }
  test_element_clear (&t);
}

GST_END_TEST;

/* A pipeline that seeks while frames are in flight. */
GST_START_TEST (test_seeks)
{
  GstElement *pipeline = gst_parse_launch ("videotestsrc ! "
      "video/x-raw,format=NV12,width=320,height=180 ! cudaupload ! "
      "video/x-raw(" TEST_CUDA ") ! videohistogram interval=0 "
      "message-counts=false ! fakesink", NULL);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  guint i;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (i = 0; i < 20; i++) {
    fail_if (gst_element_get_state (pipeline, NULL, NULL, 30 * GST_SECOND) !=
        GST_STATE_CHANGE_SUCCESS);
    fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_TIME,
            GST_SEEK_FLAG_FLUSH, i * GST_SECOND));
    g_usleep (test_random_below (&test_numbers, 2 * TEST_GPU_SLOW));
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  fail_unless (message == NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}

GST_END_TEST;

/* State changes up and down, with frames in flight, leave nothing behind. */
GST_START_TEST (test_cycles)
{
  TestLive live = test_live ();
  TestElement t;
  guint i, k;

  for (i = 0; i < 40; i++) {
    test_element_init (&t, NULL, "interval", "0", "attach-meta",
        i % 2 ? "always" : "never", NULL);
    for (k = 0; k < i % 4; k++)
      test_element_push (&t, make_cuda_frame (&t, NULL));
    test_element_clear (&t);
    test_gpu_check_live (&live);
  }
}

GST_END_TEST;

/* Stops within a second while a kernel never completes, and passes video until
 * then. */
static const struct
{
  gboolean equalize, cuda;
  const gchar *attach_meta;
} hangs[] = {
  {FALSE, FALSE, "never"},
  {FALSE, FALSE, "always"},
  {FALSE, TRUE, "never"},
  {FALSE, TRUE, "always"},
  {TRUE, TRUE, NULL},
};

GST_START_TEST (test_hang)
{
  static gint64 longest;        /* microseconds */
  const gboolean cuda = hangs[__i__].cuda;
  TestElement t;
  gint64 start;
  guint i;

  if (test_leave_out ("a kernel that never completes"))
    return;
  test_clock_be_exact ();
  test_set_delay (0);
  if (hangs[__i__].equalize) {
    test_element_init_equalize (&t, NULL, NULL, NULL);
  } else {
    test_element_init (&t, NULL, "interval", "0", "backend", "cuda",
        "attach-meta", hangs[__i__].attach_meta, NULL);
  }
  for (i = 0; i < 5; i++) {
    GstBuffer *buffer = make_frame (&t, cuda, NULL);

    test_double ()->hang_kernels (TRUE);
    start = g_get_monotonic_time ();
    test_element_push (&t, buffer);
    fail_unless (g_get_monotonic_time () - start < G_TIME_SPAN_SECOND);
  }
  start = g_get_monotonic_time ();
  fail_unless_equals_int (gst_element_set_state (t.element, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  longest = MAX (longest, g_get_monotonic_time () - start);
  test_element_clear (&t);
  fail_unless (g_get_monotonic_time () - start < G_TIME_SPAN_SECOND);
  test_double ()->reset ();
  if (__i__ == G_N_ELEMENTS (hangs) - 1) {
    test_figure ("from PLAYING to NULL with a kernel that never ends, at most",
        "%d ms", (gint) (longest / 1000));
  }
  test_clock_slow_down ();
}

GST_END_TEST;

/* Histograms still pending when everything else ends become complete. */
GST_START_TEST (test_outlive)
{
  const TestLive live = test_live ();
  const gboolean read = __i__;
  GstVideoHistogram *histograms[2], *expected[2];
  TestElement t;
  guint i, k;

  for (i = 0; i < 20; i++) {
    test_element_init (&t, NULL, "attach-meta", "always", "post-messages",
        "false", NULL);
    for (k = 0; k < 2; k++)
      histograms[k] = count_frame (&t, &expected[k]);
    test_element_clear (&t);
    test_uploader_clear (&test_uploader);
    for (k = 0; k < 2; k++) {
      if (read) {
        test_check_histogram (histograms[k], expected[k]);
      } else {
        gst_video_histogram_unref (histograms[k]);
        gst_video_histogram_unref (expected[k]);
      }
    }
    test_live_check (&live);
    test_uploader_init (&test_uploader, -1);
  }
}

GST_END_TEST;

/* Histograms of an engine that are never polled. */
GST_START_TEST (test_unread)
{
  const TestLive live = test_live ();
  GstVideoHistogramEngine *engine;
  GstVideoHistogram *histogram;
  guint i;

  for (i = 0; i < 20; i++) {
    GstCaps *caps;
    GstBuffer *buffer = test_gpu_frame (&test_uploader, 320, 180, &caps, NULL);

    gst_caps_take (&caps, test_cuda_caps (caps));
    engine = test_engine_new (GST_VIDEO_HISTOGRAM_BACKEND_CUDA, caps,
        &test_spec);
    histogram = gst_video_histogram_engine_submit (engine, buffer, NULL, FALSE,
        NULL);
    fail_unless (histogram != NULL);
    if (i % 2)
      gst_clear_video_histogram (&histogram);
    g_object_unref (engine);
    gst_clear_video_histogram (&histogram);
    gst_buffer_unref (buffer);
    gst_caps_unref (caps);
    test_gpu_check_live (&live);
  }
}

GST_END_TEST;

/* Reads the counts as a consumer on the GPU would, after the event. */
static guint32 *
read_view (const GstVideoHistogramDeviceView * view, guint n)
{
  CUresult (*stream_wait_event) (CUstream, CUevent, unsigned int) =
      test_driver_function ("cuStreamWaitEvent");
  GstCudaContext *context = view->cuda_context;
  guint32 *counts = g_new0 (guint32, n);
  CUDA_MEMCPY2D copy = { 0, };
  CUstream stream;

  fail_unless (gst_cuda_context_push (context));
  fail_unless_equals_int (CuStreamCreate (&stream, CU_STREAM_NON_BLOCKING), 0);
  fail_unless_equals_int (stream_wait_event (stream, view->event, 0), 0);
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = view->counts;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = counts;
  copy.srcPitch = copy.dstPitch = copy.WidthInBytes = n * sizeof (*counts);
  copy.Height = 1;
  fail_unless_equals_int (CuMemcpy2DAsync (&copy, stream), 0);
  fail_unless_equals_int (CuStreamSynchronize (stream), 0);
  CuStreamDestroy (stream);
  gst_cuda_context_pop (NULL);
  return counts;
}

static void
check_view (const GstVideoHistogramDeviceView * view,
    GstVideoHistogram * expected)
{
  guint32 *counts;

  fail_unless_equals_int (view->n_values, 256);
  counts = read_view (view, 256);
  fail_unless (memcmp (counts, gst_video_histogram_get_counts (expected, LUMA,
              NULL), 256 * sizeof (*counts)) == 0);
  g_free (counts);
}

GST_START_TEST (test_device_view)
{
  GstVideoHistogramDeviceView view, kept_view;
  GstVideoHistogram *histogram, *expected, *kept, *kept_expected, *old;
  GstVideoHistogram *more[12];
  TestElement t;
  guint i;

  test_element_init (&t, NULL, "attach-meta", "always", "post-messages",
      "false", NULL);
  for (i = 0; i < 8; i++) {
    /* Both pending and complete. */
    histogram = count_frame (&t, &expected);
    if (i % 2)
      fail_unless (gst_video_histogram_wait (histogram, GST_CLOCK_TIME_NONE));
    fail_unless (gst_video_histogram_map_device (histogram, &view));
    check_view (&view, expected);
    gst_video_histogram_unmap_device (histogram, &view);
    test_check_histogram (histogram, expected);
  }

  /* While mapped, its counts stay, however many frames come. */
  kept = count_frame (&t, &kept_expected);
  fail_unless (gst_video_histogram_map_device (kept, &kept_view));
  old = count_frame (&t, &expected);
  fail_unless (gst_video_histogram_wait (old, GST_CLOCK_TIME_NONE));
  gst_video_histogram_unref (expected);
  for (i = 0; i < 12; i++) {
    histogram = count_frame (&t, &expected);
    test_check_histogram (histogram, expected);
    check_view (&kept_view, kept_expected);
  }
  /* An unmapped histogram gives up its slot, but keeps its counts. */
  for (i = 0; i < G_N_ELEMENTS (more); i++) {
    more[i] = count_frame (&t, NULL);
    fail_unless (gst_video_histogram_wait (more[i], GST_CLOCK_TIME_NONE));
  }
  fail_if (gst_video_histogram_map_device (old, &view));
  fail_unless (gst_video_histogram_get_counts (old, LUMA, NULL) != NULL);
  gst_video_histogram_unref (old);
  for (i = 0; i < G_N_ELEMENTS (more); i++)
    gst_video_histogram_unref (more[i]);

  /* It outlives the element. */
  test_element_clear (&t);
  check_view (&kept_view, kept_expected);
  gst_video_histogram_unmap_device (kept, &kept_view);
  test_check_histogram (kept, kept_expected);

  /* Counts made by the CPU are not on any GPU. */
  gst_buffer_unref (test_gpu_frame (NULL, 320, 180, NULL, &histogram));
  fail_if (gst_video_histogram_map_device (histogram, &view));
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

/* Contexts */

static GstCudaContext *
context_of (GstBuffer * buffer)
{
  return GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (buffer, 0))->context;
}

/* Queries the element's context as a neighbor does; returns NULL if it has
 * none. */
static GstCudaContext *
query_context (TestElement * t)
{
  GstQuery *query = gst_query_new_context (GST_CUDA_CONTEXT_TYPE);
  GstCudaContext *context = NULL;
  GstContext *answer = NULL;

  if (gst_pad_peer_query (t->h->srcpad, query)) {
    gst_query_parse_context (query, &answer);
    fail_unless (answer != NULL);
    gst_structure_get (gst_context_get_structure (answer),
        GST_CUDA_CONTEXT_TYPE, GST_TYPE_CUDA_CONTEXT, &context, NULL);
    gst_object_unref (context);
  }
  gst_query_unref (query);
  return context;
}

static GstBusSyncReply
answer_need_context (G_GNUC_UNUSED GstBus * bus, GstMessage * message,
    gpointer user_data)
{
  const gchar *type;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_NEED_CONTEXT
      && gst_message_parse_context_type (message, &type)
      && strcmp (type, GST_CUDA_CONTEXT_TYPE) == 0)
    gst_element_set_context (GST_ELEMENT (GST_MESSAGE_SRC (message)),
        user_data);
  return GST_BUS_PASS;
}

/* The element uses and passes on the context that it is given, before it needs
 * one or in answer to need-context. */
GST_START_TEST (test_given_context)
{
  GstCudaContext *context = gst_cuda_context_new (0);
  GstContext *wrapped = gst_context_new_cuda_context (context);
  GstCaps *caps = gst_caps_from_string ("video/x-raw(" TEST_CUDA "),"
      "format=NV12,width=320,height=180");
  /* The context of an earlier test may still be freed. */
  const guint contexts = test_live ().n[VH_DOUBLE_CONTEXT];
  TestElement t;

  test_element_init (&t, NULL, NULL, NULL);
  fail_unless (query_context (&t) == NULL);
  if (__i__)
    gst_bus_set_sync_handler (t.bus, answer_need_context, wrapped, NULL);
  else
    gst_element_set_context (t.element, wrapped);
  gst_harness_set_src_caps (t.h, caps);
  fail_unless (query_context (&t) == context);
  fail_unless (test_live ().n[VH_DOUBLE_CONTEXT] <= contexts);
  gst_bus_set_sync_handler (t.bus, NULL, NULL, NULL);
  test_element_clear (&t);
  gst_context_unref (wrapped);
  gst_object_unref (context);
}

GST_END_TEST;

/* All elements of a pipeline share one context. */
GST_START_TEST (test_shared_context)
{
  static const gchar *const launches[] = {
    "videotestsrc num-buffers=3 ! video/x-raw,width=640,height=480 ! "
        "cudaupload ! video/x-raw(" TEST_CUDA ") ! videohistogram ! "
        "videohistogram ! cudadownload ! fakesink",
    "videotestsrc num-buffers=3 ! video/x-raw,width=640,height=480 ! "
        "videohistogram ! cudaupload ! video/x-raw(" TEST_CUDA ") ! "
        "videohistogram ! fakesink",
    "videotestsrc num-buffers=3 ! video/x-raw,width=640,height=480 ! "
        "tee name=t t. ! queue ! videohistogram ! fakesink "
        "t. ! queue ! videohistogram ! fakesink",
  };
  /* The context of the fixture belongs to another pipeline. */
  const guint created = test_gpu_calls ("cuCtxCreate_v2", NULL);

  test_pipeline_stop (test_pipeline_run (launches[__i__]));
  if (test_double ())
    fail_unless_equals_int (test_gpu_calls ("cuCtxCreate_v2", NULL) - created,
        1);
}

GST_END_TEST;

/* The element adopts the context of the frames, and again if that changes. */
GST_START_TEST (test_adoption)
{
  GstVideoHistogram *histogram, *expected;
  TestElement t;
  guint i, k;

  test_element_init (&t, NULL, "attach-meta", "always", "post-messages",
      "false", NULL);
  for (i = 0; i < 6; i++) {
    for (k = 0; k < 3; k++) {
      GstBuffer *frame = make_cuda_frame (&t, &expected);

      gst_buffer_ref (frame);
      gst_buffer_unref (test_element_pass (&t, frame));
      fail_unless (query_context (&t) == context_of (frame));
      gst_buffer_unref (frame);
      gst_video_histogram_unref (expected);
      histogram = count_frame (&t, &expected);
      test_check_histogram (histogram, expected);
    }
    /* The next round has another context. */
    test_gpu_renew_uploader ();
  }
  test_element_clear (&t);
}

GST_END_TEST;

/* Frames on another GPU than the requested one pass without being analysed; if
 * none is requested they are counted where they are. */
GST_START_TEST (test_two_devices)
{
  GstVideoHistogram *histogram, *expected;
  GstBuffer *out;
  TestElement t;
  guint i;

  if (test_leave_out ("a second GPU"))
    return;
  test_double ()->set_devices (2);
  test_element_init (&t, NULL, "attach-meta", "always", "cuda-device-id",
      __i__ ? "0" : "-1", NULL);
  for (i = 0; i < 4; i++) {
    if (i == 2) {
      test_uploader_clear (&test_uploader);
      test_uploader_init (&test_uploader, 1);
    }
    out = test_element_pass (&t, make_cuda_frame (&t, &expected));
    if (i < 2 || !__i__) {
      histogram = test_get_histogram (out);
      test_check_histogram (histogram, expected);
    } else {
      fail_unless (gst_buffer_get_video_histogram_meta (out) == NULL);
      gst_video_histogram_unref (expected);
    }
    gst_buffer_unref (out);
  }
  test_element_check_count (&t, "skipped", __i__ ? 2 : 0);
  test_element_clear (&t);
}

GST_END_TEST;

#define N_ELEMENTS 64
#define N_MODULES 6             /* modules per context */

/* Many elements at once, in one context, with one set of kernels. */
GST_START_TEST (test_many)
{
  TestElement t[N_ELEMENTS];
  GstVideoHistogram *histograms[N_ELEMENTS], *expected[N_ELEMENTS];
  GstContext *wrapped;
  GstBuffer *buffer;
  TestLive live;
  guint i, k, modules;

  test_set_delay (100);
  buffer = test_gpu_frame (&test_uploader, 320, 180, NULL, NULL);
  wrapped = gst_context_new_cuda_context (context_of (buffer));
  gst_buffer_unref (buffer);
  live = test_live ();
  modules = test_gpu_calls ("cuModuleLoadData", NULL);
  for (i = 0; i < N_ELEMENTS; i++) {
    test_element_init (&t[i], NULL, "attach-meta", "always", NULL);
    gst_element_set_context (t[i].element, wrapped);
  }
  for (k = 0; k < 3; k++) {
    for (i = 0; i < N_ELEMENTS; i++)
      histograms[i] = count_frame (&t[i], &expected[i]);
    for (i = 0; i < N_ELEMENTS; i++)
      test_check_histogram (histograms[i], expected[i]);
  }
  if (test_double ())
    fail_unless_equals_int (test_gpu_calls ("cuModuleLoadData", NULL),
        modules + N_MODULES);
  for (i = 0; i < N_ELEMENTS; i++)
    test_element_clear (&t[i]);
  gst_context_unref (wrapped);
  test_gpu_check_live (&live);
}

GST_END_TEST;

TEST_SUITE (lifecycle, test_gpu_setup_slow, test_gpu_teardown)
{
  tcase_set_timeout (tc, 0);
  tcase_add_test (tc, test_changes);
  tcase_add_test (tc, test_eos);
  tcase_add_test (tc, test_flush);
  tcase_add_test (tc, test_seeks);
  tcase_add_test (tc, test_cycles);
  tcase_add_loop_test (tc, test_outlive, 0, 2);
  tcase_add_test (tc, test_unread);
  tcase_add_test (tc, test_device_view);
  tcase_add_loop_test (tc, test_given_context, 0, 2);
  tcase_add_loop_test (tc, test_shared_context, 0, 3);
  tcase_add_test (tc, test_adoption);
  tcase_add_loop_test (tc, test_two_devices, 0, 2);
  tcase_add_test (tc, test_many);
  tcase_add_loop_test (tc, test_hang, 0, G_N_ELEMENTS (hangs));
}
