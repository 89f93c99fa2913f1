/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Everything at once: a stream changes its caps, flushes and seeks at any time,
 * and an application changes states and properties and asks for results, each
 * in a thread. No output frame is wrong, no histogram belongs to another frame,
 * and afterwards everything is as at the start.
 *
 * TEST_STORM_STEPS: steps of all threads together, for each element;
 * TEST_STORM_SECONDS: how long GstHarness stresses each; TEST_SEED. */
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

#include "common/element.h"
#include "common/env.h"
#include "common/figures.h"
#include "common/scenario.h"
#include "common/suite.h"

#define DEFAULT_STEPS 10000
#define STEPS_OF_LONG_TIER 1000000
#define DEFAULT_SECONDS 1
#define SECONDS_OF_LONG_TIER 60
#define N_CALM_FRAMES 3
#define MAX_WAIT (TEST_MAX_WAIT * G_TIME_SPAN_SECOND)

#define RAW(format, width, height) "video/x-raw,format=" format ",width=" \
    #width ",height=" #height ",framerate=25/1"

static const struct
{
  const gchar *caps;
  gsize size;
} streams[] = {
  {RAW ("GRAY8", 64, 48), 64 * 48},
  {RAW ("I420", 32, 16), 32 * 16 * 3 / 2},
  {RAW ("RGBA", 8, 8), 8 * 8 * 4},
};

typedef struct _Storm Storm;

/* An element under test. */
typedef struct
{
  const gchar *name;
  void (*init) (Storm * s);
  void (*look) (Storm * s);
  void (*calm) (GObject * element);     /* makes it count each frame */
  const gchar *counter;         /* counter of frames */
  const gchar *property, *value;        /* set by GstHarness */
} Kind;

struct _Storm
{
  TestElement t;
  const Kind *kind;
  guint64 seed;
  gint left;                    /* atomic: remaining steps */
  const gchar *wrong;           /* atomic: the first problem */
  GstClockTime last;            /* time of the last output */
  gint n_frames, n_states, n_flushes;   /* atomic */
};

static void
report (Storm * s, const gchar * wrong)
{
  g_atomic_pointer_compare_and_exchange (&s->wrong, NULL, wrong);
}

static gboolean
take_step (Storm * s)
{
  return g_atomic_int_add (&s->left, -1) > 0;
}

/* Each thread has its own random numbers. */
static TestRandom
make_random (Storm * s, guint thread)
{
  return test_random_new (s->seed * 16 + thread);
}

/* Elements */

/* Histograms of flat frames have a single value. */
static void
on_histogram (G_GNUC_UNUSED GstElement * element,
    GstVideoHistogram * histogram, gpointer data)
{
  guint n, b, values = 0;
  const guint32 *counts = gst_video_histogram_get_counts (histogram,
      GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, &n);
  const guint64 pixels = gst_video_histogram_get_pixels (histogram);

  for (b = 0; counts && b < n; b++) {
    values += counts[b] > 0;
    if (counts[b] > 0 && counts[b] != pixels)
      report (data, "a histogram is of several frames");
  }
  if (counts && values != 1)
    report (data, "a histogram is of nothing");
}

static void
init_histogram (Storm * s)
{
  test_element_init (&s->t, NULL, "interval", "0", NULL);
  g_signal_connect (s->t.element, "histogram", G_CALLBACK (on_histogram), s);
}

static void
look_at_histogram (Storm * s)
{
  GstVideoHistogram *histogram;

  g_object_get (s->t.element, "last-histogram", &histogram, NULL);
  gst_clear_video_histogram (&histogram);
}

static void
calm_histogram (GObject * element)
{
  g_object_set (element, "roi", "", NULL);
}

static void
init_equalize (Storm * s)
{
  test_element_init_equalize (&s->t, NULL, NULL, NULL);
}

static void
look_at_equalize (Storm * s)
{
  test_element_get_count (&s->t, "counted");
}

static void
calm_equalize (GObject * element)
{
  gst_util_set_object_arg (element, "method", "equalize");
  g_object_set (element, "strength", 1.0, NULL);
}

