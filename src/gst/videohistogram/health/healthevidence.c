/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthevidence.h"
#include "healthluminance.h"
#include "gst/videohistogram/histogram/gstvideohistogram-private.h"
#include "gst/videohistogram/histogram/gstvideohistogramstatistics-private.h"
#include "core/color.h"
#include "zones.h"

#include <math.h>
#include <string.h>

/* Fewer bins give levels that are too coarse. */
#define MIN_BINS 16
#define MIN_CHROMA_BINS 32

/* Cells of smaller grids are too large. */
#define MIN_SIDE 4
#define MIN_ROWS 16

/* Up to BLACK_LEVEL a pixel is black, as in ffmpeg's blackdetect; from
 * BRIGHT_LEVEL on it is bright. */
#define BLACK_LEVEL 0.10
#define BRIGHT_LEVEL 0.90

/* How far chroma may be from neutral and still count as colorless, in 8-bit
 * code values. */
#define NEUTRAL_CODES 3

/* Bins of gradients in steps of 8 bits. */
#define STEPS 256

/* Skips the empty bins at both ends: in a cell, most bins are empty. @luminance
 * may be NULL. */
static void
add_counts (VhHealthMoments * moments, const guint32 * counts, guint bins,
    const guint32 * luminance)
{
  VhHealthMoments here = { 0, };
  guint b = 0;

  while (b < bins && !counts[b])
    b++;
  while (bins > b && !counts[bins - 1])
    bins--;
  for (; b < bins; b++) {
    const guint64 count = counts[b], sum = count * b;

    here.pixels += count;
    here.sum += sum;
    here.squares += sum * b;
    if (luminance)
      here.luminance += count * luminance[b];
  }
  moments->pixels += here.pixels;
  moments->sum += here.sum;
  moments->squares += here.squares;
  moments->luminance += here.luminance;
}

static void
add_moments (VhHealthMoments * moments, const VhHealthMoments * others)
{
  moments->pixels += others->pixels;
  moments->sum += others->sum;
  moments->squares += others->squares;
  moments->luminance += others->luminance;
}

static gdouble
mean_of (const VhHealthMoments * moments)
{
  return moments->pixels ? (gdouble) moments->sum / moments->pixels : 0;
}

static gdouble
mean_square_of (const VhHealthMoments * moments)
{
  return moments->pixels ? (gdouble) moments->squares / moments->pixels : 0;
}

static gdouble
deviation_of (const VhHealthMoments * moments)
{
  const gdouble mean = mean_of (moments);

  return sqrt (MAX (mean_square_of (moments) - mean * mean, 0));
}

guint64
vh_health_evidence_find_ignored (const VhHealthEvidence * evidence)
{
  return evidence->ignored ? vh_health_areas_find_cells (evidence->ignored,
      evidence->columns, evidence->rows) : 0;
}

void
vh_health_evidence_clear (VhHealthEvidence * evidence)
{
  evidence->present = 0;
  evidence->columns = evidence->rows = 0;
  evidence->levels = evidence->textures = evidence->gradients = FALSE;
  evidence->n_frames = evidence->n_corrupted = 0;
}

void
vh_health_scale_clear (VhHealthScale * scale)
{
  g_clear_pointer (&scale->rest, g_free);
  g_clear_pointer (&scale->luminance, g_free);
  memset (scale, 0, sizeof (*scale));
}

void
vh_health_scale_set (VhHealthScale * scale, const GstVideoHistogramInfo * info)
{
  const gboolean limited =
      info->colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235;
  guint b;

  if (scale->luminance && scale->bins == info->bins
      && scale->depth == info->depth && scale->limited == limited
      && scale->transfer == info->colorimetry.transfer)
    return;

  vh_health_scale_clear (scale);
  scale->bins = info->bins;
  scale->depth = info->depth;
  scale->limited = limited;
  scale->transfer = info->colorimetry.transfer;
  scale->black = vh_info_bin_level (info, GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, 0);
  scale->step = vh_info_bin_level (info, GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, 1) -
      scale->black;
  scale->gradient = vh_info_bin_level (info,
      GST_VIDEO_HISTOGRAM_CHANNEL_GRADIENT, 1);
  scale->luminance = g_new (guint32, info->bins);
  scale->rest = g_new (guint32, info->bins);
  for (b = 0; b < info->bins; b++) {
    scale->luminance[b] = 256 * vh_health_luminance (scale->black +
        b * scale->step, scale->transfer) + 0.5;
  }
}

