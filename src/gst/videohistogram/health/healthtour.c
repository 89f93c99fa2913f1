/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthtour.h"

#include <math.h>
#include <string.h>

/* A picture shows another view than the one in use from OTHER on, and a known
 * one up to FITS, in the unit of `moved`. Up to CERTAIN, no other view is
 * looked for. */
#define OTHER 0.5
#define FITS 0.4
#define CERTAIN 0.2

/* A view can be recognised once it has been learned for this long, and a camera
 * that travels is noticed after WATCH_TIME, in ns. */
#define KNOWN_TIME (10.0 * GST_SECOND)
#define WATCH_TIME (2.0 * GST_SECOND)
/* A new view is begun this long after a known one was left: until then, the
 * camera may pass. */
#define PASS_TIME (3 * GST_SECOND)
/* A camera travels at most for so long from one view to the next. */
#define TRAVEL_TIME (20 * GST_SECOND)
/* A new view is shown for at most so long on a tour. */
#define STAY_TIME (5 * 60 * GST_SECOND)
/* If the camera stays for so long, the new view is right. */
#define ACCEPT_TIME (30 * 60 * GST_SECOND)

VhHealthTour *
vh_health_tour_new (void)
{
  VhHealthTour *self = g_new0 (VhHealthTour, 1);

  self->most = self->n = 1;
  vh_health_tour_restart (self);
  return self;
}

void
vh_health_tour_free (VhHealthTour * self)
{
  vh_health_tour_clear (self);
  g_free (self);
}

void
vh_health_tour_clear (VhHealthTour * self)
{
  guint i;

  for (i = 0; i < self->n; i++) {
    if (i == self->at)
      continue;
    vh_health_reference_clear (self->other[i].reference);
    g_free (self->other[i].reference);
    g_free (self->other[i].churn);
    g_free (self->other[i].blocks);
    vh_health_shift_free (self->other[i].shift);
    self->other[i] = (VhHealthView) {
    0,};
  }
  self->n = 1;
  self->at = 0;
  vh_health_tour_restart (self);
}

void
vh_health_tour_restart (VhHealthTour * self)
{
  self->left = self->begun = GST_CLOCK_TIME_NONE;
  self->from = self->at;
  self->refused = -1;
  self->lost = FALSE;
}

static void
swap (gpointer a, gpointer b, gsize size)
{
  gpointer of_a = g_memdup2 (a, size);

  memcpy (a, b, size);
  memcpy (b, of_a, size);
  g_free (of_a);
}

static void
swap_views (const VhHealthView * a, const VhHealthView * b)
{
  swap (a->reference, b->reference, sizeof (*a->reference));
  swap (a->churn, b->churn, sizeof (*a->churn));
  swap (a->shift, b->shift, sizeof (*a->shift));
  swap (a->blocks, b->blocks, sizeof (*a->blocks));
}

/* Makes memory for one more view. */
static VhHealthView *
add_view (VhHealthTour * self)
{
  VhHealthView *view = &self->other[self->n++];

  view->reference = g_new0 (VhHealthReference, 1);
  view->churn = g_new0 (VhHealthChurn, 1);
  view->shift = vh_health_shift_new ();
  view->blocks = g_new0 (VhHealthBlocks, 1);
  vh_health_reference_init (view->reference);
  vh_health_churn_init (view->churn);
  vh_health_blocks_init (view->blocks);
  return view;
}

void
vh_health_tour_add (VhHealthTour * self, const VhHealthView * view)
{
  swap_views (add_view (self), view);
}

/* Brings another view into use. */
static void
turn (VhHealthTour * self, const VhHealthTourFrame * frame, guint to)
{
  const VhHealthView *now = &frame->now;
  VhHealthView *other = to < self->n ? &self->other[to] : add_view (self);

  swap_views (now, other);
  vh_health_reference_continue (now->reference, other->reference);
  vh_health_shift_restart (now->shift);
  vh_health_shift_restart (other->shift);
  vh_health_churn_restart (now->churn);
  vh_health_blocks_restart (now->blocks);
  vh_health_reference_select (now->reference, frame->evidence,
      frame->monochrome, frame->time, frame->real_time);
  self->other[self->at] = *other;
  *other = (VhHealthView) {
  0,};
  self->at = to;
}

/* Starts to learn the view in use from this frame. */
static void
begin (const VhHealthTourFrame * frame)
{
  const VhHealthView *now = &frame->now;

  vh_health_reference_forget_kind (now->reference, frame->monochrome);
  vh_health_churn_init (now->churn);
  vh_health_blocks_init (now->blocks);
  now->shift->pattern[frame->monochrome ? 1 : 0].learned = 0;
  vh_health_reference_select (now->reference, frame->evidence,
      frame->monochrome, frame->time, frame->real_time);
}

