/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes curves from counts, frame after frame, as docs/definitions.md defines
 * them. */
#include "curves.h"
#include "core/channels.h"
#include "core/error.h"

#include <string.h>

struct _VhCpuCurves
{
  /* What the curves are for; if it changes, they start over. */
  guint method, depth, bins, columns, rows, low, high, reference_id;

  /* A frame far from the reference frame is apart until the next frame shows
   * whether it was a flash or a new scene: see vh_curve_advance(). */
  VhCurveState state;
  guint32 *levels;              /* [rows][columns][bins] */
  guint32 *kept;                /* the levels before the last frame, if that is
                                 * apart */
  guint32 *shares;              /* [bins], of the reference frame */
  guint32 *apart;               /* [bins], of the last frame if it is apart */
  guint32 *means;               /* [rows][columns], of the reference frame */
  guint32 *apart_means;         /* likewise, of the last frame if it is apart */

  /* Of the current frame. */
  guint32 *counts;              /* [rows][columns][bins], within the range */
  guint32 *sums;                /* [bins], cumulative, of the whole frame */
  guint32 *new_shares;          /* [bins] */
  guint32 *new_means;           /* [rows][columns] */
  guint32 *targets;             /* [bins] */
};

VhCpuCurves *
vh_cpu_curves_new (void)
{
  return g_new0 (VhCpuCurves, 1);
}

static void
free_arrays (VhCpuCurves * self)
{
  g_clear_pointer (&self->levels, g_free);
  g_clear_pointer (&self->kept, g_free);
  g_clear_pointer (&self->shares, g_free);
  g_clear_pointer (&self->apart, g_free);
  g_clear_pointer (&self->means, g_free);
  g_clear_pointer (&self->apart_means, g_free);
  g_clear_pointer (&self->counts, g_free);
  g_clear_pointer (&self->sums, g_free);
  g_clear_pointer (&self->new_shares, g_free);
  g_clear_pointer (&self->new_means, g_free);
  g_clear_pointer (&self->targets, g_free);
}

void
vh_cpu_curves_free (VhCpuCurves * self)
{
  free_arrays (self);
  g_free (self);
}

void
vh_cpu_curves_reset (VhCpuCurves * self)
{
  self->state = (VhCurveState) { 0, };
}

static gboolean
is_for (const VhCpuCurves * self, const VhEqualizeJob * job)
{
  const VhCurveParams *curve = &job->curve;

  return self->levels && self->method == curve->method
      && self->depth == curve->depth && self->bins == curve->bins
      && self->columns == curve->columns && self->rows == curve->rows
      && self->low == curve->low && self->high == curve->high
      && self->reference_id == job->reference_id;
}

/* Forgets the earlier frames if the curves of @job differ. */
static gboolean
ensure_curves (VhCpuCurves * self, const VhEqualizeJob * job,
    GError ** error)
{
  const VhCurveParams *curve = &job->curve;
  const gsize cells = (gsize) curve->columns * curve->rows;

  if (job->reset)
    vh_cpu_curves_reset (self);
  if (is_for (self, job))
    return TRUE;

  free_arrays (self);
  self->state = (VhCurveState) { 0, };
  self->levels = g_try_new0 (guint32, cells * curve->bins);
  self->kept = g_try_new (guint32, cells * curve->bins);
  self->shares = g_try_new0 (guint32, curve->bins);
  self->apart = g_try_new (guint32, curve->bins);
  self->means = g_new0 (guint32, cells);
  self->apart_means = g_new0 (guint32, cells);
  self->new_means = g_new0 (guint32, cells);
  self->counts = g_try_new (guint32, cells * curve->bins);
  self->sums = g_try_new (guint32, curve->bins);
  self->new_shares = g_try_new (guint32, curve->bins);
  self->targets = g_try_new (guint32, curve->bins);
  if (!self->levels || !self->kept || !self->shares || !self->apart
      || !self->counts || !self->sums || !self->new_shares || !self->targets) {
    free_arrays (self);
    g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "not enough memory "
        "for the curves of "
        "%" G_GSIZE_FORMAT " tiles of %u bins", cells, curve->bins);
    return FALSE;
  }
  self->method = curve->method;
  self->depth = curve->depth;
  self->bins = curve->bins;
  self->columns = curve->columns;
  self->rows = curve->rows;
  self->low = curve->low;
  self->high = curve->high;
  self->reference_id = job->reference_id;
  return TRUE;
}

/* Reads the counts of all tiles; bins beyond black and white count as black and
 * white. */
static gboolean
read_counts (VhCpuCurves * self, VhCounts * counted, GError ** error)
{
  const VhCountsShape *shape = vh_counts_shape (counted);
  guint column, row, b;

  if (!(shape->channels & (1u << VH_CHANNEL_LUMA))
      || shape->bins != self->bins || shape->columns != self->columns
      || shape->rows != self->rows
      || !vh_counts_wait (counted, GST_CLOCK_TIME_NONE)) {
    g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "the frame was not "
        "counted");
    return FALSE;
  }
  for (row = 0; row < self->rows; row++) {
    for (column = 0; column < self->columns; column++) {
      guint32 *counts = self->counts +
          (gsize) (row * self->columns + column) * self->bins;

      memcpy (counts, vh_counts_cell (counted, VH_CHANNEL_LUMA, column, row),
          self->bins * sizeof (*counts));
      for (b = 0; b < self->low; b++) {
        counts[self->low] += counts[b];
        counts[b] = 0;
      }
      for (b = self->high + 1; b < self->bins; b++) {
        counts[self->high] += counts[b];
        counts[b] = 0;
      }
    }
  }
  return TRUE;
}

