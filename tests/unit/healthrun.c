/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a condition starts and ends. */
#include "common/suite.h"
#include "gst/videohistogram/health/healthrun.h"

#include <math.h>

static const VhHealthRule rule = { 1, 0.5, 0, 0 };

/* Gives @run a frame with @value; the condition would have started at
 * @start. */
static void
step (VhHealthRun * run, gdouble value, GstClockTime start, GstClockTime time)
{
  const VhHealthStep next = {
    .value = value,
    .looked = TRUE,
    .start = start,
    .time = time,
  };

  fail_unless (vh_health_run_step (run, &rule, &next));
  fail_unless_equals_int (run->active, value >= rule.enter);
}

/* A condition that may say when it started does so, but alarms of it do not
 * overlap. */
GST_START_TEST (test_start)
{
  VhHealthRun run;

  vh_health_run_init (&run);
  step (&run, 1, 5, 10);
  fail_unless_equals_uint64 (run.since, 5);
  step (&run, 0, GST_CLOCK_TIME_NONE, 20);
  fail_unless_equals_uint64 (run.since, 20);
  step (&run, 1, 15, 30);
  fail_unless_equals_uint64 (run.since, 20);
  step (&run, 0, GST_CLOCK_TIME_NONE, 40);
  step (&run, 1, 45, 50);
  fail_unless_equals_uint64 (run.since, 45);
}

GST_END_TEST;

/* A pending start says how long the value has been past the threshold, without
 * the frames in between. */
GST_START_TEST (test_pending)
{
  static const VhHealthRule slow = { 1, 0.5, 10, 0 };
  static const struct
  {
    gdouble value;
    GstClockTime pending;
  } frames[] = {
    {0, 0}, {1, 0}, {1, 1}, {2, 2}, {0.7, 2}, {1, 3}, {0.2, 0}, {1, 0}, {1, 1},
    {NAN, 1}, {1, 3}, {1, 4}, {1, 5}, {1, 6}, {1, 7}, {1, 8}, {1, 9}, {1, 0},
    {0.7, 0},
  };
  VhHealthRun run;
  guint i;

  vh_health_run_init (&run);
  for (i = 0; i < G_N_ELEMENTS (frames); i++) {
    const VhHealthStep next = {
      .value = frames[i].value,
      .start = GST_CLOCK_TIME_NONE,
      .time = i,
    };

    fail_unless_equals_int (vh_health_run_step (&run, &slow, &next), i == 17);
    fail_unless_equals_uint64 (vh_health_run_get_pending (&run),
        frames[i].pending);
  }
}

GST_END_TEST;

TEST_SUITE (healthrun, NULL, NULL)
{
  tcase_add_test (tc, test_start);
  tcase_add_test (tc, test_pending);
}
