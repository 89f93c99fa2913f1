/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Faults of signals and frames. */
#include "faults.h"

#include <math.h>
#include <string.h>

#define WIDTH 320.0

static guint8 *
plane_of (const Simulator * simulator, guint8 * frame, guint plane)
{
  const gsize n = simulator->width * simulator->height;

  return frame + (plane == 0 ? 0 : plane == 1 ? n : n * 5 / 4);
}

static guint8
to_code (gdouble level)
{
  return CLAMP (level + 0.5, 0, 255);
}

/* Numbers: amplitude, waves, beats per s, and whether they are added, like hum,
 * or multiplied, like mains light. */
void
fault_bands (Simulator * simulator, gdouble amount)
{
  const gdouble *numbers = simulator->fault->numbers;
  gfloat *luma = simulator->sensor->planes[0];
  guint x, y;

  for (y = 0; y < simulator->height; y++) {
    const gdouble turn = numbers[1] * y / simulator->height
        + numbers[2] * simulator->time;
    const gfloat wave = amount * numbers[0] * sin (2 * G_PI * turn);

    for (x = 0; x < simulator->width; x++, luma++)
      *luma += numbers[3] ? wave : *luma * wave;
  }
}

/* Numbers: amplitude, waves across and down, and beats per s. */
void
fault_stripes (Simulator * simulator, gdouble amount)
{
  const gdouble *numbers = simulator->fault->numbers;
  gfloat *luma = simulator->sensor->planes[0];
  const gdouble lean = mix (0.7, 1.3, simulator->p[0]);
  guint x, y;

  for (y = 0; y < simulator->height; y++) {
    for (x = 0; x < simulator->width; x++, luma++) {
      const gdouble turn = numbers[1] * x / simulator->width
          + lean * numbers[2] * y / simulator->height
          + numbers[3] * simulator->time;

      *luma += amount * numbers[0] * sin (2 * G_PI * turn);
    }
  }
}

static void
keep (Simulator * simulator)
{
  if (!simulator->kept)
    simulator->kept = g_memdup2 (simulator->frame, simulator->size);
}

/* Numbers: share of pixels that are one code off, and whether the clock runs
 * on. */
void
fault_freeze (Simulator * simulator, G_GNUC_UNUSED gdouble amount)
{
  const gdouble *numbers = simulator->fault->numbers;
  const guint w = simulator->width, rows = simulator->height / 9;
  guint8 *clock = NULL;
  guint i;

  keep (simulator);
  if (numbers[1])
    clock = g_memdup2 (simulator->frame, rows * w);
  memcpy (simulator->frame, simulator->kept, simulator->size);
  for (i = 0; clock && i < rows; i++)
    memcpy (simulator->frame + i * w, clock + i * w, w / 4);
  g_free (clock);
  for (i = 0; numbers[0] > 0 && i < w * simulator->height; i++) {
    if (random_share (&simulator->random) < numbers[0])
      simulator->frame[i]++;
  }
}

/* Numbers: first and last frozen row, as shares of the height. */
void
fault_freeze_part (Simulator * simulator, G_GNUC_UNUSED gdouble amount)
{
  const gdouble *numbers = simulator->fault->numbers;
  guint plane;

  keep (simulator);
  for (plane = 0; plane < 3; plane++) {
    const guint w = simulator->width / (plane ? 2 : 1);
    const guint h = simulator->height / (plane ? 2 : 1);
    const guint first = numbers[0] * h, last = numbers[1] * h;

    memcpy (plane_of (simulator, simulator->frame, plane) + first * w,
        plane_of (simulator, simulator->kept, plane) + first * w,
        (last - first) * w);
  }
}

/* Numbers: length of the loop in s. */
void
fault_loop (Simulator * simulator, G_GNUC_UNUSED gdouble amount)
{
  const guint length = MAX (simulator->fault->numbers[0] * simulator->fps, 2);
  const guint n = simulator->history->len;

  if (n < length)
    return;
  if (simulator->begun < 1.5 / simulator->fps)
    simulator->looped = 0;
  memcpy (simulator->frame, g_ptr_array_index (simulator->history,
          n - length + simulator->looped % length), simulator->size);
  simulator->looped++;
}

/* Numbers: codes of luma and chroma. */
void
fault_fill (Simulator * simulator, G_GNUC_UNUSED gdouble amount)
{
  const gdouble *numbers = simulator->fault->numbers;
  const gsize n = simulator->width * simulator->height;

  memset (simulator->frame, numbers[0], n);
  memset (simulator->frame + n, numbers[1], n / 4);
  memset (simulator->frame + n * 5 / 4, numbers[2], n / 4);
}

void
fault_color_bars (Simulator * simulator, G_GNUC_UNUSED gdouble amount)
{
  static const guint8 codes[8][3] = { {180, 128, 128}, {162, 44, 142},
  {131, 156, 44}, {112, 72, 58}, {84, 184, 198}, {65, 100, 212}, {35, 212, 114},
  {16, 128, 128}
  };
  guint plane, x, y;

  for (plane = 0; plane < 3; plane++) {
    const guint w = simulator->width / (plane ? 2 : 1);
    const guint h = simulator->height / (plane ? 2 : 1);
    guint8 *to = plane_of (simulator, simulator->frame, plane);

    for (y = 0; y < h; y++) {
      for (x = 0; x < w; x++)
        *to++ = codes[x * 8 / w][plane];
    }
  }
}

