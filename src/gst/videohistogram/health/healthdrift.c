/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthdrift.h"
#include "healthrank.h"

#include <math.h>
#include <string.h>

#define DAY (24 * 3600 * GST_SECOND)

/* The second reference is the plain average of the first days, and then follows
 * with this time constant. Before it was learned for MIN_DAYS it tells
 * nothing. */
#define FOLLOW_DAYS 42
#define MIN_DAYS 10

/* A slot counts on a day on which it was learned for so many ns. */
#define MIN_LEARNED (10.0 * GST_SECOND)

VhHealthDrift *
vh_health_drift_new (void)
{
  VhHealthDrift *drift = g_new0 (VhHealthDrift, 1);

  drift->lost = NAN;
  return drift;
}

static void
measure (const VhHealthSlot * slot, guint n, gdouble values[VH_DRIFT_N])
{
  gdouble contents = 0;
  guint i;

  for (i = 0; i < n; i++)
    contents += slot->contents[i] / n;
  values[VH_DRIFT_SHARPNESS] = slot->sharpness;
  values[VH_DRIFT_CONTRAST] = slot->level > 0 ? contents / slot->level : 0;
  values[VH_DRIFT_LEVEL] = MAX (slot->level, 0);
}

/* Compares a slot with what was usual before, then learns it. A slot that was
 * replaced starts again. */
static void
add_day (VhHealthDriftSlot * weeks, const VhHealthSlot * slot, guint n)
{
  gdouble values[VH_DRIFT_N];
  guint i;

  if (slot->learned < weeks->learned)
    *weeks = (VhHealthDriftSlot) { 0 };
  if (slot->learned < weeks->learned + MIN_LEARNED)
    return;
  weeks->learned = slot->learned;
  measure (slot, n, values);
  weeks->days++;
  for (i = 0; i < VH_DRIFT_N; i++) {
    gdouble *const usual = &weeks->usual[i];

    if (weeks->days == 1)
      *usual = values[i];
    weeks->left[i] = *usual > 0 ? values[i] / *usual : 1;
    *usual += (values[i] - *usual) / MIN (weeks->days, FOLLOW_DAYS);
  }
}

/* What half of the hours, from slot @first on, have lost: around dusk, an hour
 * gets dimmer from week to week in autumn. */
static gdouble
find_lost (const VhHealthDrift * drift, guint first)
{
  gdouble lost = 0;
  guint i, k;

  for (i = 0; i < VH_DRIFT_N; i++) {
    gdouble left[VH_HEALTH_HOURS];
    guint ready = 0, known = 0;

    for (k = first; k < first + VH_HEALTH_HOURS; k++) {
      known += drift->slot[k].days > 0;
      if (drift->slot[k].days >= MIN_DAYS)
        left[ready++] = drift->slot[k].left[i];
    }
    if (ready == 0 || 2 * ready < known)
      return NAN;
    lost = MAX (lost, 1 - vh_health_find_median (left, ready));
  }
  return lost;
}

void
vh_health_drift_follow (VhHealthDrift * drift,
    VhHealthSlot * const slots[VH_HEALTH_SLOTS], guint n, guint64 pixels,
    GstClockTime time)
{
  guint i;

  if (time / DAY == drift->day)
    return;
  if (pixels != drift->pixels)
    memset (drift->slot, 0, sizeof (drift->slot));
  drift->pixels = pixels;
  drift->day = time / DAY;
  for (i = 0; i < VH_HEALTH_SLOTS; i++) {
    if (slots[i])
      add_day (&drift->slot[i], slots[i], n);
  }
  drift->lost = fmax (find_lost (drift, 0),
      find_lost (drift, VH_HEALTH_HOURS));
}
