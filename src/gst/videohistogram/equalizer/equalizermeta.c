/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "equalizermeta.h"
#include "gst/videohistogram/gstvideohistogrammeta.h"
#include "gst/videohistogram/histogram/gstvideohistogrammeta-private.h"
#include "core/channels.h"

/* Whether @counted equals @wanted, except for its times. */
static gboolean
is_counted_as (const GstVideoHistogramInfo * counted,
    const GstVideoHistogramInfo * wanted)
{
  return counted->format == wanted->format && counted->depth == wanted->depth
      && counted->width == wanted->width && counted->height == wanted->height
      && counted->region_x == wanted->region_x
      && counted->region_y == wanted->region_y
      && counted->region_width == wanted->region_width
      && counted->region_height == wanted->region_height
      && gst_video_colorimetry_is_equal (&counted->colorimetry,
      &wanted->colorimetry)
      && counted->matrix == wanted->matrix
      && (counted->channels & GST_VIDEO_HISTOGRAM_CHANNELS_LUMA)
      && counted->bins == wanted->bins && counted->columns == wanted->columns
      && counted->rows == wanted->rows;
}

/* The CPU uses complete histograms; a GPU uses the histograms that it counted
 * itself, which may be pending. */
static gboolean
is_usable (GstVideoHistogram * histogram, VhWhere where)
{
  const GstVideoHistogramState state = gst_video_histogram_get_state
      (histogram);

  if (where == VH_ON_CPU)
    return state == GST_VIDEO_HISTOGRAM_STATE_COMPLETE;
  return state != GST_VIDEO_HISTOGRAM_STATE_FAILED
      && g_strcmp0 (gst_video_histogram_get_backend (histogram),
      vh_where_name (where)) == 0;
}

GstVideoHistogram *
vh_equalizer_find_histogram (const VhFrameView * view, VhWhere where,
    const GstVideoHistogramInfo * wanted)
{
  const guint planes = vh_channels_planes (view->layout, 1u << VH_CHANNEL_LUMA);
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (view->buffer, &state,
              GST_VIDEO_HISTOGRAM_META_API_TYPE))) {
    GstVideoHistogramMeta *own = (GstVideoHistogramMeta *) meta;
    GstVideoHistogram *histogram = own->histogram;

    if (is_counted_as (gst_video_histogram_get_info (histogram), wanted)
        && vh_meta_is_measured (own, view, planes)
        && is_usable (histogram, where))
      return gst_video_histogram_ref (histogram);
  }
  return NULL;
}
