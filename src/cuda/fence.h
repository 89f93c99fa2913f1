/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "device.h"

G_BEGIN_DECLS

/* What was enqueued for a frame, what it uses meanwhile, and how it is seen
 * that it is over: by the results that kernels write to the host, which costs no
 * call of the driver, or by an event behind all of it. A fence that was started
 * is watched until it is over. Thread-safe from then on. */
typedef struct _VhCudaFence VhCudaFence;

typedef enum
{
  VH_CUDA_FENCE_RUNNING,
  VH_CUDA_FENCE_PASSED,
  VH_CUDA_FENCE_FAILED,         /* nobody will know what the kernels did, and
                                 * whether they have ended */
} VhCudaFenceState;

/* Results that a kernel writes to the host. Called with the fence's lock. */
typedef struct
{
  /* Whether all of them are there. */
  gboolean (*look) (gpointer data);
  /* Called once: they are there, or will not be used if they come. */
  void (*finish) (gpointer data, gboolean complete);
} VhCudaResultFuncs;

/* A fence of @device whose kernels are late when they have been silent for
 * @late_after ns. The context must be current. NULL with @result. */
VhCudaFence *vh_cuda_fence_new (VhCudaDevice * device, GstClockTime late_after,
    CUresult * result);
VhCudaFence *vh_cuda_fence_ref (VhCudaFence * fence);
void vh_cuda_fence_unref (VhCudaFence * fence);

/* Before the start: */

/* Has @free called with @data when the fence is over; where it has failed only
 * if @always, for kernels may still use it. */
void vh_cuda_fence_hold (VhCudaFence * fence, gpointer data,
    GDestroyNotify free, gboolean always);

/* Holds @frame, which it takes. Where a pool waits for it, it goes back when
 * kernels are late, if @may_be_late; the results are not used then. */
void vh_cuda_fence_hold_frame (VhCudaFence * fence, GstBuffer * frame,
    gboolean may_be_late);

/* Says that a kernel writes results. @data is referred to by the caller until
 * the fence is over. */
void vh_cuda_fence_add_results (VhCudaFence * fence,
    const VhCudaResultFuncs * funcs, gpointer data);

/* Says that there are kernels that write none: only the event tells. */
void vh_cuda_fence_set_silent (VhCudaFence * fence);

/* Starts the fence: what it stands for is on @stream. The context must be
 * current. */
void vh_cuda_fence_start (VhCudaFence * fence, CUstream stream);

/* And after it: */

/* Looks, without waiting. Results are finished, and what is held is let go of,
 * when it is seen that they are done. */
VhCudaFenceState vh_cuda_fence_poll (VhCudaFence * fence);

/* Looks for @timeout ns at most while it is running. */
VhCudaFenceState vh_cuda_fence_wait (VhCudaFence * fence,
    GstClockTime timeout);

/* Whether it was seen to run for longer than its kernels may. */
gboolean vh_cuda_fence_is_late (VhCudaFence * fence);

/* Whether it waits for a frame of another fence, on the stream that many
 * share. */
gboolean vh_cuda_fence_is_behind_another (VhCudaFence * fence);

/* How long it is running, in ns; 0 when it is over. */
GstClockTime vh_cuda_fence_age (VhCudaFence * fence);

/* Says that nobody waits for it any more: while it has not passed its device
 * counts it among the abandoned. */
void vh_cuda_fence_abandon (VhCudaFence * fence);

/* Whether the stream has come past it: results may be there before. */
gboolean vh_cuda_fence_has_ended (VhCudaFence * fence);

/* Keeps @stream behind it; the context must be current. */
CUresult vh_cuda_fence_order (VhCudaFence * fence, CUstream stream);

/* The event behind all of it, or NULL where there is none (yet). */
CUevent vh_cuda_fence_event (const VhCudaFence * fence);

G_END_DECLS
