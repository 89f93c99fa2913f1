/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "thresholds.h"

void
vhm_thresholds_read (GstVideoHealth * health,
    VhmThresholds thresholds[GST_VIDEO_HEALTH_N_CONDITIONS])
{
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    VhmThresholds *const read = &thresholds[i];
    GstClockTime duration, hold;

    gst_video_health_get_rule (health, i, &read->enter, &read->leave,
        &duration, &hold);
    read->duration = GST_TIME_AS_USECONDS (duration);
    read->hold = GST_TIME_AS_USECONDS (hold);
  }
}

gboolean
vhm_thresholds_are_passed (const VhmThresholds * t, gboolean active,
    gdouble value)
{
  /* If enter is below leave, small values mean that something is wrong. */
  const gboolean below = t->enter < t->leave;

  if (active)
    return below ? value <= t->enter : value >= t->enter;
  return below ? value > t->leave : value < t->leave;
}
