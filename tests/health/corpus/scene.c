/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scene.h"

#include <gst/gst.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Assumed field of view of a flat photograph. */
#define PHOTO_DEGREES 110.0

/* Converts a number of 16 bits (IEEE 754) that is not negative. */
static gfloat
from_half (guint16 half)
{
  const guint exponent = half >> 10;
  const gfloat fraction = (half & 0x3ff) / 1024.0f;

  return exponent ? ldexpf (1 + fraction, (gint) exponent - 15) :
      ldexpf (fraction, -14);
}

/* A scene file is a line "scene panorama|photo WIDTH HEIGHT", then red, green
 * and blue planes of numbers of 16 bits. */
Scene *
scene_load (const gchar * path)
{
  Scene *scene = g_new0 (Scene, 1);
  GError *error = NULL;
  gchar kind[16] = "", *data = NULL, *at;
  guint width = 0, height = 0, c;
  gsize length = 0, plane, i;

  if (!g_file_get_contents (path, &data, &length, &error)) {
    g_printerr ("camera: %s\n", error->message);
    g_clear_error (&error);
    g_free (scene);
    return NULL;
  }
  at = memchr (data, '\n', MIN (length, 80));
  if (at)
    sscanf (data, "scene %15s %u %u", kind, &width, &height);
  plane = (gsize) width * height;
  if (!at || !width || !height || length - (at + 1 - data) != 6 * plane) {
    g_printerr ("camera: %s is not a scene: tests/health/corpus/scenes "
        "makes them\n", path);
    g_free (data);
    g_free (scene);
    return NULL;
  }
  scene->panorama = g_str_equal (kind, "panorama");
  scene->picture = picture_new (width, height);
  at++;
  for (c = 0; c < N_COLORS; c++) {
    for (i = 0; i < plane; i++, at += 2)
      scene->picture->colors[c][i] = from_half (GST_READ_UINT16_LE (at));
  }
  g_free (data);
  return scene;
}

void
scene_free (Scene * scene)
{
  picture_free (scene->picture);
  g_free (scene);
}

/* Photographs are mirrored at their edges. */
static gfloat
reflect (gfloat x, gfloat size)
{
  const gfloat period = 2 * (size - 1);

  x = fmodf (x, period);
  if (x < 0)
    x += period;
  return x > size - 1 ? period - x : x;
}

static void
sample (const Picture * from, gfloat u, gfloat v, gboolean wraps, Picture * to,
    guint at)
{
  const gfloat last_u = from->width - 1, last_v = from->height - 1;
  guint x, y, right, c;
  gsize top, bottom;

  u = wraps ? fmodf (u + 2 * from->width, from->width) :
      reflect (u, from->width);
  v = wraps ? CLAMP (v, 0, last_v) : reflect (v, from->height);
  x = MIN ((guint) u, from->width - 1);
  y = MIN ((guint) v, (guint) MAX (last_v - 1, 0));
  right = wraps ? (x + 1) % from->width : MIN (x + 1, (guint) last_u);
  u -= x;
  v -= y;
  top = (gsize) y * from->width;
  bottom = top + from->width;
  for (c = 0; c < N_COLORS; c++) {
    const gfloat *p = from->colors[c];
    const gfloat a = p[top + x] + (p[top + right] - p[top + x]) * u;
    const gfloat b = p[bottom + x] + (p[bottom + right] - p[bottom + x]) * u;

    to->colors[c][at] = a + (b - a) * v;
  }
}

static void
project_panorama (const Picture * from, const View * view, Picture * to)
{
  const gfloat degree = G_PI / 180;
  const gfloat depth = to->width / 2.0f / tanf (view->fov * degree / 2);
  const gfloat cr = cosf (view->roll * degree), sr = sinf (view->roll * degree);
  const gfloat cp = cosf (view->pitch * degree);
  const gfloat sp = sinf (view->pitch * degree);
  guint x, y;

  for (y = 0; y < to->height; y++) {
    for (x = 0; x < to->width; x++) {
      const gfloat dx = x + 0.5f - to->width / 2.0f;
      const gfloat dy = to->height / 2.0f - y - 0.5f;
      const gfloat across = dx * cr - dy * sr, up = dx * sr + dy * cr;
      const gfloat ahead = depth * cp - up * sp, high = depth * sp + up * cp;
      const gfloat longitude = atan2f (across, ahead) + view->yaw * degree;
      const gfloat latitude = atan2f (high, hypotf (across, ahead));

      sample (from, (longitude / (2 * (gfloat) G_PI) + 0.5f) * from->width,
          (0.5f - latitude / (gfloat) G_PI) * from->height - 0.5f, TRUE, to,
          y * to->width + x);
    }
  }
}

static void
project_photo (const Picture * from, const View * view, Picture * to)
{
  const gfloat degree = G_PI / 180;
  const gfloat cr = cosf (view->roll * degree), sr = sinf (view->roll * degree);
  const gfloat per_degree = from->width / PHOTO_DEGREES;
  const gfloat scale = view->fov * per_degree / to->width;
  const gfloat middle_u = from->width / 2.0f + view->yaw * per_degree;
  const gfloat middle_v = from->height / 2.0f - view->pitch * per_degree;
  guint x, y;

  for (y = 0; y < to->height; y++) {
    for (x = 0; x < to->width; x++) {
      const gfloat dx = (x + 0.5f - to->width / 2.0f) * scale;
      const gfloat dy = (y + 0.5f - to->height / 2.0f) * scale;

      sample (from, middle_u + dx * cr + dy * sr, middle_v - dx * sr + dy * cr,
          FALSE, to, y * to->width + x);
    }
  }
}

void
scene_project (const Scene * scene, const View * view, Picture * picture)
{
  if (scene->panorama)
    project_panorama (scene->picture, view, picture);
  else
    project_photo (scene->picture, view, picture);
}

/* A people file is a line "people N", a line "WIDTH HEIGHT FRAMES LEFTWARD" for
 * each walk, and then the pixels of all. */
People *
people_load (const gchar * path)
{
  People *people = g_new0 (People, 1);
  GError *error = NULL;
  gsize length = 0, pixels = 0;
  gchar *at;
  guint i;

  if (!g_file_get_contents (path, &people->data, &length, &error)) {
    g_printerr ("camera: %s\n", error->message);
    g_clear_error (&error);
    g_free (people);
    return NULL;
  }
  sscanf (people->data, "people %u", &people->n_walks);
  people->walks = g_new0 (Walk, people->n_walks);
  at = strchr (people->data, '\n');
  for (i = 0; at && i < people->n_walks; i++) {
    Walk *walk = &people->walks[i];

    if (sscanf (at, "%u %u %u %d", &walk->width, &walk->height,
            &walk->n_frames, &walk->leftward) != 4)
      break;
    pixels += (gsize) walk->width * walk->height * walk->n_frames * 4;
    at = strchr (at + 1, '\n');
  }
  if (!at || i == 0 || i < people->n_walks
      || length - (at + 1 - people->data) != pixels) {
    g_printerr ("camera: %s has no people: tests/health/corpus/scenes "
        "makes them\n", path);
    people_free (people);
    return NULL;
  }
  for (i = 0, at++; i < people->n_walks; i++) {
    Walk *walk = &people->walks[i];

    walk->pixels = (guint8 *) at;
    at += (gsize) walk->width * walk->height * walk->n_frames * 4;
  }
  return people;
}

void
people_free (People * people)
{
  g_free (people->walks);
  g_free (people->data);
  g_free (people);
}
