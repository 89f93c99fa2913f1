/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "device.h"

G_BEGIN_DECLS

/* A stream of a device, which lives as long as anything ordered on it. */
typedef struct
{
  gint refcount;                /* atomic */
  VhCudaDevice *device;         /* holds a reference */
  CUstream handle;
} VhCudaStream;

/* The context must be current. On failure returns NULL, with the driver's error
 * in @result. */
VhCudaStream *vh_cuda_stream_new (VhCudaDevice * device, CUresult * result);
VhCudaStream *vh_cuda_stream_ref (VhCudaStream * stream);
void vh_cuda_stream_unref (VhCudaStream * stream);

/* Makes @stream wait for the current work on @other, unless they are the
 * same. */
CUresult vh_cuda_stream_follow (VhCudaDevice * device, CUstream stream,
    CUstream other);

G_END_DECLS
