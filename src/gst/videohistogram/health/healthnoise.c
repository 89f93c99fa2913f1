/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthnoise.h"

#include <math.h>

/* Time constant of the average, in s. Coders leave out some of the noise of
 * most frames, and a converted frame rate repeats frames. */
#define PERIOD 1.0

/* A frame counts for at most this many s. */
#define MAX_STEP 10.0

void
vh_health_noise_init (VhHealthNoise * noise)
{
  noise->variance = 0;
  noise->time = GST_CLOCK_TIME_NONE;
}

void
vh_health_noise_restart (VhHealthNoise * noise)
{
  noise->time = GST_CLOCK_TIME_NONE;
}

void
vh_health_noise_add (VhHealthNoise * noise, const VhHealthEvidence * evidence,
    GstClockTime time)
{
  gdouble passed = 0;

  if (GST_CLOCK_TIME_IS_VALID (noise->time) && time > noise->time)
    passed = (gdouble) (time - noise->time) / GST_SECOND;
  passed = MIN (passed, MAX_STEP);
  noise->variance += (evidence->noise * evidence->noise - noise->variance) *
      (1 - exp (-passed / PERIOD));
  noise->time = time;
}

gdouble
vh_health_noise_get (const VhHealthNoise * noise)
{
  return sqrt (noise->variance);
}
