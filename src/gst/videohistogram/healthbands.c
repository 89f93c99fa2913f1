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

/* What only comes and goes, as the layers of a view do in more and in less
 * light, has one phase or the opposite one, and their square is the same. A
 * band that runs has all phases in turn. If it takes less than twelve seconds
 * for its own length, less than this share of its squares is the same. */
#define STANDING_SHARE 0.7

/* Of a wave of which less than half is where there is light, sine, cosine and
 * constant cannot be told apart: the least determinant, of a quarter. */
#define MIN_FIT 0.05

/* Bands run through all of the picture, but are not seen in whites that are
 * clipped: they have to be in that share of the rows that have some light.
 * What moves in fewer rows may be like a wave there. */
#define MIN_CHANGING 0.5

/* The ratios below need some light. */
#define MIN_LEVEL 0.01

/* A row, as a share of what it is over time, and how much it counts. */
typedef struct
{
  gdouble change, weight;
} Row;

/* A wave over rows: cosine and sine are of the angle from the row in the
 * middle, so that they are much the same for a little more or fewer waves. */
typedef struct
{
  gdouble energy;               /* what it explains of the squares of changes,
                                 * times weights */
  gdouble cosine, sine;         /* amplitudes */
} Wave;

void
vh_health_bands_clear (VhHealthBands * bands)
{
  memset (bands, 0, sizeof (*bands));
}

/* Fits a sine, a cosine and a constant, of which the picture has @waves. */
static Wave
fit_wave (const Row * rows, guint n, gdouble all_weight, gdouble waves)
{
  const gdouble turn = 2 * G_PI * waves / n;
  const gdouble turn_re = cos (turn), turn_im = sin (turn);
  gdouble x = cos (turn * n / 2), y = -sin (turn * n / 2);
  gdouble mean_x = 0, mean_y = 0, xx = 0, xy = 0, yy, of_x = 0, of_y = 0;
  gdouble determinant;
  Wave wave = { 0, };
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
    return wave;
  wave.cosine = (of_x * yy - of_y * xy) / determinant;
  wave.sine = (of_y * xx - of_x * xy) / determinant;
  wave.energy = of_x * wave.cosine + of_y * wave.sine;
  return wave;
}

/* Finds the strongest wave in @rows. Returns its squared amplitude and the
 * square of its phase as a complex number of that size, or 0 if there is no
 * wave that is most of what differs. */
static gdouble
find_wave (const Row * rows, guint n, gdouble square[2])
{
  const guint last = WAVE_STEPS * MIN (MAX_WAVES, n / 4);
  gdouble weight = 0, energy = 0, power, length;
  Wave strongest = { 0, };
  guint k, r;

  square[0] = square[1] = 0;
  for (r = 0; r < n; r++) {
    weight += rows[r].weight;
    energy += rows[r].weight * rows[r].change * rows[r].change;
  }
  for (k = WAVE_STEPS * MIN_WAVES; k <= last; k++) {
    const Wave wave = fit_wave (rows, n, weight, (gdouble) k / WAVE_STEPS);

    if (wave.energy > strongest.energy)
      strongest = wave;
  }
  if (strongest.energy <= 0 || strongest.energy < WAVE_SHARE * energy)
    return 0;
  power = 2 * strongest.energy / weight;
  length = strongest.cosine * strongest.cosine
      + strongest.sine * strongest.sine;
  square[0] = power * (strongest.cosine * strongest.cosine
      - strongest.sine * strongest.sine) / length;
  square[1] = power * 2 * strongest.cosine * strongest.sine / length;
  return power;
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

/* Takes from changes what is the same in all rows. */
static void
center (Row * rows, guint n)
{
  gdouble sum = 0, weight = 0;
  guint r;

  for (r = 0; r < n; r++) {
    sum += rows[r].weight * rows[r].change;
    weight += rows[r].weight;
  }
  for (r = 0; r < n; r++)
    rows[r].change -= sum / weight;
}

/* Light that is brighter by a share makes all of a row brighter by that share,
 * whatever it shows: rows as shares of their average. */
static void
compare_rows (const VhHealthBands * bands, const VhHealthEvidence * evidence,
    Row * rows)
{
  guint r;

  for (r = 0; r < bands->n; r++) {
    const gdouble level = MAX (bands->average[r], MIN_LEVEL);

    rows[r].change = (evidence->band[r] - bands->average[r]) / level;
    rows[r].weight = level * level;
  }
}

/* Whites that are clipped, and what shines by itself, are no brighter in a
 * band; what is nearly black may be so by more than its share. So a row's
 * changes are measured by what they usually are, times what those of all rows
 * are: a band is in each of them in its turn. What else is in a row is scaled,
 * too, so a row that changes less counts by the square of that, and one that
 * does not change is as if it were not there. More light, or another exposure,
 * is the same in all others, and is no band.
 *
 * Returns whether a band can be in so many rows. */
static gboolean
even_out (VhHealthBands * bands, Row * rows, gdouble share)
{
  gdouble all = 0, weight = 0, lit = 0, changing = 0;
  guint r;

  for (r = 0; r < bands->n; r++) {
    const gdouble square = rows[r].change * rows[r].change;

    bands->spread[r] += share * (square - bands->spread[r]);
    all += rows[r].weight * bands->spread[r];
    weight += rows[r].weight;
  }
  if (all <= 0)
    return FALSE;
  all /= weight;
  for (r = 0; r < bands->n; r++) {
    const gdouble usual = bands->spread[r] / all;
    const gdouble counts = MIN (usual, 1);

    if (usual > 0)
      rows[r].change /= sqrt (usual);
    rows[r].weight *= counts;
    if (bands->average[r] > MIN_LEVEL) {
      lit++;
      changing += counts;
    }
  }
  center (rows, bands->n);
  return changing >= MIN_CHANGING * lit;
}

void
vh_health_bands_add (VhHealthBands * bands, const VhHealthEvidence * evidence,
    GstClockTime time)
{
  Row rows[VH_HEALTH_ROWS];
  gdouble share, passed, power = 0, square[2] = { 0, };
  guint r;

  if (bands->n != evidence->n_bands || time < bands->time) {
    start (bands, evidence, time);
    return;
  }
  passed = time - bands->time;
  share = passed / (passed + AVERAGE_TIME);
  bands->time = time;

  compare_rows (bands, evidence, rows);
  if (even_out (bands, rows, share))
    power = find_wave (rows, bands->n, square);
  for (r = 0; r < bands->n; r++)
    bands->average[r] += share * (evidence->band[r] - bands->average[r]);
  bands->power += share * (power - bands->power);
  for (r = 0; r < G_N_ELEMENTS (square); r++)
    bands->square[r] += share * (square[r] - bands->square[r]);
}

gdouble
vh_health_bands_amplitude (const VhHealthBands * bands)
{
  const gdouble standing = hypot (bands->square[0], bands->square[1]);

  return standing < STANDING_SHARE * bands->power ? sqrt (bands->power) : 0;
}
