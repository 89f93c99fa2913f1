/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How often parts of the picture flash, in the quantities of ITU-R BT.1702: a
 * flash is a pair of opposing steps of luminance, and counts where more than a
 * quarter of the picture has it. */
#pragma once

#include "healthevidence.h"

G_BEGIN_DECLS

/* Steps that are remembered of each place: twice the flashes a second that can
 * be told. */
#define VH_FLASH_STEPS 32

/* Where steps are looked for: each cell, and the picture as a whole, of which a
 * joint histogram tells the area that has changed. */
typedef struct
{
  gint direction;               /* of the last step: 1 up, -1 down, 0 none */
  gdouble low, high;            /* luminance since then, in cd/m² */
  guint n_steps;                /* ever; the last VH_FLASH_STEPS are known */
  GstClockTime step[VH_FLASH_STEPS];
} VhHealthFlicker;

typedef struct
{
  guint columns, rows;          /* of cells; 0x0: none seen */
  VhHealthFlicker cell[VH_HEALTH_CELLS];
  VhHealthFlicker whole;
  guint flashes;                /* in the second before the last frame */
} VhHealthFlashes;

void vh_health_flashes_clear (VhHealthFlashes * flashes);

/* Looks at a frame with luma. */
void vh_health_flashes_add (VhHealthFlashes * flashes,
    const VhHealthEvidence * evidence, GstClockTime time);

G_END_DECLS
