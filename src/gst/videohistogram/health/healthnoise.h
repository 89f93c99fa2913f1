/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The noise of the last seconds. */
#pragma once

#include "healthevidence.h"

G_BEGIN_DECLS

typedef struct
{
  gdouble variance;             /* in squared levels */
  GstClockTime time;            /* of the last frame that counted, or NONE */
} VhHealthNoise;

void vh_health_noise_init (VhHealthNoise * noise);

/* The next frame does not continue the previous ones; the noise stays. */
void vh_health_noise_restart (VhHealthNoise * noise);

/* Processes a frame; @evidence has NOISE. */
void vh_health_noise_add (VhHealthNoise * noise,
    const VhHealthEvidence * evidence, GstClockTime time);

/* The standard deviation, in levels. */
gdouble vh_health_noise_get (const VhHealthNoise * noise);

G_END_DECLS
