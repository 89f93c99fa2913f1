/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "framepool.h"

#include <gst/videohistogram/videohistogram.h>

/* A frame may be smaller than GStreamer's default layout of it by up to this
 * factor, because its rows need not be padded and its planes may overlap. */
#define MAX_SAVING 16

void
vh_frame_pool_drop (VhFramePool * self)
{
  if (self->pool)
    gst_buffer_pool_set_active (self->pool, FALSE);
  gst_clear_object (&self->pool);
  gst_clear_structure (&self->config);
}

void
vh_frame_pool_configure (VhFramePool * self, const GstVideoInfo * info)
{
  self->unsure = TRUE;
  self->min_size = info->size / MAX_SAVING;
}

/* Whether @error is about the frame itself, and not about the device. */
static gboolean
is_frame_error (const GError * error)
{
  return g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
      GST_VIDEO_HISTOGRAM_ERROR_FRAME);
}

static gboolean
is_writable (GstBuffer * buffer)
{
  guint i;

  if (!gst_buffer_is_writable (buffer)
      || !gst_buffer_is_all_memory_writable (buffer))
    return FALSE;
  for (i = 0; i < gst_buffer_n_memory (buffer); i++) {
    if (GST_MEMORY_IS_READONLY (gst_buffer_peek_memory (buffer, i)))
      return FALSE;
  }
  return TRUE;
}

/* Adds to @config what downstream asks for: an allocator and video metas. */
static void
ask_downstream (VhBaseTransform * base, GstCaps * caps,
    GstBufferPool * pool, GstStructure * config)
{
  GstQuery *query = gst_query_new_allocation (caps, FALSE);
  GstAllocator *allocator = NULL;
  GstAllocationParams params;

  if (gst_pad_peer_query (GST_BASE_TRANSFORM_SRC_PAD (base), query)) {
    /* Pools of other types have an allocator of their own. */
    if (GST_IS_VIDEO_BUFFER_POOL (pool)
        && gst_query_get_n_allocation_params (query) > 0) {
      gst_query_parse_nth_allocation_param (query, 0, &allocator, &params);
      gst_buffer_pool_config_set_allocator (config, allocator, &params);
      gst_clear_object (&allocator);
    }
    if (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL)
        && gst_buffer_pool_has_option (pool,
            GST_BUFFER_POOL_OPTION_VIDEO_META))
      gst_buffer_pool_config_add_option (config,
          GST_BUFFER_POOL_OPTION_VIDEO_META);
  }
  gst_query_unref (query);
}

/* Whether the pool is still right for frames like @buffer: without new caps,
 * they may come from another device or another context. */
static gboolean
fits (VhFramePool * self, GstBuffer * buffer)
{
  return self->methods->pool_fits (self->object, self->pool, buffer);
}

/* Makes a pool for frames like @buffer, unless the current pool already has the
 * wanted configuration. Downstream's own pool is not used, because upstream may
 * be using it for frames that are changed in place. */
static gboolean
make_pool (VhFramePool * self, GstBuffer * buffer)
{
  GstCaps *caps = vh_base_transform_get_src_caps (self->base);
  GstBufferPool *pool;
  GstStructure *config;
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, caps))
    return FALSE;
  pool = self->methods->new_pool (self->object, buffer, &config);
  gst_buffer_pool_config_set_params (config, caps, info.size, 0, 0);
  ask_downstream (self->base, caps, pool, config);
  self->unsure = FALSE;
  if (self->pool && fits (self, buffer)
      && gst_structure_is_equal (config, self->config)) {
    gst_structure_free (config);
    gst_object_unref (pool);
    return TRUE;
  }

  vh_frame_pool_drop (self);
  self->config = gst_structure_copy (config);
  if (!gst_buffer_pool_set_config (pool, config)
      || !gst_buffer_pool_set_active (pool, TRUE)) {
    GST_WARNING_OBJECT (self->base, "cannot make a buffer pool for %"
        GST_PTR_FORMAT, caps);
    gst_object_unref (pool);
    return FALSE;
  }
  GST_DEBUG_OBJECT (self->base, "new frames come from %" GST_PTR_FORMAT, pool);
  self->pool = pool;
  return TRUE;
}

GstBuffer *
vh_frame_pool_new_frame (VhFramePool * self, GstBuffer * in)
{
  GstBaseTransformClass *klass = GST_BASE_TRANSFORM_GET_CLASS (self->base);
  GstBuffer *out = NULL;

  if ((!self->pool || self->unsure || !fits (self, in))
      && !make_pool (self, in))
    return NULL;
  if (gst_buffer_pool_acquire_buffer (self->pool, &out, NULL) != GST_FLOW_OK)
    return NULL;
  klass->copy_metadata (GST_BASE_TRANSFORM (self->base), in, out);
  return out;
}

static GstBuffer *
process_copy (VhFramePool * self, GstBuffer * in, GError ** error)
{
  GstBuffer *out;

  /* Caps may promise any size: do not allocate a huge frame for a buffer that
   * is far too small to be one. */
  if (gst_buffer_get_size (in) < self->min_size) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_FRAME, "A buffer of %" G_GSIZE_FORMAT
        " bytes is too small for a frame of these caps",
        gst_buffer_get_size (in));
    return NULL;
  }
  out = vh_frame_pool_new_frame (self, in);
  if (!out) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "there is not enough memory for new frames");
  } else if (!self->methods->process (self->object, in, out, error)) {
    gst_clear_buffer (&out);
  }
  return out;
}

GstBuffer *
vh_frame_pool_process (VhFramePool * self, GstBuffer * in,
    gboolean in_place, GError ** error)
{
  GError *local = NULL;
  GstBuffer *out;

  if (in_place && is_writable (in)) {
    if (self->methods->process (self->object, in, in, &local))
      return in;
    /* Planes that lie across several memories, for example, can be read but not
     * written. */
    if (!is_frame_error (local)) {
      g_propagate_error (error, local);
      return NULL;
    }
    g_error_free (local);
  }
  out = process_copy (self, in, error);
  if (out)
    gst_buffer_unref (in);
  return out;
}
