/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When conditions are quiet: schedules and snoozes. */
#include <string.h>

#include "common/suite.h"
#include "monitor/quiet.h"

#define DARK GST_VIDEO_HEALTH_CONDITION_DARK
#define BLURRY GST_VIDEO_HEALTH_CONDITION_BLURRY
#define SIGNAL_LOSS GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS

/* In Berlin: clocks are changed at 01:00 UTC on 2026-03-29 and 2026-10-25. */
static void
setup (void)
{
  g_setenv ("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", TRUE);
}

/* @text is in UTC: 2026-03-29T01:00Z. */
static gint64
utc (const gchar * text)
{
  GDateTime *time = g_date_time_new_from_iso8601 (text, NULL);
  const gint64 result = g_date_time_to_unix (time) * G_USEC_PER_SEC;

  g_date_time_unref (time);
  return result;
}

static VhmSchedule *
parse (const gchar * text)
{
  gchar *why = (gchar *) "";
  VhmSchedule *schedule = vhm_schedule_new (text, &why);

  fail_unless (schedule != NULL);
  fail_unless (why == NULL);
  return schedule;
}

/* At each time, the condition is quiet until the other one, or not at all. */
GST_START_TEST (test_periods)
{
  static const struct
  {
    const gchar *schedule;
    guint condition;
    const gchar *now, *end;
  } cases[] = {
    {"dark@22:00-06:00", DARK, "2026-01-10T20:59:59Z", NULL},
    {"dark@22:00-06:00", DARK, "2026-01-10T21:00:00Z", "2026-01-11T05:00:00Z"},
    {"dark@22:00-06:00", DARK, "2026-01-11T04:59:59Z", "2026-01-11T05:00:00Z"},
    {"dark@22:00-06:00", DARK, "2026-01-11T05:00:00Z", NULL},
    {"dark@22:00-06:00", BLURRY, "2026-01-10T22:00:00Z", NULL},
    {"*@12:00-13:00", BLURRY, "2026-01-10T11:30:00Z", "2026-01-10T12:00:00Z"},
    {" blurry @ 12:00 - 13:00 , dark@12:00-24:00", DARK,
        "2026-01-10T11:30:00Z", "2026-01-10T23:00:00Z"},
    /* The later end counts. */
    {"dark@12:00-14:00,*@13:00-15:00", DARK, "2026-01-10T12:30:00Z",
        "2026-01-10T14:00:00Z"},
    {"dark@00:00-24:00", DARK, "2026-01-10T23:00:00Z", "2026-01-11T23:00:00Z"},
    {"signal-loss@23:30-00:00", SIGNAL_LOSS, "2026-12-31T22:45:00Z",
        "2026-12-31T23:00:00Z"},
    {"dark@24:00-01:00", DARK, "2026-01-10T23:30:00Z", "2026-01-11T00:00:00Z"},
    /* The night of an hour less: at 02:00 it is 03:00. */
    {"dark@22:00-06:00", DARK, "2026-03-28T21:00:00Z", "2026-03-29T04:00:00Z"},
    {"dark@02:30-06:00", DARK, "2026-03-29T00:59:59Z", NULL},
    {"dark@02:30-06:00", DARK, "2026-03-29T01:00:00Z", "2026-03-29T04:00:00Z"},
    {"dark@22:00-02:30", DARK, "2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z"},
    {"dark@22:00-02:30", DARK, "2026-03-29T01:00:00Z", NULL},
    {"dark@02:10-02:50", DARK, "2026-03-29T01:00:00Z", NULL},
    /* The night of an hour more: at 03:00 it is 02:00. */
    {"dark@22:00-06:00", DARK, "2026-10-24T20:00:00Z", "2026-10-25T05:00:00Z"},
    {"dark@22:00-02:30", DARK, "2026-10-25T00:45:00Z", "2026-10-25T01:30:00Z"},
    {"dark@22:00-02:30", DARK, "2026-10-25T01:30:00Z", NULL},
    {"dark@02:30-06:00", DARK, "2026-10-25T00:45:00Z", NULL},
    {"dark@02:30-06:00", DARK, "2026-10-25T01:30:00Z", "2026-10-25T05:00:00Z"},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    VhmSchedule *schedule = parse (cases[i].schedule);

    fail_unless_equals_int64 (vhm_schedule_find_end (schedule,
            cases[i].condition, utc (cases[i].now)), cases[i].end ?
        utc (cases[i].end) : 0);
    vhm_schedule_free (schedule);
  }
}

GST_END_TEST;

GST_START_TEST (test_faults)
{
  static const struct
  {
    const gchar *text, *why;
  } cases[] = {
    {"dark", "\"dark\" is not CONDITION@HH:MM-HH:MM: set, for example, "
          "dark@22:00-06:00"},
    {"dark@22-06", "\"dark@22-06\" is not CONDITION@HH:MM-HH:MM"},
    {"dark@22:00-06:60", "is not CONDITION@HH:MM-HH:MM"},
    {"dark@22:00-24:01", "is not CONDITION@HH:MM-HH:MM"},
    {"dark@22:00-06:00-07:00", "is not CONDITION@HH:MM-HH:MM"},
    {"dark@-1:00-06:00", "is not CONDITION@HH:MM-HH:MM"},
    {"dark@22:00-06:00,", "\"\" is not CONDITION@HH:MM-HH:MM"},
    {"drak@22:00-06:00", "\"drak\" is not a condition (did you mean dark?): "
          "set a condition, such as dark@22:00-06:00, or * for all"},
    {"@22:00-06:00", "is not a condition"},
    {"dark@06:00-06:00", "ends when it starts: for the whole day, set "
          "00:00-24:00"},
    {"dark@24:00-00:00", "ends when it starts"},
    {"x@1,y", "\"x@1\" is not CONDITION@HH:MM-HH:MM: set, for example, "
          "dark@22:00-06:00, or *@12:00-13:00 for all conditions\n\"y\" is"},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *why = NULL;

    fail_unless (vhm_schedule_new (cases[i].text, &why) == NULL);
    if (!strstr (why, cases[i].why))
      fail ("%s: %s", cases[i].text, why);
    g_free (why);
  }
}

