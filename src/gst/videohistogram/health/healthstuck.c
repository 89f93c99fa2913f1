/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthstuck.h"
#include "healthobstruction.h"
#include "healthrank.h"

#include <math.h>
#include <string.h>

#define SIDE VH_HEALTH_PART_SIDE
#define N_PARTS VH_HEALTH_PARTS
#define CELL_SIDE VH_HEALTH_SIDE
#define OF_CELL (SIDE / CELL_SIDE)
#define PARTS_OF_CELL (OF_CELL * OF_CELL)

/* A cell stands still if nothing in it changes for at least this time, */
#define MIN_STILL (10.0 * GST_SECOND)
/* and for longer than ever before, in this cell and in three quarters of all:
 * by this factor, plus YOUNG divided by the time that it was observed, */
#define LONGER 1.25
#define YOUNG (25.0 * GST_SECOND)
/* and by this margin. It must have been observed for at least this time. */
#define MARGIN (500.0 * GST_MSECOND)
#define KNOWN (20.0 * GST_SECOND)
/* The longest time without a change counts half as much after this time. */
#define FORGET (24 * 3600.0 * GST_SECOND)
/* It is over once nothing has stood still for this much longer than that. */
#define HOLD_MARGIN (1.0 * GST_SECOND)

/* A key frame changes this many parts of 64 in MIN_RENEWED of the cells, after
 * a pause in which no frame did, which lasts for two frames or more. */
#define MIN_PARTS 32
#define MIN_RENEWED 0.4
#define PAUSE (500 * GST_MSECOND)
/* If a quarter of the cells stay without a change for longer than DENSE, a live
 * picture may not change until the next key frame. How far apart they are is
 * known after this many; until then, they may be so far apart as smart codecs
 * have them. */
#define DENSE (2.0 * GST_SECOND)
#define MIN_DISTANCES 3
#define MAX_DISTANCE (65.0 * GST_SECOND)

/* A cell shows something else if its parts differ by this much from the view,
 * in levels; after this time it is learned again. */
#define OTHER 0.06
#define OTHER_TIME (10 * GST_SECOND)
/* Clipped white and black have no noise. */
#define MIN_LEVEL 0.04
#define MAX_LEVEL 0.9

/* The rest of the picture runs if this share of its cells, and at least so
 * many, have changed since then, in the last half of that time. */
#define MIN_RUNNING 0.5
#define MIN_RUNNING_CELLS 8
/* A quarter of the cells must be known. */
#define MIN_KNOWN (VH_HEALTH_CELLS / 4)

#define BIT(i) (G_GUINT64_CONSTANT (1) << (i))

void
vh_health_stuck_restart (VhHealthStuck * self)
{
  self->time = GST_CLOCK_TIME_NONE;
  self->cells = 0;
  self->share = NAN;
  self->hold = 0;
}

static void
begin (VhHealthStuck * self, GstClockTime time)
{
  guint i;

  memset (self->cell, 0, sizeof (self->cell));
  for (i = 0; i < VH_HEALTH_CELLS; i++) {
    self->cell[i].changed = time;
    self->cell[i].other = GST_CLOCK_TIME_NONE;
  }
  self->whole = time;
  self->key_frame = GST_CLOCK_TIME_NONE;
  self->n_distances = self->farthest = 0;
}

/* How many parts of each cell have changed since the last frame. */
static void
count_changes (const VhHealthStuck * self, const gfloat * part,
    guint counts[VH_HEALTH_CELLS])
{
  guint i, x, y;

  memset (counts, 0, VH_HEALTH_CELLS * sizeof (*counts));
  for (i = 0; i < CELL_SIDE; i++) {
    guint changed[SIDE] = { 0, };

    for (y = i * OF_CELL; y < (i + 1) * OF_CELL; y++) {
      for (x = 0; x < SIDE; x++)
        changed[x] += part[y * SIDE + x] != self->last[y * SIDE + x];
    }
    for (x = 0; x < SIDE; x++)
      counts[i * CELL_SIDE + x / OF_CELL] += changed[x];
  }
}

