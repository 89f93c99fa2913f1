/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "batch.h"
#include "core/channels.h"
#include "core/methods.h"
#include "cuda/choose.h"
#include "cuda/countlaunch.h"
#include "report.h"

#include <math.h>
#include <string.h>

#define CODES 256
#define POISON 0xa5

/* Batches write their results to this many places in turn. */
#define PLACES 2

/* A repeat has enough batches to take this long. */
#define REPEAT_US 1000
#define MAX_RUNS 32

#define ACCUMULATORS_SIZE (VH_KERNEL_FRAME_WORDS * sizeof (guint64))
#define COUNTS_SIZE (CODES * sizeof (guint32))

typedef struct
{
  BenchArena *arena;
  const BenchPeer *cub;
  BenchBatchWay way;
  guint n;
  CUdeviceptr accumulators;     /* for each frame of each place */
  CUdeviceptr counts;           /* likewise, uint32_t[CODES] */
  CUdeviceptr temp;             /* scratch memory of CUB */
  size_t temp_size;
  const gchar *why;             /* CUB's error message, or NULL */
} Job;

/* Frame @i of batch @k. */
static CUdeviceptr
frame_address (const Job * self, guint k, guint i)
{
  const BenchPattern *p = &self->arena->frames->pattern;

  return p->data + (k * self->n + i) % p->frames * p->frame_bytes;
}

static CUdeviceptr
counts_address (const Job * self, guint k, guint i)
{
  return self->counts + (k % PLACES * self->n + i) * COUNTS_SIZE;
}

static VhCudaLaunch
choose (const Job * self, guint k, guint i, VhKernelParams * params)
{
  const BenchFrames *frames = self->arena->frames;
  const BenchPattern *p = &frames->pattern;
  const VhFrameView view = {.layout = &frames->layout };
  const VhRect region = { 0, 0, p->width, p->height };
  const VhCountsShape shape = {
    .channels = 1u << VH_CHANNEL_LUMA,
    .bins = CODES,
    .columns = 1,
    .rows = 1,
  };
  const VhCudaPlanes planes = {
    .view = &view,
    .data = {frame_address (self, k, i)},
    .stride = {p->stride},
  };
  VhCudaLaunch launch;

  vh_cuda_params_init (params, &frames->layout, &shape);
  vh_cuda_params_set_frame (params, &planes, &region);
  params->accumulators = self->accumulators +
      (k % PLACES * self->n + i) * ACCUMULATORS_SIZE;
  params->device_counts = counts_address (self, k, i);
  launch = vh_cuda_choose_launch (self->arena->gpu->device, &frames->layout,
      VH_METHOD_AUTO, params, NULL);
  launch.complete = TRUE;
  return launch;
}

/* Enqueues batch @k with our kernels: in one launch, or one for each frame. */
static gboolean
enqueue_ours (Job * self, guint k)
{
  BenchGpu *gpu = self->arena->gpu;
  CUresult result = CUDA_SUCCESS;
  VhCudaBatch batch = { 0, };
  guint i;

  for (i = 0; i < self->n && result == CUDA_SUCCESS; i++) {
    VhKernelParams params;
    const VhCudaLaunch launch = choose (self, k, i, &params);

    if (self->way == BENCH_BATCH_EACH)
      result = vh_cuda_launch (gpu->device, &launch, &params, gpu->stream);
    else if (!vh_cuda_batch_add (&batch, &launch, &params))
      return FALSE;
  }
  if (batch.n > 0)
    result = vh_cuda_batch_launch (gpu->device, &batch, gpu->stream);
  return bench_gpu_check (gpu, result, "a batch");
}

static BenchPeerFrame
cub_frame (const Job * self, guint k, guint i)
{
  const BenchPattern *p = &self->arena->frames->pattern;

  return (BenchPeerFrame) {
    .data = frame_address (self, k, i),
    .stride = p->stride,
    .width = p->width,
    .height = p->height,
    .components = 1,
    .sample_bytes = 1,
    .bins = CODES,
    .counts = counts_address (self, k, i),
  };
}

static gboolean
enqueue (gpointer job, guint k)
{
  Job *self = job;
  guint i;

  if (self->way != BENCH_BATCH_CUB)
    return enqueue_ours (self, k);
  for (i = 0; i < self->n && !self->why; i++) {
    const BenchPeerFrame frame = cub_frame (self, k, i);

    self->why = self->cub->run (&frame, self->temp, self->temp_size,
        self->arena->gpu->stream);
  }
  return self->why == NULL;
}

