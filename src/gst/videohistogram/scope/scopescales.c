/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scopescales.h"
#include "traces.h"

#include <math.h>

/* Luminance of white in cd/m² for video that is neither PQ nor HLG. */
#define SDR_WHITE 100.0

/* RGB of 100 % bars, as in BT.471. */
static const struct
{
  const gchar *name;
  guint8 red, green, blue;
} bars[VH_SCOPE_N_TARGETS] = {
  {"R", 1, 0, 0},
  {"Mg", 1, 0, 1},
  {"B", 0, 0, 1},
  {"Cy", 0, 1, 1},
  {"G", 0, 1, 0},
  {"Yl", 1, 1, 0},
};

static gboolean
is_limited (const VhLayout * layout)
{
  return layout->colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235;
}

void
vh_scope_axis_init (VhScopeAxis * axis, const VhLayout * layout, guint value)
{
  const gboolean rgb = layout->model == VH_MODEL_RGB;
  const gboolean of_rgb = value >= VH_SCOPE_RED && value <= VH_SCOPE_BLUE;
  const gboolean chroma = value == VH_SCOPE_U || value == VH_SCOPE_V;
  const guint one = 1u << (layout->depth - 8);

  *axis = (VhScopeAxis) {
    .depth = layout->depth,
    .chroma = chroma,
    .transfer = layout->colorimetry.transfer,
  };
  /* Values converted to RGB have full range, U and V limited range. */
  if (chroma && rgb)
    axis->limited = TRUE;
  else if (!of_rgb || rgb)
    axis->limited = is_limited (layout);
  if (axis->limited) {
    axis->black = 16 * one;
    axis->white = (axis->chroma ? 240 : 235) * one;
  } else {
    const gdouble max = (1u << layout->depth) - 1;

    /* Without color, U and V are half of the code range. */
    axis->black = axis->chroma ? 0.5 : 0;
    axis->white = max + axis->black;
  }
}

/* Linear scales: their values for black and white, or for the ends of U and V.
 * Codes are handled separately. */
static const struct
{
  gdouble black, white;
} straight[][2] = {
  [GST_VIDEO_SCOPE_SCALE_PERCENT] = {{0, 100}, {-50, 50}},
  [GST_VIDEO_SCOPE_SCALE_IRE] = {{0, 100}, {-50, 50}},
  [GST_VIDEO_SCOPE_SCALE_MV] = {{0, 700}, {-350, 350}},
};

/* SMPTE ST 2084 */
static gdouble
level_of_pq (gdouble nits)
{
  const gdouble m1 = 2610.0 / 16384, m2 = 2523.0 / 32;
  const gdouble c1 = 3424.0 / 4096, c2 = 2413.0 / 128, c3 = 2392.0 / 128;
  const gdouble power = pow (nits / 10000, m1);

  return pow ((c1 + c2 * power) / (1 + c3 * power), m2);
}

/* ITU-R BT.2100, on a display of 1000 cd/m² */
static gdouble
level_of_hlg (gdouble nits)
{
  const gdouble a = 0.17883277, b = 0.28466892, c = 0.55991073;
  const gdouble light = pow (nits / 1000, 1 / 1.2);

  return light <= 1.0 / 12 ? sqrt (3 * light) : a * log (12 * light - b) + c;
}

/* The signal, 0 to 1, that a display shows as @nits. */
static gdouble
level_of_nits (GstVideoTransferFunction transfer, gdouble nits)
{
  nits = MAX (nits, 0);
  if (transfer == GST_VIDEO_TRANSFER_SMPTE2084)
    return level_of_pq (nits);
  if (transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67)
    return level_of_hlg (nits);
  /* ITU-R BT.1886 */
  return pow (nits / SDR_WHITE, 1 / 2.4);
}

gdouble
vh_scope_scale_code (GstVideoScopeScale scale, const VhScopeAxis * axis,
    gdouble number)
{
  const gdouble range = axis->white - axis->black;
  const guint chroma = axis->chroma;

  if (scale == GST_VIDEO_SCOPE_SCALE_CODE)
    return number;
  if (scale == GST_VIDEO_SCOPE_SCALE_NITS && !chroma)
    return axis->black + level_of_nits (axis->transfer, number) * range;
  /* U and V have no luminance. */
  if (scale == GST_VIDEO_SCOPE_SCALE_NITS)
    scale = GST_VIDEO_SCOPE_SCALE_PERCENT;
  return axis->black + range * (number - straight[scale][chroma].black) /
      (straight[scale][chroma].white - straight[scale][chroma].black);
}

/* The lines of each scale; lines out of range are left out. Codes are 8-bit. */
#define N_NUMBERS VH_SCOPE_MAX_SCALE_LINES

typedef struct
{
  guint n;
  gdouble number[N_NUMBERS];
} Numbers;

static const Numbers percents = { 7, {-20, 0, 25, 50, 75, 100, 109} };
static const Numbers ire = { 8, {-20, 0, 20, 40, 60, 80, 100, 120} };
static const Numbers millivolts = { 9,
  {-100, 0, 100, 200, 300, 400, 500, 600, 700}
};

static const Numbers codes[] = {
  {9, {0, 32, 64, 96, 128, 160, 192, 224, 255}},        /* full range */
  {9, {16, 43, 71, 98, 126, 153, 180, 208, 235}},       /* limited range */
};

