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
  CUdeviceptr accumulators;     /* for each slot, with tickets behind them */
  CUdeviceptr counts;           /* the same, RESULTS of guint32 */
  CUdeviceptr ticket;           /* the same, guint32 */
} Job;

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
    .bins = BENCH_JOINT_BINS,
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
  params.frame.n_values = params.frame.n_results = RESULTS;
  params.frame.accumulators = job->accumulators + slot * 2 * RESULTS_SIZE;
  params.frame.device_counts = job->counts + slot * RESULTS_SIZE;
  params.frame.ticket = job->ticket + slot * sizeof (guint32);
  params.against = p->data + (k + 1) % p->frames * p->frame_bytes;
  return bench_gpu_check (gpu, vh_cuda_joint_launch (gpu->device,
          VH_CUDA_KERNEL_JOINT_LUMA, &params, gpu->stream), "joint histograms");
}

/* As plainly as can be. */
static void
count (const BenchFrames * frames, guint k, guint32 * expected)
{
  const BenchPattern *p = &frames->pattern;
  const guint8 *b = frames->host + k % p->frames * p->frame_bytes;
  const guint8 *a = frames->host + (k + 1) % p->frames * p->frame_bytes;
  const gsize pixels = (gsize) p->width * p->height;
  gsize i;

  memset (expected, 0, RESULTS_SIZE);
  for (i = 0; i < pixels; i++)
    expected[a[i] * BENCH_JOINT_BINS + b[i]]++;
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
    for (i = 0; i < RESULTS && good; i++) {
      good = counts[i] == expected[k * RESULTS + i];
      if (!good) {
        *difference = g_strdup_printf ("pair %u, %u of frame %u has %u pixels, "
            "not %u", i / BENCH_JOINT_BINS, i % BENCH_JOINT_BINS, k, counts[i],
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
    count (job->arena->frames, k, expected + (gsize) k * RESULTS);
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
    BenchData data, guint repeats)
{
  BenchGpu *gpu = arena->gpu;
  BenchJoint *joint = g_new0 (BenchJoint, 1);
  Job job = {.arena = arena };
  GError *error = NULL;

  joint->c = (BenchCase) {
    .data = data,.bins = BENCH_JOINT_BINS,.size = *size,.depth = 8,
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
  g_print ("\njoint histograms of two frames of 8-bit luma, %u x %u bins\n"
      "%-30s %9s %9s\n", BENCH_JOINT_BINS, BENCH_JOINT_BINS, "", "us", "GB/s");
  for (i = 0; i < joints->len; i++) {
    const BenchJoint *joint = g_ptr_array_index (joints, i);
    const guint64 bytes = 2 * (guint64) joint->c.size.width *
        joint->c.size.height;
    gchar *data = bench_data_name (joint->c.data);
    gchar *name = g_strdup_printf ("%s, %s", joint->c.size.name, data);

    g_print ("%-30s", name);
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
