/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/videohistogram/gstvideohistogramstatistics.h"
#include "types.h"
#include "gstvideohistogram-private.h"
#include "gstvideohistogramstatistics-private.h"

#include <math.h>

/**
 * gst_video_histogram_statistics_new:
 *
 * Creates statistics with all fields 0. May be called from any thread.
 *
 * Returns: (transfer full): a new #GstVideoHistogramStatistics; free it with
 *     gst_video_histogram_statistics_free()
 *
 * Since: 0.2
 */

/**
 * gst_video_histogram_statistics_copy:
 * @statistics: a #GstVideoHistogramStatistics
 *
 * Copies statistics. May be called from any thread.
 *
 * Returns: (transfer full): a copy of @statistics; free it with
 *     gst_video_histogram_statistics_free()
 *
 * Since: 0.2
 */

/**
 * gst_video_histogram_statistics_free: (skip)
 * @statistics: (transfer full) (nullable): a #GstVideoHistogramStatistics from
 *     gst_video_histogram_statistics_new() or
 *     gst_video_histogram_statistics_copy()
 *
 * Frees statistics. Does nothing if @statistics is %NULL.
 *
 * Since: 0.2
 */
VH_DEFINE_STRUCT_TYPE (GstVideoHistogramStatistics,
    gst_video_histogram_statistics, (void));

/* The bins that hold the black and the white of a range. */
typedef struct
{
  guint black, white;
} Limits;

/* RGB that was converted from YUV is full range, whatever the range of the
 * YUV. */
static gboolean
is_limited (const GstVideoHistogramInfo * info,
    GstVideoHistogramChannel channel)
{
  const GstVideoFormatInfo *finfo = gst_video_format_get_info (info->format);

  if (channel != GST_VIDEO_HISTOGRAM_CHANNEL_LUMA
      && channel != GST_VIDEO_HISTOGRAM_CHANNEL_GRADIENT
      && !GST_VIDEO_FORMAT_INFO_IS_RGB (finfo))
    return FALSE;
  return info->colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235;
}

static guint
bin_of (const GstVideoHistogramInfo * info, guint code)
{
  return ((guint64) code * info->bins) >> info->depth;
}

static Limits
get_limits (const GstVideoHistogramInfo * info,
    GstVideoHistogramChannel channel)
{
  /* A difference of levels: from 0 to the difference of black and white. */
  if (channel == GST_VIDEO_HISTOGRAM_CHANNEL_GRADIENT) {
    return (Limits) {
      .black = 0,
      .white = bin_of (info, is_limited (info, channel) ?
          219 << (info->depth - 8) : (1 << info->depth) - 1),
    };
  }
  if (is_limited (info, channel)) {
    return (Limits) {
      .black = bin_of (info, 16 << (info->depth - 8)),
      .white = bin_of (info, 235 << (info->depth - 8)),
    };
  }
  return (Limits) {
    .black = 0,
    .white = bin_of (info, (1 << info->depth) - 1),
  };
}

static gdouble
level_of (const Limits * limits, gdouble bin)
{
  if (limits->white == limits->black)
    return 0;
  return (bin - limits->black) / (limits->white - limits->black);
}

static void
compute (const GstVideoHistogramInfo * info, GstVideoHistogramChannel channel,
    const guint32 * counts, GstVideoHistogramStatistics * stats)
{
  const Limits limits = get_limits (info, channel);
  guint64 low = 0, high = 0;
  gdouble sum = 0, squares = 0, mean;
  guint first = 0, last = 0, b;

  memset (stats, 0, sizeof (*stats));
  for (b = 0; b < info->bins; b++) {
    if (counts[b] == 0)
      continue;
    if (stats->pixels == 0)
      first = b;
    last = b;
    stats->pixels += counts[b];
    sum += (gdouble) b *counts[b];
    if (b <= limits.black)
      low += counts[b];
    if (b >= limits.white)
      high += counts[b];
  }
  if (stats->pixels == 0)
    return;

  /* Sums squares around the mean, because a difference of large squares would
   * be inaccurate. */
  mean = sum / stats->pixels;
  for (b = first; b <= last; b++) {
    const gdouble share = (gdouble) counts[b] / stats->pixels;

    if (counts[b] == 0)
      continue;
    squares += share * (b - mean) * (b - mean);
    stats->entropy -= share * log2 (share);
  }

  stats->average = level_of (&limits, mean);
  stats->variance = limits.white == limits.black ? 0 :
      squares / ((gdouble) (limits.white - limits.black) *
      (limits.white - limits.black));
  stats->min = level_of (&limits, first);
  stats->max = level_of (&limits, last);
  stats->median = level_of (&limits,
      vh_percentile_bin (counts, info->bins, stats->pixels, 50));
  stats->p1 = level_of (&limits,
      vh_percentile_bin (counts, info->bins, stats->pixels, 1));
  stats->p99 = level_of (&limits,
      vh_percentile_bin (counts, info->bins, stats->pixels, 99));
  /* A single value gives -0.0. */
  stats->entropy = fabs (stats->entropy);
  stats->clipped_low = (gdouble) low / stats->pixels;
  stats->clipped_high = (gdouble) high / stats->pixels;
}

