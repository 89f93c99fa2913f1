/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The thresholds that a value must pass, and for how long, for a condition to
 * start or to clear. */
#pragma once

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

typedef struct
{
  gdouble enter, leave;         /* in the unit of the condition */
  gint64 duration, hold;        /* µs past enter, and past leave */
} VhmThresholds;

/* Reads the thresholds of all conditions from @health. */
void vhm_thresholds_read (GstVideoHealth * health,
    VhmThresholds thresholds[GST_VIDEO_HEALTH_N_CONDITIONS]);

/* Whether @value has passed the threshold at which the condition becomes
 * @active: `enter` if TRUE, `leave` if FALSE. */
gboolean vhm_thresholds_are_passed (const VhmThresholds * thresholds,
    gboolean active, gdouble value);

G_END_DECLS