static gboolean
is_grid (guint columns, guint rows)
{
  return columns >= MIN_SIDE && rows >= MIN_SIDE;
}

/* The evidence uses the cells of the first histogram that has enough of them,
 * or else of the first one. Returns whether it uses the cells of @info. */
static gboolean
set_grid (VhHealthEvidence * evidence, const GstVideoHistogramInfo * info)
{
  const guint columns = MIN (info->columns, VH_HEALTH_SIDE);
  const guint rows = MIN (info->rows, VH_HEALTH_SIDE);

  if (!is_grid (evidence->columns, evidence->rows)
      && (evidence->columns == 0 || is_grid (columns, rows))) {
    evidence->columns = columns;
    evidence->rows = rows;
    evidence->levels = evidence->textures = evidence->gradients = FALSE;
  }
  return evidence->columns == columns && evidence->rows == rows;
}

/* Whether @info has the evidence's cells, so that some can be ignored. */
static gboolean
has_place (VhHealthEvidence * evidence, const GstVideoHistogramInfo * info)
{
  return !evidence->ignored
      || (is_grid (MIN (info->columns, VH_HEALTH_SIDE),
          MIN (info->rows, VH_HEALTH_SIDE)) && set_grid (evidence, info));
}

static guint
cell_of (const VhHealthEvidence * evidence, const GstVideoHistogramInfo * info,
    guint column, guint row)
{
  return row * evidence->rows / info->rows * evidence->columns
      + column * evidence->columns / info->columns;
}

static void
set_cell (VhHealthCell * cell, const VhHealthMoments * moments,
    const VhHealthScale * scale)
{
  cell->pixels = moments->pixels;
  cell->level = scale->black + scale->step * mean_of (moments);
  cell->spread = scale->step * deviation_of (moments);
  cell->luminance = moments->pixels ?
      (gdouble) moments->luminance / moments->pixels / 256 : 0;
}

static void
set_cells (VhHealthEvidence * evidence, const VhHealthScale * scale,
    const VhHealthMoments cells[VH_HEALTH_CELLS])
{
  guint i;

  for (i = 0; i < evidence->columns * evidence->rows; i++)
    set_cell (&evidence->cell[i], &cells[i], scale);
  evidence->levels = TRUE;
}

static void
add_to_rest (const VhHealthScale * scale, const guint32 * counts)
{
  guint b;

  for (b = 0; b < scale->bins; b++)
    scale->rest[b] += counts[b];
}

/* Adds up cells and rows of the grid. Returns the moments of the cells that are
 * not ignored; if some are ignored, stores the counts of the others in the
 * scale's @rest. */
static VhHealthMoments
add_cells (VhHealthEvidence * evidence, const VhHealthScale * scale,
    GstVideoHistogram * histogram)
{
  const GstVideoHistogramInfo *info = gst_video_histogram_get_info (histogram);
  const gboolean fill = set_grid (evidence, info) && !evidence->levels;
  const guint64 ignored = vh_health_evidence_find_ignored (evidence);
  VhHealthMoments cells[VH_HEALTH_CELLS] = { {0,} }, whole = { 0, };
  guint column, row;

  if (evidence->ignored)
    memset (scale->rest, 0, scale->bins * sizeof (*scale->rest));
  for (row = 0; row < info->rows; row++) {
    VhHealthMoments band = { 0, };

    for (column = 0; column < info->columns; column++) {
      const guint32 *counts = gst_video_histogram_get_cell_counts (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, column, row, NULL);
      VhHealthMoments here = { 0, };
      VhHealthMoments *const cell = &cells[fill ?
          cell_of (evidence, info, column, row) : 0];

      add_counts (&here, counts, info->bins, scale->luminance);
      add_moments (cell, &here);
      add_moments (&band, &here);
      if (evidence->ignored && VH_HEALTH_HAS_CELL (ignored,
              cell_of (evidence, info, column, row)))
        continue;
      add_moments (&whole, &here);
      if (evidence->ignored)
        add_to_rest (scale, counts);
    }
    if (info->rows >= MIN_ROWS)
      evidence->band[row] = scale->black + scale->step * mean_of (&band);
  }

  if (fill)
    set_cells (evidence, scale, cells);
  return whole;
}

