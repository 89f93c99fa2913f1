/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What may go wrong with a camera, one table row each. The random parameters
 * cover what such faults look like in reality, not what is easy to find. */
#include "camera.h"

#include <gst/videohistogram/videohistogram.h>
#include <math.h>
#include <string.h>

#define C(id) GST_VIDEO_HEALTH_CONDITIONS_##id

static guint
pixels_of (const Camera * camera)
{
  return camera->width * camera->height;
}

/* Blends the picture with a level and a chroma. */
static void
fill (Camera * camera, gdouble share, gdouble level, gdouble u, gdouble v)
{
  const guint n = pixels_of (camera);
  guint i;

  for (i = 0; i < n; i++)
    camera->y[i] = mix (camera->y[i], level, share);
  for (i = 0; i < n / 4; i++) {
    camera->u[i] = mix (camera->u[i], u, share);
    camera->v[i] = mix (camera->v[i], v, share);
  }
}

/* A cloth: some light comes through, more on one side, and a hundredth of the
 * view. */
static void
apply_cover (Camera * camera, const gdouble * p, gdouble amount)
{
  const gdouble level = mix (0.03, 0.3, p[0]), slope = mix (-0.2, 0.2, p[1]);
  const gdouble share = amount * mix (0.985, 1, p[2]);
  guint row, column;

  fill (camera, share, level, 0.03 * level * (p[3] - 0.5),
      0.03 * level * (0.5 - p[3]));
  for (row = 0; row < camera->height; row++) {
    for (column = 0; column < camera->width; column++)
      camera->y[row * camera->width + column] += amount * level * slope *
          ((gdouble) column / camera->width - 0.5);
  }
}

/* Running means along @count lines, @next apart, of @n values, @step apart. */
static void
blur_lines (const gfloat * from, gfloat * to, guint n, guint step, guint count,
    guint next, gint radius)
{
  const gfloat scale = 1.0 / (2 * radius + 1);
  const gint last = n - 1;
  guint line;
  gint i;

  for (line = 0; line < count; line++, from += next, to += next) {
    gdouble sum = 0;

    for (i = -radius; i <= radius; i++)
      sum += from[CLAMP (i, 0, last) * (gint) step];
    for (i = 0; i <= last; i++) {
      to[i * step] = sum * scale;
      sum += from[MIN (i + radius + 1, last) * (gint) step]
          - from[MAX (i - radius, 0) * (gint) step];
    }
  }
}

static void
blur (Camera * camera, gint radius)
{
  const guint w = camera->width, h = camera->height;
  guint i;

  for (i = 0; radius > 0 && i < 3; i++) {
    blur_lines (camera->y, camera->scratch, w, 1, h, w, radius);
    blur_lines (camera->scratch, camera->y, h, w, w, 1, radius);
  }
}

/* Paint on the dome: out of focus, thus without edges, it covers all but a
 * corner and lets little light through. */
static void
apply_spray (Camera * camera, const gdouble * p, gdouble amount)
{
  const gdouble level = mix (0.1, 0.8, p[0]), left = mix (0, 0.06, p[1]);
  const gdouble tint = 0.15 * (p[2] - 0.5);
  const gdouble size = mix (0, 0.3, p[3]);
  const guint w = camera->width, h = camera->height;
  guint row, column;

  for (row = 0; row < h; row++) {
    for (column = 0; column < w; column++) {
      const gdouble x = (gdouble) column / w, y = (gdouble) row / h;
      const gdouble free = CLAMP (10 * (size - hypot (x, y)), 0, 1);
      const gdouble share = amount * (1 - free) * (1 - left);
      const gdouble uneven = 1 + 0.1 * sin (5 * x + 9 * p[1]) * cos (4 * y);
      const guint i = row * w + column, c = row / 2 * (w / 2) + column / 2;

      camera->y[i] = mix (camera->y[i], level * uneven, share);
      if (row % 2 == 0 && column % 2 == 0) {
        camera->u[c] = mix (camera->u[c], tint * level, share);
        camera->v[c] = mix (camera->v[c], -tint * level, share);
      }
    }
  }
}

