/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures a frame without histograms: how bright its parts are, how much
 * pixels differ from their neighbours, how many of them have changed by at
 * least a step since the previous frame, and how chroma is distributed. */
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
  const guint32 *luminance;     /* of each bin of luma; or NULL, if it is not
                                 * wanted */
  gboolean luma, chroma;        /* what to measure; the layout has it. Without
                                 * luma, the frame is not kept */
  gboolean follows;             /* the frame submitted last is the previous
                                 * one */
  VhCounts *counts;             /* pending, of vh_meter_shape() */

  /* Results. */
  gboolean compared;            /* the previous frame has the same size; if
                                 * FALSE, no steps were counted */
} VhMetering;

/* Counts that hold the VH_SUMS and the parts of a frame. */
VhCountsShape vh_meter_shape (void);

/* @counts must be complete. */
guint64 vh_meter_sum (VhCounts * counts, guint sum);

/* One of the sums of VH_CELL_ ... over a cell; likewise. */
guint64 vh_meter_cell_sum (VhCounts * counts, guint cell, guint sum);

/* The sums of bins of luma of VH_PARTS, row by row; likewise. */
const guint32 *vh_meter_parts (VhCounts * counts);

/* Adds up the parts of @columns and @rows from @column and @row on. */
guint64 vh_meter_add_parts (const guint32 parts[VH_PARTS], guint column,
    guint row, guint columns, guint rows);

/* Makes @counts hold @sums and @parts, and completes them. */
void vh_meter_set_sums (VhCounts * counts, const guint64 sums[VH_SUMS],
    const guint32 parts[VH_PARTS]);

G_END_DECLS
