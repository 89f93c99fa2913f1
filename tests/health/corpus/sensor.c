/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sensor.h"

#include <math.h>
#include <string.h>

#define TARGET 0.18             /* mean level, in linear light */
#define MIN_AMPLIFICATION 0.02
#define CLIPPED 0.8
#define MAX_STEP 0.05           /* factor, in the time of its pace */

/* Variance of photon noise at a level of 1, and standard deviation of amplifier
 * noise, which starts where shutter and iris are open, at 40. */
#define PHOTON_NOISE 1.2e-5
#define AMPLIFIER_NOISE 6e-4
#define WIDE_OPEN 40.0

/* Brightness that starts and ends the night mode, and the delay in s. */
#define NIGHT 0.0007
#define MORNING 0.004
#define SWITCH_TIME 6.0

#define N_TONES 8192

/* The transfer function of sRGB. */
static const gfloat *
tones (void)
{
  static gfloat *table;
  guint i;

  if (!table) {
    table = g_new (gfloat, N_TONES);
    for (i = 0; i < N_TONES; i++) {
      const gdouble x = (i + 0.5) / N_TONES;

      table[i] = x < 0.0031308 ? 12.92 * x : 1.055 * pow (x, 1 / 2.4) - 0.055;
    }
  }
  return table;
}

Sensor *
sensor_new (guint width, guint height, gboolean has_infrared, guint64 seed)
{
  Sensor *sensor = g_new0 (Sensor, 1);
  TestRandom *random = &sensor->random;
  guint i;

  sensor->width = width;
  sensor->height = height;
  sensor->has_infrared = has_infrared;
  *random = test_random_new (seed);
  sensor->max_amplification = exp (random_between (random, log (300),
          log (2000)));
  sensor->pace = random_between (random, 0.4, 2);
  sensor->noise = random_between (random, 0.6, 1.6);
  sensor->smoothing = random_between (random, 0, 0.85);
  for (i = 0; i < 3; i++) {
    sensor->planes[i] = g_new0 (gfloat, width * height);
    sensor->seen[i] = g_new0 (gfloat, width * height);
    sensor->balance_fault[i] = 1;
  }
  sensor->exposure_fault = sensor->noise_fault = 1;
  sensor->exposure_works = TRUE;
  return sensor;
}

void
sensor_free (Sensor * sensor)
{
  guint i;

  for (i = 0; i < 3; i++) {
    g_free (sensor->planes[i]);
    g_free (sensor->seen[i]);
  }
  g_free (sensor);
}

/* The mean that the sensor would see; every 7th pixel is enough. */
static gdouble
measure (const Sensor * sensor, const Picture * picture)
{
  const guint n = sensor->width * sensor->height;
  const gfloat scale = sensor->amplification;
  gfloat sum = 0;
  guint i;

  for (i = 0; i < n; i += 7)
    sum += MIN (picture->colors[GREEN][i] * scale, 1);
  return sum / ((n + 6) / 7);
}

static void
switch_infrared (Sensor * sensor, gdouble passed, gdouble brightness)
{
  const gboolean wanted = sensor->has_infrared
      && brightness < (sensor->infrared ? MORNING : NIGHT);

  sensor->unsure = wanted == sensor->infrared ? 0 : sensor->unsure + passed;
  if (sensor->unsure < SWITCH_TIME && sensor->started)
    return;
  sensor->infrared = wanted;
  sensor->unsure = 0;
}

void
sensor_expose (Sensor * sensor, const Picture * picture, gdouble passed,
    gdouble brightness)
{
  guint i;

  switch_infrared (sensor, passed, brightness);
  if (!sensor->exposure_works)
    return;
  if (!sensor->started)
    sensor->amplification = 1;
  for (i = 0; i < (sensor->started ? 1 : 40); i++) {
    const gdouble mean = measure (sensor, picture);
    /* A clipped picture does not show by how much it is too bright. */
    const gdouble factor = mean > CLIPPED ? MAX_STEP :
        TARGET / MAX (mean, 1e-4);
    const gdouble share = sensor->started ? 1 - exp (-passed / sensor->pace) :
        0.5;

    /* Deviations of a tenth are not corrected. */
    if (fabs (log (factor)) > 0.1)
      sensor->amplification *= pow (CLAMP (factor, MAX_STEP,
              1 / MAX_STEP), share);
    sensor->amplification = CLAMP (sensor->amplification, MIN_AMPLIFICATION,
        sensor->max_amplification);
  }
}

