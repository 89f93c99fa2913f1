/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/correction.h"
#include "launch.h"
#include "upload.h"

G_BEGIN_DECLS

/* Applies curves to @in and writes @out, which may be the same, as
 * VhCorrectorClass requires of submit(), for frames with @params, in the order
 * of @stream. kernels/curve.cu makes @levels and @state. The context must be
 * current. */
CUresult vh_cuda_correct_launch (VhCudaDevice * device,
    const VhKernelParams * params, const VhCudaPlanes * in,
    const VhCudaPlanes * out, const VhEqualizeJob * job, CUdeviceptr levels,
    CUdeviceptr state, CUstream stream);

G_END_DECLS