static void
on_change (G_GNUC_UNUSED GstElement * element,
    const GstVideoHealthChange * change, gpointer data)
{
  if (!gst_video_health_condition_get_name (change->condition)
      || change->since > change->time)
    report (data, "a change makes no sense");
}

static void
init_health (Storm * s)
{
  test_element_init_health (&s->t, NULL, NULL, NULL);
  g_signal_connect (s->t.element, "change", G_CALLBACK (on_change), s);
}

static void
look_at_health (Storm * s)
{
  GstStructure *values;

  g_object_get (s->t.element, "values", &values, NULL);
  gst_clear_structure (&values);
  g_signal_emit_by_name (s->t.element, "forget");
}

static void
calm_health (GObject * element)
{
  gst_util_set_object_arg (element, "conditions", "all");
  g_object_set (element, "ignore", "", NULL);
}

static void
init_scope (Storm * s)
{
  test_element_init_scope (&s->t, NULL, NULL, NULL);
}

static void
look_at_scope (Storm * s)
{
  test_element_get_count (&s->t, "undrawn");
}

static void
calm_scope (GObject * element)
{
  gst_util_set_object_arg (element, "scopes", "waveform");
}

enum
{
  HISTOGRAM,
  EQUALIZE,
  HEALTH,
  SCOPE,
  N_KINDS
};

static const Kind kinds[N_KINDS] = {
  [HISTOGRAM] = {"videohistogram", init_histogram, look_at_histogram,
      calm_histogram, "processed", "grid", "2x2"},
  [EQUALIZE] = {"videoequalize", init_equalize, look_at_equalize,
      calm_equalize, "counted", "strength", "0.5"},
  [HEALTH] = {"videohealth", init_health, look_at_health, calm_health,
      "processed", "rules", "black,duration=0"},
  [SCOPE] = {"videoscope", init_scope, look_at_scope, calm_scope, "drawn",
      "scopes", "waveform"},
};

/* The stream. All frames are flat. */

static void
begin_stream (Storm * s, guint stream)
{
  GstSegment segment;
  GstCaps *caps = gst_caps_from_string (streams[stream].caps);

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (s->t.h, gst_event_new_stream_start ("storm"));
  gst_harness_push_event (s->t.h, gst_event_new_caps (caps));
  gst_harness_push_event (s->t.h, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

static GstFlowReturn
push_frame (Storm * s, guint stream, guint n)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, streams[stream].size,
      NULL);

  gst_buffer_memset (buffer, 0, n, streams[stream].size);
  GST_BUFFER_PTS (buffer) = n * GST_MSECOND;
  g_atomic_int_inc (&s->n_frames);
  return gst_harness_push (s->t.h, buffer);
}

static gpointer
run_stream (gpointer data)
{
  Storm *s = data;
  TestRandom random = make_random (s, 0);
  guint stream = 0, n;

  begin_stream (s, stream);
  for (n = 0; take_step (s); n++) {
    const GstFlowReturn flow = push_frame (s, stream, n);

    /* An event that arrives during a state change is refused, which GStreamer
     * turns into an error, with any element. */
    if (flow > GST_FLOW_OK || flow < GST_FLOW_ERROR)
      report (s, gst_flow_get_name (flow));
    if (test_random_once_in (&random, 30)) {
      gst_harness_push_event (s->t.h, gst_event_new_eos ());
    } else if (test_random_once_in (&random, 30)) {
      gst_harness_push_event (s->t.h, gst_event_new_gap (n, 1));
    } else if (flow != GST_FLOW_OK || test_random_once_in (&random, 20)) {
      stream = test_random_below (&random, G_N_ELEMENTS (streams));
      begin_stream (s, stream);
    }
  }
  return NULL;
}

/* Calls from other threads, at any time. */

static gpointer
run_control (gpointer data)
{
  Storm *s = data;
  TestRandom random = make_random (s, 1);
  GstHarness *h = s->t.h;

  while (take_step (s)) {
    if (test_random_once_in (&random, 6)) {
      gst_harness_push_event (h, gst_event_new_flush_start ());
      gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
      g_atomic_int_inc (&s->n_flushes);
    } else if (test_random_once_in (&random, 5)) {
      test_scenario_send (h, test_scenario_event (TEST_EVENT_OOB, 0, 0));
    } else {
      test_scenario_send (h, test_scenario_upstream (&random));
    }
    g_usleep (test_random_below (&random, 200));
  }
  return NULL;
}

