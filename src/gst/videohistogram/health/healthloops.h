/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds video of some seconds that is replayed again and again. Frames of a
 * live camera are more like the frame just before them than like any frame of
 * some seconds ago: people and noise never come back the same. In a loop they
 * are more like the frame one loop ago, however fast something moves. */
#pragma once

#include "healthevidence.h"

G_BEGIN_DECLS

/* Parts of the picture that are remembered, 4x4, and for how many frames. A
 * loop has up to half of these frames. */
#define VH_LOOP_SIDE 4
#define VH_LOOP_PARTS (VH_LOOP_SIDE * VH_LOOP_SIDE)
#define VH_LOOP_LAGS 192
#define VH_LOOP_FRAMES (2 * VH_LOOP_LAGS)

/* How the frames compare with those of a number of frames ago. Sums are of
 * squared levels times seconds, and fade. */
typedef struct
{
  gfloat mismatch;              /* sum of the squared differences */
  gfloat motion;                /* the same from frame to frame */
  gfloat excess;                /* by how much it mismatches lately */
  guint32 since;                /* it has matched since then, in ms after the
                                 * first frame */
} VhLoopLag;

typedef struct
{
  guint columns, rows;          /* of cells; 0x0: none seen */
  GstClockTime begun, time;     /* of the first frame and of the last */
  GstClockTime step;            /* from the frame before it */
  gdouble period;               /* the usual step, in ms; 0: not known */
  guint n;                      /* frames, since it began or was restored */
  gdouble motion;               /* of the last minute, as in VhLoopLag */
  gdouble share;                /* the result, or NAN */
  VhLoopLag lag[VH_LOOP_LAGS];  /* 1 frame ago, 2 frames ago, ... */
  guint16 frame[VH_LOOP_FRAMES][VH_LOOP_PARTS]; /* levels, a ring */
} VhHealthLoops;

void vh_health_loops_clear (VhHealthLoops * loops);

/* Processes a frame; @evidence has cells. */
void vh_health_loops_add (VhHealthLoops * loops,
    const VhHealthEvidence * evidence, GstClockTime time);

/* The levels of the last frame, if there is one. */
const guint16 *vh_health_loops_get_last (const VhHealthLoops * loops);

/* Whether frames are too far apart to see a loop, and whether too little
 * moves. */
gboolean vh_health_loops_is_too_slow (const VhHealthLoops * loops);
gboolean vh_health_loops_is_still (const VhHealthLoops * loops);

/* Which share of what changes repeats itself; NAN if that is not known, or not
 * known yet. */
gdouble vh_health_loops_get_share (const VhHealthLoops * loops);

G_END_DECLS
