/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthobstruction.h"

#include <math.h>

/* A cell without contents, such as a part of a wall, belongs to the blob if its
 * level has changed by this share. */
#define OTHER_LEVEL 0.3
/* A lamp that is brighter than this hides what it lights, but does not
 * cover it. */
#define BRIGHT 0.9
/* Something close to the lens reaches the edge of the picture, in at least this
 * many cells. What stands in the view often does not. */
#define MIN_EDGE_CELLS 2
/* In the dark, cells lose their contents with their light. A picture with this
 * level beside the blob has light. */
#define LIT_LEVEL 0.3
/* The rest of the view is as usual if MIN_KEPT of its cells have kept their
 * contents, within these factors. Fewer cells than MIN_REST tell nothing: then
 * the blob must have at least MIN_ALONE of the picture. */
#define MIN_KEPT 0.75
#define LEAST_KEPT 0.4
#define MOST_KEPT 2.5
#define MIN_REST 3
#define MIN_ALONE 0.5
/* They must also have kept this share of their texture, as a lens out of focus
 * does not. */
#define SHARP_SHARE 0.35

/* The view shows through what leaves at least this share of how much cells of a
 * row usually differ, as paint does not, */
#define THROUGH_SHARE 0.02
/* and in the same order: so much of the differences must be explained by the
 * usual ones. */
#define THROUGH_ORDER 0.5
/* Cells must usually differ by this, in levels, and there must be so many. */
#define THROUGH_CONTRAST 0.03
#define THROUGH_CELLS 12

#define CELL(i) (G_GUINT64_CONSTANT (1) << (i))

guint64
vh_health_find_neighbours (guint64 cells, guint columns, guint rows,
    gboolean corners)
{
  guint64 found = 0;
  guint i;

  for (i = 0; i < columns * rows; i++) {
    const guint x = i % columns, y = i / columns;
    guint from, to, row;

    if (!VH_HEALTH_HAS_CELL (cells, i))
      continue;
    from = x > 0 ? x - 1 : x;
    to = MIN (x + 1, columns - 1);
    for (row = y > 0 ? y - 1 : y; row <= MIN (y + 1, rows - 1); row++) {
      found |= CELL (row * columns + x);
      if (corners || row == y)
        found |= CELL (row * columns + from) | CELL (row * columns + to);
    }
  }
  return found & ~cells;
}

static guint
count_cells (guint64 cells)
{
  return __builtin_popcountll (cells);
}

guint64
vh_health_find_blob (guint64 cells, guint columns, guint rows)
{
  guint64 largest = 0;

  while (cells) {
    guint64 blob = cells & -cells, more;

    while ((more = vh_health_find_neighbours (blob, columns, rows, FALSE)
            & cells))
      blob |= more;
    if (count_cells (blob) > count_cells (largest))
      largest = blob;
    cells &= ~blob;
  }
  return largest;
}

guint64
vh_health_obstruction_widen (guint64 cells, guint columns, guint rows)
{
  return cells | vh_health_find_neighbours (cells, columns, rows, TRUE);
}

/* Cells without contents whose level has changed, compared with the level of
 * the picture. */
static guint64
find_changed_flat (const VhHealthSlot * slot, const VhHealthEvidence * evidence,
    const VhHealthRemains * remains)
{
  const gdouble exposure = evidence->level / slot->level;
  guint64 cells = 0;
  guint i;

  for (i = 0; i < evidence->columns * evidence->rows; i++) {
    const gdouble usual = (slot->levels[i] + 1) * slot->level;
    const gdouble level = evidence->cell[i].level;

    if (slot->contents[i] < VH_HEALTH_MIN_CONTENTS
        && remains->contents[i] < VH_HEALTH_MIN_CONTENTS
        && fabs (level / MAX (usual, VH_HEALTH_MIN_CONTENTS) - exposure) >
        OTHER_LEVEL)
      cells |= CELL (i);
  }
  return cells;
}

