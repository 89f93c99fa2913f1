/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "world.h"
#include "actors.h"

#include <math.h>
#include <string.h>

#define HOUR 3600.0

/* Mean level of a well exposed picture, in linear light. */
#define MEAN_LEVEL 0.18

static const gfloat lamp_color[N_COLORS] = { 1.15, 0.95, 0.62 };

static const Place places[] = {
  {.name = "street",.people_by_day = 240,.people_by_night = 25,
        .vehicles = 120,.trucks = 1,.n_lamps = 3,.lamp_power = 0.012,
        .lamp_hours = LAMPS_AT_NIGHT,.wind = 0.3,.clouds = 0.7,.rain = 0.12,
      .snow = 0.05},
  {.name = "parking",.people_by_day = 40,.people_by_night = 3,.vehicles = 30,
        .trucks = 0.3,.n_lamps = 1,.lamp_power = 0.008,
        .lamp_hours = LAMPS_AT_NIGHT,.infrared = TRUE,.wind = 0.2,
      .clouds = 0.8,.rain = 0.12,.snow = 0.06},
  {.name = "office",.indoors = TRUE,.people_by_day = 90,.people_by_night = 1,
        .n_lamps = 3,.lamp_power = 0.12,.lamp_hours = LAMPS_AT_WORK,
      .infrared = TRUE},
  {.name = "corridor",.indoors = TRUE,.people_by_day = 12,
        .people_by_night = 1,.n_lamps = 2,.lamp_power = 0.1,
      .lamp_hours = LAMPS_ALWAYS},
  {.name = "wood",.people_by_day = 5,.people_by_night = 0.2,
        .lamp_hours = LAMPS_NEVER,.infrared = TRUE,.wind = 1,.clouds = 1,
      .rain = 0.15,.snow = 0.04},
  {.name = "quay",.people_by_day = 120,.people_by_night = 15,.vehicles = 15,
        .trucks = 0.3,.n_lamps = 2,.lamp_power = 0.006,
        .lamp_hours = LAMPS_AT_NIGHT,.infrared = TRUE,.wind = 0.5,
      .clouds = 0.9,.rain = 0.1,.snow = 0.05},
};

const Place *
place_find (const gchar * name)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (places); i++) {
    if (g_str_equal (places[i].name, name))
      return &places[i];
  }
  return NULL;
}

static void
place_lamps (World * world)
{
  guint i;

  for (i = 0; i < world->place->n_lamps; i++) {
    world->lamps[i] = (Lamp) {
      .x = random_between (&world->random, 0.1, 0.9),
      .y = random_between (&world->random, 0.3, 0.8),
      .size = random_between (&world->random, 0.25, 0.5),
    };
  }
}

static void
prepare_clouds (World * world)
{
  const guint w = world->base->width, h = world->base->height;

  world->cloud_width = 4 * w;
  world->clouds = g_new (gfloat, world->cloud_width * h);
  world->cloud_columns = g_new (guint, w);
  plane_fill_noise (world->clouds, world->cloud_width, h, w / 6.0,
      test_random (&world->random));
}

/* Leaves sway in some parts of the picture, with different phases. */
static void
prepare_sway (World * world)
{
  const guint w = world->base->width, h = world->base->height, n = w * h;
  gfloat *const strength = g_new (gfloat, n), *const phase = g_new (gfloat, n);
  guint i;

  world->sway_sine = g_new (gfloat, n);
  world->sway_cosine = g_new (gfloat, n);
  world->swayed = g_new (gfloat, n);
  plane_fill_noise (strength, w, h, w / 12.0, test_random (&world->random));
  plane_fill_noise (phase, w, h, w / 20.0, test_random (&world->random));
  for (i = 0; i < n; i++) {
    const gdouble pixels = 1.6 * w / 320 * world->place->wind
        * ramp (0.5, 0.8, strength[i]);

    world->sway_sine[i] = pixels * sin (12 * phase[i]);
    world->sway_cosine[i] = pixels * cos (12 * phase[i]);
  }
  g_free (phase);
  g_free (strength);
}

/* The camera's own light falls off to the sides. */
static void
prepare_infrared (World * world)
{
  const guint w = world->base->width, h = world->base->height;
  guint x, y;

  world->infrared_light = g_new (gfloat, w * h);
  for (y = 0; y < h; y++) {
    for (x = 0; x < w; x++) {
      const gdouble dx = 2.0 * x / w - 1, dy = (2.0 * y / h - 1) * h / w;

      world->infrared_light[y * w + x] = 0.006 / (1 + 2 * (dx * dx + dy * dy));
    }
  }
}

static gdouble
mean_level (const Picture * picture)
{
  const guint n = picture->width * picture->height;
  gdouble sum = 0;
  guint i;

  for (i = 0; i < n; i++)
    sum += CLAMP (picture->colors[GREEN][i], 0, 1);
  return sum / n;
}

