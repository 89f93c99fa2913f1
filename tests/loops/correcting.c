/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of the loops that correct. */
#include "check.h"

#define MAX_SUB 2               /* log2 of the horizontal chroma subsampling */

static const VhCorrectOps *
get_ops (const VhLoops * loops, guint bytes)
{
  return bytes == 1 ? &loops->correction->ops8 : &loops->correction->ops16;
}

static guint32
draw_strength (Check * check)
{
  switch (check_between (check, 0, 3)) {
    case 0:
      return 0;
    case 1:
      return VH_SHARE_ONE;
    default:
      return check_between (check, 1, VH_SHARE_ONE - 1);
  }
}

/* Weights for blending with the next tile. */
static float
draw_nearness (Check * check)
{
  return check_between (check, 0, (1 << 24) - 1) / (float) (1 << 24);
}

static const float *
draw_nearnesses (Check * check, gsize n)
{
  float *x = check_array (check, n * sizeof (*x));
  gsize i;

  for (i = 0; i < n; i++)
    x[i] = draw_nearness (check);
  return x;
}

static guint32 *
draw_levels (Check * check, gsize n)
{
  guint32 *levels = check_array (check, n * sizeof (*levels));
  gsize i;

  for (i = 0; i < n; i++)
    levels[i] = check_between (check, 0, (VH_CURVE_MAX_BINS - 1)
        << VH_LEVEL_BITS);
  return levels;
}

/* Storing */

static void
store (Check * check)
{
  const VhFetch how = check_fetch (check);
  const gsize x = check_between (check, 0, 40);
  const gsize n = check_pixels (check);
  const gsize size = n > 0 ? (x + n - 1) * how.pixel_stride +
      how.sample_bytes : 0;
  gconstpointer samples = check_codes (check, n, __builtin_popcount (how.mask),
      check->bytes);
  gconstpointer before = check_array (check, size);
  const VhLoops *loops;

  while ((loops = check_next (check))) {
    guint8 *row = check_copy (check, before, size);

    get_ops (loops, check->bytes)->store (row, samples, x, n, &how);
    check_result (check, row, size);
  }
}

static void
interleave8 (Check * check)
{
  const gsize n = check_pixels (check);
  const gsize pixel_stride = check_between (check, 1, 4);
  const guint8 *before = check_array (check, n * pixel_stride);
  const guint8 *bytes[4] = { NULL, };
  const VhLoops *loops;
  guint i;

  for (i = 0; i < pixel_stride; i++) {
    if (check_between (check, 0, 2) > 0)
      bytes[i] = check_array (check, n);
  }
  while ((loops = check_next (check))) {
    guint8 *row = check_copy (check, before, n * pixel_stride);
    const guint8 done = loops->correction->interleave8 (row, bytes, n,
        pixel_stride);

    check_result (check, &done, 1);
    check_result (check, row, n * pixel_stride);
  }
}

/* Tables */

static void
map (Check * check)
{
  const guint bytes = check->bytes;
  const gsize n = check_pixels (check);
  const guint depth = check_depth (check, 16);
  gconstpointer codes = check_codes (check, n, depth, bytes);
  gconstpointer table = check_array (check, (gsize) bytes << depth);
  const gboolean in_place = check_between (check, 0, 1);
  const VhLoops *loops;

  while ((loops = check_next (check))) {
    gpointer corrected = check_copy (check, codes, n * bytes);

    get_ops (loops, bytes)->map (corrected, in_place ? corrected : codes, n,
        table);
    check_result (check, corrected, n * bytes);
  }
}

static void
expand (Check * check)
{
  const VhCurveParams curve = {
    .depth = check_between (check, VH_CURVE_DEPTH + 1, 16),
    .bins = check_between (check, 1, 100),
    .strength = draw_strength (check),
  };
  const gsize size = sizeof (guint16) * curve.bins <<
      (curve.depth - VH_CURVE_DEPTH);
  const guint32 *levels = draw_levels (check, curve.bins);
  const VhLoops *loops;

  while ((loops = check_next (check))) {
    guint16 *table = check_array (check, size);

    loops->correction->expand (table, levels, &curve);
    check_result (check, table, size);
  }
}

