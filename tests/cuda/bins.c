/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Large numbers of bins: which kernel counts them on which GPU, and that no
 * count is lost if counters are too small for their contents. */
#include <string.h>

#include "common/env.h"
#include "common/suite.h"
#include "core/channels.h"
#include "core/methods.h"
#include "cuda/choose.h"
#include "cuda/cudadevice.h"
#include "internals.h"

#define LUMA GST_VIDEO_HISTOGRAM_CHANNELS_LUMA
#define RED GST_VIDEO_HISTOGRAM_CHANNELS_RED
#define RGB GST_VIDEO_HISTOGRAM_CHANNELS_RGB
#define ALL (LUMA | RGB)

/* Bytes of shared memory available to a block. */
#define TURING (64 << 10)
#define ADA (99 << 10)
#define HOPPER (227 << 10)

#define MAX_WAIT (TEST_MAX_WAIT * GST_SECOND)

#define KERNEL(name) VH_CUDA_KERNEL_##name

static const struct
{
  const gchar *format;
  GstVideoHistogramChannels channels;
  guint bins;
  gint shared;
  VhCudaKernel kernel;
  guint n_values;               /* number of bins that are counted */
  guint parts;                  /* channels or windows counted by different
                                 * blocks */
  guint copies;
} choices[] = {
  {"P010_10LE", LUMA, 1024, HOPPER, KERNEL (REPLICATED_WORDS), 1024, 1, 16},
  {"P010_10LE", LUMA, 1000, TURING, KERNEL (REPLICATED_WORDS), 1000, 1, 4},
  {"GRAY16_LE", LUMA, 16, HOPPER, KERNEL (REPLICATED_WORDS), 16, 1, 32},
  {"GRAY16_LE", LUMA, 4096, HOPPER, KERNEL (REPLICATED_WORDS), 4096, 1, 4},
  {"GRAY16_LE", LUMA, 4096, ADA, KERNEL (REPLICATED_WORDS), 4096, 1, 2},
  {"GRAY16_LE", LUMA, 50000, HOPPER, KERNEL (REPLICATED_WORDS), 50000, 1, 1},
  {"GRAY16_LE", LUMA, 60000, HOPPER, KERNEL (PACKED_COUNTERS_WORDS), 60000, 1,
      0},
  {"GRAY16_LE", LUMA, 65536, HOPPER, KERNEL (PACKED_COUNTERS_WHOLE), 65536, 1,
      0},
  {"GRAY16_LE", LUMA, 65536, ADA, KERNEL (PACKED_COUNTERS_WORDS), 65536, 2, 0},
  {"GRAY16_LE", LUMA, 65536, TURING, KERNEL (PACKED_COUNTERS_WORDS), 65536, 4,
      0},
  {"GRAY16_LE", LUMA, 32768, ADA, KERNEL (PACKED_COUNTERS_WORDS), 32768, 1, 0},
  /* No more bins than code values. */
  {"P010_10LE", LUMA, 65536, HOPPER, KERNEL (REPLICATED_WORDS), 1024, 1, 16},
  {"P012_LE", LUMA, 50000, ADA, KERNEL (REPLICATED_WORDS), 4096, 1, 2},
  /* Not a plane of words, or computed. */
  {"GRAY16_BE", LUMA, 65536, HOPPER, KERNEL (PACKED_COUNTERS_PIXELS), 65536, 1,
      0},
  {"I420_10LE", RGB, 1024, HOPPER, KERNEL (REPLICATED_PIXELS), 1024, 1, 4},
  {"ARGB64", ALL, 16384, HOPPER, KERNEL (REPLICATED_PIXELS), 16384, 4, 1},
  {"Y444_16LE", ALL, 65536, ADA, KERNEL (PACKED_COUNTERS_PIXELS), 65536, 8, 0},
};

