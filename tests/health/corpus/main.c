/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Simulates a camera, its coder and its network. videohealth judges the decoded
 * frames. Prints these lines:
 *
 * fault NAME FROM TO: times in s
 *
 * change TIME CONDITION STATE VALUE: 1 starts, 0 ends
 *
 * values TIME CONDITION=VALUE...: if asked for
 *
 * watched SECONDS FRAMES SIMULATION ALL: the last two are CPU times per frame,
 * in ms, of the simulation alone and of everything
 *
 * tests/health/corpus/run starts it and makes tables of the output. */
#include "stream.h"

#include <gst/videohistogram/videohistogram.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define HOUR 3600.0

/* s after a fault. */
#define AFTER 60

static gchar *scene_path, *people_path, *place_name, *view_text, *fault_name;
static gchar *coder, *health, *raw, *picture;
static gint seed, width = 320, fps = 5;
static gdouble hours, from_hour, joined;
static gboolean list, values, calm, with_clock, key_frames;

static const GOptionEntry options[] = {
  {"scene", 0, 0, G_OPTION_ARG_FILENAME, &scene_path, "What is seen", "FILE"},
  {"people", 0, 0, G_OPTION_ARG_FILENAME, &people_path, "Who passes", "FILE"},
  {"place", 0, 0, G_OPTION_ARG_STRING, &place_name, "What place it is",
      "NAME"},
  {"view", 0, 0, G_OPTION_ARG_STRING, &view_text,
      "Where the camera looks, in degrees", "YAW,PITCH,FOV"},
  {"coder", 0, 0, G_OPTION_ARG_STRING, &coder,
      "Elements from the coder, named coder, to the decoder", "TEXT"},
  {"health", 0, 0, G_OPTION_ARG_STRING, &health,
      "Properties of videohealth", "TEXT"},
  {"fault", 0, 0, G_OPTION_ARG_STRING, &fault_name, "What goes wrong", "NAME"},
  {"hours", 0, 0, G_OPTION_ARG_DOUBLE, &hours,
      "Or so many hours in which nothing does", "N"},
  {"from-hour", 0, 0, G_OPTION_ARG_DOUBLE, &from_hour,
      "Which begin at that hour of the day (0)", "N"},
  {"seed", 0, 0, G_OPTION_ARG_INT, &seed, "Of what is random (0)", "N"},
  {"width", 0, 0, G_OPTION_ARG_INT, &width, "Of the picture, 16:9 (320)", "N"},
  {"fps", 0, 0, G_OPTION_ARG_INT, &fps,
      "Unless the fault needs more (5); negative: a frame in so many s", "N"},
  {"calm", 0, 0, G_OPTION_ARG_NONE, &calm, "Hardly anybody passes", NULL},
  {"clock", 0, 0, G_OPTION_ARG_NONE, &with_clock, "A clock is burnt in", NULL},
  {"joined", 0, 0, G_OPTION_ARG_DOUBLE, &joined,
      "The stream is joined after so many s", "S"},
  {"key-frames", 0, 0, G_OPTION_ARG_NONE, &key_frames,
      "Only key frames are decoded", NULL},
  {"values", 0, 0, G_OPTION_ARG_NONE, &values,
      "Prints what is measured, each second", NULL},
  {"raw", 0, 0, G_OPTION_ARG_FILENAME, &raw,
      "Writes what is judged as I420", "FILE"},
  {"picture", 0, 0, G_OPTION_ARG_FILENAME, &picture,
      "Writes one frame of the fault, before the coder, as I420", "FILE"},
  {"list", 0, 0, G_OPTION_ARG_NONE, &list, "Lists what may go wrong", NULL},
  {NULL}
};

typedef struct
{
  Simulator *simulator;
  Stream *stream;
  gdouble period;               /* time between frames, in s */
  gdouble from, to, ramp, end;  /* of the fault, in s */
  guint frames;
  gdouble rendering;            /* CPU time, in s */
} Watch;

