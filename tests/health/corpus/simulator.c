/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faults.h"

#include <math.h>
#include <string.h>

Simulator *
simulator_new (World * world, Sensor * sensor, guint fps, guint64 seed)
{
  Simulator *simulator = g_new0 (Simulator, 1);
  const guint w = sensor->width, h = sensor->height;
  guint i;

  simulator->world = world;
  simulator->sensor = sensor;
  simulator->width = w;
  simulator->height = h;
  simulator->size = w * h * 3 / 2;
  simulator->picture = picture_new (w, h);
  simulator->other = picture_new (w, h);
  simulator->alpha = g_new0 (gfloat, w * h);
  simulator->random = test_random_new (seed);
  simulator->fps = fps;
  simulator->history = g_ptr_array_new_with_free_func (g_free);
  for (i = 0; i < N_PARAMETERS; i++)
    simulator->p[i] = random_share (&simulator->random);
  return simulator;
}

void
simulator_free (Simulator * simulator)
{
  g_ptr_array_unref (simulator->history);
  g_free (simulator->kept);
  g_free (simulator->alpha);
  picture_free (simulator->other);
  picture_free (simulator->picture);
  g_free (simulator);
}

/* Rows of digits of 3x5 blocks, three bits each. */
static const gchar *const digits[10] = {
  "75557", "26227", "71747", "71717", "55711", "74717", "74757", "71111",
  "75757", "75717",
};

static void
draw_digit (guint8 * luma, guint stride, guint digit, guint size)
{
  guint x, y;

  for (y = 0; y < 5 * size; y++) {
    for (x = 0; x < 3 * size; x++) {
      const guint bits = digits[digit][y / size] - '0';

      luma[y * stride + x] = bits >> (2 - x / size) & 1 ? 235 : 16;
    }
  }
}

/* Minutes and seconds at the top left. */
static void
draw_clock (Simulator * simulator)
{
  const guint seconds = simulator->midnight + simulator->time;
  const guint size = MAX (simulator->height / 90, 1);
  const guint all[] = { seconds / 600 % 6, seconds / 60 % 10,
    seconds / 10 % 6, seconds % 10
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (all); i++)
    draw_digit (simulator->frame + 3 * size * simulator->width
        + (3 + 4 * i + i / 2) * size, simulator->width, all[i], size);
}

static void
reset_faults (Simulator * simulator)
{
  Sensor *sensor = simulator->sensor;
  guint c;

  simulator->world->view = simulator->world->home;
  simulator->world->lamps_fail = FALSE;
  sensor->exposure_fault = sensor->noise_fault = 1;
  sensor->exposure_works = TRUE;
  for (c = 0; c < N_COLORS; c++)
    sensor->balance_fault[c] = 1;
}

void
simulator_take (Simulator * simulator, gdouble time, gdouble amount,
    guint8 * frame)
{
  const Fault *fault = simulator->fault;
  const Stage stage = fault && amount > 0 ? fault->stage : STAGE_NONE;

  simulator->passed = time - simulator->time;
  simulator->time = time;
  simulator->begun = stage == STAGE_NONE ? 0 :
      simulator->begun + simulator->passed;
  simulator->frame = frame;
  reset_faults (simulator);
  if (fault && fault->on_tour)
    fault_tour (simulator, 1);
  if (stage == STAGE_VIEW)
    fault->apply (simulator, amount);
  world_render (simulator->world, simulator->midnight + time,
      simulator->picture);
  if (stage == STAGE_SCENE)
    fault->apply (simulator, amount);
  if (stage == STAGE_SENSOR)
    fault->apply (simulator, amount);
  sensor_expose (simulator->sensor, simulator->picture, simulator->passed,
      world_get_brightness (simulator->world));
  simulator->world->infrared = simulator->sensor->infrared;
  sensor_develop (simulator->sensor, simulator->picture);
  if (stage == STAGE_PLANES)
    fault->apply (simulator, amount);
  sensor_write (simulator->sensor, frame);
  if (simulator->clock)
    draw_clock (simulator);
  if (stage == STAGE_FRAME)
    fault->apply (simulator, amount);
  else
    g_clear_pointer (&simulator->kept, g_free);
  if (fault && fault->stage == STAGE_FRAME && stage == STAGE_NONE) {
    if (simulator->history->len >= 10 * simulator->fps + 1)
      g_ptr_array_remove_index (simulator->history, 0);
    g_ptr_array_add (simulator->history, g_memdup2 (frame, simulator->size));
  }
}
