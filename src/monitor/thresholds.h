/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a value has to pass, and for how long, for a condition to begin or to
 * end. */
#pragma once

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

typedef struct
{
  gdouble enter, leave;         /* in the unit of the condition */
  gint64 duration, hold;        /* µs past enter, and past leave */
} VhmThresholds;

/* Those of all conditions, by the rules of @health. */
void vhm_thresholds_read (GstVideoHealth * health,
    VhmThresholds thresholds[GST_VIDEO_HEALTH_N_CONDITIONS]);

/* Whether by @value the condition may begin, or with FALSE in @active end. */
gboolean vhm_thresholds_are_passed (const VhmThresholds * thresholds,
    gboolean active, gdouble value);

G_END_DECLS
