/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state that is kept of a camera's frames, and how a frame changes it. */
#pragma once

#include "healthblocks.h"
#include "healthchurn.h"
#include "healthrules.h"
#include "healthshake.h"
#include "healthshift.h"
#include "healthstillness.h"
#include "healthstripes.h"
#include "healthstuck.h"
#include "healthtour.h"

G_BEGIN_DECLS

/* Changes of color that are remembered: the maximum that a rule for flapping
 * may ask for. */
#define VH_HEALTH_FLIPS 64

/* Timestamps of frames may jump. Durations are measured by a separate clock:
 * it equals the timestamps until they jump, and then continues at the pace of
 * the frames before the jump. */
typedef struct
{
  GstClockTime seen;            /* the clock's time of the last frame */
  GstClockTime base;            /* timestamp of the first frame since the last
                                 * jump */
  GstClockTime ticked;          /* timestamp of the last tick, or NONE */
  GstClockTime step;            /* distance of the last two frames by the
                                 * clock */
  GstClockTime ahead;           /* their distance by timestamps, unless these
                                 * went back */
  GstClockTime behind;          /* how far timestamps jumped back, while they
                                 * may still jump ahead again; otherwise 0 */
  GstClockTime back;            /* the clock's time when they went back */
} VhHealthClock;

typedef struct
{
  GstClockTime started;         /* time of the first frame or tick, or NONE */
  GstClockTime time;            /* of the last frame, or NONE */
  VhHealthClock clock;          /* all times below are this clock's */
  VhHealthRun run[VH_HEALTH_N];
  guint n_flips;                /* total; the last VH_HEALTH_FLIPS are known */
  GstClockTime flip[VH_HEALTH_FLIPS];
  gboolean flips_lost;          /* those that made flapping active were
                                 * forgotten, and may be less than an hour
                                 * ago */
  VhHealthFlashes flashes;
  VhHealthBands bands;
  VhHealthSwings swings;
  VhHealthAverage damage;       /* share of damaged frames, 0 to 1 */
  VhHealthAverage noise;        /* variance, in squared levels */
  VhHealthAverage recent_noise; /* the same, of the last half minute */
  VhHealthAverage usual_noise;  /* the same, of the last minute */
  VhHealthAverage former_noise; /* the same, of the last ten minutes */
  VhHealthAverage noise_before_still;   /* the same, of the last seconds before
                                         * the picture changed less */
  VhHealthAverage noise_before_blurry;  /* likewise */
  VhHealthReference reference;
  /* On the heap: a GObject has at most 64 KiB. */
  VhHealthStillness *stillness;
  VhHealthLoops *loops;
  VhHealthChurn *churn;         /* not saved */
  VhHealthShift *shift;
  VhHealthStuck *stuck;         /* not saved */
  VhHealthStripes stripes;      /* not saved */
  VhHealthShake *shake;         /* not saved */
  VhHealthBlocks *blocks;
  VhHealthTour *tour;           /* the views that are not in use */

  /* Set by the caller, and not saved. */
  gboolean coded;               /* frames come from a coder */
  guint reported;               /* conditions, a bit each */
  const VhHealthAreas *not_compared;    /* what frozen ignores */
} VhHealthState;

/* Called for each change, in the order of the conditions. */
typedef void (*VhHealthChanged) (gpointer user_data,
    GstVideoHealthCondition condition, GstClockTime time);

void vh_health_state_init (VhHealthState * state);
void vh_health_state_clear (VhHealthState * state);

/* Forgets everything except the reference. */
void vh_health_state_reset (VhHealthState * state);

/* Says that the next frame does not continue the previous ones. Active
 * conditions stay active until frames show otherwise. */
void vh_health_state_restart (VhHealthState * state);

/* Converts the clock's time @seen to a timestamp of frames, not before the
 * first frame after the last jump. @time is the current timestamp. */
GstClockTime vh_health_state_get_time (const VhHealthState * state,
    GstClockTime seen, GstClockTime time);

/* As gst_video_health_get_pending(). */
GstClockTime vh_health_state_get_pending (const VhHealthState * state,
    guint condition);

/* Judges a frame of @time, which may be NONE or earlier than the previous one.
 * @rest: for each condition NULL, or the evidence to use instead of
 * @evidence. */
void vh_health_state_judge (VhHealthState * state, const VhHealthRules * rules,
    const VhHealthEvidence * evidence,
    VhHealthEvidence * const rest[VH_HEALTH_N], GstClockTime time,
    GstClockTime real_time, VhHealthChanged changed, gpointer user_data);

/* Notes a frame of @time that is not judged; it ends a loss of signal. @time
 * may be NONE or earlier than the previous one. */
void vh_health_state_skip (VhHealthState * state, const VhHealthRules * rules,
    GstClockTime time, VhHealthChanged changed, gpointer user_data);

/* Judges the absence of frames up to @time. */
void vh_health_state_tick (VhHealthState * state, const VhHealthRules * rules,
    GstClockTime time, VhHealthChanged changed, gpointer user_data);

G_END_DECLS