/**
 * gst_video_histogram_get_statistics:
 * @histogram: a #GstVideoHistogram
 * @channel: the channel
 * @statistics: (out caller-allocates): the #GstVideoHistogramStatistics to
 *     fill in
 *
 * Computes the statistics of a channel over all cells. Waits if @histogram is
 * pending. May be called from any thread.
 *
 * Returns: %TRUE, or %FALSE if @channel was not counted or counting failed
 *
 * Since: 0.1
 */
gboolean
gst_video_histogram_get_statistics (GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel, GstVideoHistogramStatistics * statistics)
{
  const guint32 *counts;

  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram), FALSE);
  g_return_val_if_fail ((guint) channel < GST_VIDEO_HISTOGRAM_N_CHANNELS,
      FALSE);
  g_return_val_if_fail (statistics != NULL, FALSE);

  counts = gst_video_histogram_get_counts (histogram, channel, NULL);
  if (!counts)
    return FALSE;

  compute (gst_video_histogram_get_info (histogram), channel, counts,
      statistics);
  return TRUE;
}

/**
 * gst_video_histogram_get_cell_statistics:
 * @histogram: a #GstVideoHistogram
 * @channel: the channel
 * @column: column of the cell
 * @row: row of the cell
 * @statistics: (out caller-allocates): the #GstVideoHistogramStatistics to
 *     fill in
 *
 * Computes the statistics of a channel in one cell of the grid. Waits if
 * @histogram is pending. May be called from any thread.
 *
 * Returns: %TRUE, or %FALSE if @channel was not counted, the cell does not
 *     exist or counting failed
 *
 * Since: 0.1
 */
gboolean
gst_video_histogram_get_cell_statistics (GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel, guint column, guint row,
    GstVideoHistogramStatistics * statistics)
{
  const guint32 *counts;

  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram), FALSE);
  g_return_val_if_fail ((guint) channel < GST_VIDEO_HISTOGRAM_N_CHANNELS,
      FALSE);
  g_return_val_if_fail (statistics != NULL, FALSE);

  counts = gst_video_histogram_get_cell_counts (histogram, channel, column, row,
      NULL);
  if (!counts)
    return FALSE;

  compute (gst_video_histogram_get_info (histogram), channel, counts,
      statistics);
  return TRUE;
}

/**
 * gst_video_histogram_get_percentile_bin:
 * @histogram: a #GstVideoHistogram
 * @channel: the channel
 * @percentile: the percentile, 0 to 100; 50 is the median
 *
 * Returns the bin of a percentile by nearest rank: the first bin with a
 * cumulative count of at least `ceil (percentile * pixels / 100)`. For 0 it is
 * the first bin that is not empty. Waits if @histogram is pending. May be
 * called from any thread.
 *
 * Returns: the bin, or -1 if @channel was not counted or has no pixels, or
 *     counting failed
 *
 * Since: 0.1
 */
gint
gst_video_histogram_get_percentile_bin (GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel, gdouble percentile)
{
  const guint32 *counts;
  guint64 pixels = 0;
  guint bins, b;

  vh_return_val_unless_initialized (NULL, -1);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (histogram), -1);
  g_return_val_if_fail ((guint) channel < GST_VIDEO_HISTOGRAM_N_CHANNELS, -1);
  g_return_val_if_fail (percentile >= 0 && percentile <= 100, -1);

  counts = gst_video_histogram_get_counts (histogram, channel, &bins);
  for (b = 0; b < bins; b++)
    pixels += counts[b];
  return pixels > 0 ?
      (gint) vh_percentile_bin (counts, bins, pixels, percentile) : -1;
}

gdouble
vh_info_bin_level (const GstVideoHistogramInfo * info,
    GstVideoHistogramChannel channel, guint bin)
{
  const Limits limits = get_limits (info, channel);

  return level_of (&limits, bin);
}

/**
 * gst_video_histogram_get_bin_level:
 * @histogram: a #GstVideoHistogram
 * @channel: the channel
 * @bin: a bin of @channel
 *
 * Converts a bin to a level. The bin that contains black of the range has the
 * level 0.0, the bin that contains white has 1.0, and all others lie on a
 * straight line through these two. Never waits. May be called from any thread.
 *
 * Returns: the level
 *
 * Since: 0.1
 */
gdouble
gst_video_histogram_get_bin_level (GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel, guint bin)
{
  const GstVideoHistogramInfo *info = gst_video_histogram_get_info (histogram);

  vh_return_val_unless_initialized (NULL, 0);
  g_return_val_if_fail (info != NULL, 0);
  g_return_val_if_fail ((guint) channel < GST_VIDEO_HISTOGRAM_N_CHANNELS, 0);

  return vh_info_bin_level (info, channel, bin);
}
