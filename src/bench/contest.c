/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contest.h"
#include "cuda/countlaunch.h"

#include <string.h>

#define POISON 0xa5
#define TICKETS 4096            /* bytes; a single cell needs fewer */
#define SEE_TIMEOUT (2 * GST_SECOND)
#define MAX_RESULTS (BENCH_MAX_CHANNELS * BENCH_CODES)

/* Rounds up, so that parts do not share cache lines. */
static gsize
pad (gsize size)
{
  return GST_ROUND_UP_N (size, 256);
}

/* Bytes of a slot that kernels use internally: accumulators and tickets. */
static gsize
private_size (gsize results)
{
  return pad (vh_cuda_accumulator_size (results)) + TICKETS;
}

static gsize
counts_size (gsize results)
{
  return pad (results * sizeof (guint32));
}

/* Enough bytes for any number of results. Tries all numbers, because fewer
 * results may need more memory: blocks then add up in groups. */
static gsize
slots_size (void)
{
  gsize most = 0, results;

  for (results = 1; results <= MAX_RESULTS; results++)
    most = MAX (most, private_size (results));
  return BENCH_SLOTS * (most + counts_size (MAX_RESULTS));
}

static CUdeviceptr
private_address (const BenchArena * arena, guint slot)
{
  return arena->slots.memory + slot * private_size (arena->max_results);
}

static CUdeviceptr
counts_address (const BenchArena * arena, guint slot)
{
  return arena->slots.memory +
      BENCH_SLOTS * private_size (arena->max_results) +
      slot * counts_size (arena->max_results);
}

static guint64 *
host_counts (const BenchArena * arena, guint slot)
{
  return arena->slots.host + slot * arena->max_results;
}

static gsize
count_results (const BenchContest * self)
{
  return (gsize) self->arena->frames->n_channels *
      (self->n_values ? self->n_values : self->arena->bins);
}

BenchArena *
bench_arena_new (BenchGpu * gpu, BenchFrames * frames)
{
  BenchArena *self = g_new0 (BenchArena, 1);
  const gsize host_size = BENCH_SLOTS * MAX_RESULTS * sizeof (guint64);
  guint i;

  self->gpu = gpu;
  self->frames = frames;
  self->max_results = MAX_RESULTS;
  for (i = 0; i < BENCH_SLOTS; i++)
    self->expected[i] = g_new (guint32, MAX_RESULTS);
  if (!gpu)
    return self;

  self->slots.memory = bench_gpu_alloc (gpu, slots_size ());
  self->slots.never = bench_gpu_alloc (gpu, sizeof (guint32));
  if ((!self->slots.memory || !self->slots.never) && !gpu->failure)
    gpu->failure = g_strdup ("not enough memory for results");
  if (bench_gpu_check (gpu, gpu->driver->MemHostAlloc ((void **)
              &self->slots.host, host_size, CU_MEMHOSTALLOC_DEVICEMAP),
          "allocating pinned memory")) {
    bench_gpu_check (gpu,
        gpu->driver->MemHostGetDevicePointer (&self->slots.host_address,
            self->slots.host, 0), "mapping pinned memory");
    memset (self->slots.host, 0, host_size);
  }
  return self;
}

void
bench_arena_free (BenchArena * arena)
{
  guint i;

  for (i = 0; i < BENCH_SLOTS; i++)
    g_free (arena->expected[i]);
  if (arena->gpu) {
    bench_gpu_release (arena->gpu, arena->slots.memory);
    bench_gpu_release (arena->gpu, arena->slots.never);
    bench_gpu_release (arena->gpu, arena->scratch);
    if (arena->slots.host && !arena->gpu->failure)
      arena->gpu->driver->MemFreeHost (arena->slots.host);
  }
  g_free (arena);
}

gboolean
bench_arena_wipe (BenchArena * arena)
{
  BenchGpu *gpu = arena->gpu;

  return bench_gpu_check (gpu, gpu->driver->MemsetD8Async (arena->slots.memory,
          0, BENCH_SLOTS * private_size (arena->max_results), gpu->stream),
      "clearing results");
}

gboolean
bench_arena_set_case (BenchArena * arena, const BenchCase * c)
{
  const BenchFrames *frames = arena->frames;
  const VhCountsShape shape = {
    .channels = bench_frames_channels (frames),
    .bins = c->bins,
    .columns = 1,
    .rows = 1,
  };
  guint i;

  arena->bins = c->bins;
  arena->n_frames = c->warm ? 1 : frames->pattern.frames;
  for (i = 0; i < frames->n_checked; i++)
    bench_frames_expect (frames, i, c->bins, arena->expected[i]);
  if (!arena->gpu)
    return TRUE;

  vh_cuda_params_init (&arena->params, &frames->layout, &shape);
  arena->max_results = vh_cuda_max_results (&arena->params);
  return bench_arena_wipe (arena);
}

