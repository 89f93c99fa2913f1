/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "joint.h"
#include "core/channels.h"
#include "cuda/jointlaunch.h"
#include "cuda/launch.h"
#include "report.h"

#include <string.h>

#define RESULTS (BENCH_JOINT_BINS * BENCH_JOINT_BINS)
#define RESULTS_SIZE (RESULTS * sizeof (guint32))
#define POISON 0xa5

/* Runs of a repeat, and what goes through the cache in one. */
#define MIN_RUNS 32

typedef struct
{
  BenchArena *arena;
  gboolean chroma;
  guint bins;                   /* of each side */
  CUdeviceptr accumulators;     /* for each slot, with tickets behind them */
  CUdeviceptr counts;           /* the same, RESULTS of guint32 */
  CUdeviceptr ticket;           /* the same, guint32 */
} Job;

static guint
count_results (const Job * job)
{
  return job->bins * job->bins;
}

/* What the kernels read of frame @k: the whole plane as luma, or as much of it
 * as U and V have in such a frame. */
static void
set_chroma (VhKernelParams * params, const BenchPattern * p, CUdeviceptr data)
{
  guint i;

  for (i = 1; i < 3; i++) {
    params->component[i] = (VhKernelComponent) {
      .data = data + i - 1,
      .stride = p->stride,
      .pixel_stride = 2,
      .sample_bytes = 1,
    };
  }
  params->width = p->width / 2;
  params->height = p->height / 2;
}

static gboolean
enqueue (gpointer data, guint k)
{
  Job *job = data;
  const BenchFrames *frames = job->arena->frames;
  const BenchPattern *p = &frames->pattern;
  BenchGpu *gpu = job->arena->gpu;
  const VhFrameView view = {.layout = &frames->layout };
  const VhRect region = { 0, 0, p->width, p->height };
  const VhCountsShape shape = {
    .channels = 1u << VH_CHANNEL_LUMA,
    .bins = job->bins,
    .columns = 1,
    .rows = 1,
  };
  const guint slot = k % BENCH_SLOTS;
  CUdeviceptr data_of[GST_VIDEO_MAX_PLANES] = { 0, };
  gsize stride[GST_VIDEO_MAX_PLANES] = { 0, };
  VhJointParams params = { 0, };

  vh_cuda_params_init (&params.frame, &frames->layout, &shape);
  data_of[0] = p->data + k % p->frames * p->frame_bytes;
  stride[0] = p->stride;
  vh_cuda_params_set_frame (&params.frame, &view, &region, data_of, stride);
  if (job->chroma)
    set_chroma (&params.frame, p, data_of[0]);
  params.frame.n_values = params.frame.n_results = count_results (job);
  params.frame.accumulators = job->accumulators + slot * 2 * RESULTS_SIZE;
  params.frame.device_counts = job->counts + slot * RESULTS_SIZE;
  params.frame.ticket = job->ticket + slot * sizeof (guint32);
  /* As for the element's frames on the GPU: nothing writes them. */
  params.frame.complete = TRUE;
  params.against = p->data + (k + 1) % p->frames * p->frame_bytes;
  return bench_gpu_check (gpu, vh_cuda_joint_launch (gpu->device,
          job->chroma ? VH_CUDA_KERNEL_JOINT_CHROMA :
          VH_CUDA_KERNEL_JOINT_LUMA, &params, gpu->stream),
      "joint histograms");
}

/* As plainly as can be. Luma that is counted against has been kept in bins. */
static void
count (const Job * job, guint k, guint32 * expected)
{
  const BenchFrames *frames = job->arena->frames;
  const BenchPattern *p = &frames->pattern;
  const guint8 *b = frames->host + k % p->frames * p->frame_bytes;
  const guint8 *a = frames->host + (k + 1) % p->frames * p->frame_bytes;
  gsize x, y;

  memset (expected, 0, RESULTS_SIZE);
  for (y = 0; y < p->height / (job->chroma ? 2 : 1); y++) {
    for (x = 0; x < p->width; x += job->chroma ? 2 : 1) {
      const gsize at = y * p->stride + x;

      if (job->chroma)
        expected[(b[at] * job->bins >> 8) * job->bins +
            (b[at + 1] * job->bins >> 8)]++;
      else
        expected[a[at] * job->bins + (b[at] * job->bins >> 8)]++;
    }
  }
}

/* Looks at the counts of the last @n runs. */
static gboolean
check (Job * job, guint n, const guint32 * expected, gchar ** difference)
{
  BenchGpu *gpu = job->arena->gpu;
  guint32 *counts = g_malloc (RESULTS_SIZE);
  gboolean good = TRUE;
  guint k, i;

  for (k = 0; k < MIN (n, BENCH_SLOTS) && good; k++) {
    good = bench_gpu_check (gpu, gpu->MemcpyDtoH (counts,
            job->counts + k * RESULTS_SIZE, RESULTS_SIZE),
        "downloading counts");
    for (i = 0; i < count_results (job) && good; i++) {
      good = counts[i] == expected[k * RESULTS + i];
      if (!good) {
        *difference = g_strdup_printf ("pair %u, %u of frame %u has %u pixels, "
            "not %u", i / job->bins, i % job->bins, k, counts[i],
            expected[k * RESULTS + i]);
      }
    }
  }
  g_free (counts);
  return good;
}

