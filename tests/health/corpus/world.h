/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The place that a camera looks at: light by day and by night, lamps, weather,
 * people and vehicles. The seed determines all of it. */
#pragma once

#include "scene.h"

G_BEGIN_DECLS

typedef enum
{
  LAMPS_NEVER,
  LAMPS_AT_NIGHT,
  LAMPS_AT_WORK,                /* from 7:30 to 19:00, and for moments */
  LAMPS_ALWAYS,
} LampHours;

typedef struct
{
  const gchar *name;
  gboolean indoors;
  gdouble people_by_day, people_by_night;       /* per hour */
  gdouble vehicles;             /* per hour by day, a tenth at night */
  gdouble trucks;               /* per hour, stop at the camera */
  guint n_lamps;
  gdouble lamp_power;           /* share of daylight */
  LampHours lamp_hours;
  gboolean infrared;            /* the camera has an infrared lamp */
  gdouble wind, clouds, rain, snow;     /* 0 ... 1; rain, snow: share of time */
} Place;

const Place *place_find (const gchar * name);

#define MAX_LAMPS 4
#define MAX_ACTORS 12

typedef struct
{
  gdouble x, y, size;           /* in the picture, 0 ... 1 */
  gboolean on;
} Lamp;

typedef enum
{
  ACTOR_PERSON,
  ACTOR_CAR,
  ACTOR_TRUCK,
} ActorKind;

typedef struct
{
  ActorKind kind;
  const Walk *walk;
  gdouble start, end;           /* s */
  gdouble from, to;             /* x of the middle, in widths */
  gdouble stop, pause;          /* stops here and so long */
  gdouble foot, size;           /* y of the feet and height, in heights */
  gdouble paint[N_COLORS];
} Actor;

typedef struct
{
  const Scene *scene;
  const People *people;
  const Place *place;
  TestRandom random;            /* of events */
  gdouble time;                 /* s since midnight */
  View home, view;
  View seen;                    /* the view in base */
  Picture *base;                /* in full daylight */
  gdouble scale;                /* of the scene's light, for that */

  gdouble sun;                  /* 0 ... 1 */
  gdouble overcast, rain, snow; /* now */
  gdouble weather_phase[4];
  Lamp lamps[MAX_LAMPS];
  gfloat *lamp_light;           /* of the lamps that are on */
  guint lamps_on;               /* bits, as lamp_light has them */
  gboolean lamps_fail;          /* a fault */
  gboolean infrared;            /* the camera's lamp is on */
  gfloat *infrared_light;
  gboolean busy;                /* people pass about every 20 s */
  gdouble sun_is;               /* replaces the hour's light if >= 0 */

  gfloat *clouds;               /* noise, cloud_width wide */
  guint cloud_width;
  guint *cloud_columns;
  gfloat *sway_sine, *sway_cosine;      /* amplitudes, in pixels */
  gfloat *swayed;
  Actor actors[MAX_ACTORS];
  guint n_actors;
  gdouble moved;                /* time of the last arrivals */
} World;

World *world_new (const Scene * scene, const People * people,
    const Place * place, const View * home, guint width, guint height,
    guint64 seed);
void world_free (World * world);

/* Renders the place at @time, in s since midnight. */
void world_render (World * world, gdouble time, Picture * to);

/* What a light sensor next to the camera measures. */
gdouble world_get_brightness (const World * world);

G_END_DECLS
