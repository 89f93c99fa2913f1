/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rows.h"

void
vh_rows_init (VhRows * rows, const VhLayout * layout, const VhLoops * loops)
{
  const gboolean wide = layout->depth > 8;
  guint i;

  rows->layout = *layout;
  rows->correction = loops->correction;
  rows->steps = wide ? &loops->ops16 : &loops->ops8;
  rows->ops = wide ? &loops->correction->ops16 : &loops->correction->ops8;
  rows->sample_size = wide ? 2 : 1;
  for (i = 0; i < layout->n_components; i++)
    rows->fetch[i] = vh_fetch_samples (layout, i);
}

/* The address of the first sample of component @c in row @y of its plane. */
static guint8 *
find_row (const VhRows * rows, const VhFrameView * view, guint c, guint y)
{
  const VhComponent *component = &rows->layout.component[c];
  const VhPlane *plane = &view->plane[component->plane];

  return (guint8 *) plane->data + y * plane->stride + component->offset;
}

gpointer
vh_rows_find (const VhRows * rows, const VhFrameView * view, guint c, gsize x,
    guint y)
{
  const VhFetch *fetch = &rows->fetch[c];
  guint8 *array = find_row (rows, view, c, y) + x * fetch->pixel_stride;

  if (fetch->pixel_stride != rows->sample_size
      || rows->layout.depth != 8 * rows->sample_size || fetch->swap
      || (guintptr) array % rows->sample_size != 0)
    return NULL;
  return array;
}

void
vh_rows_fetch (const VhRows * rows, const VhFrameView * view, guint c,
    gpointer samples, gsize x, guint y, gsize n)
{
  rows->steps->fetch (samples, find_row (rows, view, c, y), x, n,
      &rows->fetch[c]);
}

/* Stores components @first ... @last, all of them at once if they are bytes of
 * the same pixels. */
static gboolean
store_bytes (const VhRows * rows, const VhFrameView * view, guint first,
    guint last, gconstpointer const samples[3], guint x, guint y, gsize n)
{
  const VhComponent *component = rows->layout.component;
  const VhPlane *plane = &view->plane[component[first].plane];
  const guint stride = component[first].pixel_stride;
  const guint8 *bytes[4] = { NULL, };
  guint c;

  if (!vh_fetch_is_packed (&rows->layout, first, last))
    return FALSE;
  for (c = first; c <= last; c++)
    bytes[component[c].offset] = samples[c];
  return rows->correction->interleave8 ((guint8 *) plane->data +
      y * plane->stride + (gsize) x * stride, bytes, n, stride);
}

void
vh_rows_store (const VhRows * rows, const VhFrameView * view, guint first,
    guint last, gconstpointer const samples[3], guint x, guint y, gsize n)
{
  guint c;

  if (store_bytes (rows, view, first, last, samples, x, y, n))
    return;
  for (c = first; c <= last; c++) {
    rows->ops->store (find_row (rows, view, c, y), samples[c], x, n,
        &rows->fetch[c]);
  }
}
