/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "event.h"

#include "problems.h"
#include "core/duration.h"

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

/* How the alarm ends: its condition may go on. */
static const gchar *
get_end_words (const VhmEvent * event)
{
  static const gchar *const of_quiet[] = { VHM_SNOOZED_END,
    VHM_QUIET_HOURS_END, VHM_SNOOZE_OVER, VHM_QUIET_HOURS_OVER
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (of_quiet); i++)
    if (g_str_has_prefix (event->reason, of_quiet[i]))
      return event->quiet ? "no longer quiet" : "now quiet";
  return event->quiet ? "quiet: cleared" : "cleared";
}

void
vhm_event_log (const VhmEvent * event, gint64 began)
{
  const gchar *unit = gst_video_health_condition_get_unit (event->condition);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "camera %s: ", event->camera);
  if (!event->active) {
    g_string_append (text, get_end_words (event));
    if (began) {
      gchar *time = vh_duration_print (vhm_seconds_between (began,
              event->since));

      g_string_append_printf (text, " after %s", time);
      g_free (time);
    }
    g_string_append (text, ": ");
  } else if (event->quiet) {
    g_string_append (text, "quiet: ");
  }
  g_string_append_printf (text, "%s (%s",
      gst_video_health_condition_get_words (event->condition),
      gst_video_health_condition_get_name (event->condition));
  if (event->threshold > 0 && g_str_equal (unit, "s"))
    g_string_append_printf (text, ": %.3g s, threshold %.3g s", event->value,
        event->threshold);
  else if (event->threshold > 0)
    g_string_append_printf (text, ": %s = %.3g, threshold %.3g", unit,
        event->value, event->threshold);
  g_string_append_c (text, ')');
  if (*event->reason)
    g_string_append_printf (text, ": %s", event->reason);
  g_message ("%s", text->str);
  g_string_free (text, TRUE);
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
