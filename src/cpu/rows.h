/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of samples in frames of one layout, at their own resolution. */
#pragma once

#include "core/frameview.h"
#include "loops.h"

G_BEGIN_DECLS

typedef struct
{
  VhLayout layout;
  const VhCorrectLoops *correction;
  const VhSampleOps *steps;
  const VhCorrectOps *ops;
  gsize sample_size;            /* of arrays, bytes */
  VhFetch fetch[3];             /* of own samples, not of pixels */
} VhRows;

void vh_rows_init (VhRows * rows, const VhLayout * layout,
    const VhLoops * loops);

/* Returns the samples of component @c of @view as an array in place, starting
 * at its own sample @x of row @y; NULL if they are not adjacent whole words. */
gpointer vh_rows_find (const VhRows * rows, const VhFrameView * view, guint c,
    gsize x, guint y);

/* Copies @n of these samples, whatever their layout. */
void vh_rows_fetch (const VhRows * rows, const VhFrameView * view, guint c,
    gpointer samples, gsize x, guint y, gsize n);

/* Stores @n samples of each of components @first ... @last into @view, starting
 * at sample @x of row @y, in their own coordinates. Leaves the other bits of
 * their words unchanged. */
void vh_rows_store (const VhRows * rows, const VhFrameView * view, guint first,
    guint last, gconstpointer const samples[3], guint x, guint y, gsize n);

G_END_DECLS
