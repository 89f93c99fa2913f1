/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <cuda.h>

/* What a failed driver call means for later calls. */
typedef enum
{
  VH_CUDA_FAILURE_BUSY,         /* may pass: try again later */
  VH_CUDA_FAILURE_PERMANENT,    /* not possible on this machine or with this
                                 * build: do not try again */
  VH_CUDA_FAILURE_CONTEXT,      /* the context is gone, others may work */
  VH_CUDA_FAILURE_LOST,         /* nothing works in this process any more */
} VhCudaFailure;

/* The class of @result, which must not be CUDA_SUCCESS. Codes that are not in
 * CUDA 13's header are VH_CUDA_FAILURE_BUSY. */
VhCudaFailure vh_cuda_failure (CUresult result);