/* Checks the counts of the last batch of each place. */
static gboolean
check (const Job * self, const guint32 * expected, gchar ** difference)
{
  const guint all = PLACES * self->n;
  BenchGpu *gpu = self->arena->gpu;
  guint32 *counts = g_new (guint32, all * CODES);
  gboolean good;
  guint i;

  good = bench_gpu_check (gpu, gpu->MemcpyDtoH (counts, self->counts,
          all * COUNTS_SIZE), "downloading counts");
  for (i = 0; i < all && good; i++) {
    good = bench_counts_equal (counts + i * CODES,
        expected + i % self->arena->frames->pattern.frames * CODES, 1, CODES,
        difference);
  }
  g_free (counts);
  return good;
}

static gboolean
poison (const Job * self)
{
  BenchGpu *gpu = self->arena->gpu;

  return bench_gpu_check (gpu, gpu->driver->MemsetD8Async (self->counts, POISON,
          PLACES * self->n * COUNTS_SIZE, gpu->stream), "filling results");
}

static void
repeat (Job * self, BenchTime * time, const guint32 * expected, guint repeats)
{
  BenchGpu *gpu = self->arena->gpu;
  GArray *values = g_array_new (FALSE, FALSE, sizeof (gdouble));
  gchar *difference = NULL;
  BenchReplay replay;
  gdouble once;
  guint i;

  bench_replay_init (&replay, gpu, enqueue, self, 1);
  once = bench_replay_time (&replay, gpu);
  bench_replay_init (&replay, gpu, enqueue, self,
      CLAMP (REPEAT_US / MAX (once, 1), PLACES, MAX_RUNS));
  bench_replay_enqueue (&replay, gpu);
  for (i = 0; i < repeats && !gpu->failure && !self->why && !difference; i++) {
    const gdouble us = poison (self) ? bench_replay_time (&replay, gpu) : -1;

    if (us >= 0 && check (self, expected, &difference)) {
      const gdouble frame = us / self->n;

      g_array_append_val (values, frame);
    }
  }
  time->problem = difference ? difference : g_strdup (self->why);
  time->counts = difference ? BENCH_COUNTS_WRONG :
      values->len > 0 ? BENCH_COUNTS_EXACT : BENCH_COUNTS_NONE;
  time->one_by_one = !replay.exec;
  bench_time_set (time, values, replay.n);
  bench_replay_free (&replay, gpu);
  g_array_unref (values);
}

/* Prepares @self. Returns FALSE with @problem set if it cannot count this
 * way. */
static gboolean
prepare (Job * self, gchar ** problem)
{
  const BenchPeerFrame frame = cub_frame (self, 0, 0);
  VhCudaBatch batch = { 0, };
  VhKernelParams params;
  VhCudaLaunch launch;

  self->why = NULL;
  if (self->way == BENCH_BATCH_CUB) {
    self->why = self->cub ? self->cub->prepare (&frame, &self->temp_size) :
        "not available";
    if (!self->why) {
      self->temp = bench_gpu_alloc (self->arena->gpu, self->temp_size);
      self->why = self->temp ? NULL : "not enough memory";
    }
    *problem = g_strdup (self->why);
    return self->why == NULL;
  }
  launch = choose (self, 0, 0, &params);
  if (!vh_cuda_batch_add (&batch, &launch, &params))
    *problem = g_strdup ("frames of this size are not launched together");
  return batch.n > 0;
}

/* The expected counts of the frames of PLACES batches. To be freed. */
static guint32 *
count_expected (const Job * self)
{
  const BenchFrames *frames = self->arena->frames;
  const guint n = MIN (PLACES * self->n, frames->pattern.frames);
  guint32 *expected = g_new (guint32, n * CODES);
  guint32 *full = g_new (guint32, BENCH_CODES);
  guint i;

  for (i = 0; i < n; i++) {
    bench_frames_reference (frames, i, full);
    memcpy (expected + i * CODES, full, COUNTS_SIZE);
  }
  g_free (full);
  return expected;
}