static const Numbers chroma_percents = { 5, {-50, -25, 0, 25, 50} };
static const Numbers chroma_millivolts = { 5, {-350, -175, 0, 175, 350} };

static const Numbers chroma_codes[] = {
  {5, {0, 64, 128, 192, 255}},
  {5, {16, 72, 128, 184, 240}},
};

static const Numbers sdr_nits = { 8, {0, 1, 5, 10, 25, 50, 75, 100} };
static const Numbers pq_nits = { 11,
  {0, 0.1, 1, 10, 100, 203, 400, 1000, 2000, 4000, 10000}
};

/* The usual levels of HLG have a percentage of the signal and the nits that the
 * nominal display shows. 100 nits is not a usual level: the line is placed by
 * its nits. */
static const struct
{
  gdouble percent;
  guint nits;
} hlg_levels[] = {
  {0, 0}, {38, 26}, {50, 51}, {0, 100}, {75, 203}, {90, 522}, {100, 1000},
  {109, 1809},
};

static const Numbers *
find_numbers (GstVideoScopeScale scale, const VhScopeAxis * axis)
{
  if (scale == GST_VIDEO_SCOPE_SCALE_CODE)
    return axis->chroma ? &chroma_codes[axis->limited] :
        &codes[axis->limited];
  if (axis->chroma)
    return scale == GST_VIDEO_SCOPE_SCALE_MV ? &chroma_millivolts :
        &chroma_percents;
  switch (scale) {
    case GST_VIDEO_SCOPE_SCALE_MV:
      return &millivolts;
    case GST_VIDEO_SCOPE_SCALE_IRE:
      return &ire;
    case GST_VIDEO_SCOPE_SCALE_NITS:
      return axis->transfer == GST_VIDEO_TRANSFER_SMPTE2084 ? &pq_nits :
          &sdr_nits;
    default:
      return &percents;
  }
}

/* Adds a line, unless it is out of range. */
static guint
add_line (const VhScopeAxis * axis, VhScopeLine * lines, guint n, gdouble code,
    gdouble number)
{
  if (code < 0 || code >= 1u << axis->depth)
    return n;
  lines[n].code = code;
  g_snprintf (lines[n].label, sizeof (lines[n].label), "%g", number);
  return n + 1;
}

static guint
hlg_lines (const VhScopeAxis * axis, VhScopeLine * lines)
{
  guint n = 0, i;

  for (i = 0; i < G_N_ELEMENTS (hlg_levels); i++) {
    const gboolean by_nits = hlg_levels[i].percent == 0;

    n = add_line (axis, lines, n, vh_scope_scale_code (by_nits ?
            GST_VIDEO_SCOPE_SCALE_NITS : GST_VIDEO_SCOPE_SCALE_PERCENT, axis,
            by_nits ? hlg_levels[i].nits : hlg_levels[i].percent),
        hlg_levels[i].nits);
  }
  return n;
}

guint
vh_scope_scale_lines (GstVideoScopeScale scale, const VhScopeAxis * axis,
    VhScopeLine * lines)
{
  const Numbers *numbers = find_numbers (scale, axis);
  guint n = 0, i;

  if (scale == GST_VIDEO_SCOPE_SCALE_NITS && !axis->chroma
      && axis->transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67)
    return hlg_lines (axis, lines);
  for (i = 0; i < numbers->n; i++) {
    gdouble number = numbers->number[i];

    if (scale == GST_VIDEO_SCOPE_SCALE_CODE) {
      number = number == 255 ? (1u << axis->depth) - 1 :
          number * (1u << (axis->depth - 8));
    }
    n = add_line (axis, lines, n, vh_scope_scale_code (scale, axis, number),
        number);
  }
  return n;
}

guint
vh_scope_limit_lines (GstVideoScopeLimits limits, const VhScopeAxis * axis,
    VhScopeLine * lines)
{
  const guint one = 1u << (axis->depth - 8);
  guint n = 0;

  if (limits & GST_VIDEO_SCOPE_LIMITS_RANGE) {
    n = add_line (axis, lines, n, axis->black, 0);
    n = add_line (axis, lines, n, axis->white, 0);
  }
  /* R 103 applies to Y, R, G and B of limited range. */
  if ((limits & GST_VIDEO_SCOPE_LIMITS_R103) && axis->limited
      && !axis->chroma) {
    n = add_line (axis, lines, n, 5 * one, 0);
    n = add_line (axis, lines, n, 246 * one, 0);
  }
  return n;
}

void
vh_scope_targets (const VhLayout * layout, gdouble level,
    VhScopeTarget targets[VH_SCOPE_N_TARGETS])
{
  const gboolean limited = layout->model == VH_MODEL_RGB
      || is_limited (layout);
  /* In 8-bit code values; full range has 2^depth - 1 steps. */
  const gdouble range = limited ? 224 : 256 - 1.0 / (1u << (layout->depth - 8));
  gdouble kr, kb;
  guint i;

  gst_video_color_matrix_get_Kr_Kb (layout->matrix, &kr, &kb);
  for (i = 0; i < VH_SCOPE_N_TARGETS; i++) {
    const gdouble r = level * bars[i].red, b = level * bars[i].blue;
    const gdouble y = kr * r + (1 - kr - kb) * level * bars[i].green + kb * b;

    targets[i] = (VhScopeTarget) {
      .name = bars[i].name,
      .u = 128 + range * (b - y) / (2 * (1 - kb)),
      .v = 128 + range * (r - y) / (2 * (1 - kr)),
    };
  }
}
