/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pixel loops of the CPU. They work on runs of pixels, in three
 * steps: fetch samples from a row, convert them to the channel, count them.
 * Samples of 8 bits are in arrays of guint8, deeper ones in arrays of
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
  /* Fetches the samples of @n pixels from pixel @x on. @row points to the
   * component's first sample in the row. */
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
  /* Writes @n samples into a row, from the component's own sample @x on, and
   * leaves the other bits of their words unchanged. @row points to the
   * component's first sample in the row; @fetch's w_sub is not used. */
  void (*store) (guint8 * row, gconstpointer samples, gsize x, gsize n,
      const VhFetch * fetch);

  /* `table[code]` of @n codes. */
  void (*map) (gpointer corrected, gconstpointer codes, gsize n,
      gconstpointer table);

  /* Joins the tables of four tiles (upper left, upper right, lower left, lower
   * right), of @n_codes each, into the input of tiles(): VH_QUAD_SAMPLES
   * samples for each code. */
  void (*join) (gpointer quad, gconstpointer const tables[4], gsize n_codes);

  /* Corrects @n codes of a row between four tiles: @x is how near each pixel is
   * to the right ones, @y how near the row is to the lower ones. */
  void (*tiles) (gpointer corrected, gconstpointer codes, gsize n,
      gconstpointer quad, const float *x, float y);

  /* Moves @n codes towards @corrected. */
  void (*blend) (gpointer blended, gconstpointer codes, gconstpointer corrected,
      gsize n, guint32 strength);

  /* Adds each group of 2^@w_sub codes to one of @sums. @n is a multiple of
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

  /* Writes byte i of @n pixels of @pixel_stride from @bytes[i], or leaves it if
   * that is NULL. FALSE if it does not support such pixels; then nothing was
   * written. */
  gboolean (*interleave8) (guint8 * row, const guint8 * const bytes[4],
      gsize n, gsize pixel_stride);

  /* For codes with more bits than levels. */

  /* A table of 2^depth codes from the levels of one curve. */
  void (*expand) (guint16 * table, const guint32 * levels,
      const VhCurveParams * curve);

  /* Joins the levels of four tiles into @quad, which has 4 levels for each bin,
   * and for one bin more. */
  void (*join_levels) (guint32 * quad, const guint32 * const levels[4],
      gsize n_bins);

  /* Like tiles above. */
  void (*tiles_levels) (guint16 * corrected, const guint16 * codes, gsize n,
      const guint32 * quad, const float *x, float y,
      const VhCurveParams * curve);
} VhCorrectLoops;

/* Sums over pixels of luma. */
typedef struct
{
  guint64 squares;              /* of bins of gradients */
  guint64 gradients;            /* as in VH_CELL_GRADIENTS */
  guint64 risen, fallen;        /* pixels that changed by a step */
  guint64 changes;              /* squares of the changes of levels */
} VhLumaSums;

/* A sample of a row, and the column of the waveform that counts it. */
typedef struct
{
  guint32 x, column;
} VhScopePlace;

/* A column of samples: where it is counted, and the row since which its level
 * has not changed; that run is not counted yet. */
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

  /* For each of @n codes, adds 1 to row `code >> @shift` of @table, whose rows
   * are @stride apart: in column i for code i, or in the columns that @places
   * gives. */
  void (*count) (guint32 * table, gsize stride, gconstpointer codes, gsize n,
      guint shift);
  void (*count_at) (guint32 * table, gsize stride, gconstpointer codes,
      const VhScopePlace * places, gsize n, guint shift);

  /* Ends the run of each of @n codes whose level differs from the level in
   * @before, the row above @row: adds the length of the runs. Returns how many
   * ended. NULL if counting each code is faster. */
  gsize (*count_changes) (guint32 * table, gsize stride, gconstpointer before,
      gconstpointer codes, VhScopeRun * runs, gsize n, guint32 row,
      guint shift);

  /* Ends all runs before @row; @codes are from the row above it. */
  void (*end_runs) (guint32 * table, gsize stride, gconstpointer codes,
      VhScopeRun * runs, gsize n, guint32 row, guint shift);

  /* Blends pixels of panels, as R, G, B and opacity, over @n @codes of
   * @component; if @pixels pixels share a code, @parts are sums over them. */
  void (*blend) (gpointer codes, const guint8 * const parts[4], gsize n,
      guint pixels, guint component, const VhScopeColors * colors);
  void (*blend_sums) (gpointer codes, const guint32 * const parts[4], gsize n,
      guint pixels, guint component, const VhScopeColors * colors);
} VhScopeOps;

