/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "device.h"
#include "frames.h"

G_BEGIN_DECLS

/* A kernel and how it is launched. */
typedef struct
{
  VhCudaKernel kernel;
  guint grid[3];
  guint threads;                /* per block */
  gsize shared;                 /* bytes of dynamic shared memory */
  gsize scratch;                /* size in bytes of the device memory of
                                 * params.scratch */
  guint n_frames;               /* in frames, for kernels that take
                                 * VhKernelFrame; 0 for all others */
  VhKernelFrame frames[VH_KERNEL_PLANES];       /* the positions of pixels; the
                                                 * rest is not filled yet */
  gboolean complete;            /* nothing earlier on the stream writes the
                                 * frame, so reading may start before the
                                 * earlier work has ended */
} VhCudaLaunch;

/* Frames that one launch counts. */
typedef struct
{
  VhKernelFrames frames;
  guint n;                      /* planes */
  gsize shared;                 /* bytes of dynamic shared memory */
} VhCudaBatch;

/* Launches the kernel of @launch with @arguments in the order of @stream. A
 * kernel that itself @waits for the previous launch may start earlier on GPUs
 * that support it. The context must be current. */
CUresult vh_cuda_launch_kernel (const VhCudaDevice * device,
    const VhCudaLaunch * launch, gboolean waits, void **arguments,
    CUstream stream);

/* Launches the kernel that vh_cuda_choose_launch() chose for the frame in
 * @params. It reads the frame when everything before it on @stream has ended
 * or, if the frame is complete, at once. The context must be current. */
CUresult vh_cuda_launch (const VhCudaDevice * device,
    const VhCudaLaunch * launch, const VhKernelParams * params,
    CUstream stream);

/* Adds a frame that @launch would count alone to @batch, which is zero at
 * first. FALSE if the launch cannot be part of a batch, or the batch is
 * full. */
gboolean vh_cuda_batch_add (VhCudaBatch * batch, const VhCudaLaunch * launch,
    const VhKernelParams * params);

/* Launches one kernel for all frames of @batch, which has at least one, in the
 * order of @stream as vh_cuda_launch() does. */
CUresult vh_cuda_batch_launch (const VhCudaDevice * device,
    VhCudaBatch * batch, CUstream stream);

G_END_DECLS
