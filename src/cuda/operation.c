/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "operation.h"

void
vh_cuda_operation_init (VhCudaOperation * self,
    const VhCudaOperationClass * klass, gpointer operation, VhDevice * device)
{
  self->klass = klass;
  self->operation = operation;
  self->session = vh_cuda_session (device);
}

void
vh_cuda_operation_clear (VhCudaOperation * self)
{
  g_clear_pointer (&self->slots, vh_cuda_slots_unref);
}

CUresult
vh_cuda_operation_ensure_slots (VhCudaOperation * self, gsize max_results,
    gsize scratch)
{
  VhCudaStream *stream = vh_cuda_session_stream (self->session);
  CUresult result;

  if (vh_cuda_slots_are_on (self->slots, stream)
      && vh_cuda_slots_fit (self->slots, max_results, scratch))
    return CUDA_SUCCESS;
  if (!vh_cuda_session_may_grow (self->session))
    return CUDA_ERROR_NOT_READY;
  vh_cuda_operation_clear (self);
  self->slots = vh_cuda_slots_new (stream, max_results, scratch,
      vh_cuda_session_late_after (self->session), &result);
  return result;
}

gboolean
vh_cuda_operation_prepare (VhCudaOperation * self, GError ** error)
{
  CUresult result;

  if (!vh_cuda_session_enter (self->session, error))
    return FALSE;
  result = self->klass->prepare (self->operation);
  vh_cuda_session_leave (self->session);
  return result == CUDA_SUCCESS || vh_cuda_session_fail (self->session, result,
      self->klass->preparing, error);
}

/* The frame may be in another context than the previous one, where there are no
 * slots yet; and preparing may lose the context. */
gboolean
vh_cuda_operation_start (VhCudaOperation * self, VhCudaFrame * frame,
    GError ** error)
{
  return vh_cuda_session_reserve_result (self->session, frame, error)
      && (vh_cuda_slots_are_on (self->slots,
          vh_cuda_session_stream (self->session))
      || (vh_cuda_operation_prepare (self, error)
          && vh_cuda_session_check_frame (self->session, frame, error)));
}

gboolean
vh_cuda_operation_end (VhCudaOperation * self, VhCudaFrame * frame,
    VhCudaSlot * slot, const VhKernelParams * params, VhCounts * counts,
    CUresult result, GError ** error)
{
  frame->enqueued = TRUE;
  if (!slot)
    vh_cuda_fence_set_silent (frame->fence);
  else if (result == CUDA_SUCCESS)
    vh_cuda_slot_submitted (slot, params, frame->fence, counts);
  else
    vh_cuda_slot_cancel (slot, frame->fence);
  if (result == CUDA_SUCCESS)
    return TRUE;
  frame->failed = TRUE;
  return vh_cuda_session_fail (self->session, result, self->klass->launching,
      error);
}