/* Cells are either counts or the floats that are shown. */
typedef struct
{
  VhScopeOps ops8, ops16;

  /* Both compute what to show of @n counts: show() for a first frame,
   * persist() as the maximum of each count and what is left of @shown. */
  void (*show) (gfloat * shown, const guint32 * counts, gsize n);
  void (*persist) (gfloat * shown, const guint32 * counts, gsize n,
      gfloat decay);

  /* Stores the maximum of @most and of @n cells in @most. */
  void (*merge) (guint32 * most, const guint32 * cells, gsize n);

  /* Extends the range of each of @n columns by @level if it has a count
   * there. */
  void (*extend) (guint32 * least, guint32 * most, const guint32 * counts,
      gsize n, guint32 level);

  /* Looks up the brightness of @n cells in a table of VH_SCOPE_STEPS; @few has
   * the brightness of counts below 255. */
  void (*lighten) (guint8 * brightness, const gfloat * shown, gsize n,
      const guint8 * table);
  void (*lighten_counts) (guint8 * brightness, const guint32 * counts, gsize n,
      const guint8 * few, const guint8 * table);

  /* Sets columns with @least or @most in [@from, @end) to full brightness. */
  void (*mark) (guint8 * brightness, const guint32 * least,
      const guint32 * most, gsize n, guint32 from, guint32 end);

  /* Computes the brightness of row @y of bars, counted from the bottom. */
  void (*bars) (guint8 * brightness, const guint32 * bar, const guint32 * peak,
      gsize n, guint32 y, guint32 full);

  /* Adds light to R, G, B and opacity of @n pixels. */
  void (*add) (guint8 * const pixels[4], const guint8 * brightness, gsize n,
      const guint32 color[3]);
} VhScopeLoops;

typedef struct
{
  const gchar *name;
  VhSampleOps ops8, ops16;
  const VhCorrectLoops *correction;
  const VhScopeLoops *scope;

  /* Reads byte i of @n pixels of @pixel_stride into @bytes[i], unless that is
   * NULL. FALSE if it does not support such pixels; then nothing was read. */
  gboolean (*deinterleave8) (guint8 * const bytes[4], const guint8 * row,
      gsize n, gsize pixel_stride);

  /* Computes bins `(sample * bins) >> depth` of @n samples: bins8() for up to
   * 256 bins, bins16() for more. */
  void (*bins8) (guint8 * indices, const guint16 * samples, gsize n, guint bins,
      guint depth);
  void (*bins16) (guint16 * indices, const guint16 * samples, gsize n,
      guint bins, guint depth);

  /* Computes bins `(code * bins) >> 8` of @n 8-bit samples, for up to 256
   * bins. */
  void (*bins_of_codes) (guint8 * indices, const guint8 * codes, gsize n,
      guint bins);

  /* Combines two bins into one number: `a * bins + b`. */
  void (*pairs16) (guint16 * indices, const guint8 * a, const guint8 * b,
      gsize n, guint bins);

  /* The same for adjacent pairs of 8-bit samples; if @swapped, the second of
   * each pair is a. */
  void (*pairs_of_codes) (guint16 * indices, const guint8 * codes, gsize n,
      guint bins, gboolean swapped);

  /* The sum of `|a - b|` of @n samples of 8 and of 16 bits; copies @a, too. */
  guint64 (*difference8) (guint8 * copy, const guint8 * a, const guint8 * b,
      gsize n);
  guint64 (*difference16) (guint16 * copy, const guint16 * a,
      const guint16 * b, gsize n);

  /* Adds @n codes of 8-bit luma to @sums, and each to the sum of its column.
   * The first @n_gradients have a gradient to the next one. With @steps (see
   * VhMetering), also counts changes since @last. Stores the levels in
   * @last. */
  void (*meter8) (VhLumaSums * sums, const guint8 * luma, gsize n,
      gsize n_gradients, guint16 * columns, guint8 * last,
      const guint8 * steps);

  /* The same in parts: the sum of the squares of @n bins of up to 12 bits, the
   * gradients in steps of 8 bits, the changes between levels, and the sums of
   * columns. */
  guint64 (*squares16) (const guint16 * bins, gsize n);
  guint64 (*gradients) (const guint8 * steps, gsize n);
  void (*steps) (VhLumaSums * sums, const guint8 * before,
      const guint8 * after, gsize n, const guint8 * steps);
  void (*columns16) (guint32 * columns, const guint16 * bins, gsize n);

  /* The sum of @n numbers. */
  guint64 (*sum16) (const guint16 * numbers, gsize n);

  /* In ascending order of min_samples. */
  const VhCodeCounter *counters[VH_MAX_COUNTERS];

  /* Adds 1 to one of @tables for each of @indices. The tables may be one and
   * the same; different tables do not wait for each other's last store. */
  void (*count16) (guint32 * const tables[4], const guint16 * indices, gsize n);

  /* The same, faster if neighbours are mostly equal. */
  void (*count_pairs16) (guint32 * const tables[4], const guint16 * pairs,
      gsize n);
} VhLoops;

G_END_DECLS
