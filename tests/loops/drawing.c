/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of the loops of scopes. */
#include "check.h"

#define MAX_COUNT 100000

static const VhScopeOps *
get_ops (const VhLoops * loops, guint bytes)
{
  return bytes == 1 ? &loops->scope->ops8 : &loops->scope->ops16;
}

/* Returns weights like those of colors, up to @scale. */
static gint32
draw_weight (Check * check, gdouble scale)
{
  return (check_between (check, 0, 2000) / 1000.0 - 1) * scale;
}

static VhScopeColors
draw_colors (Check * check, guint depth)
{
  VhScopeColors colors = {.max = (1u << depth) - 1,.grey = 1 << (depth - 1) };
  guint i, c;

  for (i = 0; i < 3; i++) {
    colors.offset[i] = check_between (check, 0, colors.max);
    for (c = 0; c < 3; c++)
      colors.scale[i][c] = draw_weight (check, colors.max / 255.0 * 65536 / 3);
  }
  for (i = 0; i < 2; i++) {
    colors.chroma[i][0] = draw_weight (check, 33500);
    colors.chroma[i][1] = draw_weight (check, 33500);
    colors.chroma[i][2] = -colors.chroma[i][0] - colors.chroma[i][1];
  }
  return colors;
}

/* Returns counts; in half of the cases most of them are 0. */
static guint32 *
draw_counts (Check * check, gsize n)
{
  const gboolean sparse = check_between (check, 0, 1);
  const guint most = check_between (check, 0, 1) ? 300 : MAX_COUNT;
  guint32 *counts = check_array (check, n * sizeof (*counts));
  gsize i;

  for (i = 0; i < n; i++)
    counts[i] = sparse && check_between (check, 0, 30) ? 0 :
        check_between (check, 0, most);
  return counts;
}

static gfloat *
draw_shown (Check * check, gsize n)
{
  gfloat *shown = check_array (check, n * sizeof (*shown));
  gsize i;

  for (i = 0; i < n; i++)
    shown[i] = check_between (check, 0, 3) ? 0 :
        check_between (check, 0, 1000000) / 1000.0f;
  return shown;
}

static void
chroma (Check * check)
{
  const guint bytes = check->bytes;
  const gsize n = check_pixels (check);
  const guint depth = check_depth (check, 16);
  const guint i = check_between (check, 0, 1);
  const VhScopeColors colors = draw_colors (check, depth);
  gconstpointer rgb[3];
  const VhLoops *loops;
  guint c;

  for (c = 0; c < 3; c++)
    rgb[c] = check_codes (check, n, depth, bytes);
  while ((loops = check_next (check))) {
    gpointer made = check_array (check, n * bytes);

    get_ops (loops, bytes)->chroma (made, rgb, n, i, &colors);
    check_result (check, made, n * bytes);
  }
}

/* Counting rows of codes sample by sample, and by runs where a loop for that
 * exists, gives the same table. */
static void
count (Check * check)
{
  const guint bytes = check->bytes;
  const guint depth = check_depth (check, 16);
  const guint shift = check_between (check, depth - 3, depth - 1);
  const gsize n = check_between (check, 0, 3) ? check_pixels (check) :
      check_between (check, 2000, 3000);
  const gsize stride = n + check_between (check, 0, 9);
  const gsize size = (stride << (depth - shift)) * sizeof (guint32);
  const guint n_rows = check_between (check, 1, 4);
  gconstpointer rows[4];
  const VhLoops *loops;
  guint row;
  gsize i;

  for (row = 0; row < n_rows; row++)
    rows[row] = check_codes (check, n, depth, bytes);
  while ((loops = check_next (check))) {
    const VhScopeOps *ops = get_ops (loops, bytes);
    guint32 *table = memset (check_array (check, size), 0, size);
    VhScopeRun *runs = check_array (check, n * sizeof (*runs));

    for (i = 0; i < n; i++)
      runs[i] = (VhScopeRun) { i, 0 };
    for (row = 0; row < n_rows; row++) {
      if (!ops->count_changes)
        ops->count (table, stride, rows[row], n, shift);
      else if (row > 0)
        ops->count_changes (table, stride, rows[row - 1], rows[row], runs, n,
            row, shift);
    }
    if (ops->count_changes)
      ops->end_runs (table, stride, rows[n_rows - 1], runs, n, n_rows, shift);
    check_result (check, table, size);
  }
}

static void
count_at (Check * check)
{
  const guint bytes = check->bytes;
  const guint depth = check_depth (check, 16);
  const guint shift = check_between (check, depth - 3, depth - 1);
  const gsize n = 1 + check_pixels (check);
  const gsize columns = check_between (check, 1, n);
  const gsize size = (columns << (depth - shift)) * sizeof (guint32);
  gconstpointer codes = check_codes (check, n, depth, bytes);
  VhScopePlace *places = check_array (check, n * sizeof (*places));
  const VhLoops *loops;
  gsize i;

  for (i = 0; i < n; i++)
    places[i] = (VhScopePlace) { n - 1 - i, i * columns / n };
  while ((loops = check_next (check))) {
    guint32 *table = memset (check_array (check, size), 0, size);

    get_ops (loops, bytes)->count_at (table, columns, codes, places, n, shift);
    check_result (check, table, size);
  }
}

