/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "device.h"
#include "params.h"

G_BEGIN_DECLS

/* Launches @kernel, one of those of kernels/joint.cu, on @stream, and fills the
 * part of @params that describes the launch. */
CUresult vh_cuda_joint_launch (const VhCudaDevice * device,
    VhCudaKernel kernel, VhJointParams * params, CUstream stream);

G_END_DECLS
