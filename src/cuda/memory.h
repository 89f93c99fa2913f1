/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cache.h"
#include "fence.h"

G_BEGIN_DECLS

/* Device memory, allocated and freed in the order of a stream: freeing it never
 * waits, whatever runs on the device. */
typedef struct
{
  VhCudaStream *stream;         /* holds a reference */
  CUdeviceptr address;
  gsize size;                   /* bytes */
} VhCudaMemory;

/* Allocates @size bytes, usable in the order of @stream; zero if @clear. The
 * context must be current. On failure returns NULL, with the driver's error in
 * @result. */
VhCudaMemory *vh_cuda_memory_new (VhCudaStream * stream, gsize size,
    gboolean clear, CUresult * result);

/* Frees @memory (or NULL) once the @n @fences (each may be NULL) have passed;
 * they must cover all of its users on other streams. Enters the context itself.
 * Frees nothing on a lost GPU. */
void vh_cuda_memory_free (VhCudaMemory * memory, VhCudaFence * const *fences,
    guint n);

/* Copies @size bytes between the host and the device, in the order of @stream.
 * The context must be current. */
CUresult vh_cuda_copy_to_device (const VhCudaDevice * device, CUdeviceptr to,
    gconstpointer from, gsize size, CUstream stream);
CUresult vh_cuda_copy_to_host (const VhCudaDevice * device, gpointer to,
    CUdeviceptr from, gsize size, CUstream stream);

G_END_DECLS
