/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/videohistogram/gstvideohistogramdistance.h"
#include "initialized.h"

#include <float.h>
#include <math.h>

/* Counts of a channel; divided by their sum if normalised. */
typedef struct
{
  const guint32 *counts;
  gdouble sum;
} Side;

static gdouble
share (const Side * side, guint bin)
{
  return side->counts[bin] / side->sum;
}

static gdouble
earth_mover (const Side * a, const Side * b, guint bins)
{
  gdouble carried = 0, work = 0;
  guint i;

  for (i = 0; i < bins; i++) {
    carried += share (a, i) - share (b, i);
    work += fabs (carried);
  }
  return work / bins;
}

static gdouble
correlation (const Side * a, const Side * b, guint bins)
{
  const gdouble mean = 1.0 / bins;
  gdouble ab = 0, aa = 0, bb = 0;
  guint i;

  for (i = 0; i < bins; i++) {
    const gdouble da = share (a, i) - mean, db = share (b, i) - mean;

    ab += da * db;
    aa += da * da;
    bb += db * db;
  }
  /* A flat histogram has no variance; OpenCV counts that as equal. */
  return aa * bb > DBL_EPSILON * DBL_EPSILON ? ab / sqrt (aa * bb) : 1;
}

static gdouble
chi_square (const Side * a, const Side * b, guint bins)
{
  gdouble sum = 0;
  guint i;

  for (i = 0; i < bins; i++) {
    const gdouble d = share (a, i) - share (b, i);

    if (a->counts[i])
      sum += d * d / share (a, i);
  }
  return sum;
}

static gdouble
chi_square_alt (const Side * a, const Side * b, guint bins)
{
  gdouble sum = 0;
  guint i;

  for (i = 0; i < bins; i++) {
    const gdouble d = share (a, i) - share (b, i);

    if (a->counts[i] || b->counts[i])
      sum += 2 * d * d / (share (a, i) + share (b, i));
  }
  return sum;
}

static gdouble
intersection (const Side * a, const Side * b, guint bins)
{
  gdouble sum = 0;
  guint i;

  for (i = 0; i < bins; i++)
    sum += MIN (share (a, i), share (b, i));
  return sum;
}

static gdouble
bhattacharyya (const Side * a, const Side * b, guint bins)
{
  gdouble sum = 0;
  guint i;

  for (i = 0; i < bins; i++)
    sum += sqrt (share (a, i) * share (b, i));
  return sqrt (MAX (1 - sum, 0));
}

static gdouble
kullback_leibler (const Side * a, const Side * b, guint bins)
{
  gdouble sum = 0;
  guint i;

  for (i = 0; i < bins; i++) {
    const gdouble p = share (a, i);
    const gdouble q = b->counts[i] ? share (b, i) : 1e-10;

    if (a->counts[i])
      sum += p * log (p / q);
  }
  return sum;
}

static gdouble (*const functions[]) (const Side * a, const Side * b,
    guint bins) = {
  [GST_VIDEO_HISTOGRAM_DISTANCE_EARTH_MOVER] = earth_mover,
  [GST_VIDEO_HISTOGRAM_DISTANCE_CORRELATION] = correlation,
  [GST_VIDEO_HISTOGRAM_DISTANCE_CHI_SQUARE] = chi_square,
  [GST_VIDEO_HISTOGRAM_DISTANCE_CHI_SQUARE_ALT] = chi_square_alt,
  [GST_VIDEO_HISTOGRAM_DISTANCE_INTERSECTION] = intersection,
  [GST_VIDEO_HISTOGRAM_DISTANCE_BHATTACHARYYA] = bhattacharyya,
  [GST_VIDEO_HISTOGRAM_DISTANCE_KULLBACK_LEIBLER] = kullback_leibler,
};

static gboolean
get_side (Side * side, GstVideoHistogram * histogram,
    GstVideoHistogramChannel channel)
{
  side->counts = gst_video_histogram_get_counts (histogram, channel, NULL);
  side->sum = 0;
  if (side->counts) {
    const guint bins = gst_video_histogram_get_info (histogram)->bins;
    guint i;

    for (i = 0; i < bins; i++)
      side->sum += side->counts[i];
  }
  return side->sum > 0;
}

/**
 * gst_video_histogram_distance:
 * @a: a #GstVideoHistogram
 * @b: a #GstVideoHistogram with the same number of bins
 * @channel: the channel to compare
 * @distance: how to compare
 * @result: (out): the distance; #GstVideoHistogramDistance gives its range
 *
 * Compares the counts of a channel, over all cells, in two histograms. The
 * counts of each are divided by their sum first, so the frames may differ in
 * size. Waits for pending histograms. May be called from any thread.
 *
 * Returns: %TRUE, or %FALSE if a histogram does not have @channel or any
 *     pixel, the numbers of bins differ or counting failed
 *
 * Since: 0.1
 */
gboolean
gst_video_histogram_distance (GstVideoHistogram * a, GstVideoHistogram * b,
    GstVideoHistogramChannel channel, GstVideoHistogramDistance distance,
    gdouble * result)
{
  Side side_a, side_b;
  guint bins;

  vh_return_val_unless_initialized (NULL, FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (a), FALSE);
  g_return_val_if_fail (GST_IS_VIDEO_HISTOGRAM (b), FALSE);
  g_return_val_if_fail ((guint) channel < GST_VIDEO_HISTOGRAM_N_CHANNELS,
      FALSE);
  g_return_val_if_fail ((guint) distance < G_N_ELEMENTS (functions), FALSE);
  g_return_val_if_fail (result != NULL, FALSE);

  bins = gst_video_histogram_get_info (a)->bins;
  if (bins != gst_video_histogram_get_info (b)->bins
      || !get_side (&side_a, a, channel) || !get_side (&side_b, b, channel))
    return FALSE;

  *result = functions[distance] (&side_a, &side_b, bins);
  return TRUE;
}
