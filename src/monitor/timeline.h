/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lets the times of live video go on where they jump: cameras set their clock,
 * recorders and transport streams begin again. What lasts is then judged by the
 * time that passed, not by the jump. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Zero to begin with; of one stream, for its thread. Lives as long as the
 * pad. */
typedef struct
{
  GstClockTime time;            /* running time that the last frame got */
  gint64 came;                  /* monotonic µs; 0: there was none */
  GstClockTimeDiff ahead;       /* of what frames get, of their own times */
} VhmTimeline;

/* Has the frames that come to @pad get such times. */
void vhm_timeline_straighten (VhmTimeline * timeline, GstPad * pad);

/* The running time for a frame with the running time @time that comes at @now,
 * in monotonic µs. */
GstClockTime vhm_timeline_follow (VhmTimeline * timeline,
    GstClockTimeDiff time, gint64 now);

G_END_DECLS
