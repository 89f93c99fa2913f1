/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts flashes as ITU-R BT.1702 defines them: a flash is a pair of opposing
 * steps of luminance, and counts if more than a quarter of the picture has
 * it. */
#pragma once

#include "healthevidence.h"

G_BEGIN_DECLS

/* Steps that are remembered for each place: twice the number of flashes per
 * second that can be counted. */
#define VH_FLASH_STEPS 32

/* A place where steps are looked for: a cell, or the whole picture, where a
 * joint histogram gives the area that changed. */
typedef struct
{
  gint direction;               /* of the last step: 1 up, -1 down, 0 none */
  gdouble low, high;            /* luminance since that step, in cd/m² */
  guint n_steps;                /* total; the last VH_FLASH_STEPS are known */
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

/* Processes a frame; @evidence has luma. */
void vh_health_flashes_add (VhHealthFlashes * flashes,
    const VhHealthEvidence * evidence, GstClockTime time);

G_END_DECLS
