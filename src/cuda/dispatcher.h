/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "countlaunch.h"

G_BEGIN_DECLS

/* Launches the frames of all counters of a device; frames that arrive while a
 * thread is in the driver share one launch. Thread-safe. */

/* Makes a dispatcher with a stream in the context, which must be current. On
 * failure returns NULL, with the driver's error in @result. */
VhCudaDispatcher *vh_cuda_dispatcher_new (const VhCudaDriver * driver,
    CUresult * result);

/* @dispatcher may be NULL. Destroys its stream only if @in_context says that
 * the context is current. */
void vh_cuda_dispatcher_free (VhCudaDispatcher * dispatcher,
    gboolean in_context);

/* Whether a frame can be launched in this way: it has one plane, and is
 * complete. */
gboolean vh_cuda_dispatcher_takes (const VhCudaLaunch * launch);

/* The stream that frames are launched on. */
CUstream vh_cuda_dispatcher_stream (const VhCudaDispatcher * dispatcher);

/* Launches a frame of @device, whose context must be current, alone or with
 * others; on return the launch is on the stream. If a launch fails, all of its
 * frames get its result. */
CUresult vh_cuda_dispatch (const VhCudaDevice * device,
    const VhCudaLaunch * launch, const VhKernelParams * params);

G_END_DECLS
