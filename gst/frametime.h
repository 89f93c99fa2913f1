/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The times of the frames of a stream some of which may have none. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  GstClockTime time;            /* of the last frame, ns; 0 before the first */
  gboolean begun;               /* there was a frame */
  gboolean by_arrival;          /* times are those of arrival */
  guint n_others;               /* frames in a row that ask for the other
                                 * kind */
} VhFrameTime;

void vh_frame_time_init (VhFrameTime * self);

/* The time of a frame of @running_time, or GST_CLOCK_TIME_NONE, that comes
 * @elapsed ns after the one before, or after the beginning. A frame without a
 * running time has the time of the frame before. Where running times are
 * missing at first, or from frame to frame, all frames are timed by their
 * arrival, and the two kinds are never mixed: returns in @anew whether the time
 * is of another kind than that of the frame before. */
GstClockTime vh_frame_time_follow (VhFrameTime * self,
    GstClockTime running_time, GstClockTime elapsed, gboolean * anew);

G_END_DECLS
