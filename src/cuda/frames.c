/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the vectors of a frame lie, for the kernels that do not find out
 * themselves. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "frames.h"

#define CODES 256
#define WORD 16                 /* bytes that a thread loads at once */

/* From so many vectors a thread on, reading keeps two blocks a multiprocessor
 * busy. */
#define BATCH_VECTORS 16

/* What every driver takes. */
G_STATIC_ASSERT (sizeof (VhKernelFrames) <= 4096);

/* The index of the component that is @channel. */
static guint
channel_component (guint channel)
{
  return channel == 0 ? 0 : channel - 1;
}

/* Rows that all begin alike: the bytes before the first vector, as many vectors
 * as there are, and the bytes after them. FALSE where that, or the kernel's
 * arithmetic, does not do for such a frame. */
static gboolean
place_vectors (VhKernelFrame * frame, const VhKernelParams * params,
    const VhKernelComponent * component, guint pixel_bytes, guint vector_bytes)
{
  const guint64 inverse_one = G_GUINT64_CONSTANT (1) << 32;
  const guint64 stride = component->stride;
  const CUdeviceptr data = component->data + params->y * stride +
      (guint64) params->x * pixel_bytes;
  guint64 row = (guint64) params->width * pixel_bytes, rows = params->height;
  guint64 vectors, inverse = 0;
  guint head;

  if ((guint64) params->width * params->height >> VH_KERNEL_FRAME_BITS != 0
      || stride > G_MAXUINT32)
    return FALSE;
  /* Rows without a gap are one long row. */
  if (stride == row || rows == 1) {
    row *= rows;
    rows = 1;
  } else if (stride % WORD != 0) {
    return FALSE;
  }

  head = MIN (-data % WORD, row);
  vectors = (row - head) / vector_bytes;
  if (rows > 1 && vectors > 0) {
    inverse = (inverse_one + vectors - 1) / vectors;
    if (inverse >= inverse_one
        || (inverse * vectors - inverse_one) * rows * vectors >= inverse_one)
      return FALSE;
  }

  frame->data = data + head;
  frame->stride = stride;
  frame->vectors = rows * vectors;
  frame->row_vectors = vectors;
  frame->row_inverse = inverse;
  frame->head = head;
  frame->tail = row - head - vectors * vector_bytes;
  frame->rows = rows;
  return TRUE;
}

gboolean
vh_cuda_frames_fit (const VhKernelParams * params, guint pixel_bytes,
    guint vector_bytes)
{
  guint c;

  if (params->columns > 1 || params->rows > 1)
    return FALSE;
  for (c = 0; c < VH_KERNEL_CHANNELS; c++) {
    const guint component = pixel_bytes == 1 ? channel_component (c) : 0;
    VhKernelFrame frame;

    if ((params->channels & (1u << c)) && !place_vectors (&frame, params,
            &params->component[component], pixel_bytes, vector_bytes))
      return FALSE;
  }
  return TRUE;
}

/* What does not depend on where the pixels lie; @index is that of the first
 * channel. */
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

/* Fills @frames for @launch, whose kernel takes them: up to VH_KERNEL_PLANES of
 * planes, and else one. Returns how many there are. */
static guint
init_frames (VhKernelFrame * frames, const VhCudaLaunch * launch,
    const VhKernelParams * params)
{
  const gboolean planes = launch->pixel_bytes == 1;
  guint n = 0, c;

  for (c = 0; c < VH_KERNEL_CHANNELS && (planes || n == 0); c++) {
    if (planes && !(params->channels & (1u << c)))
      continue;
    place_vectors (&frames[n], params,
        &params->component[planes ? channel_component (c) : 0],
        launch->pixel_bytes, launch->vector_bytes);
    place_results (&frames[n], launch, params, n);
    n++;
  }
  return n;
}

/* The place of @channel among those that are counted. */
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

/* Launches a kernel that waits by itself for the one before on @stream. It may
 * begin early only behind another kernel; behind a copy, a set or an event, the
 * order is that of the stream. Whose kernel that is does not matter: all that
 * is touched before waiting is a frame that is complete, which no kernel on
 * this stream is about to write. Who comes after it and is launched in the
 * ordinary way is behind all of it. */
static CUresult
launch_overlapping (const VhCudaDevice * device, const VhCudaLaunch * launch,
    void **arguments, CUstream stream)
{
  CUlaunchAttribute attribute = {
    .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
    .value.programmaticStreamSerializationAllowed = 1,
  };
  const CUlaunchConfig config = {
    .gridDimX = launch->grid[0],
    .gridDimY = launch->grid[1],
    .gridDimZ = launch->grid[2],
    .blockDimX = launch->threads,
    .blockDimY = 1,
    .blockDimZ = 1,
    .sharedMemBytes = launch->shared,
    .hStream = stream,
    .attrs = &attribute,
    .numAttrs = 1,
  };

  return device->driver->LaunchKernelEx (&config,
      device->kernels[launch->kernel], arguments, NULL);
}

CUresult
vh_cuda_launch_kernel (const VhCudaDevice * device,
    const VhCudaLaunch * launch, gboolean waits, void **arguments,
    CUstream stream)
{
  if (waits && device->overlaps[launch->kernel])
    return launch_overlapping (device, launch, arguments, stream);
  return device->driver->LaunchKernel (device->kernels[launch->kernel],
      launch->grid[0], launch->grid[1], launch->grid[2], launch->threads, 1, 1,
      launch->shared, stream, arguments, NULL);
}

CUresult
vh_cuda_launch (const VhCudaDevice * device, const VhCudaLaunch * launch,
    const VhKernelParams * params, CUstream stream)
{
  union
  {
    VhKernelPlanes planes;
    VhKernelPackedFrame packed;
  } taken;
  void *arguments[] = { launch->vector_bytes ? (void *) &taken :
        (void *) params
  };

  switch (launch->kernel) {
    case VH_CUDA_KERNEL_FRAME_PLANES:
      memset (&taken, 0, sizeof (taken));
      /* fall through */
    case VH_CUDA_KERNEL_FRAME_PLANE:
      init_frames (taken.planes.frame, launch, params);
      break;
    default:
      if (launch->vector_bytes)
        init_packed (&taken.packed, launch, params);
      break;
  }
  return vh_cuda_launch_kernel (device, launch, launch->vector_bytes > 0,
      arguments, stream);
}

gboolean
vh_cuda_batch_add (VhCudaBatch * batch, const VhCudaLaunch * launch,
    const VhKernelParams * params)
{
  if ((launch->kernel != VH_CUDA_KERNEL_FRAME_PLANE
          && launch->kernel != VH_CUDA_KERNEL_FRAME_PLANES)
      || batch->n + launch->grid[1] > VH_KERNEL_FRAMES)
    return FALSE;
  batch->n += init_frames (&batch->frames.frame[batch->n], launch, params);
  batch->shared = launch->shared;
  return TRUE;
}

/* Shares the multiprocessors out among the frames, as much as each has to read,
 * and no more than it would have alone. All blocks are there at once, where
 * there are not more frames than that. Returns the most blocks of a frame. */
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
    .vector_bytes = WORD,
  };
  void *arguments[] = { &batch->frames };

  return vh_cuda_launch_kernel (device, &launch, TRUE, arguments, stream);
}