/* The mean of the absolute values of the parts of each cell. The sums of a row
 * of cells do not wait for each other. */
static void
find_means (const gfloat * part, gdouble means[VH_HEALTH_CELLS])
{
  guint y, x, i;

  memset (means, 0, VH_HEALTH_CELLS * sizeof (*means));
  for (y = 0; y < SIDE; y++) {
    gdouble *const row = means + y / OF_CELL * CELL_SIDE;

    for (x = 0; x < OF_CELL; x++) {
      for (i = 0; i < CELL_SIDE; i++)
        row[i] += fabsf (part[y * SIDE + i * OF_CELL + x]) / PARTS_OF_CELL;
    }
  }
}

/* Learns cells again that show something else for long, such as a truck that
 * parks: it may have less noise. */
static void
follow_view (VhHealthStuck * self, const VhHealthChurn * churn,
    GstClockTime time)
{
  gdouble rest[VH_HEALTH_CELLS];
  guint i;

  find_means (churn->rest.part, rest);
  for (i = 0; i < VH_HEALTH_CELLS; i++) {
    VhStuckCell *cell = &self->cell[i];

    if (rest[i] <= OTHER)
      cell->other = GST_CLOCK_TIME_NONE;
    else if (!GST_CLOCK_TIME_IS_VALID (cell->other))
      cell->other = time;
    else if (time - cell->other >= OTHER_TIME)
      cell->observed = cell->longest = 0;
  }
}

static void
follow_changes (VhHealthStuck * self, const guint counts[VH_HEALTH_CELLS],
    gboolean active, GstClockTime time)
{
  const gdouble step = time - self->time;
  const gdouble kept = exp2 (-step / FORGET);
  guint i;

  self->farthest *= kept;
  for (i = 0; i < VH_HEALTH_CELLS; i++) {
    VhStuckCell *cell = &self->cell[i];

    cell->observed += step;
    cell->longest *= kept;
    if (counts[i] == 0)
      continue;
    if (!active)
      cell->longest = MAX (cell->longest, time - cell->changed);
    cell->changed = time;
  }
}

static void
follow_key_frames (VhHealthStuck * self,
    const guint counts[VH_HEALTH_CELLS], GstClockTime time)
{
  const GstClockTime pause = time - self->whole;
  guint n = 0, i;

  for (i = 0; i < VH_HEALTH_CELLS; i++)
    n += counts[i] >= MIN_PARTS;
  if (n < MIN_RENEWED * VH_HEALTH_CELLS)
    return;
  self->whole = time;
  if (pause < MAX (PAUSE, 2 * (time - self->time)))
    return;
  if (GST_CLOCK_TIME_IS_VALID (self->key_frame)) {
    self->n_distances++;
    self->farthest = MAX (self->farthest, time - self->key_frame);
  }
  self->key_frame = time;
}

/* The longest time without a change in three quarters of the cells. */
static gdouble
find_usual (const VhHealthStuck * self)
{
  gdouble longest[VH_HEALTH_CELLS];
  guint i;

  for (i = 0; i < VH_HEALTH_CELLS; i++)
    longest[i] = self->cell[i].longest;
  return vh_health_find_rank (longest, VH_HEALTH_CELLS,
      VH_HEALTH_CELLS * 3 / 4);
}

/* The cells that can be judged: they show the usual view, with noise. */
static guint64
find_known (const VhHealthStuck * self, const VhHealthEvidence * evidence)
{
  gdouble levels[VH_HEALTH_CELLS];
  guint64 known = 0;
  guint i;

  find_means (evidence->part, levels);
  for (i = 0; i < VH_HEALTH_CELLS; i++) {
    const VhStuckCell *cell = &self->cell[i];

    if (cell->observed >= KNOWN && cell->longest > 0
        && !GST_CLOCK_TIME_IS_VALID (cell->other)
        && levels[i] > MIN_LEVEL && levels[i] < MAX_LEVEL)
      known |= BIT (i);
  }
  return known;
}

