/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "actors.h"

#include <math.h>

/* Height divided by width of cars and trucks. */
#define CAR_SHAPE 0.5
#define TRUCK_SHAPE 0.75

/* Frames of a walk per s. */
#define WALK_RATE 10

/* With less sun, vehicles have their lamps on. */
#define DARK 0.05

static Actor *
actor_new (World * world, ActorKind kind)
{
  Actor *actor = &world->actors[world->n_actors++];

  *actor = (Actor) {.kind = kind,.start = world->time };
  return actor;
}

/* People farther away are smaller, slower, and higher in the picture. */
static void
come_person (World * world)
{
  TestRandom *random = &world->random;
  Actor *actor = actor_new (world, ACTOR_PERSON);
  const gdouble near = random_share (random);
  const gdouble speed = mix (0.03, 0.14, near)
      * random_between (random, 0.7, 1.3);

  actor->walk = &world->people->walks[test_random_below (random,
          world->people->n_walks)];
  actor->foot = mix (0.5, 1.05, near);
  actor->size = mix (0.16, 0.6, near);
  actor->from = actor->walk->leftward ? 1.2 : -0.2;
  actor->to = actor->walk->leftward ? -0.2 : 1.2;
  actor->stop = random_share (random);
  actor->pause = test_random_once_in (random, 4) ?
      random_between (random, 3, 40) : 0;
  actor->end = actor->start + 1.4 / speed + actor->pause;
}

static void
come_vehicle (World * world, ActorKind kind)
{
  TestRandom *random = &world->random;
  Actor *actor = actor_new (world, kind);
  const gdouble near = random_share (random);
  const gboolean left = test_random_once_in (random, 2);
  guint c;

  actor->foot = kind == ACTOR_TRUCK ? 0.97 : mix (0.6, 0.95, near);
  actor->size = kind == ACTOR_TRUCK ? 0.85 : mix (0.14, 0.35, near);
  actor->from = left ? 1.8 : -0.8;
  actor->to = left ? -0.8 : 1.8;
  actor->stop = 0.5;
  actor->pause = kind == ACTOR_TRUCK ? random_between (random, 2, 12) : 0;
  actor->end = actor->start + random_between (random, 4, 8) + actor->pause;
  for (c = 0; c < N_COLORS; c++)
    actor->paint[c] = random_between (random, 0.03, 0.5);
}

/* Whether an actor arrives in this frame, at a rate of @per_hour. */
static gboolean
comes (World * world, gdouble per_hour, gdouble passed)
{
  return random_share (&world->random) < per_hour * passed / 3600
      && world->n_actors < MAX_ACTORS;
}

void
actors_move (World * world)
{
  static const gdouble max_pace = 10;
  const Place *place = world->place;
  const gboolean day = world->sun > DARK / (place->indoors ? 3 : 1);
  const gdouble people = world->busy ? 180 :
      day ? place->people_by_day : place->people_by_night;
  const gdouble vehicles = day ? place->vehicles : place->vehicles / 10;
  gdouble passed;
  guint i, kept = 0;

  for (i = 0; i < world->n_actors; i++) {
    if (world->actors[i].end > world->time)
      world->actors[kept++] = world->actors[i];
  }
  world->n_actors = kept;
  passed = CLAMP (world->time - world->moved, 0, max_pace);
  world->moved = world->time;
  if (world->people && comes (world, people, passed))
    come_person (world);
  if (comes (world, vehicles, passed))
    come_vehicle (world, ACTOR_CAR);
  if (comes (world, day ? place->trucks : 0, passed))
    come_vehicle (world, ACTOR_TRUCK);
}

/* Position of the actor. Sets @moved to how long it has moved so far. */
static gdouble
position (const World * world, const Actor * actor, gdouble * moved)
{
  const gdouble whole = actor->end - actor->start - actor->pause;
  gdouble t = world->time - actor->start;

  if (t > whole * actor->stop)
    t = MAX (whole * actor->stop, t - actor->pause);
  *moved = t;
  return mix (actor->from, actor->to, CLAMP (t / whole, 0, 1));
}

/* The light that an actor at this position receives. */
static void
light_at (const World * world, gdouble x, gdouble y, gfloat light[N_COLORS])
{
  static const gfloat tint[N_COLORS] = { 1.15, 0.95, 0.62 };
  const guint w = world->base->width, h = world->base->height;
  const guint at = (guint) CLAMP (y * h, 0, h - 1) * w
      + (guint) CLAMP (x * w, 0, w - 1);
  guint c;

  for (c = 0; c < N_COLORS; c++)
    light[c] = 0.8 * world->sun + world->lamp_light[at] * tint[c]
        + (world->infrared ? world->infrared_light[at] : 0);
}

/* Codes of 8 bits to linear light. */
static const gfloat *
linear_table (void)
{
  static gfloat table[256];
  guint i;

  if (table[255] == 0) {
    for (i = 0; i < 256; i++)
      table[i] = pow (i / 255.0, 2.2);
  }
  return table;
}

