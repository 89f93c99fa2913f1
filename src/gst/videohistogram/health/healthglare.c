/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthglare.h"
#include "healthrank.h"
#include "healthobstruction.h"


/* The spot itself is at least so bright now, was at most so bright before, and
 * has risen by at least so much; all in levels. */
#define MIN_SPOT 0.8
#define MAX_USUAL 0.75
#define MIN_SPOT_RISE 0.25

/* Cells are lit if they have risen by so much, and next to the spot by so much.
 * At least so many of the latter must be lit: the edge of a wall or of a truck
 * is sharp. */
#define MIN_RISE 0.08
#define MIN_HALO_RISE 0.05
#define MIN_HALO 0.5

/* Larger bright parts are not a spot. */
#define MAX_SHARE 0.6

/* Dark cells change by much for little light. */
#define FLOOR 0.02

#define CELL(i) (G_GUINT64_CONSTANT (1) << (i))

/* By how much each cell is brighter than it would be without the spot: exposure
 * makes the rest of the picture darker, by the median of the cells. */
static void
find_rises (const VhHealthSlot * slot, const VhHealthEvidence * evidence,
    gdouble * rises)
{
  const guint n = evidence->columns * evidence->rows;
  gdouble usual[VH_HEALTH_CELLS], factor[VH_HEALTH_CELLS], exposure;
  guint i;

  for (i = 0; i < n; i++) {
    usual[i] = (slot->levels[i] + 1) * slot->level;
    factor[i] = (evidence->cell[i].level + FLOOR) / (MAX (usual[i], 0)
        + FLOOR);
  }
  exposure = MIN (vh_health_find_median (factor, n), 1);
  for (i = 0; i < n; i++)
    rises[i] = evidence->cell[i].level - exposure * usual[i];
}

/* The cells that have risen by at least @least. */
static guint64
find_risen (const gdouble * rises, guint n, gdouble least)
{
  guint64 cells = 0;
  guint i;

  for (i = 0; i < n; i++)
    cells |= rises[i] >= least ? CELL (i) : 0;
  return cells;
}

static guint64
find_spot (const VhHealthSlot * slot, const VhHealthEvidence * evidence,
    const gdouble * rises)
{
  guint64 spot = 0;
  guint i;

  for (i = 0; i < evidence->columns * evidence->rows; i++) {
    if (evidence->cell[i].level >= MIN_SPOT && rises[i] >= MIN_SPOT_RISE
        && (slot->levels[i] + 1) * slot->level <= MAX_USUAL)
      spot |= CELL (i);
  }
  return spot;
}

gdouble
vh_health_glare_find (const VhHealthSlot * slot,
    const VhHealthEvidence * evidence, guint64 * cells)
{
  const guint columns = evidence->columns, rows = evidence->rows;
  const guint n = columns * rows;
  const guint64 kept = ~vh_health_evidence_find_ignored (evidence);
  gdouble rises[VH_HEALTH_CELLS];
  guint64 spot, halo, lit;
  gdouble share;

  *cells = 0;
  if (slot->level <= 0)
    return 0;
  find_rises (slot, evidence, rises);
  spot = find_spot (slot, evidence, rises) & kept;
  halo = vh_health_find_neighbours (spot, columns, rows, TRUE) & kept;
  lit = halo & find_risen (rises, n, MIN_HALO_RISE);
  if (!spot || __builtin_popcountll (lit) < MIN_HALO *
      __builtin_popcountll (halo))
    return 0;
  lit = vh_health_find_blob (spot | lit | (find_risen (rises, n, MIN_RISE)
          & kept), columns, rows);
  share = __builtin_popcountll (lit) / (gdouble) n;
  if (!(lit & spot) || share > MAX_SHARE)
    return 0;
  *cells = lit;
  return share;
}
