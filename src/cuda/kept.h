/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "memory.h"

G_BEGIN_DECLS

/* Memory of a device that is kept from frame to frame. Work that uses it, on
 * any stream, is enqueued one after the other: each waits for the event, and
 * records it again. */
typedef struct
{
  VhCudaDevice *device;         /* of memory's stream */
  VhCudaMemory *memory;

  GMutex lock;                  /* of the order in which it is used */
  CUevent event;                /* behind its last use */
} VhCudaKept;

/* @size bytes, allocated in the order of @stream. The context must be current.
 * NULL with @result. */
VhCudaKept *vh_cuda_kept_new (VhCudaStream * stream, gsize size,
    CUresult * result);

/* Frees the memory after its users, on its stream. Enters the context itself;
 * nothing of a lost GPU is freed. */
void vh_cuda_kept_free (VhCudaKept * self);

/* From here to vh_cuda_kept_end(), only work enqueued on @stream uses @a and
 * @b, which may be NULL or the same; they are locked in one order, whichever
 * is named first. The context must be current. */
CUresult vh_cuda_kept_begin (VhCudaKept * a, VhCudaKept * b, CUstream stream);
CUresult vh_cuda_kept_end (VhCudaKept * a, VhCudaKept * b, CUstream stream);

G_END_DECLS
