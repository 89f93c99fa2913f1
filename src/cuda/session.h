/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/device.h"
#include "recovery.h"
#include "upload.h"

G_BEGIN_DECLS

/* A GPU as one stream of frames uses it: the VhDevice of CUDA. */
typedef struct _VhCudaSession VhCudaSession;

/* A frame that is on the device, or NULL. */
typedef struct
{
  VhFrame parent;
  VhCudaSession *session;
  VhCudaDevice *device;         /* whose context is current; the fence refers to
                                 * it */
  VhFrameAccess access;
  gboolean begun;
  gboolean wait;                /* for room, as begin was told */
  gboolean on_device;           /* or uploaded */
  gboolean held;                /* the buffer is held by a fence already */
  VhCudaPlanes planes;

  /* Operations enqueue on this stream, and may move the frame to another one
   * that comes after it. What covers them is the fence. */
  CUstream stream;
  CUstream home;                /* the first: that of its memory, or else the
                                 * session's */
  gboolean complete;            /* nothing that is under way writes the frame, so
                                 * that any stream may read it */
  gboolean enqueued;            /* something that reads or writes it was */
  gboolean failed;              /* an operation has */
  VhCudaFence *fence;           /* not started */
} VhCudaFrame;

/* Of the session that @frame is on. */
static inline VhCudaFrame *
vh_cuda_frame (VhFrame * frame)
{
  return (VhCudaFrame *) frame;
}

/* For operations: sees that the GPU may be used, finds it, and makes its context
 * current. FALSE with @error (DEVICE); else vh_cuda_session_leave() follows. */
gboolean vh_cuda_session_enter (VhCudaSession * self, GError ** error);
void vh_cuda_session_leave (VhCudaSession * self);

/* What it is on, once it was entered; other ones after each change of
 * @generation, which begins with 1: operations make what they have there
 * anew. */
VhCudaDevice *vh_cuda_session_device (VhCudaSession * self);
VhCudaStream *vh_cuda_session_stream (VhCudaSession * self);
guint vh_cuda_session_generation (VhCudaSession * self);

GstClockTime vh_cuda_session_late_after (VhCudaSession * self);
GstClockTime vh_cuda_session_correct_within (VhCudaSession * self);

/* Whether memory may be exchanged for more: not while a frame seems to hang,
 * whose memory cannot be given back. */
gboolean vh_cuda_session_may_grow (VhCudaSession * self);

/* Sets @error (DEVICE, unless it is set): @what failed with @result; and draws
 * the consequences. Returns FALSE. */
gboolean vh_cuda_session_fail (VhCudaSession * self, CUresult result,
    const gchar * what, GError ** error);

/* Operations, each in a file of its own. */
VhCounter *vh_cuda_counter_new (VhCudaSession * session);
VhJointCounter *vh_cuda_joint_counter_new (VhCudaSession * session);
VhCorrector *vh_cuda_corrector_new (VhCudaSession * session);

G_END_DECLS
