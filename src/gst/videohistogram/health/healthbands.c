/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthbands.h"

#include <math.h>
#include <string.h>

/* Rows are compared with their average over about this time, in ns. */
#define AVERAGE_TIME ((gdouble) GST_SECOND)
/* Strong bands would need many seconds to fade from that average after they are
 * gone. So no more counts than this many times the average over a quarter of
 * that time, in ns. */
#define RECENT_TIME (AVERAGE_TIME / 4)
#define MAX_OF_RECENT 4

/* Number of waves in the height of the picture. A wave takes at least four rows
 * of a grid of 64, and at most half of the picture, because a single moving
 * edge looks much like one wave over the whole picture. The number need not be
 * whole: with steps of a quarter, a wave between two steps loses about a
 * twentieth of its power at most. */
#define MIN_WAVES 2
#define MAX_WAVES 16
#define WAVE_STEPS 4

/* A band is a wave: one frequency has at least this share of all changes.
 * Motion in the picture has many frequencies. */
#define WAVE_SHARE 0.8

/* A pattern that comes and goes in place, such as the layers of a view in
 * changing light, only has one phase and its opposite, and both have the same
 * square. A running band has all phases in turn. If it moves by its own length
 * in less than twelve seconds, the average of its squared phases is below this
 * share of its power. */
#define STANDING_SHARE 0.7

/* The least determinant of the fit; it can be at most a quarter. If less than
 * half of a wave lies where there is light, sine, cosine and constant cannot be
 * told apart. */
#define MIN_FIT 0.05

/* Bands run through the whole picture, but do not show in clipped whites: they
 * must show in this share of the rows that have some light. Motion in fewer
 * rows may look like a wave there. */
#define MIN_CHANGING 0.5

/* The ratios below need some light. */
#define MIN_LEVEL 0.01

/* A row: its relative change from its average, and its weight. */
typedef struct
{
  gdouble change, weight;
} Row;

/* A wave over rows. Cosine and sine use the angle from the middle row, so that
 * they hardly depend on small differences in the number of waves. */
typedef struct
{
  gdouble energy;               /* weighted squares of changes that the wave
                                 * explains */
  gdouble cosine, sine;         /* amplitudes */
} Wave;

void
vh_health_bands_clear (VhHealthBands * bands)
{
  memset (bands, 0, sizeof (*bands));
}

/* Waves at a time, as many as a vector of every CPU holds: their sums do not
 * wait for each other. */
#define WAVES 2
typedef gdouble Lanes __attribute__ ((vector_size (WAVES * sizeof (gdouble))));

/* The first row of some waves, and the turn from row to row. */
typedef struct
{
  Lanes cosine, sine;
  Lanes turn_cosine, turn_sine;
} Start;

static Start
find_start (guint n, guint k)
{
  Start start;
  guint i;

  for (i = 0; i < WAVES; i++) {
    const gdouble waves = (gdouble) (k + i) / WAVE_STEPS;
    const gdouble turn = 2 * G_PI * waves / n;

    start.turn_cosine[i] = cos (turn);
    start.turn_sine[i] = sin (turn);
    start.cosine[i] = cos (turn * n / 2);
    start.sine[i] = -sin (turn * n / 2);
  }
  return start;
}

/* Adds up what is needed to fit a sine, a cosine and a constant to the rows,
 * for as many waves as a vector has, and fits the first @n_waves. */
