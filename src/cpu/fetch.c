/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fetch.h"

VhFetch
vh_fetch_pixels (const VhLayout * layout, guint component)
{
  const VhComponent *c = &layout->component[component];

  return (VhFetch) {
    .pixel_stride = c->pixel_stride,
    .sample_bytes = c->sample_bytes,
    .shift = c->shift,
    .w_sub = c->w_sub,
    .mask = (1u << layout->depth) - 1,
    .swap = layout->big_endian != (G_BYTE_ORDER == G_BIG_ENDIAN),
  };
}

VhFetch
vh_fetch_samples (const VhLayout * layout, guint component)
{
  VhFetch fetch = vh_fetch_pixels (layout, component);

  fetch.w_sub = 0;
  return fetch;
}

gboolean
vh_fetch_is_packed (const VhLayout * layout, guint first, guint last)
{
  const VhComponent *c = &layout->component[first];
  guint i;

  for (i = first; i <= last; i++, c++) {
    if (c->plane != layout->component[first].plane
        || c->pixel_stride != layout->component[first].pixel_stride
        || c->pixel_stride > 4)
      return FALSE;
  }
  return layout->depth == 8;
}
