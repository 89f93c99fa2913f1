/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "frametime.h"

/* Frames in a row without a running time that are an exception, and such frames
 * with one where there was none. Sources without times may give one to their
 * first frame alone. */
#define MAX_WITHOUT 25
#define MAX_WITH 1

void
vh_frame_time_init (VhFrameTime * self)
{
  *self = (VhFrameTime) {.time = 0 };
}

/* Whether from this frame on times are of the other kind. */
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
    GstClockTime elapsed, gboolean * anew)
{
  const gboolean timed = GST_CLOCK_TIME_IS_VALID (running_time);

  if (!self->begun)
    self->by_arrival = !timed;
  *anew = self->begun && change_kind (self, timed);
  self->begun = TRUE;
  if (self->by_arrival)
    self->time += elapsed;
  else if (timed)
    self->time = running_time;
  return self->time;
}