/* Numbers: share of noise; 1: nothing but noise. */
void
fault_snow (Simulator * simulator, gdouble amount)
{
  const gdouble share = simulator->fault->numbers[0] * amount;
  const guint n = simulator->width * simulator->height;
  guint i;

  for (i = 0; i < n; i++)
    simulator->frame[i] = to_code (mix (simulator->frame[i],
            16 + 219 * random_share (&simulator->random), share));
  for (i = n; share == 1 && i < simulator->size; i++)
    simulator->frame[i] = 128;
}

void
fault_chroma_lost (Simulator * simulator, G_GNUC_UNUSED gdouble amount)
{
  const gsize n = simulator->width * simulator->height;

  memset (simulator->frame + n, 128, n / 2);
}

/* Numbers: turns per s. */
void
fault_roll_sync (Simulator * simulator, G_GNUC_UNUSED gdouble amount)
{
  const gdouble turn = simulator->fault->numbers[0] * simulator->begun;
  guint8 *copy = g_memdup2 (simulator->frame, simulator->size);
  guint plane, y;

  for (plane = 0; plane < 3; plane++) {
    const guint w = simulator->width / (plane ? 2 : 1);
    const guint h = simulator->height / (plane ? 2 : 1);
    const guint by = (turn - floor (turn)) * h;

    for (y = 0; y < h; y++)
      memcpy (plane_of (simulator, simulator->frame, plane) + y * w,
          plane_of (simulator, copy, plane) + (y + by) % h * w, w);
  }
  if (simulator->height > 60)
    memset (simulator->frame + (guint) ((1 - turn + floor (turn))
            * (simulator->height - 12)) * simulator->width, 16,
        6 * simulator->width);
  g_free (copy);
}

/* Numbers: largest shift of rows as a share of the width. */
void
fault_tear (Simulator * simulator, G_GNUC_UNUSED gdouble amount)
{
  const gdouble reach = simulator->fault->numbers[0];
  TestRandom *random = &simulator->random;
  const guint w = simulator->width;
  guint8 *row = g_new (guint8, w);
  guint y, end = 0;
  gdouble share = 0;

  for (y = 0; y < simulator->height; y++) {
    guint8 *luma = simulator->frame + y * w;
    guint by;

    if (y == end) {
      share = reach * random_share (random);
      end = y + 4 + test_random_below (random, simulator->height / 6);
    }
    by = share * w;
    memcpy (row, luma + w - by, by);
    memcpy (row + by, luma, w - by);
    memcpy (luma, row, w);
  }
  g_free (row);
}

/* Numbers: first row that was not decoded, as a share of the height, and what
 * replaces it: 0 green, 1 grey, 2 the row above. */
void
fault_slices (Simulator * simulator, G_GNUC_UNUSED gdouble amount)
{
  const gdouble *numbers = simulator->fault->numbers;
  guint plane, y;

  for (plane = 0; plane < 3; plane++) {
    const guint w = simulator->width / (plane ? 2 : 1);
    const guint h = simulator->height / (plane ? 2 : 1);
    const guint first = numbers[0] * h;
    guint8 *to = plane_of (simulator, simulator->frame, plane);

    for (y = first; y < h; y++) {
      if (numbers[1] == 2)
        memcpy (to + y * w, to + (first - 1) * w, w);
      else
        memset (to + y * w, numbers[1] == 1 ? 128 : 0, w);
    }
  }
}

/* Numbers: share of wrong blocks, and their size. They change twice a s. */
void
fault_mosaic (Simulator * simulator, gdouble amount)
{
  const gdouble *numbers = simulator->fault->numbers;
  const guint w = simulator->width, h = simulator->height, size = numbers[1];
  TestRandom random = test_random_new (simulator->p[0] * 1e6
      + floor (2 * simulator->time));
  guint8 *copy = g_memdup2 (simulator->frame, simulator->size);
  guint bx, by, y;

  for (by = 0; by + size <= h; by += size) {
    for (bx = 0; bx + size <= w; bx += size) {
      const gboolean wrong = random_share (&random) < numbers[0] * amount;
      const gboolean grey = test_random_once_in (&random, 4);
      const guint fx = test_random_below (&random, w - size);
      const guint fy = test_random_below (&random, h - size);

      for (y = 0; wrong && y < size; y++) {
        guint8 *to = simulator->frame + (by + y) * w + bx;

        if (grey)
          memset (to, 128, size);
        else
          memcpy (to, copy + (fy + y) * w + fx, size);
      }
    }
  }
  g_free (copy);
}

/* One bright moment. This is not a fault. */
void
fault_flash_once (Simulator * simulator, G_GNUC_UNUSED gdouble amount)
{
  if (simulator->begun < 0.3)
    memset (simulator->frame, 235, simulator->width * simulator->height);
}

/* Numbers: flashes per s, and share of rows that flash. */
void
fault_flash (Simulator * simulator, G_GNUC_UNUSED gdouble amount)
{
  const gdouble *numbers = simulator->fault->numbers;
  const gdouble at = simulator->time * numbers[0];
  const guint n = numbers[1] * simulator->height * simulator->width;
  guint i;

  if (at - floor (at) >= 0.5)
    return;
  for (i = 0; i < n; i++)
    simulator->frame[i] = to_code (mix (simulator->frame[i], 225, 0.85));
}
