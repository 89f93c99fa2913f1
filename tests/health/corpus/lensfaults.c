/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Faults of the view, in front of the lens, in the lens, and in the sensor. */
#include "faults.h"

#include <math.h>
#include <string.h>

/* Lengths in pixels refer to pictures of this width. */
#define WIDTH 320.0

/* Positions of a tour, and s at each. */
#define TOUR_VIEWS 4
#define TOUR_STAY 20

static gdouble
pixels (const Simulator * simulator, gdouble n)
{
  return n * simulator->width / WIDTH;
}

static guint
count (const Simulator * simulator)
{
  return simulator->width * simulator->height;
}

static void
blend (Simulator * simulator, gdouble amount, const gfloat level[N_COLORS])
{
  const guint n = count (simulator);
  guint c, i;

  for (c = 0; c < N_COLORS; c++) {
    gfloat *const to = simulator->picture->colors[c];

    for (i = 0; i < n; i++)
      to[i] += (level[c] - to[i]) * simulator->alpha[i] * amount;
  }
}

/* What is before the lens is lit by the camera's own lamp, too. */
#define LAMP 0.004

static gdouble
light (const Simulator * simulator)
{
  const World *world = simulator->world;

  return MAX (world_get_brightness (world) + (world->infrared ? LAMP : 0),
      1e-5);
}

/* Numbers: shares of the picture's width and height, degrees, and zoom. */
void
fault_turn (Simulator * simulator, gdouble amount)
{
  const gdouble *numbers = simulator->fault->numbers;
  View *view = &simulator->world->view;
  const gdouble left = simulator->p[0] < 0.5 ? -1 : 1;
  const gdouble roll = simulator->p[1] < 0.5 ? -1 : 1;
  const gdouble tall = view->fov * simulator->height / simulator->width;

  view->yaw += left * amount * numbers[0] * view->fov;
  view->pitch += amount * numbers[1] * tall;
  view->roll += roll * amount * numbers[2];
  if (numbers[3] > 0)
    view->fov /= mix (1, numbers[3], amount);
}

/* Numbers: pixels, and swings per s. A loose mount in the wind. */
void
fault_shake (Simulator * simulator, gdouble amount)
{
  const gdouble *numbers = simulator->fault->numbers;
  View *view = &simulator->world->view;
  const gdouble degrees = amount * numbers[0] * view->fov / WIDTH;
  const gdouble turn = 2 * G_PI * numbers[1] * simulator->time;
  const gdouble uneven = 0.7 + 0.3 * sin (simulator->time * 0.9);

  view->yaw += degrees * uneven * sin (turn);
  view->pitch += degrees * uneven * 0.6 * sin (1.37 * turn + 1);
  view->roll += 0.3 * degrees * sin (0.81 * turn);
}

/* Numbers: degrees per s. The camera turns and does not stop. */
void
fault_turn_on (Simulator * simulator, G_GNUC_UNUSED gdouble amount)
{
  simulator->world->view.yaw += simulator->fault->numbers[0]
      * simulator->begun;
}

/* A tour; this is not a fault. */
void
fault_tour (Simulator * simulator, G_GNUC_UNUSED gdouble amount)
{
  const guint position = (guint) (simulator->time / TOUR_STAY) % TOUR_VIEWS;
  View *view = &simulator->world->view;

  view->yaw += 0.8 * position * view->fov;
  view->pitch -= 4 * (position % 2);
}

/* Numbers: level, contrast and size in pixels of its structure, and red divided
 * by blue. */
void
fault_cover (Simulator * simulator, gdouble amount)
{
  const gdouble *numbers = simulator->fault->numbers;
  const guint n = count (simulator);
  const gdouble level = numbers[0] * light (simulator)
      * mix (0.6, 1.4, simulator->p[0]);
  guint c, i;

  if (!simulator->prepared)
    plane_fill_noise (simulator->alpha, simulator->width, simulator->height,
        pixels (simulator, numbers[2]), simulator->p[1] * 1e6);
  simulator->prepared = TRUE;
  for (c = 0; c < N_COLORS; c++) {
    const gfloat tint = pow (numbers[3], 0.5 * (1 - (gdouble) c));
    gfloat *const to = simulator->picture->colors[c];

    for (i = 0; i < n; i++) {
      const gfloat shade = 1 + numbers[1] * (simulator->alpha[i] - 0.5f);

      to[i] += (level * tint * shade - to[i]) * amount;
    }
  }
}

