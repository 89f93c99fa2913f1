/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames that many blocks count together, on a GPU with many multiprocessors,
 * which the double pretends to have. */
#include <string.h>

#include "common/env.h"
#include "common/suite.h"
#include "core/channels.h"
#include "core/methods.h"
#include "cuda/choose.h"
#include "cuda/cudadevice.h"
#include "internals.h"
#include "params.h"

#define WIDTH 1000
#define HEIGHT 700
#define MAX_WAIT (TEST_MAX_WAIT * GST_SECOND)

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

/* Numbers of multiprocessors that form groups of blocks, with full and partial
 * groups. */
static const gint multiprocessors[] = {
  2 * VH_KERNEL_GROUPS, 2 * VH_KERNEL_GROUPS + 1, 23, 5 * VH_KERNEL_GROUPS
};

/* Counts @frame on @device as @expected was, but with @method; with @joint also
 * does @work. */
static VhCounts *
count (VhDevice * device, VhCounter * counter, VhJointCounter * joint,
    const TestFrame * frame, GstVideoHistogram * expected, guint method,
    VhJoint * work)
{
  const GstVideoHistogramInfo *info = gst_video_histogram_get_info (expected);
  const VhCountSpec spec = {
    .shape.channels = info->channels,
    .shape.bins = info->bins,
    .shape.columns = info->columns,
    .shape.rows = info->rows,
    .method = method,
  };
  VhLayout layout;
  guint planes;

  fail_unless (vh_layout_from_caps (&layout, frame->caps, NULL));
  planes = vh_channels_planes (&layout, joint ? VH_ALL_CHANNELS :
      spec.shape.channels);
  fail_unless (device->klass->configure (device, &layout, planes, NULL));
  fail_unless (counter->klass->configure (counter, &layout, &spec, NULL));
  fail_unless (!joint || joint->klass->configure (joint, &layout, work->bins,
          VH_METHOD_AUTO, NULL));
  return test_count_frame (device, counter, joint, frame, &layout, &spec, work);
}

/* Counts a frame with all numbers of multiprocessors. */
static void
check_groups (const gchar * format, guint width, guint height,
    const GstVideoHistogramSpec * spec)
{
  TestRandom random = test_random_new (spec->channels);
  VhDevice *device = test_device_open (&vh_cuda_device_class, MAX_WAIT);
  VhCounter *counter = device->klass->new_counter (device);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (multiprocessors); i++) {
    TestGpu gpu = test_gpu_limit (0, multiprocessors[i]);
    GstVideoHistogram *expected;
    VhCounts *counts;
    TestFrame frame;

    test_frame_init_plain (&frame, &random,
        gst_video_format_from_string (format), width, height, NULL);
    expected = test_count_on_cpu (frame.buffer, frame.caps, spec);
    counts = count (device, counter, NULL, &frame, expected, spec->method,
        NULL);
    fail_unless (test_same_counts (counts, expected),
        "%s by method %d with %d multiprocessors: the counts differ", format,
        spec->method, multiprocessors[i]);
    vh_counts_unref (counts);
    gst_video_histogram_unref (expected);
    test_frame_clear (&frame);
    test_gpu_restore (&gpu);
  }
  counter->klass->close (counter);
  device->klass->close (device);
}

GST_START_TEST (test_groups)
{
  GstVideoHistogramSpec spec;

  gst_video_histogram_spec_init (&spec);
  spec.channels = cases[__i__].channels;
  check_groups (cases[__i__].format, WIDTH, HEIGHT, &spec);
}

GST_END_TEST;

