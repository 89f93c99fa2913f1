/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launches kernels that count one frame or many at once. */
#include "countlaunch.h"

#define CODES 256

/* With at least this many vectors for each thread, reading keeps two blocks of
 * a multiprocessor busy. */
#define BATCH_VECTORS 16

/* Every driver accepts parameters of this size. */
G_STATIC_ASSERT (sizeof (VhKernelFrames) <= 4096);

/* Fills the fields that do not depend on the position of pixels; @index is the
 * index of the first channel. */
static void
place_results (VhKernelFrame * frame, const VhCudaLaunch * launch,
    const VhKernelParams * params, guint index)
{
  frame->blocks = launch->grid[0];
  frame->complete = launch->complete;
  frame->sequence = params->sequence;
  frame->accumulators = params->accumulators +
      index * VH_KERNEL_FRAME_WORDS * sizeof (guint64);
  frame->device_counts = params->device_counts +
      index * CODES * sizeof (guint32);
  frame->host_counts = params->host_counts ? params->host_counts +
      index * CODES * sizeof (guint64) : 0;
}

/* Copies the frames of @launch, which has a kernel for frames, to @frames. */
static void
init_frames (VhKernelFrame * frames, const VhCudaLaunch * launch,
    const VhKernelParams * params)
{
  guint i;

  for (i = 0; i < launch->n_frames; i++) {
    frames[i] = launch->frames[i];
    place_results (&frames[i], launch, params, i);
  }
}

/* The index of @channel among the counted channels. */
static guint
channel_place (const VhKernelParams * params, guint channel)
{
  const guint bit = 1u << channel;

  return params->channels & bit ?
      (guint) __builtin_popcount (params->channels & (bit - 1)) :
      VH_KERNEL_NOT_COUNTED;
}

static void
init_packed (VhKernelPackedFrame * packed, const VhCudaLaunch * launch,
    const VhKernelParams * params)
{
  guint i;

  init_frames (&packed->frame, launch, params);
  packed->byte_shift = params->byte_shift;
  for (i = 0; i < G_N_ELEMENTS (packed->byte_weight); i++) {
    packed->byte_weight[i] = params->byte_weight[i];
    packed->place[i] =
        channel_place (params, params->bytes_reversed ? 3 - i : 1 + i);
  }
  packed->place[i] = channel_place (params, 0);
}

CUresult
vh_cuda_launch (const VhCudaDevice * device, const VhCudaLaunch * launch,
    const VhKernelParams * params, CUstream stream)
{
  union
  {
    VhKernelPlanes planes;
    VhKernelPackedFrame packed;
    VhKernelParams one;
  } taken;

  switch (launch->kernel) {
    case VH_CUDA_KERNEL_FRAME_PLANES:
      memset (&taken, 0, sizeof (taken));
      /* fall through */
    case VH_CUDA_KERNEL_FRAME_PLANE:
      init_frames (taken.planes.frame, launch, params);
      break;
    default:
      if (launch->n_frames > 0) {
        init_packed (&taken.packed, launch, params);
      } else {
        taken.one = *params;
        taken.one.complete = launch->complete;
      }
      break;
  }
  return vh_cuda_launch_kernel (device, launch, &taken, stream);
}

gboolean
vh_cuda_batch_add (VhCudaBatch * batch, const VhCudaLaunch * launch,
    const VhKernelParams * params)
{
  if ((launch->kernel != VH_CUDA_KERNEL_FRAME_PLANE
          && launch->kernel != VH_CUDA_KERNEL_FRAME_PLANES)
      || batch->n + launch->n_frames > VH_KERNEL_FRAMES)
    return FALSE;
  init_frames (&batch->frames.frame[batch->n], launch, params);
  batch->n += launch->n_frames;
  batch->shared = launch->shared;
  return TRUE;
}

/* Divides the multiprocessors among the frames, in proportion to the data to
 * read; no frame gets more blocks than it would have alone. All blocks run at
 * once unless there are more frames than multiprocessors. Returns the largest
 * number of blocks of a frame. */
static guint
share_blocks (const VhCudaDevice * device, VhCudaBatch * batch, guint threads)
{
  guint64 budget = device->multiprocessors, vectors = 0;
  guint most = 1, i;

  for (i = 0; i < batch->n; i++)
    vectors += batch->frames.frame[i].vectors;
  if (vectors >= BATCH_VECTORS * budget * threads)
    budget *= 2;
  for (i = 0; i < batch->n; i++) {
    VhKernelFrame *frame = &batch->frames.frame[i];

    frame->blocks = CLAMP (budget * frame->vectors / MAX (vectors, 1), 1,
        frame->blocks);
    most = MAX (most, frame->blocks);
  }
  return most;
}

CUresult
vh_cuda_batch_launch (const VhCudaDevice * device, VhCudaBatch * batch,
    CUstream stream)
{
  const VhCudaKernel kernel = batch->n == 1 ? VH_CUDA_KERNEL_FRAME_PLANE :
      VH_CUDA_KERNEL_FRAME_BATCH;
  const VhCudaLaunch launch = {
    .kernel = kernel,
    .grid = {batch->n == 1 ? batch->frames.frame[0].blocks :
          share_blocks (device, batch, device->max_threads[kernel]),
        batch->n, 1},
    .threads = device->max_threads[kernel],
    .shared = batch->shared,
  };

  return vh_cuda_launch_kernel (device, &launch, &batch->frames, stream);
}