/* Scales the scene so that full daylight needs no gain. */
static void
normalize (World * world)
{
  const guint n = world->base->width * world->base->height;
  guint i, c, pass;

  world->scale = 1;
  for (pass = 0; pass < 12; pass++) {
    const gdouble factor = MEAN_LEVEL / MAX (mean_level (world->base), 1e-4);

    world->scale *= factor;
    for (c = 0; c < N_COLORS; c++) {
      for (i = 0; i < n; i++)
        world->base->colors[c][i] *= factor;
    }
  }
}

/* Limits the sun to 40, as glare inside a lens does. */
static void
look (World * world)
{
  const guint n = world->base->width * world->base->height;
  guint i, c;

  scene_project (world->scene, &world->view, world->base);
  for (c = 0; c < N_COLORS; c++) {
    for (i = 0; i < n; i++)
      world->base->colors[c][i] =
          CLAMP (world->base->colors[c][i] * world->scale, 0, 40);
  }
  world->seen = world->view;
}

World *
world_new (const Scene * scene, const People * people, const Place * place,
    const View * home, guint width, guint height, guint64 seed)
{
  World *world = g_new0 (World, 1);
  guint i;

  world->scene = scene;
  world->people = people;
  world->place = place;
  world->random = test_random_new (seed);
  world->home = world->view = *home;
  world->base = picture_new (width, height);
  world->lamp_light = g_new0 (gfloat, width * height);
  world->sun_is = -1;
  for (i = 0; i < G_N_ELEMENTS (world->weather_phase); i++)
    world->weather_phase[i] = random_share (&world->random);
  place_lamps (world);
  prepare_clouds (world);
  prepare_sway (world);
  prepare_infrared (world);
  world->scale = 1;
  look (world);
  normalize (world);
  return world;
}

void
world_free (World * world)
{
  g_free (world->swayed);
  g_free (world->sway_cosine);
  g_free (world->sway_sine);
  g_free (world->cloud_columns);
  g_free (world->clouds);
  g_free (world->infrared_light);
  g_free (world->lamp_light);
  picture_free (world->base);
  g_free (world);
}

/* Light of the sky: full daylight from about an hour after sunrise on, a 50th
 * of it at sunrise, and moonlight after twilight. */
static gdouble
light_of_sky (gdouble time)
{
  const gdouble height = sin ((time / HOUR - 6) / 12 * G_PI);
  const gdouble decades = height > 0.3 ? 0 : height > 0 ?
      -1.7 * (1 - height / 0.3) : -1.7 + 22 * height;

  return pow (10, MAX (decades, -5.5));
}

/* Rises from 0 to 1 and falls again, a few times a day: @share of the time. */
static gdouble
spell (const World * world, guint which, gdouble share)
{
  const gdouble turn = world->time / (7 * HOUR) + world->weather_phase[which];
  const gdouble at = turn - floor (turn);

  if (share <= 0 || at > share)
    return 0;
  return ramp (0, 0.1, at / share) * ramp (1, 0.9, at / share);
}

static void
set_weather (World * world)
{
  const gdouble slow = sin (world->time / 1700 + 9 * world->weather_phase[2]);
  const gdouble fast = sin (world->time / 310 + 9 * world->weather_phase[3]);

  world->rain = spell (world, 0, world->place->rain);
  world->snow = spell (world, 1, world->place->snow);
  world->overcast = world->place->clouds
      * CLAMP (0.5 + 0.5 * slow + 0.2 * fast, 0, 1);
  world->overcast = MAX (world->overcast, MAX (world->rain, world->snow));
  world->sun = world->sun_is >= 0 ? world->sun_is : light_of_sky (world->time);
  world->sun *= 1 - 0.6 * world->overcast;
  if (world->place->indoors)
    world->sun *= 0.3;
}

static gboolean
is_on (const World * world, guint lamp)
{
  const gdouble hours = world->time / HOUR;
  const gdouble hour = hours - 24 * floor (hours / 24);

  if (world->lamps_fail)
    return FALSE;
  switch (world->place->lamp_hours) {
    case LAMPS_NEVER:
      return FALSE;
    case LAMPS_AT_NIGHT:
      return world->sun < 0.01 * (1 + lamp);
    case LAMPS_AT_WORK:
      /* Somebody also works for ten minutes now and then. */
      return (hour > 7.5 + 0.2 * lamp && hour < 19 - 0.1 * lamp)
          || (lamp == 0 && (gint) hour % 3 == 1 && hour - floor (hour) > 0.84);
    case LAMPS_ALWAYS:
      break;
  }
  return TRUE;
}

