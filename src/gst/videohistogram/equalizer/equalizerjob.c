/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "equalizerjob.h"
#include "gst/videohistogram/engine/enginespec.h"
#include "gst/videohistogram/histogram/settingscheck.h"

#include <math.h>

#define FIELD(kind, field, name, least, most) \
    {name, G_STRUCT_OFFSET (GstVideoEqualizerSettings, field), \
        VH_FIELD_##kind, least, most, NULL}
#define CHOICE(field, name, type) \
    {name, G_STRUCT_OFFSET (GstVideoEqualizerSettings, field), \
        VH_FIELD_CHOICE, 0, 0, type}

static const VhField fields[] = {
  CHOICE (method, "method", gst_video_equalize_method_get_type),
  CHOICE (color, "color", gst_video_equalize_color_get_type),
  FIELD (NUMBER, strength, "strength", 0, 1),
  FIELD (NUMBER, low_percentile, "low-percentile", 0, 100),
  FIELD (NUMBER, high_percentile, "high-percentile", 0, 100),
  FIELD (NUMBER, max_gain, "max-gain", 1, 100),
  FIELD (NUMBER, target, "target", 0, 1),
  FIELD (NUMBER, clip_limit, "clip-limit", 0, 1000),
  FIELD (COUNT, tile_columns, "columns of tiles", 1,
      GST_VIDEO_EQUALIZER_MAX_TILES),
  FIELD (COUNT, tile_rows, "rows of tiles", 1, GST_VIDEO_EQUALIZER_MAX_TILES),
  FIELD (TIME, smoothing, "smoothing", 0, GST_VIDEO_EQUALIZER_MAX_SMOOTHING),
  FIELD (NUMBER, scene_threshold, "scene-threshold", 0, 1),
  FIELD (COUNT, region_x, "region-x", 0, G_MAXINT),
  FIELD (COUNT, region_y, "region-y", 0, G_MAXINT),
  FIELD (COUNT, region_width, "region-width", 0, G_MAXINT),
  FIELD (COUNT, region_height, "region-height", 0, G_MAXINT),
};

gboolean
vh_equalizer_check_settings (const GstVideoEqualizerSettings * settings,
    GError ** error)
{
  return vh_check_settings (settings, fields, G_N_ELEMENTS (fields), error);
}

/* Converts @number, at least 0, to fixed point, with 1.0 as @one. */
static guint32
fixed_point (gdouble number, guint32 one)
{
  return (guint32) rint (number * one);
}

/* Converts a percentile, 0 to 100, to a fraction of 2^32. It is rounded down,
 * so that a percentile that is exactly a whole number of pixels has that number
 * as its rank. */
static guint32
fixed_percentile (gdouble percentile)
{
  return MIN (percentile / 100 * 4294967296.0, 4294967295.0);
}

void
vh_equalizer_get_range (GstVideoColorRange range, guint depth, guint * black,
    guint * white)
{
  const gboolean limited = range == GST_VIDEO_COLOR_RANGE_16_235;

  *black = limited ? 16 << (depth - 8) : 0;
  *white = limited ? 235 << (depth - 8) : (1 << depth) - 1;
}

gboolean
vh_equalizer_make_job (const GstVideoEqualizerSettings * settings,
    const VhLayout * layout, const VhRect * picture, VhEqualizeJob * job)
{
  const gboolean tiles = settings->method == GST_VIDEO_EQUALIZE_METHOD_CLAHE;
  const guint depth = layout->depth;
  const guint bin_shift = depth > VH_CURVE_DEPTH ? depth - VH_CURVE_DEPTH : 0;
  const VhRect wanted = {
    .x = settings->region_x,
    .y = settings->region_y,
    .width = settings->region_width,
    .height = settings->region_height,
  };
  guint black, white;
  VhRect region;

  if (!vh_cut_region (&wanted, picture, &region))
    return FALSE;
  vh_equalizer_get_range (layout->colorimetry.range, depth, &black, &white);
  *job = (VhEqualizeJob) {
    .curve = {
      .method = settings->method,
      .depth = depth,
      .bins = 1u << (depth - bin_shift),
      .low = black >> bin_shift,
      .high = white >> bin_shift,
      .columns = tiles ? MIN (settings->tile_columns, region.width) : 1,
      .rows = tiles ? MIN (settings->tile_rows, region.height) : 1,
      .share = VH_SHARE_ONE,
      .scene_threshold = fixed_point (settings->scene_threshold, VH_SHARE_ONE),
      .strength = fixed_point (settings->strength, VH_SHARE_ONE),
      .low_percentile = fixed_percentile (settings->low_percentile),
      .high_percentile = fixed_percentile (settings->high_percentile),
      .max_gain = fixed_point (settings->max_gain, VH_LEVEL_ONE),
      .target = fixed_point (settings->target, VH_SHARE_ONE),
      .clip_limit = settings->clip_limit,
    },
    .color = settings->color,
    .region = region,
    .edges = vh_equalize_edges (&region, picture->width, picture->height),
    .black = black,
    .white = white,
    .chroma_limit = black > 0 ? 112 << (depth - 8) : (1 << (depth - 1)) - 1,
  };
  return TRUE;
}

gboolean
vh_equalizer_corrects (const VhEqualizeJob * job)
{
  return job->curve.method != VH_CURVE_NONE && job->curve.strength > 0
      && (job->curve.method != VH_CURVE_MATCH || job->reference);
}

GstVideoHistogramInfo
vh_equalizer_describe (const VhLayout * layout, const VhRect * picture,
    const VhEqualizeJob * job)
{
  return (GstVideoHistogramInfo) {
    .format = GST_VIDEO_INFO_FORMAT (&layout->info),
    .depth = layout->depth,
    .width = picture->width,
    .height = picture->height,
    .region_x = job->region.x,
    .region_y = job->region.y,
    .region_width = job->region.width,
    .region_height = job->region.height,
    .colorimetry = layout->colorimetry,
    .matrix = layout->matrix,
    .channels = GST_VIDEO_HISTOGRAM_CHANNELS_LUMA,
    .bins = job->curve.bins,
    .columns = job->curve.columns,
    .rows = job->curve.rows,
    .timestamp = GST_CLOCK_TIME_NONE,
    .stream_time = GST_CLOCK_TIME_NONE,
    .running_time = GST_CLOCK_TIME_NONE,
    .duration = GST_CLOCK_TIME_NONE,
  };
}

guint32
vh_equalizer_share (GstClockTime step, GstClockTime smoothing)
{
  if (smoothing == 0)
    return VH_SHARE_ONE;
  /* A share of 0 would freeze the curve. */
  return MAX (1, fixed_point (-expm1 (-(gdouble) step / smoothing),
          VH_SHARE_ONE));
}
