/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthcolor.h"

#include <math.h>

/* The ratios below need some light. */
#define MIN_LEVEL 0.05

/* The smallest ratio of red or blue to green to compare with: a small increase
 * of next to nothing is not a tint. */
#define MIN_SHARE 0.25

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
  if (evidence->level < MIN_LEVEL)
    return FALSE;
  color->u = evidence->u / evidence->level;
  color->v = evidence->v / evidence->level;
  color->spread = evidence->chroma_spread / evidence->level;
  return TRUE;
}

/* The expected ratios. Fog, snow and dusk fade all colors by the same factor,
 * which the spread shows: a meadow that turns grey is not tinted. */
static Ratios
get_usual_ratios (const VhHealthEvidence * evidence,
    const VhHealthColor * color, const VhHealthColor * usual)
{
  const gdouble left = color->spread < usual->spread ?
      color->spread / usual->spread : 1;

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
