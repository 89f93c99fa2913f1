/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "driver.h"

G_BEGIN_DECLS

/* When one stream of frames uses a GPU again after a failure: after 1, 2, 4 …
 * 60 seconds if the GPU may recover; immediately, but only once in a row, if
 * only its context is gone; never if it cannot run the kernels of this build,
 * or is lost. */
typedef struct
{
  gboolean unusable;            /* for good */
  gboolean context_retried;     /* since the last frame that succeeded */
  GstClockTime retry_at;        /* monotonic ns, or NONE */
  GstClockTime retry_delay;
} VhCudaRecovery;

void vh_cuda_recovery_init (VhCudaRecovery * self);

/* Whether the GPU may be used now; if not, @error (DEVICE) says why. */
gboolean vh_cuda_recovery_is_usable (VhCudaRecovery * self, GError ** error);

/* Handles the failure of a call with @result. Returns its class: after
 * VH_CUDA_FAILURE_CONTEXT, find another context. */
VhCudaFailure vh_cuda_recovery_note (VhCudaRecovery * self, CUresult result);

/* Notes that a frame succeeded. */
void vh_cuda_recovery_succeed (VhCudaRecovery * self);

G_END_DECLS
