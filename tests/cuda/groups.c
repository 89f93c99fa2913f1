/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames that many blocks count together: on a GPU with many multiprocessors,
 * which the double is told to be. */
#include <gst/check/gstcheck.h>

#include "cuda/choose.h"
#include "cuda/context.h"
#include "cuda/device.h"
#include "cuda/ring.h"
#include "gpu.h"
#include "params.h"

#define WIDTH 1000
#define HEIGHT 700

static const struct
{
  const gchar *format;
  GstVideoHistogramChannels channels;
} cases[] = {
  {"GRAY8", GST_VIDEO_HISTOGRAM_CHANNELS_LUMA},
  {"GBR", GST_VIDEO_HISTOGRAM_CHANNELS_RGB},
  {"YUY2", GST_VIDEO_HISTOGRAM_CHANNELS_LUMA},
  {"RGBx", GST_VIDEO_HISTOGRAM_CHANNELS_LUMA},
  {"BGRx", GST_VIDEO_HISTOGRAM_CHANNELS_RGB},
  {"RGB", GST_VIDEO_HISTOGRAM_CHANNELS_RGB | GST_VIDEO_HISTOGRAM_CHANNELS_LUMA},
  {"P010_10LE", GST_VIDEO_HISTOGRAM_CHANNELS_LUMA},
  {"I420", GST_VIDEO_HISTOGRAM_CHANNELS_RGB},
};

/* Multiprocessors: as many as make blocks meet in groups, and whole and broken
 * numbers of members of those. */
static const gint multiprocessors[] = {
  2 * VH_KERNEL_GROUPS, 2 * VH_KERNEL_GROUPS + 1, 23, 5 * VH_KERNEL_GROUPS
};

/* The device that engines count on, with so many multiprocessors. */
static VhCudaDevice *
make_device (gint n)
{
  const VhCudaDriver *driver = vh_cuda_driver_get (NULL);
  GstCudaContext *context = NULL;
  VhCudaDevice *device;
  CUresult result;

  vh_cuda_late_after = 60 * GST_SECOND;
  fail_unless (driver != NULL && gst_cuda_load_library ());
  fail_unless (vh_cuda_find_context (NULL, -1, &context));
  device = vh_cuda_device_get (driver, context, &result, NULL);
  fail_unless (device != NULL);
  device->multiprocessors = n;
  gst_object_unref (context);
  return device;
}

/* Counts a frame with all numbers of multiprocessors. */
static void
check_groups (const gchar * format, guint width, guint height,
    const GstVideoHistogramSpec * spec)
{
  TestRandom random = test_random_new (spec->channels);
  GstVideoHistogramEngine *engine = gst_video_histogram_engine_new ();
  GstVideoHistogram *histogram, *expected;
  VhCudaDevice *device;
  TestFrame frame;
  const gchar *wrong;
  guint i;

  fail_unless (gst_video_histogram_engine_open (engine,
          GST_VIDEO_HISTOGRAM_BACKEND_CUDA, -1, NULL, NULL));
  for (i = 0; i < G_N_ELEMENTS (multiprocessors); i++) {
    device = make_device (multiprocessors[i]);
    test_frame_init_plain (&frame, &random,
        gst_video_format_from_string (format), width, height, NULL);
    fail_unless (gst_video_histogram_engine_configure (engine, frame.caps,
            spec, NULL));
    histogram = gst_video_histogram_engine_submit (engine, frame.buffer, NULL,
        FALSE, NULL);
    expected = test_count_on_cpu (frame.buffer, frame.caps, spec);
    wrong = test_compare (histogram, expected);
    fail_if (wrong, "%s by method %d with %d multiprocessors: %s", format,
        spec->method, multiprocessors[i], wrong);
    gst_video_histogram_unref (histogram);
    gst_video_histogram_unref (expected);
    test_frame_clear (&frame);
    vh_cuda_device_unref (device);
  }
  g_object_unref (engine);
}

GST_START_TEST (test_groups)
{
  GstVideoHistogramSpec spec;

  gst_video_histogram_spec_init (&spec);
  spec.channels = cases[__i__].channels;
  check_groups (cases[__i__].format, WIDTH, HEIGHT, &spec);
}

GST_END_TEST;

/* By each method: what more blocks make of it, such as a deeper tree. */
GST_START_TEST (test_methods)
{
  static const struct
  {
    const gchar *format;
    guint width, height;        /* some methods take long on the double */
    guint columns;
  } frames[] = {
    {"GRAY8", 400, 300, 1},
    {"RGB", 200, 150, 2},
  };
  GEnumClass *methods = g_type_class_ref (GST_TYPE_VIDEO_HISTOGRAM_METHOD);
  GstVideoHistogramSpec spec;
  guint m, i;

  gst_video_histogram_spec_init (&spec);
  for (m = 0; m < methods->n_values; m++) {
    spec.method = methods->values[m].value;
    for (i = 0; i < G_N_ELEMENTS (frames); i++) {
      spec.columns = frames[i].columns;
      check_groups (frames[i].format, frames[i].width, frames[i].height, &spec);
    }
  }
  g_type_class_unref (methods);
}

GST_END_TEST;

