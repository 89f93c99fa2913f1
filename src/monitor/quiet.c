/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "quiet.h"

#define MAX_TIME (VHM_MAX_SNOOZE_SECONDS * (gint64) G_TIME_SPAN_SECOND)

typedef struct
{
  gint64 until;                 /* µs since 1970; 0: none */
  gint64 deadline;              /* monotonic µs: at the latest */
  gchar *by, *note;
} Snooze;

struct _VhmQuiet
{
  Snooze snoozes[VHM_N_SNOOZES];
  VhmSchedule *schedule;        /* or NULL */
  gint64 minute;                /* since 1970, of the last look at it */
  /* when the period of the schedule ends, or 0; and when the last one ended */
  gint64 scheduled[GST_VIDEO_HEALTH_N_CONDITIONS];
  gint64 over[GST_VIDEO_HEALTH_N_CONDITIONS];
};

VhmQuiet *
vhm_quiet_new (void)
{
  return g_new0 (VhmQuiet, 1);
}

void
vhm_quiet_free (VhmQuiet * quiet)
{
  guint i;

  for (i = 0; i < VHM_N_SNOOZES; i++) {
    g_free (quiet->snoozes[i].by);
    g_free (quiet->snoozes[i].note);
  }
  g_clear_pointer (&quiet->schedule, vhm_schedule_free);
  g_free (quiet);
}

void
vhm_quiet_set_schedule (VhmQuiet * quiet, const gchar * text)
{
  gchar *why = NULL;

  g_clear_pointer (&quiet->schedule, vhm_schedule_free);
  quiet->minute = -1;
  if (text)
    quiet->schedule = vhm_schedule_new (text, &why);
  g_free (why);
}

void
vhm_quiet_set_snooze (VhmQuiet * quiet, guint snooze, gint64 until,
    const gchar * by, const gchar * note)
{
  Snooze *s = &quiet->snoozes[snooze];

  g_free (s->by);
  g_free (s->note);
  s->by = g_strdup (by);
  s->note = g_strdup (note);
  s->until = until;
  s->deadline = g_get_monotonic_time () + CLAMP (until - g_get_real_time (), 0,
      MAX_TIME);
}

VhmQuietPeriod
vhm_quiet_get_snooze (const VhmQuiet * quiet, guint snooze)
{
  const Snooze *s = &quiet->snoozes[snooze];

  return (VhmQuietPeriod) {
  s->until, s->by, s->note};
}

/* A period that was over does not come again if the clock is set back. */
static void
update_schedule (VhmQuiet * quiet, GstVideoHealthCondition condition,
    gint64 now)
{
  gint64 *scheduled = &quiet->scheduled[condition];
  gint64 *over = &quiet->over[condition];
  gint64 end = quiet->schedule ?
      vhm_schedule_find_end (quiet->schedule, condition, now) : 0;

  if (*scheduled && *scheduled <= now)
    *over = *scheduled;
  *scheduled = end == *over ? 0 : end;
}

guint
vhm_quiet_update (VhmQuiet * quiet, gint64 now)
{
  const gint64 minute = now / G_TIME_SPAN_MINUTE;
  guint ended = 0, i;

  for (i = 0; i < VHM_N_SNOOZES; i++) {
    const Snooze *s = &quiet->snoozes[i];

    if (!s->until || (now < s->until && g_get_monotonic_time () < s->deadline))
      continue;
    vhm_quiet_set_snooze (quiet, i, 0, NULL, NULL);
    ended |= 1 << i;
  }
  /* Periods start and end with a minute. */
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS && minute != quiet->minute; i++)
    update_schedule (quiet, i, now);
  quiet->minute = minute;
  return ended;
}

VhmQuietPeriod
vhm_quiet_get (const VhmQuiet * quiet, GstVideoHealthCondition condition)
{
  const Snooze *own = &quiet->snoozes[condition];
  const Snooze *whole = &quiet->snoozes[VHM_WHOLE_CAMERA];
  const Snooze *longer = whole->until > own->until ? whole : own;

  if (quiet->scheduled[condition] > longer->until)
    return (VhmQuietPeriod) {
    quiet->scheduled[condition], VHM_BY_SCHEDULE, ""};
  return (VhmQuietPeriod) {
  longer->until, longer->by, longer->note};
}