static void
blend (Check * check)
{
  const guint bytes = check->bytes;
  const gsize n = check_pixels (check);
  const guint depth = check_depth (check, 16);
  const guint component = check_between (check, 0, 2);
  const guint pixels = check_between (check, 1, 4);
  const VhScopeColors colors = draw_colors (check, depth);
  gconstpointer codes = check_codes (check, n, depth, bytes);
  const guint8 *parts[4];
  guint32 *sums[4];
  const VhLoops *loops;
  guint part;
  gsize i;

  for (part = 0; part < 4; part++) {
    parts[part] = check_codes (check, n, 8, 1);
    sums[part] = check_array (check, n * sizeof (guint32));
    for (i = 0; i < n; i++)
      sums[part][i] = check_between (check, 0, 255 * pixels);
  }
  while ((loops = check_next (check))) {
    const VhScopeOps *ops = get_ops (loops, bytes);
    gpointer made = check_copy (check, codes, n * bytes);

    ops->blend (made, parts, n, 1, component, &colors);
    ops->blend_sums (made, (const guint32 * const *) sums, n, pixels,
        component, &colors);
    check_result (check, made, n * bytes);
  }
}

static void
persist (Check * check)
{
  const gsize n = check_pixels (check);
  const gfloat decay = check_between (check, 0, 1000) / 1000.0f;
  const guint32 *counts = draw_counts (check, n);
  const guint32 *later = draw_counts (check, n);
  const VhLoops *loops;

  while ((loops = check_next (check))) {
    gfloat *shown = check_array (check, n * sizeof (*shown));

    loops->scope->show (shown, counts, n);
    loops->scope->persist (shown, later, n, decay);
    check_result (check, shown, n * sizeof (*shown));
  }
}

static void
merge (Check * check)
{
  const gsize n = check_pixels (check);
  const guint32 *a = draw_counts (check, n), *b = draw_counts (check, n);
  const VhLoops *loops;

  while ((loops = check_next (check))) {
    guint32 *most = check_copy (check, a, n * sizeof (*a));

    loops->scope->merge (most, b, n);
    check_result (check, most, n * sizeof (*most));
  }
}

static void
lighten (Check * check)
{
  const gsize n = check_pixels (check);
  const guint32 *counts = draw_counts (check, n);
  const gfloat *shown = draw_shown (check, n);
  guint8 *table = check_array (check, VH_SCOPE_STEPS);
  guint8 *few = check_array (check, 256);
  const VhLoops *loops;
  guint i;

  table[0] = 0;
  for (i = 0; i < 256; i++)
    few[i] = table[vh_scope_step (i)];
  while ((loops = check_next (check))) {
    guint8 *made = check_array (check, n);

    loops->scope->lighten (made, shown, n, table);
    check_result (check, made, n);
    loops->scope->lighten_counts (made, counts, n, few, table);
    check_result (check, made, n);
  }
}

static void
mark (Check * check)
{
  const gsize n = check_pixels (check), size = n * sizeof (guint32);
  const guint32 from = check_between (check, 0, 20);
  const guint32 end = from + check_between (check, 1, 10);
  const guint8 *brightness = check_array (check, n);
  guint32 *none = check_array (check, size);
  const guint32 *counts[2] = { draw_counts (check, n), draw_counts (check, n) };
  const VhLoops *loops;

  memset (none, 0xff, size);
  while ((loops = check_next (check))) {
    guint32 *least = check_copy (check, none, size);
    guint32 *most = memset (check_array (check, size), 0, size);
    guint8 *made = check_copy (check, brightness, n);

    loops->scope->extend (least, most, counts[0], n, from);
    loops->scope->extend (least, most, counts[1], n, end);
    loops->scope->mark (made, least, most, n, from, end);
    check_result (check, least, size);
    check_result (check, most, size);
    check_result (check, made, n);
  }
}

static void
bars (Check * check)
{
  const gsize n = check_pixels (check);
  const guint32 y = check_between (check, 0, 200);
  const guint32 full = check_between (check, 0, 255);
  guint32 *bar = check_array (check, n * sizeof (*bar));
  guint32 *peak = check_array (check, n * sizeof (*peak));
  const VhLoops *loops;
  gsize i;

  for (i = 0; i < n; i++) {
    bar[i] = check_between (check, 0, 200);
    peak[i] = check_between (check, 0, 3) ? check_between (check, 0, 200) :
        y + 1;
  }
  while ((loops = check_next (check))) {
    guint8 *made = check_array (check, n);

    loops->scope->bars (made, bar, peak, n, y, full);
    check_result (check, made, n);
  }
}

static void
add (Check * check)
{
  const gsize n = check_pixels (check);
  const guint8 *brightness = check_codes (check, n, 8, 1);
  const guint32 color[3] = { check_between (check, 0, 255), 0,
    check_between (check, 0, 255)
  };
  gconstpointer before[4];
  const VhLoops *loops;
  guint part;

  for (part = 0; part < 4; part++)
    before[part] = check_codes (check, n, 8, 1);
  while ((loops = check_next (check))) {
    guint8 *parts[4];

    for (part = 0; part < 4; part++)
      parts[part] = check_copy (check, before[part], n);
    loops->scope->add (parts, brightness, n, color);
    for (part = 0; part < 4; part++)
      check_result (check, parts[part], n);
  }
}

const CheckFunction check_drawing[] = {
  {"scope.ops8.chroma", chroma, 1},
  {"scope.ops16.chroma", chroma, 2},
  {"scope.ops8.count", count, 1},
  {"scope.ops16.count", count, 2},
  {"scope.ops8.count_at", count_at, 1},
  {"scope.ops16.count_at", count_at, 2},
  {"scope.ops8.blend", blend, 1},
  {"scope.ops16.blend", blend, 2},
  {"scope.persist", persist},
  {"scope.merge", merge},
  {"scope.lighten", lighten},
  {"scope.mark", mark},
  {"scope.bars", bars},
  {"scope.add", add},
  {NULL, NULL},
};
