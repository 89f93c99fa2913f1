/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Luma of frames of any layout, a part of a row at a time. */
#pragma once

#include "core/frameview.h"
#include "loops.h"

G_BEGIN_DECLS

/* Pixels of a part, at most: all arrays stay in the nearest cache. */
#define VH_LUMA_PIXELS 2048

typedef struct
{
  VhLayout layout;
  const VhSampleOps *ops;
  VhFetch fetch[3];             /* of samples at their own resolution */
  VhLumaWeights weights;

  guint16 fetched[3][VH_LUMA_PIXELS];   /* or guint8, of 8 bits */
  guint16 luma[VH_LUMA_PIXELS]; /* the same */
} VhLumaRows;

void vh_luma_rows_init (VhLumaRows * self, const VhLayout * layout,
    const VhLoops * loops);

/* The samples of component @c from @x, @y on, in its own coordinates: where
 * they lie, or fetched. */
gconstpointer vh_luma_rows_samples (VhLumaRows * self,
    const VhFrameView * view, guint c, gsize x, gsize y, gsize n);

/* Luma of @n pixels from @x, @y of the planes on, in code values: guint8 of 8
 * bits, else guint16; of use until the next call. */
gconstpointer vh_luma_rows_find (VhLumaRows * self, const VhFrameView * view,
    gsize x, gsize y, gsize n);

G_END_DECLS
