/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "joint.h"
#include "core/channels.h"
#include "core/methods.h"
#include "cuda/jointlaunch.h"
#include "cuda/launch.h"
#include "report.h"

#include <math.h>
#include <string.h>

#define RESULTS (BENCH_JOINT_BINS * BENCH_JOINT_BINS)
#define RESULTS_SIZE (RESULTS * sizeof (guint32))
#define POISON 0xa5

/* Minimum number of runs in a repeat. */
#define MIN_RUNS 32

/* Methods other than auto take so long that more repeats add no information. */
#define METHOD_REPEATS 5

const guint bench_joint_methods[BENCH_N_JOINT_METHODS] = {
  VH_METHOD_AUTO, VH_METHOD_TAGGED_WARPS, VH_METHOD_THREAD_TABLES,
};

typedef struct
{
  BenchArena *arena;
  guint method;
  gboolean chroma;
  guint bins;                   /* of each side */
  CUdeviceptr kept;             /* luma of all frames, as bin numbers */
  CUdeviceptr scratch;          /* for each slot, or 0 */
  gsize scratch_size;           /* of a slot */
  CUdeviceptr accumulators;     /* for each slot */
  CUdeviceptr counts;           /* likewise, RESULTS of guint32 */
  CUdeviceptr ticket;           /* likewise, guint32 */
} Job;

static guint
count_results (const Job * job)
{
  return job->bins * job->bins;
}

/* Replaces the frame's luma by U and V: reads the start of the plane at @data
 * as if it were the plane of U and V of an NV12 frame. */
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

static gsize
frame_pixels (const Job * job)
{
  const BenchPattern *p = &job->arena->frames->pattern;

  return (gsize) p->width * p->height;
}

/* Fills the parameters of frame @k: its whole plane as luma or, for chroma, as
 * set_chroma() says. */
static void
set_frame (const Job * job, guint k, VhJointParams * params)
{
  const BenchFrames *frames = job->arena->frames;
  const BenchPattern *p = &frames->pattern;
  const VhFrameView view = {.layout = &frames->layout };
  const VhRect region = { 0, 0, p->width, p->height };
  const VhCountsShape shape = {
    .channels = 1u << VH_CHANNEL_LUMA,
    .bins = job->bins,
    .columns = 1,
    .rows = 1,
  };
  const VhCudaPlanes planes = {
    .view = &view,
    .data = {p->data + k % p->frames * p->frame_bytes},
    .stride = {p->stride},
  };

  *params = (VhJointParams) { {{{0}}}, };
  vh_cuda_params_init (&params->frame, &frames->layout, &shape);
  vh_cuda_params_set_frame (&params->frame, &planes, &region);
  if (job->chroma)
    set_chroma (&params->frame, p, planes.data[0]);
  params->frame.n_values = params->frame.n_results = count_results (job);
}

static gboolean
enqueue (gpointer data, guint k)
{
  Job *job = data;
  const BenchPattern *p = &job->arena->frames->pattern;
  BenchGpu *gpu = job->arena->gpu;
  const guint slot = k % BENCH_SLOTS;
  VhJointParams params;

  set_frame (job, k, &params);
  params.frame.accumulators = job->accumulators + slot * 2 * RESULTS_SIZE;
  params.frame.device_counts = job->counts + slot * RESULTS_SIZE;
  params.frame.ticket = job->ticket + slot * sizeof (guint32);
  params.frame.scratch = job->scratch + slot * job->scratch_size;
  /* As in the element, nothing earlier on the stream writes the frame. */
  params.frame.complete = TRUE;
  if (!job->chroma)
    params.against = job->kept + (k + 1) % p->frames * frame_pixels (job);
  return bench_gpu_check (gpu, vh_cuda_joint_launch (gpu->device, job->method,
          job->chroma ? VH_CUDA_JOINT_CHROMA : VH_CUDA_JOINT_LUMA, &params,
          gpu->stream), "joint histograms");
}

/* Stores luma of all frames in kept. */
static gboolean
keep (Job * job)
{
  BenchGpu *gpu = job->arena->gpu;
  guint k;

  for (k = 0; k < job->arena->frames->pattern.frames; k++) {
    VhJointParams params;

    set_frame (job, k, &params);
    params.keep = job->kept + k * frame_pixels (job);
    if (!bench_gpu_check (gpu, vh_cuda_joint_launch (gpu->device, job->method,
                VH_CUDA_JOINT_KEEP, &params, gpu->stream), "keeping luma"))
      return FALSE;
  }
  return TRUE;
}

/* Counts in the simplest way. */
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
      const guint first = job->chroma ? b[at] : a[at];
      const guint second = job->chroma ? b[at + 1] : b[at];

      expected[(first * job->bins >> 8) * job->bins +
          (second * job->bins >> 8)]++;
    }
  }
}

/* Checks the counts of the last @n runs. */
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

