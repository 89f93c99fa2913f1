/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cache.h"
#include "fence.h"

G_BEGIN_DECLS

/* A stream of a device, which lives as long as anything in its order. */
typedef struct
{
  gint refcount;                /* atomic */
  VhCudaDevice *device;         /* referred to */
  CUstream handle;
} VhCudaStream;

/* The context must be current. NULL with @result. */
VhCudaStream *vh_cuda_stream_new (VhCudaDevice * device, CUresult * result);
VhCudaStream *vh_cuda_stream_ref (VhCudaStream * stream);
void vh_cuda_stream_unref (VhCudaStream * stream);

/* Has @fence, which is not started, hold @stream: where no event can be
 * recorded, the stream is asked. */
void vh_cuda_fence_hold_stream (VhCudaFence * fence, VhCudaStream * stream);

/* Memory of a device, allocated and freed in the order of a stream: freeing it
 * never waits, whatever runs on the device. */
typedef struct
{
  VhCudaStream *stream;         /* referred to */
  CUdeviceptr address;
  gsize size;                   /* bytes */
} VhCudaMemory;

/* Allocates @size bytes, usable in the order of @stream; zero if @clear. The
 * context must be current. NULL with @result. */
VhCudaMemory *vh_cuda_memory_new (VhCudaStream * stream, gsize size,
    gboolean clear, CUresult * result);

/* Frees @memory (or NULL) once the @n @fences (each may be NULL) have passed,
 * which cover all of its users on other streams than its own. Enters the
 * context itself. Nothing of a lost GPU is freed. */
void vh_cuda_memory_free (VhCudaMemory * memory, VhCudaFence * const *fences,
    guint n);

/* Makes @stream wait for what is on @other now, unless they are the same. */
CUresult vh_cuda_stream_follow (VhCudaDevice * device, CUstream stream,
    CUstream other);

G_END_DECLS
