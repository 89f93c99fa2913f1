/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Watches a camera of camera.h and prints what is found, one line each:
 *
 * impaired NAME FROM TO: the fault, in s
 *
 * change TIME CONDITION STATE VALUE: 1 starts, 0 ends
 *
 * values TIME CONDITION=VALUE...: if asked for
 *
 * watched SECONDS FRAMES
 *
 * colors 0: if asked for, and the source has none
 *
 * tests/health/run calls it and makes tables of the output. */
#include "camera.h"

#include <gst/app/gstappsrc.h>
#include <gst/videohistogram/videohistogram.h>
#include <math.h>
#include <string.h>

static gchar *source, *impairment_name, *picture;
static gint seed, width = 256;
static gdouble hours, from_hour;
static gboolean list, colors, values, by_element;

static const GOptionEntry options[] = {
  {"source", 0, 0, G_OPTION_ARG_FILENAME, &source, "Clip or picture", "FILE"},
  {"impairment", 0, 0, G_OPTION_ARG_STRING, &impairment_name,
      "What goes wrong", "NAME"},
  {"hours", 0, 0, G_OPTION_ARG_DOUBLE, &hours,
      "Or so many hours in which nothing does", "N"},
  {"from-hour", 0, 0, G_OPTION_ARG_DOUBLE, &from_hour,
      "Which begin at that hour of the day (0)", "N"},
  {"seed", 0, 0, G_OPTION_ARG_INT, &seed, "Of what is random (0)", "N"},
  {"width", 0, 0, G_OPTION_ARG_INT, &width, "Of the picture (256)", "N"},
  {"picture", 0, 0, G_OPTION_ARG_FILENAME, &picture,
      "Writes the middle frame as I420", "FILE"},
  {"values", 0, 0, G_OPTION_ARG_NONE, &values,
      "Prints what is measured, each second", NULL},
  {"element", 0, 0, G_OPTION_ARG_NONE, &by_element,
      "Has the element videohealth judge, instead of the library", NULL},
  {"colors", 0, 0, G_OPTION_ARG_NONE, &colors,
      "Prints whether the source has colors", NULL},
  {"list", 0, 0, G_OPTION_ARG_NONE, &list, "Lists what may go wrong", NULL},
  {NULL}
};

/* The judge of one camera, with all evidence. */
typedef struct
{
  GstElement *pipeline, *source;        /* with the element, or NULL */
  GstVideoHealth *health;
  GstVideoHistogramEngine *cells, *rows;
  GstBuffer *kept;              /* frozen frame */
  GstVideoInfo info;
  guint frames;
  gdouble time;                 /* time of the last frame, in s */
} Judge;

static GstCaps *
make_caps (const Camera * camera)
{
  return gst_caps_new_simple ("video/x-raw",
      "format", G_TYPE_STRING, gst_video_format_to_string (camera->format),
      "width", G_TYPE_INT, camera->width, "height", G_TYPE_INT, camera->height,
      "framerate", GST_TYPE_FRACTION, camera->fps, 1, NULL);
}

static GstVideoHistogramEngine *
make_engine (const Camera * camera, const GstVideoHistogramSpec * spec)
{
  GstVideoHistogramEngine *engine = gst_video_histogram_engine_new ();
  GstCaps *caps = make_caps (camera);
  GError *error = NULL;

  if (!gst_video_histogram_engine_open (engine,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, NULL, &error)
      || !gst_video_histogram_engine_configure (engine, caps, spec, &error))
    g_error ("%s", error->message);
  gst_caps_unref (caps);
  return engine;
}

static void
start_pipeline (Judge * judge, const Camera * camera)
{
  GstCaps *caps = make_caps (camera);
  GError *error = NULL;

  judge->pipeline = gst_parse_launch ("appsrc name=source format=time "
      "block=true max-buffers=4 ! videohealth backend=cpu overload=wait ! "
      "fakesink", &error);
  if (!judge->pipeline)
    g_error ("%s", error->message);
  judge->source = gst_bin_get_by_name (GST_BIN (judge->pipeline), "source");
  g_object_set (judge->source, "caps", caps, NULL);
  gst_element_set_state (judge->pipeline, GST_STATE_PLAYING);
  gst_caps_unref (caps);
}

