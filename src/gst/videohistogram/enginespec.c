/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "enginespec.h"
#include "core/channels.h"
#include "core/error.h"
#include "core/methods.h"

/* Few enough for a small picture to fill: with too many bins, chance alone
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

gboolean
vh_spec_describe (const GstVideoHistogramSpec * spec,
    const VhLayout * layout, const VhRect * picture,
    GstVideoHistogramInfo * info)
{
  const VhRect wanted = {
    .x = spec->region_x,
    .y = spec->region_y,
    .width = spec->region_width,
    .height = spec->region_height,
  };
  VhRect region;

  if (!vh_cut_region (&wanted, picture, &region))
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

static gboolean
check_spec (const GstVideoHistogramSpec * spec, GError ** error)
{
  guint64 counters;

  if ((guint) spec->method >= VH_N_METHODS) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "Unknown method %u: see "
        "GstVideoHistogramMethod", spec->method);
    return FALSE;
  }
  if ((guint) spec->joint > GST_VIDEO_HISTOGRAM_JOINT_OTHER
      || spec->joint_bins < 1
      || spec->joint_bins > GST_VIDEO_HISTOGRAM_MAX_JOINT_BINS) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "Joint histogram %u with %u "
        "bins: 1 to %d bins are allowed for each side", spec->joint,
        spec->joint_bins, GST_VIDEO_HISTOGRAM_MAX_JOINT_BINS);
    return FALSE;
  }
  if (spec->channels == 0 || (spec->channels & ~VH_ALL_CHANNELS)
      || spec->bins < 1 || spec->bins > GST_VIDEO_HISTOGRAM_MAX_BINS
      || spec->columns < 1 || spec->columns > GST_VIDEO_HISTOGRAM_MAX_GRID
      || spec->rows < 1 || spec->rows > GST_VIDEO_HISTOGRAM_MAX_GRID) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC,
        "Channels 0x%x, %u bins, grid %ux%u: at least one of the %d channels, "
        "1 to %d bins, and a grid of 1x1 to %dx%d are allowed", spec->channels,
        spec->bins, spec->columns, spec->rows, GST_VIDEO_HISTOGRAM_N_CHANNELS,
        GST_VIDEO_HISTOGRAM_MAX_BINS, GST_VIDEO_HISTOGRAM_MAX_GRID,
        GST_VIDEO_HISTOGRAM_MAX_GRID);
    return FALSE;
  }

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
  if (spec->bins == 0)
    spec->bins = default_bins (layout->depth);
  if (spec->joint_bins == 0)
    spec->joint_bins = DEFAULT_JOINT_BINS;
  return check_spec (spec, error);
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
