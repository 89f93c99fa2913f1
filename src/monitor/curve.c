/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "curve.h"

#include "limitrecord.h"

#include <math.h>

typedef struct
{
  gboolean below;
  VhmCurvePoint *point;
} Reading;

VhmCurve *
vhm_curve_new (GstVideoHealthCondition condition, gboolean below,
    gint64 minutes)
{
  VhmCurve *curve = g_new0 (VhmCurve, 1);

  curve->condition = condition;
  curve->below = below;
  curve->step = MAX (1, (minutes + VHM_MAX_CURVE_POINTS - 1)
      / VHM_MAX_CURVE_POINTS);
  curve->points = g_array_new (FALSE, FALSE, sizeof (VhmCurvePoint));
  return curve;
}

void
vhm_curve_free (gpointer data)
{
  VhmCurve *curve = data;

  g_array_unref (curve->points);
  g_free (curve);
}

/* The limit to start is a value at which the picture stayed, and so is the
 * limit to end. */
static void
on_limit (gpointer data, const VhmLimit * limit)
{
  const Reading *reading = data;
  gdouble *value = limit->enters ? &reading->point->worst :
      &reading->point->best;

  if (isnan (*value) || (limit->enters == reading->below ?
          limit->value < *value : limit->value > *value))
    *value = limit->value;
}

void
vhm_curve_add (VhmCurve * curve, gint64 minute, const guint8 * record,
    gsize size)
{
  VhmCurvePoint point = { minute - minute % curve->step, NAN, NAN };
  VhmCurvePoint *last = curve->points->len ? &g_array_index (curve->points,
      VhmCurvePoint, curve->points->len - 1) : NULL;
  const gboolean joins = last && last->minute == point.minute;
  const Reading reading = { curve->below, joins ? last : &point };

  if (vhm_limit_record_read (record, size, curve->condition, on_limit,
          (gpointer) & reading) && !joins)
    g_array_append_val (curve->points, point);
}
