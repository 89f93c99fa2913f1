/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bands that run through the picture: a camera that exposes row by row samples
 * the beat of mains light. */
#pragma once

#include "healthevidence.h"

G_BEGIN_DECLS

typedef struct
{
  guint n;                      /* rows; 0: none seen */
  GstClockTime time;            /* of the last frame */
  gdouble average[VH_HEALTH_ROWS];      /* level of each row over time */
  gdouble spread[VH_HEALTH_ROWS];       /* squared changes of each over time,
                                         * as a share of its level, with those
                                         * that are the same in all */
  gdouble power;                /* squared amplitude of bands over time, as a
                                 * share of the picture's level */
  gdouble square[2];            /* square of their phase over time, a complex
                                 * number of up to that size */
} VhHealthBands;

void vh_health_bands_clear (VhHealthBands * bands);

/* Looks at a frame with rows. */
void vh_health_bands_add (VhHealthBands * bands,
    const VhHealthEvidence * evidence, GstClockTime time);

/* The amplitude of bands over the last second, as a share of the picture's
 * level. */
gdouble vh_health_bands_amplitude (const VhHealthBands * bands);

G_END_DECLS
