/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launch.h"

G_BEGIN_DECLS

/* Launches frames of all who count on a device, and those that come while one
 * of them is in the driver by one launch. Thread-safe. */

/* With a stream in the context, which must be current. */
VhCudaDispatcher *vh_cuda_dispatcher_new (const VhCudaDriver * driver,
    CUresult * result);

/* @dispatcher may be NULL. The context must be current. */
void vh_cuda_dispatcher_free (VhCudaDispatcher * dispatcher);

/* Whether a frame that is launched so can be: one plane, complete. */
gboolean vh_cuda_dispatcher_takes (const VhCudaLaunch * launch);

/* What frames are launched on. */
CUstream vh_cuda_dispatcher_stream (const VhCudaDispatcher * dispatcher);

/* Launches a frame of @device, whose context must be current, alone or with
 * others; once it returns the launch is on the stream. All of a launch that
 * failed get its result. */
CUresult vh_cuda_dispatch (const VhCudaDevice * device,
    const VhCudaLaunch * launch, const VhKernelParams * params);

G_END_DECLS
