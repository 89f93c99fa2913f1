/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Luma of frames of any layout, a part of a row at a time. */
#pragma once

#include "core/frameview.h"
#include "loops.h"

G_BEGIN_DECLS

/* The maximum number of pixels in a part, chosen so that all arrays stay in the
 * nearest cache. */
#define VH_LUMA_PIXELS 2048

typedef struct
{
  VhLayout layout;
  const VhSampleOps *ops;
  VhFetch fetch[3];             /* of samples at their own resolution */
  VhLumaWeights weights;

  guint16 fetched[3][VH_LUMA_PIXELS];   /* guint8 for 8 bits */
  guint16 luma[VH_LUMA_PIXELS]; /* the same */
} VhLumaRows;

void vh_luma_rows_init (VhLumaRows * self, const VhLayout * layout,
    const VhLoops * loops);

/* Returns the samples of component @c, starting at sample @x, @y of the
 * component itself: in place, or fetched. */
gconstpointer vh_luma_rows_samples (VhLumaRows * self,
    const VhFrameView * view, guint c, gsize x, gsize y, gsize n);

/* Returns the luma of @n pixels, starting at @x, @y of the planes, in code
 * values: guint8 for 8 bits, otherwise guint16. Valid until the next call. */
gconstpointer vh_luma_rows_find (VhLumaRows * self, const VhFrameView * view,
    gsize x, gsize y, gsize n);

G_END_DECLS