static guint64
find_bright (const VhHealthEvidence * evidence)
{
  guint64 cells = 0;
  guint i;

  for (i = 0; i < evidence->columns * evidence->rows; i++)
    cells |= evidence->cell[i].level >= BRIGHT ? CELL (i) : 0;
  return cells;
}

static guint64
find_edge (guint columns, guint rows)
{
  guint64 edge = 0;
  guint i;

  for (i = 0; i < columns * rows; i++) {
    const guint x = i % columns, y = i / columns;

    if (x == 0 || y == 0 || x == columns - 1 || y == rows - 1)
      edge |= CELL (i);
  }
  return edge;
}

/* Whether the light has gone, so that there is no need for a cover: @blob is
 * dim, and so is the rest of the picture. */
static gboolean
is_dim (const VhHealthSlot * slot, const VhHealthEvidence * evidence,
    guint64 blob)
{
  const guint n = evidence->columns * evidence->rows;
  guint dim = 0, i;
  gdouble rest = 0;

  for (i = 0; i < n; i++) {
    if (!VH_HEALTH_HAS_CELL (blob, i))
      rest += evidence->cell[i].level;
    else
      dim += vh_health_scenes_is_dim (slot, evidence, i);
  }
  return 2 * dim > count_cells (blob)
      && rest < LIT_LEVEL * (n - count_cells (blob));
}

/* Whether cell @i is about as sharp as usual, for the level of the picture. */
static gboolean
is_sharp (const VhHealthSlot * slot, const VhHealthEvidence * evidence, guint i)
{
  const gdouble now = log (MAX (evidence->cell[i].texture, 1e-6)
      + VH_HEALTH_TEXTURE_FLOOR * evidence->floor)
      - log (MAX (evidence->level, VH_HEALTH_MIN_CONTENTS));

  return !evidence->textures || slot->textures_learned <= 0
      || now >= slot->texture_mean + slot->texture[i] + log (SHARP_SHARE);
}

/* Whether the view around @blob, except for its border, is as usual. */
static gboolean
is_rest_as_usual (const VhHealthSlot * slot, const VhHealthEvidence * evidence,
    const VhHealthRemains * remains, guint64 blob)
{
  const guint n = evidence->columns * evidence->rows;
  const guint64 others = remains->lost | vh_health_obstruction_widen (blob,
      evidence->columns, evidence->rows)
      | vh_health_evidence_find_ignored (evidence);
  guint rest = 0, kept = 0, i;

  for (i = 0; i < n; i++) {
    const gdouble usual = slot->contents[i], now = remains->contents[i];

    if (usual < VH_HEALTH_MIN_CONTENTS || VH_HEALTH_HAS_CELL (others, i))
      continue;
    rest++;
    kept += now >= LEAST_KEPT * usual && now <= MOST_KEPT * usual
        && is_sharp (slot, evidence, i);
  }
  return rest >= MIN_REST ? kept >= MIN_KEPT * rest :
      count_cells (blob) >= MIN_ALONE * n;
}

/* Sums of squares and products of differences, of usual and present levels. */
typedef struct
{
  gdouble usual, now, both;
  guint n;
} Products;

/* Adds the cells of a row. More air lies before the horizon, so that fog leaves
 * other rows another share. */
static void
add_row (Products * sums, const VhHealthSlot * slot,
    const VhHealthEvidence * evidence, guint64 cells, guint row)
{
  const guint first = row * evidence->columns;
  gdouble usual = 0, now = 0;
  guint n = 0, i;

  for (i = first; i < first + evidence->columns; i++) {
    if (!VH_HEALTH_HAS_CELL (cells, i))
      continue;
    usual += slot->levels[i] + 1;
    now += evidence->cell[i].level / evidence->level;
    n++;
  }
  for (i = first; i < first + evidence->columns; i++) {
    const gdouble x = slot->levels[i] + 1 - usual / MAX (n, 1);
    const gdouble y = evidence->cell[i].level / evidence->level -
        now / MAX (n, 1);

    if (!VH_HEALTH_HAS_CELL (cells, i))
      continue;
    sums->usual += x * x;
    sums->now += y * y;
    sums->both += x * y;
  }
  sums->n += n;
}

