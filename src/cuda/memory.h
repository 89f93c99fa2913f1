/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cache.h"
#include "fence.h"

G_BEGIN_DECLS

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

G_END_DECLS
