/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stream.h"
#include "cache.h"
#include "devicetable.h"

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

/* Work on the stream continues after this. */
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
  /* The stream waits for what was recorded, even if the event is reused. */
  vh_cuda_event_give (device, event);
  return result;
}