/* Numbers: period in pixels, and contrast. A cloth with a pattern. */
void
fault_cloth (Simulator * simulator, gdouble amount)
{
  const gdouble *numbers = simulator->fault->numbers;
  const gdouble step = 2 * G_PI / pixels (simulator, numbers[0]);
  const gdouble level = 0.3 * light (simulator);
  const gdouble turned = simulator->p[0];
  guint x, y, c;

  for (y = 0; y < simulator->height; y++) {
    for (x = 0; x < simulator->width; x++) {
      const gdouble a = sin (step * (x + turned * y));
      const gdouble b = sin (step * (y - turned * x));
      const gfloat shade = level * (1 + numbers[1] * a * b);

      for (c = 0; c < N_COLORS; c++) {
        gfloat *const to =
            &simulator->picture->colors[c][y * simulator->width + x];
        const gfloat tint = c == RED ? 1.2 : c == BLUE ? 0.7 : 1;

        *to += (shade * tint - *to) * amount;
      }
    }
  }
}

/* A hand moves in front of most of the lens. */
void
fault_hand (Simulator * simulator, gdouble amount)
{
  const guint w = simulator->width, h = simulator->height;
  const gfloat skin[N_COLORS] = { 0.26 * light (simulator),
    0.15 * light (simulator), 0.1 * light (simulator)
  };
  const gdouble x0 = 0.5 + 0.08 * sin (simulator->time * 4 + simulator->p[0]);
  const gdouble y0 = 0.5 + 0.05 * cos (simulator->time * 3);
  guint x, y;

  for (y = 0; y < h; y++) {
    for (x = 0; x < w; x++) {
      const gdouble dx = ((gdouble) x / w - x0) / 0.56;
      const gdouble dy = ((gdouble) y / h - y0) / 0.62;

      simulator->alpha[y * w + x] = ramp (1.15, 0.9, hypot (dx, dy));
    }
  }
  blend (simulator, amount, skin);
}

/* Numbers: share of the view, opacity, level, and softness in pixels. Tape,
 * paint, a leaf or a bag at a random corner or side. */
void
fault_obstruct (Simulator * simulator, gdouble amount)
{
  const gdouble *numbers = simulator->fault->numbers;
  const guint w = simulator->width, h = simulator->height;
  const gfloat level = numbers[2] * light (simulator);
  const gfloat color[N_COLORS] = { level * 1.1, level, level * 0.85 };
  const gdouble corner = floor (simulator->p[0] * 4);
  const gdouble shape = mix (0.6, 1.4, simulator->p[1]);
  guint x, y;

  if (!simulator->prepared) {
    const gboolean right = (gint) corner % 2, low = corner > 1;

    for (y = 0; y < h; y++) {
      for (x = 0; x < w; x++) {
        const gdouble u = right ? 1 - (gdouble) x / w : (gdouble) x / w;
        const gdouble v = low ? 1 - (gdouble) y / h : (gdouble) y / h;
        const gdouble reach = numbers[0] > 0.45 ? u + 0.1 * sin (7 * v) :
            hypot (u * shape, v / shape) * 0.886;

        simulator->alpha[y * w + x] = numbers[0] > 0.45 ?
            reach < numbers[0] : reach * reach < numbers[0];
      }
    }
    plane_blur (simulator->alpha, w, h, pixels (simulator, numbers[3]));
  }
  simulator->prepared = TRUE;
  blend (simulator, amount * numbers[1], color);
}

