/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthdamage.h"

#include <math.h>

/* Rows are equal if their levels differ by at most this much, and none from the
 * last one by more than twice as much: coders do not code them exactly. Cells
 * have fewer pixels, so they may differ by more. */
#define SAME_ROWS 0.0016
#define SAME_CELLS 0.007
/* If they have the same level everywhere, they must be as equal as numbers are:
 * coders make a smooth wall nearly as flat. Otherwise the cells of a row must
 * differ by at least VARIED. */
#define SAME_LEVELS 1e-4
#define SAME_PIXELS 1e-3
#define VARIED 0.03
/* So many rows of cells must be equal. */
#define MIN_ROWS 2
/* Clipped black and white have equal rows, too. This many cells in four must
 * have another level. Codes below black are not clipped: a decoder that has no
 * data fills in zeros. */
#define CLIPPED_BLACK 0.05
#define CLIPPED_WHITE 0.95
#define BELOW_BLACK -0.04
/* With JPEG, those zeros become black, but their green stays: no camera shows
 * so little red and blue in a tenth of the picture. */
#define NO_CHROMA -0.4
/* With little or no light, pictures may be flat up to this level, or hardly
 * differ from row to row. A blue picture in place of a signal has color, at
 * least so much on average. */
#define FLAT_BLACK 0.15
#define COLORED 0.1
#define UNCLIPPED_IN_4 2
/* A part that usually has equal rows is not damaged: a letterbox, a privacy
 * mask, or a smooth wall. Levels in this many columns in four must differ from
 * row to row by USUAL_CHANGE, or cells must have contents. */
#define USUAL_CHANGE 0.02
#define USUAL_IN_4 1

/* The first row of the finer grid from which on the picture's rows are
 * equal. */
static guint
find_first (const VhHealthEvidence * evidence)
{
  const guint n = evidence->n_bands;
  guint first = n - 1;

  while (first > 0
      && fabs (evidence->band[first] - evidence->band[first - 1]) <= SAME_ROWS
      && fabs (evidence->band[n - 1] - evidence->band[first - 1]) <=
      2 * SAME_ROWS)
    first--;
  return first;
}

/* Whether cells of one column are equal. */
static gboolean
is_same (const VhHealthCell * a, const VhHealthCell * b)
{
  return fabs (a->level - b->level) <= SAME_CELLS
      && fabs (a->spread - b->spread) <= 2 * SAME_CELLS;
}

/* Whether a whole cell has exactly @level. */
static gboolean
is_flat (const VhHealthCell * cell, gdouble level)
{
  return fabs (cell->level - level) <= SAME_LEVELS
      && cell->spread <= SAME_PIXELS;
}

/* Whether the cells of the last row differ from each other. */
static gboolean
is_varied (const VhHealthEvidence * evidence)
{
  const guint n = evidence->columns * evidence->rows;
  gdouble least = G_MAXDOUBLE, most = -G_MAXDOUBLE;
  guint i;

  for (i = n - evidence->columns; i < n; i++) {
    least = MIN (least, evidence->cell[i].level);
    most = MAX (most, evidence->cell[i].level);
  }
  return most - least >= VARIED;
}

/* The first row of cells from @first on from which on cells are equal; the
 * number of rows if even the last one is not. */
static guint
find_first_cells (const VhHealthEvidence * evidence, guint first)
{
  const guint columns = evidence->columns, n = columns * evidence->rows;
  const gboolean varied = is_varied (evidence);
  guint i;

  for (i = n; i > first * columns; i--) {
    const VhHealthCell *cell = &evidence->cell[i - 1];

    if (varied ? i <= n - columns && !is_same (cell, cell + columns) :
        !is_flat (cell, evidence->cell[n - 1].level))
      return (i - 1) / columns + 1;
  }
  return first;
}

static gboolean
is_clipped (gdouble level, gdouble black)
{
  return level >= CLIPPED_WHITE || (level <= black && level >= BELOW_BLACK);
}

/* Whether a decoder has filled in zeros. */
static gboolean
has_zeros (const VhHealthEvidence * evidence)
{
  return evidence->present & GST_VIDEO_HEALTH_EVIDENCE_CHROMA
      && evidence->least_u <= NO_CHROMA && evidence->least_v <= NO_CHROMA;
}

/* The level up to which the damaged part may be black. */
static gdouble
find_black (const VhHealthEvidence * evidence)
{
  const gboolean colored = evidence->present & GST_VIDEO_HEALTH_EVIDENCE_CHROMA
      && MAX (fabs (evidence->u), fabs (evidence->v)) >= COLORED;

  if (has_zeros (evidence))
    return BELOW_BLACK;
  return colored && !is_varied (evidence) ? CLIPPED_BLACK : FLAT_BLACK;
}

/* Whether the rows of cells from @first on usually differ in column @x. */
static gboolean
usually_differs (const VhHealthSlot * slot, const VhHealthEvidence * evidence,
    guint first, guint x)
{
  const guint columns = evidence->columns;
  guint i;

  for (i = (first + 1) * columns + x; i < columns * evidence->rows;
      i += columns) {
    if (fabs (slot->levels[i] - slot->levels[i - columns]) * slot->level >=
        USUAL_CHANGE)
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_unusual (const VhHealthSlot * slot, const VhHealthEvidence * evidence,
    guint first)
{
  const guint columns = evidence->columns, n = columns * evidence->rows;
  guint differing = 0, with_contents = 0, i;

  for (i = 0; i < columns; i++)
    differing += usually_differs (slot, evidence, first, i);
  for (i = first * columns; i < n; i++)
    with_contents += slot->contents[i] >= VH_HEALTH_MIN_CONTENTS;
  return 4 * differing >= USUAL_IN_4 * columns
      || 4 * with_contents >= USUAL_IN_4 * (n - first * columns);
}

gdouble
vh_health_damage_find (const VhHealthSlot * slot,
    const VhHealthEvidence * evidence, guint64 * cells)
{
  const guint n = evidence->columns * evidence->rows;
  const gdouble black = find_black (evidence);
  guint first_row, first, unclipped = 0, i;

  *cells = 0;
  if (!(evidence->present & GST_VIDEO_HEALTH_EVIDENCE_ROWS)
      || evidence->n_bands < evidence->rows)
    return 0;
  first_row = find_first (evidence);
  first = find_first_cells (evidence, (first_row * evidence->rows
          + evidence->n_bands - 1) / evidence->n_bands);
  for (i = first * evidence->columns; i < n; i++)
    unclipped += !is_clipped (evidence->cell[i].level, black);
  if (first + MIN_ROWS > evidence->rows
      || 4 * unclipped < UNCLIPPED_IN_4 * (n - first * evidence->columns)
      || !is_unusual (slot, evidence, first))
    return 0;
  /* A cell of which more than half is damaged is damaged. */
  first_row = (2 * first_row * evidence->rows + evidence->n_bands)
      / (2 * evidence->n_bands);
  for (i = MIN (first_row, first) * evidence->columns; i < n; i++)
    *cells |= G_GUINT64_CONSTANT (1) << i;
  return (gdouble) (evidence->rows - first) / evidence->rows;
}
