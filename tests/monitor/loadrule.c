/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When cameras with decode=auto are judged by key frames, and when not. */
#include "common/suite.h"
#include "monitor/loadcontrol.h"

#define SECOND G_TIME_SPAN_SECOND
#define STEP (2 * SECOND)

/* Runs the rule for a time with one load. Returns how often it made @wanted. */
static guint
count_steps (VhmLoadRule * rule, gint64 * now, gint64 duration, gdouble load,
    VhmLoadStep wanted)
{
  const gint64 end = *now + duration;
  guint n = 0;

  for (; *now < end; *now += STEP)
    n += vhm_load_rule_step (rule, load, FALSE, TRUE, *now) == wanted;
  return n;
}

GST_START_TEST (test_relief)
{
  VhmLoadRule rule = { 0 };
  gint64 now = SECOND;

  assert_equals_int (count_steps (&rule, &now, 10 * STEP, 0.79,
          VHM_LOAD_KEEP), 10);
  assert_equals_int (count_steps (&rule, &now, 10 * STEP, 0.81,
          VHM_LOAD_RELIEVE), 10);
  fail_unless (vhm_load_rule_step (&rule, 0.1, TRUE, TRUE, now)
      == VHM_LOAD_RELIEVE);
}

GST_END_TEST;

/* Cameras return one by one, only after the load was low for a minute. */
GST_START_TEST (test_return)
{
  VhmLoadRule rule = { 0 };
  gint64 now = SECOND;

  assert_equals_int (count_steps (&rule, &now, 600 * SECOND, 0.6,
          VHM_LOAD_KEEP), 300);
  assert_equals_int (count_steps (&rule, &now, 60 * SECOND, 0.4,
          VHM_LOAD_KEEP), 30);
  assert_equals_int (count_steps (&rule, &now, 180 * SECOND, 0.4,
          VHM_LOAD_RETURN), 3);
  /* A moment of more load counts from the start again. */
  vhm_load_rule_step (&rule, 0.6, FALSE, TRUE, now);
  assert_equals_int (count_steps (&rule, &now, 60 * SECOND, 0.4,
          VHM_LOAD_KEEP), 30);
  fail_unless (vhm_load_rule_step (&rule, 0.4, FALSE, FALSE, now)
      == VHM_LOAD_KEEP);
}

GST_END_TEST;

/* A camera whose return overloads the processors returns ever more rarely. */
GST_START_TEST (test_swinging)
{
  VhmLoadRule rule = { 0 };
  gint64 now = SECOND, wait = 0, before;
  guint i;

  for (i = 0; i < 12; i++) {
    before = wait;
    wait = now;
    while (vhm_load_rule_step (&rule, 0.4, FALSE, TRUE, now)
        != VHM_LOAD_RETURN)
      now += STEP;
    wait = now - wait;
    fail_unless (wait >= before && wait <= 3600 * SECOND);
    now += STEP;
    fail_unless (vhm_load_rule_step (&rule, 0.9, FALSE, TRUE, now)
        == VHM_LOAD_RELIEVE);
    now += STEP;
  }
  fail_unless (wait == 3600 * SECOND);
}

GST_END_TEST;

TEST_SUITE (loadrule, NULL, NULL)
{
  tcase_add_test (tc, test_relief);
  tcase_add_test (tc, test_return);
  tcase_add_test (tc, test_swinging);
}