/* Exposes a row and adds noise. */
static void
expose_row (Sensor * sensor, const gfloat * from, gfloat * to, guint color)
{
  const guint n = sensor->width;
  const gfloat scale = sensor->amplification * sensor->exposure_fault
      * sensor->balance_fault[color];
  const gfloat noise = sensor->noise * sensor->noise_fault;
  const gfloat photons = PHOTON_NOISE * sensor->amplification * noise * noise;
  const gfloat amplifier = AMPLIFIER_NOISE * noise
      * MAX (1, sensor->amplification / WIDE_OPEN);
  const gfloat floor2 = amplifier * amplifier;
  guint first, i;

  for (first = 0; first < n; first += N_NOISE_RUN) {
    const gfloat *run = noise_run (&sensor->random);

    for (i = first; i < MIN (first + N_NOISE_RUN, n); i++) {
      const gfloat level = from[i] * scale;

      to[i] = level + run[i - first] * sqrtf (photons * level + floor2);
    }
  }
}

static gfloat
tone (const gfloat * table, gfloat level)
{
  const gint at = level * N_TONES;

  return table[CLAMP (at, 0, N_TONES - 1)];
}

/* BT.601 is the default for small pictures without colorimetry. */
void
sensor_develop (Sensor * sensor, const Picture * picture)
{
  const guint w = sensor->width, h = sensor->height;
  const gfloat *const table = tones ();
  gfloat *const row = g_new (gfloat, N_COLORS * w);
  guint x, y, c;

  for (y = 0; y < h; y++) {
    gfloat *const luma = sensor->planes[0] + y * w;
    gfloat *const blue = sensor->planes[1] + y / 2 * (w / 2);
    gfloat *const red = sensor->planes[2] + y / 2 * (w / 2);

    for (c = 0; c < N_COLORS; c++)
      expose_row (sensor, picture->colors[c] + y * w, row + c * w, c);
    if (sensor->infrared) {
      for (x = 0; x < w; x++)
        luma[x] = tone (table, 0.35f * row[x] + 0.4f * row[w + x]
            + 0.25f * row[2 * w + x]);
      continue;
    }
    for (x = 0; x < N_COLORS * w; x++)
      row[x] = tone (table, row[x]);
    for (x = 0; x < w; x++)
      luma[x] = 0.299f * row[x] + 0.587f * row[w + x] + 0.114f * row[2 * w + x];
    if (y % 2 == 1)
      continue;
    for (x = 0; x < w / 2; x++) {
      const gfloat level = (luma[2 * x] + luma[2 * x + 1]) / 2;

      blue[x] = ((row[2 * w + 2 * x] + row[2 * w + 2 * x + 1]) / 2 - level)
          / 1.772f;
      red[x] = ((row[2 * x] + row[2 * x + 1]) / 2 - level) / 1.402f;
    }
  }
  if (sensor->infrared) {
    memset (sensor->planes[1], 0, w * h / 4 * sizeof (gfloat));
    memset (sensor->planes[2], 0, w * h / 4 * sizeof (gfloat));
  }
  g_free (row);
}

/* Averages over time where frames differ only by noise, and not where something
 * moves. */
static void
smooth (Sensor * sensor, guint plane, guint n)
{
  const gfloat gain = MAX (1, sensor->amplification / WIDE_OPEN);
  const gfloat limit = 0.02f * sensor->noise * sqrtf (gain);
  const gfloat share = sensor->smoothing;
  gfloat *const now = sensor->planes[plane], *const seen = sensor->seen[plane];
  guint i;

  for (i = 0; i < n; i++) {
    const gfloat d = now[i] - seen[i];
    const gfloat like = MAX (0, 1 - fabsf (d) / limit);

    now[i] -= share * like * d;
  }
  memcpy (seen, now, n * sizeof (gfloat));
}

static void
write_plane (const gfloat * from, guint8 * to, guint n, gfloat zero,
    gfloat scale)
{
  guint i;

  for (i = 0; i < n; i++) {
    const gint code = from[i] * scale + zero + 0.5f;

    to[i] = CLAMP (code, 16, 240);
  }
}

void
sensor_write (Sensor * sensor, guint8 * frame)
{
  const guint n = sensor->width * sensor->height;
  guint i;

  for (i = 0; i < 3; i++) {
    const guint size = i ? n / 4 : n;

    if (!sensor->started)
      memcpy (sensor->seen[i], sensor->planes[i], size * sizeof (gfloat));
    smooth (sensor, i, size);
  }
  sensor->started = TRUE;
  write_plane (sensor->planes[0], frame, n, 16, 219);
  write_plane (sensor->planes[1], frame + n, n / 4, 128, 224);
  write_plane (sensor->planes[2], frame + n * 5 / 4, n / 4, 128, 224);
}
