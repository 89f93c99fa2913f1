/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a condition begins and ends: two thresholds, each of which its value has
 * to pass for some time. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  gdouble enter, leave;         /* in the unit of the condition */
  GstClockTime duration;        /* to be past enter before it begins, ns */
  GstClockTime hold;            /* to be past leave before it ends, ns */
} VhHealthRule;

typedef struct
{
  gboolean judged;              /* the last frame was */
  gboolean active;
  gdouble value;                /* of the last frame that was judged */
  GstClockTime since;           /* of the last change */
  GstClockTime entering;        /* of the first of the frames past enter that
                                 * lead up to this one, or NONE */
  GstClockTime leaving;         /* the same for leave */
  GstClockTime clear;           /* of the last frame that was not past enter, or
                                 * NONE */
} VhHealthRun;

void vh_health_run_init (VhHealthRun * run);

/* Forgets what was about to begin or to end: times begin anew. */
void vh_health_run_restart (VhHealthRun * run);

/* Whether @value is past the threshold to enter. With @below it is if it is not
 * above. */
gboolean vh_health_is_past_enter (const VhHealthRule * rule, gboolean below,
    gdouble value);
gboolean vh_health_is_past_leave (const VhHealthRule * rule, gboolean below,
    gdouble value);

/* What is to be known of a frame. */
typedef struct
{
  gdouble value;                /* NAN: nothing is known */
  gboolean looked;              /* what it is made of was there: if it is NAN
                                 * all the same, nothing is about to begin */
  gboolean below;               /* small values are what is wrong */
  gboolean masked;              /* something else explains the value: nothing
                                 * begins, nor is it about to */
  gboolean suspended;           /* something else may: nothing begins yet */
  gboolean compares;            /* the value is about the last frame that was
                                 * not past enter: since then it has been so */
  GstClockTime start;           /* it is known to have been so since then, or
                                 * NONE: times past enter tell */
  GstClockTime hold;            /* to be past leave, if that is more than the
                                 * rule has */
  GstClockTime time;
} VhHealthStep;

/* Takes a frame. Returns whether @run->active changed. */
gboolean vh_health_run_step (VhHealthRun * run, const VhHealthRule * rule,
    const VhHealthStep * step);

G_END_DECLS
