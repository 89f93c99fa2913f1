/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures luma in zones, without histograms: how bright a zone is, how much
 * its pixels differ from their neighbours, and how many of them have changed by
 * at least a step since the previous frame. */
#pragma once

#include "counts.h"
#include "zones.h"

G_BEGIN_DECLS

/* What to do with a frame. */
typedef struct
{
  /* Entry i is the lowest level that is a step above level i, or a value above
   * all levels if no level is. The VH_STEP_LEVELS entries never decrease. A
   * change to a lower level is a step if the reverse change is. */
  const guint8 *steps;
  gboolean follows;             /* the frame submitted last is the previous
                                 * one */
  VhCounts *counts;             /* pending, of vh_meter_shape() */

  /* Results. */
  gboolean compared;            /* the previous frame has as many pixels; if
                                 * FALSE, no steps were counted */
} VhMetering;

/* Counts that hold the values of zones, [row][column][value]. */
VhCountsShape vh_meter_shape (void);

/* The values of one zone; @counts must be complete. */
const guint32 *vh_meter_zone (VhCounts * counts, guint column, guint row);

/* The 64-bit sum whose low half is @value and whose high half is the next
 * value. */
static inline guint64
vh_zone_sum (const guint32 * zone, guint value)
{
  return (guint64) zone[value + 1] << 32 | zone[value];
}

G_END_DECLS