/* Tape on one side of the lens, out of focus. */
static void
apply_tape (Camera * camera, const gdouble * p, gdouble amount)
{
  const gdouble level = mix (0.3, 0.6, p[0]), size = mix (0.3, 0.6, p[1]);
  const guint w = camera->width, h = camera->height;
  guint row, column;

  for (row = 0; row < h; row++) {
    for (column = 0; column < w; column++) {
      const gdouble x = (gdouble) column / w;
      const gdouble edge = size + 0.02 * sin (6.0 * row / h);
      const gdouble share = amount * CLAMP (25 * (edge - x), 0, 1);
      const guint i = row * w + column, c = row / 2 * (w / 2) + column / 2;

      camera->y[i] = mix (camera->y[i], level, share);
      if (row % 2 == 0 && column % 2 == 0) {
        camera->u[c] = mix (camera->u[c], -0.06 * level, share);
        camera->v[c] = mix (camera->v[c], 0.05 * level, share);
      }
    }
  }
}

/* Blurs with a standard deviation of 1 to 3 % of the width. */
static void
apply_defocus (Camera * camera, const gdouble * p, gdouble amount)
{
  blur (camera, amount * mix (0.01, 0.03, p[0]) * camera->width + 0.5);
}

/* Light scattered in the air replaces light from the scene, more so toward
 * the horizon at the top. */
static void
apply_fog (Camera * camera, const gdouble * p, gdouble amount)
{
  const gdouble air = mix (0.45, 0.75, p[0]), density = mix (1.4, 3, p[1]);
  const gdouble near = mix (0.85, 1, p[2]);
  const guint w = camera->width, h = camera->height;
  guint row, column;

  for (row = 0; row < h; row++) {
    const gdouble depth = mix (1, near, (gdouble) row / h);
    const gdouble left = exp (-density * depth * amount);

    for (column = 0; column < w; column++)
      camera->y[row * w + column] = mix (air, camera->y[row * w + column],
          left);
    for (column = 0; column < w / 2; column++) {
      camera->u[row / 2 * (w / 2) + column] *= sqrt (left);
      camera->v[row / 2 * (w / 2) + column] *= sqrt (left);
    }
  }
}

/* Turns by a quarter of the picture's size or more, within the margin. */
static void
apply_move (Camera * camera, const gdouble * p, gdouble amount)
{
  const gdouble far = mix (0.45, 0.6, p[0]) / (FOOTAGE_MARGIN - 1);
  const gdouble x = camera->view_x, y = camera->view_y;
  const gdouble dx = mix (0.5, 1, p[1]) * far, dy = mix (0.2, 1, p[2]) * far;

  camera->view_x = CLAMP (x + amount * (x > 0.5 ? -dx : dx), 0, 1);
  camera->view_y = CLAMP (y + amount * (y > 0.5 ? -dy : dy), 0, 1);
}

static void
apply_dark (Camera * camera, const gdouble * p, gdouble amount)
{
  const gdouble light = mix (1, mix (0.02, 0.1, p[0]), amount);
  const guint n = pixels_of (camera);
  guint i;

  for (i = 0; i < n; i++)
    camera->y[i] *= light;
  for (i = 0; i < n / 4; i++) {
    camera->u[i] *= light;
    camera->v[i] *= light;
  }
}

/* A lamp pointed at the lens. */
static void
apply_dazzle (Camera * camera, const gdouble * p, gdouble amount)
{
  const gdouble x0 = mix (0.2, 0.8, p[0]), y0 = mix (0.2, 0.8, p[1]);
  const gdouble veil = mix (0.6, 0.9, p[2]), spot = mix (0.5, 2, p[3]);
  const guint w = camera->width, h = camera->height;
  guint row, column;

  for (row = 0; row < h; row++) {
    for (column = 0; column < w; column++) {
      const gdouble dx = (gdouble) column / w - x0;
      const gdouble dy = (gdouble) row / h - y0;

      camera->y[row * w + column] += amount * (veil + spot
          / (1 + 8 * (dx * dx + dy * dy)));
    }
  }
}

static void
keep (Camera * camera)
{
  const guint n = pixels_of (camera);

  if (!camera->kept) {
    camera->kept = g_new (gfloat, n * 3 / 2);
    memcpy (camera->kept, camera->y, n * sizeof (gfloat));
    memcpy (camera->kept + n, camera->u, n / 4 * sizeof (gfloat));
    memcpy (camera->kept + n * 5 / 4, camera->v, n / 4 * sizeof (gfloat));
  }
  memcpy (camera->y, camera->kept, n * sizeof (gfloat));
  memcpy (camera->u, camera->kept + n, n / 4 * sizeof (gfloat));
  memcpy (camera->v, camera->kept + n * 5 / 4, n / 4 * sizeof (gfloat));
}

