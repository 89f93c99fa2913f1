/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthcolor.h"

#include <math.h>

/* The ratios below need some light. */
#define MIN_LEVEL 0.05

/* The smallest ratio of red or blue to green to compare with: a small increase
 * of next to nothing is not a tint. */
#define MIN_SHARE 0.25

/* Dark samples have little of a tint, so the quartiles of a picture move this
 * much less far than its mean, and where a quarter of a picture is dark, at
 * most as much less as MAX_QUARTILES_LAG. */
#define QUARTILES_LAG (4.0 / 3)
#define MAX_QUARTILES_LAG 2.0

/* The light changes colors by up to this much. */
#define MIN_TINT 0.05

/* Ratios of red and blue to green. */
typedef struct
{
  gdouble red, blue;
} Ratios;

static Ratios
get_ratios (const VhHealthEvidence * evidence, gdouble u, gdouble v)
{
  const gdouble kr = evidence->red_weight, kb = evidence->blue_weight;
  const gdouble red = 1 + 2 * (1 - kr) * v, blue = 1 + 2 * (1 - kb) * u;
  const gdouble green = (1 - kr * red - kb * blue) / (1 - kr - kb);

  return (Ratios) {
  MAX (red, 0) / MAX (green, MIN_LEVEL), MAX (blue, 0) / MAX (green,
        MIN_LEVEL)};
}

static gdouble
get_rise (gdouble now, gdouble usual)
{
  return (now - usual) / MAX (usual, MIN_SHARE);
}

static gdouble
compare_ratios (Ratios now, Ratios usual)
{
  const gdouble rise = MIN (get_rise (now.red, usual.red),
      get_rise (now.blue, usual.blue));

  return CLAMP (rise, 0, 1);
}

gboolean
vh_health_color_get (const VhHealthEvidence * evidence, VhHealthColor * color)
{
  guint i;

  if (evidence->level < MIN_LEVEL)
    return FALSE;
  color->u = evidence->u / evidence->level;
  color->v = evidence->v / evidence->level;
  color->spread = evidence->chroma_spread / evidence->level;
  for (i = 0; i < VH_HEALTH_QUARTILES; i++)
    color->quartile[i] = evidence->quartile[i] / evidence->level;
  return TRUE;
}

/* The share of the colors that is left. Fog, snow and dusk fade all colors by
 * the same factor, which the spread shows: a meadow that turns grey is not
 * tinted. */
static gdouble
get_left (const VhHealthColor * color, const VhHealthColor * usual)
{
  return color->spread < usual->spread ? color->spread / usual->spread : 1;
}

/* The expected ratios. */
static Ratios
get_usual_ratios (const VhHealthEvidence * evidence,
    const VhHealthColor * color, const VhHealthColor * usual)
{
  const gdouble left = get_left (color, usual);

  return get_ratios (evidence, left * usual->u, left * usual->v);
}

gdouble
vh_health_color_compare (const VhHealthEvidence * evidence,
    const VhHealthColor * color, const VhHealthColor * usual)
{
  return compare_ratios (get_ratios (evidence, color->u, color->v),
      get_usual_ratios (evidence, color, usual));
}

gdouble
vh_health_color_compare_green (const VhHealthEvidence * evidence,
    const VhHealthColor * color, const VhHealthColor * usual)
{
  return compare_ratios (get_usual_ratios (evidence, color, usual),
      get_ratios (evidence, color->u, color->v));
}

/* By how much both quartiles have moved in the same direction. Objects move one
 * of them, unless they fill three quarters of the picture. */
static gdouble
get_shift (const gdouble * now, const gdouble * usual, gdouble left)
{
  const gdouble low = now[0] - left * usual[0];
  const gdouble high = now[1] - left * usual[1];

  if (low * high <= 0)
    return 0;
  return ABS (low) < ABS (high) ? low : high;
}

static gdouble
get_change (gdouble now, gdouble usual)
{
  return log (MAX (now, MIN_SHARE) / MAX (usual, MIN_SHARE));
}

/* How far the factors for red, green and blue are apart. Evening light raises
 * red and lowers blue, by less: that may be no tint. */
static gdouble
get_range (gdouble red, gdouble blue)
{
  const gdouble most = MAX (MAX (red, blue), 0);
  const gdouble least = MIN (MIN (red, blue), 0);

  return red > 0 && blue <= 0 ? MAX (-blue - red, 0) : most - least;
}

/* The range of the factors by which a shift changes the colors @before. */
static gdouble
compare_shifted (const VhHealthEvidence * evidence, gdouble u, gdouble v,
    gdouble shift_u, gdouble shift_v)
{
  const Ratios before = get_ratios (evidence, u, v);
  const Ratios now = get_ratios (evidence, u + shift_u, v + shift_v);

  return get_range (get_change (now.red, before.red), get_change (now.blue,
          before.blue));
}

/* The hue of @color compared with the share @left of the @usual colors: what
 * the quartiles show, or the mean, as far as they confirm it. */
static gdouble
compare_hue (const VhHealthEvidence * evidence, const VhHealthColor * color,
    const VhHealthColor * usual, gdouble left)
{
  const gdouble u = left * usual->u, v = left * usual->v;
  const gdouble shown = compare_shifted (evidence, u, v,
      get_shift (color->quartile, usual->quartile, left),
      get_shift (color->quartile + 2, usual->quartile + 2, left));
  const gdouble mean = compare_shifted (evidence, u, v, color->u - u,
      color->v - v);

  return MIN (MAX (QUARTILES_LAG * shown, MIN (MAX_QUARTILES_LAG * shown,
              mean)), 1);
}

/* What has fewer colors may have faded, or an object may hide some. */
gdouble
vh_health_color_compare_hue (const VhHealthEvidence * evidence,
    const VhHealthColor * color, const VhHealthColor * usual)
{
  return MIN (compare_hue (evidence, color, usual, 1), compare_hue (evidence,
          color, usual, get_left (color, usual)));
}

/* Names a hue by how red, green and blue have changed: those that two of them
 * share, or that one has for itself, are 60 degrees apart. */
static const gchar *
name_hue (gdouble red, gdouble green, gdouble blue)
{
  static const gchar *const names[] = { "too red", "too yellow", "too green",
    "too cyan", "too blue", "too magenta"
  };
  const gdouble angle = atan2 (sqrt (3) * (green - blue), 2 * red - green
      - blue);

  return names[(lround (angle / (G_PI / 3)) + G_N_ELEMENTS (names))
      % G_N_ELEMENTS (names)];
}

const gchar *
vh_health_color_describe (const VhHealthEvidence * evidence,
    const VhHealthColor * color, const VhHealthColor * usual, gdouble tint)
{
  const Ratios now = get_ratios (evidence, color->u, color->v);
  const Ratios before = get_usual_ratios (evidence, color, usual);

  return tint < MIN_TINT ? NULL : name_hue (get_change (now.red, before.red),
      0, get_change (now.blue, before.blue));
}

gdouble
vh_health_color_get_tint (const VhHealthEvidence * evidence)
{
  const Ratios grey = { 1, 1 };

  if (evidence->level < MIN_LEVEL)
    return NAN;
  return compare_ratios (get_ratios (evidence,
          evidence->least_u / evidence->level,
          evidence->least_v / evidence->level), grey);
}
