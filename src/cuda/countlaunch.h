/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launch.h"

G_BEGIN_DECLS

/* Frames that one launch counts. */
typedef struct
{
  VhKernelFrames frames;
  guint n;                      /* planes */
  gsize shared;                 /* bytes of dynamic shared memory */
} VhCudaBatch;

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
