/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "memory.h"
#include "debug.h"

VhCudaStream *
vh_cuda_stream_new (VhCudaDevice * device, CUresult * result)
{
  VhCudaStream *self;
  CUstream handle;

  *result = device->driver->StreamCreate (&handle, CU_STREAM_NON_BLOCKING);
  if (*result != CUDA_SUCCESS)
    return NULL;
  self = g_new0 (VhCudaStream, 1);
  self->refcount = 1;
  self->device = vh_cuda_device_ref (device);
  self->handle = handle;
  return self;
}

VhCudaStream *
vh_cuda_stream_ref (VhCudaStream * stream)
{
  g_atomic_int_inc (&stream->refcount);
  return stream;
}

/* Work on the stream continues. */
void
vh_cuda_stream_unref (VhCudaStream * stream)
{
  VhCudaDevice *device = stream->device;

  if (!g_atomic_int_dec_and_test (&stream->refcount))
    return;
  if (vh_cuda_device_push (device) == CUDA_SUCCESS) {
    vh_cuda_note (device->driver->StreamDestroy (stream->handle));
    vh_cuda_device_pop (device);
  }
  g_free (stream);
  vh_cuda_device_unref (device);
}

CUresult
vh_cuda_stream_follow (VhCudaDevice * device, CUstream stream, CUstream other)
{
  CUevent event;
  CUresult result;

  if (other == stream)
    return CUDA_SUCCESS;
  result = vh_cuda_event_take (device, &event);
  if (result != CUDA_SUCCESS)
    return result;
  result = device->driver->EventRecord (event, other);
  if (result == CUDA_SUCCESS)
    result = device->driver->StreamWaitEvent (stream, event, 0);
  /* The wait is for what was recorded, even if the event is reused. */
  vh_cuda_event_give (device, event);
  return result;
}

static CUresult
allocate (VhCudaMemory * self)
{
  const VhCudaDevice *device = self->stream->device;

  if (device->memory_pools) {
    return device->driver->MemAllocAsync (&self->address, self->size,
        self->stream->handle);
  }
  return device->driver->MemAlloc (&self->address, self->size);
}

VhCudaMemory *
vh_cuda_memory_new (VhCudaStream * stream, gsize size, gboolean clear,
    CUresult * result)
{
  VhCudaMemory *self = g_new0 (VhCudaMemory, 1);

  self->stream = vh_cuda_stream_ref (stream);
  self->size = MAX (size, 1);
  *result = allocate (self);
  GST_DEBUG ("context %p: %" G_GSIZE_FORMAT " bytes of memory, result %d",
      stream->device->handle, self->size, *result);
  if (*result != CUDA_SUCCESS)
    self->address = 0;
  if (*result == CUDA_SUCCESS && clear) {
    *result = stream->device->driver->MemsetD8Async (self->address, 0,
        self->size, stream->handle);
  }
  if (*result != CUDA_SUCCESS) {
    vh_cuda_note (*result);
    vh_cuda_memory_free (self, NULL, 0);
    return NULL;
  }
  return self;
}

static void
free_struct (VhCudaMemory * self)
{
  vh_cuda_stream_unref (self->stream);
  g_free (self);
}

/* Makes the memory's stream wait for @fences, with the context current. */
static CUresult
order (VhCudaMemory * self, VhCudaFence * const *fences, guint n)
{
  CUresult result = CUDA_SUCCESS;
  guint i;

  for (i = 0; i < n && result == CUDA_SUCCESS; i++) {
    if (fences[i])
      result = vh_cuda_fence_order (fences[i], self->stream->handle);
  }
  return result;
}

/* Without memory pools: freed when the stream has passed its users. */
static void
free_now (gpointer data)
{
  VhCudaMemory *self = data;
  VhCudaDevice *device = self->stream->device;

  if (vh_cuda_device_push (device) == CUDA_SUCCESS) {
    vh_cuda_note (device->driver->MemFree (self->address));
    vh_cuda_device_pop (device);
  }
  free_struct (self);
}

static CUresult
free_later (VhCudaMemory * self)
{
  VhCudaFence *fence;
  CUresult result;

  fence = vh_cuda_fence_new (self->stream->device, GST_CLOCK_TIME_NONE,
      &result);
  if (!fence)
    return result;
  vh_cuda_fence_set_silent (fence);
  vh_cuda_fence_hold (fence, self, free_now, FALSE);
  vh_cuda_fence_start (fence, self->stream->handle);
  vh_cuda_fence_poll (fence);
  vh_cuda_fence_unref (fence);
  return CUDA_SUCCESS;
}

/* If the order cannot be established, the memory is kept: a kernel may use
 * it. */
void
vh_cuda_memory_free (VhCudaMemory * memory, VhCudaFence * const *fences,
    guint n)
{
  VhCudaDevice *device;
  gboolean freed_later = FALSE;
  CUresult result;

  if (!memory)
    return;
  device = vh_cuda_device_ref (memory->stream->device);
  if (memory->address && vh_cuda_device_push (device) == CUDA_SUCCESS) {
    GST_DEBUG ("context %p: freeing %" G_GSIZE_FORMAT " bytes",
        device->handle, memory->size);
    result = order (memory, fences, n);
    if (result == CUDA_SUCCESS && device->memory_pools) {
      result = device->driver->MemFreeAsync (memory->address,
          memory->stream->handle);
    } else if (result == CUDA_SUCCESS) {
      result = free_later (memory);
      freed_later = result == CUDA_SUCCESS;
    }
    vh_cuda_device_pop (device);
    vh_cuda_note (result);
  }
  if (!freed_later)
    free_struct (memory);
  vh_cuda_device_unref (device);
}