void
vh_health_evidence_add_cells (VhHealthEvidence * evidence,
    const VhHealthScale * scale, const VhHealthMoments cells[VH_HEALTH_CELLS])
{
  evidence->columns = evidence->rows = VH_HEALTH_SIDE;
  set_cells (evidence, scale, cells);
  evidence->present |= GST_VIDEO_HEALTH_EVIDENCE_CELLS;
}

/* Sets shares and percentiles of the cells that are not ignored. */
static void
set_levels (VhHealthEvidence * evidence, const VhHealthScale * scale,
    const guint32 * counts, guint64 pixels)
{
  guint64 black = 0, dark = 0, bright = 0;
  guint b;

  for (b = 0; b < scale->bins; b++) {
    const gdouble level = scale->black + b * scale->step;

    if (level <= BLACK_LEVEL)
      black += counts[b];
    if (level <= VH_HEALTH_DARK_LEVEL)
      dark += counts[b];
    if (level >= BRIGHT_LEVEL)
      bright += counts[b];
  }
  evidence->black = (gdouble) black / pixels;
  evidence->dark = (gdouble) dark / pixels;
  evidence->bright = (gdouble) bright / pixels;
  evidence->contrast = scale->step *
      ((gdouble) vh_percentile_bin (counts, scale->bins, pixels, 99)
      - vh_percentile_bin (counts, scale->bins, pixels, 1));
}

static void
set_weights (VhHealthEvidence * evidence, GstVideoColorMatrix matrix)
{
  const VhLumaWeights weights = vh_luma_weights (matrix);
  const gdouble all = weights.r + weights.g + weights.b;

  evidence->red_weight = weights.r / all;
  evidence->blue_weight = weights.b / all;
}

gboolean
vh_health_evidence_add_luma (VhHealthEvidence * evidence,
    VhHealthScale * scale, GstVideoHistogram * histogram)
{
  const GstVideoHistogramInfo *info = gst_video_histogram_get_info (histogram);
  VhHealthMoments whole;

  if (info->bins < MIN_BINS
      || !gst_video_histogram_get_cell_counts (histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, 0, 0, NULL)
      || !has_place (evidence, info))
    return FALSE;

  vh_health_scale_set (scale, info);
  whole = add_cells (evidence, scale, histogram);
  if (whole.pixels == 0)
    return FALSE;

  if (info->rows >= MIN_ROWS) {
    evidence->n_bands = info->rows;
    evidence->present |= GST_VIDEO_HEALTH_EVIDENCE_ROWS;
  }
  if (evidence->levels && is_grid (evidence->columns, evidence->rows))
    evidence->present |= GST_VIDEO_HEALTH_EVIDENCE_CELLS;
  if (!(evidence->present & GST_VIDEO_HEALTH_EVIDENCE_LUMA)) {
    evidence->level = scale->black + scale->step * mean_of (&whole);
    evidence->spread = scale->step * deviation_of (&whole);
    set_weights (evidence, info->colorimetry.matrix);
    set_levels (evidence, scale, evidence->ignored ? scale->rest :
        gst_video_histogram_get_counts (histogram,
            GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, NULL), whole.pixels);
    evidence->present |= GST_VIDEO_HEALTH_EVIDENCE_LUMA;
  }
  return TRUE;
}

