/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames that are counted whole: which they are, and that no pixel of them is
 * left out or counted twice, wherever their rows begin and end, by however many
 * blocks. */
#include <gst/check/gstcheck.h>

#include "cuda/context.h"
#include "cuda/frames.h"
#include "gpu.h"

#define N_SHAPES 30

#define LUMA GST_VIDEO_HISTOGRAM_CHANNELS_LUMA
#define RGB GST_VIDEO_HISTOGRAM_CHANNELS_RGB
#define GREEN GST_VIDEO_HISTOGRAM_CHANNELS_GREEN

/* A device like an H200, with all kernels. */
static VhCudaDevice
make_h200 (void)
{
  VhCudaDevice device = {
    .multiprocessors = 132,
    .threads_per_multiprocessor = 2048,
    .shared_limit = 227 * 1024,
  };
  guint i;

  for (i = 0; i < VH_CUDA_N_KERNELS; i++)
    device.max_threads[i] = 1024;
  return device;
}

/* Planes and regions, and which kernel takes them. */
static const struct
{
  const gchar *format;
  GstVideoHistogramChannels channels;
  guint columns;
  guint stride;                 /* of plane 0; 0: the least */
  VhRect region;
  gboolean whole;               /* by a kernel of framecolumns.cu */
  guint blocks;                 /* of a plane, on an H200; 0: any number */
} choices[] = {
  {"GRAY8", LUMA, 1, 0, {0, 0, 1920, 1080}, TRUE, 132},
  {"NV12", LUMA, 1, 2048, {0, 0, 1920, 1080}, TRUE, 132},
  {"NV12", LUMA, 1, 4096, {0, 0, 3840, 2160}, TRUE, 132},
  {"NV12", LUMA, 1, 2048, {3, 5, 1907, 1001}, TRUE, 132},
  {"I420", LUMA, 1, 512, {0, 0, 320, 240}, TRUE, 9},
  {"I420", LUMA, 1, 512, {0, 0, 16, 16}, FALSE, 1},
  {"GBR", RGB, 1, 2048, {0, 0, 1920, 1080}, TRUE, 44},
  {"GBR", GREEN, 1, 2048, {0, 0, 1920, 1080}, TRUE, 132},
  {"RGBA", RGB, 1, 0, {0, 0, 1920, 1080}, TRUE, 132},
  {"RGBA", RGB | LUMA, 1, 7680, {1, 1, 1919, 1079}, TRUE, 132},
  {"BGRx", LUMA, 1, 0, {0, 0, 1920, 1080}, TRUE, 132},
  {"RGB", RGB, 1, 0, {0, 0, 1920, 1080}, TRUE, 132},
  {"YUY2", LUMA, 1, 0, {0, 0, 1920, 1080}, TRUE, 132},
  /* rows that begin anywhere; cells; so much that reading is all there is; more
   * than the counters hold */
  {"GRAY8", LUMA, 1, 1368, {0, 0, 1366, 768}, FALSE, 0},
  {"GRAY8", LUMA, 2, 0, {0, 0, 1920, 1080}, FALSE, 0},
  {"GRAY8", LUMA, 1, 0, {0, 0, 16384, 16384}, FALSE, 0},
  {"RGBA", RGB, 1, 0, {0, 0, 4096, 4096}, FALSE, 0},
};

GST_START_TEST (test_choice)
{
  const gchar *format = choices[__i__].format;
  const VhRect *region = &choices[__i__].region;
  const VhCudaDevice device = make_h200 ();
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      format, "width", G_TYPE_INT, region->width, "height", G_TYPE_INT,
      region->height, NULL);
  GstVideoHistogramInfo info = {
    .channels = choices[__i__].channels,.bins = 256,.rows = 1,
    .columns = choices[__i__].columns,
  };
  CUdeviceptr data[GST_VIDEO_MAX_PLANES];
  gsize stride[GST_VIDEO_MAX_PLANES];
  VhFrameView view = { 0, };
  VhKernelParams params;
  VhCudaLaunch launch;
  VhLayout layout;
  guint p;

  fail_unless (vh_layout_from_caps (&layout, caps, NULL));
  view.layout = &layout;
  vh_cuda_params_init (&params, &layout, &info);
  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    data[p] = 1 << 20;
    stride[p] = choices[__i__].stride ? choices[__i__].stride :
        (guint) layout.component[0].pixel_stride * region->width;
  }
  vh_cuda_params_set_frame (&params, &view, region, data, stride);
  launch = vh_cuda_choose_launch (&device, &layout,
      __i__ % 2 ? GST_VIDEO_HISTOGRAM_METHOD_LANE_COLUMNS :
      GST_VIDEO_HISTOGRAM_METHOD_AUTO, &params, NULL);
  fail_unless_equals_int (launch.vector_bytes != 0, choices[__i__].whole);
  if (choices[__i__].blocks)
    fail_unless_equals_int (launch.grid[0], choices[__i__].blocks);
  fail_unless (launch.grid[0] * launch.threads <= 132 * 2048);
  gst_caps_unref (caps);
}

GST_END_TEST;

