/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which conditions of a camera are quiet now: judged and stored, but not
 * reported. Somebody has snoozed them, or the camera has a schedule. */
#pragma once

#include "schedule.h"

G_BEGIN_DECLS

typedef struct _VhmQuiet VhmQuiet;

/* The number of snoozes that a camera can have: one for each condition, and one
 * for the whole camera. */
#define VHM_WHOLE_CAMERA GST_VIDEO_HEALTH_N_CONDITIONS
#define VHM_N_SNOOZES (GST_VIDEO_HEALTH_N_CONDITIONS + 1)

/* Who snoozes, where a schedule does. */
#define VHM_BY_SCHEDULE "schedule"

#define VHM_MAX_SNOOZE_SECONDS (366 * 86400)

typedef struct
{
  gint64 until;                 /* µs since 1970; 0: not quiet */
  const gchar *by;              /* the user, "" if unknown; or
                                 * VHM_BY_SCHEDULE */
  const gchar *note;            /* of that user; may be empty */
} VhmQuietPeriod;

VhmQuiet *vhm_quiet_new (void);
void vhm_quiet_free (VhmQuiet * quiet);

/* @text is valid, or NULL for none. */
void vhm_quiet_set_schedule (VhmQuiet * quiet, const gchar * text);

/* Snoozes a condition or, with VHM_WHOLE_CAMERA, all; 0 in @until ends that. A
 * snooze does not become longer if the clock is set back. */
void vhm_quiet_set_snooze (VhmQuiet * quiet, guint snooze, gint64 until,
    const gchar * by, const gchar * note);

/* The snooze itself, whatever else makes conditions quiet. */
VhmQuietPeriod vhm_quiet_get_snooze (const VhmQuiet * quiet, guint snooze);

/* Ends what is over at @now, µs since 1970. Returns the snoozes that have
 * ended, as bits. */
guint vhm_quiet_update (VhmQuiet * quiet, gint64 now);

/* Why the condition is quiet since the last update; the reason that lasts
 * longest. */
VhmQuietPeriod vhm_quiet_get (const VhmQuiet * quiet,
    GstVideoHealthCondition condition);

G_END_DECLS
