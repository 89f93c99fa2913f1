/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds bands that run through the picture: a camera that exposes row by row
 * samples the flicker of mains-powered light. */
#pragma once

#include "healthevidence.h"

G_BEGIN_DECLS

typedef struct
{
  guint n;                      /* rows; 0: none seen */
  GstClockTime time;            /* of the last frame */
  gdouble average[VH_HEALTH_ROWS];      /* level of each row over time */
  gdouble spread[VH_HEALTH_ROWS];       /* average of each row's squared
                                         * changes relative to its level,
                                         * including those common to all */
  gdouble power;                /* average squared amplitude of bands relative
                                 * to the picture's level */
  gdouble recent;               /* the same over a shorter time */
  gdouble square[2];            /* average of their squared phase, a complex
                                 * number of up to that magnitude */
} VhHealthBands;

void vh_health_bands_clear (VhHealthBands * bands);

/* Processes a frame; @evidence has rows. */
void vh_health_bands_add (VhHealthBands * bands,
    const VhHealthEvidence * evidence, GstClockTime time);

/* The amplitude of bands over the last second, relative to the picture's
 * level. */
gdouble vh_health_bands_amplitude (const VhHealthBands * bands);

G_END_DECLS
