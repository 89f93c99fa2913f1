/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "curve.h"
#include "frameview.h"

G_BEGIN_DECLS

/* Counts of the reference of `match`, in the bins of the frames it is for. */
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
  const VhReference *reference; /* of MATCH */
  guint reference_id;           /* differs for each reference */
  gboolean reset;               /* forget the earlier frames */

  /* In code values. */
  guint black, white;           /* of luma, R, G and B */
  guint chroma_limit;           /* of the difference of U and V from grey */
} VhEqualizeJob;

G_END_DECLS
