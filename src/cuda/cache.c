/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cache.h"
#include "debug.h"

#define MIN_BLOCK_BYTES 4096

/* Block sizes are 4, 5, 6 or 7 times a power of two, so that a returned block
 * fits the next use of about the same size. */
static gsize
round_up (gsize size)
{
  gsize step = MIN_BLOCK_BYTES / 4;

  while (step * 7 < size)
    step *= 2;
  return MAX ((size + step - 1) / step * step, MIN_BLOCK_BYTES);
}

void
vh_cuda_cache_init (VhCudaDevice * device)
{
  g_mutex_init (&device->cache_lock);
  device->events = g_ptr_array_new ();
  device->pinned = g_ptr_array_new_with_free_func (g_free);
}

void
vh_cuda_cache_clear (VhCudaDevice * device)
{
  const VhCudaDriver *driver = device->driver;
  guint i;

  g_mutex_lock (&device->cache_lock);
  for (i = 0; i < device->events->len && !vh_cuda_is_lost (); i++)
    vh_cuda_note (driver->EventDestroy (g_ptr_array_index (device->events,
                i)));
  for (i = 0; i < device->pinned->len && !vh_cuda_is_lost (); i++) {
    VhCudaPinned *pinned = g_ptr_array_index (device->pinned, i);

    vh_cuda_note (driver->MemFreeHost (pinned->data));
  }
  g_ptr_array_set_size (device->events, 0);
  g_ptr_array_set_size (device->pinned, 0);
  g_mutex_unlock (&device->cache_lock);
}

void
vh_cuda_cache_free (VhCudaDevice * device)
{
  g_ptr_array_unref (device->events);
  g_ptr_array_unref (device->pinned);
  g_mutex_clear (&device->cache_lock);
}

CUresult
vh_cuda_event_take (VhCudaDevice * device, CUevent * event)
{
  CUresult result;

  *event = NULL;
  g_mutex_lock (&device->cache_lock);
  if (device->events->len > 0) {
    *event = g_ptr_array_remove_index_fast (device->events,
        device->events->len - 1);
  }
  g_mutex_unlock (&device->cache_lock);
  if (*event)
    return CUDA_SUCCESS;
  result = device->driver->EventCreate (event, CU_EVENT_DISABLE_TIMING);
  vh_cuda_note (result);
  return result;
}

void
vh_cuda_event_give (VhCudaDevice * device, CUevent event)
{
  g_mutex_lock (&device->cache_lock);
  g_ptr_array_add (device->events, event);
  g_mutex_unlock (&device->cache_lock);
}

void
vh_cuda_events_reserve (VhCudaDevice * device, guint n)
{
  CUresult result = CUDA_SUCCESS;
  CUevent event;
  guint n_there;

  g_mutex_lock (&device->cache_lock);
  n_there = device->events->len;
  g_mutex_unlock (&device->cache_lock);
  for (; n_there < n && result == CUDA_SUCCESS; n_there++) {
    result = device->driver->EventCreate (&event, CU_EVENT_DISABLE_TIMING);
    if (result == CUDA_SUCCESS)
      vh_cuda_event_give (device, event);
  }
  vh_cuda_note (result);
}

/* A block of @size from the cache, or NULL. */
static VhCudaPinned *
find_block (VhCudaDevice * device, gsize size)
{
  VhCudaPinned *found = NULL;
  guint i;

  g_mutex_lock (&device->cache_lock);
  for (i = 0; i < device->pinned->len && !found; i++) {
    VhCudaPinned *pinned = g_ptr_array_index (device->pinned, i);

    if (pinned->size == size)
      found = g_ptr_array_steal_index_fast (device->pinned, i);
  }
  g_mutex_unlock (&device->cache_lock);
  return found;
}

static VhCudaPinned *
allocate_block (VhCudaDevice * device, gsize size, CUresult * result)
{
  VhCudaPinned *pinned;
  void *data = NULL;

  *result = device->driver->MemHostAlloc (&data, size,
      CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  GST_DEBUG ("context %p: %" G_GSIZE_FORMAT " bytes of pinned memory, result "
      "%d", device->handle, size, *result);
  if (*result != CUDA_SUCCESS)
    return NULL;
  pinned = g_new0 (VhCudaPinned, 1);
  pinned->data = data;
  pinned->size = size;
  return pinned;
}

VhCudaPinned *
vh_cuda_pinned_take (VhCudaDevice * device, gsize size, CUresult * result)
{
  const gsize block = round_up (size);
  VhCudaPinned *pinned = find_block (device, block);

  if (!pinned && vh_cuda_is_lost ()) {
    *result = CUDA_ERROR_UNKNOWN;
    return NULL;
  }
  *result = CUDA_SUCCESS;
  if (!pinned)
    pinned = allocate_block (device, block, result);
  if (pinned && !pinned->address) {
    *result = device->driver->MemHostGetDevicePointer (&pinned->address,
        pinned->data, 0);
    if (*result != CUDA_SUCCESS) {
      pinned->address = 0;
      vh_cuda_pinned_give (device, pinned);
      pinned = NULL;
    }
  }
  vh_cuda_note (*result);
  return pinned;
}

void
vh_cuda_pinned_give (VhCudaDevice * device, VhCudaPinned * pinned)
{
  if (!pinned)
    return;
  g_mutex_lock (&device->cache_lock);
  g_ptr_array_add (device->pinned, pinned);
  g_mutex_unlock (&device->cache_lock);
}