static void
repeat (Job * job, BenchJoint * joint, guint repeats)
{
  BenchGpu *gpu = job->arena->gpu;
  guint32 *expected = g_malloc (BENCH_SLOTS * RESULTS_SIZE);
  GArray *values = g_array_new (FALSE, FALSE, sizeof (gdouble));
  gchar *difference = NULL;
  BenchReplay replay;
  guint k, i;

  for (k = 0; k < BENCH_SLOTS; k++)
    count (job, k, expected + (gsize) k * RESULTS);
  bench_replay_init (&replay, gpu, enqueue, job, MIN_RUNS);
  bench_replay_enqueue (&replay, gpu);
  for (i = 0; i < repeats && !gpu->failure && !difference; i++) {
    gdouble us = -1;

    if (bench_gpu_check (gpu, gpu->driver->MemsetD8Async (job->counts, POISON,
                BENCH_SLOTS * RESULTS_SIZE, gpu->stream), "filling results"))
      us = bench_replay_time (&replay, gpu);
    if (us >= 0 && check (job, replay.n, expected, &difference))
      g_array_append_val (values, us);
  }
  joint->time.problem = difference;
  joint->time.counts = difference ? BENCH_COUNTS_WRONG :
      values->len > 0 ? BENCH_COUNTS_EXACT : BENCH_COUNTS_NONE;
  bench_time_set (&joint->time, values, replay.n);
  bench_replay_free (&replay, gpu);
  g_array_unref (values);
  g_free (expected);
}

BenchJoint *
bench_joint_measure (BenchArena * arena, const BenchSize * size,
    BenchData data, gboolean chroma, guint bins, guint repeats)
{
  BenchGpu *gpu = arena->gpu;
  BenchJoint *joint = g_new0 (BenchJoint, 1);
  Job job = {.arena = arena,.chroma = chroma,.bins = bins };
  GError *error = NULL;

  joint->chroma = chroma;
  joint->c = (BenchCase) {
    .data = data,.bins = bins,.size = *size,.depth = 8,
  };
  if (!bench_frames_make (arena->frames, &joint->c, &error)) {
    joint->time.problem = g_strdup (error->message);
    g_clear_error (&error);
    return joint;
  }
  job.accumulators = bench_gpu_alloc (gpu, BENCH_SLOTS * 2 * RESULTS_SIZE);
  job.counts = bench_gpu_alloc (gpu, BENCH_SLOTS * RESULTS_SIZE);
  job.ticket = bench_gpu_alloc (gpu, BENCH_SLOTS * sizeof (guint32));
  if (!job.accumulators || !job.counts || !job.ticket) {
    joint->time.problem = g_strdup ("there is no memory for results");
  } else if (bench_gpu_check (gpu, vh_cuda_device_load (gpu->device,
              chroma ? VH_CUDA_KERNEL_JOINT_CHROMA :
              VH_CUDA_KERNEL_JOINT_LUMA), "loading the kernel")
      && bench_gpu_check (gpu, gpu->driver->MemsetD8Async (job.accumulators, 0,
              BENCH_SLOTS * 2 * RESULTS_SIZE, gpu->stream), "clearing results")
      && bench_gpu_check (gpu, gpu->driver->MemsetD8Async (job.ticket, 0,
              BENCH_SLOTS * sizeof (guint32), gpu->stream), "clearing tickets"))
    repeat (&job, joint, repeats);
  if (gpu->failure && !joint->time.problem)
    joint->time.problem = g_strdup (gpu->failure);
  bench_gpu_release (gpu, job.accumulators);
  bench_gpu_release (gpu, job.counts);
  bench_gpu_release (gpu, job.ticket);
  return joint;
}

void
bench_joint_free (BenchJoint * joint)
{
  g_free (joint->time.problem);
  g_free (joint);
}

void
bench_joints_report (const GPtrArray * joints)
{
  guint i;

  if (joints->len == 0)
    return;
  g_print ("\njoint histograms of 8 bits: luma of two frames, or U and V of one"
      "\n%-40s %9s %9s\n", "", "us", "GB/s");
  for (i = 0; i < joints->len; i++) {
    const BenchJoint *joint = g_ptr_array_index (joints, i);
    const guint64 pixels = (guint64) joint->c.size.width *
        joint->c.size.height;
    const guint64 bytes = joint->chroma ? pixels / 2 : 2 * pixels;
    gchar *data = bench_data_name (joint->c.data);
    gchar *name = g_strdup_printf ("%s %s, %u x %u bins, %s",
        joint->c.size.name, joint->chroma ? "chroma" : "luma", joint->c.bins,
        joint->c.bins, data);

    g_print ("%-40s", name);
    if (joint->time.problem) {
      g_print (" %s%s\n", joint->time.counts == BENCH_COUNTS_WRONG ?
          "WRONG COUNTS: " : "", joint->time.problem);
    } else {
      bench_print_number (joint->time.median);
      bench_print_number (bytes / joint->time.median / 1e3);
      g_print ("\n");
    }
    g_free (name);
    g_free (data);
  }
}

guint
bench_joints_count_bad (const GPtrArray * joints)
{
  guint n = 0, i;

  for (i = 0; i < joints->len; i++) {
    n += ((const BenchJoint *) g_ptr_array_index (joints, i))->time.counts !=
        BENCH_COUNTS_EXACT;
  }
  return n;
}