/* Sums the whole frame. Returns its number of pixels. */
static guint32
sum_frame (VhCpuCurves * self)
{
  const gsize cells = (gsize) self->columns * self->rows;
  guint32 n = 0;
  gsize cell;
  guint b;

  memset (self->sums, 0, self->bins * sizeof (*self->sums));
  for (cell = 0; cell < cells; cell++) {
    for (b = self->low; b <= self->high; b++)
      self->sums[b] += self->counts[cell * self->bins + b];
  }
  for (b = 0; b < self->bins; b++)
    self->sums[b] = n += self->sums[b];
  return n;
}

/* The means of all tiles. */
static void
find_means (VhCpuCurves * self)
{
  const gsize cells = (gsize) self->columns * self->rows;
  gsize cell;
  guint b;

  for (cell = 0; cell < cells; cell++) {
    const guint32 *counts = self->counts + cell * self->bins;
    guint64 sum = 0;
    guint32 n = 0;

    for (b = self->low; b <= self->high; b++) {
      sum += (guint64) counts[b] * b;
      n += counts[b];
    }
    self->new_means[cell] = vh_curve_mean (sum, n, self->bins);
  }
}

static guint32
sum_differences (const guint32 * a, const guint32 * b, gsize n)
{
  guint32 total = 0;
  gsize i;

  for (i = 0; i < n; i++)
    total += a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
  return total;
}

/* The distance between this frame and the one with @shares after adapting the
 * latter to this frame's light. */
static guint32
find_unlit (const VhCpuCurves * self, const VhCurveParams * curve,
    const guint32 * shares)
{
  guint32 light = 0, other_light = 0, total = 0, dimming;
  guint b;

  for (b = 0; b < self->bins; b++) {
    light += vh_curve_light (curve, b, self->new_shares[b]);
    other_light += vh_curve_light (curve, b, shares[b]);
  }
  dimming = vh_curve_dimming (light, other_light);
  for (b = self->low; b < self->bins && vh_curve_is_lit (curve, b); b++) {
    const guint from = vh_curve_dimmed (curve, b, dimming);
    const guint32 lit = from < self->bins ? shares[from] : VH_SHARE_ONE;
    const guint32 share = self->new_shares[b];

    total += share > lit ? share - lit : lit - share;
  }
  return vh_curve_distance (total, self->bins);
}

/* The distance between this frame and the one with @shares and @means of
 * tiles. */
static VhCurveStep
find_step (const VhCpuCurves * self, const VhCurveParams * curve,
    const guint32 * shares, const guint32 * means)
{
  const guint cells = self->columns * self->rows;
  VhCurveStep step = { 0, };

  step.distance = vh_curve_distance (sum_differences (self->new_shares, shares,
          self->bins), self->bins);
  step.changed = cells == 1 ? find_unlit (self, curve, shares) :
      vh_curve_moved (sum_differences (self->new_means, means, cells), cells,
      step.distance);
  return step;
}

/* Makes the frame of @n pixels the next one of the stream. Returns its weight
 * in the curves. */
static guint32
advance_state (VhCpuCurves * self, const VhCurveParams * curve, guint32 n)
{
  const gsize size = (gsize) self->columns * self->rows * self->bins *
      sizeof (guint32);
  const gsize cells = (gsize) self->columns * self->rows;
  VhCurveStep step, step_apart = { 0, };
  VhCurveTurn turn;
  guint b;

  for (b = 0; b < self->bins; b++)
    self->new_shares[b] = vh_curve_share (self->sums[b], n);
  if (cells > 1)
    find_means (self);
  step = find_step (self, curve, self->shares, self->means);
  if (self->state.apart)
    step_apart = find_step (self, curve, self->apart,
        self->apart_means);
  turn = vh_curve_advance (&self->state, curve, step, step_apart);
  memcpy (turn.adopt ? self->shares : self->apart, self->new_shares,
      self->bins * sizeof (guint32));
  memcpy (turn.adopt ? self->means : self->apart_means, self->new_means,
      cells * sizeof (guint32));
  if (turn.keep)
    memcpy (self->kept, self->levels, size);
  if (turn.restore)
    memcpy (self->levels, self->kept, size);
  return turn.share;
}

/* The first bin whose cumulative count reaches @rank. */
static guint
find_rank (const VhCpuCurves * self, guint32 rank)
{
  guint b = 0;

  while (b + 1 < self->bins && self->sums[b] < rank)
    b++;
  return b;
}

