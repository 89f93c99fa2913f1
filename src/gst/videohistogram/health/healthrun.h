/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a condition starts and ends: its value must pass one of two thresholds
 * for some time. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  gdouble enter, leave;         /* in the unit of the condition */
  GstClockTime duration;        /* ns past enter before it starts */
  GstClockTime hold;            /* ns past leave before it ends */
} VhHealthRule;

typedef struct
{
  gboolean judged;              /* the last frame was judged */
  const gchar *unknown;         /* why not, or NULL; not saved */
  const gchar *detail;          /* where or how it shows, or NULL; likewise */
  guint held_back;              /* active conditions, a bit each, that explain
                                 * the value, so that it does not start;
                                 * likewise */
  GstClockTime hold;            /* ns past leave before it ends, if longer than
                                 * its rule says; or 0 */
  GstClockTime delay;           /* ns past enter before it starts, if longer
                                 * than the duration of the rule; likewise */
  gboolean active;
  gdouble entered;              /* `enter` of the rule under which it started;
                                 * NAN: not known */
  gdouble value;                /* of the last judged frame */
  GstClockTime since;           /* time of the last change */
  GstClockTime entering;        /* time of the first frame past enter of a
                                 * pending start, or NONE */
  GstClockTime between;         /* how long the value was between the thresholds
                                 * since then */
  gboolean sure;                /* of a pending start: only its duration is
                                 * missing; not saved */
  GstClockTime stepped;         /* time of the last frame since then */
  GstClockTime leaving;         /* the same for leave */
  GstClockTime clear;           /* time of the last frame not past enter, or
                                 * NONE */
} VhHealthRun;

void vh_health_run_init (VhHealthRun * run);

/* Whether the condition is active, or sure to be the cause of what is seen. */
gboolean vh_health_run_is_sure (const VhHealthRun * run);

/* How long the value of a pending start has been past enter, until the last
 * frame; 0 without one. */
GstClockTime vh_health_run_get_pending (const VhHealthRun * run);

/* Forgets a start or an end that was pending: durations start again. */
void vh_health_run_restart (VhHealthRun * run);

/* Whether @value is past the threshold to enter: not below it, or with @below
 * not above it. */
gboolean vh_health_is_past_enter (const VhHealthRule * rule, gboolean below,
    gdouble value);
gboolean vh_health_is_past_leave (const VhHealthRule * rule, gboolean below,
    gdouble value);

/* Whether @value speaks for the end of the active condition: it is past leave.
 * Under a rule with another `enter` than when the condition started, a value
 * that is not past that is enough, because the condition would not have
 * started. */
gboolean vh_health_run_is_clear (const VhHealthRun * run,
    const VhHealthRule * rule, gboolean below, gdouble value);

/* What a condition needs to know about a frame. */
typedef struct
{
  gdouble value;                /* NAN: unknown */
  gboolean looked;              /* the needed evidence was there: if the value
                                 * is NAN nevertheless, a pending start is
                                 * dropped */
  gboolean below;               /* small values are bad */
  gboolean masked;              /* something else explains the value: the
                                 * condition does not start, and a pending
                                 * start is dropped */
  gboolean suspended;           /* something else may explain the value: the
                                 * condition does not start yet, unless it was
                                 * already sure */
  GstClockTime sure_after;      /* ns past enter after which it is sure, or 0 */
  gboolean compares;            /* the value compares this frame with the last
                                 * frame that was not past enter, so the
                                 * condition started at that frame */
  GstClockTime start;           /* when the condition started, if that is known;
                                 * NONE: when its value went past enter */
  GstClockTime hold;            /* ns past leave, if longer than in the rule */
  GstClockTime time;
} VhHealthStep;

/* Processes a frame. Returns whether @run->active changed. */
gboolean vh_health_run_step (VhHealthRun * run, const VhHealthRule * rule,
    const VhHealthStep * step);

G_END_DECLS
