/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of conditions as people read them: "The picture is 91 % similar to
 * the reference; the alarm starts below 75 %." */
#pragma once

#include "thresholds.h"

G_BEGIN_DECLS

typedef struct
{
  const gchar *label;           /* what is measured, such as "Sharpness" */
  const gchar *unit;            /* of the numbers below, such as "%" */
  gdouble value;                /* NAN if it is not judged, or the picture is
                                 * black */
  gdouble enter, leave;
  gdouble least, most;          /* ends of a bar that shows these numbers;
                                 * @value may be above @most */
  gchar *sentence;
} VhmScale;

/* @value is in the unit of the condition, NAN if it is not judged. @detail is
 * that of gst_video_health_get_detail(), or without a value the reason of
 * gst_video_health_get_unknown_reason(); or NULL. @held_back: by these
 * conditions, as gst_video_health_get_held_back_by() returns them. */
void vhm_scale_init (VhmScale * scale, GstVideoHealthCondition condition,
    const VhmThresholds * thresholds, gboolean active, gdouble value,
    const gchar * detail, GstVideoHealthConditions held_back);
void vhm_scale_clear (VhmScale * scale);

G_END_DECLS