/* Tiles */

static void
join_levels (Check * check)
{
  const gsize n = check_between (check, 1, 1000);
  const gsize size = (n + 1) * VH_QUAD_SAMPLES * sizeof (guint32);
  const guint32 *levels[4];
  const VhLoops *loops;
  guint i;

  for (i = 0; i < 4; i++)
    levels[i] = draw_levels (check, n);
  while ((loops = check_next (check))) {
    guint32 *quad = check_array (check, size);

    loops->correction->join_levels (quad, levels, n);
    check_result (check, quad, size);
  }
}

/* The layout of joined tables is private to the loops that build and read
 * them. */
static void
tiles (Check * check)
{
  const guint bytes = check->bytes;
  const gsize n = 2 * check_pixels (check) + check_between (check, 0, 1);
  const guint depth = check_depth (check, VH_CURVE_DEPTH);
  const gsize n_codes = (gsize) 1 << depth;
  gconstpointer codes = check_codes (check, n, depth, bytes);
  const float *x = draw_nearnesses (check, n), y = draw_nearness (check);
  const gboolean in_place = check_between (check, 0, 1);
  gconstpointer tables[4];
  const VhLoops *loops;
  guint i;

  for (i = 0; i < 4; i++)
    tables[i] = check_codes (check, n_codes, depth, bytes);
  while ((loops = check_next (check))) {
    gpointer quad = check_array (check, VH_QUAD_SAMPLES * n_codes * bytes);
    gpointer corrected = check_copy (check, codes, n * bytes);

    get_ops (loops, bytes)->join (quad, tables, n_codes);
    get_ops (loops, bytes)->tiles (corrected, in_place ? corrected : codes, n,
        quad, x, y);
    check_result (check, corrected, n * bytes);
  }
}

static void
tiles_levels (Check * check)
{
  const gsize n = 2 * check_pixels (check) + check_between (check, 0, 1);
  const VhCurveParams curve = {
    .depth = check_between (check, VH_CURVE_DEPTH + 1, 16),
    .bins = VH_CURVE_MAX_BINS,
  };
  const guint16 *codes = check_codes (check, n, curve.depth, 2);
  const guint32 *quad = draw_levels (check, (curve.bins + 1) * VH_QUAD_SAMPLES);
  const float *x = draw_nearnesses (check, n), y = draw_nearness (check);
  const VhLoops *loops;

  while ((loops = check_next (check))) {
    guint16 *corrected = check_array (check, n * sizeof (*corrected));

    loops->correction->tiles_levels (corrected, codes, n, quad, x, y, &curve);
    check_result (check, corrected, n * sizeof (*corrected));
  }
}

static void
blend (Check * check)
{
  const guint bytes = check->bytes;
  const gsize n = check_pixels (check);
  const guint depth = check_depth (check, 16);
  const guint32 strength = draw_strength (check);
  gconstpointer codes = check_codes (check, n, depth, bytes);
  gconstpointer corrected = check_codes (check, n, depth, bytes);
  const gboolean in_place = check_between (check, 0, 1);
  const VhLoops *loops;

  while ((loops = check_next (check))) {
    gpointer blended = check_copy (check, codes, n * bytes);

    get_ops (loops, bytes)->blend (blended, in_place ? blended : codes,
        corrected, n, strength);
    check_result (check, blended, n * bytes);
  }
}

/* Color */

static void
sum (Check * check)
{
  const guint bytes = check->bytes;
  const guint w_sub = check_between (check, 0, MAX_SUB), block = 1u << w_sub;
  const gsize n_sums = check_between (check, 1, CHECK_MAX_PIXELS / block);
  const gsize n = n_sums == 1 ? check_between (check, 0, block) :
      n_sums * block;
  const gsize size = n_sums * sizeof (guint32);
  gconstpointer codes = check_codes (check, n,
      check_depth (check, 16), bytes);
  gconstpointer before = check_array (check, size);
  const VhLoops *loops;

  while ((loops = check_next (check))) {
    guint32 *sums = check_copy (check, before, size);

    get_ops (loops, bytes)->sum (sums, codes, n, w_sub);
    check_result (check, sums, size);
  }
}

