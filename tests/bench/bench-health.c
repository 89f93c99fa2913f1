/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures the cost of judging a frame, per condition, next to counting its
 * luma. Prints medians over frames; each is counted, waited for and judged
 * before the next. With a GPU the figures are wall time; on the CPU they are
 * the thread's CPU time, so that other work on the machine matters less.
 *
 * "submit" is the time for submitting the frame. "judge" is the time for
 * fetching results and judging, measured with other frames, after waiting until
 * the GPU must be done. "wait" is the rest: the host waits for the GPU.
 *
 *   bench-health [cpu|cuda [WIDTHxHEIGHT [FORMAT [CONDITIONS]]]]
 *
 * Frames for a GPU are in CUDA memory. CONDITIONS, such as frozen+black, judges
 * only these, in a few frames: for a profiler. */
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FRAMES 8
#define TURN_FRAMES 16
#define TURNS 15
#define SAMPLES (TURNS * TURN_FRAMES)
#define DONE_AFTER 1000.0       /* us */
#define PROFILED_FRAMES 20
#define LUMA 0                  /* the case that only counts luma */
#define MAX_CASES (GST_VIDEO_HEALTH_N_CONDITIONS + 2)

typedef struct
{
  gchar *name;
  GstVideoHealthConditions conditions;
  GstVideoHistogramEngine *counting;
  GstVideoHealth *health;
  GstVideoHealthEngine *engine;
  guint n;                      /* samples, in us: */
  gdouble all[SAMPLES], submit[SAMPLES], judge[SAMPLES];
} Case;

static gboolean cuda;
static GstCaps *caps;
static GstBuffer *frames[FRAMES];
static Case cases[MAX_CASES];
static guint n_cases;
static GstClockTime now;

static void
check (gboolean ok, GError * error)
{
  if (!ok) {
    g_printerr ("bench-health: %s\n", error ? error->message : "failed");
    exit (1);
  }
}

/* A gradient with moving noise: every pixel of the next frame differs. */
static GstBuffer *
make_frame (const GstVideoInfo * info, guint number)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, info->size, NULL);
  guint32 noise = number;
  GstMapInfo map;
  gsize i;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (i = 0; i < map.size; i++) {
    noise = noise * 1664525 + 1013904223;
    map.data[i] = 60 + (i / 8 + 40 * number) % info->width * 100 /
        info->width + (noise >> 28);
  }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

static void
make_frames (const gchar * size, const gchar * format)
{
  guint width = 1920, height = 1080, i;
  GstHarness *upload = NULL;
  GstVideoInfo info;

  if (size)
    sscanf (size, "%ux%u", &width, &height);
  caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, format,
      "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, "framerate",
      GST_TYPE_FRACTION, 30, 1, NULL);
  check (gst_video_info_from_caps (&info, caps), NULL);
  if (cuda) {
    upload = gst_harness_new ("cudaupload");
    gst_harness_set_src_caps (upload, gst_caps_copy (caps));
    gst_harness_set_sink_caps_str (upload, "video/x-raw(memory:CUDAMemory)");
    gst_caps_set_features_simple (caps,
        gst_caps_features_new ("memory:CUDAMemory", NULL));
  }
  for (i = 0; i < FRAMES; i++) {
    frames[i] = make_frame (&info, i);
    if (upload)
      frames[i] = gst_harness_push_and_pull (upload, frames[i]);
  }
}

static void
add_case (const gchar * name, GstVideoHealthConditions conditions)
{
  const GstVideoHistogramBackend backend = cuda ?
      GST_VIDEO_HISTOGRAM_BACKEND_CUDA : GST_VIDEO_HISTOGRAM_BACKEND_CPU;
  Case *self = &cases[n_cases++];
  GstVideoHistogramSpec spec;
  GError *error = NULL;

  self->name = g_strdup (name);
  self->conditions = conditions;
  self->counting = gst_video_histogram_engine_new ();
  check (gst_video_histogram_engine_open (self->counting, backend, -1, NULL,
          &error), error);
  if (conditions == LUMA) {
    gst_video_histogram_spec_init (&spec);
    check (gst_video_histogram_engine_configure (self->counting, caps, &spec,
            &error), error);
    return;
  }
  self->health = gst_video_health_new ();
  gst_video_health_set_conditions (self->health, conditions);
  self->engine = gst_video_health_engine_new (self->health, self->counting);
  check (gst_video_health_engine_configure (self->engine, caps, &error), error);
}

