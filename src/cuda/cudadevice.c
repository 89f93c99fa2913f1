/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA as a class of devices: the path of a frame is the session's, each
 * operation has its own file, and memory and pools are here. */
#include "cudadevice.h"
#include "corrector.h"
#include "counter.h"
#include "differencer.h"
#include "gstcudacompat.h"
#include "jointcounter.h"
#include "meter.h"
#include "pinned.h"
#include "scope.h"
#include "session.h"

static VhDevice *
cuda_device_open (const VhDeviceConfig * config, GError ** error)
{
  return vh_cuda_session_open (&vh_cuda_device_class, config, error);
}

static gboolean
cuda_device_owns (GstMemory * memory)
{
  return gst_is_cuda_memory (memory);
}

static GstBufferPool *
cuda_device_new_pool (GstMemory * memory, GstStructure ** config)
{
  GstBufferPool *pool =
      gst_cuda_buffer_pool_new (GST_CUDA_MEMORY_CAST (memory)->context);

  *config = gst_buffer_pool_get_config (pool);
  vh_gst_cuda_pool_config_set_stream_of (*config, memory);
  return pool;
}

static gboolean
cuda_device_pool_fits (GstBufferPool * pool, GstMemory * memory)
{
  return GST_IS_CUDA_BUFFER_POOL (pool)
      && gst_cuda_context_get_handle (GST_CUDA_BUFFER_POOL (pool)->context) ==
      gst_cuda_context_get_handle (GST_CUDA_MEMORY_CAST (memory)->context);
}

/* Proposes pinned memory. */
static void
cuda_device_propose_allocation (VhDevice * device, GstQuery * query,
    GstCaps * caps, gsize size)
{
  VhCudaDevice *own = vh_cuda_session_device (vh_cuda_session (device));
  GstAllocator *allocator;
  GstBufferPool *pool;
  GstStructure *config;

  if (!own)
    return;
  allocator = vh_pinned_allocator_new (own);
  pool = gst_video_buffer_pool_new ();
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, size, 0, 0);
  gst_buffer_pool_config_set_allocator (config, allocator, NULL);
  if (gst_buffer_pool_set_config (pool, config)) {
    gst_query_add_allocation_param (query, allocator, NULL);
    gst_query_add_allocation_pool (query, pool, size, 0, 0);
  }
  gst_object_unref (pool);
  gst_object_unref (allocator);
}

const VhDeviceClass vh_cuda_device_class = {
  .name = "cuda",
  .owns = cuda_device_owns,
  .open = cuda_device_open,
  .close = vh_cuda_session_close,
  .configure = vh_cuda_session_configure,
  .begin = vh_cuda_session_begin,
  .end = vh_cuda_session_end,
  .new_counter = vh_cuda_counter_new,
  .new_joint_counter = vh_cuda_joint_counter_new,
  .new_differencer = vh_cuda_differencer_new,
  .new_meter = vh_cuda_meter_new,
  .measures_cells = TRUE,
  .new_corrector = vh_cuda_corrector_new,
  .new_scope = vh_cuda_scope_new,
  .new_pool = cuda_device_new_pool,
  .pool_fits = cuda_device_pool_fits,
  .propose_allocation = cuda_device_propose_allocation,
  .set_context = vh_cuda_session_set_context,
  .answer_context_query = vh_cuda_session_answer_context_query,
};