/* Each method with effects of more blocks, such as a deeper tree. */
GST_START_TEST (test_methods)
{
  static const struct
  {
    const gchar *format;
    guint width, height;        /* some methods are slow on the double */
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

/* Frames with more pixels than some methods can number, which report it. */
GST_START_TEST (test_large)
{
  GEnumClass *methods = g_type_class_ref (GST_TYPE_VIDEO_HISTOGRAM_METHOD);
  GstCaps *caps = test_caps ("GRAY8", 16384, 16384);
  const VhCountsShape shape = {
    .channels = 1u << VH_CHANNEL_LUMA,
    .bins = 256,
    .columns = 1,
    .rows = 1,
  };
  TestGpu gpu = test_gpu_limit (0, 4);
  guint m, n_refused = 0;
  VhLayout layout;

  fail_unless (vh_layout_from_caps (&layout, caps, NULL));
  for (m = 0; m < methods->n_values; m++) {
    VhKernelParams params;
    VhKernelFrame frames[VH_KERNEL_PLANES];
    VhCudaLaunch launch;
    gchar *problem = NULL;

    vh_cuda_params_init (&params, &layout, &shape);
    params.component[0].stride = params.width = 1 << 16;
    params.height = 1 << 16;
    fail_unless_equals_int (vh_cuda_place_frames (frames, &params, 1, 16), 0);
    launch = vh_cuda_choose_launch (gpu.device, &layout,
        methods->values[m].value, &params, &problem);
    fail_unless (launch.grid[0] > 0 && launch.threads > 0);
    n_refused += problem && strstr (problem, "2^30 pixels") != NULL;
    g_free (problem);
  }
  fail_unless (n_refused > 1);
  test_gpu_restore (&gpu);
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
  gint shared;                  /* bytes per block, 0: the double's own */
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
  const guint bins = joint_cases[__i__].bins;
  const VhCountsShape shape = {
    .channels = 1,
    .bins = bins * bins,
    .columns = 1,
    .rows = 1,
  };
  TestRandom random = test_random_new (__i__);
  GstVideoHistogramEngine *cpu = gst_video_histogram_engine_new ();
  VhDevice *device = test_device_open (&vh_cuda_device_class, MAX_WAIT);
  VhCounter *counter = device->klass->new_counter (device);
  VhJointCounter *joint = device->klass->new_joint_counter (device);
  TestGpu gpu = test_gpu_limit (joint_cases[__i__].shared,
      joint_cases[__i__].multiprocessors);
  GstVideoHistogramSpec spec;
  VhLuma *luma = NULL;
  guint i;

  gst_video_histogram_spec_init (&spec);
  spec.joint = GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS;
  spec.joint_bins = bins;
  fail_unless (gst_video_histogram_engine_open (cpu,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, NULL, NULL));
  luma = joint->klass->new_luma (joint, JOINT_WIDTH * HEIGHT, NULL);
  fail_unless (luma != NULL);
  for (i = 0; i < G_N_ELEMENTS (formats); i++) {
    VhJoint work = {
      .bins = bins,
      .counts = i > 0 ? vh_counts_new (&shape) : NULL,
      .chroma = i > 1,
      .against = i == 1 ? luma : NULL,
      .keep = i < 2 ? &luma : NULL,
    };
    GstVideoHistogram *expected;
    VhCounts *counts;
    TestFrame frame;

    test_frame_init_plain (&frame, &random, formats[i], JOINT_WIDTH, HEIGHT,
        NULL);
    if (i == 2)
      spec.joint = GST_VIDEO_HISTOGRAM_JOINT_CHROMA;
    if (i != 1) {
      fail_unless (gst_video_histogram_engine_configure (cpu, frame.caps, &spec,
              NULL));
    }
    expected = gst_video_histogram_engine_submit (cpu, frame.buffer, NULL,
        FALSE, NULL);
    counts = count (device, counter, joint, &frame, expected, VH_METHOD_AUTO,
        &work);
    fail_unless (test_same_counts (counts, expected));
    fail_unless_equals_int (work.kept, i < 2);
    if (work.counts) {
      fail_unless (vh_counts_wait (work.counts, GST_CLOCK_TIME_NONE));
      fail_unless (memcmp (vh_counts_storage (work.counts),
              gst_video_joint_histogram_get_counts
              (gst_video_histogram_get_joint (expected), NULL),
              bins * bins * sizeof (guint32)) == 0);
      vh_counts_unref (work.counts);
    }
    vh_counts_unref (counts);
    gst_video_histogram_unref (expected);
    test_frame_clear (&frame);
  }
  vh_luma_unref (luma);
  joint->klass->close (joint);
  counter->klass->close (counter);
  device->klass->close (device);
  test_gpu_restore (&gpu);
  g_object_unref (cpu);
}

GST_END_TEST;

TEST_SUITE (groups, NULL, NULL)
{
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_groups, 0, G_N_ELEMENTS (cases));
  tcase_add_loop_test (tc, test_joint, 0, G_N_ELEMENTS (joint_cases));
  tcase_add_test (tc, test_methods);
  tcase_add_test (tc, test_large);
}
