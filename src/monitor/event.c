/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "event.h"

/* Where the name of a condition says too little. */
static const gchar *const words[GST_VIDEO_HEALTH_N_CONDITIONS] = {
  [GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS] = "no video",
  [GST_VIDEO_HEALTH_CONDITION_BLACK] = "picture black",
  [GST_VIDEO_HEALTH_CONDITION_DARK] = "too dark",
  [GST_VIDEO_HEALTH_CONDITION_BRIGHT] = "too bright",
  [GST_VIDEO_HEALTH_CONDITION_BLURRY] = "out of focus",
  [GST_VIDEO_HEALTH_CONDITION_LOW_CONTRAST] = "low contrast",
  [GST_VIDEO_HEALTH_CONDITION_COVERED] = "camera covered",
  [GST_VIDEO_HEALTH_CONDITION_MOVED] = "camera moved",
  [GST_VIDEO_HEALTH_CONDITION_FROZEN] = "picture frozen",
  [GST_VIDEO_HEALTH_CONDITION_COLOR_CAST] = "color cast",
  [GST_VIDEO_HEALTH_CONDITION_MONOCHROME] = "no color",
  [GST_VIDEO_HEALTH_CONDITION_FLAPPING] = "switching between day and night",
  [GST_VIDEO_HEALTH_CONDITION_FLASHING] = "picture flashing",
};

VhmEvent *
vhm_event_new (const gchar * camera, GstVideoHealthCondition condition)
{
  VhmEvent *event = g_new0 (VhmEvent, 1);

  event->camera = g_strdup (camera);
  event->condition = condition;
  event->reason = g_strdup ("");
  return event;
}

VhmEvent *
vhm_event_copy (const VhmEvent * event)
{
  VhmEvent *copy = g_new (VhmEvent, 1);

  *copy = *event;
  copy->camera = g_strdup (event->camera);
  copy->reason = g_strdup (event->reason);
  return copy;
}

void
vhm_event_free (VhmEvent * event)
{
  g_free (event->camera);
  g_free (event->reason);
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

const gchar *
vhm_condition_get_words (GstVideoHealthCondition condition)
{
  return words[condition] ? words[condition] :
      gst_video_health_condition_get_name (condition);
}

void
vhm_event_log (const VhmEvent * event, gint64 began)
{
  const gchar *unit = gst_video_health_condition_get_unit (event->condition);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "camera %s: ", event->camera);
  if (!event->active && began)
    g_string_append_printf (text, "cleared after %.0f seconds: ",
        MAX (event->since - began, 0) / 1e6);
  else if (!event->active)
    g_string_append (text, "cleared: ");
  g_string_append_printf (text, "%s (%s", words[event->condition],
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

gchar *
vhm_time_to_text (gint64 time)
{
  GDateTime *date = g_date_time_new_from_unix_utc (time / G_USEC_PER_SEC);
  gchar *seconds = g_date_time_format (date, "%Y-%m-%dT%H:%M:%S");
  gchar *text = g_strdup_printf ("%s.%03dZ", seconds,
      (gint) (time % G_USEC_PER_SEC / 1000));

  g_free (seconds);
  g_date_time_unref (date);
  return text;
}
