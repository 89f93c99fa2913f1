/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "stream.h"

G_BEGIN_DECLS

/* The work enqueued for a frame, and what it uses meanwhile. Its end is
 * detected by the results that kernels write to the host, which needs no driver
 * call, or by an event after all of it. A started fence is watched until it has
 * ended, and is thread-safe. */
typedef struct _VhCudaFence VhCudaFence;

typedef enum
{
  VH_CUDA_FENCE_RUNNING,
  VH_CUDA_FENCE_PASSED,
  VH_CUDA_FENCE_FAILED,         /* unknown what the kernels did, and whether
                                 * they have ended */
} VhCudaFenceState;

/* Results that a kernel writes to the host. */
typedef struct
{
  /* Whether all results are complete; called with the fence's lock. */
  gboolean (*look) (gpointer data);
  /* Called once, with the fence's lock. If the results are not @complete, they
   * must not be used even if they arrive later. */
  void (*finish) (gpointer data, gboolean complete);
  /* Called once the fence has passed: nothing uses @data of @launch any more.
   * Not called after a failure, because kernels may still use it. */
  void (*end) (gpointer data, guint32 launch);
} VhCudaResultFuncs;

/* Makes a fence; its kernels are late once they have been silent for
 * @late_after ns. @own is the stream of the frame or memory that it is for, and
 * lives at least until the fence has ended. */
VhCudaFence *vh_cuda_fence_new (VhCudaStream * own, GstClockTime late_after);
VhCudaFence *vh_cuda_fence_ref (VhCudaFence * fence);
void vh_cuda_fence_unref (VhCudaFence * fence);

/* Before the start: */

/* Calls @free with @data when the fence has ended. If it failed, does so only
 * if @always, because kernels may still use @data. */
void vh_cuda_fence_hold (VhCudaFence * fence, gpointer data,
    GDestroyNotify free, gboolean always);

/* Takes and holds @frame. If @may_be_late and a pool waits for the frame, it is
 * released when kernels are late; then the results are not used. */
void vh_cuda_fence_hold_frame (VhCudaFence * fence, GstBuffer * frame,
    gboolean may_be_late);

/* Declares that a kernel writes results. @launch is the caller's number for its
 * launch, which end() of @funcs gets. @data must live until then. */
void vh_cuda_fence_add_results (VhCudaFence * fence,
    const VhCudaResultFuncs * funcs, gpointer data, guint32 launch);

/* Declares that there are kernels without results, so that only an event shows
 * their end. */
void vh_cuda_fence_set_silent (VhCudaFence * fence);

/* Starts the fence: its work is on @stream. The context must be current. */
void vh_cuda_fence_start (VhCudaFence * fence, CUstream stream);

/* After the start: */

/* Polls without waiting. Finishes results when they are complete, and releases
 * what the fence holds when it has ended. */
VhCudaFenceState vh_cuda_fence_poll (VhCudaFence * fence);

/* Polls for at most @timeout ns while @fence is running. */
VhCudaFenceState vh_cuda_fence_wait (VhCudaFence * fence,
    GstClockTime timeout);

/* Whether the kernels of @fence were found to be late. */
gboolean vh_cuda_fence_is_late (VhCudaFence * fence);

/* Whether @fence waits for an earlier fence on the stream of shared
 * launches. */
gboolean vh_cuda_fence_is_behind_another (VhCudaFence * fence);

/* Whether the work of @fence is on @device. */
gboolean vh_cuda_fence_is_on (VhCudaFence * fence,
    const VhCudaDevice * device);

/* How long @fence has been running, in ns; 0 once it has ended. */
GstClockTime vh_cuda_fence_age (VhCudaFence * fence);

/* Declares that nothing waits for @fence any more: its device counts it as
 * abandoned until it has passed. */
void vh_cuda_fence_abandon (VhCudaFence * fence);

/* Whether the stream has passed @fence, including work that was enqueued before
 * the first call of this function; results may be complete earlier. */
gboolean vh_cuda_fence_has_ended (VhCudaFence * fence);

/* Makes @stream wait for @fence; the context must be current. */
CUresult vh_cuda_fence_order (VhCudaFence * fence, CUstream stream);

/* Returns an event after all work of @fence, or NULL if there is none (yet).
 * Enters the context itself. */
CUevent vh_cuda_fence_event (VhCudaFence * fence);

/* Whether streams can wait for @fence: it was started, and has an event or can
 * still record one. Otherwise use vh_cuda_fence_has_ended(). */
gboolean vh_cuda_fence_can_order (const VhCudaFence * fence);

gboolean vh_cuda_fence_is_started (const VhCudaFence * fence);

G_END_DECLS
