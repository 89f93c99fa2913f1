/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lumarows.h"

void
vh_luma_rows_init (VhLumaRows * self, const VhLayout * layout,
    const VhLoops * loops)
{
  guint i;

  self->layout = *layout;
  self->ops = layout->depth > 8 ? &loops->ops16 : &loops->ops8;
  self->weights = vh_luma_weights (layout->matrix);
  for (i = 0; i < layout->n_components; i++)
    self->fetch[i] = vh_fetch_samples (layout, i);
}

gconstpointer
vh_luma_rows_samples (VhLumaRows * self, const VhFrameView * view, guint c,
    gsize x, gsize y, gsize n)
{
  const VhComponent *component = &self->layout.component[c];
  const VhPlane *plane = &view->plane[component->plane];
  const guint8 *row = plane->data + y * plane->stride + component->offset;

  if (self->layout.depth == 8 && component->pixel_stride == 1)
    return row + x;
  self->ops->fetch (self->fetched[c], row, x, n, &self->fetch[c]);
  return self->fetched[c];
}

gconstpointer
vh_luma_rows_find (VhLumaRows * self, const VhFrameView * view, gsize x,
    gsize y, gsize n)
{
  gconstpointer component[3];
  guint i;

  if (self->layout.model != VH_MODEL_RGB)
    return vh_luma_rows_samples (self, view, 0, x, y, n);
  for (i = 0; i < 3; i++)
    component[i] = vh_luma_rows_samples (self, view, i, x, y, n);
  self->ops->luma (self->luma, component, n, &self->weights);
  return self->luma;
}