static void
apply_freeze (Camera * camera, G_GNUC_UNUSED const gdouble * p, gdouble amount)
{
  if (amount > 0)
    keep (camera);
  else
    g_clear_pointer (&camera->kept, g_free);
}

/* Recoded, or sent over an analogue line: some pixels are one code off. */
static void
apply_freeze_noise (Camera * camera, const gdouble * p, gdouble amount)
{
  const guint once_in = 1 / mix (0.02, 0.12, p[0]);
  guint i;

  apply_freeze (camera, p, amount);
  if (amount == 0)
    return;
  for (i = 0; i < pixels_of (camera); i++) {
    if (test_random_once_in (&camera->random, once_in))
      camera->y[i] += 1 / 219.0;
  }
}

/* In infrared light plants are brighter, and nothing is colored. */
static void
apply_infrared (Camera * camera, const gdouble * p, gdouble amount)
{
  const gdouble bright = mix (0, 0.6, p[0]) * amount;
  const guint w = camera->width;
  guint i;

  for (i = 0; i < pixels_of (camera); i++) {
    const guint c = i / w / 2 * (w / 2) + i % w / 2;

    camera->y[i] *= 1 + bright * CLAMP (-4 * camera->u[c] - 4 * camera->v[c],
        0, 0.5);
  }
  camera->weather.infrared = amount > 0.5;
}

/* The infrared filter is stuck: red and blue are raised. By BT.601. */
static void
apply_magenta (Camera * camera, const gdouble * p, gdouble amount)
{
  const gdouble red = 1 + amount * mix (0.3, 0.6, p[0]);
  const gdouble blue = 1 + amount * mix (0.3, 0.6, p[1]);
  const guint w = camera->width, h = camera->height;
  guint row, column;

  for (row = 0; row < h / 2; row++) {
    for (column = 0; column < w / 2; column++) {
      const guint c = row * (w / 2) + column, i = 2 * row * w + 2 * column;
      const gdouble y = camera->y[i];
      const gdouble r = y + 1.402 * camera->v[c];
      const gdouble b = y + 1.772 * camera->u[c];
      const gdouble more = 0.299 * r * (red - 1) + 0.114 * b * (blue - 1);

      camera->u[c] = (b * blue - y - more) / 1.772;
      camera->v[c] = (r * red - y - more) / 1.402;
      camera->y[i] += more;
      camera->y[i + 1] += more;
      camera->y[i + w] += more;
      camera->y[i + w + 1] += more;
    }
  }
}

/* Mains light and a rolling shutter: bands run through the picture. If they are
 * strong and run fast, each place flashes, too. */
static void
apply_flicker (Camera * camera, const gdouble * p, gdouble amount)
{
  const gdouble depth = amount * mix (0.05, 0.25, p[0]);
  const gdouble waves = mix (2, 8, p[1]), beat = mix (0.3, 4, p[2]);
  guint row, column;

  for (row = 0; row < camera->height; row++) {
    const gdouble turn = waves * row / camera->height + beat * camera->time;
    const gdouble light = 1 + depth * sin (2 * G_PI * turn);

    for (column = 0; column < camera->width; column++)
      camera->y[row * camera->width + column] *= light;
  }
}

/* A third of the picture up to all of it, 4.5 to 9 times a second. */
static void
apply_flash (Camera * camera, const gdouble * p, gdouble amount)
{
  const gdouble rate = mix (4.5, 9, p[0]), level = mix (0.75, 1, p[1]);
  const guint rows = mix (0.4, 1, p[2]) * camera->height;
  const gdouble at = camera->time * rate;
  guint i;

  if (amount < 1 || at - floor (at) >= 0.5)
    return;
  for (i = 0; i < rows * camera->width; i++)
    camera->y[i] = mix (camera->y[i] * 0.5, level, 0.9);
}

/* No fault: the sky above the horizon turns red, and a quarter of that light
 * falls on the rest. */