GST_END_TEST;

static gint64
quiet_until (const VhmQuiet * quiet, guint condition)
{
  return vhm_quiet_get (quiet, condition).until;
}

/* What was over is reported once, even if the clock is set back. */
GST_START_TEST (test_clock_set_back)
{
  const gint64 end = utc ("2026-01-11T05:00:00Z");
  const gint64 next = utc ("2026-01-12T05:00:00Z");
  VhmQuiet *quiet = vhm_quiet_new ();

  vhm_quiet_set_schedule (quiet, "dark@22:00-06:00");
  vhm_quiet_update (quiet, end - 1);
  fail_unless_equals_int64 (quiet_until (quiet, DARK), end);
  fail_unless_equals_string (vhm_quiet_get (quiet, DARK).by, "schedule");
  fail_unless_equals_int64 (quiet_until (quiet, BLURRY), 0);
  vhm_quiet_update (quiet, end);
  fail_unless_equals_int64 (quiet_until (quiet, DARK), 0);
  vhm_quiet_update (quiet, end - 5 * G_TIME_SPAN_MINUTE);
  fail_unless_equals_int64 (quiet_until (quiet, DARK), 0);
  /* The next night. */
  vhm_quiet_update (quiet, next - 1);
  fail_unless_equals_int64 (quiet_until (quiet, DARK), next);

  /* Another schedule. */
  vhm_quiet_set_schedule (quiet, "blurry@22:00-05:30");
  vhm_quiet_update (quiet, next - G_TIME_SPAN_HOUR);
  fail_unless_equals_int64 (quiet_until (quiet, DARK), 0);
  fail_unless_equals_int64 (quiet_until (quiet, BLURRY),
      next - 30 * G_TIME_SPAN_MINUTE);
  vhm_quiet_set_schedule (quiet, NULL);
  vhm_quiet_update (quiet, next - G_TIME_SPAN_HOUR);
  fail_unless_equals_int64 (quiet_until (quiet, BLURRY), 0);
  vhm_quiet_free (quiet);
}

GST_END_TEST;

GST_START_TEST (test_snoozes)
{
  const gint64 now = g_get_real_time ();
  const gint64 soon = now + G_TIME_SPAN_HOUR, late = now + G_TIME_SPAN_DAY;
  VhmQuiet *quiet = vhm_quiet_new ();

  vhm_quiet_set_snooze (quiet, DARK, late, "Ann", "");
  vhm_quiet_set_snooze (quiet, VHM_WHOLE_CAMERA, soon, "Zoe", "");
  fail_unless_equals_int (vhm_quiet_update (quiet, now), 0);
  /* The longer one counts. */
  fail_unless_equals_string (vhm_quiet_get (quiet, DARK).by, "Ann");
  fail_unless_equals_int64 (quiet_until (quiet, DARK), late);
  fail_unless_equals_string (vhm_quiet_get (quiet, BLURRY).by, "Zoe");
  fail_unless_equals_int64 (vhm_quiet_get_snooze (quiet,
          VHM_WHOLE_CAMERA).until, soon);
  /* A clock that is set back does not end it. */
  fail_unless_equals_int (vhm_quiet_update (quiet, now - G_TIME_SPAN_DAY), 0);
  fail_unless_equals_int (vhm_quiet_update (quiet, soon),
      1 << VHM_WHOLE_CAMERA);
  fail_unless_equals_int (vhm_quiet_update (quiet, soon), 0);
  fail_unless_equals_int64 (quiet_until (quiet, BLURRY), 0);
  fail_unless_equals_int64 (quiet_until (quiet, DARK), late);
  vhm_quiet_set_snooze (quiet, DARK, 0, "Zoe", "");
  fail_unless_equals_int64 (quiet_until (quiet, DARK), 0);
  fail_unless_equals_int (vhm_quiet_update (quiet, late), 0);

  /* What was stored before the clock was set back by a year, and one that is
   * over. */
  vhm_quiet_set_snooze (quiet, DARK, now - 1, "", "");
  vhm_quiet_set_snooze (quiet, BLURRY, G_MAXINT64, "", "");
  fail_unless_equals_int (vhm_quiet_update (quiet, now), 1 << DARK);
  fail_unless_equals_int64 (quiet_until (quiet, BLURRY), G_MAXINT64);
  vhm_quiet_free (quiet);
}

GST_END_TEST;

TEST_SUITE (quiet, setup, NULL)
{
  tcase_add_test (tc, test_periods);
  tcase_add_test (tc, test_faults);
  tcase_add_test (tc, test_clock_set_back);
  tcase_add_test (tc, test_snoozes);
}
