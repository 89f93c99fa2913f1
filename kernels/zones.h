/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The measurements of each zone of a frame's luma without a histogram: sums, in
 * the same form from the CPU and the GPU. */
#ifndef VH_ZONES_H
#define VH_ZONES_H

/* Zones of a picture. */
#define VH_ZONE_COLUMNS 8
#define VH_ZONE_ROWS 64
#define VH_ZONES (VH_ZONE_COLUMNS * VH_ZONE_ROWS)

/* Levels of luma for comparing consecutive frames. */
#define VH_STEP_LEVELS 128

/* The values of a zone, 32 bits each. Bins are as in a histogram. */
enum
{
  VH_ZONE_LUMA,                 /* sum of the bins of luma */
  VH_ZONE_LUMA_HIGH,            /* its upper half */
  VH_ZONE_SQUARES,              /* sum of the squares of the bins of
                                 * gradients */
  VH_ZONE_SQUARES_HIGH,
  VH_ZONE_RISEN,                /* pixels that are a step brighter than in the
                                 * previous frame */
  VH_ZONE_FALLEN,               /* pixels that are a step darker */
  VH_ZONE_VALUES
};

#endif
