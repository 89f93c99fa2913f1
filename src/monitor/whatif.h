/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What another rule would have reported: tries it on the records of
 * limitrecord.h. */
#pragma once

#include "thresholds.h"

G_BEGIN_DECLS

/* Maximum number of alarms in a result. */
#define VHM_MAX_WHAT_IF_ALARMS 1000

typedef struct
{
  gint64 begun, ended;          /* µs since 1970; @ended is 0 while it lasts */
} VhmWhatIfAlarm;

typedef struct
{
  GstVideoHealthCondition condition;
  VhmThresholds thresholds;     /* of the rule to try */
  gint64 judged_from;           /* µs since 1970: the first minute with records;
                                 * 0: none */
  guint64 count;                /* of all alarms */
  gint64 total;                 /* µs, of those that are over */
  GArray *alarms;               /* of VhmWhatIfAlarm: the newest ones */
} VhmWhatIf;

/* Completes a rule from what a user may have left out: with NAN for @leave, it
 * follows @enter, as far from it in proportion as in @present. */
VhmThresholds vhm_what_if_complete (const VhmThresholds * present,
    gdouble enter, gdouble leave);

/* The rule as a key file takes it: "blurry,enter=0.7,leave=0.6". To be
 * freed. */
gchar *vhm_what_if_print (GstVideoHealthCondition condition,
    const VhmThresholds * thresholds);

VhmWhatIf *vhm_what_if_new (GstVideoHealthCondition condition,
    const VhmThresholds * thresholds);
void vhm_what_if_free (gpointer what_if);

/* Adds the record of a minute since 1970, in the order of time. */
void vhm_what_if_add (VhmWhatIf * what_if, gint64 minute,
    const guint8 * record, gsize size);

G_END_DECLS
