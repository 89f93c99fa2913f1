/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What operations that leave counts in slots have in common: how they get ready
 * for a frame, and how they end. */
#pragma once

#include "session.h"
#include "slots.h"

G_BEGIN_DECLS

typedef struct
{
  /* Loads the kernels, and ensures that the slots, and other memory, exist on
   * the session's stream. The context is current. */
  CUresult (*prepare) (gpointer operation);
  const gchar *preparing;       /* as in vh_cuda_session_fail() */
  const gchar *launching;
} VhCudaOperationClass;

/* A part of the operation. */
typedef struct
{
  const VhCudaOperationClass *klass;
  gpointer operation;           /* that it is a part of */
  VhCudaSession *session;
  VhCudaSlots *slots;           /* or NULL */
} VhCudaOperation;

/* @self is a part of @operation, which is zero. */
void vh_cuda_operation_init (VhCudaOperation * self,
    const VhCudaOperationClass * klass, gpointer operation, VhDevice * device);

/* Releases the slots. */
void vh_cuda_operation_clear (VhCudaOperation * self);

/* Ensures that the slots are on the session's stream, with room for
 * @max_results and @scratch. The context must be current. */
CUresult vh_cuda_operation_ensure_slots (VhCudaOperation * self,
    gsize max_results, gsize scratch);

/* Prepares the operation. Enters and leaves the session. FALSE with DEVICE. */
gboolean vh_cuda_operation_prepare (VhCudaOperation * self, GError ** error);

/* Ensures that the operation can work on @frame, and that the frame has room
 * for its results; then the slots exist. FALSE with FRAME or DEVICE. */
gboolean vh_cuda_operation_start (VhCudaOperation * self, VhCudaFrame * frame,
    GError ** error);

/* Ends the operation on @frame, for which kernels with @params were launched,
 * with @result. If they leave results in @slot, @counts get them when they are
 * done; if @slot is NULL, they have none. FALSE with DEVICE if the launch
 * failed; then nothing was done with @counts. */
gboolean vh_cuda_operation_end (VhCudaOperation * self, VhCudaFrame * frame,
    VhCudaSlot * slot, const VhKernelParams * params, VhCounts * counts,
    CUresult result, GError ** error);

G_END_DECLS
