/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds pictures that are starved of bits: the coder has left out the faint
 * gradients, so that there are flat blocks, and keeps the strong ones. */
#pragma once

#include "healthevidence.h"

G_BEGIN_DECLS

/* Averages of pictures. */
typedef struct
{
  gdouble level, square;        /* mean; square of the texture */
  gdouble flat[VH_HEALTH_CELLS];        /* as in VhHealthCell */
  gdouble faint[VH_HEALTH_CELLS];
  gdouble learned;              /* for how long, in ns; 0: not known */
  gdouble doubted;              /* for how long pictures have differed, in ns */
  gboolean accepted;            /* learned although pictures had differed */
} VhHealthCoded;

typedef struct
{
  guint64 pixels;               /* of the picture */
  GstClockTime time;            /* of the last frame, or NONE */
  gdouble step;                 /* ns from the frame before it, or 0 */
  gboolean monochrome;          /* the last frame has no color */
  VhHealthCoded now;            /* of the last seconds; only averages */
  VhHealthCoded usual[2];       /* with color, and without */

  /* The result */
  gdouble value;                /* the share of its usual faint gradients that
                                 * the picture has lost; NAN: not known */
  const gchar *unknown;         /* why it is not known */
} VhHealthBlocks;

/* Forgets everything. */
void vh_health_blocks_init (VhHealthBlocks * self);

/* Says that the next frame does not continue the previous ones. */
void vh_health_blocks_restart (VhHealthBlocks * self);

/* Processes a frame. */
void vh_health_blocks_follow (VhHealthBlocks * self,
    const VhHealthEvidence * evidence, gboolean monochrome, GstClockTime time);

/* Learns the last frame as usual. */
void vh_health_blocks_learn (VhHealthBlocks * self);

G_END_DECLS
