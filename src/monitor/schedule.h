/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times of day at which conditions are quiet, in local time, as in the key
 * quiet: dark@22:00-06:00. */
#pragma once

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

typedef struct _VhmSchedule VhmSchedule;

/* If @text is invalid, returns NULL and sets @why to the errors, one per line,
 * to be freed. */
VhmSchedule *vhm_schedule_new (const gchar * text, gchar ** why);
void vhm_schedule_free (VhmSchedule * schedule);

/* When the period ends in which @condition is quiet at @now, or 0 if it is not
 * quiet; µs since 1970. Where clocks change, a period that starts or ends in
 * the hour that comes twice does so the second time, and one in the hour that
 * is left out has no length. */
gint64 vhm_schedule_find_end (const VhmSchedule * schedule,
    GstVideoHealthCondition condition, gint64 now);

G_END_DECLS