static gdouble
cpu_time (clockid_t clock)
{
  struct timespec time;

  clock_gettime (clock, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static int
print_list (void)
{
  guint i;

  for (i = 0; i < n_faults; i++) {
    const Fault *fault = &faults[i];

    g_print ("%s\t%s\t%s\t%s\t%u\n", fault->name, fault->find, fault->first,
        fault->also, fault->fps);
  }
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    g_print ("condition\t%s\t%s\n", gst_video_health_condition_get_name (i),
        gst_video_health_get_default_conditions () >> i & 1 ? "" : "optional");
  return 0;
}

static gdouble
amount_at (const Watch * watch, gdouble time)
{
  if (!watch->simulator->fault || time < watch->from)
    return 0;
  if (time < watch->to)
    return MIN ((time - watch->from + watch->period) / watch->ramp, 1);
  return 0;
}

static void
write_picture (const guint8 * frame, gsize size)
{
  GError *error = NULL;

  if (!g_file_set_contents (picture, (const gchar *) frame, size, &error))
    g_error ("%s", error->message);
}

static void
watch_camera (Watch * watch)
{
  Simulator *simulator = watch->simulator;
  gboolean written = !picture;
  GstMapInfo map;
  gdouble time;

  for (time = 0; time < watch->end; time = ++watch->frames * watch->period) {
    GstBuffer *frame = gst_buffer_new_allocate (NULL, simulator->size, NULL);
    const gdouble before = cpu_time (CLOCK_THREAD_CPUTIME_ID);

    gst_buffer_map (frame, &map, GST_MAP_WRITE);
    simulator_take (simulator, time, amount_at (watch, time), map.data);
    if (!written && time >= mix (watch->from, watch->to, 0.5)) {
      write_picture (map.data, map.size);
      written = TRUE;
    }
    gst_buffer_unmap (frame, &map);
    watch->rendering += cpu_time (CLOCK_THREAD_CPUTIME_ID) - before;
    stream_push (watch->stream, frame, time);
  }
}

/* Draws the times of the fault, and the light. */
static void
plan (Watch * watch, const Fault * fault, TestRandom * random)
{
  World *world = watch->simulator->world;
  const gdouble learn = fault->learn ? fault->learn : 100;
  const gdouble last = fault->last ? fault->last : 60;
  const gdouble drawn = random_share (random);
  const gboolean night = fault->when == WHEN_NIGHT
      || (fault->when == WHEN_EVER && drawn < 0.35);

  watch->from = learn + random_between (random, 0, fault->learn ? 1 : 20);
  watch->to = watch->from + last;
  watch->end = watch->to + AFTER;
  watch->ramp = fault->ramp ? fault->ramp : random_between (random, 0.1, 1.5);
  world->busy = !calm;
  watch->simulator->midnight = 12 * HOUR + seed % 1000;
  if (fault->when == WHEN_DUSK)
    watch->simulator->midnight = 16.9 * HOUR - watch->from;
  else
    world->sun_is = night ? 1e-5 : random_between (random, 0.4, 1);
  if (fault->when == WHEN_NIGHT)
    watch->simulator->sensor->has_infrared = FALSE;
  if (night && world->place->indoors)
    world->sun_is = world->place->lamp_hours == LAMPS_ALWAYS ? 1e-5 : 0.3;
}

static int
watch (const Scene * scene, const People * people, const Place * place,
    const View * view, const Fault * fault)
{
  const guint w = width / 16 * 16, h = w * 9 / 16 / 2 * 2;
  TestRandom random = test_random_new (seed);
  World *world = world_new (scene, people, place, view, w, h,
      test_random (&random));
  Sensor *sensor = sensor_new (w, h, place->infrared, test_random (&random));
  const guint rate = fault && fault->fps ? fault->fps : MAX (fps, 1);
  Simulator *simulator = simulator_new (world, sensor, rate,
      test_random (&random));
  Watch watch = {.simulator = simulator,.end = hours * HOUR };
  StreamSettings settings = {.coder = coder,.health = health,.width = w,
    .height = h,.fps = rate,.seed = test_random (&random),.fault = fault,
    .key_frames = key_frames,.joined = joined,.values = values,.raw = raw
  };

  watch.period = fps < 0 && rate == 1 ? -fps : 1.0 / rate;
  simulator->fault = fault;
  simulator->clock = with_clock;
  simulator->midnight = from_hour * HOUR;
  if (fault) {
    plan (&watch, fault, &random);
    g_print ("fault %s %.2f %.2f\n", fault->name, watch.from, watch.to);
  }
  settings.from = watch.from;
  settings.to = watch.to;
  settings.midnight = simulator->midnight;
  watch.stream = stream_new (&settings);
  watch_camera (&watch);
  stream_end (watch.stream);
  g_print ("watched %.1f %u %.2f %.2f\n", watch.end, watch.frames,
      1000 * watch.rendering / watch.frames,
      1000 * cpu_time (CLOCK_PROCESS_CPUTIME_ID) / watch.frames);
  simulator_free (simulator);
  sensor_free (sensor);
  world_free (world);
  return 0;
}

static int
load_and_watch (const Fault * fault)
{
  const Place *place = place_find (place_name);
  View view = { 0 };
  Scene *scene;
  People *people;
  int status = 1;

  if (!place || sscanf (view_text, "%lf,%lf,%lf", &view.yaw, &view.pitch,
          &view.fov) != 3) {
    g_printerr ("camera: %s is not a place, or %s not a view\n", place_name,
        view_text);
    return 2;
  }
  scene = scene_load (scene_path);
  people = people_path ? people_load (people_path) : NULL;
  if (scene && (people || !people_path))
    status = watch (scene, people, place, &view, fault);
  g_clear_pointer (&people, people_free);
  g_clear_pointer (&scene, scene_free);
  return status;
}

int
main (int argc, char *argv[])
{
  GOptionContext *context = g_option_context_new (NULL);
  const Fault *fault = NULL;
  GError *error = NULL;
  gboolean ok;

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  ok = g_option_context_parse (context, &argc, &argv, &error);
  g_option_context_free (context);
  if (ok && list)
    return print_list ();
  if (!ok || !scene_path || !place_name || !view_text || !coder || width < 64
      || !(fault_name || hours > 0)) {
    g_printerr ("camera: %s\n", ok ? "give --scene, --place, --view, --coder, "
        "and --fault or --hours" : error->message);
    return 2;
  }
  if (fault_name && !(fault = fault_find (fault_name))) {
    g_printerr ("camera: there is no fault %s\n", fault_name);
    return 2;
  }
  return load_and_watch (fault);
}
