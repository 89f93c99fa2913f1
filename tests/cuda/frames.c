/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames that are counted whole: which kernel takes them, and that no pixel is
 * left out or counted twice, wherever their rows start and end, with any number
 * of blocks. */

#include "common/env.h"
#include "common/suite.h"
#include "cuda/choose.h"
#include "cuda/context.h"
#include "cuda/countlaunch.h"
#include "cuda/devicetable.h"
#include "cuda/dispatcher.h"
#include "internals.h"

#define N_SHAPES TEST_SANITIZED (10, 30)
#define N_LAUNCHES 60
#define N_BATCHES 3
#define MAX_COUNTS (N_BATCHES * VH_KERNEL_FRAMES)
#define N_THREADS 6
#define N_DISPATCHED 25         /* frames of each kind */
#define OUT_OF_MEMORY 2
#define N_SLOTS 2
#define CODES 256

#define LUMA GST_VIDEO_HISTOGRAM_CHANNELS_LUMA
#define RGB GST_VIDEO_HISTOGRAM_CHANNELS_RGB
#define GREEN GST_VIDEO_HISTOGRAM_CHANNELS_GREEN

/* Planes and regions, and the kernel that takes them. */
static const struct
{
  const gchar *format;
  GstVideoHistogramChannels channels;
  guint columns;
  guint stride;                 /* of plane 0; 0: the smallest */
  VhRect region;
  gboolean whole;               /* by a kernel in framecolumns.cu */
  guint blocks;                 /* blocks per plane on an H200; 0: any number */
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
  /* rows that start anywhere; cells; so large that reading dominates; more than
   * the counters hold */
  {"GRAY8", LUMA, 1, 1368, {0, 0, 1366, 768}, FALSE, 0},
  {"GRAY8", LUMA, 2, 0, {0, 0, 1920, 1080}, FALSE, 0},
  {"GRAY8", LUMA, 1, 0, {0, 0, 16384, 16384}, FALSE, 0},
  {"RGBA", RGB, 1, 0, {0, 0, 4096, 4096}, FALSE, 0},
};

GST_START_TEST (test_choice)
{
  const VhRect *region = &choices[__i__].region;
  const VhCudaDevice device = test_gpu_model (227 * 1024);
  GstCaps *caps = test_caps (choices[__i__].format, region->width,
      region->height);
  const VhCountsShape shape = {
    .channels = choices[__i__].channels,.bins = 256,.rows = 1,
    .columns = choices[__i__].columns,
  };
  VhLayout layout;
  const VhFrameView view = {.layout = &layout };
  VhCudaPlanes planes = {.view = &view };
  VhKernelParams params;
  VhCudaLaunch launch;
  guint p;

  fail_unless (vh_layout_from_caps (&layout, caps, NULL));
  vh_cuda_params_init (&params, &layout, &shape);
  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    planes.data[p] = 1 << 20;
    planes.stride[p] = choices[__i__].stride ? choices[__i__].stride :
        (guint) layout.component[0].pixel_stride * region->width;
  }
  vh_cuda_params_set_frame (&params, &planes, region);
  launch = vh_cuda_choose_launch (&device, &layout,
      __i__ % 2 ? GST_VIDEO_HISTOGRAM_METHOD_LANE_COLUMNS :
      GST_VIDEO_HISTOGRAM_METHOD_AUTO, &params, NULL);
  fail_unless_equals_int (launch.n_frames != 0, choices[__i__].whole);
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

/* A picture in CUDA memory with room around it, so that rows start anywhere and
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

static gint own_multiprocessors;

/* Returns the device that engines count on, with this many multiprocessors
 * until device_put(). */
static VhCudaDevice *
device_get (gint n)
{
  const VhCudaDriver *driver = vh_cuda_driver_get (NULL);
  GstCudaContext *context = NULL;
  VhCudaDevice *device;
  CUresult result;

  fail_unless (driver != NULL && gst_cuda_load_library ());
  fail_unless (vh_cuda_find_context (NULL, -1, &context));
  device = vh_cuda_device_get (driver, context, &result, NULL);
  fail_unless (device != NULL);
  own_multiprocessors = device->multiprocessors;
  device->multiprocessors = n;
  gst_object_unref (context);
  return device;
}

static void
device_put (VhCudaDevice * device)
{
  device->multiprocessors = own_multiprocessors;
  vh_cuda_device_unref (device);
}

