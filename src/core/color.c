/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Luma of RGB and RGB of YUV in integers: docs/definitions.md has the
 * formulas. */
#include "color.h"

#include <math.h>

static void
luma_coefficients (GstVideoColorMatrix matrix, gdouble * kr, gdouble * kb)
{
  if (!gst_video_color_matrix_get_Kr_Kb (matrix, kr, kb))
    gst_video_color_matrix_get_Kr_Kb (GST_VIDEO_COLOR_MATRIX_BT709, kr, kb);
}

VhLumaWeights
vh_luma_weights (GstVideoColorMatrix matrix)
{
  VhLumaWeights weights;
  gdouble kr, kb;

  luma_coefficients (matrix, &kr, &kb);
  weights.r = lround (kr * 65536);
  weights.b = lround (kb * 65536);
  weights.g = 65536 - weights.r - weights.b;
  return weights;
}

VhYuvToRgb
vh_yuv_to_rgb (GstVideoColorMatrix matrix, GstVideoColorRange range,
    guint depth)
{
  const guint shift = depth <= 12 ? 16 : 20;
  const gdouble one = 1 << shift;
  const gint max = (1 << depth) - 1;
  VhYuvToRgb yuv = { 0, };
  gdouble kr, kb, kg, y_gain, c_gain;

  luma_coefficients (matrix, &kr, &kb);
  kg = 1 - kr - kb;

  if (range == GST_VIDEO_COLOR_RANGE_0_255) {
    y_gain = 1;
    c_gain = 1;
    yuv.y_offset = 0;
  } else {
    y_gain = (gdouble) max / (219 << (depth - 8));
    c_gain = (gdouble) max / (224 << (depth - 8));
    yuv.y_offset = 16 << (depth - 8);
  }

  yuv.c_offset = 1 << (depth - 1);
  yuv.y_scale = lround (y_gain * one);
  yuv.rv = lround (2 * (1 - kr) * c_gain * one);
  yuv.gu = lround (-2 * (1 - kb) * kb / kg * c_gain * one);
  yuv.gv = lround (-2 * (1 - kr) * kr / kg * c_gain * one);
  yuv.bu = lround (2 * (1 - kb) * c_gain * one);
  yuv.shift = shift;
  yuv.max = max;
  return yuv;
}
