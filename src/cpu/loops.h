/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pixel loops of the CPU. They work on runs of pixels, in three
 * steps: fetch samples from a row, convert them to the channel, count them.
 * Samples of 8 bits travel in arrays of guint8, deeper ones in arrays of
 * guint16.
 *
 * loops.c is compiled once per instruction set, and the best table that the
 * machine can run is chosen at run time. */
#pragma once

#include "core/color.h"
#include "core/correction.h"
#include "core/scope.h"
#include "codecounter.h"
#include "fetch.h"

G_BEGIN_DECLS

/* Steps before counting, on arrays of guint8 or of guint16. */
typedef struct
{
  /* Fetches the samples of @n pixels from pixel @x. @row is where the
   * component's first sample of the row lies. */
  void (*fetch) (gpointer samples, const guint8 * row, gsize x, gsize n,
      const VhFetch * fetch);

  /* Luma of @n pixels of R, G, B. */
  void (*luma) (gpointer luma, gconstpointer const rgb[3], gsize n,
      const VhLumaWeights * weights);

  /* R, G, B of @n pixels of Y, U, V. */
  void (*rgb) (gpointer const rgb[3], gconstpointer const yuv[3], gsize n,
      const VhYuvToRgb * coefficients);

  /* `|luma[i + 1] - luma[i]|` for each of @n pixels. */
  void (*gradient) (gpointer gradients, gconstpointer luma, gsize n);
} VhSampleOps;

#define VH_MAX_COUNTERS 2

/* Steps of correcting, on arrays of guint8 or of guint16, with the arithmetic
 * of curve.h. Output and input may be the same array. */
typedef struct
{
  /* Writes @n samples into a row from its own sample @x on, and leaves the
   * other bits of their words. @row is where the component's first sample of
   * the row lies; the w_sub of @fetch does not matter. */
  void (*store) (guint8 * row, gconstpointer samples, gsize x, gsize n,
      const VhFetch * fetch);

  /* `table[code]` of @n codes. */
  void (*map) (gpointer corrected, gconstpointer codes, gsize n,
      gconstpointer table);

  /* Joins the tables of four tiles (upper left, upper right, lower left, lower
   * right), of @n_codes each, to the input of tiles: VH_QUAD_SAMPLES samples
   * for each code. */
  void (*join) (gpointer quad, gconstpointer const tables[4], gsize n_codes);

  /* Corrects @n codes of a row between four tiles: @x is how near each pixel is
   * to the right ones, @y how near the row is to the lower ones. */
  void (*tiles) (gpointer corrected, gconstpointer codes, gsize n,
      gconstpointer quad, const float *x, float y);

  /* Moves @n codes towards @corrected. */
  void (*blend) (gpointer blended, gconstpointer codes, gconstpointer corrected,
      gsize n, guint32 strength);

  /* Adds each 2^@w_sub of @n codes to one of @sums. @n is a multiple of
   * 2^@w_sub, or less. */
  void (*sum) (guint32 * sums, gconstpointer codes, gsize n, guint w_sub);

  /* Scales @n samples of U and V by the change of luma: @before and @after are
   * sums over the @pixels of each sample. */
  void (*chroma) (gpointer u, gpointer v, const guint32 * before,
      const guint32 * after, gsize n, guint pixels, const VhEqualizeJob * job);

  /* Makes R, G and B of @n pixels follow luma, except for VH_COLOR_CHANNELS. */
  void (*rgb) (gpointer const rgb[3], gconstpointer before,
      gconstpointer after, gsize n, const VhEqualizeJob * job);
} VhCorrectOps;

#define VH_QUAD_SAMPLES 4

typedef struct
{
  VhCorrectOps ops8, ops16;

  /* Writes byte i of @n pixels of @pixel_stride from @bytes[i]; bytes with NULL
   * there stay. FALSE if it does not support such pixels; then nothing was
   * written. */
  gboolean (*interleave8) (guint8 * row, const guint8 * const bytes[4],
      gsize n, gsize pixel_stride);

  /* Codes with more bits than levels. */

  /* A table of 2^depth codes from the levels of one curve. */
  void (*expand) (guint16 * table, const guint32 * levels,
      const VhCurveParams * curve);

  /* Joins the levels of four tiles into @quad, of 4 levels for each bin and one
   * bin more. */
  void (*join_levels) (guint32 * quad, const guint32 * const levels[4],
      gsize n_bins);

  /* Like tiles above. */
  void (*tiles_levels) (guint16 * corrected, const guint16 * codes, gsize n,
      const guint32 * quad, const float *x, float y,
      const VhCurveParams * curve);
} VhCorrectLoops;

/* A sample of a row, and the column of a waveform that it counts for. */
typedef struct
{
  guint32 x, column;
} VhScopePlace;

/* A column of samples: where it counts, and the row from which on its level has
 * been the same, which is not counted yet. */
typedef struct
{
  guint32 column, since;
} VhScopeRun;

/* Steps of scopes, on arrays of guint8 or of guint16, with the arithmetic of
 * traces.h. */
