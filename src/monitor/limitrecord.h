/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which other thresholds would have started or ended the conditions of a
 * camera: kept for each minute in a few bytes, so that users can try a rule on
 * the history. */
#pragma once

#include "thresholds.h"

G_BEGIN_DECLS

/* Collects values of one camera. */
typedef struct _VhmLimits VhmLimitRecord;

VhmLimitRecord *vhm_limit_record_new (const VhmThresholds * thresholds);
void vhm_limit_record_free (VhmLimitRecord * record);

/* Sets how long the condition takes to start, in µs. */
void vhm_limit_record_set_duration (VhmLimitRecord * record,
    GstVideoHealthCondition condition, gint64 duration);

/* Adds the value of a frame, or NAN if the frame was not judged. @active:
 * whether the condition is active since this frame, under the rule in effect.
 * @now: monotonic µs, in the second @second of the minute. */
void vhm_limit_record_add (VhmLimitRecord * record,
    GstVideoHealthCondition condition, gint64 now, guint second, gdouble value,
    gboolean active);

/* Returns the bytes of the minute so far. There may be none. */
GBytes *vhm_limit_record_peek (const VhmLimitRecord * record);

/* Returns the bytes of the minute that ends, and starts the next one. There may
 * be none. */
GBytes *vhm_limit_record_take (VhmLimitRecord * record);

/* One entry of a record. */
typedef struct
{
  gboolean enters;              /* TRUE: the condition would start with `enter`
                                 * up to @value. FALSE: it would end with
                                 * `leave` up to, but not at, @value */
  gdouble value;
  guint second;                 /* of the minute */
} VhmLimit;

typedef void (*VhmLimitFunc) (gpointer data, const VhmLimit * limit);

/* Passes the limits of @condition in @record to @func, in the order of time.
 * Records of a minute may be concatenated. Ignores damage. Returns whether
 * there are any. */
gboolean vhm_limit_record_read (const guint8 * record, gsize size,
    GstVideoHealthCondition condition, VhmLimitFunc func, gpointer data);

G_END_DECLS
