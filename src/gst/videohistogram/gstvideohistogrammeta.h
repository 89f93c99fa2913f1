/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/gstvideohistogram.h>

G_BEGIN_DECLS

typedef struct _GstVideoHistogramMeta GstVideoHistogramMeta;

/**
 * GstVideoHistogramMeta:
 * @meta: parent
 * @histogram: the histogram of the buffer, complete or pending
 *
 * Carries a histogram with the buffer that it was counted from.
 *
 * The meta has the API tag `video` only, so copies, scalers and converters
 * keep it. The pixels of a buffer may therefore differ from the pixels that
 * were counted: the histogram's #GstVideoHistogramInfo describes what was
 * counted.
 *
 * As with every #GstMeta, a buffer must be writable to add one. The histogram
 * may be read from any thread.
 *
 * Since: 0.1
 */
struct _GstVideoHistogramMeta
{
  GstMeta meta;

  GstVideoHistogram *histogram;

  /*< private >*/
  /* Where the counted planes lay: only for comparison, because the memories may
   * be gone. */
  gpointer _memory[GST_VIDEO_MAX_PLANES];
  gsize _offset[GST_VIDEO_MAX_PLANES];
  gsize _stride[GST_VIDEO_MAX_PLANES];
  guint _x, _y;
};

/**
 * GST_VIDEO_HISTOGRAM_META_API_TYPE:
 *
 * The #GType of the meta API, to request it in an ALLOCATION query.
 *
 * Since: 0.1
 */
#define GST_VIDEO_HISTOGRAM_META_API_TYPE \
    (gst_video_histogram_meta_api_get_type ())
/**
 * GST_VIDEO_HISTOGRAM_META_INFO:
 *
 * The #GstMetaInfo of #GstVideoHistogramMeta.
 *
 * Since: 0.1
 */
#define GST_VIDEO_HISTOGRAM_META_INFO (gst_video_histogram_meta_get_info ())

GST_VIDEO_HISTOGRAM_API
GType gst_video_histogram_meta_api_get_type (void);

GST_VIDEO_HISTOGRAM_API
const GstMetaInfo *gst_video_histogram_meta_get_info (void);

GST_VIDEO_HISTOGRAM_API
GstVideoHistogramMeta *gst_buffer_add_video_histogram_meta (GstBuffer * buffer,
    GstVideoHistogram * histogram);

GST_VIDEO_HISTOGRAM_API
GstVideoHistogramMeta *gst_buffer_get_video_histogram_meta (GstBuffer * buffer);

G_END_DECLS
