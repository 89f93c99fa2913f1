/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "healthbands.h"

#include <math.h>
#include <string.h>

/* What rows are compared with is their average of about so long, in ns. */
#define AVERAGE_TIME ((gdouble) GST_SECOND)

/* Waves across the picture: one takes at least four rows of a grid of 64, and
 * at most half of the picture, since a single edge that moves is much like a
 * wave of all of it. */
#define MIN_WAVES 2
#define MAX_WAVES 16

/* A band is a wave: one frequency has that share of all that differs. What
 * moves in the picture is of many. */
#define WAVE_SHARE 0.5

/* The ratios below need some light. */
#define MIN_LEVEL 0.01

void
vh_health_bands_clear (VhHealthBands * bands)
{
  memset (bands, 0, sizeof (*bands));
}

/* Squared amplitude of the strongest wave in @rows, or 0 if there is no wave
 * that is most of it. */
static gdouble
find_wave (const gdouble * rows, guint n)
{
  gdouble energy = 0, strongest = 0;
  guint k, r;

  for (r = 0; r < n; r++)
    energy += rows[r] * rows[r];

  for (k = MIN_WAVES; k <= MIN (MAX_WAVES, n / 4); k++) {
    const gdouble turn_re = cos (2 * G_PI * k / n);
    const gdouble turn_im = sin (2 * G_PI * k / n);
    gdouble re = 0, im = 0, x = 1, y = 0;

    for (r = 0; r < n; r++) {
      const gdouble turned = x * turn_re - y * turn_im;

      re += rows[r] * x;
      im += rows[r] * y;
      y = x * turn_im + y * turn_re;
      x = turned;
    }
    strongest = MAX (strongest, re * re + im * im);
  }
  /* A wave of amplitude a has energy n a² / 2, and |re, im| = n a / 2. */
  if (2 * strongest / n < WAVE_SHARE * energy)
    return 0;
  return 4 * strongest / ((gdouble) n * n);
}

static void
start (VhHealthBands * bands, const VhHealthEvidence * evidence,
    GstClockTime time)
{
  vh_health_bands_clear (bands);
  bands->n = evidence->n_bands;
  bands->time = time;
  memcpy (bands->average, evidence->band, bands->n * sizeof (gdouble));
}

/* What is left of the rows without their average, made lighter or darker as
 * they are: more light, or another exposure, is no band. Returns the mean
 * level. */
static gdouble
compare_rows (const VhHealthBands * bands, const VhHealthEvidence * evidence,
    gdouble * rows)
{
  gdouble both = 0, square = 0, level = 0, sum = 0, light;
  guint r;

  for (r = 0; r < bands->n; r++) {
    both += evidence->band[r] * bands->average[r];
    square += bands->average[r] * bands->average[r];
    level += evidence->band[r] / bands->n;
  }
  light = square > 0 ? both / square : 1;
  for (r = 0; r < bands->n; r++) {
    rows[r] = evidence->band[r] - light * bands->average[r];
    sum += rows[r];
  }
  for (r = 0; r < bands->n; r++)
    rows[r] -= sum / bands->n;
  return level;
}

void
vh_health_bands_add (VhHealthBands * bands, const VhHealthEvidence * evidence,
    GstClockTime time)
{
  gdouble rows[VH_HEALTH_ROWS], level, share, passed, wave;
  guint r;

  if (bands->n != evidence->n_bands || time < bands->time) {
    start (bands, evidence, time);
    return;
  }
  passed = time - bands->time;
  share = passed / (passed + AVERAGE_TIME);
  bands->time = time;

  level = MAX (compare_rows (bands, evidence, rows), MIN_LEVEL);
  for (r = 0; r < bands->n; r++)
    bands->average[r] += share * (evidence->band[r] - bands->average[r]);
  wave = find_wave (rows, bands->n) / (level * level);
  bands->power += share * (wave - bands->power);
}

gdouble
vh_health_bands_amplitude (const VhHealthBands * bands)
{
  return sqrt (bands->power);
}
