/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/frameview.h"
#include "core/joint.h"
#include "launch.h"
#include "ring.h"

G_BEGIN_DECLS

/* Joint histograms on a device. Their ring holds results only: frames are held
 * by who submits. */
typedef struct
{
  guint bins;                   /* of each side; 0: none are wanted */
  guint ring_bins;              /* that ring is for */
  VhCudaRing *ring;             /* NULL until it is needed */
} VhCudaJoint;

/* Loads the kernels, and makes the ring where there is none for so many bins.
 * The context must be current. */
gboolean vh_cuda_joint_ensure (VhCudaJoint * joint, VhCudaDevice * device,
    CUstream stream, CUresult * result, GError ** error);

/* Gives back what is on the device. */
void vh_cuda_joint_clear (VhCudaJoint * joint);

/* Enqueues on @stream what @work says for a frame whose planes are @data and
 * @stride on the device, and which has to be held until that is done. @params
 * are those of the backend. The context must be current. @replaced, NULL
 * before, is then the luma that @work kept on another device, if any: to be let
 * go of when the context has been left. */
CUresult vh_cuda_joint_submit (VhCudaJoint * joint, VhCudaDevice * device,
    const VhKernelParams * params, const VhFrameView * view,
    const VhRect * region, const CUdeviceptr data[GST_VIDEO_MAX_PLANES],
    const gsize stride[GST_VIDEO_MAX_PLANES], CUstream stream, VhJoint * work,
    VhLuma ** replaced);

/* Launches @kernel, one of those of kernels/joint.cu, on @stream, and fills
 * what of @params is about how. */
CUresult vh_cuda_joint_launch (const VhCudaDevice * device,
    VhCudaKernel kernel, VhJointParams * params, CUstream stream);

/* Frees the luma that could not be freed when it was let go of: who starts
 * again and again shall not add to that. It enters other contexts, so the
 * caller should be in none. */
void vh_cuda_luma_free_garbage (void);

/* Memory on @device, whose context must be current, for luma of @pixels. NULL
 * with @error (GST_VIDEO_HISTOGRAM_ERROR_DEVICE) set on failure. */
VhLuma *vh_cuda_luma_new (VhCudaJoint * joint, VhCudaDevice * device,
    gconstpointer maker, gsize pixels, GError ** error);

G_END_DECLS