static void
judge_init (Judge * judge, const Camera * camera)
{
  GstVideoHistogramSpec cells, rows;

  memset (judge, 0, sizeof (*judge));
  if (by_element) {
    start_pipeline (judge, camera);
    return;
  }

  gst_video_histogram_spec_init (&cells);
  rows = cells;
  cells.channels = GST_VIDEO_HISTOGRAM_CHANNELS_LUMA |
      GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT;
  cells.columns = cells.rows = 8;
  cells.joint = GST_VIDEO_HISTOGRAM_JOINT_CHROMA;
  cells.joint_bins = 128;
  rows.channels = GST_VIDEO_HISTOGRAM_CHANNELS_LUMA;
  rows.rows = 64;
  rows.joint = GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS;
  rows.joint_bins = 128;
  judge->health = gst_video_health_new ();
  judge->cells = make_engine (camera, &cells);
  judge->rows = make_engine (camera, &rows);
  gst_video_info_set_format (&judge->info, camera->format, camera->width,
      camera->height);
}

static void
print_change (gdouble time, const gchar * condition, gboolean active,
    gdouble value)
{
  g_print ("change %.2f %s %d %.4f\n", time, condition, active, value);
}

/* Prints the element's messages; with @to_end up to the end of the stream. */
static void
print_messages (Judge * judge, gboolean to_end)
{
  GstBus *bus = gst_element_get_bus (judge->pipeline);
  gboolean ended = FALSE;
  GstMessage *message;

  while (!ended && (message = gst_bus_timed_pop_filtered (bus,
              to_end ? GST_CLOCK_TIME_NONE : 0, GST_MESSAGE_ELEMENT |
              GST_MESSAGE_EOS | GST_MESSAGE_ERROR))) {
    const GstStructure *s = gst_message_get_structure (message);
    guint64 time;
    gboolean active;
    gdouble value;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      g_error ("%" GST_PTR_FORMAT, s);
    ended = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    if (gst_message_has_name (message, "videohealth")
        && gst_structure_get (s, "running-time", G_TYPE_UINT64, &time,
            "active", G_TYPE_BOOLEAN, &active, "value", G_TYPE_DOUBLE, &value,
            NULL))
      print_change (time / (gdouble) GST_SECOND,
          gst_structure_get_string (s, "condition"), active, value);
    gst_message_unref (message);
  }
  gst_object_unref (bus);
}

static void
end_pipeline (Judge * judge)
{
  gst_app_src_end_of_stream (GST_APP_SRC (judge->source));
  print_messages (judge, TRUE);
  gst_element_set_state (judge->pipeline, GST_STATE_NULL);
  gst_object_unref (judge->source);
  gst_object_unref (judge->pipeline);
}

static void
judge_clear (Judge * judge)
{
  if (judge->pipeline) {
    end_pipeline (judge);
    return;
  }
  gst_clear_buffer (&judge->kept);
  g_object_unref (judge->cells);
  g_object_unref (judge->rows);
  g_object_unref (judge->health);
}

/* The mean absolute difference of all code values of all planes, as a share of
 * the range. The planes fill the buffers, so all bytes are samples. */
static gdouble
difference_of (const Judge * judge, GstBuffer * a, GstBuffer * b)
{
  const guint depth = GST_VIDEO_INFO_COMP_DEPTH (&judge->info, 0);
  GstMapInfo map_a, map_b;
  guint64 sum = 0;
  gsize i, n;

  gst_buffer_map (a, &map_a, GST_MAP_READ);
  gst_buffer_map (b, &map_b, GST_MAP_READ);
  n = depth > 8 ? map_a.size / 2 : map_a.size;
  for (i = 0; i < n; i++) {
    const gint code_a = depth > 8 ? ((guint16 *) map_a.data)[i] : map_a.data[i];
    const gint code_b = depth > 8 ? ((guint16 *) map_b.data)[i] : map_b.data[i];

    sum += ABS (code_a - code_b);
  }
  gst_buffer_unmap (b, &map_b);
  gst_buffer_unmap (a, &map_a);
  return (gdouble) sum / n / (1 << depth);
}

static void
add_counts (Judge * judge, GstVideoHistogramEngine * engine, GstBuffer * frame)
{
  GError *error = NULL;
  GstVideoHistogram *histogram =
      gst_video_histogram_engine_submit (engine, frame, NULL, FALSE, &error);

  if (!histogram)
    g_error ("%s", error->message);
  gst_video_health_add_histogram (judge->health, histogram);
  gst_video_histogram_unref (histogram);
}

static void
print_values (const Judge * judge, gdouble time)
{
  gdouble value;
  guint i;

  g_print ("values %.2f", time);
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    if (gst_video_health_get_value (judge->health, i, &value))
      g_print (" %s=%.4f", gst_video_health_condition_get_name (i), value);
  }
  g_print ("\n");
}

