/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "stream.h"

G_BEGIN_DECLS

/* The work enqueued for a frame, what it uses meanwhile, and how its end is
 * detected: by the results that kernels write to the host, which needs no
 * driver call, or by an event after all of it. A started fence is watched until
 * it is over. Thread-safe from then on. */
typedef struct _VhCudaFence VhCudaFence;

typedef enum
{
  VH_CUDA_FENCE_RUNNING,
  VH_CUDA_FENCE_PASSED,
  VH_CUDA_FENCE_FAILED,         /* it is unknown what the kernels did, and
                                 * whether they have ended */
} VhCudaFenceState;

/* Results that a kernel writes to the host. */
typedef struct
{
  /* Whether all of them are complete; with the fence's lock. */
  gboolean (*look) (gpointer data);
  /* Called once, with the fence's lock: they are complete, or will not be used
   * if they arrive. */
  void (*finish) (gpointer data, gboolean complete);
  /* Called once it has passed: nothing uses @data of @launch any more. Not
   * called after a failure, when kernels may. */
  void (*end) (gpointer data, guint32 launch);
} VhCudaResultFuncs;

/* A fence whose kernels are late when they have been silent for @late_after ns.
 * @own is the stream of whatever it is for, which lives at least until the
 * fence is over. */
VhCudaFence *vh_cuda_fence_new (VhCudaStream * own, GstClockTime late_after);
VhCudaFence *vh_cuda_fence_ref (VhCudaFence * fence);
void vh_cuda_fence_unref (VhCudaFence * fence);

/* Before the start: */

/* Calls @free with @data when the fence is over; if it has failed only if
 * @always, because kernels may still use @data. */
void vh_cuda_fence_hold (VhCudaFence * fence, gpointer data,
    GDestroyNotify free, gboolean always);

/* Takes and holds @frame. If a pool waits for it and @may_be_late, it is
 * released when kernels are late; the results are then not used. */
void vh_cuda_fence_hold_frame (VhCudaFence * fence, GstBuffer * frame,
    gboolean may_be_late);

/* Declares that a kernel writes results, as the caller's @launch. @data must
 * live until the end. */
void vh_cuda_fence_add_results (VhCudaFence * fence,
    const VhCudaResultFuncs * funcs, gpointer data, guint32 launch);

/* Declares that there are kernels without results: only the event tells their
 * end. */
void vh_cuda_fence_set_silent (VhCudaFence * fence);

/* Starts the fence: its work is on @stream. The context must be current. */
void vh_cuda_fence_start (VhCudaFence * fence, CUstream stream);

/* And after it: */

/* Polls, without waiting. When results are complete, they are finished, and
 * what is held is released. */
VhCudaFenceState vh_cuda_fence_poll (VhCudaFence * fence);

/* Polls for at most @timeout ns while it is running. */
VhCudaFenceState vh_cuda_fence_wait (VhCudaFence * fence,
    GstClockTime timeout);

/* Whether it was seen to run longer than its kernels may. */
gboolean vh_cuda_fence_is_late (VhCudaFence * fence);

/* Whether it waits for a frame of another fence, on the stream that many
 * share. */
gboolean vh_cuda_fence_is_behind_another (VhCudaFence * fence);

/* Whether its work is on @device. */
gboolean vh_cuda_fence_is_on (VhCudaFence * fence,
    const VhCudaDevice * device);

/* How long it is running, in ns; 0 when it is over. */
GstClockTime vh_cuda_fence_age (VhCudaFence * fence);

/* Declares that nothing waits for it any more: until it has passed, its device
 * counts it as abandoned. */
void vh_cuda_fence_abandon (VhCudaFence * fence);

/* Whether the stream has passed it, or what was enqueued until this was first
 * asked: results may be complete earlier. */
gboolean vh_cuda_fence_has_ended (VhCudaFence * fence);

/* Makes @stream wait for it; the context must be current. */
CUresult vh_cuda_fence_order (VhCudaFence * fence, CUstream stream);

/* An event after all of its work, or NULL if there is none (yet). Enters the
 * context itself. */
CUevent vh_cuda_fence_event (VhCudaFence * fence);

/* Whether streams can wait for it: it was started, and there is an event or one
 * can still be recorded. Otherwise only vh_cuda_fence_has_ended() tells. */
gboolean vh_cuda_fence_can_order (const VhCudaFence * fence);

gboolean vh_cuda_fence_is_started (const VhCudaFence * fence);

G_END_DECLS
