/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds stripes and bars that lie over the picture, as interference on a cable
 * or a bad power supply causes them: one wave that the view does not explain,
 * all over the picture. */
#pragma once

#include "healthchurn.h"

G_BEGIN_DECLS

typedef struct
{
  GstClockTime looked;          /* time of the last frame that was looked at, or
                                 * NONE */
  gint across, down;            /* waves in the width and in the height of the
                                 * stripes there; 0, 0: none */
  gdouble phase[2];             /* of the bars there; 0, 0: none */
  gdouble turn[2];              /* by how much they turn from one such frame to
                                 * the next, on average */

  /* The result */
  gdouble strength;             /* amplitude, in levels; NAN: not known yet */
  const gchar *direction;       /* or NULL */
} VhHealthStripes;

void vh_health_stripes_restart (VhHealthStripes * self);

/* Processes a frame that @churn has processed. */
void vh_health_stripes_follow (VhHealthStripes * self,
    const VhHealthChurn * churn, GstClockTime time);

G_END_DECLS
