/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "thresholds.h"

#include "event.h"

#include <string.h>

/* GStreamer would take a time in ns for an int, which it does not fit into. */
static gdouble
read_number (const gchar * rule, const gchar * field)
{
  return g_ascii_strtod (strstr (rule, field) + strlen (field), NULL);
}

void
vhm_thresholds_read (GstVideoHealth * health,
    VhmThresholds thresholds[GST_VIDEO_HEALTH_N_CONDITIONS])
{
  gchar *text = gst_video_health_dup_rules (health);
  gchar **rules = g_strsplit (text, "; ", -1);
  guint i;

  for (i = 0; rules[i]; i++) {
    gchar *fields = strchr (rules[i], ',');
    gchar *name = g_strndup (rules[i], fields - rules[i]);

    thresholds[vhm_condition_from_name (name)] = (VhmThresholds) {
      .enter = read_number (fields, ",enter="),
      .leave = read_number (fields, ",leave="),
      .duration = read_number (fields, ",duration=") / 1000,
      .hold = read_number (fields, ",hold=") / 1000,
    };
    g_free (name);
  }
  g_strfreev (rules);
  g_free (text);
}

gboolean
vhm_thresholds_are_passed (const VhmThresholds * t, gboolean active,
    gdouble value)
{
  /* Small values are what is wrong where enter is below leave. */
  const gboolean below = t->enter < t->leave;

  if (active)
    return below ? value <= t->enter : value >= t->enter;
  return below ? value > t->leave : value < t->leave;
}