/* Takes @frame. */
static void
push_frame (Judge * judge, GstBuffer * frame, gdouble time, gdouble real_time)
{
  GstCaps *reference = gst_caps_new_empty_simple ("timestamp/x-unix");

  GST_BUFFER_PTS (frame) = time * GST_SECOND;
  gst_buffer_add_reference_timestamp_meta (frame, reference,
      real_time * GST_SECOND, GST_CLOCK_TIME_NONE);
  gst_caps_unref (reference);
  gst_app_src_push_buffer (GST_APP_SRC (judge->source), frame);
  print_messages (judge, FALSE);
}

/* Takes @frame. */
static void
judge_frame (Judge * judge, GstBuffer * frame, gdouble time, gdouble real_time)
{
  GstVideoHealthChange change;

  if (judge->pipeline) {
    judge->frames++;
    push_frame (judge, frame, time, real_time);
    return;
  }
  add_counts (judge, judge->cells, frame);
  add_counts (judge, judge->rows, frame);
  if (judge->kept)
    gst_video_health_add_difference (judge->health,
        difference_of (judge, frame, judge->kept));
  gst_video_health_judge (judge->health, time * GST_SECOND,
      real_time * GST_SECOND);
  judge->frames++;
  if (values && floor (time) > floor (judge->time))
    print_values (judge, time);
  judge->time = time;
  while (gst_video_health_next_change (judge->health, &change)) {
    print_change (time, gst_video_health_condition_get_name (change.condition),
        change.active, change.value);
  }
  if (gst_video_health_wants_frame (judge->health))
    gst_buffer_replace (&judge->kept, frame);
  gst_buffer_unref (frame);
}

static void
write_picture (GstBuffer * frame)
{
  GstMapInfo map;
  GError *error = NULL;

  gst_buffer_map (frame, &map, GST_MAP_READ);
  if (!g_file_set_contents (picture, (gchar *) map.data, map.size, &error))
    g_error ("%s", error->message);
  gst_buffer_unmap (frame, &map);
}

/* Learns for 40 s, goes wrong, and recovers. */
static void
watch_impairment (Camera * camera, Judge * judge, const Impairment * impairment)
{
  TestRandom *random = &camera->random;
  const gdouble from = random_between (random, 45, 55);
  const gdouble to = from + random_between (random, 25, 35);
  const gdouble ramp = random_between (random, 0.1, 1.5);
  const gdouble end = to + 30;
  gdouble p[N_PARAMETERS], amount, time;
  guint i;

  for (i = 0; i < N_PARAMETERS; i++)
    p[i] = random_share (random);
  g_print ("impaired %s %.2f %.2f\n", impairment->name, from, to);
  camera->fps = impairment->fps;
  for (i = 0; i < end * camera->fps; i++) {
    GstBuffer *frame;

    time = (gdouble) i / camera->fps;
    amount = time < to ? CLAMP ((time - from) / ramp, 0, 1) :
        CLAMP (1 - (time - to) / ramp, 0, 1);
    /* At the limit of the gain, exposure stays. */
    camera->auto_exposure = impairment->auto_exposure || amount == 0;
    frame = camera_take (camera, time, impairment, p, amount);
    if (picture && fabs (time - (from + to) / 2) < 0.5 / camera->fps)
      write_picture (frame);
    judge_frame (judge, frame, time, time);
  }
  g_print ("watched %.1f %u\n", end, judge->frames);
}

/* Rises from 0 at @from to 1 at @to. */
static gdouble
ramp_of (gdouble value, gdouble from, gdouble to)
{
  const gdouble share = CLAMP ((value - from) / (to - from), 0, 1);

  return share * share * (3 - 2 * share);
}

/* The weather, drawn again as time goes on. */
typedef struct
{
  gdouble clouds, rain, wanted_clouds, wanted_rain;
  gdouble next;                 /* when clouds and rain change, in s */
  gdouble car, car_speed;       /* when the next car comes, in s; its speed */
  gdouble lamp, lamp_change;    /* the lamp's light; when it is switched, in
                                 * s */
  gdouble people;               /* when other people come, in s */
} Sky;

static void
change_sky (Sky * sky, Camera * camera, gdouble time)
{
  TestRandom *random = &camera->random;

  if (time >= sky->next) {
    sky->next = time + random_between (random, 60, 1800);
    sky->wanted_clouds = random_between (random, 0.5, 1);
    sky->wanted_rain = test_random_once_in (random, 4) ?
        random_between (random, 0.005, 0.04) : 0;
  }
  if (time >= sky->car + 6) {
    sky->car = time + random_between (random, 5, 300);
    sky->car_speed = random_between (random, 0.15, 0.8);
  }
  if (time >= sky->lamp_change) {
    sky->lamp_change = time + random_between (random, 300, 3 * 3600);
    sky->lamp = !sky->lamp;
  }
  if (time >= sky->people) {
    sky->people = time + random_between (random, 30, 900);
    /* They enter from outside. */
    camera->weather.people = test_random_below (random, 4);
  }
}

