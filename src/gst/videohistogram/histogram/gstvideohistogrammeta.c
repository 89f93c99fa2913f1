/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/videohistogram/gstvideohistogrammeta.h"
#include "gstvideohistogrammeta-private.h"
#include "histogramserialize.h"
#include "initialized.h"

static void
forget_measured (GstVideoHistogramMeta * meta)
{
  memset (meta->_memory, 0, sizeof (meta->_memory));
}

static gboolean
video_histogram_meta_init (GstMeta * meta, gpointer params, GstBuffer * buffer)
{
  GstVideoHistogramMeta *self = (GstVideoHistogramMeta *) meta;

  (void) params;
  (void) buffer;
  self->histogram = NULL;
  forget_measured (self);
  return TRUE;
}

static void
video_histogram_meta_free (GstMeta * meta, GstBuffer * buffer)
{
  GstVideoHistogramMeta *self = (GstVideoHistogramMeta *) meta;

  (void) buffer;
  gst_clear_video_histogram (&self->histogram);
}

static gboolean
holds_memory (GstBuffer * buffer, gconstpointer memory)
{
  const guint n = gst_buffer_n_memory (buffer);
  guint i;

  for (i = 0; i < n; i++) {
    if (gst_buffer_peek_memory (buffer, i) == memory)
      return TRUE;
  }
  return FALSE;
}

/* The histogram describes the measured frame, so it stays true whatever happens
 * to the pixels later. If @dest does not share the measured memory, the meta
 * forgets its location, because another memory may get that address once it is
 * freed. */
static gboolean
video_histogram_meta_transform (GstBuffer * dest, GstMeta * meta,
    GstBuffer * buffer, GQuark type, gpointer data)
{
  GstVideoHistogramMeta *self = (GstVideoHistogramMeta *) meta;
  GstVideoHistogramMeta *copy;
  guint p;

  (void) buffer;
  (void) type;
  (void) data;
  copy = gst_buffer_add_video_histogram_meta (dest, self->histogram);
  if (!copy)
    return FALSE;
  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    if (!self->_memory[p] || !holds_memory (dest, self->_memory[p]))
      continue;
    copy->_memory[p] = self->_memory[p];
    copy->_offset[p] = self->_offset[p];
    copy->_stride[p] = self->_stride[p];
  }
  copy->_x = self->_x;
  copy->_y = self->_y;
  return TRUE;
}

#if GST_CHECK_VERSION (1, 24, 0)
static gboolean
video_histogram_meta_serialize (const GstMeta * meta,
    GstByteArrayInterface * data, guint8 * version)
{
  GstVideoHistogram *histogram =
      ((const GstVideoHistogramMeta *) meta)->histogram;
  const gsize size = vh_histogram_serialized_size (histogram);
  guint8 *bytes;

  if (size == 0)
    return FALSE;
  bytes = gst_byte_array_interface_append (data, size);
  if (!bytes)
    return FALSE;

  vh_histogram_serialize (histogram, bytes);
  *version = VH_SERIALIZE_VERSION;
  return TRUE;
}

static GstMeta *
video_histogram_meta_deserialize (const GstMetaInfo * info, GstBuffer * buffer,
    const guint8 * data, gsize size, guint8 version)
{
  GstVideoHistogram *histogram = vh_histogram_deserialize (data, size, version);
  GstVideoHistogramMeta *meta;

  (void) info;
  if (!histogram)
    return NULL;

  meta = gst_buffer_add_video_histogram_meta (buffer, histogram);
  gst_video_histogram_unref (histogram);
  return (GstMeta *) meta;
}
#endif

static const GstMetaInfo *
register_meta (void)
{
#if GST_CHECK_VERSION (1, 24, 0)
  GstMetaInfo *info = gst_meta_info_new (GST_VIDEO_HISTOGRAM_META_API_TYPE,
      "GstVideoHistogramMeta", sizeof (GstVideoHistogramMeta));

  info->init_func = video_histogram_meta_init;
  info->free_func = video_histogram_meta_free;
  info->transform_func = video_histogram_meta_transform;
  info->serialize_func = video_histogram_meta_serialize;
  info->deserialize_func = video_histogram_meta_deserialize;
  return gst_meta_info_register (info);
#else
  return gst_meta_register (GST_VIDEO_HISTOGRAM_META_API_TYPE,
      "GstVideoHistogramMeta", sizeof (GstVideoHistogramMeta),
      video_histogram_meta_init, video_histogram_meta_free,
      video_histogram_meta_transform);
#endif
}

