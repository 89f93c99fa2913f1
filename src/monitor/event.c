/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "event.h"

#include "problems.h"
#include "core/duration.h"

#include <string.h>

static const gchar *const severity_names[] = {
  [GST_VIDEO_HEALTH_SEVERITY_NONE] = "",
  [GST_VIDEO_HEALTH_SEVERITY_NOTICE] = "notice",
  [GST_VIDEO_HEALTH_SEVERITY_IMPAIRED] = "impaired",
  [GST_VIDEO_HEALTH_SEVERITY_LOST] = "lost",
};

VhmEvent *
vhm_event_new (const gchar * camera, GstVideoHealthCondition condition)
{
  VhmEvent *event = g_new0 (VhmEvent, 1);

  event->camera = g_strdup (camera);
  event->condition = condition;
  event->reason = g_strdup ("");
  event->acknowledged_by = g_strdup ("");
  event->note = g_strdup ("");
  return event;
}

VhmEvent *
vhm_event_copy (const VhmEvent * event)
{
  VhmEvent *copy = g_new (VhmEvent, 1);

  *copy = *event;
  copy->camera = g_strdup (event->camera);
  copy->reason = g_strdup (event->reason);
  copy->acknowledged_by = g_strdup (event->acknowledged_by);
  copy->note = g_strdup (event->note);
  return copy;
}

VhmEvent *
vhm_event_copy_localized (const VhmEvent * event)
{
  VhmEvent *copy = vhm_event_copy (event);

  g_free (copy->reason);
  copy->reason = vhm_text_localize (event->reason, NULL);
  return copy;
}

void
vhm_event_free (VhmEvent * event)
{
  g_free (event->camera);
  g_free (event->reason);
  g_free (event->acknowledged_by);
  g_free (event->note);
  g_free (event);
}

gint
vhm_condition_from_name (const gchar * name)
{
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    if (g_str_equal (name, gst_video_health_condition_get_name (i)))
      return i;
  return -1;
}

gchar *
vhm_condition_describe_unknown (const gchar * name)
{
  const gchar *names[GST_VIDEO_HEALTH_N_CONDITIONS + 1] = { NULL };
  const gchar *nearest;
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    names[i] = gst_video_health_condition_get_name (i);
  nearest = vhm_nearest_name (name, names);
  return nearest ?
      g_strdup_printf ("\"%s\" is not a condition (did you mean %s?)", name,
      nearest) : g_strdup_printf ("\"%s\" is not a condition", name);
}

const gchar *
vhm_severity_get_name (GstVideoHealthSeverity severity)
{
  return severity_names[severity];
}

gchar *
vhm_event_get_cause (const gchar * reason)
{
  static const gchar *const of_quiet[] = { VHM_SNOOZED_END,
    VHM_QUIET_HOURS_END, VHM_STILL_ACTIVE
  };
  const gchar *end = reason + strlen (reason);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (of_quiet); i++) {
    gchar *later = g_strconcat ("; ", of_quiet[i], NULL);
    const gchar *place = g_str_has_prefix (reason, of_quiet[i]) ? reason
        : strstr (reason, later);

    if (place)
      end = MIN (end, place);
    g_free (later);
  }
  return g_strndup (reason, end - reason);
}

gint64
vhm_seconds_round_up (gint64 seconds)
{
  const gint64 unit = seconds < VH_LONG_DURATION ? 1 : seconds < 24 * 3600 ? 60
      : 3600;

  return (seconds + unit - 1) / unit * unit;
}

gint64
vhm_seconds_between (gint64 start, gint64 end)
{
  return MAX (end / G_TIME_SPAN_SECOND - start / G_TIME_SPAN_SECOND, 0);
}

/* Of the years 1000 to 9999, which have four digits as RFC 3339 wants, without
 * the first and the last day, so that this holds in any time zone; µs since
 * 1970. */
#define MIN_TIME (G_GINT64_CONSTANT (-30610137600) * G_USEC_PER_SEC)
#define MAX_TIME (G_GINT64_CONSTANT (253402214400) * G_USEC_PER_SEC)

GDateTime *
vhm_time_to_date (gint64 time)
{
  const gint64 later = CLAMP (time, MIN_TIME, MAX_TIME) - MIN_TIME;

  return g_date_time_new_from_unix_utc ((later / G_TIME_SPAN_SECOND)
      + MIN_TIME / G_TIME_SPAN_SECOND);
}

gchar *
vhm_time_to_text (gint64 time)
{
  GDateTime *date = vhm_time_to_date (time);
  const gint64 later = time - g_date_time_to_unix (date) * G_USEC_PER_SEC;
  gchar *seconds = g_date_time_format (date, "%Y-%m-%dT%H:%M:%S");
  gchar *text = g_strdup_printf ("%s.%03dZ", seconds,
      (gint) (CLAMP (later, 0, G_USEC_PER_SEC - 1) / 1000));

  g_free (seconds);
  g_date_time_unref (date);
  return text;
}

gchar *
vhm_time_print (gint64 time, const gchar * format)
{
  GDateTime *date = vhm_time_to_date (time);
  GDateTime *local = g_date_time_to_local (date);
  gchar *text = g_date_time_format (local ? local : date, format);

  g_clear_pointer (&local, g_date_time_unref);
  g_date_time_unref (date);
  return text;
}

/* @data: the format of a time, or NULL for one as short as today allows. */
static gboolean
replace_time (const GMatchInfo * match, GString * text, gpointer data)
{
  gchar *found = g_match_info_fetch (match, 0);
  GDateTime *date = g_date_time_new_from_iso8601 (found, NULL);

  if (date) {
    const gint64 time = g_date_time_to_unix (date) * G_USEC_PER_SEC;
    gchar *day = vhm_time_print (time, "%Y-%m-%d");
    gchar *today = vhm_time_print (g_get_real_time (), "%Y-%m-%d");
    gchar *local = vhm_time_print (time, data ? data : g_str_equal (day, today)
        ? "%H:%M:%S" : VHM_TIME_FORMAT);

    g_string_append (text, local);
    g_free (local);
    g_free (today);
    g_free (day);
    g_date_time_unref (date);
  } else
    g_string_append (text, found);
  g_free (found);
  return FALSE;
}

gchar *
vhm_text_localize (const gchar * text, const gchar * format)
{
  static gsize made;
  static GRegex *times;
  gchar *local;

  if (g_once_init_enter (&made)) {
    times = g_regex_new ("\\b\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z", G_REGEX_OPTIMIZE,
        0, NULL);
    g_once_init_leave (&made, TRUE);
  }
  local = g_regex_replace_eval (times, text, -1, 0, 0, replace_time,
      (gpointer) format, NULL);
  return local ? local : g_strdup (text);
}
