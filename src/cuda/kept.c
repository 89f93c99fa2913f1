/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kept.h"
#include "devicetable.h"
#include "watcher.h"

static void
end_kept (VhCudaKept * self)
{
  VhCudaDevice *device = vh_cuda_device_ref (self->device);

  vh_cuda_memory_free (self->memory, NULL, 0);
  vh_cuda_event_give (device, self->event);
  vh_cuda_device_unref (device);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Used if the driver could not make the memory's stream wait for its users:
 * frees the memory once they have ended, and returns whether they have. On a
 * lost GPU only host memory is freed. */
static gboolean
try_to_end (gpointer data)
{
  VhCudaKept *self = data;
  CUresult result = vh_cuda_device_push (self->device);

  if (result == CUDA_SUCCESS) {
    result = self->device->driver->EventQuery (self->event);
    vh_cuda_device_pop (self->device);
  }
  if (result != CUDA_SUCCESS && !vh_cuda_is_lost ())
    return FALSE;
  end_kept (self);
  return TRUE;
}

void
vh_cuda_kept_free (VhCudaKept * self)
{
  CUresult result = vh_cuda_device_push (self->device);

  if (result == CUDA_SUCCESS) {
    result = self->device->driver->StreamWaitEvent
        (self->memory->stream->handle, self->event, 0);
    vh_cuda_note (result);
    vh_cuda_device_pop (self->device);
  }
  if (result == CUDA_SUCCESS)
    end_kept (self);
  else
    vh_cuda_watch (try_to_end, self);
}

VhCudaKept *
vh_cuda_kept_new (VhCudaStream * stream, gsize size, CUresult * result)
{
  VhCudaMemory *memory;
  CUevent event = NULL;
  VhCudaKept *self;

  memory = vh_cuda_memory_new (stream, size, FALSE, result);
  if (!memory)
    return NULL;
  *result = vh_cuda_event_take (stream->device, &event);
  if (*result == CUDA_SUCCESS)
    *result = stream->device->driver->EventRecord (event, stream->handle);
  if (*result != CUDA_SUCCESS) {
    /* First, so that nothing on a lost GPU is freed. */
    vh_cuda_note (*result);
    vh_cuda_memory_free (memory, NULL, 0);
    if (event)
      vh_cuda_event_give (stream->device, event);
    return NULL;
  }

  self = g_new0 (VhCudaKept, 1);
  self->device = stream->device;
  self->memory = memory;
  self->event = event;
  g_mutex_init (&self->lock);
  return self;
}

/* Sorts the two by locking order, NULL first. */
static void
sort (VhCudaKept ** a, VhCudaKept ** b)
{
  VhCudaKept *first = MIN (*a, *b);

  *b = MAX (*a, *b);
  *a = first == *b ? NULL : first;
}

static CUresult
begin (VhCudaKept * self, CUstream stream)
{
  if (!self)
    return CUDA_SUCCESS;
  g_mutex_lock (&self->lock);
  return self->device->driver->StreamWaitEvent (stream, self->event, 0);
}

static CUresult
end (VhCudaKept * self, CUstream stream)
{
  CUresult result;

  if (!self)
    return CUDA_SUCCESS;
  result = self->device->driver->EventRecord (self->event, stream);
  g_mutex_unlock (&self->lock);
  return result;
}

CUresult
vh_cuda_kept_begin (VhCudaKept * a, VhCudaKept * b, CUstream stream)
{
  CUresult first, second;

  sort (&a, &b);
  first = begin (a, stream);
  second = begin (b, stream);
  return first == CUDA_SUCCESS ? second : first;
}

CUresult
vh_cuda_kept_end (VhCudaKept * a, VhCudaKept * b, CUstream stream,
    CUresult result)
{
  CUresult first, second;

  sort (&a, &b);
  second = end (b, stream);
  first = end (a, stream);
  if (result == CUDA_SUCCESS)
    result = first == CUDA_SUCCESS ? second : first;
  return result;
}