/* How the picture differs from a view; NAN if that is not known. */
static gdouble
match (const VhHealthTourFrame * frame, const VhHealthReference * view,
    gdouble learned)
{
  return vh_health_reference_match (view, frame->now.reference,
      frame->evidence, learned);
}

static gboolean
is_known (const VhHealthReference * view, gboolean monochrome)
{
  return vh_health_reference_get_learned (view, monochrome) >= KNOWN_TIME;
}

/* Brings the view that fits best into use, if it fits better than the one in
 * use, which has @value. */
static gboolean
turn_to_known (VhHealthTour * self, const VhHealthTourFrame * frame,
    gdouble value)
{
  gdouble least = FITS;
  gint best = -1, i;

  for (i = 0; i < (gint) self->n; i++) {
    gdouble of_view;

    if (i == (gint) self->at || i == self->refused)
      continue;
    of_view = match (frame, self->other[i].reference, KNOWN_TIME);
    if (of_view <= least && !(2 * of_view >= value)) {
      least = of_view;
      best = i;
    }
  }
  if (best < 0)
    return FALSE;
  turn (self, frame, best);
  self->begun = GST_CLOCK_TIME_NONE;
  return TRUE;
}

/* The picture shows the view in use. A tour goes on: if the camera stays at a
 * new view, somebody has turned it. */
static void
arrive (VhHealthTour * self, const VhHealthTourFrame * frame)
{
  if (self->refused >= 0)
    self->begun = GST_CLOCK_TIME_NONE;
  self->left = GST_CLOCK_TIME_NONE;
  self->lost = FALSE;
  self->refused = -1;
  if (!GST_CLOCK_TIME_IS_VALID (self->begun)
      || frame->time - self->begun < STAY_TIME)
    return;
  self->refused = self->at;
  self->lost = TRUE;
  turn (self, frame, self->from);
}

/* Where a new view can be learned, or -1. */
static gint
find_room (const VhHealthTour * self, gboolean monochrome)
{
  guint i;

  for (i = 0; i < self->n; i++) {
    if (i != self->at && !is_known (self->other[i].reference, monochrome))
      return i;
  }
  return self->n < self->most ? (gint) self->n : -1;
}

static gboolean
travels_for_too_long (const VhHealthTour * self, GstClockTime time)
{
  return GST_CLOCK_TIME_IS_VALID (self->left)
      && time - self->left >= TRAVEL_TIME;
}

/* The picture shows none of the known views. A picture with hardly any contents
 * is not a view: something may cover it, which is for others to judge. */
static void
look_around (VhHealthTour * self, const VhHealthTourFrame * frame)
{
  VhHealthReference *reference = frame->now.reference;
  gint room;

  if (!GST_CLOCK_TIME_IS_VALID (self->left))
    self->left = frame->time;
  self->lost |= travels_for_too_long (self, frame->time);
  if (self->lost || !vh_health_reference_sees_something (reference))
    return;
  room = find_room (self, frame->monochrome);
  if (room >= 0 && frame->time - self->left >= PASS_TIME) {
    self->from = self->at;
    self->begun = frame->time;
    turn (self, frame, room);
    begin (frame);
  } else {
    reference->away = TRUE;
  }
}

/* The view in use is not known yet. If the picture changes, the camera still
 * travels. */
static void
settle (VhHealthTour * self, const VhHealthTourFrame * frame)
{
  if (GST_CLOCK_TIME_IS_VALID (self->begun)
      && travels_for_too_long (self, frame->time)) {
    self->lost = TRUE;
    self->begun = GST_CLOCK_TIME_NONE;
    turn (self, frame, self->from);
  } else if (match (frame, frame->now.reference, WATCH_TIME) >= OTHER) {
    begin (frame);
  }
}

void
vh_health_tour_follow (VhHealthTour * self, const VhHealthTourFrame * frame)
{
  VhHealthReference *reference = frame->now.reference;
  gdouble value;

  reference->away = FALSE;
  if (self->most < 2 || !frame->evidence->textures
      || !(frame->evidence->present & GST_VIDEO_HEALTH_EVIDENCE_CELLS))
    return;
  if (self->refused >= 0 && frame->time - self->begun >= ACCEPT_TIME)
    vh_health_tour_restart (self);
  value = match (frame, reference, KNOWN_TIME);
  if (value <= CERTAIN || turn_to_known (self, frame, value)
      || value < OTHER)
    arrive (self, frame);
  else if (!is_known (reference, frame->monochrome))
    settle (self, frame);
  else if (value >= OTHER)
    look_around (self, frame);
}