GST_START_TEST (test_choice)
{
  const VhCudaDevice device = test_gpu_model (choices[__i__].shared);
  const VhCountsShape shape = {.channels = choices[__i__].channels,
    .bins = choices[__i__].bins,.rows = 1,.columns = 1,
  };
  const VhRect region = {.width = 1920,.height = 1080 };
  GstCaps *caps = test_caps (choices[__i__].format, region.width,
      region.height);
  VhLayout layout;
  const VhFrameView view = {.layout = &layout };
  VhCudaPlanes planes = {.view = &view };
  VhKernelParams params;
  VhCudaLaunch launch;
  guint i;

  for (i = 0; i < GST_VIDEO_MAX_PLANES; i++) {
    planes.data[i] = 1 << 20;
    planes.stride[i] = 16384;
  }
  fail_unless (vh_layout_from_caps (&layout, caps, NULL));
  vh_cuda_params_init (&params, &layout, &shape);
  vh_cuda_params_set_frame (&params, &planes, &region);
  launch = vh_cuda_choose_launch (&device, &layout,
      GST_VIDEO_HISTOGRAM_METHOD_AUTO, &params, NULL);
  fail_unless_equals_int (launch.kernel, choices[__i__].kernel);
  fail_unless_equals_int (params.n_values, choices[__i__].n_values);
  fail_unless_equals_int (launch.grid[1], choices[__i__].parts);
  fail_unless_equals_int (params.copies, choices[__i__].copies);
  fail_unless (launch.shared <= (gsize) choices[__i__].shared);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* A method counts with its own kernel or reports that it cannot, and no other
 * method counts with that kernel. */
GST_START_TEST (test_own_kernels)
{
  static const struct
  {
    VhMethod method;
    VhCudaKernel kernel;
  } own[] = {
#define K(id, ...) {VH_METHOD_##id, VH_CUDA_KERNEL_##id},
    VH_CUDA_METHOD_KERNELS (K)
#undef K
  };
  const VhCudaDevice device = test_gpu_model (HOPPER);
  const VhCountsShape shape = {.channels = LUMA,.bins = choices[__i__].bins,
    .rows = 1,.columns = 1,
  };
  const VhRect region = {.width = 1920,.height = 1080 };
  GstCaps *caps = test_caps ("GRAY8", region.width, region.height);
  VhLayout layout;
  const VhFrameView view = {.layout = &layout };
  const VhCudaPlanes planes = {
    .view = &view,
    .data = {1 << 20},
    .stride = {4096},
  };
  guint method, i;

  fail_unless (vh_layout_from_caps (&layout, caps, NULL));
  for (method = 0; method < VH_N_METHODS; method++) {
    VhKernelParams params;
    VhCudaLaunch launch;
    gchar *problem = NULL;

    vh_cuda_params_init (&params, &layout, &shape);
    vh_cuda_params_set_frame (&params, &planes, &region);
    launch = vh_cuda_choose_launch (&device, &layout, method, &params,
        &problem);
    for (i = 0; i < G_N_ELEMENTS (own); i++) {
      fail_unless_equals_int (launch.kernel == own[i].kernel,
          method == own[i].method && !problem);
    }
    g_free (problem);
  }
  gst_caps_unref (caps);
}

GST_END_TEST;

typedef enum
{
  FILL_ONE_VALUE,
  FILL_MOSTLY_ONE,              /* nine samples of ten */
  FILL_HALVES,                  /* two values whose counters share a word */
  FILL_NEIGHBOURS,              /* values whose counters are delivered in one
                                 * word and the next */
  FILL_RUNS,                    /* runs of RUN samples */
  FILL_NOISE,
} Fill;

#define VALUE 0xc8c8
#define RUN 20011

/* Frames counted by few blocks, with many times more samples of a value than 16
 * bits can hold. */
static const struct
{
  const gchar *format;
  GstVideoHistogramChannels channels;
  guint bins, width, height;
  Fill fill;
  gint shared, multiprocessors;
  GstVideoHistogramMethod method;
  guint columns;                /* 0 means 1 */
} overflows[] = {
#define PACKED GST_VIDEO_HISTOGRAM_METHOD_PACKED_COUNTERS
#define AUTO GST_VIDEO_HISTOGRAM_METHOD_AUTO
  {"GRAY16_LE", LUMA, 65536, 640, 820, FILL_ONE_VALUE, HOPPER, 1, PACKED},
  {"GRAY16_LE", LUMA, 65536, 641, 1233, FILL_ONE_VALUE, HOPPER, 2, AUTO},
  {"GRAY16_LE", LUMA, 65536, 640, 821, FILL_MOSTLY_ONE, HOPPER, 1, PACKED},
  {"GRAY16_LE", LUMA, 65536, 640, 411, FILL_HALVES, HOPPER, 1, PACKED},
  {"GRAY16_LE", LUMA, 65536, 643, 411, FILL_NEIGHBOURS, HOPPER, 1, PACKED},
  {"GRAY16_LE", LUMA, 65536, 641, 411, FILL_RUNS, HOPPER, 1, PACKED},
  {"GRAY16_LE", LUMA, 65536, 641, 411, FILL_NOISE, HOPPER, 3, PACKED},
  /* Rows that consist of ends only, without whole vectors. */
  {"GRAY16_LE", LUMA, 65536, 7, 20000, FILL_ONE_VALUE, HOPPER, 1, PACKED},
  {"GRAY16_LE", LUMA, 65536, 9, 20000, FILL_MOSTLY_ONE, HOPPER, 1, PACKED},
  /* Windows of bins. */
  {"GRAY16_LE", LUMA, 65536, 640, 411, FILL_ONE_VALUE, ADA, 2, AUTO},
  {"GRAY16_LE", LUMA, 65536, 640, 411, FILL_HALVES, TURING, 4, AUTO},
  {"GRAY16_LE", LUMA, 65535, 640, 411, FILL_MOSTLY_ONE, ADA, 2, AUTO, 2},
  {"GRAY16_LE", LUMA, 49153, 640, 411, FILL_NOISE, TURING, 4, PACKED, 3},
  {"GRAY16_LE", LUMA, 49154, 640, 411, FILL_MOSTLY_ONE, TURING, 4, PACKED},
  /* Other numbers of bins, down to one. */
  {"GRAY16_LE", LUMA, 60001, 640, 411, FILL_MOSTLY_ONE, HOPPER, 1, AUTO},
  {"GRAY16_LE", LUMA, 4096, 640, 411, FILL_NOISE, HOPPER, 1, PACKED},
  {"GRAY16_LE", LUMA, 5, 640, 411, FILL_NOISE, HOPPER, 1, PACKED},
  {"GRAY16_LE", LUMA, 1, 640, 411, FILL_NOISE, HOPPER, 1, PACKED},
  {"P010_10LE", LUMA, 65536, 640, 411, FILL_MOSTLY_ONE, HOPPER, 1, PACKED},
  {"P012_LE", LUMA, 1000, 641, 411, FILL_MOSTLY_ONE, HOPPER, 1, PACKED},
  /* One sample at a time. */
  {"GRAY16_BE", LUMA, 65536, 641, 411, FILL_MOSTLY_ONE, HOPPER, 1, AUTO},
  {"GRAY16_BE", LUMA, 65536, 641, 411, FILL_ONE_VALUE, ADA, 2, AUTO},
  {"Y444_16LE", RED, 65536, 320, 411, FILL_ONE_VALUE, HOPPER, 1, AUTO},
  {"GRAY8", LUMA, 65536, 641, 411, FILL_MOSTLY_ONE, HOPPER, 1, PACKED},
};

static guint
fill_sample (Fill fill, guint i, TestRandom * random)
{
  const guint noise = test_random_below (random, 1 << 16);

  switch (fill) {
    case FILL_ONE_VALUE:
      return VALUE;
    case FILL_MOSTLY_ONE:
      return test_random_once_in (random, 10) ? noise : VALUE;
    case FILL_HALVES:
      return VALUE ^ (noise & 0x8000);
    case FILL_NEIGHBOURS:
      return VALUE + noise % 4;
    case FILL_RUNS:
      return i / RUN * 12345;
    case FILL_NOISE:
      return noise;
  }
  g_assert_not_reached ();
}

static void
make_frame (TestFrame * frame, guint i)
{
  TestRandom random = test_random_new (i);
  GstVideoInfo info;
  guint bytes, k;

  test_frame_init_plain (frame, &random,
      gst_video_format_from_string (overflows[i].format), overflows[i].width,
      overflows[i].height, NULL);
  fail_unless (gst_video_info_from_caps (&info, frame->caps));
  bytes = GST_VIDEO_INFO_COMP_DEPTH (&info, 0) > 8 ? 2 : 1;
  for (k = 0; k < frame->size / bytes; k++) {
    const guint sample = fill_sample (overflows[i].fill, k, &random);

    frame->image[k * bytes] = sample;
    if (bytes == 2)
      frame->image[k * bytes + 1] = sample >> 8;
  }
  gst_buffer_unref (frame->buffer);
  frame->buffer = gst_buffer_new_allocate (NULL, frame->size, NULL);
  gst_buffer_fill (frame->buffer, 0, frame->image, frame->size);
}

GST_START_TEST (test_overflow)
{
  const VhCountSpec counted = {
    .shape.channels = overflows[__i__].channels,
    .shape.bins = overflows[__i__].bins,
    .shape.columns = MAX (overflows[__i__].columns, 1),
    .shape.rows = 1,
    .method = overflows[__i__].method,
  };
  VhDevice *device = test_device_open (&vh_cuda_device_class, MAX_WAIT);
  VhCounter *counter = device->klass->new_counter (device);
  TestGpu gpu = test_gpu_limit (overflows[__i__].shared,
      overflows[__i__].multiprocessors);
  GstVideoHistogramSpec spec;
  GstVideoHistogram *expected;
  TestFrame frame;
  VhLayout layout;
  gchar *problem;
  guint i;

  gst_video_histogram_spec_init (&spec);
  spec.channels = counted.shape.channels;
  spec.bins = counted.shape.bins;
  spec.columns = counted.shape.columns;
  make_frame (&frame, __i__);
  fail_unless (vh_layout_from_caps (&layout, frame.caps, NULL));
  fail_unless (device->klass->configure (device, &layout,
          vh_channels_planes (&layout, counted.shape.channels), NULL));
  fail_unless (counter->klass->configure (counter, &layout, &counted, NULL));
  problem = counter->klass->dup_method_problem (counter);
  fail_if (problem, "%s", problem);
  expected = test_count_on_cpu (frame.buffer, frame.caps, &spec);
  /* The second frame finds what the first left behind. */
  for (i = 0; i < 2; i++) {
    VhCounts *counts = test_count_frame (device, counter, NULL, &frame,
        &layout, &counted, NULL);

    fail_unless (test_same_counts (counts, expected), "the counts differ");
    vh_counts_unref (counts);
  }
  gst_video_histogram_unref (expected);
  counter->klass->close (counter);
  device->klass->close (device);
  test_gpu_restore (&gpu);
  test_frame_clear (&frame);
}

GST_END_TEST;

TEST_SUITE (bins, NULL, NULL)
{
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_own_kernels, 0, G_N_ELEMENTS (choices));
  tcase_add_loop_test (tc, test_choice, 0, G_N_ELEMENTS (choices));
  tcase_add_loop_test (tc, test_overflow, 0, G_N_ELEMENTS (overflows));
}
