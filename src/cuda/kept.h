/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "memory.h"

G_BEGIN_DECLS

/* Device memory that is kept from frame to frame. Work that uses it may be on
 * any stream, but runs one after the other: each piece of work waits for the
 * event, and records it again. */
typedef struct
{
  VhCudaDevice *device;         /* of memory's stream */
  VhCudaMemory *memory;

  GMutex lock;                  /* orders its uses */
  CUevent event;                /* after its last use */
} VhCudaKept;

/* Allocates @size bytes in the order of @stream. The context must be current.
 * On failure returns NULL, with the driver's error in @result. */
VhCudaKept *vh_cuda_kept_new (VhCudaStream * stream, gsize size,
    CUresult * result);

/* Frees the memory after its users, on its stream. Enters the context itself;
 * frees nothing on a lost GPU. */
void vh_cuda_kept_free (VhCudaKept * self);

/* From vh_cuda_kept_begin() to vh_cuda_kept_end(), only work enqueued on
 * @stream uses @a and @b, which may be NULL or the same; their order does not
 * matter. The end returns @result, which enqueuing the work had, or, if that
 * succeeded, its own. The context must be current. */
CUresult vh_cuda_kept_begin (VhCudaKept * a, VhCudaKept * b, CUstream stream);
CUresult vh_cuda_kept_end (VhCudaKept * a, VhCudaKept * b, CUstream stream,
    CUresult result);

G_END_DECLS