static VhEqualizeJob
draw_job (Check * check, guint depth)
{
  const gboolean limited = check_between (check, 0, 1);

  return (VhEqualizeJob) {
    .curve.depth = depth,
    .curve.max_gain = check_between (check, VH_LEVEL_ONE, 100 * VH_LEVEL_ONE),
    .color = check_between (check, VH_COLOR_SCALE, VH_COLOR_KEEP),
    .black = limited ? 16 << (depth - 8) : 0,
    .white = limited ? 235 << (depth - 8) : (1 << depth) - 1,
    .chroma_limit = limited ? 112 << (depth - 8) : (1 << (depth - 1)) - 1,
  };
}

static guint32 *
draw_sums (Check * check, gsize n, guint pixels, guint depth)
{
  guint32 *sums = check_array (check, n * sizeof (*sums));
  gsize i;

  for (i = 0; i < n; i++)
    sums[i] = check_between (check, 0, pixels * ((1u << depth) - 1));
  return sums;
}

static void
chroma (Check * check)
{
  const guint bytes = check->bytes;
  const gsize n = check_pixels (check);
  const guint pixels = 1u << check_between (check, 0, 2 * MAX_SUB);
  const guint depth = check_depth (check, 16);
  const VhEqualizeJob job = draw_job (check, depth);
  const guint32 *before = draw_sums (check, n, pixels, depth);
  const guint32 *after = draw_sums (check, n, pixels, depth);
  gconstpointer old_u = check_codes (check, n, depth, bytes);
  gconstpointer old_v = check_codes (check, n, depth, bytes);
  const VhLoops *loops;

  while ((loops = check_next (check))) {
    gpointer u = check_copy (check, old_u, n * bytes);
    gpointer v = check_copy (check, old_v, n * bytes);

    get_ops (loops, bytes)->chroma (u, v, before, after, n, pixels, &job);
    check_result (check, u, n * bytes);
    check_result (check, v, n * bytes);
  }
}

static void
rgb (Check * check)
{
  const guint bytes = check->bytes;
  const gsize n = check_pixels (check);
  const guint depth = check_depth (check, 16);
  const VhEqualizeJob job = draw_job (check, depth);
  gconstpointer before = check_codes (check, n, depth, bytes);
  gconstpointer after = check_codes (check, n, depth, bytes);
  gconstpointer old[3];
  gpointer corrected[3];
  const VhLoops *loops;
  guint i;

  for (i = 0; i < 3; i++)
    old[i] = check_codes (check, n, depth, bytes);
  while ((loops = check_next (check))) {
    for (i = 0; i < 3; i++)
      corrected[i] = check_copy (check, old[i], n * bytes);
    get_ops (loops, bytes)->rgb (corrected, before, after, n, &job);
    for (i = 0; i < 3; i++)
      check_result (check, corrected[i], n * bytes);
  }
}

const CheckFunction check_correcting[] = {
  {"correction.ops8.store", store, 1},
  {"correction.ops16.store", store, 2},
  {"correction.ops8.map", map, 1},
  {"correction.ops16.map", map, 2},
  {"correction.ops8.join and tiles", tiles, 1},
  {"correction.ops16.join and tiles", tiles, 2},
  {"correction.ops8.blend", blend, 1},
  {"correction.ops16.blend", blend, 2},
  {"correction.ops8.sum", sum, 1},
  {"correction.ops16.sum", sum, 2},
  {"correction.ops8.chroma", chroma, 1},
  {"correction.ops16.chroma", chroma, 2},
  {"correction.ops8.rgb", rgb, 1},
  {"correction.ops16.rgb", rgb, 2},
  {"correction.interleave8", interleave8},
  {"correction.expand", expand},
  {"correction.join_levels", join_levels},
  {"correction.tiles_levels", tiles_levels},
  {NULL, NULL},
};