/* Numbers: opacity, share of the view, and level. Paint on the dome. */
void
fault_spray (Simulator * simulator, gdouble amount)
{
  const gdouble *numbers = simulator->fault->numbers;
  const guint n = count (simulator);
  const gfloat level = numbers[2] * light (simulator);
  const gfloat color[N_COLORS] = { level * mix (0.8, 1.2, simulator->p[0]),
    level, level * mix (0.8, 1.2, simulator->p[1])
  };
  guint i;

  if (!simulator->prepared) {
    plane_fill_noise (simulator->alpha, simulator->width, simulator->height,
        pixels (simulator, 20), simulator->p[2] * 1e6);
    /* The noise has a standard deviation of 0.2 around 0.5. */
    for (i = 0; i < n; i++)
      simulator->alpha[i] = ramp (0.5 - 0.5 * numbers[1],
          0.6 - 0.3 * numbers[1], simulator->alpha[i]);
  }
  simulator->prepared = TRUE;
  blend (simulator, amount * numbers[0], color);
}

/* Numbers: drops, radius in pixels, and blur in pixels. */
void
fault_drops (Simulator * simulator, gdouble amount)
{
  const gdouble *numbers = simulator->fault->numbers;
  const guint w = simulator->width, h = simulator->height;
  TestRandom random = test_random_new (simulator->p[0] * 1e6);
  guint i, c;
  gint x, y;

  picture_copy (simulator->other, simulator->picture);
  picture_blur (simulator->other, pixels (simulator, numbers[2]));
  for (i = 0; i < numbers[0]; i++) {
    const gdouble x0 = random_share (&random) * w;
    const gdouble y0 = random_share (&random) * h;
    const gdouble r = pixels (simulator, numbers[1])
        * random_between (&random, 0.5, 1.5);

    for (y = MAX (y0 - r, 0); y < MIN (y0 + r, h - 1.0); y++) {
      for (x = MAX (x0 - r, 0); x < MIN (x0 + r, w - 1.0); x++) {
        const gfloat share = amount * ramp (1, 0.8,
            hypot (x - x0, y - y0) / r);
        const guint at = y * w + x;

        for (c = 0; c < N_COLORS; c++)
          simulator->picture->colors[c][at] +=
              (simulator->other->colors[c][at] * 1.15f
              - simulator->picture->colors[c][at]) * share;
      }
    }
  }
}

/* Numbers: blur in pixels, and opacity of a veil, such as dew. */
void
fault_defocus (Simulator * simulator, gdouble amount)
{
  const gdouble *numbers = simulator->fault->numbers;
  const gfloat level = 0.35 * light (simulator);
  const gfloat white[N_COLORS] = { level, level, level };
  guint i;

  picture_blur (simulator->picture, amount * pixels (simulator, numbers[0]));
  if (numbers[1] == 0)
    return;
  for (i = 0; i < count (simulator); i++)
    simulator->alpha[i] = numbers[1];
  blend (simulator, amount, white);
}

/* Numbers: share of the contrast that is left. The top is farther away, and has
 * more fog. */
void
fault_fog (Simulator * simulator, gdouble amount)
{
  const gdouble left = simulator->fault->numbers[0];
  const gfloat level = mix (0.35, 0.6, simulator->p[0]) * light (simulator);
  const gfloat white[N_COLORS] = { level, level, level * 1.05 };
  guint x, y;

  for (y = 0; y < simulator->height; y++) {
    const gdouble depth = mix (1.15, 0.85, (gdouble) y / simulator->height);
    const gfloat alpha = 1 - pow (left, depth);

    for (x = 0; x < simulator->width; x++)
      simulator->alpha[y * simulator->width + x] = alpha;
  }
  blend (simulator, amount, white);
}

/* Numbers: power of veil and spot, relative to the light of the place, and size
 * of the spot. A torch, or the sun. */