static gpointer
run_states (gpointer data)
{
  Storm *s = data;
  TestRandom random = make_random (s, 2);

  while (take_step (s)) {
    gst_element_set_state (s->t.element, test_random_once_in (&random, 3) ?
        GST_STATE_NULL + test_random_below (&random, 4) : GST_STATE_PLAYING);
    g_atomic_int_inc (&s->n_states);
    g_usleep (test_random_below (&random, 200));
  }
  return NULL;
}

/* Checks that @buffer is what was sent with its time. */
static void
check_frame (Storm * s, GstBuffer * buffer)
{
  const GstClockTime time = GST_BUFFER_PTS (buffer);
  GstMapInfo map;

  if (GST_CLOCK_TIME_IS_VALID (time)) {
    if (GST_CLOCK_TIME_IS_VALID (s->last) && time <= s->last)
      report (s, "a frame left twice, or after the next one");
    s->last = time;
  }
  if (!gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    report (s, "a frame does not map");
    return;
  }
  if (s->kind != &kinds[SCOPE]
      && memcmp (map.data, map.data + 1, map.size - 1) != 0)
    report (s, "a frame has changed");
  if (s->kind != &kinds[EQUALIZE] && s->kind != &kinds[SCOPE]
      && GST_CLOCK_TIME_IS_VALID (time)
      && map.data[0] != (guint8) (time / GST_MSECOND))
    report (s, "a frame is another");
  gst_buffer_unmap (buffer, &map);
}

/* Takes the output so far. */
static void
drain (Storm * s)
{
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (s->t.h))) {
    check_frame (s, buffer);
    gst_buffer_unref (buffer);
  }
  test_element_forget_output (&s->t);
}

static gpointer
run_application (gpointer data)
{
  Storm *s = data;
  TestRandom random = make_random (s, 3);

  while (take_step (s)) {
    test_scenario_set (s->t.element, NULL, &random);
    s->kind->look (s);
    drain (s);
    g_usleep (test_random_below (&random, 200));
  }
  return NULL;
}

/* Checks that the element works like a new one. */
static void
check_calm (Storm * s)
{
  const gint64 end = g_get_monotonic_time () + MAX_WAIT;
  guint n;

  gst_element_set_state (s->t.element, GST_STATE_NULL);
  drain (s);
  s->last = GST_CLOCK_TIME_NONE;
  s->kind->calm (G_OBJECT (s->t.element));
  gst_element_set_state (s->t.element, GST_STATE_PLAYING);
  gst_harness_push_event (s->t.h, gst_event_new_flush_start ());
  gst_harness_push_event (s->t.h, gst_event_new_flush_stop (TRUE));
  begin_stream (s, 0);
  for (n = 0; n < N_CALM_FRAMES; n++)
    fail_unless_equals_int (push_frame (s, 0, n), GST_FLOW_OK);
  while (test_element_get_count (&s->t, s->kind->counter) < N_CALM_FRAMES)
    fail_unless (g_get_monotonic_time () < end, "frames are not counted");
  drain (s);
}

static void
init_storm (Storm * s, const Kind * kind)
{
  *s = (Storm) {
    .kind = kind,
    .seed = test_env_number ("TEST_SEED", g_random_int ()),
    .last = GST_CLOCK_TIME_NONE,
  };
  kind->init (s);
}

static void
clear_storm (Storm * s)
{
  check_calm (s);
  fail_if (s->wrong, "TEST_SEED=%" G_GUINT64_FORMAT ": %s", s->seed, s->wrong);
  test_element_clear (&s->t);
}