/* Gradients of a cell. */
typedef struct
{
  guint64 all, flat, faint;     /* see VhHealthCell */
} Gradients;

/* Adds a cell of a histogram with @width bins for each step of 8 bits. */
static void
add_gradients (Gradients * cell, const guint32 * counts, guint bins,
    guint width)
{
  guint b;

  for (b = 0; b < bins; b++) {
    cell->all += counts[b];
    if (b < width)
      cell->flat += counts[b];
    else if (b < (VH_FAINT_STEPS + 1) * width)
      cell->faint += counts[b];
  }
}

/* Adds the flat and the faint gradients of the cells, if bins are fine
 * enough. */
static void
add_steps (VhHealthEvidence * evidence, GstVideoHistogram * histogram)
{
  const GstVideoHistogramInfo *info = gst_video_histogram_get_info (histogram);
  Gradients cells[VH_HEALTH_CELLS] = { {0,} };
  guint column, row, i;

  if (info->bins % STEPS != 0)
    return;
  for (row = 0; row < info->rows; row++) {
    for (column = 0; column < info->columns; column++)
      add_gradients (&cells[cell_of (evidence, info, column, row)],
          gst_video_histogram_get_cell_counts (histogram,
              GST_VIDEO_HISTOGRAM_CHANNEL_GRADIENT, column, row, NULL),
          info->bins, info->bins / STEPS);
  }
  for (i = 0; i < evidence->columns * evidence->rows; i++) {
    const gdouble all = MAX (cells[i].all, 1);

    evidence->cell[i].flat = cells[i].flat / all;
    evidence->cell[i].faint = cells[i].faint / all;
  }
  evidence->gradients = TRUE;
}

gboolean
vh_health_evidence_add_gradient (VhHealthEvidence * evidence,
    GstVideoHistogram * histogram)
{
  const guint channel = GST_VIDEO_HISTOGRAM_CHANNEL_GRADIENT;
  const GstVideoHistogramInfo *info = gst_video_histogram_get_info (histogram);
  VhHealthMoments cells[VH_HEALTH_CELLS] = { {0,} }, whole = { 0, }, all;
  const guint32 *counts;
  guint64 ignored;
  gboolean same;
  gdouble step;
  guint column, row, i;

  if (info->bins < MIN_BINS
      || !gst_video_histogram_get_cell_counts (histogram, channel, 0, 0, NULL)
      || !has_place (evidence, info))
    return FALSE;

  step = gst_video_histogram_get_bin_level (histogram, channel, 1);
  same = set_grid (evidence, info);
  ignored = vh_health_evidence_find_ignored (evidence);
  for (row = 0; row < info->rows; row++) {
    for (column = 0; column < info->columns; column++) {
      counts = gst_video_histogram_get_cell_counts (histogram, channel, column,
          row, NULL);
      add_counts (same ? &cells[cell_of (evidence, info, column, row)] :
          &whole, counts, info->bins, NULL);
    }
  }
  all = whole;
  for (i = 0; same && i < evidence->columns * evidence->rows; i++) {
    evidence->cell[i].texture = step * sqrt (mean_square_of (&cells[i]));
    add_moments (&all, &cells[i]);
    if (!VH_HEALTH_HAS_CELL (ignored, i))
      add_moments (&whole, &cells[i]);
  }
  if (whole.pixels == 0)
    return FALSE;

  if (!(evidence->present & GST_VIDEO_HEALTH_EVIDENCE_GRADIENT)) {
    evidence->texture = step * sqrt (mean_square_of (&whole));
    evidence->floor = step * sqrt (mean_square_of (&all));
  }
  if (same)
    add_steps (evidence, histogram);
  evidence->textures |= same;
  evidence->present |= GST_VIDEO_HEALTH_EVIDENCE_GRADIENT;
  return TRUE;
}