static const struct
{
  const gchar *format;
  GstVideoHistogramChannels channels;
} formats[] = {
  {"GRAY8", LUMA}, {"NV12", LUMA}, {"GBR", RGB}, {"GBR", GREEN},
  {"YUY2", LUMA}, {"UYVY", LUMA}, {"RGBx", LUMA}, {"xBGR", RGB},
  {"BGRA", RGB | LUMA}, {"ARGB", GREEN}, {"RGB", LUMA}, {"BGR", RGB},
  {"RGB", RGB | LUMA},
};

/* A picture in CUDA memory with room around it, so that rows begin anywhere and
 * have gaps between them. */
static void
init_frame (TestFrame * frame, TestRandom * random, guint i, guint width,
    guint height)
{
  const GstVideoFormat format =
      gst_video_format_from_string (formats[i].format);

  if (test_random_once_in (random, 4))
    test_frame_init_plain (frame, random, format, width, height, NULL);
  else
    test_frame_init_random (frame, random, format, width, height, NULL);
}

/* The device that engines count on, with so many multiprocessors. */
static VhCudaDevice *
ref_device (gint n)
{
  const VhCudaDriver *driver = vh_cuda_driver_get (NULL);
  GstCudaContext *context = NULL;
  VhCudaDevice *device;
  CUresult result;

  fail_unless (driver != NULL && gst_cuda_load_library ());
  fail_unless (vh_cuda_find_context (NULL, -1, &context));
  device = vh_cuda_device_get (driver, context, &result, NULL);
  fail_unless (device != NULL);
  device->multiprocessors = n;
  gst_object_unref (context);
  return device;
}

/* Counts it twice, in the same place. */
static void
check_frame (GstVideoHistogramEngine * engine, TestFrame * frame,
    const GstVideoHistogramSpec * spec, gint n)
{
  VhCudaDevice *device = ref_device (n);
  GstVideoHistogram *histogram, *expected;
  const gchar *wrong;
  guint i;

  fail_unless (gst_video_histogram_engine_configure (engine, frame->caps, spec,
          NULL));
  expected = test_count_on_cpu (frame->buffer, frame->caps, spec);
  for (i = 0; i < 2; i++) {
    histogram = gst_video_histogram_engine_submit (engine, frame->buffer, NULL,
        FALSE, NULL);
    wrong = test_compare (histogram, expected);
    fail_if (wrong, "%s of %ux%u, channels 0x%x, with %d multiprocessors: %s",
        gst_video_format_to_string (frame->format), frame->width,
        frame->height, spec->channels, n, wrong);
    gst_video_histogram_unref (histogram);
  }
  gst_video_histogram_unref (expected);
  vh_cuda_device_unref (device);
}

static void
cut_region (GstVideoHistogramSpec * spec, TestRandom * random,
    const TestFrame * frame)
{
  spec->region_x = test_random_below (random, frame->width);
  spec->region_y = test_random_below (random, frame->height);
  spec->region_width = 1 + test_random_below (random, frame->width);
  spec->region_height = 1 + test_random_below (random, frame->height);
}

GST_START_TEST (test_shapes)
{
  TestRandom random = test_random_new (__i__);
  GstVideoHistogramEngine *engine = gst_video_histogram_engine_new ();
  GstVideoHistogramSpec spec;
  TestFrame frame;
  guint i;

  fail_unless (gst_video_histogram_engine_open (engine,
          GST_VIDEO_HISTOGRAM_BACKEND_CUDA, -1, NULL, NULL));
  for (i = 0; i < N_SHAPES; i++) {
    init_frame (&frame, &random, __i__, 1 + test_random_below (&random, 400),
        1 + test_random_below (&random, 300));
    gst_video_histogram_spec_init (&spec);
    spec.channels = formats[__i__].channels;
    if (i % 2)
      cut_region (&spec, &random, &frame);
    check_frame (engine, &frame, &spec, 1 + test_random_below (&random, 40));
    test_frame_clear (&frame);
  }
  g_object_unref (engine);
}

GST_END_TEST;

/* As many blocks as can meet in a word, and a flat frame, whose counters are as
 * full as they get. */
GST_START_TEST (test_many_blocks)
{
  static const gint multiprocessors[] = { 132, 255, 300 };
  TestRandom random = test_random_new (1);
  GstVideoHistogramEngine *engine = gst_video_histogram_engine_new ();
  GstVideoHistogramSpec spec;
  TestFrame frame;
  guint i;

  fail_unless (gst_video_histogram_engine_open (engine,
          GST_VIDEO_HISTOGRAM_BACKEND_CUDA, -1, NULL, NULL));
  gst_video_histogram_spec_init (&spec);
  for (i = 0; i < G_N_ELEMENTS (multiprocessors); i++) {
    test_frame_init_plain (&frame, &random, GST_VIDEO_FORMAT_GRAY8, 2048, 1200,
        NULL);
    if (i == 1)
      gst_buffer_memset (frame.buffer, 0, 255, frame.size);
    check_frame (engine, &frame, &spec, multiprocessors[i]);
    test_frame_clear (&frame);
  }
  g_object_unref (engine);
}

GST_END_TEST;

static Suite *
frames_suite (void)
{
  Suite *s = suite_create ("frames");
  TCase *tc = tcase_create ("frames");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_choice, 0, G_N_ELEMENTS (choices));
  tcase_add_loop_test (tc, test_shapes, 0, G_N_ELEMENTS (formats));
  tcase_add_test (tc, test_many_blocks);
  return s;
}

GST_CHECK_MAIN (frames);
