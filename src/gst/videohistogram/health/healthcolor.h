/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The color of a whole picture, and how strongly it has a tint that neither
 * light nor objects cause. */
#pragma once

#include "healthevidence.h"

G_BEGIN_DECLS

/* U and V, -0.5 to 0.5, relative to the mean level, so that color does not
 * depend on the amount of light. */
typedef struct
{
  gdouble u, v;                 /* mean */
  gdouble spread;               /* root mean square distance from the mean */
  gdouble quartile[VH_HEALTH_QUARTILES];        /* as in VhHealthEvidence */
} VhHealthColor;

/* FALSE if the picture is too dark to have a color. */
gboolean vh_health_color_get (const VhHealthEvidence * evidence,
    VhHealthColor * color);

/* How much red and blue are raised relative to green, compared with a picture
 * of @usual color; the smaller of the two. 0.3 is 30 %; at most 1. */
gdouble vh_health_color_compare (const VhHealthEvidence * evidence,
    const VhHealthColor * color, const VhHealthColor * usual);

/* How much red and blue are lowered, which tints the picture green. */
gdouble vh_health_color_compare_green (const VhHealthEvidence * evidence,
    const VhHealthColor * color, const VhHealthColor * usual);

/* How far red, green and blue of most of the picture have changed by different
 * factors: the logarithm of the largest factor between two of them; at most
 * 1. */
gdouble vh_health_color_compare_hue (const VhHealthEvidence * evidence,
    const VhHealthColor * color, const VhHealthColor * usual);

/* Names a tint of the strength @tint, such as "too green"; NULL if it is
 * weak. */
const gchar *vh_health_color_describe (const VhHealthEvidence * evidence,
    const VhHealthColor * color, const VhHealthColor * usual, gdouble tint);

/* Like vh_health_color_compare(), but compared with grey, and for the color
 * that at least nine tenths of the picture have. */
gdouble vh_health_color_get_tint (const VhHealthEvidence * evidence);

G_END_DECLS
