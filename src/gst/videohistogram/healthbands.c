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
 * wave of all of it. They need be no whole number: between quarters of one no
 * more than a twentieth of a wave is lost. */
#define MIN_WAVES 2
#define MAX_WAVES 16
#define WAVE_STEPS 4

/* A band is a wave: one frequency has that share of all that differs. What
 * moves in the picture is of many. */
#define WAVE_SHARE 0.8

/* Of a wave of which less than half is where there is light, sine, cosine and
 * constant cannot be told apart: the least determinant, of a quarter. */
#define MIN_FIT 0.05

/* The ratios below need some light. */
#define MIN_LEVEL 0.01

/* A row, as a share of what it is over time, and how much it counts. */
typedef struct
{
  gdouble change, weight;
} Row;

void
vh_health_bands_clear (VhHealthBands * bands)
{
  memset (bands, 0, sizeof (*bands));
}

/* The part of the squares of changes, times weights, that a wave explains of
 * which the picture has @waves: a fit of a sine, a cosine and a constant. */
static gdouble
fit_wave (const Row * rows, guint n, gdouble all_weight, gdouble waves)
{
  const gdouble turn_re = cos (2 * G_PI * waves / n);
  const gdouble turn_im = sin (2 * G_PI * waves / n);
  gdouble x = 1, y = 0, mean_x = 0, mean_y = 0;
  gdouble xx = 0, xy = 0, yy, of_x = 0, of_y = 0, determinant;
  guint r;

  for (r = 0; r < n; r++) {
    const gdouble weight = rows[r].weight, turned = x * turn_re - y * turn_im;

    mean_x += weight * x;
    mean_y += weight * y;
    xx += weight * x * x;
    xy += weight * x * y;
    of_x += weight * rows[r].change * x;
    of_y += weight * rows[r].change * y;
    y = x * turn_im + y * turn_re;
    x = turned;
  }
  yy = all_weight - xx - mean_y * mean_y / all_weight;
  xx -= mean_x * mean_x / all_weight;
  xy -= mean_x * mean_y / all_weight;
  determinant = xx * yy - xy * xy;
  if (determinant <= MIN_FIT * all_weight * all_weight)
    return 0;
  return (of_x * of_x * yy - 2 * of_x * of_y * xy + of_y * of_y * xx)
      / determinant;
}

/* Squared amplitude of the strongest wave in @rows, or 0 if there is no wave
 * that is most of it. */
static gdouble
find_wave (const Row * rows, guint n)
{
  const guint last = WAVE_STEPS * MIN (MAX_WAVES, n / 4);
  gdouble weight = 0, energy = 0, strongest = 0;
  guint k, r;

  for (r = 0; r < n; r++) {
    weight += rows[r].weight;
    energy += rows[r].weight * rows[r].change * rows[r].change;
  }
  for (k = WAVE_STEPS * MIN_WAVES; k <= last; k++)
    strongest = MAX (strongest, fit_wave (rows, n, weight,
            (gdouble) k / WAVE_STEPS));
  if (strongest < WAVE_SHARE * energy)
    return 0;
  return 2 * strongest / weight;
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

/* Light that is brighter by a share makes all of a row brighter by that share,
 * whatever it shows: rows as shares of their average. More light, or another
 * exposure, is the same in all of them, and is no band. */
static void
compare_rows (const VhHealthBands * bands, const VhHealthEvidence * evidence,
    Row * rows)
{
  gdouble sum = 0, weight = 0;
  guint r;

  for (r = 0; r < bands->n; r++) {
    const gdouble level = MAX (bands->average[r], MIN_LEVEL);

    rows[r].change = evidence->band[r] / level;
    rows[r].weight = level * level;
    sum += rows[r].weight * rows[r].change;
    weight += rows[r].weight;
  }
  for (r = 0; r < bands->n; r++)
    rows[r].change -= sum / weight;
}

void
vh_health_bands_add (VhHealthBands * bands, const VhHealthEvidence * evidence,
    GstClockTime time)
{
  Row rows[VH_HEALTH_ROWS];
  gdouble share, passed;
  guint r;

  if (bands->n != evidence->n_bands || time < bands->time) {
    start (bands, evidence, time);
    return;
  }
  passed = time - bands->time;
  share = passed / (passed + AVERAGE_TIME);
  bands->time = time;

  compare_rows (bands, evidence, rows);
  for (r = 0; r < bands->n; r++)
    bands->average[r] += share * (evidence->band[r] - bands->average[r]);
  bands->power += share * (find_wave (rows, bands->n) - bands->power);
}

gdouble
vh_health_bands_amplitude (const VhHealthBands * bands)
{
  return sqrt (bands->power);
}
