/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

/* A change of a condition of one pipeline. */
typedef struct
{
  GstVideoHealthCondition condition;
  gboolean active;
  gdouble value, threshold;
  gint64 since;                 /* µs since 1970 */
  gint64 time;                  /* when it was detected, µs since 1970 */
} VhmChange;

/* The state of all conditions at one time. */
typedef struct
{
  GstVideoHealthConditions judged, active;
  gdouble values[GST_VIDEO_HEALTH_N_CONDITIONS];        /* of judged ones */
} VhmVerdict;

G_END_DECLS
