/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a condition starts and ends. */
#include "common/suite.h"
#include "gst/videohistogram/health/healthrun.h"

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

TEST_SUITE (healthrun, NULL, NULL)
{
  tcase_add_test (tc, test_start);
}