static gdouble
get_us (void)
{
  struct timespec time;

  clock_gettime (cuda ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

/* Submits a frame, and finishes it at once or after @delay. Returns the times
 * of both. */
static void
take_frame (Case * self, GstBuffer * frame, gdouble delay, gdouble * submit,
    gdouble * finish)
{
  GstVideoHistogram *histogram = NULL;
  GError *error = NULL;
  gdouble begin = get_us ();

  now += 33 * GST_MSECOND;
  if (self->engine) {
    check (gst_video_health_engine_submit (self->engine, frame, now,
            GST_CLOCK_TIME_NONE, &error), error);
  } else {
    histogram = gst_video_histogram_engine_submit (self->counting, frame, NULL,
        FALSE, &error);
    check (histogram != NULL, error);
  }
  *submit = get_us () - begin;
  while (cuda && get_us () - begin < delay);
  begin = get_us ();
  check (histogram ? gst_video_histogram_wait (histogram, GST_CLOCK_TIME_NONE) :
      gst_video_health_engine_finish (self->engine, GST_CLOCK_TIME_NONE), NULL);
  *finish = get_us () - begin;
  gst_clear_video_histogram (&histogram);
}

static void
take_turn (Case * self)
{
  gdouble finish, unused;
  guint i;

  take_frame (self, frames[0], 0, &unused, &unused);
  for (i = 1; i <= TURN_FRAMES; i++, self->n++) {
    take_frame (self, frames[i % FRAMES], 0, &self->submit[self->n], &finish);
    self->all[self->n] = self->submit[self->n] + finish;
  }
  for (i = 1; i <= TURN_FRAMES; i++) {
    take_frame (self, frames[i % FRAMES], DONE_AFTER, &unused,
        &self->judge[self->n - i]);
  }
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

static gdouble
median (gdouble samples[SAMPLES])
{
  qsort (samples, SAMPLES, sizeof (*samples), compare);
  return samples[SAMPLES / 2];
}

static void
print_case (Case * self, gdouble luma)
{
  const gdouble all = median (self->all), submit = median (self->submit);
  const gdouble judge = median (self->judge);

  g_print ("%-14s %9.1f %6.2f %8.1f %8.1f %8.1f\n", self->name, all,
      all / luma, submit, MAX (all - submit - judge, 0), judge);
}

static GstVideoHealthConditions
read_conditions (const gchar * text)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_VIDEO_HEALTH_CONDITIONS);
  check (gst_value_deserialize (&value, text), NULL);
  return g_value_get_flags (&value);
}

int
main (int argc, char **argv)
{
  gdouble luma, unused;
  guint turn, i;

  gst_init (NULL, NULL);
  cuda = argc > 1 && g_str_equal (argv[1], "cuda");
  make_frames (argc > 2 ? argv[2] : NULL, argc > 3 ? argv[3] : "NV12");
  if (argc > 4) {
    add_case (argv[4], g_str_equal (argv[4], "luma") ? LUMA :
        read_conditions (argv[4]));
    for (i = 0; i < PROFILED_FRAMES; i++)
      take_frame (&cases[0], frames[i % FRAMES], 0, &unused, &unused);
    return 0;
  }

  add_case ("luma alone", LUMA);
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    if (i != GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS)
      add_case (gst_video_health_condition_get_name (i), 1u << i);
  }
  add_case ("all", GST_VIDEO_HEALTH_CONDITIONS_ALL);
  for (turn = 0; turn < TURNS; turn++) {
    for (i = 0; i < n_cases; i++)
      take_turn (&cases[i]);
  }
  luma = median (cases[0].all);
  g_print ("%-14s %9s %6s %8s %8s %8s\n", "judged", "us", "luma", "submit",
      "wait", "judge");
  for (i = 0; i < n_cases; i++)
    print_case (&cases[i], luma);
  return 0;
}