GST_START_TEST (test_storm)
{
  static const GThreadFunc threads[] = {
    run_stream, run_control, run_states, run_application
  };
  const gint n_steps = test_env_tier ("TEST_STORM_STEPS", DEFAULT_STEPS,
      STEPS_OF_LONG_TIER);
  GThread *thread[G_N_ELEMENTS (threads)];
  gchar *figure;
  Storm s;
  guint i;

  init_storm (&s, &kinds[__i__]);
  s.left = n_steps;
  for (i = 0; i < G_N_ELEMENTS (threads); i++)
    thread[i] = g_thread_new ("storm", threads[i], &s);
  for (i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (thread[i]);
  clear_storm (&s);
  figure = g_strdup_printf ("steps of a storm, %s", s.kind->name);
  test_figure (figure, "%d, with %d frames, %d flushes "
      "and %d state changes", n_steps, s.n_frames, s.n_flushes, s.n_states);
  g_free (figure);
}

GST_END_TEST;

/* For GstHarness, which stresses the element with these events. */

static GstEvent *
make_event (G_GNUC_UNUSED GstHarness * h, G_GNUC_UNUSED gpointer data)
{
  return test_scenario_event (g_random_int_range (0, 2) ? TEST_EVENT_GAP :
      TEST_EVENT_TAG, 0, 1);
}

static GstHarnessThread *
stress_property (Storm * s)
{
  GValue value = G_VALUE_INIT;
  GstHarnessThread *thread;

  g_value_init (&value, g_object_class_find_property (G_OBJECT_GET_CLASS
          (s->t.element), s->kind->property)->value_type);
  fail_unless (gst_value_deserialize (&value, s->kind->value));
  thread = gst_harness_stress_property_start (s->t.h, s->kind->property,
      &value);
  g_value_unset (&value);
  return thread;
}

GST_START_TEST (test_stress)
{
  const gint64 seconds = test_env_tier ("TEST_STORM_SECONDS", DEFAULT_SECONDS,
      SECONDS_OF_LONG_TIER);
  const gint64 end = g_get_monotonic_time () + seconds * G_TIME_SPAN_SECOND;
  GstHarnessThread *threads[8];
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, streams[0].size, NULL);
  GstCaps *caps = gst_caps_from_string (streams[0].caps);
  GstEvent *event = gst_event_new_reconfigure ();
  guint n = 0, buffers;
  GstSegment segment;
  gchar *figure;
  Storm s;

  gst_buffer_memset (buffer, 0, 7, streams[0].size);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  init_storm (&s, &kinds[__i__]);
  threads[n++] = gst_harness_stress_push_buffer_start (s.t.h, caps, &segment,
      buffer);
  threads[n++] = gst_harness_stress_push_event_with_cb_start (s.t.h, make_event,
      NULL, NULL);
  threads[n++] = gst_harness_stress_send_upstream_event_start (s.t.h, event);
  threads[n++] = gst_harness_stress_statechange_start (s.t.h);
  threads[n++] = stress_property (&s);
  while (g_get_monotonic_time () < end) {
    drain (&s);
    g_usleep (1000);
  }
  while (n-- > 1)
    gst_harness_stress_thread_stop (threads[n]);
  buffers = gst_harness_stress_thread_stop (threads[0]);
  clear_storm (&s);
  figure = g_strdup_printf ("buffers under stress, %s", s.kind->name);
  test_figure (figure, "%u in %" G_GINT64_FORMAT " s",
      buffers, seconds);
  g_free (figure);
  gst_event_unref (event);
  gst_buffer_unref (buffer);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* The threads that push and that change states are not synchronized, so input
 * between state changes is incomplete. */
static void
ignore_misordering (const gchar * domain, G_GNUC_UNUSED GLogLevelFlags level,
    const gchar * message, G_GNUC_UNUSED gpointer data)
{
  if (!strstr (message, "Got data flow before")
      && !strstr (message, "Sticky event misordering"))
    g_error ("%s: %s", domain, message);
}

static void
setup (void)
{
  g_log_set_handler ("GStreamer", G_LOG_LEVEL_WARNING, ignore_misordering,
      NULL);
}

TEST_SUITE (storms, setup, NULL)
{
  tcase_add_loop_test (tc, test_storm, 0, N_KINDS);
  tcase_add_loop_test (tc, test_stress, 0, N_KINDS);
}
