/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launch.h"

G_BEGIN_DECLS

/* Whether frames with @params can be taken as kernels/framecolumns.cu does,
 * with pixels and vectors of so many bytes. */
gboolean vh_cuda_frames_fit (const VhKernelParams * params, guint pixel_bytes,
    guint vector_bytes);

/* Frames that one launch counts. */
typedef struct
{
  VhKernelFrames frames;
  guint n;                      /* planes */
  gsize shared;                 /* bytes of dynamic shared memory */
} VhCudaBatch;

/* Adds to @batch, which is zero at first, a frame that @launch would count by
 * itself. FALSE where a batch does not take such a launch, or is full. */
gboolean vh_cuda_batch_add (VhCudaBatch * batch, const VhCudaLaunch * launch,
    const VhKernelParams * params);

/* Launches one kernel for all frames of @batch, which has one at least, in the
 * order of @stream as vh_cuda_launch() does. */
CUresult vh_cuda_batch_launch (const VhCudaDevice * device,
    VhCudaBatch * batch, CUstream stream);

G_END_DECLS
