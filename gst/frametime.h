/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The times of frames, in a stream where some or all frames may have no
 * timestamp. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  GstClockTime time;            /* of the last frame, ns; 0 before the first */
  gboolean begun;               /* there was a frame */
  gboolean by_arrival;          /* frames are timed by their arrival */
  guint n_others;               /* frames in a row with the other kind of
                                 * time */
} VhFrameTime;

void vh_frame_time_init (VhFrameTime * self);

/* Returns the time, in ns, of a frame that has @running_time, which may be
 * GST_CLOCK_TIME_NONE, and that comes @elapsed ns after the previous frame, or
 * after the start. A frame without a running time gets the time of the previous
 * frame. If the first frame, or many frames in a row, have no running time, all
 * frames are timed by their arrival. The two kinds of time are never mixed.
 * Sets @switched to TRUE if the stream switches to the other kind with this
 * frame. */
GstClockTime vh_frame_time_follow (VhFrameTime * self,
    GstClockTime running_time, GstClockTime elapsed, gboolean * switched);

G_END_DECLS