static void
draw_person (const World * world, const Actor * actor, Picture * to)
{
  const Walk *walk = actor->walk;
  const gfloat *linear = linear_table ();
  const gdouble height = actor->size * to->height;
  const gdouble width = height * walk->width / walk->height;
  gdouble moved, x0, y0;
  gfloat light[N_COLORS];
  const guint8 *frame;
  gint x, y;
  guint c, number;

  x0 = position (world, actor, &moved) * to->width - width / 2;
  y0 = actor->foot * to->height - height;
  light_at (world, x0 / to->width, actor->foot, light);
  number = (guint) (moved * WALK_RATE) % (2 * walk->n_frames - 1);
  if (number >= walk->n_frames)
    number = 2 * walk->n_frames - 2 - number;
  frame = walk->pixels + (gsize) number * walk->width * walk->height * 4;
  for (y = MAX (y0, 0); y < MIN (y0 + height, (gint) to->height); y++) {
    const guint row = MIN ((guint) ((y - y0) / height * walk->height),
        walk->height - 1);

    for (x = MAX (x0, 0); x < MIN (x0 + width, (gint) to->width); x++) {
      const guint column = MIN ((guint) ((x - x0) / width * walk->width),
          walk->width - 1);
      const guint8 *pixel = frame + (row * walk->width + column) * 4;
      const gfloat alpha = pixel[3] / 255.0f;

      for (c = 0; alpha > 0 && c < N_COLORS; c++) {
        gfloat *const out = &to->colors[c][y * to->width + x];

        *out += (linear[pixel[c]] * light[c] - *out) * alpha;
      }
    }
  }
}

/* Level of a vehicle's side at a position: paint, a window or a wheel; -1: none
 * of these. */
static gfloat
shade (const Actor * actor, gdouble u, gdouble v, guint color)
{
  const gdouble wheel = MIN (hypot ((u - 0.2) / 0.5, v - 0.95),
      hypot ((u - 0.8) / 0.5, v - 0.95));

  if (wheel < 0.17)
    return 0.02;
  if (actor->kind == ACTOR_CAR && v < 0.45)
    return u < 0.15 || u > 0.85 ? -1 : v > 0.08 && fabs (u - 0.5) > 0.03 ?
        0.05 + 0.1 * (1 - v) : actor->paint[color];
  if (v > 0.95)
    return -1;
  return actor->paint[color] * (1.1 - 0.3 * v) * (1 + 0.04 * sin (60 * u));
}

static void
add_glow (Picture * to, gdouble x0, gdouble y0, gdouble size, gdouble power)
{
  const gint reach = 3 * size * to->width;
  gint x, y;
  guint c;

  for (y = MAX (y0 - reach, 0); y < MIN (y0 + reach, (gint) to->height); y++) {
    for (x = MAX (x0 - reach, 0); x < MIN (x0 + reach, (gint) to->width); x++) {
      const gdouble d = hypot (x - x0, y - y0) / (size * to->width);
      const gfloat light = power * exp (-2 * d * d);

      for (c = 0; c < N_COLORS; c++)
        to->colors[c][y * to->width + x] += light;
    }
  }
}

static void
draw_vehicle (const World * world, const Actor * actor, Picture * to)
{
  const gdouble height = actor->size * to->height;
  const gdouble width = height / (actor->kind == ACTOR_CAR ? CAR_SHAPE :
      TRUCK_SHAPE);
  gdouble moved, x0, y0, front;
  gfloat light[N_COLORS];
  gint x, y;
  guint c;

  x0 = position (world, actor, &moved) * to->width - width / 2;
  y0 = actor->foot * to->height - height;
  light_at (world, (x0 + width / 2) / to->width, actor->foot, light);
  for (y = MAX (y0, 0); y < MIN (y0 + height, (gint) to->height); y++) {
    for (x = MAX (x0, 0); x < MIN (x0 + width, (gint) to->width); x++) {
      for (c = 0; c < N_COLORS; c++) {
        const gfloat paint = shade (actor, (x - x0) / width,
            (y - y0) / height, c);

        if (paint >= 0)
          to->colors[c][y * to->width + x] = paint * light[c];
      }
    }
  }
  if (world->sun > DARK)
    return;
  front = actor->to > actor->from ? x0 + width : x0;
  add_glow (to, front, y0 + 0.7 * height, 0.012, 1);
  add_glow (to, front, y0 + 0.7 * height, 0.1, 0.006);
}

void
actors_draw (const World * world, Picture * to)
{
  guint i;

  for (i = 0; i < world->n_actors; i++) {
    if (world->actors[i].kind == ACTOR_PERSON)
      draw_person (world, &world->actors[i], to);
    else
      draw_vehicle (world, &world->actors[i], to);
  }
}
