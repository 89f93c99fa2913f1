/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures that fall apart: blocks of other places that come and go, rows that
 * are torn, or a picture that rolls. Much of the view changes from frame to
 * frame, all over the picture, and no motion of the camera explains it. */
#pragma once

#include "healthevidence.h"

G_BEGIN_DECLS

/* What the view does not explain of a frame. */
typedef struct
{
  gfloat part[VH_HEALTH_PARTS]; /* in levels, in the light of the view; 0 if
                                 * there was nothing to compare with */
  guint8 tone[VH_HEALTH_PARTS]; /* which of some steps of brightness the view
                                 * has */
} VhHealthChurnRest;

typedef struct
{
  gdouble learned;              /* how long the view was learned, in ns */
  gfloat usual[VH_HEALTH_PARTS];        /* levels of the view */
  gdouble unlike;               /* share of the parts that usually differ from
                                 * the view */
  GstClockTime time;            /* of the last frame, or NONE */
  gfloat last[VH_HEALTH_PARTS]; /* levels of the last frame */
  VhHealthChurnRest rest;       /* of the last frame */
  gboolean compared;            /* it is known: there is a view with contrast */
  GstClockTime broken;          /* time of the last frame that fell apart, or
                                 * NONE */
} VhHealthChurn;

/* Forgets everything. */
void vh_health_churn_init (VhHealthChurn * self);

/* Says that the next frame does not continue the previous ones. */
void vh_health_churn_restart (VhHealthChurn * self);

/* Whether the view has been learned for long enough to compare frames. */
gboolean vh_health_churn_is_ready (const VhHealthChurn * self);

/* Processes a frame; @evidence has parts. Returns whether it is damaged. */
gboolean vh_health_churn_follow (VhHealthChurn * self,
    const VhHealthEvidence * evidence, GstClockTime time);

/* Learns the view from the frame that was processed last, which has no
 * faults. @step: the time that it stands for, in ns. */
void vh_health_churn_learn (VhHealthChurn * self, gdouble step);

G_END_DECLS
