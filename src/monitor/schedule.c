/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "schedule.h"

#include "event.h"

#include <string.h>

#define DAY_MINUTES (24 * 60)

/* A period of each day. If it ends before it starts, it ends the next day. */
typedef struct
{
  GstVideoHealthConditions conditions;
  guint begin, end;             /* minutes of the day */
} Period;

struct _VhmSchedule
{
  GArray *periods;
};

/* Reads HH:MM up to 24:00. */
static gboolean
read_time (const gchar * text, guint * minutes)
{
  guint hour, minute;

  if (strlen (text) != 5 || !g_ascii_isdigit (text[0])
      || !g_ascii_isdigit (text[1]) || text[2] != ':'
      || !g_ascii_isdigit (text[3]) || !g_ascii_isdigit (text[4]))
    return FALSE;
  hour = 10 * (text[0] - '0') + text[1] - '0';
  minute = 10 * (text[3] - '0') + text[4] - '0';
  *minutes = 60 * hour + minute;
  return minute < 60 && *minutes <= DAY_MINUTES;
}

/* Returns the error, to be freed, or NULL. */
static gchar *
read_period (const gchar * text, Period * period)
{
  const gchar *at = strchr (text, '@');
  /* Names of conditions may contain a hyphen. */
  gchar *name = g_strstrip (g_strndup (text, at ? at - text : 0));
  gchar **times = g_strsplit (at ? at + 1 : "", "-", -1);
  const gint condition = vhm_condition_from_name (name);
  gchar *why = NULL;

  if (g_strv_length (times) != 2
      || !read_time (g_strstrip (times[0]), &period->begin)
      || !read_time (g_strstrip (times[1]), &period->end))
    why = g_strdup_printf ("\"%s\" is not CONDITION@HH:MM-HH:MM: set, for "
        "example, dark@22:00-06:00, or *@12:00-13:00 for all conditions",
        text);
  else if (condition < 0 && !g_str_equal (name, "*")) {
    gchar *unknown = vhm_condition_describe_unknown (name);

    why = g_strdup_printf ("%s: set a condition, such as dark@22:00-06:00, or "
        "* for all", unknown);
    g_free (unknown);
  } else if (period->begin % DAY_MINUTES == period->end)
    why = g_strdup_printf ("\"%s\" ends when it starts: for the whole day, "
        "set 00:00-24:00", text);
  period->conditions = condition < 0 ? GST_VIDEO_HEALTH_CONDITIONS_ALL
      : 1 << condition;
  g_strfreev (times);
  g_free (name);
  return why;
}

VhmSchedule *
vhm_schedule_new (const gchar * text, gchar ** why)
{
  VhmSchedule *schedule = g_new (VhmSchedule, 1);
  gchar **parts = g_strsplit (text, ",", -1);
  GString *errors = g_string_new (NULL);
  guint i;

  schedule->periods = g_array_new (FALSE, FALSE, sizeof (Period));
  for (i = 0; parts[i]; i++) {
    Period period;
    gchar *error = read_period (g_strstrip (parts[i]), &period);

    if (error)
      g_string_append_printf (errors, "%s%s", errors->len ? "\n" : "", error);
    g_array_append_val (schedule->periods, period);
    g_free (error);
  }
  g_strfreev (parts);
  *why = g_string_free (errors, !errors->len);
  if (*why)
    g_clear_pointer (&schedule, vhm_schedule_free);
  return schedule;
}

void
vhm_schedule_free (VhmSchedule * schedule)
{
  g_array_unref (schedule->periods);
  g_free (schedule);
}

/* The time on a clock in this time zone, in µs since 1970. */
static gint64
find_time (GTimeZone * zone, const GDate * day, guint minutes)
{
  GDate date = *day;
  GDateTime *time;
  gint64 unix_time;

  g_date_add_days (&date, minutes / DAY_MINUTES);
  minutes %= DAY_MINUTES;
  time = g_date_time_new (zone, g_date_get_year (&date),
      g_date_get_month (&date), g_date_get_day (&date), minutes / 60,
      minutes % 60, 0);
  unix_time = time ? g_date_time_to_unix (time) * G_USEC_PER_SEC : 0;
  g_clear_pointer (&time, g_date_time_unref);
  return unix_time;
}

/* The end of the period that starts on @day, or 0 if it does not last at
 * @now. */
static gint64
find_end_on (const Period * period, GTimeZone * zone, const GDate * day,
    gint64 now)
{
  const guint length = period->end > period->begin ? 0 : DAY_MINUTES;
  const gint64 begin = find_time (zone, day, period->begin);
  const gint64 end = find_time (zone, day, period->end + length);

  return begin <= now && now < end ? end : 0;
}

gint64
vhm_schedule_find_end (const VhmSchedule * schedule,
    GstVideoHealthCondition condition, gint64 now)
{
  GTimeZone *zone = g_time_zone_new_local ();
  GDateTime *utc = vhm_time_to_date (now);
  GDateTime *local = g_date_time_to_timezone (utc, zone);
  GDate today, yesterday;
  gint64 end = 0;
  guint i;

  g_date_clear (&today, 1);
  g_date_set_dmy (&today, g_date_time_get_day_of_month (local),
      g_date_time_get_month (local), g_date_time_get_year (local));
  yesterday = today;
  g_date_subtract_days (&yesterday, 1);
  for (i = 0; i < schedule->periods->len; i++) {
    const Period *period = &g_array_index (schedule->periods, Period, i);

    if (!(period->conditions >> condition & 1))
      continue;
    end = MAX (end, find_end_on (period, zone, &yesterday, now));
    end = MAX (end, find_end_on (period, zone, &today, now));
  }
  g_date_time_unref (local);
  g_date_time_unref (utc);
  g_time_zone_unref (zone);
  return end;
}
