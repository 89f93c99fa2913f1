/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "device.h"

G_BEGIN_DECLS

/* Events and pinned memory of a device, kept for reuse: making an event for
 * each frame costs time, and the driver waits for all kernels when it frees
 * pinned memory. The cache never holds more than was in use at one time.
 * Thread-safe. */

/* A block of pinned memory, mapped into the device's address space. */
typedef struct
{
  guint8 *data;
  CUdeviceptr address;          /* of data, on the device */
  gsize size;                   /* bytes, at least as many as requested */
} VhCudaPinned;

void vh_cuda_cache_init (VhCudaDevice * device);

/* Frees everything in the cache; the context must be current. */
void vh_cuda_cache_clear (VhCudaDevice * device);

void vh_cuda_cache_free (VhCudaDevice * device);

/* vh_cuda_event_take() returns an event without timing; the context must be
 * current. */
CUresult vh_cuda_event_take (VhCudaDevice * device, CUevent * event);
void vh_cuda_event_give (VhCudaDevice * device, CUevent event);

/* Makes events until the cache has @n, or until the driver fails; the context
 * must be current. */
void vh_cuda_events_reserve (VhCudaDevice * device, guint n);

/* Returns a block with undefined contents, or NULL with the driver's error in
 * @result. The context must be current. */
VhCudaPinned *vh_cuda_pinned_take (VhCudaDevice * device, gsize size,
    CUresult * result);

/* Gives a block that is no longer in use back to the cache; accepts NULL. */
void vh_cuda_pinned_give (VhCudaDevice * device, VhCudaPinned * pinned);

G_END_DECLS