static void
fit_waves (const Row * rows, guint n, gdouble all_weight, const Start * start,
    Wave * waves, guint n_waves)
{
  const Lanes zero = { 0, };
  Lanes x = start->cosine, y = start->sine;
  Lanes mean_x = zero, mean_y = zero, xx = zero, xy = zero;
  Lanes of_x = zero, of_y = zero, yy, determinant;
  guint r, i;

  for (r = 0; r < n; r++) {
    const gdouble weight = rows[r].weight;
    const gdouble change = weight * rows[r].change;
    const Lanes turned = x * start->turn_cosine - y * start->turn_sine;

    mean_x += weight * x;
    mean_y += weight * y;
    xx += weight * x * x;
    xy += weight * x * y;
    of_x += change * x;
    of_y += change * y;
    y = x * start->turn_sine + y * start->turn_cosine;
    x = turned;
  }
  yy = all_weight - xx - mean_y * mean_y / all_weight;
  xx -= mean_x * mean_x / all_weight;
  xy -= mean_x * mean_y / all_weight;
  determinant = xx * yy - xy * xy;
  for (i = 0; i < n_waves; i++) {
    waves[i] = (Wave) { 0, };
    if (determinant[i] <= MIN_FIT * all_weight * all_weight)
      continue;
    waves[i].cosine = (of_x[i] * yy[i] - of_y[i] * xy[i]) / determinant[i];
    waves[i].sine = (of_y[i] * xx[i] - of_x[i] * xy[i]) / determinant[i];
    waves[i].energy = of_x[i] * waves[i].cosine + of_y[i] * waves[i].sine;
  }
}

/* The starts of all waves over VH_HEALTH_ROWS rows, computed once. */
static const Start *
get_starts (void)
{
  static Start starts[MAX_WAVES * WAVE_STEPS / WAVES + 1];
  static gsize ready = 0;
  guint i;

  if (g_once_init_enter (&ready)) {
    for (i = 0; i < G_N_ELEMENTS (starts); i++)
      starts[i] = find_start (VH_HEALTH_ROWS, i * WAVES);
    g_once_init_leave (&ready, 1);
  }
  return starts;
}

/* Finds the strongest wave in @rows. Returns its squared amplitude, and in
 * @square the square of its phase as a complex number of that magnitude; 0 if
 * no wave has most of the changes. */
static gdouble
find_wave (const Row * rows, guint n, gdouble square[2])
{
  const guint last = WAVE_STEPS * MIN (MAX_WAVES, n / 4);
  gdouble weight = 0, energy = 0, power, length;
  Wave strongest = { 0, }, waves[WAVES];
  guint k, r;

  square[0] = square[1] = 0;
  for (r = 0; r < n; r++) {
    weight += rows[r].weight;
    energy += rows[r].weight * rows[r].change * rows[r].change;
  }
  for (k = WAVE_STEPS * MIN_WAVES; k <= last; k += WAVES) {
    const guint n_waves = MIN (last + 1 - k, WAVES);
    const Start start = n == VH_HEALTH_ROWS ? get_starts ()[k / WAVES] :
        find_start (n, k);

    fit_waves (rows, n, weight, &start, waves, n_waves);
    for (r = 0; r < n_waves; r++) {
      if (waves[r].energy > strongest.energy)
        strongest = waves[r];
    }
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

/* Subtracts the change that all rows have in common. */
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

/* Compares rows with their averages, as ratios: light that is brighter by some
 * factor makes a row brighter by that factor, whatever it shows. */
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

/* Makes rows that show a band to different degrees comparable. Clipped whites
 * and light sources do not get brighter in a band, and nearly black areas may
 * get brighter by a larger factor. But over time a band reaches every row. So
 * the change of each row is divided by that row's usual change, and multiplied
 * by the usual change of all rows. That scales noise and motion, too. Therefore
 * rows that usually change less than average get a lower weight, in proportion
 * to the square of their usual change; rows without changes get none. Then the
 * change common to all rows is removed: more light, or another exposure, is not
 * a band.
 *
 * Returns whether enough rows change for a band. */
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
  bands->recent += passed / (passed + RECENT_TIME) * (power - bands->recent);
  for (r = 0; r < G_N_ELEMENTS (square); r++)
    bands->square[r] += share * (square[r] - bands->square[r]);
}

gdouble
vh_health_bands_amplitude (const VhHealthBands * bands)
{
  const gdouble standing = hypot (bands->square[0], bands->square[1]);

  return standing < STANDING_SHARE * bands->power ?
      sqrt (MIN (bands->power, MAX_OF_RECENT * bands->recent)) : 0;
}
