/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The coefficients in src/core/color.h for luma of RGB and RGB of YUV, against
 * double precision. */
#include <math.h>

#include "common/random.h"
#include "common/suite.h"
#include "core/color.h"

typedef struct
{
  GstVideoColorMatrix matrix;
  gdouble kr, kb;
} Matrix;

static const Matrix matrices[] = {
  {GST_VIDEO_COLOR_MATRIX_BT601, 0.299, 0.114},
  {GST_VIDEO_COLOR_MATRIX_BT709, 0.2126, 0.0722},
  {GST_VIDEO_COLOR_MATRIX_BT2020, 0.2627, 0.0593},
  {GST_VIDEO_COLOR_MATRIX_SMPTE240M, 0.212, 0.087},
  {GST_VIDEO_COLOR_MATRIX_FCC, 0.30, 0.11},
};

static const GstVideoColorRange ranges[] = {
  GST_VIDEO_COLOR_RANGE_0_255, GST_VIDEO_COLOR_RANGE_16_235,
};

/* The terms of a conversion, in integers and in double. */
typedef struct
{
  VhYuvToRgb whole;
  gdouble y_offset, c_offset, y_scale, rv, gu, gv, bu;
} Conversion;

static void
conversion_init (Conversion * c, const Matrix * m, GstVideoColorRange range,
    guint depth)
{
  const gdouble unit = 1 << (depth - 8), max = (1 << depth) - 1;
  const gboolean full = range == GST_VIDEO_COLOR_RANGE_0_255;
  const gdouble chroma = full ? 1 : max / (224 * unit);
  const gdouble kg = 1 - m->kr - m->kb;

  c->whole = vh_yuv_to_rgb (m->matrix, range, depth);
  c->y_offset = full ? 0 : 16 * unit;
  c->c_offset = 128 * unit;
  c->y_scale = full ? 1 : max / (219 * unit);
  c->rv = 2 * (1 - m->kr) * chroma;
  c->gu = -2 * (1 - m->kb) * m->kb / kg * chroma;
  c->gv = -2 * (1 - m->kr) * m->kr / kg * chroma;
  c->bu = 2 * (1 - m->kb) * chroma;
}

/* Compares one channel with the coefficients @u_whole and @v_whole. */
static inline gboolean
is_close (const Conversion * c, gint y, gint u, gint v, gint32 u_whole,
    gint32 v_whole, gdouble u_real, gdouble v_real)
{
  const VhYuvToRgb *w = &c->whole;
  const gint64 sum = (gint64) (y - w->y_offset) * w->y_scale
      + (gint64) (u - w->c_offset) * u_whole
      + (gint64) (v - w->c_offset) * v_whole
      + (G_GINT64_CONSTANT (1) << (w->shift - 1));
  const gint64 whole = CLAMP (sum >> w->shift, 0, w->max);
  const gdouble real = (y - c->y_offset) * c->y_scale
      + (u - c->c_offset) * u_real + (v - c->c_offset) * v_real;

  return fabs (whole - CLAMP (real, 0, w->max)) <= 1;
}

static void
check_yuv (const Conversion * c, guint depth, gint y, gint u, gint v)
{
  const VhYuvToRgb *w = &c->whole;

  if (!is_close (c, y, u, v, 0, w->rv, 0, c->rv)
      || !is_close (c, y, u, v, w->gu, w->gv, c->gu, c->gv)
      || !is_close (c, y, u, v, w->bu, 0, c->bu, 0)) {
    fail ("%u bits, Y %d U %d V %d is off by more than one code value", depth,
        y, u, v);
  }
}

/* For 8 bits, all chroma with every 15th luma; for more bits the corners, where
 * linear errors are largest, and samples in between. */
static void
check_conversion (const Conversion * c, guint depth)
{
  const gint n = 1 << depth;
  TestRandom random = test_random_new (depth);
  gint y, u, v, i;

  if (depth == 8) {
    for (y = 0; y < n; y += 15)
      for (u = 0; u < n; u++)
        for (v = 0; v < n; v++)
          check_yuv (c, depth, y, u, v);
    return;
  }

  for (i = 0; i < 8; i++) {
    check_yuv (c, depth, i & 1 ? n - 1 : 0, i & 2 ? n - 1 : 0,
        i & 4 ? n - 1 : 0);
  }
  for (i = 0; i < 100000; i++) {
    check_yuv (c, depth, test_random_below (&random, n),
        test_random_below (&random, n), test_random_below (&random, n));
  }
}