static void
light_lamps (World * world)
{
  const guint w = world->base->width, h = world->base->height;
  guint on = 0, i, x, y;

  for (i = 0; i < world->place->n_lamps; i++)
    on |= is_on (world, i) << i;
  if (on == world->lamps_on)
    return;
  world->lamps_on = on;
  memset (world->lamp_light, 0, w * h * sizeof (gfloat));
  for (i = 0; i < world->place->n_lamps; i++) {
    const Lamp *lamp = &world->lamps[i];

    if (!(on >> i & 1))
      continue;
    for (y = 0; y < h; y++) {
      const gdouble dy = ((gdouble) y / h - lamp->y) / lamp->size;

      for (x = 0; x < w; x++) {
        const gdouble dx = ((gdouble) x / w - lamp->x) / lamp->size;

        world->lamp_light[y * w + x] += world->place->lamp_power
            * (0.15 + exp (-dx * dx - dy * dy));
      }
    }
  }
}

/* Clouds cross the picture in a minute. */
static void
move_clouds (World * world)
{
  const guint last = world->cloud_width - 1;
  const guint w = world->base->width;
  const guint offset = world->time * w / 60.0;
  guint x;

  for (x = 0; x < w; x++) {
    const guint at = (x + offset) % (2 * last);

    world->cloud_columns[x] = at > last ? 2 * last - at : at;
  }
}

static const gfloat *
sway (World * world, const gfloat * from)
{
  const gint w = world->base->width, h = world->base->height;
  const gdouble gust = 0.4 + 0.6 * sin (world->time / 7)
      * sin (world->time / 23);
  const gfloat sine = gust * sin (world->time * 5.1);
  const gfloat cosine = gust * cos (world->time * 5.1);
  gint x, y;

  for (y = 0; y < h; y++) {
    const gfloat *const a = world->sway_sine + y * w;
    const gfloat *const b = world->sway_cosine + y * w;
    const gfloat *const row = from + y * w;
    gfloat *const to = world->swayed + y * w;

    for (x = 0; x < w; x++) {
      const gfloat at = CLAMP (x + a[x] * sine + b[x] * cosine, 0, w - 1.001f);
      const gint left = at;

      to[x] = row[left] + (row[left + 1] - row[left]) * (at - left);
    }
  }
  return world->swayed;
}

static void
light_up (World * world, Picture * to)
{
  const guint w = to->width, h = to->height;
  const gfloat sun = world->sun;
  const gfloat infrared = world->infrared ? 1 : 0;
  const gfloat depth = world->place->indoors ? 0.1 * world->place->clouds :
      0.6 * world->place->clouds * (1 - world->overcast);
  guint c, x, y;

  move_clouds (world);
  for (c = 0; c < N_COLORS; c++) {
    const gfloat *from = world->base->colors[c];
    const gfloat tint = lamp_color[c];

    if (world->place->wind > 0)
      from = sway (world, from);
    for (y = 0; y < h; y++) {
      const gfloat *const cloud = world->clouds + y * world->cloud_width;
      const gfloat *const lamp = world->lamp_light + y * w;
      const gfloat *const own = world->infrared_light + y * w;
      const gfloat *const in = from + y * w;
      gfloat *const out = to->colors[c] + y * w;

      for (x = 0; x < w; x++) {
        const gfloat sky = sun * (1 - depth * cloud[world->cloud_columns[x]]);
        const gfloat albedo = MIN (in[x], 1.2f);

        out[x] = in[x] * sky + albedo * (lamp[x] * tint + own[x] * infrared);
      }
    }
  }
}

static void
add_streak (Picture * to, guint x, guint y, guint length, gfloat light)
{
  guint k, c;

  for (k = 0; k < length && y + k < to->height; k++) {
    for (c = 0; c < N_COLORS; c++)
      to->colors[c][(y + k) * to->width + x] += light;
  }
}

static void
add_weather (World * world, Picture * to)
{
  const guint n = to->width * to->height;
  const gfloat light = world_get_brightness (world);
  TestRandom random = test_random_new (world->time * 1000);
  guint i;

  for (i = 0; i < world->rain * n / 150; i++)
    add_streak (to, test_random_below (&random, to->width),
        test_random_below (&random, to->height), to->height / 20, 0.1f * light);
  for (i = 0; i < world->snow * n / 250; i++)
    add_streak (to, test_random_below (&random, to->width),
        test_random_below (&random, to->height), 1 + i % 3, 0.5f * light);
}

gdouble
world_get_brightness (const World * world)
{
  return world->sun + world->place->lamp_power * __builtin_popcount
      (world->lamps_on) / 2;
}

void
world_render (World * world, gdouble time, Picture * to)
{
  world->time = time;
  if (memcmp (&world->view, &world->seen, sizeof (View)) != 0)
    look (world);
  set_weather (world);
  light_lamps (world);
  light_up (world, to);
  actors_move (world);
  actors_draw (world, to);
  add_weather (world, to);
}