static void
set_weather (Sky * sky, Camera * camera, gdouble time, gdouble passed)
{
  const gdouble hour = fmod (from_hour + time / 3600, 24);
  const gdouble sun = ramp_of (hour, 6, 8) * (1 - ramp_of (hour, 18, 20));
  const gdouble pace = 1 - exp (-passed / 20);
  const gdouble across = (time - sky->car) * sky->car_speed;

  change_sky (sky, camera, time);
  sky->clouds += pace * (sky->wanted_clouds - sky->clouds);
  sky->rain += pace * (sky->wanted_rain - sky->rain);
  camera->weather.light = sky->clouds * mix (0.12, 1, sun);
  camera->weather.rain = sky->rain;
  camera->weather.lamp = sun < 0.5 ? sky->lamp : 0;
  camera->weather.headlights = sun < 0.7 && across >= 0 && across < 1.1 ?
      across : -1;
}

/* Five frames a second, and 25 for one minute in twenty. */
static void
watch_quiet (Camera * camera, Judge * judge)
{
  Sky sky = {.clouds = 0.8,.wanted_clouds = 0.8,.lamp = 1 };
  gdouble time = 0, last = 0;

  while (time < hours * 3600) {
    camera->fps = fmod (time, 1200) < 60 ? 25 : 5;
    set_weather (&sky, camera, time, time - last);
    judge_frame (judge, camera_take (camera, time, NULL, NULL, 0), time,
        from_hour * 3600 + time);
    last = time;
    time += 1.0 / camera->fps;
  }
  g_print ("watched %.1f %u\n", time, judge->frames);
}

static const Impairment *
find_impairment (const gchar * name)
{
  guint i;

  for (i = 0; i < n_impairments; i++) {
    if (g_str_equal (impairments[i].name, name))
      return &impairments[i];
  }
  g_printerr ("judge: there is no \"%s\": see --list\n", name);
  return NULL;
}

static void
print_names (guint conditions)
{
  const gchar *comma = "";
  guint i;

  if (conditions == 0)
    g_print ("-");
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    if (conditions & 1u << i) {
      g_print ("%s%s", comma, gst_video_health_condition_get_name (i));
      comma = ",";
    }
  }
}

static int
print_list (void)
{
  guint i;

  for (i = 0; i < n_impairments; i++) {
    g_print ("%s ", impairments[i].name);
    print_names (impairments[i].expected);
    g_print (" ");
    print_names (impairments[i].allowed);
    g_print (" %g\n", impairments[i].within);
  }
  return 0;
}

static int
watch (const Impairment * impairment)
{
  static const GstVideoFormat formats[] = {
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420_10LE,
  };
  const guint w = width / 16 * 16, h = width * 9 / 16 / 2 * 2;
  const guint full_w = (guint) (w * FOOTAGE_MARGIN) / 2 * 2;
  const guint full_h = (guint) (h * FOOTAGE_MARGIN) / 2 * 2;
  Footage *footage = footage_load (source, full_w, full_h);
  Camera *camera;
  Judge judge;

  if (!footage)
    return 1;
  if (colors) {
    g_print ("colors %d\n", footage_has_colors (footage));
    footage_free (footage);
    return 0;
  }
  camera = camera_new (footage, picture ? GST_VIDEO_FORMAT_I420 :
      formats[seed % G_N_ELEMENTS (formats)], w, h, seed);
  camera->fps = 25;
  judge_init (&judge, camera);
  if (impairment)
    watch_impairment (camera, &judge, impairment);
  else
    watch_quiet (camera, &judge);
  judge_clear (&judge);
  camera_free (camera);
  footage_free (footage);
  return 0;
}

int
main (int argc, char *argv[])
{
  GOptionContext *context = g_option_context_new (NULL);
  const Impairment *impairment = NULL;
  GError *error = NULL;
  gboolean ok;

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  ok = g_option_context_parse (context, &argc, &argv, &error);
  g_option_context_free (context);
  if (ok && list)
    return print_list ();
  if (!ok || !source || width < 64
      || !(impairment_name || hours > 0 || colors)) {
    g_printerr ("judge: %s\n", ok ? "give --source, a --width of 64 or more, "
        "and --impairment, --hours or --colors" : error->message);
    return 2;
  }
  if (impairment_name && !(impairment = find_impairment (impairment_name)))
    return 2;
  return watch (impairment);
}