/* Allocates memory for results, cleared, and for the luma to count against. */
static gboolean
prepare (Job * job)
{
  BenchGpu *gpu = job->arena->gpu;

  job->accumulators = bench_gpu_alloc (gpu, BENCH_SLOTS * 2 * RESULTS_SIZE);
  job->counts = bench_gpu_alloc (gpu, BENCH_SLOTS * RESULTS_SIZE);
  job->ticket = bench_gpu_alloc (gpu, BENCH_SLOTS * sizeof (guint32));
  if (job->scratch_size > 0)
    job->scratch = bench_gpu_alloc (gpu, BENCH_SLOTS * job->scratch_size);
  if (!job->chroma) {
    job->kept = bench_gpu_alloc (gpu,
        job->arena->frames->pattern.frames * frame_pixels (job));
  }
  return job->accumulators && job->counts && job->ticket
      && (job->scratch || job->scratch_size == 0)
      && (job->kept || job->chroma)
      && bench_gpu_check (gpu, vh_cuda_joint_load (gpu->device, job->method),
      "loading the kernels")
      && bench_gpu_check (gpu, gpu->driver->MemsetD8Async (job->accumulators,
          0, BENCH_SLOTS * 2 * RESULTS_SIZE, gpu->stream), "clearing results")
      && bench_gpu_check (gpu, gpu->driver->MemsetD8Async (job->ticket, 0,
          BENCH_SLOTS * sizeof (guint32), gpu->stream), "clearing tickets")
      && (job->chroma || keep (job));
}

static void
measure (BenchJoint * joint, BenchArena * arena, guint repeats)
{
  BenchGpu *gpu = arena->gpu;
  Job job = {.arena = arena,.method = joint->method,
    .chroma = joint->c.chroma,.bins = joint->c.bins
  };
  VhJointParams params;

  set_frame (&job, 0, &params);
  vh_cuda_joint_choose_method (gpu->device, joint->method, &params.frame,
      joint->c.bins, &job.scratch_size, &joint->time.problem);
  joint->refused = joint->time.problem != NULL;
  if (joint->refused)
    return;
  if (prepare (&job))
    repeat (&job, joint, repeats);
  else if (!gpu->failure)
    joint->time.problem = g_strdup ("not enough memory for results");
  if (gpu->failure && !joint->time.problem)
    joint->time.problem = g_strdup (gpu->failure);
  bench_gpu_release (gpu, job.accumulators);
  bench_gpu_release (gpu, job.counts);
  bench_gpu_release (gpu, job.ticket);
  bench_gpu_release (gpu, job.scratch);
  bench_gpu_release (gpu, job.kept);
}

void
bench_joints_measure (GPtrArray * joints, BenchArena * arena,
    const BenchJointCase * c, guint repeats)
{
  const BenchCase frames = {
    .data = c->data,.bins = c->bins,.size = c->size,.depth = 8,
  };
  guint i;

  for (i = 0; i < BENCH_N_JOINT_METHODS; i++) {
    BenchJoint *joint = g_new0 (BenchJoint, 1);
    GError *error = NULL;

    joint->c = *c;
    joint->method = bench_joint_methods[i];
    if (bench_frames_make (arena->frames, &frames, &error)) {
      measure (joint, arena, joint->method == VH_METHOD_AUTO ? repeats :
          MIN (repeats, METHOD_REPEATS));
    } else {
      joint->time.problem = g_strdup (error->message);
      g_clear_error (&error);
    }
    g_ptr_array_add (joints, joint);
  }
}

void
bench_joint_free (BenchJoint * joint)
{
  g_free (joint->time.problem);
  g_free (joint);
}

static guint64
count_bytes (const BenchJointCase * c)
{
  const guint64 pixels = (guint64) c->size.width * c->size.height;

  return c->chroma ? pixels / 2 : 2 * pixels;
}

static void
print_problem (const BenchJoint * joint)
{
  if (!joint->time.problem || joint->refused)
    return;
  g_print ("%s: %s%s\n", vh_method_nick (joint->method),
      joint->time.counts == BENCH_COUNTS_WRONG ? "WRONG COUNTS: " : "",
      joint->time.problem);
}

void
bench_joints_report (const GPtrArray * joints)
{
  guint i, k;

  if (joints->len == 0)
    return;
  g_print ("\njoint histograms of 8 bits: luma of two frames, or U and V of "
      "one; microseconds\n%-40s %9s", "", "GB/s");
  for (k = 0; k < BENCH_N_JOINT_METHODS; k++)
    g_print (" %13s", vh_method_nick (bench_joint_methods[k]));
  g_print ("\n");
  for (i = 0; i < joints->len; i += BENCH_N_JOINT_METHODS) {
    BenchJoint **row = (BenchJoint **) joints->pdata + i;
    const BenchJointCase *c = &row[0]->c;
    gchar *data = bench_data_name (c->data);
    gchar *name = g_strdup_printf ("%s %s, %u x %u bins, %s", c->size.name,
        c->chroma ? "chroma" : "luma", c->bins, c->bins, data);

    g_print ("%-40s", name);
    bench_print_number (row[0]->time.problem ? NAN :
        count_bytes (c) / row[0]->time.median / 1e3);
    for (k = 0; k < BENCH_N_JOINT_METHODS; k++) {
      g_print ("  ");
      bench_print_number (row[k]->time.problem ? NAN : row[k]->time.median);
    }
    g_print ("\n");
    for (k = 0; k < BENCH_N_JOINT_METHODS; k++)
      print_problem (row[k]);
    g_free (name);
    g_free (data);
  }
}

guint
bench_joints_count_bad (const GPtrArray * joints)
{
  guint n = 0, i;

  for (i = 0; i < joints->len; i++) {
    const BenchJoint *joint = g_ptr_array_index (joints, i);

    n += joint->time.counts != BENCH_COUNTS_EXACT && !joint->refused;
  }
  return n;
}
