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

#define MAX_PACKED 65535

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

/* The kernel for @params, one of those of joint.cu. Blocks that count in packed
 * counters get fewer than 2^16 pixels each. */
static VhCudaLaunch
choose_launch (const VhCudaDevice * device, VhCudaKernel kernel,
    VhJointParams * params)
{
  const guint64 pixels = (guint64) params->frame.width * params->frame.height;
  const guint64 vectors = (guint64) params->row_vectors * params->frame.height;
  const gsize room = device->shared_limit - VH_CUDA_FIXED_SHARED;
  const gsize table = GST_ROUND_UP_16 (params->frame.n_results *
      sizeof (guint16));
  guint blocks = device->multiprocessors;
  VhCudaLaunch launch = {.kernel = kernel,.grid = {1, 1, 1} };

  launch.threads = MIN (device->max_threads[kernel], 1024);
  params->packed = kernel != VH_CUDA_KERNEL_JOINT_KEEP && table <= room;
  if (params->packed)
    launch.shared = table;
  if (launch.shared <= room / 2)
    blocks *= MAX (device->threads_per_multiprocessor / launch.threads, 1);
  launch.grid[0] = CLAMP (pixels / (launch.threads *
          (params->samples == VH_PAIRS_ANY ? PIXELS : VECTOR)), 1, blocks);
  if (params->packed) {
    const guint64 most = MAX_PACKED / launch.threads * launch.threads;
    const guint64 most_vectors = MAX_PACKED / VECTOR;

    launch.grid[0] = MAX (launch.grid[0],
        params->samples == VH_PAIRS_ANY ? (pixels + most - 1) / most :
        (vectors + most_vectors - 1) / most_vectors);
  }
  params->frame.n_blocks = launch.grid[0];
  return launch;
}

CUresult
vh_cuda_joint_launch (const VhCudaDevice * device, VhCudaKernel kernel,
    VhJointParams * params, CUstream stream)
{
  void *arguments[] = { params };
  VhCudaLaunch launch;

  if (kernel == VH_CUDA_KERNEL_JOINT_CHROMA)
    find_chroma_vectors (params);
  else
    find_luma_vectors (params);
  launch = choose_launch (device, kernel, params);
  return device->driver->LaunchKernel (device->kernels[kernel], launch.grid[0],
      1, 1, launch.threads, 1, 1, launch.shared, stream, arguments, NULL);
}
