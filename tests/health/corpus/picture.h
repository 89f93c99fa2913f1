/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures in linear light, as lenses, lamps and sensors need it. 1 is the
 * brightest level that the sensor can measure without gain. */
#pragma once

#include "common/random.h"

#include <glib.h>

G_BEGIN_DECLS

enum
{
  RED,
  GREEN,
  BLUE,
  N_COLORS
};

typedef struct
{
  guint width, height;
  gfloat *colors[N_COLORS];
} Picture;

Picture *picture_new (guint width, guint height);
void picture_free (Picture * picture);

/* Both have the same size. */
void picture_copy (Picture * to, const Picture * from);

/* Blurs by a standard deviation of @pixels. */
void picture_blur (Picture * picture, gdouble pixels);
void plane_blur (gfloat * plane, guint width, guint height, gdouble pixels);

/* Smooth noise of 0 to 1 with details of about @size pixels. */
void plane_fill_noise (gfloat * plane, guint width, guint height, gdouble size,
    guint64 seed);

/* Returns N_NOISE_RUN normally distributed numbers. */
#define N_NOISE_RUN 2048
const gfloat *noise_run (TestRandom * random);

/* 0 ... 1 */
static inline gdouble
random_share (TestRandom * random)
{
  return (test_random (random) >> 11) * (1.0 / (1ull << 53));
}

static inline gdouble
random_between (TestRandom * random, gdouble low, gdouble high)
{
  return low + (high - low) * random_share (random);
}

static inline gdouble
mix (gdouble a, gdouble b, gdouble share)
{
  return a + (b - a) * share;
}

/* From 0 at @low to 1 at @high. */
static inline gdouble
ramp (gdouble low, gdouble high, gdouble x)
{
  return CLAMP ((x - low) / (high - low), 0, 1);
}

G_END_DECLS