gboolean
bench_arena_reserve (BenchArena * arena, gsize size)
{
  BenchGpu *gpu = arena->gpu;

  if (size > arena->scratch_size) {
    bench_gpu_release (gpu, arena->scratch);
    arena->scratch_size = 0;
    arena->scratch = bench_gpu_alloc (gpu, size);
    if (!arena->scratch)
      return FALSE;
    arena->scratch_size = size;
  }
  return size == 0 || bench_gpu_check (gpu,
      gpu->driver->MemsetD8Async (arena->scratch, 0, size, gpu->stream),
      "clearing scratch");
}

/* The launch that counts frame @k into slot @k. @problem is as for
 * vh_cuda_choose_launch(). */
static VhCudaLaunch
choose (const BenchContest * self, guint k, VhKernelParams * params,
    gchar ** problem)
{
  const BenchArena *arena = self->arena;
  const BenchFrames *frames = arena->frames;
  const BenchPattern *p = &frames->pattern;
  const VhFrameView view = {.layout = &frames->layout };
  const VhRect region = { 0, 0, p->width, p->height };
  const guint slot = k % BENCH_SLOTS;
  const CUdeviceptr data = p->data + (k % arena->n_frames) * p->frame_bytes;
  const VhCudaPlanes planes = {
    .view = &view,
    .data = {data, data + p->stride * p->height},
    .stride = {p->stride, p->stride},
  };
  VhCudaLaunch launch;

  *params = arena->params;
  vh_cuda_params_set_frame (params, &planes, &region);
  params->accumulators = private_address (arena, slot);
  params->ticket = params->accumulators +
      pad (vh_cuda_accumulator_size (arena->max_results));
  params->device_counts = counts_address (arena, slot);
  params->host_counts = self->entrant->to_host ? arena->slots.host_address +
      slot * arena->max_results * sizeof (guint64) : 0;
  params->sequence = k + 1;
  params->scratch = self->scratch;
  if (frames->made.channels == BENCH_GRADIENT) {
    params->n_values = 0;
    launch = vh_cuda_choose_gradient (arena->gpu->device, &frames->layout,
        params);
  } else {
    launch = vh_cuda_choose_launch (arena->gpu->device, &frames->layout,
        self->entrant->method, params, problem);
  }
  /* As in the element, nothing earlier on the stream writes the frame. */
  launch.complete = TRUE;
  return launch;
}

static gboolean
init_method (BenchContest * self, gchar ** problem)
{
  BenchGpu *gpu = self->arena->gpu;
  VhKernelParams params;
  VhCudaLaunch launch;
  CUresult result;

  if (self->arena->frames->made.channels == BENCH_GRADIENT
      && self->entrant->method != GST_VIDEO_HISTOGRAM_METHOD_AUTO) {
    *problem = g_strdup ("does not count gradients");
    return FALSE;
  }
  launch = choose (self, 0, &params, problem);
  if (*problem)
    return FALSE;
  result = vh_cuda_device_load (gpu->device, launch.kernel);
  if (result != CUDA_SUCCESS) {
    *problem = g_strdup_printf ("kernel cannot be loaded: error %d",
        (int) result);
    return FALSE;
  }
  self->kernel = launch.kernel;
  self->scratch_size = launch.scratch;
  self->n_values = params.n_values;
  return TRUE;
}

static gboolean
init_peer (BenchContest * self, gchar ** problem)
{
  const BenchPattern *p = &self->arena->frames->pattern;
  const char *why;
  size_t size = 0;

  if (self->arena->frames->made.channels == BENCH_RGBA_LUMA
      || self->arena->frames->made.channels == BENCH_GRADIENT
      || self->arena->frames->made.channels == BENCH_YUV_RGB) {
    *problem =
        g_strdup ("cannot compute luma of RGB, RGB of YUV, or gradients");
    return FALSE;
  }
  self->frame = (BenchPeerFrame) {
    .stride = p->stride,
    .width = p->width,
    .height = p->height,
    .components = p->components,
    .sample_bytes = p->sample_bytes,
    .bins = self->arena->bins,
  };
  why = self->entrant->peer->prepare (&self->frame, &size);
  if (why) {
    *problem = g_strdup (why);
    return FALSE;
  }
  self->scratch_size = size;
  return TRUE;
}

