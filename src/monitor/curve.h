/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The course of a condition's value, from the records of limitrecord.h. */
#pragma once

#include "thresholds.h"

G_BEGIN_DECLS

/* Maximum number of points of a curve. */
#define VHM_MAX_CURVE_POINTS 1500

typedef struct
{
  gint64 minute;                /* since 1970 */
  gdouble worst, best;          /* NAN: not known */
} VhmCurvePoint;

typedef struct
{
  GstVideoHealthCondition condition;
  gboolean below;               /* small values are bad */
  gint64 step;                  /* minutes of a point */
  GArray *points;               /* of VhmCurvePoint, only those with a value */
} VhmCurve;

/* @minutes: the length of the period, which determines the step. */
VhmCurve *vhm_curve_new (GstVideoHealthCondition condition, gboolean below,
    gint64 minutes);
void vhm_curve_free (gpointer curve);

/* Adds the record of a minute since 1970, in the order of time. */
void vhm_curve_add (VhmCurve * curve, gint64 minute, const guint8 * record,
    gsize size);

G_END_DECLS
