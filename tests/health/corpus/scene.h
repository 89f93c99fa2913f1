/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Photographs and panoramas of real places, and people cut out of real footage.
 * tests/health/corpus/scenes writes the files. */
#pragma once

#include "picture.h"

G_BEGIN_DECLS

/* Where the camera looks, in degrees. */
typedef struct
{
  gdouble yaw, pitch, roll, fov;
} View;

typedef struct
{
  gboolean panorama;            /* equirectangular; otherwise flat */
  Picture *picture;
} Scene;

/* On failure prints a message and returns NULL. */
Scene *scene_load (const gchar * path);
void scene_free (Scene * scene);
void scene_project (const Scene * scene, const View * view, Picture * picture);

/* A person who walks, seen from the side. Pixels are red, green, blue and
 * opacity of 8 bits. */
typedef struct
{
  guint width, height, n_frames;
  const guint8 *pixels;
  gboolean leftward;
} Walk;

typedef struct
{
  guint n_walks;
  Walk *walks;
  gchar *data;
} People;

People *people_load (const gchar * path);
void people_free (People * people);

G_END_DECLS