static gboolean
init_cpu (BenchContest * self, gchar ** problem)
{
  GstVideoHistogramSpec spec;
  GError *error = NULL;

  gst_video_histogram_spec_init (&spec);
  spec.channels = bench_frames_channels (self->arena->frames);
  spec.bins = self->arena->bins;
  self->engine = gst_video_histogram_engine_new ();
  if (gst_video_histogram_engine_open (self->engine,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, NULL, &error)
      && gst_video_histogram_engine_configure (self->engine,
          self->arena->frames->caps, &spec, &error))
    return TRUE;
  *problem = g_strdup (error->message);
  g_clear_error (&error);
  return FALSE;
}

gboolean
bench_contest_init (BenchContest * contest, BenchArena * arena,
    const BenchEntrant * entrant, gchar ** problem)
{
  *contest = (BenchContest) {.arena = arena,.entrant = entrant };
  if (entrant->problem) {
    *problem = g_strdup (entrant->problem);
    return FALSE;
  }
  switch (entrant->kind) {
    case BENCH_METHOD:
      return init_method (contest, problem);
    case BENCH_PEER:
      return init_peer (contest, problem);
    case BENCH_CPU:
      return init_cpu (contest, problem);
    default:
      return TRUE;
  }
}

void
bench_contest_clear (BenchContest * contest)
{
  if (contest->engine)
    gst_video_histogram_engine_close (contest->engine);
  g_clear_object (&contest->engine);
}

static gboolean
enqueue_read (const BenchContest * self, guint k)
{
  BenchGpu *gpu = self->arena->gpu;
  const BenchPattern *p = &self->arena->frames->pattern;
  const gsize row = (gsize) p->width * p->components * p->sample_bytes;
  CUdeviceptr data = p->data + (k % self->arena->n_frames) * p->frame_bytes;
  gsize per_row = p->stride == row ? 0 : row / 16;
  gsize vectors = per_row > 0 ? per_row * p->rows : row * p->rows / 16;
  gsize stride = p->stride;
  CUdeviceptr never = self->arena->slots.never;
  void *arguments[] = { &data, &vectors, &per_row, &stride, &never };

  return bench_gpu_launch (gpu, BENCH_KERNEL_READ,
      CLAMP (vectors / 1024, 1, 2 * gpu->device->multiprocessors),
      MIN (1024, gpu->device->threads_per_multiprocessor / 2), arguments);
}

static gboolean
enqueue_method (const BenchContest * self, guint k)
{
  BenchGpu *gpu = self->arena->gpu;
  VhKernelParams params;
  const VhCudaLaunch launch = choose (self, k, &params, NULL);

  return bench_gpu_check (gpu, vh_cuda_launch (gpu->device, &launch, &params,
          gpu->stream), self->entrant->name);
}

static gboolean
enqueue_peer (BenchContest * self, guint k)
{
  const BenchArena *arena = self->arena;
  const BenchPattern *p = &arena->frames->pattern;
  BenchPeerFrame frame = self->frame;

  frame.data = p->data + (k % arena->n_frames) * p->frame_bytes;
  frame.counts = counts_address (arena, k % BENCH_SLOTS);
  self->why = self->entrant->peer->run (&frame, self->scratch,
      self->scratch_size, arena->gpu->stream);
  return self->why == NULL;
}

gboolean
bench_contest_enqueue (gpointer contest, guint k)
{
  BenchContest *self = contest;

  switch (self->entrant->kind) {
    case BENCH_EMPTY:
      return bench_gpu_launch (self->arena->gpu, BENCH_KERNEL_EMPTY, 1, 32,
          NULL);
    case BENCH_READ:
      return enqueue_read (self, k);
    case BENCH_METHOD:
      return enqueue_method (self, k);
    case BENCH_PEER:
      return enqueue_peer (self, k);
    default:
      g_assert_not_reached ();
  }
}

GstVideoHistogram *
bench_contest_count (BenchContest * contest, guint k, gchar ** problem)
{
  GstBuffer *buffer = bench_frames_buffer (contest->arena->frames,
      k % contest->arena->n_frames);
  GError *error = NULL;
  GstVideoHistogram *histogram =
      gst_video_histogram_engine_submit (contest->engine, buffer, NULL, FALSE,
      &error);

  gst_buffer_unref (buffer);
  if (!histogram) {
    *problem = g_strdup (error->message);
    g_clear_error (&error);
  }
  return histogram;
}

