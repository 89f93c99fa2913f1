/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory.h"
#include "debug.h"
#include "devicetable.h"
#include "watcher.h"

static CUresult
allocate (VhCudaMemory * self)
{
  const VhCudaDevice *device = self->stream->device;

  if (vh_cuda_is_lost ())
    return CUDA_ERROR_UNKNOWN;
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

/* Makes the memory's stream wait for @fences; the context must be current. */
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

static void
free_now (VhCudaMemory * self)
{
  VhCudaDevice *device = self->stream->device;

  if (vh_cuda_device_push (device) == CUDA_SUCCESS) {
    vh_cuda_note (device->memory_pools ?
        device->driver->MemFreeAsync (self->address, self->stream->handle) :
        device->driver->MemFree (self->address));
    vh_cuda_device_pop (device);
  }
  free_struct (self);
}

/* Memory that is freed once its fences were found to have passed: on a device
 * without memory pools, or if the driver cannot wait for them. */
typedef struct
{
  VhCudaMemory *memory;
  GPtrArray *fences;            /* of VhCudaFence */
} Waiting;

static gboolean
try_to_free (gpointer data)
{
  Waiting *self = data;
  guint i;

  for (i = 0; i < self->fences->len; i++) {
    if (!vh_cuda_fence_has_ended (g_ptr_array_index (self->fences, i)))
      return FALSE;
  }
  free_now (self->memory);
  g_ptr_array_unref (self->fences);
  g_free (self);
  return TRUE;
}

/* @last covers the work on the memory's own stream. */
static void
free_later (VhCudaMemory * memory, VhCudaFence * const *fences, guint n,
    VhCudaFence * last)
{
  Waiting *self = g_new (Waiting, 1);
  guint i;

  self->memory = memory;
  self->fences =
      g_ptr_array_new_with_free_func ((GDestroyNotify) vh_cuda_fence_unref);
  for (i = 0; i < n; i++) {
    if (fences[i])
      g_ptr_array_add (self->fences, vh_cuda_fence_ref (fences[i]));
  }
  g_ptr_array_add (self->fences, last);
  if (!try_to_free (self))
    vh_cuda_watch (try_to_free, self);
}

/* Makes a fence after the work on the stream of @memory. */
static VhCudaFence *
new_last (VhCudaMemory * memory)
{
  VhCudaFence *fence =
      vh_cuda_fence_new (memory->stream, GST_CLOCK_TIME_NONE);

  vh_cuda_fence_start (fence, memory->stream->handle);
  return fence;
}

void
vh_cuda_memory_free (VhCudaMemory * memory, VhCudaFence * const *fences,
    guint n)
{
  VhCudaDevice *device;
  CUresult result;

  if (!memory)
    return;
  device = memory->stream->device;
  if (!memory->address || vh_cuda_device_push (device) != CUDA_SUCCESS) {
    free_struct (memory);
    return;
  }
  GST_DEBUG ("context %p: freeing %" G_GSIZE_FORMAT " bytes", device->handle,
      memory->size);
  device = vh_cuda_device_ref (device);
  result = device->memory_pools ? order (memory, fences, n) :
      CUDA_ERROR_NOT_SUPPORTED;
  if (result == CUDA_SUCCESS)
    free_now (memory);
  else
    free_later (memory, fences, n, new_last (memory));
  vh_cuda_device_pop (device);
  vh_cuda_device_unref (device);
}

CUresult
vh_cuda_copy_to_device (const VhCudaDevice * device, CUdeviceptr to,
    gconstpointer from, gsize size, CUstream stream)
{
  const CUDA_MEMCPY2D copy = {
    .srcMemoryType = CU_MEMORYTYPE_HOST,
    .srcHost = from,
    .dstMemoryType = CU_MEMORYTYPE_DEVICE,
    .dstDevice = to,
    .WidthInBytes = size,
    .Height = 1,
  };

  return device->driver->Memcpy2DAsync (&copy, stream);
}

CUresult
vh_cuda_copy_to_host (const VhCudaDevice * device, gpointer to,
    CUdeviceptr from, gsize size, CUstream stream)
{
  const CUDA_MEMCPY2D copy = {
    .srcMemoryType = CU_MEMORYTYPE_DEVICE,
    .srcDevice = from,
    .dstMemoryType = CU_MEMORYTYPE_HOST,
    .dstHost = to,
    .WidthInBytes = size,
    .Height = 1,
  };

  return device->driver->Memcpy2DAsync (&copy, stream);
}