typedef struct
{
  /* U (@i is 0) or V of @n pixels of R, G, B. */
  void (*chroma) (gpointer chroma, gconstpointer const rgb[3], gsize n, guint i,
      const VhScopeColors * colors);

  /* Adds 1 in row `code >> @shift` of @table, whose rows are @stride apart, for
   * each of @n codes: at the code's place, or at its column. */
  void (*count) (guint32 * table, gsize stride, gconstpointer codes, gsize n,
      guint shift);
  void (*count_at) (guint32 * table, gsize stride, gconstpointer codes,
      const VhScopePlace * places, gsize n, guint shift);

  /* Ends the runs of those of @n codes whose levels are not those @before, in
   * the row above @row: adds the rows that they have had. Returns how many
   * there are. NULL where it would take longer than to count each code. */
  gsize (*count_changes) (guint32 * table, gsize stride, gconstpointer before,
      gconstpointer codes, VhScopeRun * runs, gsize n, guint32 row,
      guint shift);

  /* Ends all runs before @row; @codes are those of the row above. */
  void (*end_runs) (guint32 * table, gsize stride, gconstpointer codes,
      VhScopeRun * runs, gsize n, guint32 row, guint shift);

  /* Blends pixels of panels, as R, G, B and opacity, over @n @codes of
   * @component; or sums of them, over codes that @pixels pixels share. */
  void (*blend) (gpointer codes, const guint8 * const parts[4], gsize n,
      guint pixels, guint component, const VhScopeColors * colors);
  void (*blend_sums) (gpointer codes, const guint32 * const parts[4], gsize n,
      guint pixels, guint component, const VhScopeColors * colors);
} VhScopeOps;

/* Cells are counts, or floats that are shown. */
typedef struct
{
  VhScopeOps ops8, ops16;

  /* What is shown of @n counts: at first, and with what was shown before. */
  void (*show) (gfloat * shown, const guint32 * counts, gsize n);
  void (*persist) (gfloat * shown, const guint32 * counts, gsize n,
      gfloat decay);

  /* The greater ones of @most and of @n cells. */
  void (*merge) (guint32 * most, const guint32 * cells, gsize n);

  /* Notes that each of @n columns has a count at @level, if it has. */
  void (*extend) (guint32 * least, guint32 * most, const guint32 * counts,
      gsize n, guint32 level);

  /* The brightness of @n cells, by a table of VH_SCOPE_STEPS; @few has that of
   * counts below 255. */
  void (*lighten) (guint8 * brightness, const gfloat * shown, gsize n,
      const guint8 * table);
  void (*lighten_counts) (guint8 * brightness, const guint32 * counts, gsize n,
      const guint8 * few, const guint8 * table);

  /* Full brightness of columns whose @least or @most is in [@from, @end). */
  void (*mark) (guint8 * brightness, const guint32 * least,
      const guint32 * most, gsize n, guint32 from, guint32 end);

  /* The brightness of row @y, from the bottom, of bars. */
  void (*bars) (guint8 * brightness, const guint32 * bar, const guint32 * peak,
      gsize n, guint32 y, guint32 full);

  /* Adds light to @n pixels: R, G, B and opacity. */
  void (*add) (guint8 * const pixels[4], const guint8 * brightness, gsize n,
      const guint32 color[3]);
} VhScopeLoops;

typedef struct
{
  const gchar *name;
  VhSampleOps ops8, ops16;
  const VhCorrectLoops *correction;
  const VhScopeLoops *scope;

  /* Reads byte i of @n pixels of @pixel_stride into @bytes[i], except for
   * bytes with NULL there. FALSE if it does not support such pixels; then
   * nothing was read. */
  gboolean (*deinterleave8) (guint8 * const bytes[4], const guint8 * row,
      gsize n, gsize pixel_stride);

  /* Bins `(sample * bins) >> depth` of @n samples, for up to 256 and for more
   * bins. */
  void (*bins8) (guint8 * indices, const guint16 * samples, gsize n, guint bins,
      guint depth);
  void (*bins16) (guint16 * indices, const guint16 * samples, gsize n,
      guint bins, guint depth);

  /* Bins `(code * bins) >> 8` of @n samples of 8 bits, for up to 256 bins. */
  void (*bins_of_codes) (guint8 * indices, const guint8 * codes, gsize n,
      guint bins);

  /* One number of two bins: `a * bins + b`. */
  void (*pairs16) (guint16 * indices, const guint8 * a, const guint8 * b,
      gsize n, guint bins);

  /* The sum of `|a - b|` of @n samples of 8 and of 16 bits. */
  guint64 (*difference8) (const guint8 * a, const guint8 * b, gsize n);
  guint64 (*difference16) (const guint16 * a, const guint16 * b, gsize n);

  /* By rising min_samples. */
  const VhCodeCounter *counters[VH_MAX_COUNTERS];

  /* Adds 1 in one of @tables for each of @indices. They may all be the same
   * table; different tables do not wait for each other's last store. */
  void (*count16) (guint32 * const tables[4], const guint16 * indices, gsize n);

  /* The same, faster where neighbours are mostly equal. */
  void (*count_pairs16) (guint32 * const tables[4], const guint16 * pairs,
      gsize n);
} VhLoops;

/* The tables that this machine can run, best first, in an array that ends with
 * NULL. */
const VhLoops *const *vh_loops_list (void);

G_END_DECLS
