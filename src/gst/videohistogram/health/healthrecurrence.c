/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthrecurrence.h"

#include <math.h>
#include <string.h>

/* Pictures are kept this far apart. */
#define KEEP_INTERVAL GST_SECOND

#define UNIT 1073741824.0

/* Pictures are the same if this share of the cells is exactly equal. A clock
 * may run in the others. */
#define SAME_IN_10 9

/* A picture is left once less than this share of its cells is equal. */
#define LEFT_IN_10 1

/* If the mean level of a cell changes by more than this, in levels, something
 * moves. Coding the same picture again changes less. */
#define MOVES 0.02

/* That a picture comes back means something only after this many pictures that
 * had never been seen, */
#define MIN_NEW 6
/* and if that is so many times the number of pictures that came back. */
#define RARELY 20
/* Old numbers lose their weight. */
#define MAX_NEW 4000

void
vh_health_recurrence_restart (VhHealthRecurrence * self)
{
  memset (self, 0, sizeof (*self));
}

static guint
set_levels (const VhHealthEvidence * evidence, guint64 ignored,
    guint32 * levels)
{
  guint n = 0, i;

  for (i = 0; i < evidence->columns * evidence->rows; i++) {
    if (!VH_HEALTH_HAS_CELL (ignored, i))
      levels[n++] = llround ((CLAMP (evidence->cell[i].level, -1, 2) + 1)
          * UNIT);
  }
  return n;
}

static guint
count_equal (const guint32 * a, const guint32 * b, guint n)
{
  guint equal = 0, i;

  for (i = 0; i < n; i++)
    equal += a[i] == b[i];
  return equal;
}

static gboolean
has_motion (const guint32 * a, const guint32 * b, guint n)
{
  guint i;

  for (i = 0; i < n; i++) {
    if ((a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]) > MOVES * UNIT)
      return TRUE;
  }
  return FALSE;
}

static void
keep (VhHealthRecurrence * self, const guint32 * levels, guint n,
    GstClockTime time)
{
  const VhKeptPicture *last = &self->kept[(self->n_kept - 1) %
      VH_RECURRENCE_KEPT];
  VhKeptPicture *next;

  if (self->n_kept > 0 && time - last->time < KEEP_INTERVAL)
    return;
  self->n_new += self->n_kept > 0
      && count_equal (levels, last->level, n) * 10 <= n * LEFT_IN_10;
  if (self->n_new > MAX_NEW) {
    self->n_new /= 2;
    self->n_old /= 2;
  }
  next = &self->kept[self->n_kept++ % VH_RECURRENCE_KEPT];
  memcpy (next->level, levels, n * sizeof (*levels));
  next->time = time;
  next->left = next->moved = FALSE;
}

GstClockTime
vh_health_recurrence_follow (VhHealthRecurrence * self,
    const VhHealthEvidence * evidence, guint64 ignored, gboolean active,
    GstClockTime time)
{
  const guint known = MIN (self->n_kept, VH_RECURRENCE_KEPT);
  guint32 levels[VH_HEALTH_CELLS];
  GstClockTime since = GST_CLOCK_TIME_NONE;
  const guint n = set_levels (evidence, ignored, levels);
  guint i;

  for (i = 0; i < known; i++) {
    VhKeptPicture *kept = &self->kept[i];
    guint equal;

    if (kept->left && kept->moved)
      continue;
    equal = count_equal (levels, kept->level, n);
    if (kept->left && !kept->moved && equal * 10 >= n * SAME_IN_10)
      since = MIN (since, kept->time);
    kept->left |= equal * 10 <= n * LEFT_IN_10;
    kept->moved = kept->moved || has_motion (levels, kept->level, n);
  }
  if (GST_CLOCK_TIME_IS_VALID (since) && !active
      && self->n_new < MAX (MIN_NEW, RARELY * self->n_old)) {
    self->n_old++;
    since = GST_CLOCK_TIME_NONE;
  }
  keep (self, levels, n, time);
  return since;
}
