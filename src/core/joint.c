/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What joint histograms need on every device. */
#include "joint.h"

void
vh_luma_init (VhLuma * luma, void (*free) (VhLuma *), gconstpointer maker,
    gsize capacity)
{
  *luma = (VhLuma) {
    .refcount = 1,
    .free = free,
    .maker = maker,
    .capacity = capacity,
  };
}

VhLuma *
vh_luma_ref (VhLuma * luma)
{
  g_atomic_int_inc (&luma->refcount);
  return luma;
}

void
vh_luma_unref (VhLuma * luma)
{
  if (g_atomic_int_dec_and_test (&luma->refcount))
    luma->free (luma);
}

gboolean
vh_luma_is_exclusive (VhLuma * luma)
{
  return g_atomic_int_get (&luma->refcount) == 1;
}

gboolean
vh_layout_has_chroma (const VhLayout * layout)
{
  const VhComponent *u = &layout->component[1], *v = &layout->component[2];

  return layout->model == VH_MODEL_RGB || (layout->model == VH_MODEL_YUV
      && u->w_sub == v->w_sub && u->h_sub == v->h_sub);
}

guint
vh_layout_chroma_planes (const VhLayout * layout)
{
  guint planes = 1u << layout->component[1].plane |
      1u << layout->component[2].plane;

  if (layout->model == VH_MODEL_RGB)
    planes |= 1u << layout->component[0].plane;
  return planes;
}

VhRect
vh_chroma_region (const VhLayout * layout, const VhRect * region)
{
  const guint w_sub = layout->component[1].w_sub;
  const guint h_sub = layout->component[1].h_sub;
  const guint x = region->x >> w_sub, y = region->y >> h_sub;

  return (VhRect) {
    .x = x,
    .y = y,
    .width = ((region->x + region->width - 1) >> w_sub) - x + 1,
    .height = ((region->y + region->height - 1) >> h_sub) - y + 1,
  };
}
