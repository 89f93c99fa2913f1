/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The color of a whole picture, and how far it is tinted as neither light nor
 * things are. */
#pragma once

#include "healthevidence.h"

G_BEGIN_DECLS

/* U and V of -0.5 to 0.5, relative to the mean level: more light is no other
 * color. */
typedef struct
{
  gdouble u, v;                 /* mean */
  gdouble spread;               /* root mean square distance from it */
} VhHealthColor;

/* FALSE if the picture is too dark to have one. */
gboolean vh_health_color_get (const VhHealthEvidence * evidence,
    VhHealthColor * color);

/* By how much red and blue are raised over green, the less of both, against a
 * picture of @usual: 0.3 for 30 %, at most 1. */
gdouble vh_health_color_compare (const VhHealthEvidence * evidence,
    const VhHealthColor * color, const VhHealthColor * usual);

/* By how much they are lowered: the picture is tinted green. */
gdouble vh_health_color_compare_green (const VhHealthEvidence * evidence,
    const VhHealthColor * color, const VhHealthColor * usual);

/* The first against grey, of what nine tenths of the picture have at least. */
gdouble vh_health_color_get_tint (const VhHealthEvidence * evidence);

G_END_DECLS
