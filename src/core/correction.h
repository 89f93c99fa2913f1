/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "curve.h"
#include "frameview.h"

G_BEGIN_DECLS

/* The reference histogram of `match`, with the bins of the frames to correct.
 */
typedef struct
{
  guint32 n;                    /* pixels, not 0 */
  guint32 sums[VH_CURVE_MAX_BINS];      /* cumulative */
} VhReference;

/* How the frames of one stream are corrected, one after the other. */
typedef struct
{
  VhCurveParams curve;          /* its method is not NONE */
  guint color;                  /* VH_COLOR_SCALE ... */
  const VhReference *reference; /* for MATCH */
  guint reference_id;           /* differs for each reference */
  gboolean reset;               /* forget the earlier frames */

  VhRect region;                /* what is counted and corrected, in pixels of
                                 * the picture */
  guint edges;                  /* VH_EDGE_LEFT ..., a bit each: where the
                                 * picture continues beyond the region */

  /* In code values. */
  guint black, white;           /* of luma, R, G and B */
  guint chroma_limit;           /* of the difference of U and V from grey */
} VhEqualizeJob;

/* The edges of @region beyond which a picture of @width x @height continues. */
static inline guint
vh_equalize_edges (const VhRect * region, guint width, guint height)
{
  return (region->x > 0 ? VH_EDGE_LEFT : 0)
      | (region->y > 0 ? VH_EDGE_TOP : 0)
      | (region->x + region->width < width ? VH_EDGE_RIGHT : 0)
      | (region->y + region->height < height ? VH_EDGE_BOTTOM : 0);
}

/* The region of @job in pixels of the planes of @view. */
static inline VhRect
vh_equalize_region (const VhEqualizeJob * job, const VhFrameView * view)
{
  VhRect region = job->region;

  region.x += view->picture.x;
  region.y += view->picture.y;
  return region;
}

/* Whether the chroma sample @x, @y, which covers 2^@w_sub x 2^@h_sub pixels,
 * also covers pixels beyond @edges of @region. Those pixels must not change, so
 * the sample must not either. */
static inline gboolean
vh_equalize_chroma_stays (guint edges, const VhRect * region, guint x, guint y,
    guint w_sub, guint h_sub)
{
  return ((edges & VH_EDGE_LEFT) && x << w_sub < region->x)
      || ((edges & VH_EDGE_TOP) && y << h_sub < region->y)
      || ((edges & VH_EDGE_RIGHT)
      && (x + 1) << w_sub > region->x + region->width)
      || ((edges & VH_EDGE_BOTTOM)
      && (y + 1) << h_sub > region->y + region->height);
}

G_END_DECLS
