/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "writing.h"

/* Orders the streams: @out is written on its own stream, after the work on @in
 * and after @last. @out moves to that stream only once the stream waits for
 * @in: if the wait fails, the fence must still cover the work on the stream of
 * @in. */
static CUresult
follow (VhCudaFrame * in, VhCudaFrame * out, VhCudaFence * last)
{
  const CUstream own = vh_cuda_session_stream (out->session)->handle;
  CUresult result = vh_cuda_stream_follow (out->device, out->home, in->stream);

  if (result != CUDA_SUCCESS)
    return result;
  out->stream = out->home;
  return last ? vh_cuda_fence_order (last, out->home) :
      vh_cuda_stream_follow (out->device, out->home, own);
}

/* Makes one fence stand for both frames; it holds the frame that is read. */
static void
join (VhCudaFrame * in, VhCudaFrame * out)
{
  if (in == out)
    return;
  vh_cuda_fence_unref (out->fence);
  out->fence = vh_cuda_fence_ref (in->fence);
  vh_cuda_fence_hold_frame (in->fence, gst_buffer_ref (in->planes.view->buffer),
      FALSE);
  in->enqueued = FALSE;
}

CUresult
vh_cuda_start_writing (VhCudaFrame * in, VhCudaFrame * out, VhCudaFence ** last)
{
  CUresult result = follow (in, out, *last);

  if (result != CUDA_SUCCESS)
    return result;
  join (in, out);
  out->enqueued = TRUE;
  vh_cuda_fence_set_silent (out->fence);
  g_clear_pointer (last, vh_cuda_fence_unref);
  *last = vh_cuda_fence_ref (out->fence);
  return CUDA_SUCCESS;
}

static void
unmap_counts (gpointer counts)
{
  vh_counts_unmap_device (counts);
  vh_counts_unref (counts);
}

gboolean
vh_cuda_map_counts (VhCudaFrame * frame, VhCounts * counts, guint n_values,
    VhCountsDeviceView * view, CUresult * result)
{
  if (!vh_counts_map_device (counts, view))
    return FALSE;
  if (gst_cuda_context_get_handle (view->context) != frame->device->handle
      || (n_values && view->n_values != n_values)) {
    vh_counts_unmap_device (counts);
    return FALSE;
  }
  vh_cuda_fence_hold (frame->fence, vh_counts_ref (counts), unmap_counts,
      TRUE);
  if (view->event) {
    *result = frame->device->driver->StreamWaitEvent (frame->stream,
        view->event, 0);
  }
  return TRUE;
}
