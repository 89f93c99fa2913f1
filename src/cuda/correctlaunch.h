/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/correction.h"
#include "launch.h"
#include "upload.h"

G_BEGIN_DECLS

/* Applies curves to @in, whose result is @out, which may be the same: what
 * VhCorrectorClass has of submit, of frames with @params, in the order of
 * @stream. @levels and @state are what kernels/curve.cu makes. The context must
 * be current. */
CUresult vh_cuda_correct_launch (VhCudaDevice * device,
    const VhKernelParams * params, const VhCudaPlanes * in,
    const VhCudaPlanes * out, const VhEqualizeJob * job, CUdeviceptr levels,
    CUdeviceptr state, CUstream stream);

/* Launches a kernel with one parameter, loading it if need be; it waits by
 * itself for the launch before. */
CUresult vh_cuda_load_and_launch (VhCudaDevice * device,
    const VhCudaLaunch * launch, CUstream stream, void *params);

G_END_DECLS
