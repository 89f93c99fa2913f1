/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "picture.h"

#include <math.h>
#include <string.h>

#define N_NOISE (1 << 17)

Picture *
picture_new (guint width, guint height)
{
  Picture *picture = g_new0 (Picture, 1);
  guint c;

  picture->width = width;
  picture->height = height;
  for (c = 0; c < N_COLORS; c++)
    picture->colors[c] = g_new0 (gfloat, width * height);
  return picture;
}

void
picture_free (Picture * picture)
{
  guint c;

  for (c = 0; c < N_COLORS; c++)
    g_free (picture->colors[c]);
  g_free (picture);
}

void
picture_copy (Picture * to, const Picture * from)
{
  const gsize size = (gsize) to->width * to->height * sizeof (gfloat);
  guint c;

  for (c = 0; c < N_COLORS; c++)
    memcpy (to->colors[c], from->colors[c], size);
}

/* Running means of a row of @n values. */
static void
blur_row (const gfloat * from, gfloat * to, gint n, gint radius)
{
  const gfloat scale = 1.0f / (2 * radius + 1);
  gdouble sum = 0;
  gint i;

  for (i = -radius; i <= radius; i++)
    sum += from[CLAMP (i, 0, n - 1)];
  for (i = 0; i < n; i++) {
    to[i] = sum * scale;
    sum += from[MIN (i + radius + 1, n - 1)] - from[MAX (i - radius, 0)];
  }
}

/* Running means of all columns at once. */
static void
blur_columns (const gfloat * from, gfloat * to, gint width, gint height,
    gint radius)
{
  const gfloat scale = 1.0f / (2 * radius + 1);
  gfloat *const sums = g_new0 (gfloat, width);
  gint x, y;

  for (y = -radius; y <= radius; y++) {
    const gfloat *row = from + CLAMP (y, 0, height - 1) * width;

    for (x = 0; x < width; x++)
      sums[x] += row[x];
  }
  for (y = 0; y < height; y++) {
    const gfloat *next = from + MIN (y + radius + 1, height - 1) * width;
    const gfloat *last = from + MAX (y - radius, 0) * width;

    for (x = 0; x < width; x++) {
      to[y * width + x] = sums[x] * scale;
      sums[x] += next[x] - last[x];
    }
  }
  g_free (sums);
}

static void
blur_by (gfloat * plane, gfloat * scratch, guint width, guint height,
    guint radius)
{
  guint y;

  for (y = 0; y < height; y++)
    blur_row (plane + y * width, scratch + y * width, width, radius);
  blur_columns (scratch, plane, width, height, radius);
}

/* Three running means are nearly a Gaussian: their variances, (r² + r) / 3
 * each, add up. Between two radii, the results of both are mixed. */
void
plane_blur (gfloat * plane, guint width, guint height, gdouble pixels)
{
  const guint n = width * height;
  const gdouble exact = sqrt (0.25 + pixels * pixels) - 0.5;
  const guint radius = floor (exact);
  const gfloat share = exact - radius;
  gfloat *scratch, *more;
  guint i, pass;

  if (pixels <= 0)
    return;
  scratch = g_new (gfloat, n);
  more = g_new (gfloat, n);
  memcpy (more, plane, n * sizeof (gfloat));
  for (pass = 0; pass < 3; pass++) {
    if (radius > 0)
      blur_by (plane, scratch, width, height, radius);
    blur_by (more, scratch, width, height, radius + 1);
  }
  for (i = 0; i < n; i++)
    plane[i] += (more[i] - plane[i]) * share;
  g_free (more);
  g_free (scratch);
}

void
picture_blur (Picture * picture, gdouble pixels)
{
  guint c;

  for (c = 0; c < N_COLORS; c++)
    plane_blur (picture->colors[c], picture->width, picture->height, pixels);
}

void
plane_fill_noise (gfloat * plane, guint width, guint height, gdouble size,
    guint64 seed)
{
  TestRandom random = test_random_new (seed);
  const guint n = width * height;
  gdouble sum = 0, squares = 0, mean, scale;
  guint i;

  for (i = 0; i < n; i++)
    plane[i] = random_share (&random);
  plane_blur (plane, width, height, size);
  for (i = 0; i < n; i++) {
    sum += plane[i];
    squares += (gdouble) plane[i] * plane[i];
  }
  mean = sum / n;
  scale = 0.2 / sqrt (MAX (squares / n - mean * mean, 1e-12));
  for (i = 0; i < n; i++)
    plane[i] = CLAMP (0.5 + (plane[i] - mean) * scale, 0, 1);
}

static gfloat *
make_noise_table (void)
{
  TestRandom random = test_random_new (0);
  gfloat *table = g_new (gfloat, N_NOISE);
  guint i, k;

  for (i = 0; i < N_NOISE; i++) {
    gdouble sum = -6;

    for (k = 0; k < 12; k++)
      sum += random_share (&random);
    table[i] = sum;
  }
  return table;
}

const gfloat *
noise_run (TestRandom * random)
{
  static gfloat *table;

  if (!table)
    table = make_noise_table ();
  return table + test_random_below (random, N_NOISE - N_NOISE_RUN);
}