/* Counts it twice in the same place. */
static void
check_frame (GstVideoHistogramEngine * engine, TestFrame * frame,
    const GstVideoHistogramSpec * spec, gint n)
{
  VhCudaDevice *device = device_get (n);
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
  device_put (device);
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

/* As many blocks as can meet in a word, and a flat frame, which fills counters
 * most. */
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

/* Whether launches of frames may overlap on the double. */
static gboolean
may_overlap (void)
{
  return test_env_number ("VH_DOUBLE_CAPABILITY", 90) >= 90;
}

static CUresult
synchronize (CUstream stream)
{
  CUresult (*function) (CUstream) =
      test_driver_function ("cuStreamSynchronize");

  return function (stream);
}

/* Consecutive launches on frames in GPU memory. */
typedef struct
{
  VhCudaDevice *device;
  VhLayout layout;
  CUstream stream;
  CUdeviceptr frame[2], accumulators, counts;
  guint width, height;
} Launches;

static void
launches_init (Launches * self, gint multiprocessors)
{
  const VhCudaDriver *driver;
  GstCaps *caps;

  self->width = 640;
  self->height = 160;
  self->device = device_get (multiprocessors);
  driver = self->device->driver;
  caps = test_caps ("GRAY8", self->width, self->height);
  fail_unless (vh_layout_from_caps (&self->layout, caps, NULL));
  gst_caps_unref (caps);
  fail_unless_equals_int (vh_cuda_device_push (self->device), CUDA_SUCCESS);
  driver->StreamCreate (&self->stream, CU_STREAM_NON_BLOCKING);
  driver->MemAlloc (&self->frame[0], self->width * self->height);
  driver->MemAlloc (&self->frame[1], self->width * self->height);
  driver->MemAlloc (&self->accumulators,
      VH_KERNEL_FRAMES * VH_KERNEL_FRAME_WORDS * 8);
  driver->MemAlloc (&self->counts, MAX_COUNTS * CODES * 4);
  driver->MemsetD8Async (self->accumulators, 0,
      VH_KERNEL_FRAMES * VH_KERNEL_FRAME_WORDS * 8, self->stream);
}

static void
launches_clear (Launches * self)
{
  const VhCudaDriver *driver = self->device->driver;

  synchronize (vh_cuda_dispatcher_stream (self->device->dispatcher));

  driver->StreamDestroy (self->stream);
  driver->MemFree (self->frame[0]);
  driver->MemFree (self->frame[1]);
  driver->MemFree (self->accumulators);
  driver->MemFree (self->counts);
  vh_cuda_device_pop (self->device);
  device_put (self->device);
}

static void
launches_fill (Launches * self, guint frame, guint value)
{
  fail_unless_equals_int (self->device->driver->MemsetD8Async
      (self->frame[frame], value, self->width * self->height, self->stream),
      CUDA_SUCCESS);
}

/* Prepares the launch for a frame with the @k th counts, in slot @slot. */
static VhCudaLaunch
launches_prepare (Launches * self, guint k, guint slot, guint frame,
    const VhRect * region, VhKernelParams * params)
{
  const VhCountsShape shape = {
    .channels = LUMA,.bins = CODES,.rows = 1,.columns = 1,
  };
  const VhFrameView view = {.layout = &self->layout };
  const VhCudaPlanes planes = {
    .view = &view,
    .data = {self->frame[frame]},
    .stride = {self->width},
  };

  vh_cuda_params_init (params, &self->layout, &shape);
  vh_cuda_params_set_frame (params, &planes, region);
  params->accumulators = self->accumulators + slot * VH_KERNEL_FRAME_WORDS * 8;
  params->device_counts = self->counts + k * CODES * 4;
  return vh_cuda_choose_launch (self->device, &self->layout,
      GST_VIDEO_HISTOGRAM_METHOD_AUTO, params, NULL);
}

/* Adds launch @k: two into a slot, two into the next. */
static void
launches_add (Launches * self, guint k, guint frame, gboolean complete)
{
  const VhRect region = { 0, 0, self->width, self->height };
  VhKernelParams params;
  VhCudaLaunch launch = launches_prepare (self, k, k / 2 % N_SLOTS, frame,
      &region, &params);

  fail_unless_equals_int (launch.kernel, VH_CUDA_KERNEL_FRAME_PLANE);
  launch.complete = complete;
  fail_unless_equals_int (vh_cuda_launch (self->device, &launch, &params,
          self->stream), CUDA_SUCCESS);
}

/* The counts of all launches. */
static void
launches_read (Launches * self, guint32 counts[MAX_COUNTS][CODES])
{
  CUresult (*copy) (void *, CUdeviceptr, size_t) =
      test_driver_function ("cuMemcpyDtoH_v2");

  fail_unless_equals_int (synchronize (self->stream), CUDA_SUCCESS);
  fail_unless_equals_int (copy (counts, self->counts,
          MAX_COUNTS * CODES * sizeof (guint32)), CUDA_SUCCESS);
}

/* Overlapping launches share slots, and none gets another's counts. */
GST_START_TEST (test_overlap)
{
  static const gint multiprocessors[] = { 1, 2, 5 };
  static guint32 counts[MAX_COUNTS][CODES];
  const guint before = test_double () ? test_double ()->overlaps () : 0;
  TestRandom random = test_random_new (__i__);
  guint frames[N_LAUNCHES], i;
  Launches launches;

  launches_init (&launches, multiprocessors[__i__]);
  launches_fill (&launches, 0, 7);
  launches_fill (&launches, 1, 200);
  for (i = 0; i < N_LAUNCHES; i++) {
    frames[i] = test_random_below (&random, 2);
    launches_add (&launches, i, frames[i], !test_random_once_in (&random, 4));
  }
  launches_read (&launches, counts);
  for (i = 0; i < N_LAUNCHES; i++) {
    const guint n = launches.width * launches.height;

    fail_unless_equals_int (counts[i][7], frames[i] == 0 ? n : 0);
    fail_unless_equals_int (counts[i][200], frames[i] == 1 ? n : 0);
  }
  if (test_double ()) {
    fail_unless_equals_int (test_double ()->overlaps () > before,
        may_overlap ());
  }
  launches_clear (&launches);
}

GST_END_TEST;

/* Likewise for the kernels that count anything else, each with its own way of
 * merging. */
GST_START_TEST (test_overlap_kernels)
{
  static const struct
  {
    const gchar *format;
    guint bins, columns;
    VhCudaKernel kernel;
  } cases[] = {
    {"GRAY8", 256, 2, VH_CUDA_KERNEL_PLANES},
    {"GRAY16_LE", 1024, 1, VH_CUDA_KERNEL_REPLICATED_WORDS},
    {"GRAY16_LE", 999, 2, VH_CUDA_KERNEL_REPLICATED_WORDS},
    {"GRAY16_LE", 8192, 1, VH_CUDA_KERNEL_REPLICATED_WORDS},
    {"GRAY16_LE", 8191, 1, VH_CUDA_KERNEL_REPLICATED_WORDS},
    {"GRAY16_BE", 512, 1, VH_CUDA_KERNEL_REPLICATED_PIXELS},
    {"GRAY16_LE", 65536, 1, VH_CUDA_KERNEL_PACKED_COUNTERS_WHOLE},
  };
  const guint results = cases[__i__].bins * cases[__i__].columns;
  const gsize room = vh_cuda_accumulator_size (results) + 256;
  const guint before = test_double () ? test_double ()->overlaps () : 0;
  CUresult (*copy) (void *, CUdeviceptr, size_t) =
      test_driver_function ("cuMemcpyDtoH_v2");
  TestRandom random = test_random_new (__i__);
  guint32 *counts = g_new (guint32, N_LAUNCHES * results);
  guint frames[N_LAUNCHES], width, pixels, i, k;
  CUdeviceptr sums, all;
  Launches launches;
  VhLayout layout;
  GstCaps *caps;

  launches_init (&launches, 5);
  width = launches.width / (cases[__i__].kernel == VH_CUDA_KERNEL_PLANES ? 1 :
      2);
  pixels = width * launches.height / cases[__i__].columns;
  caps = test_caps (cases[__i__].format, width, launches.height);
  fail_unless (vh_layout_from_caps (&layout, caps, NULL));
  gst_caps_unref (caps);
  launches.device->driver->MemAlloc (&sums, N_SLOTS * room);
  launches.device->driver->MemAlloc (&all, N_LAUNCHES * results * 4);
  launches.device->driver->MemsetD8Async (sums, 0, N_SLOTS * room,
      launches.stream);
  launches_fill (&launches, 0, 7);
  launches_fill (&launches, 1, 200);
  for (i = 0; i < N_LAUNCHES; i++) {
    const VhCountsShape shape = {
      .channels = LUMA,.bins = cases[__i__].bins,.rows = 1,
      .columns = cases[__i__].columns,
    };
    const VhRect region = { 0, 0, width, launches.height };
    const VhFrameView view = {.layout = &layout };
    VhCudaPlanes planes = {.view = &view,.stride = {launches.width} };
    VhKernelParams params;
    VhCudaLaunch launch;

    frames[i] = test_random_below (&random, 2);
    planes.data[0] = launches.frame[frames[i]];
    vh_cuda_params_init (&params, &layout, &shape);
    vh_cuda_params_set_frame (&params, &planes, &region);
    params.accumulators = sums + i / 2 % N_SLOTS * room;
    params.ticket = params.accumulators + room - 256;
    params.device_counts = all + i * results * 4;
    launch = vh_cuda_choose_launch (launches.device, &layout,
        GST_VIDEO_HISTOGRAM_METHOD_AUTO, &params, NULL);
    if (params.window < params.bins)    /* on a GPU with less shared memory */
      fail_unless (launch.kernel == cases[__i__].kernel ||
          launch.kernel == VH_CUDA_KERNEL_PACKED_COUNTERS_WORDS);
    else
      fail_unless_equals_int (launch.kernel, cases[__i__].kernel);
    fail_unless_equals_int (params.n_values, cases[__i__].bins);
    launch.complete = !test_random_once_in (&random, 4);
    fail_unless_equals_int (vh_cuda_device_load (launches.device,
            launch.kernel), CUDA_SUCCESS);
    fail_unless_equals_int (vh_cuda_launch (launches.device, &launch, &params,
            launches.stream), CUDA_SUCCESS);
  }
  fail_unless_equals_int (synchronize (launches.stream), CUDA_SUCCESS);
  fail_unless_equals_int (copy (counts, all, N_LAUNCHES * results * 4),
      CUDA_SUCCESS);
  for (i = 0; i < N_LAUNCHES; i++) {
    const guint code = frames[i] == 0 ? 7 : 200;
    const guint bin = layout.depth == 8 ? code :
        code * 0x101 * cases[__i__].bins >> 16;

    for (k = 0; k < results; k++) {
      if (counts[i * results + k] !=
          (k % cases[__i__].bins == bin ? pixels : 0))
        ck_abort_msg ("result %u of launch %u is %u", k, i,
            counts[i * results + k]);
    }
  }
  if (test_double ()) {
    fail_unless_equals_int (test_double ()->overlaps () > before,
        may_overlap ());
  }
  launches.device->driver->MemFree (sums);
  launches.device->driver->MemFree (all);
  g_free (counts);
  launches_clear (&launches);
}

GST_END_TEST;

/* Frames of many sizes in one launch, repeatedly in the same slots. */
GST_START_TEST (test_batch)
{
  static const gint multiprocessors[] = { 1, 5, 132 };
  static const guint n_frames[] = { 1, 2, 7, VH_KERNEL_FRAMES };
  static guint32 counts[MAX_COUNTS][CODES];
  const guint n = n_frames[__i__ % 4];
  guint pixels[MAX_COUNTS], k, i;
  Launches launches;
  guint launched;

  launches_init (&launches, multiprocessors[__i__ / 4]);
  launches_fill (&launches, 0, 7);
  launches_fill (&launches, 1, 200);
  launched = test_gpu_calls (TEST_GPU_LAUNCHES, NULL);
  for (k = 0; k < N_BATCHES; k++) {
    VhCudaBatch batch = { 0, };
    VhKernelParams params;
    VhCudaLaunch launch;

    for (i = 0; i < n; i++) {
      const VhRect region = { i % 3, k, launches.width - 40 * (i % 5) - 3,
        launches.height - i % 7 * 20 - k };

      pixels[k * n + i] = region.width * region.height;
      launch = launches_prepare (&launches, k * n + i, i, i % 2, &region,
          &params);
      launch.complete = k != 1;
      fail_unless (vh_cuda_batch_add (&batch, &launch, &params));
    }
    if (n == VH_KERNEL_FRAMES)
      fail_if (vh_cuda_batch_add (&batch, &launch, &params));
    launch.kernel = VH_CUDA_KERNEL_PLANES;
    fail_if (vh_cuda_batch_add (&batch, &launch, &params));
    fail_unless_equals_int (vh_cuda_batch_launch (launches.device, &batch,
            launches.stream), CUDA_SUCCESS);
  }
  if (test_double ()) {
    fail_unless_equals_int (test_gpu_calls (TEST_GPU_LAUNCHES, NULL) - launched,
        N_BATCHES);
  }
  launches_read (&launches, counts);
  for (i = 0; i < N_BATCHES * n; i++) {
    fail_unless_equals_int (counts[i][7], i % n % 2 == 0 ? pixels[i] : 0);
    fail_unless_equals_int (counts[i][200], i % n % 2 == 1 ? pixels[i] : 0);
  }
  launches_clear (&launches);
}

GST_END_TEST;

/* Threads that launch frames at the same time, like elements. */
typedef struct
{
  Launches launches;
  gint n_waiting;               /* atomic */
  CUresult results[N_THREADS][N_DISPATCHED];
} Dispatch;

typedef struct
{
  Dispatch *dispatch;
  guint index;
} DispatchThread;

static gpointer
dispatch_frames (gpointer data)
{
  const DispatchThread *self = data;
  Dispatch *dispatch = self->dispatch;
  Launches *launches = &dispatch->launches;
  const VhRect region = { 0, 0, launches->width, launches->height };
  guint i;

  fail_unless_equals_int (vh_cuda_device_push (launches->device), CUDA_SUCCESS);
  g_atomic_int_inc (&dispatch->n_waiting);
  while (g_atomic_int_get (&dispatch->n_waiting) < N_THREADS)
    g_thread_yield ();
  for (i = 0; i < N_DISPATCHED; i++) {
    VhKernelParams params;
    VhCudaLaunch launch = launches_prepare (launches,
        self->index * N_DISPATCHED + i, self->index, (self->index + i) % 2,
        &region, &params);

    launch.complete = TRUE;
    fail_unless (vh_cuda_dispatcher_takes (&launch));
    dispatch->results[self->index][i] =
        vh_cuda_dispatch (launches->device, &launch, &params);
  }
  vh_cuda_device_pop (launches->device);
  return NULL;
}

/* Launches each frame once, from any thread. */
static void
dispatch_run (Dispatch * self, guint32 counts[MAX_COUNTS][CODES])
{
  Launches *launches = &self->launches;
  DispatchThread threads[N_THREADS];
  GThread *running[N_THREADS];
  guint i;

  self->n_waiting = 0;
  launches_init (launches, 5);
  launches_fill (launches, 0, 7);
  launches_fill (launches, 1, 200);
  launches->device->driver->MemsetD8Async (launches->counts, 0xa5,
      MAX_COUNTS * CODES * 4, launches->stream);
  fail_unless_equals_int (synchronize (launches->stream), CUDA_SUCCESS);
  for (i = 0; i < N_THREADS; i++) {
    threads[i] = (DispatchThread) {.dispatch = self,.index = i };
    running[i] = g_thread_new ("element", dispatch_frames, &threads[i]);
  }
  for (i = 0; i < N_THREADS; i++)
    g_thread_join (running[i]);
  fail_unless_equals_int (synchronize (vh_cuda_dispatcher_stream
          (launches->device->dispatcher)), CUDA_SUCCESS);
  launches_read (launches, counts);
}

static void
dispatch_check (const Dispatch * self, guint32 counts[MAX_COUNTS][CODES])
{
  const guint n = self->launches.width * self->launches.height;
  guint i, k;

  for (i = 0; i < N_THREADS; i++) {
    for (k = 0; k < N_DISPATCHED; k++) {
      const guint32 *count = counts[i * N_DISPATCHED + k];

      if (self->results[i][k] == CUDA_SUCCESS) {
        fail_unless_equals_int (count[7], (i + k) % 2 == 0 ? n : 0);
        fail_unless_equals_int (count[200], (i + k) % 2 == 1 ? n : 0);
      } else {
        fail_unless_equals_int (self->results[i][k], OUT_OF_MEMORY);
        fail_unless_equals_int (count[7], 0xa5a5a5a5);
      }
    }
  }
}

/* Slows down launches in the driver. */
static void
launch_slowly (G_GNUC_UNUSED void *data, G_GNUC_UNUSED const char *kernel,
    G_GNUC_UNUSED unsigned device, G_GNUC_UNUSED const void *parameters,
    G_GNUC_UNUSED size_t bytes)
{
  g_usleep (1000);
}

/* There are fewer launches than frames, and each frame has its own counts. */
GST_START_TEST (test_dispatch)
{
  static guint32 counts[MAX_COUNTS][CODES];
  static Dispatch dispatch;
  guint launched = test_gpu_calls (TEST_GPU_LAUNCHES, NULL);

  if (test_double ())
    test_double ()->watch_launches (launch_slowly, NULL);
  dispatch_run (&dispatch, counts);
  dispatch_check (&dispatch, counts);
  if (test_double ()) {
    launched = test_gpu_calls (TEST_GPU_LAUNCHES, NULL) - launched;
    fail_unless (launched >= N_DISPATCHED
        && launched < N_THREADS * N_DISPATCHED / 2, "%u launches", launched);
    test_double ()->watch_launches (NULL, NULL);
  }
  launches_clear (&dispatch.launches);
}

GST_END_TEST;

/* A failed launch fails its own frames, and no others. */
GST_START_TEST (test_dispatch_failure)
{
  static guint32 counts[MAX_COUNTS][CODES];
  static Dispatch dispatch;
  guint failed = 0, i;

  if (test_leave_out ("a driver that fails"))
    return;
  test_double ()->watch_launches (launch_slowly, NULL);
  test_double ()->fail_call (may_overlap ()? TEST_GPU_LAUNCH :
      "cuLaunchKernel", 4, OUT_OF_MEMORY, VH_DOUBLE_ONCE);
  dispatch_run (&dispatch, counts);
  dispatch_check (&dispatch, counts);
  for (i = 0; i < N_THREADS * N_DISPATCHED; i++)
    failed += dispatch.results[i / N_DISPATCHED][i % N_DISPATCHED] != 0;
  fail_unless (failed >= 1 && failed <= N_THREADS, "%u", failed);
  test_double ()->watch_launches (NULL, NULL);
  launches_clear (&dispatch.launches);
}

GST_END_TEST;

/* A thread that arrives alone launches at once, for itself. */
GST_START_TEST (test_dispatch_alone)
{
  static guint32 counts[MAX_COUNTS][CODES];
  Launches launches;
  guint i;

  launches_init (&launches, 2);
  launches_fill (&launches, 0, 7);
  launches_read (&launches, counts);
  for (i = 0; i < 5; i++) {
    const VhRect region = { 0, 0, launches.width, launches.height };
    const guint launched = test_gpu_calls (TEST_GPU_LAUNCHES, NULL);
    VhKernelParams params;
    VhCudaLaunch launch = launches_prepare (&launches, i, 0, 0, &region,
        &params);

    fail_if (vh_cuda_dispatcher_takes (&launch));
    launch.complete = TRUE;
    fail_unless_equals_int (vh_cuda_dispatch (launches.device, &launch,
            &params), CUDA_SUCCESS);
    if (test_double ()) {
      fail_unless_equals_int (test_gpu_calls (TEST_GPU_LAUNCHES, NULL),
          launched + 1);
    }
  }
  launches_clear (&launches);
}

GST_END_TEST;

/* Launches a kernel of the double's own tests, which adds 1 to each word of a
 * frame. */
static void
launches_change (Launches * self, CUfunction change)
{
  const guint words = self->width * self->height / 4;
  struct
  {
    guint64 in, out;
    guint32 n, argument;
  } params = { self->frame[0], 0, 0, 0 };
  void *arguments[] = { &params };

  fail_unless_equals_int (self->device->driver->LaunchKernel (change,
          words / 256, 1, 1, 256, 1, 1, 0, self->stream, arguments, NULL),
      CUDA_SUCCESS);
}

/* A frame that the previous launch writes is counted only after it is written.
 * If the frame is wrongly declared complete, the counts are wrong on a GPU
 * whose launches overlap. */
GST_START_TEST (test_writer_before)
{
  static guint32 counts[MAX_COUNTS][CODES];
  const gboolean lie = __i__;
  CUfunction change;
  CUmodule module;
  Launches launches;
  guint wrong = 0, i;

  if (test_leave_out ("a kernel that writes frames"))
    return;
  launches_init (&launches, 3);
  fail_unless_equals_int (launches.device->driver->ModuleLoadData (&module,
          "// PTX"), CUDA_SUCCESS);
  fail_unless_equals_int (launches.device->driver->ModuleGetFunction (&change,
          module, "selftest_dependent"), CUDA_SUCCESS);
  launches_fill (&launches, 0, 0);
  for (i = 0; i < N_LAUNCHES; i++) {
    launches_change (&launches, change);
    launches_add (&launches, i, 0, lie);
  }
  launches_read (&launches, counts);
  for (i = 0; i < N_LAUNCHES; i++)
    wrong += counts[i][i + 1] != launches.width * launches.height / 4;
  fail_unless_equals_int (wrong > 0, lie && may_overlap ());
  launches.device->driver->ModuleUnload (module);
  launches_clear (&launches);
}

GST_END_TEST;

/* Launched frames, by whether they were declared complete. */
static gint n_frames[2];        /* atomic; not complete, and complete */

static void
see_launch (G_GNUC_UNUSED void *data, const char *kernel,
    G_GNUC_UNUSED unsigned device, const void *parameters,
    G_GNUC_UNUSED size_t bytes)
{
  const VhKernelFrame *frame = parameters;

  if (g_str_has_prefix (kernel, "vh_frame_columns"))
    g_atomic_int_inc (&n_frames[frame->complete]);
}

/* A frame is declared complete only if it was on the GPU already. Launches
 * overlap if the kernels can wait for each other, and the driver can report
 * that. */
GST_START_TEST (test_complete)
{
  TestRandom random = test_random_new (1);
  const guint early = test_gpu_calls (TEST_GPU_LAUNCH, NULL);
  GstVideoHistogramEngine *engine;
  GstVideoHistogramSpec spec;
  GstVideoHistogram *histogram, *expected;
  TestUploader uploader;
  TestFrame frame;
  guint i;

  if (test_leave_out ("watching launches"))
    return;
  test_double ()->watch_launches (see_launch, NULL);
  test_uploader_init (&uploader, -1);
  engine = gst_video_histogram_engine_new ();
  fail_unless (gst_video_histogram_engine_open (engine,
          GST_VIDEO_HISTOGRAM_BACKEND_CUDA, -1, NULL, NULL));
  gst_video_histogram_spec_init (&spec);
  test_frame_init_plain (&frame, &random, GST_VIDEO_FORMAT_NV12, 320, 200,
      NULL);
  expected = test_count_on_cpu (frame.buffer, frame.caps, &spec);
  for (i = 0; i < 4; i++) {
    const gboolean on_device = i % 2;
    GstBuffer *buffer = on_device ? test_upload (&uploader, frame.buffer,
        frame.caps) : gst_buffer_ref (frame.buffer);
    GstCaps *caps = on_device ? test_cuda_caps (frame.caps) :
        gst_caps_ref (frame.caps);
    const gchar *wrong;

    fail_unless (gst_video_histogram_engine_configure (engine, caps, &spec,
            NULL));
    histogram = gst_video_histogram_engine_submit (engine, buffer, NULL, FALSE,
        NULL);
    wrong = test_compare (histogram, expected);
    fail_if (wrong, "%s", wrong);
    fail_unless_equals_int (g_atomic_int_get (&n_frames[TRUE]), (i + 1) / 2);
    fail_unless_equals_int (g_atomic_int_get (&n_frames[FALSE]), i / 2 + 1);
    gst_video_histogram_unref (histogram);
    gst_buffer_unref (buffer);
    gst_caps_unref (caps);
  }
  fail_unless_equals_int (test_gpu_calls (TEST_GPU_LAUNCH, NULL) - early,
      may_overlap () ? 4 : 0);
  test_double ()->watch_launches (NULL, NULL);
  gst_video_histogram_unref (expected);
  test_frame_clear (&frame);
  test_uploader_clear (&uploader);
  g_object_unref (engine);
}

GST_END_TEST;

TEST_SUITE (frames, NULL, NULL)
{
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_choice, 0, G_N_ELEMENTS (choices));
  tcase_add_loop_test (tc, test_shapes, 0, G_N_ELEMENTS (formats));
  tcase_add_test (tc, test_many_blocks);
  tcase_add_loop_test (tc, test_overlap, 0, 3);
  tcase_add_loop_test (tc, test_overlap_kernels, 0, 7);
  tcase_add_loop_test (tc, test_batch, 0, 3 * 4);
  tcase_add_test (tc, test_dispatch);
  tcase_add_test (tc, test_dispatch_failure);
  tcase_add_test (tc, test_dispatch_alone);
  tcase_add_loop_test (tc, test_writer_before, 0, 2);
  tcase_add_test (tc, test_complete);
}