/**
 * gst_video_histogram_meta_api_get_type: (skip)
 *
 * Returns the type of the meta API, to request it in ALLOCATION queries. May
 * be called from any thread.
 *
 * Returns: the #GType of the meta API
 *
 * Since: 0.1
 */
GType
gst_video_histogram_meta_api_get_type (void)
{
  static const gchar *tags[] = { GST_META_TAG_VIDEO_STR, NULL };
  static GType type = 0;

  if (g_once_init_enter (&type)) {
    GType new_type =
        gst_meta_api_type_register ("GstVideoHistogramMetaAPI", tags);

    g_once_init_leave (&type, new_type);
  }
  return type;
}

/**
 * gst_video_histogram_meta_get_info: (skip)
 *
 * Returns the #GstMetaInfo of #GstVideoHistogramMeta. The first call registers
 * it with GStreamer. May be called from any thread.
 *
 * Returns: (transfer none): the #GstMetaInfo
 *
 * Since: 0.1
 */
const GstMetaInfo *
gst_video_histogram_meta_get_info (void)
{
  static const GstMetaInfo *info = NULL;

  vh_return_val_unless_initialized (NULL, NULL);

  if (g_once_init_enter ((GstMetaInfo **) & info)) {
    const GstMetaInfo *new_info = register_meta ();

    g_once_init_leave ((GstMetaInfo **) & info, (GstMetaInfo *) new_info);
  }
  return info;
}

/**
 * gst_buffer_add_video_histogram_meta:
 * @buffer: a writable #GstBuffer
 * @histogram: (transfer none): the histogram to attach, complete or pending
 *
 * Attaches a histogram to the buffer that it was counted from. The meta takes
 * its own reference to @histogram.
 *
 * Returns: (transfer none): the new #GstVideoHistogramMeta, owned by @buffer
 *
 * Since: 0.1
 */
GstVideoHistogramMeta *
gst_buffer_add_video_histogram_meta (GstBuffer * buffer,
    GstVideoHistogram * histogram)
{
  GstVideoHistogramMeta *meta;

  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram), NULL);

  meta = (GstVideoHistogramMeta *) gst_buffer_add_meta (buffer,
      GST_VIDEO_HISTOGRAM_META_INFO, NULL);
  if (meta)
    meta->histogram = gst_video_histogram_ref (histogram);
  return meta;
}

/**
 * gst_buffer_get_video_histogram_meta:
 * @buffer: a #GstBuffer
 *
 * Finds the first #GstVideoHistogramMeta of a buffer.
 *
 * Returns: (transfer none) (nullable): the #GstVideoHistogramMeta, owned by
 *     @buffer, or %NULL if there is none
 *
 * Since: 0.1
 */
GstVideoHistogramMeta *
gst_buffer_get_video_histogram_meta (GstBuffer * buffer)
{
  vh_return_val_unless_initialized (NULL, NULL);
  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);

  return (GstVideoHistogramMeta *) gst_buffer_get_meta (buffer,
      GST_VIDEO_HISTOGRAM_META_API_TYPE);
}

/* Where @plane begins in the allocation of its memory. */
static gsize
find_offset (const VhPlane * plane)
{
  return plane->memory->offset + plane->memory_offset;
}

void
vh_meta_set_measured (GstVideoHistogramMeta * meta, const VhFrameView * view)
{
  guint p;

  forget_measured (meta);
  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    const VhPlane *plane = &view->plane[p];

    if (!(view->planes & (1u << p)) || !plane->memory)
      continue;
    meta->_memory[p] = plane->memory;
    meta->_offset[p] = find_offset (plane);
    meta->_stride[p] = plane->stride;
  }
  meta->_x = view->picture.x;
  meta->_y = view->picture.y;
}

gboolean
vh_meta_is_measured (const GstVideoHistogramMeta * meta,
    const VhFrameView * view, guint planes)
{
  guint p;

  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    const VhPlane *plane = &view->plane[p];

    if ((planes & (1u << p)) && (!plane->memory
            || meta->_memory[p] != plane->memory
            || meta->_offset[p] != find_offset (plane)
            || meta->_stride[p] != plane->stride))
      return FALSE;
  }
  return meta->_x == view->picture.x && meta->_y == view->picture.y;
}

void
vh_metas_forget_measured (GstBuffer * buffer)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_VIDEO_HISTOGRAM_META_API_TYPE)))
    forget_measured ((GstVideoHistogramMeta *) meta);
}
