/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthaverage.h"

#include <math.h>

/* A frame counts for at most this many s. */
#define MAX_STEP 10.0

void
vh_health_average_init (VhHealthAverage * average)
{
  average->value = average->added = 0;
  average->time = GST_CLOCK_TIME_NONE;
}

void
vh_health_average_restart (VhHealthAverage * average)
{
  average->time = GST_CLOCK_TIME_NONE;
}

/* Frames count by the time since the last judged frame. So a frame that comes
 * late because those before it were lost counts for them, too, and any rate of
 * frames gives the same average. */
static gdouble
add_time (VhHealthAverage * average, GstClockTime time)
{
  gdouble passed = 0;

  if (GST_CLOCK_TIME_IS_VALID (average->time) && time > average->time)
    passed = (gdouble) (time - average->time) / GST_SECOND;
  passed = MIN (passed, MAX_STEP);
  average->added += passed;
  average->time = time;
  return passed;
}

void
vh_health_average_add (VhHealthAverage * average, gdouble number,
    gdouble period, GstClockTime time)
{
  const gdouble passed = add_time (average, time);

  average->value += (number - average->value) * (1 - exp (-passed / period));
}

void
vh_health_average_add_mean (VhHealthAverage * average, gdouble number,
    gdouble period, GstClockTime time)
{
  const gdouble passed = add_time (average, time);

  if (passed > 0)
    average->value += (number - average->value) * (average->added < period ?
        passed / average->added : 1 - exp (-passed / period));
}