/* The full range of U and V in 8-bit code values. */
static gdouble
chroma_range_of (const VhHealthScale * scale)
{
  return scale->luminance && !scale->limited ? 255 : 224;
}

/* U or V in the middle of a bin, -0.5 to 0.5; code 128 is neutral. */
static gdouble
chroma_of (guint bin, guint n, gdouble range)
{
  return ((bin + 0.5) * 256 / n - 0.5 - 128) / range;
}

/* The bin that at least a share of 1 - @part of the samples reaches. */
static guint
find_bin (const guint64 * counts, guint n, guint64 pixels, gdouble part)
{
  guint64 below = 0;
  guint bin;

  for (bin = 0; bin < n - 1; bin++) {
    below += counts[bin];
    if (below > (guint64) (pixels * part))
      break;
  }
  return bin;
}

/* The value that a share of @part of the samples does not reach, between the
 * bounds of its bin, so that it changes as smoothly as the picture. */
static gdouble
find_quantile (const guint64 * counts, guint n, guint64 pixels, gdouble part,
    gdouble range)
{
  const guint bin = find_bin (counts, n, pixels, part);
  gdouble below = 0;
  guint i;

  for (i = 0; i < bin; i++)
    below += counts[i];
  return chroma_of (bin, n, range) + ((part * pixels - below)
      / MAX (counts[bin], 1) - 0.5) * 256 / n / range;
}

static void
set_colors (VhHealthEvidence * evidence, const VhHealthChroma * chroma,
    gdouble range)
{
  const guint64 pixels = chroma->pixels;
  const guint n = chroma->bins;
  gdouble square = 0;
  guint a;

  evidence->u = evidence->v = 0;
  for (a = 0; a < n; a++) {
    const gdouble level = chroma_of (a, n, range);

    evidence->u += level * chroma->u[a] / pixels;
    evidence->v += level * chroma->v[a] / pixels;
    square += level * level * (chroma->u[a] + chroma->v[a]) / pixels;
  }
  evidence->chroma_spread = sqrt (MAX (square - evidence->u * evidence->u
          - evidence->v * evidence->v, 0));
  evidence->least_u = chroma_of (find_bin (chroma->u, n, pixels, 0.1), n,
      range);
  evidence->least_v = chroma_of (find_bin (chroma->v, n, pixels, 0.1), n,
      range);
  for (a = 0; a < VH_HEALTH_QUARTILES; a++)
    evidence->quartile[a] = find_quantile (a < 2 ? chroma->u : chroma->v, n,
        pixels, a % 2 ? 0.75 : 0.25, range);
}

void
vh_health_evidence_set_chroma (VhHealthEvidence * evidence,
    const VhHealthScale * scale, const VhHealthChroma * chroma)
{
  set_colors (evidence, chroma, chroma_range_of (scale));
  evidence->neutral = (gdouble) chroma->neutral / chroma->pixels;
  evidence->present |= GST_VIDEO_HEALTH_EVIDENCE_CHROMA;
}

/* The bin of a code that is at most NEUTRAL_CODES from neutral: the first one
 * with a negative @sign, or the last one. */
#define NEUTRAL_BIN(sign, n) (((128 + (sign) * NEUTRAL_CODES) * (n)) >> 8)

G_STATIC_ASSERT (VH_NEUTRAL_FIRST == NEUTRAL_BIN (-1, VH_CHROMA_BINS));
G_STATIC_ASSERT (VH_NEUTRAL_LAST == NEUTRAL_BIN (1, VH_CHROMA_BINS));
G_STATIC_ASSERT (VH_CHROMA_BINS <= GST_VIDEO_HISTOGRAM_MAX_JOINT_BINS);

/* Returns the counts of a joint histogram, and sets the number of @bins on each
 * side and the sum of the counts. NULL if it is not square, has fewer than
 * @min_bins or is empty. */