static void
measure (Job * self, BenchBatch * batch, guint repeats)
{
  BenchGpu *gpu = self->arena->gpu;
  guint32 *expected = count_expected (self);

  bench_gpu_check (gpu, gpu->driver->MemsetD8Async (self->accumulators, 0,
          PLACES * self->n * ACCUMULATORS_SIZE, gpu->stream),
      "clearing results");
  for (self->way = 0; self->way < BENCH_BATCH_N_WAYS && !gpu->failure;
      self->way++) {
    BenchTime *time = &batch->times[self->way];

    if (prepare (self, &time->problem))
      repeat (self, time, expected, repeats);
    bench_gpu_wait (gpu);
    bench_gpu_release (gpu, self->temp);
    self->temp = 0;
  }
  g_free (expected);
}

BenchBatch *
bench_batch_measure (BenchArena * arena, const BenchEntrant * cub,
    const BenchSize * size, BenchData data, guint n, guint repeats)
{
  BenchGpu *gpu = arena->gpu;
  BenchBatch *batch = g_new0 (BenchBatch, 1);
  Job job = {.arena = arena,.n = n,.cub = cub && !cub->problem ? cub->peer :
        NULL };
  GError *error = NULL;
  guint i;

  batch->c = (BenchCase) {
    .data = data,.bins = CODES,.size = *size,.depth = 8,
  };
  batch->n = n;
  if (!bench_frames_make (arena->frames, &batch->c, &error)) {
    for (i = 0; i < BENCH_BATCH_N_WAYS; i++)
      batch->times[i].problem = g_strdup (error->message);
    g_clear_error (&error);
    return batch;
  }
  job.accumulators = bench_gpu_alloc (gpu, PLACES * n * ACCUMULATORS_SIZE);
  job.counts = bench_gpu_alloc (gpu, PLACES * n * COUNTS_SIZE);
  if (job.accumulators && job.counts)
    measure (&job, batch, repeats);
  for (i = 0; i < BENCH_BATCH_N_WAYS; i++) {
    if (!batch->times[i].problem && batch->times[i].repeats == 0) {
      batch->times[i].problem = g_strdup (gpu->failure ? gpu->failure :
          "not enough memory for results");
    }
  }
  bench_gpu_release (gpu, job.accumulators);
  bench_gpu_release (gpu, job.counts);
  return batch;
}

void
bench_batch_free (BenchBatch * batch)
{
  guint i;

  for (i = 0; i < BENCH_BATCH_N_WAYS; i++)
    g_free (batch->times[i].problem);
  g_free (batch);
}

const gchar *
bench_batch_way_name (BenchBatchWay way)
{
  static const gchar *const names[] = {
    [BENCH_BATCH_ONE] = "together",
    [BENCH_BATCH_EACH] = "separately",
    [BENCH_BATCH_CUB] = "cub",
  };

  return names[way];
}

void
bench_batches_report (const GPtrArray * batches)
{
  guint i, k;

  if (batches->len == 0)
    return;
  g_print ("\nmany frames of 8-bit luma, us for each\n%-36s %11s %11s %11s\n",
      "", bench_batch_way_name (0), bench_batch_way_name (1),
      bench_batch_way_name (2));
  for (i = 0; i < batches->len; i++) {
    const BenchBatch *batch = g_ptr_array_index (batches, i);
    gchar *data = bench_data_name (batch->c.data);
    gchar *name = g_strdup_printf ("%u frames of %s, %s", batch->n,
        batch->c.size.name, data);

    g_print ("%-36s", name);
    for (k = 0; k < BENCH_BATCH_N_WAYS; k++)
      bench_print_number (batch->times[k].repeats > 0 ?
          batch->times[k].median : NAN);
    g_print ("\n");
    for (k = 0; k < BENCH_BATCH_N_WAYS; k++) {
      if (batch->times[k].problem && k != BENCH_BATCH_CUB) {
        g_print ("  %s%s: %s\n", batch->times[k].counts == BENCH_COUNTS_WRONG ?
            "WRONG COUNTS: " : "", bench_batch_way_name (k),
            batch->times[k].problem);
      }
    }
    g_free (name);
    g_free (data);
  }
}

guint
bench_batches_count_bad (const GPtrArray * batches)
{
  guint n = 0, i, k;

  for (i = 0; i < batches->len; i++) {
    const BenchBatch *batch = g_ptr_array_index (batches, i);

    for (k = 0; k < BENCH_BATCH_N_WAYS; k++) {
      n += batch->times[k].counts == BENCH_COUNTS_WRONG
          || (k != BENCH_BATCH_CUB && batch->times[k].repeats == 0);
    }
  }
  return n;
}
