/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All that is remembered of a camera's frames, and what a frame does to it. */
#pragma once

#include "healthrules.h"
#include "healthstillness.h"

G_BEGIN_DECLS

/* Changes of colour that are remembered: what the rule for flapping may ask
 * for. */
#define VH_HEALTH_FLIPS 64

typedef struct
{
  GstClockTime started;         /* time of the first frame or tick, or NONE */
  GstClockTime time;            /* of the last frame that came, or NONE */
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
