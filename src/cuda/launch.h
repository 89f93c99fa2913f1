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
  gboolean in_order;            /* starts only when all earlier work has ended,
                                 * even if the kernel itself can wait for it */

  /* For kernels that count: */
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

/* Launches the kernel of @launch, which is loaded, with @params in the order of
 * @stream. The context must be current. */
CUresult vh_cuda_launch_kernel (const VhCudaDevice * device,
    const VhCudaLaunch * launch, gconstpointer params, CUstream stream);

/* The same, but loads the kernel if necessary. */
CUresult vh_cuda_load_and_launch (VhCudaDevice * device,
    const VhCudaLaunch * launch, gconstpointer params, CUstream stream);

G_END_DECLS