gboolean
bench_contest_poison (BenchContest * contest)
{
  const BenchArena *arena = contest->arena;
  BenchGpu *gpu = arena->gpu;

  /* Earlier runs might still write there. */
  if (contest->entrant->to_host) {
    if (!bench_gpu_wait (gpu))
      return FALSE;
    memset (arena->slots.host, 0,
        BENCH_SLOTS * arena->max_results * sizeof (guint64));
  }
  return bench_gpu_check (gpu,
      gpu->driver->MemsetD8Async (counts_address (arena, 0), POISON,
          BENCH_SLOTS * counts_size (arena->max_results), gpu->stream),
      "filling results");
}

/* Compares @results, [channel][value], with the counts of frame @k. */
static gboolean
check_results (const BenchContest * self, guint k, const guint32 * results,
    gchar ** difference)
{
  const BenchArena *arena = self->arena;
  const BenchFrames *frames = arena->frames;
  const guint n_values = self->n_values ? self->n_values : arena->bins;
  guint32 *counts = g_new (guint32, frames->n_channels * arena->bins);
  gboolean equal;
  guint c;

  for (c = 0; c < frames->n_channels; c++) {
    bench_counts_rebin (results + (gsize) c * n_values, n_values,
        frames->pattern.depth, arena->bins, counts + (gsize) c * arena->bins);
  }
  equal = bench_counts_equal (counts, arena->expected[k % arena->n_frames],
      frames->n_channels, arena->bins, difference);
  g_free (counts);
  return equal;
}

/* Checks results in the host's memory, which have sequence number and count in
 * one word. */
static gboolean
check_host (const BenchContest * self, guint k, gchar ** difference)
{
  const guint64 *host = host_counts (self->arena, k % BENCH_SLOTS);
  const gsize n = count_results (self);
  guint32 *results = g_new (guint32, n);
  gboolean equal = TRUE;
  gsize i;

  for (i = 0; i < n; i++) {
    equal &= host[i] >> 32 == k + 1;
    results[i] = (guint32) host[i];
  }
  if (!equal)
    *difference = g_strdup ("not all counts arrived in the host's memory");
  else
    equal = check_results (self, k, results, difference);
  g_free (results);
  return equal;
}

gboolean
bench_contest_check (BenchContest * contest, guint n, gchar ** difference)
{
  const BenchArena *arena = contest->arena;
  BenchGpu *gpu = arena->gpu;
  const gsize results = count_results (contest);
  guint32 *counts;
  gboolean good = TRUE;
  guint k;

  if (contest->entrant->kind != BENCH_METHOD
      && contest->entrant->kind != BENCH_PEER)
    return TRUE;
  counts = g_new (guint32, results);
  for (k = 0; k < MIN (n, BENCH_SLOTS) && good; k++) {
    good = bench_gpu_check (gpu, gpu->MemcpyDtoH (counts,
            counts_address (arena, k), results * sizeof (guint32)),
        "downloading counts") && check_results (contest, k, counts, difference)
        && (!contest->entrant->to_host
        || check_host (contest, k, difference));
  }
  g_free (counts);
  return good;
}

gboolean
bench_contest_see (const BenchContest * contest, guint k)
{
  const guint64 *host = host_counts (contest->arena, k % BENCH_SLOTS);
  const GstClockTime begin = gst_util_get_timestamp ();
  const gsize n = count_results (contest);
  guint turns = 0;
  gsize i;

  for (i = 0; i < n; i++) {
    while (__atomic_load_n (&host[i], __ATOMIC_RELAXED) >> 32 != k + 1) {
      if (++turns % 4096 == 0
          && gst_util_get_timestamp () - begin > SEE_TIMEOUT)
        return FALSE;
    }
  }
  return TRUE;
}

gboolean
bench_contest_check_seen (BenchContest * contest, guint k, gchar ** difference)
{
  return k % contest->arena->n_frames >= contest->arena->frames->n_checked
      || check_host (contest, k, difference);
}

gboolean
bench_contest_check_histogram (BenchContest * contest, guint k,
    GstVideoHistogram * histogram, gchar ** difference)
{
  const BenchFrames *frames = contest->arena->frames;
  const guint bins = contest->arena->bins;
  const guint first = __builtin_ctz (bench_frames_channels (frames));
  guint32 *counts = g_new (guint32, frames->n_channels * bins);
  gboolean equal;
  guint c, n;

  for (c = 0; c < frames->n_channels; c++) {
    memcpy (counts + (gsize) c * bins,
        gst_video_histogram_get_counts (histogram, first + c, &n),
        bins * sizeof (guint32));
  }
  equal = bench_counts_equal (counts,
      contest->arena->expected[k % contest->arena->n_frames],
      frames->n_channels, bins, difference);
  g_free (counts);
  return equal;
}
