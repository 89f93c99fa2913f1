/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the kernels of joint histograms are started. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "jointlaunch.h"
#include "launch.h"

/* Pixels for each thread, at least. */
#define PIXELS 4

#define VECTOR 16               /* bytes */

/* Windows of results are multiples of this many. */
#define WINDOW 32

/* Whether rows from @data on are whole vectors. */
static gboolean
is_aligned (guint64 data, guint64 stride)
{
  return (data | stride) % VECTOR == 0;
}

/* Where the samples of @component lie in the region; FALSE if they are not
 * bytes. */
static gboolean
find_vectors (const VhKernelParams * frame, const VhKernelComponent * component,
    guint64 * data, guint64 * stride)
{
  *data = component->data + (guint64) frame->y * component->stride +
      (guint64) frame->x * component->pixel_stride;
  *stride = component->stride;
  return component->sample_bytes == 1 && component->shift == 0
      && frame->depth == 8;
}

/* Luma, and the memory that it is counted against or kept in. */
static void
find_luma_vectors (VhJointParams * params)
{
  const VhKernelParams *frame = &params->frame;

  params->samples = VH_PAIRS_ANY;
  params->a = params->against;
  params->a_stride = frame->width;
  params->row_vectors = frame->width / VECTOR;
  if (frame->model != VH_KERNEL_RGB && frame->component[0].pixel_stride == 1
      && frame->width % VECTOR == 0
      && find_vectors (frame, &frame->component[0], &params->b,
          &params->b_stride) && is_aligned (params->b, params->b_stride))
    params->samples = VH_PAIRS_PLANES;
}

static void
find_chroma_vectors (VhJointParams * params)
{
  const VhKernelParams *frame = &params->frame;
  const guint bytes = frame->component[1].pixel_stride;
  const guint row = frame->width * bytes;

  params->samples = VH_PAIRS_ANY;
  params->row_vectors = row / VECTOR;
  if (!find_vectors (frame, &frame->component[1], &params->a,
          &params->a_stride)
      || !find_vectors (frame, &frame->component[2], &params->b,
          &params->b_stride) || row % VECTOR != 0)
    return;
  if (bytes == 1 && is_aligned (params->a, params->a_stride)
      && is_aligned (params->b, params->b_stride)) {
    params->samples = VH_PAIRS_PLANES;
  } else if (bytes == 2 && params->b == params->a + 1
      && is_aligned (params->a, params->a_stride)) {
    params->samples = VH_PAIRS_INTERLEAVED;
  } else if (bytes == 2 && params->a == params->b + 1
      && is_aligned (params->b, params->b_stride)) {
    params->samples = VH_PAIRS_SWAPPED;
    params->a = params->b;
  }
}

/* Where blocks add up: results in whole units of four, twice, and tickets. The
 * accumulators of vh_cuda_accumulator_size() have room for that. */
static void
place_sums (VhJointParams * params)
{
  const gsize results = GST_ROUND_UP_4 (params->frame.n_results);

  params->few = params->frame.accumulators + results * sizeof (guint32);
  params->tickets = params->few + results * sizeof (guint16);
}

/* The kernel for @params, one of those of joint.cu. Each window of the results
 * that fits in shared memory has blocks of its own. */
static VhCudaLaunch
choose_launch (const VhCudaDevice * device, VhCudaKernel kernel,
    VhJointParams * params)
{
  const guint64 pixels = (guint64) params->frame.width * params->frame.height;
  const gsize room = device->shared_limit - VH_CUDA_FIXED_SHARED;
  /* The words behind a window take the place of a part of another. */
  const guint most = (room / sizeof (guint32) / WINDOW - 1) * WINDOW;
  const guint results = GST_ROUND_UP_N (params->frame.n_results, WINDOW);
  guint blocks = device->multiprocessors;
  VhCudaLaunch launch = {.kernel = kernel,.grid = {1, 1, 1} };

  launch.threads = MIN (device->max_threads[kernel], 1024);
  if (kernel != VH_CUDA_KERNEL_JOINT_KEEP) {
    launch.grid[1] = (results + most - 1) / most;
    params->frame.window = GST_ROUND_UP_N ((results + launch.grid[1] - 1) /
        launch.grid[1], WINDOW);
    launch.shared = (params->frame.window + WINDOW) * sizeof (guint32);
  }
  if (launch.shared <= room / 2)
    blocks *= MAX (device->threads_per_multiprocessor / launch.threads, 1);
  launch.grid[0] = CLAMP (pixels / (launch.threads *
          (params->samples == VH_PAIRS_ANY ? PIXELS : VECTOR)), 1,
      MAX (blocks / launch.grid[1], 1));
  params->most_of_few = G_MAXUINT16 / launch.grid[0];
  params->frame.n_blocks = launch.grid[0] * launch.grid[1];
  return launch;
}

static CUresult
launch_one (const VhCudaDevice * device, VhCudaKernel kernel,
    VhJointParams * params, CUstream stream)
{
  const VhCudaLaunch launch = choose_launch (device, kernel, params);
  void *arguments[] = { params };

  return vh_cuda_launch_kernel (device, &launch, TRUE, arguments, stream);
}

CUresult
vh_cuda_joint_launch (const VhCudaDevice * device, VhCudaKernel kernel,
    VhJointParams * params, CUstream stream)
{
  guint64 keep = 0;
  CUresult result;

  place_sums (params);
  if (kernel == VH_CUDA_KERNEL_JOINT_CHROMA)
    find_chroma_vectors (params);
  else
    find_luma_vectors (params);
  /* Luma that replaces what it is counted against is kept once all windows have
   * been counted. */
  if (kernel == VH_CUDA_KERNEL_JOINT_LUMA && params->keep == params->against
      && choose_launch (device, kernel, params).grid[1] > 1) {
    keep = params->keep;
    params->keep = 0;
  }
  result = launch_one (device, kernel, params, stream);
  if (keep && result == CUDA_SUCCESS) {
    params->keep = keep;
    result = launch_one (device, VH_CUDA_KERNEL_JOINT_KEEP, params, stream);
  }
  return result;
}