void
fault_glare (Simulator * simulator, gdouble amount)
{
  const gdouble *numbers = simulator->fault->numbers;
  const guint w = simulator->width, h = simulator->height;
  const gdouble x0 = mix (0.3, 0.7, simulator->p[0]);
  const gdouble y0 = mix (0.25, 0.65, simulator->p[1]);
  guint x, y, c;

  for (y = 0; y < h; y++) {
    for (x = 0; x < w; x++) {
      const gdouble dx = (gdouble) x / w - x0;
      const gdouble dy = ((gdouble) y / h - y0) * h / w;
      const gdouble d2 = (dx * dx + dy * dy) / (numbers[2] * numbers[2]);
      const gfloat more = amount * light (simulator)
          * (numbers[0] / (1 + 0.1 * d2) + numbers[1] * exp (-d2));

      for (c = 0; c < N_COLORS; c++)
        simulator->picture->colors[c][y * w + x] += more;
    }
  }
}

/* Numbers: whether it is a lit web or a spider. This is not a fault. */
void
fault_spider (Simulator * simulator, gdouble amount)
{
  const guint w = simulator->width, h = simulator->height;
  const gdouble web = simulator->fault->numbers[0];
  const gdouble x0 = w * (0.4 + 0.2 * sin (simulator->time / 5));
  const gdouble y0 = h * (0.4 + 0.2 * cos (simulator->time / 7));
  const gdouble size = pixels (simulator, 7);
  const gfloat bright = 0.4 * light (simulator);
  const gfloat color[N_COLORS] = { web ? bright : 0.01f * bright,
    web ? bright : 0.01f * bright, web ? bright : 0.01f * bright
  };
  guint x, y;

  for (y = 0; y < h; y++) {
    for (x = 0; x < w; x++) {
      const gdouble thread = fabs (sin (hypot (x - 0.3 * w, y) / w * 40));

      simulator->alpha[y * w + x] = web ? 0.25 * ramp (0.05, 0, thread) :
          ramp (1.3, 0.7, hypot (x - x0, y - y0) / size);
    }
  }
  blend (simulator, amount, color);
}

/* Numbers: share of the light that is left at one side. This is not a fault. */
void
fault_lamp_off (Simulator * simulator, gdouble amount)
{
  const gdouble left = simulator->fault->numbers[0];
  const guint w = simulator->width;
  guint x, y, c;

  for (c = 0; c < N_COLORS; c++) {
    for (y = 0; y < simulator->height; y++) {
      for (x = 0; x < w; x++) {
        const gdouble side = simulator->p[0] < 0.5 ? (gdouble) x / w :
            1 - (gdouble) x / w;

        simulator->picture->colors[c][y * w + x] *=
            mix (1, mix (left, 1, side * side), amount);
      }
    }
  }
}

/* A power cut. */
void
fault_lights_out (Simulator * simulator, G_GNUC_UNUSED gdouble amount)
{
  simulator->world->lamps_fail = TRUE;
}

/* Numbers: factor by which the exposure is wrong. */
void
fault_exposure (Simulator * simulator, gdouble amount)
{
  simulator->sensor->exposure_works = FALSE;
  simulator->sensor->exposure_fault = pow (simulator->fault->numbers[0],
      amount);
}

/* Numbers: f-stops up and down, and period in s. */
void
fault_hunting (Simulator * simulator, gdouble amount)
{
  const gdouble *numbers = simulator->fault->numbers;
  const gdouble turn = sin (2 * G_PI * simulator->time / numbers[1]);

  simulator->sensor->exposure_works = FALSE;
  simulator->sensor->exposure_fault = pow (2, amount * numbers[0]
      * CLAMP (2 * turn, -1, 1));
}

/* Numbers: factor for the noise. */
void
fault_gain (Simulator * simulator, gdouble amount)
{
  simulator->sensor->noise_fault = mix (1, simulator->fault->numbers[0],
      amount);
}

/* Numbers: factors for red, green and blue. With 0, the seed draws a hue. */
void
fault_cast (Simulator * simulator, gdouble amount)
{
  const gdouble *numbers = simulator->fault->numbers;
  guint c;

  for (c = 0; c < N_COLORS; c++) {
    const gdouble hue = 2 * G_PI * (simulator->p[0] + c / 3.0);
    const gdouble factor = numbers[0] > 0 ? numbers[c] :
        pow (2, 0.8 * cos (hue));

    simulator->sensor->balance_fault[c] = pow (factor, amount);
  }
}
