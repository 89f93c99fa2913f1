/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthswings.h"
#include "healthrank.h"

#include <math.h>
#include <string.h>

/* Smaller changes of direction belong to the same swing, in logarithms. */
#define MIN_SWING 0.15

/* How long a swing takes. Faster changes are flashing, and slower ones may be
 * the sun and the clouds. */
#define MIN_TIME (350 * GST_MSECOND)
#define MAX_TIME (10 * GST_SECOND)

/* Swings are over if there was no other one for so many times as long as the
 * longest took, but at least for MIN_PAUSE. */
#define PAUSE 3
#define MIN_PAUSE (2 * GST_SECOND)

/* Frames that are further apart are too few. */
#define MAX_STEP (2500 * GST_MSECOND)

/* After so long, it is known whether there are swings. */
#define SETTLED (30 * GST_SECOND)

/* Dark cells change by much for little light. */
#define FLOOR 0.03

void
vh_health_swings_clear (VhHealthSwings * swings)
{
  memset (swings, 0, sizeof (*swings));
}

/* The logarithm of the factor by which the levels of the picture have risen
 * from @before to @after: the median of the cells, so that a vehicle does not
 * count. */
static gdouble
compare (const gdouble * before, const gdouble * after, guint n)
{
  gdouble factor[VH_HEALTH_CELLS];
  guint i;

  for (i = 0; i < n; i++)
    factor[i] = (MAX (after[i], 0) + FLOOR) / (MAX (before[i], 0) + FLOOR);
  return log ((vh_health_find_median (factor, n) + vh_health_find_rank (factor,
              n, (n - 1) / 2)) / 2);
}

static void
begin (VhHealthSwings * swings, const VhHealthEvidence * evidence,
    const gdouble * levels, guint n, GstClockTime time)
{
  vh_health_swings_clear (swings);
  swings->columns = evidence->columns;
  swings->rows = evidence->rows;
  memcpy (swings->turn, levels, n * sizeof (*levels));
  memcpy (swings->peak, levels, n * sizeof (*levels));
  swings->begun = swings->time = time;
  swings->at_turn = swings->at_peak = time;
}

static void
set_peak (VhHealthSwings * swings, const gdouble * levels, guint n,
    GstClockTime time)
{
  memcpy (swings->peak, levels, n * sizeof (*levels));
  swings->at_peak = time;
}

/* Counts the swing that ended at the peak. */
static void
end_swing (VhHealthSwings * swings, guint n)
{
  const GstClockTime took = swings->at_peak - swings->at_turn;

  if (took < MIN_TIME || took > MAX_TIME)
    swings->n = 0;
  else
    swings->swing[swings->n++ % VH_SWINGS] =
        fabs (compare (swings->turn, swings->peak, n));
  swings->last = swings->n > 1 ? MAX (took, swings->last) : took;
  memcpy (swings->turn, swings->peak, n * sizeof (*swings->turn));
  swings->at_turn = swings->at_peak;
}

void
vh_health_swings_add (VhHealthSwings * swings,
    const VhHealthEvidence * evidence, GstClockTime time)
{
  const guint n = evidence->columns * evidence->rows;
  const GstClockTime step = swings->columns > 0 && time > swings->time ?
      time - swings->time : 0;
  gdouble levels[VH_HEALTH_CELLS], change;
  guint i;

  for (i = 0; i < n; i++)
    levels[i] = evidence->cell[i].level;
  if (swings->columns != evidence->columns || swings->rows != evidence->rows
      || time < swings->time || step > MAX_TIME) {
    begin (swings, evidence, levels, n, time);
    swings->step = step;
    return;
  }
  swings->step = step;
  swings->time = time;
  change = compare (swings->peak, levels, n);
  if (swings->direction * change > 0) {
    set_peak (swings, levels, n, time);
  } else if (fabs (change) >= MIN_SWING) {
    if (swings->direction != 0)
      end_swing (swings, n);
    swings->direction = change > 0 ? 1 : -1;
    set_peak (swings, levels, n, time);
  }
}

gboolean
vh_health_swings_is_too_slow (const VhHealthSwings * swings)
{
  return swings->step > MAX_STEP;
}

gdouble
vh_health_swings_get_share (const VhHealthSwings * swings)
{
  gdouble least;
  guint i;

  if (vh_health_swings_is_too_slow (swings) || (swings->n < VH_SWINGS
          && swings->time - swings->begun < SETTLED))
    return NAN;
  if (swings->n < VH_SWINGS || swings->time - swings->at_turn >
      MAX (PAUSE * swings->last, MIN_PAUSE))
    return 0;
  least = swings->swing[0];
  for (i = 1; i < VH_SWINGS; i++)
    least = MIN (least, swings->swing[i]);
  return 1 - exp (-least);
}
