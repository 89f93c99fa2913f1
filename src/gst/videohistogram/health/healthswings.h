/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds exposure that swings: the whole picture becomes brighter and darker
 * again and again, every few seconds. */
#pragma once

#include "healthevidence.h"

G_BEGIN_DECLS

/* So many swings in a row, up or down, are needed. */
#define VH_SWINGS 5


typedef struct
{
  guint columns, rows;          /* of cells; 0x0: none seen */
  GstClockTime begun;           /* time of the first frame */
  GstClockTime time;            /* of the last frame */
  GstClockTime step;            /* from the frame before it */
  gint direction;               /* of the present swing: 1 up, -1 down, 0 not
                                 * known */
  gdouble turn[VH_HEALTH_CELLS];        /* levels where it began */
  gdouble peak[VH_HEALTH_CELLS];        /* levels as far as it went */
  GstClockTime at_turn, at_peak;        /* their times */
  guint n;                      /* swings in a row, as far as counted */
  gdouble swing[VH_SWINGS];     /* the last of them, a ring: logarithms of the
                                 * change of levels */
  GstClockTime last;            /* how long the longest of them took */
} VhHealthSwings;

void vh_health_swings_clear (VhHealthSwings * swings);

/* Processes a frame; @evidence has cells. */
void vh_health_swings_add (VhHealthSwings * swings,
    const VhHealthEvidence * evidence, GstClockTime time);

/* Whether frames are too far apart to see swings. */
gboolean vh_health_swings_is_too_slow (const VhHealthSwings * swings);

/* By which share of its level the picture swings: the smallest of the last
 * swings. NAN if that is not known, or not known yet. */
gdouble vh_health_swings_get_share (const VhHealthSwings * swings);

G_END_DECLS