static const guint32 *
get_pairs (GstVideoJointHistogram * joint, guint min_bins, guint * bins,
    guint64 * pixels)
{
  guint n, i;
  const guint32 *counts = gst_video_joint_histogram_get_counts (joint, &n);

  *bins = gst_video_joint_histogram_get_n_a (joint);
  *pixels = 0;
  if (!counts || *bins < min_bins
      || *bins != gst_video_joint_histogram_get_n_b (joint))
    return NULL;
  for (i = 0; i < n; i++)
    *pixels += counts[i];
  return *pixels ? counts : NULL;
}

gboolean
vh_health_evidence_add_chroma (VhHealthEvidence * evidence,
    const VhHealthScale * scale, GstVideoJointHistogram * joint)
{
  VhHealthChroma chroma = { 0, };
  guint a, b;
  const guint32 *counts = get_pairs (joint, MIN_CHROMA_BINS, &chroma.bins,
      &chroma.pixels);
  const guint first = NEUTRAL_BIN (-1, chroma.bins);
  const guint last = NEUTRAL_BIN (1, chroma.bins);

  if (!counts)
    return FALSE;
  for (a = 0; a < chroma.bins; a++) {
    for (b = 0; b < chroma.bins; b++) {
      const guint count = counts[a * chroma.bins + b];

      chroma.u[a] += count;
      chroma.v[b] += count;
      if (MIN (a, b) >= first && MAX (a, b) <= last)
        chroma.neutral += count;
    }
  }
  vh_health_evidence_set_chroma (evidence, scale, &chroma);
  return TRUE;
}

gboolean
vh_health_evidence_add_previous (VhHealthEvidence * evidence,
    const VhHealthScale * scale, GstVideoJointHistogram * joint)
{
  gdouble luminance[GST_VIDEO_HISTOGRAM_MAX_JOINT_BINS];
  guint64 pixels, risen = 0, fallen = 0;
  guint n, a, b;
  const guint32 *counts = get_pairs (joint, MIN_BINS, &n, &pixels);

  if (!counts || !scale->luminance)
    return FALSE;
  for (a = 0; a < n; a++)
    luminance[a] = scale->luminance[(guint64) a * scale->bins / n] / 256.0;
  for (a = 0; a < n; a++) {
    for (b = 0; b < n; b++) {
      if (counts[a * n + b] && vh_health_is_step (luminance[a], luminance[b])) {
        if (b > a)
          risen += counts[a * n + b];
        else
          fallen += counts[a * n + b];
      }
    }
  }
  evidence->risen = (gdouble) risen / pixels;
  evidence->fallen = (gdouble) fallen / pixels;
  evidence->present |= GST_VIDEO_HEALTH_EVIDENCE_PREVIOUS;
  return TRUE;
}

gboolean
vh_health_evidence_add_kept (VhHealthEvidence * evidence,
    GstVideoJointHistogram * joint)
{
  guint64 pixels, sum = 0;
  guint n, a, b;
  const guint32 *counts = get_pairs (joint, MIN_BINS, &n, &pixels);

  if (!counts)
    return FALSE;
  for (a = 0; a < n; a++) {
    for (b = 0; b < n; b++)
      sum += (guint64) counts[a * n + b] * (a > b ? a - b : b - a);
  }
  return vh_health_evidence_add_difference (evidence,
      (gdouble) sum / pixels / n);
}

gboolean
vh_health_evidence_add_difference (VhHealthEvidence * evidence,
    gdouble difference)
{
  /* Also rejects NaN. */
  if (!(difference >= 0 && difference <= 1))
    return FALSE;
  evidence->difference = difference;
  evidence->present |= GST_VIDEO_HEALTH_EVIDENCE_DIFFERENCE;
  return TRUE;
}

void
vh_health_evidence_add_corrupted (VhHealthEvidence * evidence,
    gboolean corrupted)
{
  evidence->n_frames++;
  evidence->n_corrupted += corrupted ? 1 : 0;
  evidence->present |= GST_VIDEO_HEALTH_EVIDENCE_CORRUPTED;
}