GST_START_TEST (test_rgb_of_yuv)
{
  Conversion c;
  guint m, r, depth;

  for (depth = 8; depth <= 16; depth++) {
    for (m = 0; m < G_N_ELEMENTS (matrices); m++) {
      for (r = 0; r < G_N_ELEMENTS (ranges); r++) {
        conversion_init (&c, &matrices[m], ranges[r], depth);
        check_conversion (&c, depth);
      }
    }
  }
}

GST_END_TEST;

/* Black, white and gray are exact. */
GST_START_TEST (test_neutral)
{
  guint m, depth;

  for (depth = 8; depth <= 16; depth++) {
    for (m = 0; m < G_N_ELEMENTS (matrices); m++) {
      const VhYuvToRgb full = vh_yuv_to_rgb (matrices[m].matrix,
          GST_VIDEO_COLOR_RANGE_0_255, depth);
      const VhYuvToRgb limited = vh_yuv_to_rgb (matrices[m].matrix,
          GST_VIDEO_COLOR_RANGE_16_235, depth);
      const gint64 half = G_GINT64_CONSTANT (1) << (limited.shift - 1);
      const gint64 white = 219 << (depth - 8);

      fail_unless_equals_int (full.y_offset, 0);
      fail_unless_equals_int (full.y_scale, 1 << full.shift);
      fail_unless_equals_int (full.c_offset, 128 << (depth - 8));
      fail_unless_equals_int (limited.y_offset, 16 << (depth - 8));
      fail_unless_equals_int (limited.c_offset, 128 << (depth - 8));
      fail_unless_equals_int64 ((white * limited.y_scale + half)
          >> limited.shift, (1 << depth) - 1);
      fail_unless_equals_int (limited.max, (1 << depth) - 1);
    }
  }
}

GST_END_TEST;

static void
check_32_bits (gint64 value)
{
  fail_unless (value >= G_MININT32 && value <= G_MAXINT32,
      "%" G_GINT64_FORMAT " does not fit into 32 bits", value);
}

/* Intermediate results fit in 32-bit words, as color.h promises. */
GST_START_TEST (test_intermediates_fit)
{
  guint m, r, depth, i;

  for (depth = 8; depth <= 12; depth++) {
    for (m = 0; m < G_N_ELEMENTS (matrices); m++) {
      for (r = 0; r < G_N_ELEMENTS (ranges); r++) {
        const VhYuvToRgb w = vh_yuv_to_rgb (matrices[m].matrix, ranges[r],
            depth);

        fail_unless_equals_int (w.shift, 16);
        for (i = 0; i < 8; i++) {
          const gint64 y = (i & 1 ? w.max : 0) - w.y_offset;
          const gint64 u = (i & 2 ? w.max : 0) - w.c_offset;
          const gint64 v = (i & 4 ? w.max : 0) - w.c_offset;
          const gint64 sum = y * w.y_scale + (1 << (w.shift - 1));

          check_32_bits (sum);
          check_32_bits (sum + v * w.rv);
          check_32_bits (sum + u * w.gu);
          check_32_bits (sum + v * w.gv);
          check_32_bits (sum + u * w.gu + v * w.gv);
          check_32_bits (sum + u * w.bu);
        }
      }
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_luma_weights)
{
  static const struct
  {
    GstVideoColorMatrix matrix;
    guint32 r, g, b;
  } wanted[] = {
    {GST_VIDEO_COLOR_MATRIX_BT601, 19595, 38470, 7471},
    {GST_VIDEO_COLOR_MATRIX_BT709, 13933, 46871, 4732},
    {GST_VIDEO_COLOR_MATRIX_BT2020, 17216, 44434, 3886},
    {GST_VIDEO_COLOR_MATRIX_SMPTE240M, 13894, 45940, 5702},
    {GST_VIDEO_COLOR_MATRIX_FCC, 19661, 38666, 7209},
    {GST_VIDEO_COLOR_MATRIX_RGB, 13933, 46871, 4732},
    {GST_VIDEO_COLOR_MATRIX_UNKNOWN, 13933, 46871, 4732},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (wanted); i++) {
    const VhLumaWeights weights = vh_luma_weights (wanted[i].matrix);

    fail_unless_equals_int (weights.r, wanted[i].r);
    fail_unless_equals_int (weights.g, wanted[i].g);
    fail_unless_equals_int (weights.b, wanted[i].b);
    fail_unless_equals_int (weights.r + weights.g + weights.b, 65536);
  }
}

GST_END_TEST;

TEST_SUITE (color, NULL, NULL)
{
  tcase_add_test (tc, test_rgb_of_yuv);
  tcase_add_test (tc, test_neutral);
  tcase_add_test (tc, test_intermediates_fit);
  tcase_add_test (tc, test_luma_weights);
}