/* Frames whose pixels some methods cannot number: those say so. */
GST_START_TEST (test_large)
{
  GEnumClass *methods = g_type_class_ref (GST_TYPE_VIDEO_HISTOGRAM_METHOD);
  GstCaps *caps = gst_caps_from_string ("video/x-raw,format=GRAY8,width=16384,"
      "height=16384,framerate=25/1");
  GstVideoHistogramInfo info = {
    .format = GST_VIDEO_FORMAT_GRAY8,
    .depth = 8,
    .channels = GST_VIDEO_HISTOGRAM_CHANNELS_LUMA,
    .bins = 256,
    .columns = 1,
    .rows = 1,
  };
  VhCudaDevice *device = make_device (4);
  guint m, n_refused = 0;
  VhLayout layout;

  fail_unless (vh_layout_from_caps (&layout, caps, NULL));
  for (m = 0; m < methods->n_values; m++) {
    VhKernelParams params;
    VhKernelFrame frames[VH_KERNEL_PLANES];
    VhCudaLaunch launch;
    gchar *problem = NULL;

    vh_cuda_params_init (&params, &layout, &info);
    params.component[0].stride = params.width = 1 << 16;
    params.height = 1 << 16;
    fail_unless_equals_int (vh_cuda_place_frames (frames, &params, 1, 16), 0);
    launch = vh_cuda_choose_launch (device, &layout, methods->values[m].value,
        &params, &problem);
    fail_unless (launch.grid[0] > 0 && launch.threads > 0);
    n_refused += problem && strstr (problem, "2^30 pixels") != NULL;
    g_free (problem);
  }
  fail_unless (n_refused > 1);
  vh_cuda_device_unref (device);
  gst_caps_unref (caps);
  g_type_class_unref (methods);
}

GST_END_TEST;

/* So that rows of chroma are whole vectors. */
#define JOINT_WIDTH 320

/* Joint histograms, also on a GPU whose blocks have no room for a table. */
static const struct
{
  guint bins;
  gint multiprocessors;
  gint shared;                  /* bytes that a block can have, 0: what the
                                 * double has */
} joint_cases[] = {
  {256, 1, 0}, {256, 23, 0}, {64, 23, 0}, {256, 23, 64 * 1024},
  {181, 4, 64 * 1024 + 1024}, {182, 4, 64 * 1024 + 1024}, {32, 23, 2048},
};

GST_START_TEST (test_joint)
{
  /* Luma twice, then chroma. */
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_NV21, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_Y444,
  };
  TestRandom random = test_random_new (__i__);
  GstVideoHistogramEngine *engine = gst_video_histogram_engine_new ();
  GstVideoHistogramEngine *cpu = gst_video_histogram_engine_new ();
  const guint n = joint_cases[__i__].bins * joint_cases[__i__].bins;
  GstVideoHistogramSpec spec;
  VhCudaDevice *device;
  guint i;

  gst_video_histogram_spec_init (&spec);
  spec.joint = GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS;
  spec.joint_bins = joint_cases[__i__].bins;
  fail_unless (gst_video_histogram_engine_open (engine,
          GST_VIDEO_HISTOGRAM_BACKEND_CUDA, -1, NULL, NULL));
  fail_unless (gst_video_histogram_engine_open (cpu,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, NULL, NULL));
  device = make_device (joint_cases[__i__].multiprocessors);
  if (joint_cases[__i__].shared)
    device->shared_limit = joint_cases[__i__].shared;
  for (i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstVideoHistogram *histogram, *expected;
    TestFrame frame;

    test_frame_init_plain (&frame, &random, formats[i], JOINT_WIDTH, HEIGHT,
        NULL);
    if (i == 2)
      spec.joint = GST_VIDEO_HISTOGRAM_JOINT_CHROMA;
    if (i != 1) {
      fail_unless (gst_video_histogram_engine_configure (engine, frame.caps,
              &spec, NULL));
      fail_unless (gst_video_histogram_engine_configure (cpu, frame.caps, &spec,
              NULL));
    }
    histogram = gst_video_histogram_engine_submit (engine, frame.buffer, NULL,
        FALSE, NULL);
    expected = gst_video_histogram_engine_submit (cpu, frame.buffer, NULL,
        FALSE, NULL);
    fail_unless (gst_video_histogram_wait (histogram, GST_CLOCK_TIME_NONE));
    if (i > 0) {
      fail_if (memcmp (gst_video_joint_histogram_get_counts
              (gst_video_histogram_get_joint (histogram), NULL),
              gst_video_joint_histogram_get_counts
              (gst_video_histogram_get_joint (expected), NULL),
              n * sizeof (guint32)));
    }
    gst_video_histogram_unref (histogram);
    gst_video_histogram_unref (expected);
    test_frame_clear (&frame);
  }
  vh_cuda_device_unref (device);
  g_object_unref (engine);
  g_object_unref (cpu);
}

GST_END_TEST;

static Suite *
groups_suite (void)
{
  Suite *s = suite_create ("groups");
  TCase *tc = tcase_create ("groups");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_groups, 0, G_N_ELEMENTS (cases));
  tcase_add_loop_test (tc, test_joint, 0, G_N_ELEMENTS (joint_cases));
  tcase_add_test (tc, test_methods);
  tcase_add_test (tc, test_large);
  return s;
}

GST_CHECK_MAIN (groups);
