/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scale.h"

#include "event.h"

#include <math.h>

/* Appends why no alarm starts, whatever the value is. Takes @sentence. */
static gchar *
add_reason (gchar * sentence, GstVideoHealthConditions held_back)
{
  GString *text = g_string_new (sentence);
  const gchar *separator = "";
  guint i;

  g_free (sentence);
  g_string_append (text, " It does not start now, because another alarm "
      "explains it: ");
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    if (!(held_back >> i & 1))
      continue;
    g_string_append_printf (text, "%s%s", separator,
        gst_video_health_condition_get_words (i));
    separator = ", ";
  }
  g_string_append_c (text, '.');
  return g_string_free (text, FALSE);
}

static gchar *
make_sentence (GstVideoHealthCondition condition,
    const VhmThresholds * thresholds, gboolean active, gdouble value,
    const gchar * detail)
{
  const gint64 time = active ? thresholds->hold : thresholds->duration;

  if (isnan (value) && g_strcmp0 (detail, VHM_UNKNOWN_KEY_FRAMES) == 0)
    return g_strdup ("Not judged: only key frames are decoded.");
  return gst_video_health_condition_describe (condition, active, value,
      active ? thresholds->leave : thresholds->enter, time * GST_USECOND,
      detail);
}

void
vhm_scale_init (VhmScale * scale, GstVideoHealthCondition condition,
    const VhmThresholds * thresholds, gboolean active, gdouble value,
    const gchar * detail, GstVideoHealthConditions held_back)
{
  gboolean is_black;
  gdouble most;

  scale->label = gst_video_health_condition_get_scale (condition, &scale->unit,
      &most);
  scale->enter = gst_video_health_condition_scale (condition,
      thresholds->enter);
  scale->leave = gst_video_health_condition_scale (condition,
      thresholds->leave);
  scale->least = MIN (0, MIN (scale->enter, scale->leave));
  scale->most = MAX (most, MAX (scale->enter, scale->leave));
  /* What is left of a view in black, such as noise, does not measure it. */
  is_black = isfinite (value) && held_back & GST_VIDEO_HEALTH_CONDITIONS_BLACK;
  if (is_black)
    value = NAN;
  /* Views may be less alike than by chance, which is 0 % to people. */
  scale->value = isfinite (value) ? MAX (gst_video_health_condition_scale
      (condition, value), scale->least) : NAN;
  scale->sentence = is_black ? g_strdup ("Not judged: the picture is black.") :
      make_sentence (condition, thresholds, active, value, detail);
  if (held_back && !active && isfinite (value))
    scale->sentence = add_reason (scale->sentence, held_back);
}

void
vhm_scale_clear (VhmScale * scale)
{
  g_clear_pointer (&scale->sentence, g_free);
}