static void
aim_equalize (VhCpuCurves * self, const VhCurveParams * curve, guint32 n)
{
  const guint32 darkest = self->sums[find_rank (self, 1)];
  guint b;

  for (b = self->low; b <= self->high; b++)
    self->targets[b] = vh_curve_equalize (curve, self->sums[b], darkest, n);
}

static void
aim_stretch (VhCpuCurves * self, const VhCurveParams * curve, guint32 n)
{
  const guint first = find_rank (self,
      vh_curve_rank (curve->low_percentile, n));
  const guint last = find_rank (self,
      vh_curve_rank (curve->high_percentile, n));
  guint b;

  for (b = self->low; b <= self->high; b++)
    self->targets[b] = vh_curve_stretch (curve, b, first, last);
}

static void
aim_gamma (VhCpuCurves * self, const VhCurveParams * curve, guint32 n)
{
  const guint median = find_rank (self, vh_curve_rank (0x80000000u, n));
  const guint32 exponent = vh_curve_exponent (curve,
      vh_curve_log (curve, median), vh_curve_target_log (curve));
  guint b;

  for (b = self->low; b <= self->high; b++) {
    self->targets[b] = vh_curve_gamma (curve, b, vh_curve_log (curve, b),
        exponent);
  }
}

static void
aim_match (VhCpuCurves * self, const VhReference * reference, guint32 n)
{
  guint candidate = self->low, b;

  for (b = self->low; b <= self->high; b++) {
    while (candidate < self->high && !vh_curve_reaches
        (reference->sums[candidate], reference->n, self->sums[b], n))
      candidate++;
    self->targets[b] = candidate << VH_LEVEL_BITS;
  }
}

static void
aim_clahe (VhCpuCurves * self, const VhCurveParams * curve,
    const guint32 * counts)
{
  const guint shift = vh_curve_tile_shift (curve);
  const guint first = self->low >> shift, last = self->high >> shift;
  guint32 codes[VH_TILE_CODES] = { 0, }, becomes[VH_TILE_CODES + 1];
  guint32 n = 0, clip, clipped = 0, sum = 0;
  guint b, c;

  for (b = self->low; b <= self->high; b++) {
    codes[b >> shift] += counts[b];
    n += counts[b];
  }
  clip = vh_curve_clip (curve, n);
  for (c = first; c <= last; c++)
    clipped += codes[c] > clip ? codes[c] - clip : 0;
  for (c = first; c <= last; c++) {
    sum += MIN (codes[c], clip) + vh_curve_given (curve, c - first, clipped);
    becomes[c] = vh_curve_tile (curve, sum, n);
  }
  becomes[last + 1] = vh_curve_tile_after (curve, becomes[last]);
  for (b = self->low; b <= self->high; b++) {
    self->targets[b] = vh_curve_tile_level (curve, b, becomes[b >> shift],
        becomes[(b >> shift) + 1]);
  }
}

/* Computes the levels of one tile, from @counts, for this frame alone. */
static void
aim (VhCpuCurves * self, const VhEqualizeJob * job, const guint32 * counts,
    guint32 n)
{
  const VhCurveParams *curve = &job->curve;
  guint b;

  if (self->state.constant) {
    for (b = self->low; b <= self->high; b++)
      self->targets[b] = vh_curve_identity (curve, b);
  } else if (self->method == VH_CURVE_EQUALIZE) {
    aim_equalize (self, curve, n);
  } else if (self->method == VH_CURVE_STRETCH) {
    aim_stretch (self, curve, n);
  } else if (self->method == VH_CURVE_GAMMA) {
    aim_gamma (self, curve, n);
  } else if (self->method == VH_CURVE_MATCH) {
    aim_match (self, job->reference, n);
  } else {
    aim_clahe (self, curve, counts);
  }
  for (b = 0; b < self->low; b++)
    self->targets[b] = self->targets[self->low];
  for (b = self->high + 1; b < self->bins; b++)
    self->targets[b] = self->targets[self->high];
}

gboolean
vh_cpu_curves_advance (VhCpuCurves * self, VhCounts * counts,
    const VhEqualizeJob * job, GError ** error)
{
  const gsize cells = (gsize) job->curve.columns * job->curve.rows;
  guint32 n, share;
  gsize cell;
  guint b;

  if (!ensure_curves (self, job, error)
      || !read_counts (self, counts, error))
    return FALSE;

  n = sum_frame (self);
  share = advance_state (self, &job->curve, n);
  /* Constant if the darkest bin in use has all pixels. */
  self->state.constant = self->sums[find_rank (self, 1)] == n;
  for (cell = 0; cell < cells; cell++) {
    guint32 *levels = self->levels + cell * self->bins;

    /* Cells have their own curves only with tiles. */
    if (cell == 0 || self->method == VH_CURVE_CLAHE)
      aim (self, job, self->counts + cell * self->bins, n);
    for (b = 0; b < self->bins; b++)
      levels[b] = vh_curve_smooth (levels[b], self->targets[b], share);
  }
  return TRUE;
}

gboolean
vh_cpu_curves_is_constant (VhCpuCurves * self)
{
  return self->state.constant;
}

const guint32 *
vh_cpu_curves_get_levels (VhCpuCurves * self)
{
  return self->levels;
}
