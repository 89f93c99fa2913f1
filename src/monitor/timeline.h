/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removes jumps from the timestamps of live video, which occur when cameras set
 * their clock, and when recorders and transport streams start again. Durations
 * are then judged by the time that really passed. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Initially zero; for one stream and its thread. Lives as long as the pad. */
typedef struct
{
  GstClockTime time;            /* running time given to the last frame */
  gint64 came;                  /* its arrival, monotonic µs; 0: none yet */
  GstClockTimeDiff ahead;       /* how far given times are ahead of the frames'
                                 * own */
} VhmTimeline;

/* Applies vhm_timeline_follow() to the frames that arrive at @pad. */
void vhm_timeline_straighten (VhmTimeline * timeline, GstPad * pad);

/* Returns the running time to give to a frame with the running time @time that
 * arrives at @now, in monotonic µs. */
GstClockTime vhm_timeline_follow (VhmTimeline * timeline,
    GstClockTimeDiff time, gint64 now);

G_END_DECLS