/* How long a cell must stay without a change, if three quarters of the cells
 * never did so for longer than @usual. */
static gdouble
get_limit (const VhHealthStuck * self, const VhStuckCell * cell, gdouble usual)
{
  const gdouble factor = LONGER + YOUNG / MAX (cell->observed, GST_SECOND);
  gdouble limit = MAX (MIN_STILL, factor * MAX (cell->longest, usual) +
      MARGIN);

  if (usual > DENSE)
    limit = MAX (limit, self->n_distances < MIN_DISTANCES ? MAX_DISTANCE :
        LONGER * self->farthest + MARGIN);
  return limit;
}

/* Whether the rest of the picture, without the border of @blob, goes on as
 * usual. If all of it is frozen, some cells are known to be so before
 * others. */
static gboolean
is_rest_running (const VhHealthStuck * self, guint64 blob, guint64 known,
    GstClockTime time)
{
  const guint64 rest = known & ~vh_health_obstruction_widen (blob, CELL_SIDE,
      CELL_SIDE);
  gdouble still = G_MAXDOUBLE;
  guint n = 0, running = 0, i;

  for (i = 0; i < VH_HEALTH_CELLS; i++) {
    if (VH_HEALTH_HAS_CELL (blob, i))
      still = MIN (still, time - self->cell[i].changed);
  }
  for (i = 0; i < VH_HEALTH_CELLS; i++) {
    const VhStuckCell *cell = &self->cell[i];

    if (!VH_HEALTH_HAS_CELL (rest, i))
      continue;
    n++;
    running += time - cell->changed <= MIN (cell->longest, still / 2);
  }
  return running >= MIN_RUNNING_CELLS && running >= MIN_RUNNING * n;
}

static void
judge (VhHealthStuck * self, const VhHealthEvidence * evidence,
    gboolean active, GstClockTime time)
{
  const guint64 known = find_known (self, evidence);
  const gdouble usual = find_usual (self);
  guint64 still = 0;
  guint i;

  self->cells = 0;
  self->share = NAN;
  if (__builtin_popcountll (known) < MIN_KNOWN)
    return;
  for (i = 0; i < VH_HEALTH_CELLS; i++) {
    const VhStuckCell *cell = &self->cell[i];

    if (VH_HEALTH_HAS_CELL (known, i)
        && time - cell->changed >= get_limit (self, cell, usual))
      still |= BIT (i);
  }
  still = vh_health_find_blob (still, CELL_SIDE, CELL_SIDE);
  if (still && is_rest_running (self, still, known, time))
    self->cells = still;
  self->share = (gdouble) __builtin_popcountll (self->cells) /
      VH_HEALTH_CELLS;
  if (!active)
    self->hold = 0;
  for (i = 0; i < VH_HEALTH_CELLS; i++) {
    if (VH_HEALTH_HAS_CELL (self->cells, i))
      self->hold = MAX (self->hold, get_limit (self, &self->cell[i], usual)
          + HOLD_MARGIN);
  }
}

void
vh_health_stuck_follow (VhHealthStuck * self,
    const VhHealthEvidence * evidence, const VhHealthChurn * churn,
    gboolean active, GstClockTime time)
{
  guint counts[VH_HEALTH_CELLS];

  if (!GST_CLOCK_TIME_IS_VALID (self->time) || time < self->time) {
    begin (self, time);
  } else {
    count_changes (self, evidence->part, counts);
    if (churn->compared)
      follow_view (self, churn, time);
    follow_changes (self, counts, active, time);
    follow_key_frames (self, counts, time);
    judge (self, evidence, active, time);
  }
  memcpy (self->last, evidence->part, sizeof (self->last));
  self->time = time;
}
