/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthrun.h"

#include <math.h>

void
vh_health_run_init (VhHealthRun * run)
{
  *run = (VhHealthRun) {
    .entered = NAN,
    .since = GST_CLOCK_TIME_NONE,
    .entering = GST_CLOCK_TIME_NONE,
    .leaving = GST_CLOCK_TIME_NONE,
    .clear = GST_CLOCK_TIME_NONE,
  };
}

gboolean
vh_health_run_is_sure (const VhHealthRun * run)
{
  return run->active || (run->sure && GST_CLOCK_TIME_IS_VALID (run->entering));
}

GstClockTime
vh_health_run_get_pending (const VhHealthRun * run)
{
  return !run->active && GST_CLOCK_TIME_IS_VALID (run->entering)
      && run->stepped >= run->entering + run->between ?
      run->stepped - run->entering - run->between : 0;
}

void
vh_health_run_restart (VhHealthRun * run)
{
  run->entering = run->leaving = run->clear = GST_CLOCK_TIME_NONE;
}

gboolean
vh_health_is_past_enter (const VhHealthRule * rule, gboolean below,
    gdouble value)
{
  return below ? value <= rule->enter : value >= rule->enter;
}

gboolean
vh_health_is_past_leave (const VhHealthRule * rule, gboolean below,
    gdouble value)
{
  return below ? value > rule->leave : value < rule->leave;
}

/* Whether the condition started under a rule with another `enter`. */
static gboolean
has_other_rule (const VhHealthRun * run, const VhHealthRule * rule)
{
  return !isnan (run->entered) && run->entered != rule->enter;
}

gboolean
vh_health_run_is_clear (const VhHealthRun * run, const VhHealthRule * rule,
    gboolean below, gdouble value)
{
  return vh_health_is_past_leave (rule, below, value)
      || (has_other_rule (run, rule)
      && !vh_health_is_past_enter (rule, below, value));
}

/* Values carry the noise of the scene, so a frame between the thresholds does
 * not drop a pending start; it only does not count. A start is dropped if there
 * are more such frames than frames past enter. */
static gboolean
stays_pending (VhHealthRun * run, const VhHealthRule * rule,
    const VhHealthStep * step)
{
  if (step->compares || step->masked
      || !GST_CLOCK_TIME_IS_VALID (run->entering) || step->time < run->stepped
      || vh_health_is_past_leave (rule, step->below, step->value))
    return FALSE;
  run->between += step->time - run->stepped;
  return 2 * run->between <= step->time - run->entering;
}

/* Whether the value of a pending start has been past enter for so long. */
static gboolean
has_lasted (const VhHealthRun * run, GstClockTime time, GstClockTime duration)
{
  return time >= run->entering
      && time - run->entering >= duration + run->between;
}

/* When the condition started, if it has lasted long enough; otherwise NONE. It
 * cannot have started before it last ended. */
static GstClockTime
get_start (const VhHealthRun * run, const VhHealthRule * rule,
    const VhHealthStep * step)
{
  if (GST_CLOCK_TIME_IS_VALID (step->start))
    return GST_CLOCK_TIME_IS_VALID (run->since) && run->since <= step->time ?
        MAX (step->start, run->since) : step->start;
  return has_lasted (run, step->time, rule->duration) ? run->entering :
      GST_CLOCK_TIME_NONE;
}

static gboolean
try_to_enter (VhHealthRun * run, const VhHealthRule * rule,
    const VhHealthStep * step)
{
  const GstClockTime time = step->time;
  GstClockTime start;

  if (step->masked
      || !vh_health_is_past_enter (rule, step->below, step->value)) {
    if (!stays_pending (run, rule, step)) {
      run->entering = GST_CLOCK_TIME_NONE;
      run->clear = time;
    }
    run->stepped = time;
    return FALSE;
  }
  if (!GST_CLOCK_TIME_IS_VALID (run->entering)) {
    run->entering = step->compares && GST_CLOCK_TIME_IS_VALID (run->clear) ?
        run->clear : time;
    run->between = 0;
    run->sure = FALSE;
  }
  run->stepped = time;
  if (!step->suspended && step->sure_after
      && has_lasted (run, time, step->sure_after))
    run->sure = TRUE;
  start = get_start (run, rule, step);
  if ((step->suspended && !run->sure) || !GST_CLOCK_TIME_IS_VALID (start))
    return FALSE;
  run->active = TRUE;
  run->entered = rule->enter;
  run->since = start;
  run->entering = run->leaving = GST_CLOCK_TIME_NONE;
  return TRUE;
}

/* Once the value is past the new `enter` for the duration, the condition would
 * have started under the new rule, too. */
static void
confirm (VhHealthRun * run, const VhHealthRule * rule,
    const VhHealthStep * step)
{
  if (!has_other_rule (run, rule)
      || !vh_health_is_past_enter (rule, step->below, step->value)) {
    run->entering = GST_CLOCK_TIME_NONE;
    return;
  }
  if (!GST_CLOCK_TIME_IS_VALID (run->entering)) {
    run->entering = run->stepped = step->time;
    run->between = 0;
  }
  if (step->time >= run->entering
      && step->time - run->entering >= rule->duration) {
    run->entered = rule->enter;
    run->entering = GST_CLOCK_TIME_NONE;
  }
}

static gboolean
try_to_leave (VhHealthRun * run, const VhHealthRule * rule,
    const VhHealthStep * step)
{
  const GstClockTime hold = MAX (rule->hold, step->hold);

  confirm (run, rule, step);
  if (!vh_health_run_is_clear (run, rule, step->below, step->value)) {
    run->leaving = GST_CLOCK_TIME_NONE;
    return FALSE;
  }
  if (!GST_CLOCK_TIME_IS_VALID (run->leaving))
    run->leaving = step->time;
  if (step->time < run->leaving || step->time - run->leaving < hold)
    return FALSE;
  run->active = FALSE;
  run->since = run->leaving;
  run->entering = run->leaving = GST_CLOCK_TIME_NONE;
  run->clear = step->time;
  return TRUE;
}

gboolean
vh_health_run_step (VhHealthRun * run, const VhHealthRule * rule,
    const VhHealthStep * step)
{
  run->judged = !isnan (step->value);
  if (!run->judged) {
    if (!GST_CLOCK_TIME_IS_VALID (run->clear))
      run->clear = step->time;
    if (step->looked)
      run->entering = GST_CLOCK_TIME_NONE;
    return FALSE;
  }
  run->value = step->value;
  return run->active ? try_to_leave (run, rule, step) :
      try_to_enter (run, rule, step);
}