gboolean
vh_health_shows_through (const VhHealthSlot * slot,
    const VhHealthEvidence * evidence, const VhHealthRemains * remains)
{
  Products sums = { 0, };
  guint row;

  if (evidence->level <= 0)
    return FALSE;
  for (row = 0; row < evidence->rows; row++)
    add_row (&sums, slot, evidence, remains->lost, row);
  return sums.n >= THROUGH_CELLS
      && sums.usual >= sums.n * THROUGH_CONTRAST * THROUGH_CONTRAST
      && sums.both >= THROUGH_SHARE * sums.usual
      && sums.both * sums.both >= THROUGH_ORDER * sums.usual * sums.now;
}

gdouble
vh_health_obstruction_find (const VhHealthSlot * slot,
    const VhHealthEvidence * evidence, const VhHealthRemains * remains,
    guint64 * cells)
{
  const guint columns = evidence->columns, rows = evidence->rows;
  const guint64 ignored = vh_health_evidence_find_ignored (evidence);
  const guint64 lost = remains->lost & ~find_bright (evidence);
  guint64 blob;

  *cells = 0;
  if (!lost || slot->level <= 0)
    return 0;
  blob = vh_health_find_blob (lost | (find_changed_flat (slot, evidence,
              remains) & ~ignored & ~find_bright (evidence)), columns, rows);
  if (2 * count_cells (blob & lost) < count_cells (blob)
      || count_cells (blob & find_edge (columns, rows)) < MIN_EDGE_CELLS
      || is_dim (slot, evidence, blob)
      || !is_rest_as_usual (slot, evidence, remains, blob))
    return 0;
  *cells = blob;
  return (gdouble) count_cells (blob) /
      (columns * rows - count_cells (ignored));
}

/* A range of columns or rows. */
typedef struct
{
  guint first, last, n;         /* n: in the picture */
} Range;

static gboolean
is_whole (const Range * range)
{
  return (range->last - range->first + 1) * 8 >= range->n * 7;
}

/* 0: at the start, 1: in the middle or large, 2: at the end. */
static guint
find_side (const Range * range)
{
  const guint middle = range->first + range->last + 1;  /* in half cells */

  return middle * 5 < range->n * 4 ? 0 : middle * 5 > range->n * 6 ? 2 : 1;
}

/* 0: about a third, 1: about a half, 2: more. */
static guint
find_size (const Range * range)
{
  const guint n = range->last - range->first + 1;

  return n * 16 <= range->n * 7 ? 0 : n * 16 <= range->n * 10 ? 1 : 2;
}

const gchar *
vh_health_describe_place (guint64 cells, guint columns, guint rows)
{
  static const gchar *const parts[3][3] = {
    {"the upper left part", "the upper part", "the upper right part"},
    {"the left part", "the middle", "the right part"},
    {"the lower left part", "the lower part", "the lower right part"},
  };
  static const gchar *const across[3][3] = {
    {"the upper third", "the upper half", "the upper two thirds"},
    {"the middle", "the middle", "most of the view"},
    {"the lower third", "the lower half", "the lower two thirds"},
  };
  static const gchar *const down[3][3] = {
    {"the left third", "the left half", "the left two thirds"},
    {"the middle", "the middle", "most of the view"},
    {"the right third", "the right half", "the right two thirds"},
  };
  Range x = { columns, 0, columns }, y = { rows, 0, rows };
  guint i;

  for (i = 0; i < columns * rows; i++) {
    if (VH_HEALTH_HAS_CELL (cells, i)) {
      x.first = MIN (x.first, i % columns);
      x.last = MAX (x.last, i % columns);
      y.first = MIN (y.first, i / columns);
      y.last = MAX (y.last, i / columns);
    }
  }
  if (!cells)
    return NULL;
  if (is_whole (&x) && is_whole (&y))
    return "most of the view";
  if (is_whole (&x))
    return across[find_side (&y)][find_size (&y)];
  if (is_whole (&y))
    return down[find_side (&x)][find_size (&x)];
  return parts[find_side (&y)][find_side (&x)];
}
