/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "eventlog.h"

#include "scale.h"
#include "core/duration.h"

#include <math.h>
#include <string.h>

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

static void
append_duration (GString * text, const VhmEvent * event, gint64 began)
{
  const gboolean at_most = g_str_equal (event->reason, VHM_UNWATCHED_END);
  const gint64 seconds = vhm_seconds_between (began, event->since);
  gchar *time = vh_duration_print (at_most ? vhm_seconds_round_up (seconds)
      : seconds);

  g_string_append_printf (text, " after %s%s", at_most ? "at most " : "", time);
  g_free (time);
}

/* As the page shows them. */
static void
append_value (GString * text, const VhmEvent * event)
{
  const VhmThresholds rule = { event->threshold, event->threshold, 0, 0 };
  const gchar *unit;
  VhmScale scale;

  vhm_scale_init (&scale, event->condition, &rule, event->active, event->value,
      NULL, 0);
  unit = *scale.unit ? " " : "";
  g_string_append_printf (text, ": %c%s %.3g%s%s, threshold %.3g%s%s",
      g_ascii_tolower (*scale.label), scale.label + 1, scale.value, unit,
      scale.unit, scale.enter, unit, scale.unit);
  vhm_scale_clear (&scale);
}

void
vhm_event_log (const VhmEvent * event, gint64 began)
{
  GString *text = g_string_new (NULL);
  gchar *reason = vhm_text_localize (event->reason, NULL);

  g_string_append_printf (text, "camera %s: ", event->camera);
  if (!event->active) {
    g_string_append (text, get_end_words (event));
    if (began)
      append_duration (text, event, began);
    g_string_append (text, ": ");
  } else if (event->quiet) {
    g_string_append (text, "quiet: ");
  }
  g_string_append_printf (text, "%s (%s",
      gst_video_health_condition_get_words (event->condition),
      gst_video_health_condition_get_name (event->condition));
  if (event->threshold > 0 && isfinite (event->value))
    append_value (text, event);
  g_string_append_c (text, ')');
  /* The words above say this, too. */
  if (g_str_has_suffix (reason, VHM_GOES_ON))
    reason[strlen (reason) - strlen (VHM_GOES_ON)] = '\0';
  if (*reason)
    g_string_append_printf (text, ": %s", reason);
  g_message ("%s", text->str);
  g_free (reason);
  g_string_free (text, TRUE);
}
