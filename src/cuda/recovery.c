/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "recovery.h"
#include "core/error.h"
#include "debug.h"

#define FIRST_RETRY GST_SECOND
#define LAST_RETRY (60 * GST_SECOND)

void
vh_cuda_recovery_init (VhCudaRecovery * self)
{
  *self = (VhCudaRecovery) {
    .retry_at = GST_CLOCK_TIME_NONE,
  };
}

gboolean
vh_cuda_recovery_is_usable (VhCudaRecovery * self, GError ** error)
{
  if (vh_cuda_is_lost () || self->unusable) {
    g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, vh_cuda_is_lost ()?
        "the GPU was lost; restart this process to use it again"
        : "the GPU cannot run the kernels of this build");
    return FALSE;
  }
  if (self->retry_at != GST_CLOCK_TIME_NONE
      && gst_util_get_timestamp () < self->retry_at) {
    g_set_error (error, VH_ERROR, VH_ERROR_DEVICE,
        "the GPU is busy; retrying within %u seconds",
        (guint) (self->retry_delay / GST_SECOND));
    return FALSE;
  }
  if (self->retry_at != GST_CLOCK_TIME_NONE)
    GST_DEBUG ("retrying the GPU");
  self->retry_at = GST_CLOCK_TIME_NONE;
  return TRUE;
}

VhCudaFailure
vh_cuda_recovery_note (VhCudaRecovery * self, CUresult result)
{
  const VhCudaFailure failure = vh_cuda_failure (result);

  switch (failure) {
    case VH_CUDA_FAILURE_PERMANENT:
      GST_DEBUG ("the GPU is unusable: error %d", result);
      self->unusable = TRUE;
      break;
    case VH_CUDA_FAILURE_LOST:
      vh_cuda_set_lost ();
      break;
    case VH_CUDA_FAILURE_CONTEXT:
      if (!self->context_retried) {
        GST_DEBUG ("the CUDA context is gone: trying a new one");
        self->context_retried = TRUE;
        break;
      }
      /* fall through */
    case VH_CUDA_FAILURE_BUSY:
      self->retry_delay = self->retry_delay == 0 ? FIRST_RETRY :
          MIN (2 * self->retry_delay, LAST_RETRY);
      self->retry_at = gst_util_get_timestamp () + self->retry_delay;
      GST_DEBUG ("the GPU is busy (%d): retrying in %" GST_TIME_FORMAT,
          result, GST_TIME_ARGS (self->retry_delay));
      break;
  }
  return failure;
}

void
vh_cuda_recovery_succeed (VhCudaRecovery * self)
{
  if (self->retry_delay > 0)
    GST_DEBUG ("the GPU works again");
  self->retry_delay = 0;
  self->context_retried = FALSE;
}
