/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "enginespec.h"
#include "gst/videohistogram/histogram/settingscheck.h"
#include "core/error.h"

/* Few enough bins for a small picture to fill: with too many, chance alone
 * causes mutual information. */
#define DEFAULT_JOINT_BINS 64

gboolean
vh_cut_region (const VhRect * wanted, const VhRect * picture, VhRect * region)
{
  if (wanted->x >= picture->width || wanted->y >= picture->height)
    return FALSE;

  region->x = wanted->x;
  region->y = wanted->y;
  region->width = picture->width - region->x;
  region->height = picture->height - region->y;
  if (wanted->width > 0)
    region->width = MIN (wanted->width, region->width);
  if (wanted->height > 0)
    region->height = MIN (wanted->height, region->height);
  return TRUE;
}

static gboolean
cut_region_of (const GstVideoHistogramSpec * spec, const VhRect * picture,
    VhRect * region)
{
  const VhRect wanted = {
    .x = spec->region_x,
    .y = spec->region_y,
    .width = spec->region_width,
    .height = spec->region_height,
  };

  return vh_cut_region (&wanted, picture, region);
}

gsize
vh_spec_pixels (const GstVideoHistogramSpec * spec, const VhLayout * layout)
{
  const VhRect picture = {
    .width = GST_VIDEO_INFO_WIDTH (&layout->info),
    .height = GST_VIDEO_INFO_FIELD_HEIGHT (&layout->info),
  };
  VhRect region;

  return cut_region_of (spec, &picture, &region) ?
      (gsize) region.width * region.height : 0;
}

gboolean
vh_spec_describe (const GstVideoHistogramSpec * spec,
    const VhLayout * layout, const VhRect * picture,
    GstVideoHistogramInfo * info)
{
  VhRect region;

  if (!cut_region_of (spec, picture, &region))
    return FALSE;

  *info = (GstVideoHistogramInfo) {
    .format = GST_VIDEO_INFO_FORMAT (&layout->info),
    .depth = layout->depth,
    .width = picture->width,
    .height = picture->height,
    .region_x = region.x,
    .region_y = region.y,
    .region_width = region.width,
    .region_height = region.height,
    .colorimetry = layout->colorimetry,
    .matrix = layout->matrix,
    .channels = spec->channels,
    .bins = spec->bins,
    .columns = spec->columns,
    .rows = spec->rows,
    .timestamp = GST_CLOCK_TIME_NONE,
    .stream_time = GST_CLOCK_TIME_NONE,
    .running_time = GST_CLOCK_TIME_NONE,
    .duration = GST_CLOCK_TIME_NONE,
  };
  return TRUE;
}

static guint
default_bins (guint depth)
{
  if (depth <= 8)
    return 256;
  return depth <= 10 ? 1024 : 4096;
}

#define FIELD(field, name, least, most) \
    {name, G_STRUCT_OFFSET (GstVideoHistogramSpec, field), VH_FIELD_COUNT, \
        least, most, NULL}
#define CHOICE(field, type) \
    {#field, G_STRUCT_OFFSET (GstVideoHistogramSpec, field), VH_FIELD_CHOICE, \
        0, 0, type}

static const VhField fields[] = {
  CHOICE (channels, gst_video_histogram_channels_get_type),
  FIELD (bins, "bins", 0, GST_VIDEO_HISTOGRAM_MAX_BINS),
  FIELD (columns, "columns", 1, GST_VIDEO_HISTOGRAM_MAX_GRID),
  FIELD (rows, "rows", 1, GST_VIDEO_HISTOGRAM_MAX_GRID),
  FIELD (region_x, "region-x", 0, G_MAXINT),
  FIELD (region_y, "region-y", 0, G_MAXINT),
  FIELD (region_width, "region-width", 0, G_MAXINT),
  FIELD (region_height, "region-height", 0, G_MAXINT),
  CHOICE (method, gst_video_histogram_method_get_type),
  CHOICE (joint, gst_video_histogram_joint_get_type),
  FIELD (joint_bins, "joint-bins", 0, GST_VIDEO_HISTOGRAM_MAX_JOINT_BINS),
};

/* Too many counters are a separate error, because each field may be valid. */
static gboolean
check_counters (const GstVideoHistogramSpec * spec, GError ** error)
{
  guint64 counters;

  counters = (guint64) __builtin_popcount (spec->channels) * spec->bins *
      spec->columns * spec->rows;
  if (counters > GST_VIDEO_HISTOGRAM_MAX_COUNTERS) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC,
        "%u bins in a grid of %ux%u for these channels are %" G_GUINT64_FORMAT
        " counters; at most %" G_GUINT64_FORMAT " are allowed: use fewer bins, "
        "cells or channels", spec->bins, spec->columns, spec->rows, counters,
        GST_VIDEO_HISTOGRAM_MAX_COUNTERS);
    return FALSE;
  }
  return TRUE;
}

gboolean
vh_spec_complete (GstVideoHistogramSpec * spec, const VhLayout * layout,
    GError ** error)
{
  if (!vh_check_settings (spec, fields, G_N_ELEMENTS (fields), error))
    return FALSE;
  if (spec->channels == 0) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "channels is 0, but must be "
        "at least one channel, such as luma, which "
        "gst_video_histogram_spec_init() sets");
    return FALSE;
  }
  if (spec->bins == 0)
    spec->bins = default_bins (layout->depth);
  if (spec->joint_bins == 0)
    spec->joint_bins = DEFAULT_JOINT_BINS;
  return check_counters (spec, error);
}

VhCountSpec
vh_spec_counted (const GstVideoHistogramSpec * spec)
{
  return (VhCountSpec) {
    .shape = {
      .channels = spec->channels,
      .bins = spec->bins,
      .columns = spec->columns,
      .rows = spec->rows,
    },
    .method = spec->method,
  };
}