static void
apply_sunset (Camera * camera, const gdouble * p, gdouble amount)
{
  const gdouble red = mix (0.1, 0.3, p[0]), blue = mix (-0.05, -0.15, p[1]);
  const guint w = camera->width / 2, h = camera->height / 2;
  const gdouble horizon = mix (0.2, 0.5, p[2]) * h;
  guint row, column;

  for (row = 0; row < h; row++) {
    const gdouble share = amount * (row < horizon ? 1 : 0.25);

    for (column = 0; column < w; column++) {
      const gdouble y = camera->y[4 * row * w + 2 * column];

      camera->u[row * w + column] += share * blue * MIN (y, 1);
      camera->v[row * w + column] += share * red * MIN (y, 1);
    }
  }
}

/* No fault either: a room or a street loses half of its light. */
static void
apply_lamp_off (Camera * camera, const gdouble * p, gdouble amount)
{
  const gdouble x0 = mix (0.2, 0.8, p[0]), size = mix (0.3, 0.8, p[1]);
  const gdouble left = mix (0.25, 0.6, p[2]);
  const guint w = camera->width;
  guint row, column;

  for (row = 0; row < camera->height; row++) {
    for (column = 0; column < w; column++) {
      const gdouble dx = ((gdouble) column / w - x0) / size;

      camera->y[row * w + column] *= mix (1, left, amount * exp (-dx * dx));
    }
  }
}

#define DIM (C (BLACK) | C (DARK))
#define PAINT (DIM | NO_CONTENTS | C (BRIGHT) | C (MONOCHROME) | C (COLOR_CAST))
#define NO_CONTENTS (C (COVERED) | C (LOW_CONTRAST) | C (BLURRY))

/* Where the light is gone, a night mode is waited for. */
const Impairment impairments[] = {
  {"cover", STAGE_SCENE, apply_cover, FALSE, 10,
      C (COVERED) | DIM, DIM | NO_CONTENTS | C (MONOCHROME), 20},
  {"cover-exposed", STAGE_SCENE, apply_cover, TRUE, 10,
      C (COVERED) | DIM, DIM | NO_CONTENTS | C (MONOCHROME), 5},
  {"spray", STAGE_SCENE, apply_spray, TRUE, 10,
      C (COVERED), PAINT, 10},
  /* With more than half of the view gone, it may look like another view. */
  {"tape", STAGE_SCENE, apply_tape, TRUE, 10,
      C (OBSTRUCTED) | C (MOVED), C (MONOCHROME) | C (COLOR_CAST), 24},
  {"defocus", STAGE_SCENE, apply_defocus, TRUE, 10,
      C (BLURRY), C (LOW_CONTRAST) | C (COVERED), 15},
  {"fog", STAGE_SCENE, apply_fog, TRUE, 10,
      C (LOW_CONTRAST) | C (COVERED), C (BLURRY) | C (MONOCHROME), 15},
  {"move", STAGE_VIEW, apply_move, TRUE, 10,
      C (MOVED), C (BLURRY) | C (COVERED) | C (LOW_CONTRAST), 20},
  /* At a fiftieth of the light a picture is black, too, which hides dark. */
  {"dark", STAGE_SCENE, apply_dark, FALSE, 10,
      DIM, C (MONOCHROME) | C (LOW_CONTRAST), 20},
  {"dazzle", STAGE_SCENE, apply_dazzle, FALSE, 10,
      C (BRIGHT), NO_CONTENTS | C (MONOCHROME) | C (FROZEN), 10},
  {"freeze", STAGE_STREAM, apply_freeze, TRUE, 10, C (FROZEN), 0, 5},
  {"freeze-noise", STAGE_STREAM, apply_freeze_noise, TRUE, 10,
      C (FROZEN), 0, 5},
  /* Colors that are lost while the light stays the same are a color cast. */
  {"infrared", STAGE_SENSOR, apply_infrared, TRUE, 10,
      C (MONOCHROME), C (COLOR_CAST), 10},
  {"magenta", STAGE_SENSOR, apply_magenta, TRUE, 10, C (COLOR_CAST), 0, 10},
  {"flicker", STAGE_SENSOR, apply_flicker, TRUE, 25,
      C (BANDING), C (FLASHING), 10},
  {"flash", STAGE_SENSOR, apply_flash, TRUE, 25,
      C (FLASHING), C (BANDING) | C (BRIGHT), 5},
  {"sunset", STAGE_SCENE, apply_sunset, TRUE, 10, 0, 0, 0},
  {"lamp-off", STAGE_SCENE, apply_lamp_off, TRUE, 10, 0, 0, 0},
};

const guint n_impairments = G_N_ELEMENTS (impairments);
