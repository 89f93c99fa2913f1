/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds a part of the picture that stands still while the rest runs. Coders
 * leave out what hardly changes, so it learns for each cell how long nothing
 * changes. */
#pragma once

#include "healthchurn.h"

G_BEGIN_DECLS

typedef struct
{
  gdouble observed;             /* ns for which it showed the same view */
  gdouble longest;              /* ns from one change to the next, at most; 0:
                                 * not known */
  GstClockTime changed;         /* time of the last change */
  GstClockTime other;           /* since when it shows something else, or
                                 * NONE */
} VhStuckCell;

typedef struct
{
  VhStuckCell cell[VH_HEALTH_CELLS];
  GstClockTime time;            /* of the last frame, or NONE */
  gfloat last[VH_HEALTH_PARTS]; /* its levels */
  GstClockTime whole;           /* time of the last frame that renewed much of
                                 * the picture */
  GstClockTime key_frame;       /* the same after a pause, or NONE */
  guint n_distances;            /* of key frames that are known */
  gdouble farthest;             /* the longest one, in ns */

  /* The result */
  guint64 cells;                /* that stand still */
  gdouble share;                /* of the picture; NAN: not known yet */
  gdouble hold;                 /* ns for which the picture must run as a whole
                                 * until that is over; a key frame does not end
                                 * it */
} VhHealthStuck;

/* Forgets everything. */
void vh_health_stuck_restart (VhHealthStuck * self);

/* Processes a frame; @evidence has parts, and @churn has processed it. @active:
 * a part of the picture was frozen. */
void vh_health_stuck_follow (VhHealthStuck * self,
    const VhHealthEvidence * evidence, const VhHealthChurn * churn,
    gboolean active, GstClockTime time);

G_END_DECLS
