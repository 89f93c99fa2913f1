/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Everything that differs between versions of libgstcuda, which has an unstable
 * API. gst_cuda_allocator_alloc() is not used at all, because its arguments
 * changed under the same soname. */
#pragma once

#ifndef GST_USE_UNSTABLE_API
#define GST_USE_UNSTABLE_API
#endif

#include <gst/gst.h>
#if GST_CHECK_VERSION (1, 24, 0)
#include <gst/cuda/gstcuda.h>
#else
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>
#endif

/* The stream that @memory was written on, or NULL if its producer has finished,
 * which is always the case before GStreamer 1.24. Reading on that stream needs
 * no wait, and the next writer on it comes after the read. */
static inline CUstream
vh_gst_cuda_memory_stream (G_GNUC_UNUSED GstMemory * memory)
{
#if GST_CHECK_VERSION (1, 24, 0)
  GstCudaStream *stream =
      gst_cuda_memory_get_stream (GST_CUDA_MEMORY_CAST (memory));

  return stream ? gst_cuda_stream_get_handle (stream) : NULL;
#else
  return NULL;
#endif
}

/* Waits until @memory is complete, so that streams other than its own may read
 * it. */
static inline void
vh_gst_cuda_memory_sync (G_GNUC_UNUSED GstMemory * memory)
{
#if GST_CHECK_VERSION (1, 24, 0)
  gst_cuda_memory_sync (GST_CUDA_MEMORY_CAST (memory));
#endif
}

/* Configures a pool's @config so that its buffers are written on the stream of
 * @memory, if it has one. */
static inline void
vh_gst_cuda_pool_config_set_stream_of (G_GNUC_UNUSED GstStructure * config,
    G_GNUC_UNUSED GstMemory * memory)
{
#if GST_CHECK_VERSION (1, 24, 0)
  GstCudaStream *stream =
      gst_cuda_memory_get_stream (GST_CUDA_MEMORY_CAST (memory));

  if (stream)
    gst_buffer_pool_config_set_cuda_stream (config, stream);
#endif
}

/* Configures a pool's @config so that its buffers are written on a new stream
 * of @context. FALSE before GStreamer 1.24, where pools have no stream. */
static inline gboolean
vh_gst_cuda_pool_config_set_new_stream (G_GNUC_UNUSED GstStructure * config,
    G_GNUC_UNUSED GstCudaContext * context)
{
#if GST_CHECK_VERSION (1, 24, 0)
  GstCudaStream *stream = gst_cuda_stream_new (context);

  gst_buffer_pool_config_set_cuda_stream (config, stream);
  gst_clear_cuda_stream (&stream);
  return TRUE;
#else
  return FALSE;
#endif
}

/* Marks @memory as complete only in the order of its stream; FALSE if that is
 * not possible, and the writer must wait. */
static inline gboolean
vh_gst_cuda_memory_set_pending (G_GNUC_UNUSED GstMemory * memory)
{
#if GST_CHECK_VERSION (1, 24, 0)
  if (!gst_cuda_memory_get_stream (GST_CUDA_MEMORY_CAST (memory)))
    return FALSE;
  GST_MINI_OBJECT_FLAG_SET (memory, GST_CUDA_MEMORY_TRANSFER_NEED_SYNC);
  return TRUE;
#else
  return FALSE;
#endif
}

static inline gint
vh_gst_cuda_context_device_id (GstCudaContext * context)
{
  guint id = 0;

  g_object_get (context, "cuda-device-id", &id, NULL);
  return id;
}
