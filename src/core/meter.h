/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures luma in zones, without counting it: how bright a zone is, how much
 * its pixels differ from their neighbours, and how many of them have changed by
 * a step since the frame before. */
#pragma once

#include "counts.h"
#include "zones.h"

G_BEGIN_DECLS

/* What to do with a frame. */
typedef struct
{
  /* For each level the lowest one above that is a step away from it, or one
   * that there is not: VH_STEP_LEVELS of them, which never fall. A change to a
   * lower level is a step if the one back is. */
  const guint8 *steps;
  gboolean follows;             /* the frame that was submitted last is the one
                                 * before */
  VhCounts *counts;             /* pending, of vh_meter_shape() */

  /* Answers. */
  gboolean compared;            /* the frame before has as many pixels; else
                                 * there are no steps */
} VhMetering;

/* Counts that are the values of zones, [row][column][value]. */
VhCountsShape vh_meter_shape (void);

/* Values of a zone of complete counts. */
const guint32 *vh_meter_zone (VhCounts * counts, guint column, guint row);

/* The sum whose halves are @value and the one behind it. */
static inline guint64
vh_zone_sum (const guint32 * zone, guint value)
{
  return (guint64) zone[value + 1] << 32 | zone[value];
}

G_END_DECLS
