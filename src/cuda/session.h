/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/device.h"
#include "recovery.h"
#include "upload.h"

G_BEGIN_DECLS

/* A GPU as one stream of frames uses it: the VhDevice of CUDA. */
typedef struct _VhCudaSession VhCudaSession;

/* A frame on the device, from begin to end. */
typedef struct
{
  VhFrame parent;
  VhCudaSession *session;
  VhCudaDevice *device;         /* its context is current; the fence has a
                                 * reference */
  VhFrameAccess access;
  gboolean begun;
  gboolean wait;                /* whether to wait for room, as passed to
                                 * begin */
  gboolean on_device;           /* FALSE: uploaded */
  guint n_reserved;             /* results that operations may have */
  gboolean held;                /* a fence already holds the buffer */
  VhCudaPlanes planes;

  /* Operations enqueue on this stream, and may move the frame to another
   * stream, which then waits for this one. The fence covers the work on
   * both. */
  CUstream stream;
  CUstream home;                /* the first stream: its memory's or, if that
                                 * has none, the session's */
  gboolean complete;            /* nothing in flight writes the frame, so any
                                 * stream may read it */
  gboolean enqueued;            /* work that reads or writes it was enqueued */
  gboolean failed;              /* an operation failed */
  VhCudaFence *fence;           /* not started */
} VhCudaFrame;

/* Casts a device, and a frame, of a session. */
static inline VhCudaSession *
vh_cuda_session (VhDevice * device)
{
  return (VhCudaSession *) device;
}

static inline VhCudaFrame *
vh_cuda_frame (VhFrame * frame)
{
  return (VhCudaFrame *) frame;
}

/* The functions of VhDeviceClass; @klass is the class of the new device. */
VhDevice *vh_cuda_session_open (const VhDeviceClass * klass,
    const VhDeviceConfig * config, GError ** error);
void vh_cuda_session_close (VhDevice * device);
gboolean vh_cuda_session_configure (VhDevice * device,
    const VhLayout * layout, guint upload_planes, GError ** error);
VhFrame *vh_cuda_session_begin (VhDevice * device, VhFrameView * view,
    VhFrameAccess access, gboolean wait, GError ** error);
gboolean vh_cuda_session_end (VhDevice * device, VhFrame * frame,
    GError ** error);
void vh_cuda_session_set_context (VhDevice * device, GstContext * context);
gboolean vh_cuda_session_answer_context_query (VhDevice * device,
    GstQuery * query);

/* For operations: checks that the GPU may be used, finds it, and makes its
 * context current; then vh_cuda_session_leave() must follow. Otherwise returns
 * FALSE with @error (DEVICE) set. */
gboolean vh_cuda_session_enter (VhCudaSession * self, GError ** error);
void vh_cuda_session_leave (VhCudaSession * self);

/* The session's device and stream, once it was entered. They change with
 * @generation, which starts at 1: then operations make their resources
 * again. */
VhCudaDevice *vh_cuda_session_device (VhCudaSession * self);
VhCudaStream *vh_cuda_session_stream (VhCudaSession * self);
guint vh_cuda_session_generation (VhCudaSession * self);

/* Whether the session is still on the device of @frame: another operation on
 * the frame may have lost it. If not, sets @error (DEVICE). */
gboolean vh_cuda_session_check_frame (VhCudaSession * self,
    const VhCudaFrame * frame, GError ** error);

/* Says that an operation writes frames, which something waits for: they are
 * late sooner. */
void vh_cuda_session_set_writes (VhCudaSession * self);

/* Reserves room in the fence of @frame for one more result of an operation:
 * FALSE with FRAME if it has VH_FRAME_MAX_RESULTS. Also checks the frame as
 * above. */
gboolean vh_cuda_session_reserve_result (VhCudaSession * self,
    VhCudaFrame * frame, GError ** error);

GstClockTime vh_cuda_session_late_after (VhCudaSession * self);
GstClockTime vh_cuda_session_correct_within (VhCudaSession * self);

/* Whether memory may be replaced by more: not while a frame seems to hang,
 * because its memory cannot be freed. */
gboolean vh_cuda_session_may_grow (VhCudaSession * self);

/* Handles the failure of @what with @result, and sets @error (DEVICE) unless it
 * is set. Returns FALSE. */
gboolean vh_cuda_session_fail (VhCudaSession * self, CUresult result,
    const gchar * what, GError ** error);

G_END_DECLS
