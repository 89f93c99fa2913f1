/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "frametime.h"

/* How many frames in a row may lack a running time in a stream timed by running
 * time, and how many may have one in a stream timed by arrival, where a source
 * may set a timestamp on the first frame only. One more switches the stream to
 * the other kind of time. */
#define MAX_WITHOUT 25
#define MAX_WITH 1

void
vh_frame_time_init (VhFrameTime * self)
{
  *self = (VhFrameTime) {.time = 0 };
}

/* Whether this frame switches the stream to the other kind of time. */
static gboolean
change_kind (VhFrameTime * self, gboolean timed)
{
  if (timed != self->by_arrival) {
    self->n_others = 0;
    return FALSE;
  }
  self->n_others++;
  if (self->n_others <= (timed ? MAX_WITH : MAX_WITHOUT))
    return FALSE;
  self->by_arrival = !timed;
  self->n_others = 0;
  return TRUE;
}

GstClockTime
vh_frame_time_follow (VhFrameTime * self, GstClockTime running_time,
    GstClockTime elapsed, gboolean * switched)
{
  const gboolean timed = GST_CLOCK_TIME_IS_VALID (running_time);

  if (!self->begun)
    self->by_arrival = !timed;
  *switched = self->begun && change_kind (self, timed);
  self->begun = TRUE;
  if (self->by_arrival)
    self->time += elapsed;
  else if (timed)
    self->time = running_time;
  return self->time;
}
