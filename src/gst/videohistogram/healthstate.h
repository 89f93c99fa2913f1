/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All that is remembered of a camera's frames, and what a frame does to it. */
#pragma once

#include "healthrules.h"
#include "healthstillness.h"

G_BEGIN_DECLS

/* Changes of color that are remembered: what the rule for flapping may ask
 * for. */
#define VH_HEALTH_FLIPS 64

/* Times of frames may jump. What lasts is measured by a clock of its own, which
 * goes on as frames did before a jump, and is their time as long as there was
 * none. */
typedef struct
{
  GstClockTime seen;            /* that clock, at the last frame */
  GstClockTime base;            /* time of the first frame since the last
                                 * jump */
  GstClockTime ticked;          /* time of the last tick, or NONE */
  GstClockTime step;            /* to the last frame from the one before, as
                                 * that clock has it, ... */
  GstClockTime ahead;           /* ... and as times had it, unless they went
                                 * back */
  GstClockTime behind;          /* by how much times have gone back, as long as
                                 * they may return; 0 if they have not, ... */
  GstClockTime back;            /* ... and when they did */
} VhHealthClock;

typedef struct
{
  GstClockTime started;         /* time of the first frame or tick, or NONE */
  GstClockTime time;            /* of the last frame that came, or NONE */
  VhHealthClock clock;          /* all times below are its */
  VhHealthRun run[VH_HEALTH_N];
  guint n_flips;                /* ever; the last VH_HEALTH_FLIPS are known */
  GstClockTime flip[VH_HEALTH_FLIPS];
  VhHealthFlashes flashes;
  VhHealthBands bands;
  VhHealthReference reference;
  VhHealthStillness *stillness; /* on the heap: GObjects are 64 KiB at most */

  /* Of the caller, and not saved. */
  gboolean coded;               /* frames come from a coder */
  const VhHealthAreas *not_compared;    /* what frozen ignores */
} VhHealthState;

/* Told of each change, in the order of the conditions. */
typedef void (*VhHealthChanged) (gpointer user_data,
    GstVideoHealthCondition condition, GstClockTime time);

void vh_health_state_init (VhHealthState * state);
void vh_health_state_clear (VhHealthState * state);

/* Forgets all but the reference. */
void vh_health_state_reset (VhHealthState * state);

/* The next frame does not continue the ones before: what is so stays so until
 * frames say something else. */
void vh_health_state_restart (VhHealthState * state);

/* When it was, in times of frames, that the clock was at @seen: not before the
 * first frame after the last jump. @time is now. */
GstClockTime vh_health_state_get_time (const VhHealthState * state,
    GstClockTime seen, GstClockTime time);

/* Judges a frame of @time, which may be NONE or earlier than the one before.
 * @rest: for each condition NULL, or what it is judged by instead of
 * @evidence. */
void vh_health_state_judge (VhHealthState * state, const VhHealthRules * rules,
    const VhHealthEvidence * evidence,
    VhHealthEvidence * const rest[VH_HEALTH_N], GstClockTime time,
    GstClockTime real_time, VhHealthChanged changed, gpointer user_data);

/* A frame of @time came that is not judged, which may be NONE or earlier than
 * the one before: it ends a loss of the signal. */
void vh_health_state_skip (VhHealthState * state, const VhHealthRules * rules,
    GstClockTime time, VhHealthChanged changed, gpointer user_data);

/* Judges that there was no frame up to @time. */
void vh_health_state_tick (VhHealthState * state, const VhHealthRules * rules,
    GstClockTime time, VhHealthChanged changed, gpointer user_data);

/* healthsave.c */

/* @state as a floating variant, whose form it describes. */
GVariant *vh_health_state_save (const VhHealthState * state);

/* Reads what may be anything. FALSE leaves @state unchanged. */
gboolean vh_health_state_restore (VhHealthState * state, GVariant * saved,
    GError ** error);

G_END_DECLS
