/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Luma of RGB: `(r * R + g * G + b * B + 32768) >> 16`. The weights sum to
 * exactly 65536, so that equal R, G and B give the same value. */
typedef struct
{
  guint32 r, g, b;
} VhLumaWeights;

/* RGB from code values Y, U, V, in fixed point with shift fractional bits:
 *
 *   y = (Y - y_offset) * y_scale + 2^(shift - 1)
 *   R = clamp ((y + (V - c_offset) * rv) >> shift)
 *   G = clamp ((y + (U - c_offset) * gu + (V - c_offset) * gv) >> shift)
 *   B = clamp ((y + (U - c_offset) * bu) >> shift)
 *
 * with an arithmetic shift, and clamp to 0 ... 2^depth - 1. Up to 12 bits of
 * depth, shift is 16 and every intermediate fits 32 bits; above, shift is 20
 * and intermediates need 64 bits. */
typedef struct
{
  gint32 y_offset, c_offset;
  gint32 y_scale, rv, gu, gv, bu;
  guint32 shift;
  gint32 max;                   /* 2^depth - 1 */
} VhYuvToRgb;

/* Luma weights of @matrix, or of BT.709 if it has none. */
VhLumaWeights vh_luma_weights (GstVideoColorMatrix matrix);

/* Coefficients for converting samples of @depth bits to full-range RGB. A range
 * other than 0-255 counts as limited, a matrix without weights as BT.709. */
VhYuvToRgb vh_yuv_to_rgb (GstVideoColorMatrix matrix, GstVideoColorRange range,
    guint depth);

G_END_DECLS
