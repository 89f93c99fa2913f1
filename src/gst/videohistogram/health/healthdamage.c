/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthdamage.h"

#include <math.h>

/* Time constant of the average, in s. */
#define PERIOD 5.0

/* A frame counts for at most this many s. */
#define MAX_STEP 10.0

void
vh_health_damage_init (VhHealthDamage * damage)
{
  damage->share = 0;
  damage->time = GST_CLOCK_TIME_NONE;
}

void
vh_health_damage_restart (VhHealthDamage * damage)
{
  damage->time = GST_CLOCK_TIME_NONE;
}

/* Frames count by the time since the last judged frame. So a frame that comes
 * late because those before it were lost counts for them, too, and any rate of
 * frames gives the same share. */
void
vh_health_damage_add (VhHealthDamage * damage,
    const VhHealthEvidence * evidence, GstClockTime time)
{
  const gdouble share = (gdouble) evidence->n_corrupted / evidence->n_frames;
  gdouble passed = 0;

  if (GST_CLOCK_TIME_IS_VALID (damage->time) && time > damage->time)
    passed = (gdouble) (time - damage->time) / GST_SECOND;
  passed = MIN (passed, MAX_STEP);
  damage->share += (share - damage->share) * (1 - exp (-passed / PERIOD));
  damage->time = time;
}
