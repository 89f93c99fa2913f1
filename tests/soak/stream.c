/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stream.h"

#include <gst/check/gstcheck.h>

#include "common/figures.h"
#include "common/scenario.h"

/* Maximum bytes of the results of two streams, including joint histograms. */
#define MAX_RESULT_BYTES (8 << 20)

#define FRAME_TIME (GST_SECOND / 30)

/* A change happens before one in this many frames. */
#define CAPS_EVERY 500
#define FLUSH_EVERY 700
#define RECONNECT_EVERY 1500
#define STORM_EVERY 300
#define ELEMENTS_EVERY 20000

/* Combinations of scopes that a videoscope draws. */
#define SCOPE_SETTINGS 4

/* Length of a stream that is measured. */
#define SETTLED_WIDTH 64
#define SETTLED_HEIGHT 36
#define SETTLED_FRAMES 10

static void
forget_events (SoakStream * self)
{
  test_element_forget_events (&self->histogram);
  test_element_forget_events (&self->health);
  test_element_forget_events (&self->equalize);
  test_element_forget_events (&self->scope);
}

/* Sends @event, which it takes, to all elements. */
static void
send_event (SoakStream * self, GstEvent * event)
{
  gst_harness_push_event (self->histogram.h, gst_event_ref (event));
  gst_harness_push_event (self->health.h, gst_event_ref (event));
  gst_harness_push_event (self->equalize.h, gst_event_ref (event));
  gst_harness_push_event (self->scope.h, event);
  forget_events (self);
}

static void
send_caps (SoakStream * self)
{
  GstCaps *caps;

  if (self->fixed_caps)
    caps = gst_caps_ref (self->fixed_caps);
  else if (self->make_caps)
    caps = self->make_caps (self->frame[0].caps);
  else
    caps = gst_caps_ref (self->frame[0].caps);
  gst_harness_set_src_caps (self->histogram.h, gst_caps_ref (caps));
  gst_harness_set_src_caps (self->health.h, gst_caps_ref (caps));
  gst_harness_set_src_caps (self->equalize.h, gst_caps_ref (caps));
  gst_harness_set_src_caps (self->scope.h, caps);
  forget_events (self);
}

static void
send_segment (SoakStream * self)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = self->n_frames * FRAME_TIME;
  send_event (self, gst_event_new_segment (&segment));
  self->discont = TRUE;
}

static void
clear_frames (SoakStream * self)
{
  guint i;

  for (i = 0; i < SOAK_FRAMES; i++) {
    if (self->frame[i].buffer)
      test_frame_clear (&self->frame[i]);
  }
}

static void
make_frames (SoakStream * self, GstVideoFormat format, guint width,
    guint height)
{
  guint i;

  clear_frames (self);
  for (i = 0; i < SOAK_FRAMES; i++) {
    test_frame_init_plain (&self->frame[i], &self->random, format, width,
        height, NULL);
  }
}

static void
make_random_frames (SoakStream * self)
{
  const TestShape shape = test_scenario_shape (&self->random,
      TEST_SCENARIO_N_UPLOADED, 16, 60, 30);

  make_frames (self, shape.format, shape.width, shape.height);
}

static void
set_settings (SoakStream * self, const gchar * interval, const gchar * attach,
    const gchar * conditions, const gchar * method, const gchar * scopes)
{
  GObject *histogram = G_OBJECT (self->histogram.element);
  GObject *health = G_OBJECT (self->health.element);
  GObject *equalize = G_OBJECT (self->equalize.element);
  GObject *scope = G_OBJECT (self->scope.element);

  gst_util_set_object_arg (histogram, "backend", self->backend);
  gst_util_set_object_arg (histogram, "interval", interval);
  gst_util_set_object_arg (histogram, "attach-meta", attach);
  gst_util_set_object_arg (histogram, "grid", "1x1");
  gst_util_set_object_arg (histogram, "channels", "luma");
  gst_util_set_object_arg (health, "backend", self->backend);
  gst_util_set_object_arg (health, "conditions", conditions);
  gst_util_set_object_arg (equalize, "method", method);
  gst_util_set_object_arg (equalize, "tiles", "8x8");
  gst_util_set_object_arg (scope, "scopes", scopes);
  gst_util_set_object_arg (scope, "layout", "overlay");
  g_object_set (scope, "persistence", G_GUINT64_CONSTANT (0), NULL);
}

static void
set_random_settings (SoakStream * self)
{
  static const gchar *const intervals[] = { "0", "100000000", "1000000000" };
  static const gchar *const layouts[] = { "overlay", "beside", "only" };
  TestRandom *random = &self->random;
  guint i;

  set_settings (self, "1000000000", "never", "signal-loss", "none", "none");
  if (self->light > 0 && !test_random_once_in (random, self->light))
    return;
  gst_util_set_object_arg (G_OBJECT (self->histogram.element), "interval",
      intervals[test_random_below (random, 3)]);
  test_scenario_set (self->histogram.element, "attach-meta", random);
  test_scenario_set (self->histogram.element, "channels", random);
  test_scenario_set (self->histogram.element, "grid", random);
  g_object_set (self->health.element, "conditions",
      (guint) test_random (random) & GST_VIDEO_HEALTH_CONDITIONS_ALL, NULL);
  test_scenario_set (self->equalize.element, "method", random);
  test_scenario_set (self->equalize.element, "tiles", random);
  /* After the GPU is lost, memory for frames of another size cannot be
   * allocated. */
  gst_util_set_object_arg (G_OBJECT (self->scope.element), "layout",
      layouts[self->fixed_caps ? 0 : test_random_below (random, 3)]);
  for (i = 0; i < SCOPE_SETTINGS; i++)
    test_scenario_set (self->scope.element, NULL, random);
}

static void
take_messages (SoakStream * self, TestElement * t)
{
  GstMessage *message;
  GError *error;

  while ((message = gst_bus_pop (t->bus))) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      gst_message_parse_error (message, &error, NULL);
      fail ("%s", error->message);
    }
    self->n_warnings += GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING;
    if (gst_message_has_name (message, "videohistogram")) {
      const gchar *backend = gst_structure_get_string
          (gst_message_get_structure (message), "backend");

      if (g_strcmp0 (backend, "cuda") == 0)
        self->n_by_gpu++;
      else
        self->n_by_cpu++;
    }
    gst_message_unref (message);
  }
}

static void
set_state (TestElement * t, GstState state)
{
  fail_unless_equals_int (gst_element_set_state (t->element, state),
      GST_STATE_CHANGE_SUCCESS);
}

static void
start_stream (SoakStream * self)
{
  send_event (self, gst_event_new_stream_start ("stream"));
  send_caps (self);
  send_segment (self);
}

/* The source ends and is replaced. */
static void
begin_reconnect (SoakStream * self)
{
  send_event (self, gst_event_new_eos ());
  set_state (&self->histogram, GST_STATE_READY);
  set_state (&self->health, GST_STATE_READY);
  set_state (&self->equalize, GST_STATE_READY);
  set_state (&self->scope, GST_STATE_READY);
  take_messages (self, &self->histogram);
  take_messages (self, &self->health);
  take_messages (self, &self->equalize);
  take_messages (self, &self->scope);
  if (self->reconnect && !self->hangs)
    self->reconnect ();
}

static void
end_reconnect (SoakStream * self)
{
  set_state (&self->histogram, GST_STATE_PLAYING);
  set_state (&self->health, GST_STATE_PLAYING);
  set_state (&self->equalize, GST_STATE_PLAYING);
  set_state (&self->scope, GST_STATE_PLAYING);
  start_stream (self);
  self->n_reconnects++;
  self->ended = FALSE;
}

static void
init_elements (SoakStream * self)
{
  test_element_init (&self->histogram, NULL, NULL, NULL);
  test_element_init_health (&self->health, NULL, NULL, NULL);
  test_element_init_equalize (&self->equalize, NULL, NULL, NULL);
  test_element_init_scope (&self->scope, NULL, NULL, NULL);
  self->n_elements++;
}

static void
clear_elements (SoakStream * self)
{
  send_event (self, gst_event_new_eos ());
  take_messages (self, &self->histogram);
  take_messages (self, &self->health);
  take_messages (self, &self->equalize);
  take_messages (self, &self->scope);
  test_element_clear (&self->histogram);
  test_element_clear (&self->health);
  test_element_clear (&self->equalize);
  test_element_clear (&self->scope);
}

void
soak_stream_init (SoakStream * self, guint64 seed)
{
  self->random = test_random_new (seed);
  init_elements (self);
  make_random_frames (self);
  begin_reconnect (self);
  set_random_settings (self);
  end_reconnect (self);
}

void
soak_stream_clear (SoakStream * self)
{
  clear_elements (self);
  clear_frames (self);
}

static void
send_qos (TestElement * t, GstClockTime timestamp)
{
  gst_harness_push_upstream_event (t->h, gst_event_new_qos
      (GST_QOS_TYPE_UNDERFLOW, 1000, GST_SECOND, timestamp));
  test_element_forget_events (t);
}

/* Changes that may happen between two frames. */
static void
disturb (SoakStream * self)
{
  TestRandom *random = &self->random;
  const gboolean keeps_source = self->hangs && self->bring;

  if (!keeps_source && test_random_once_in (random, ELEMENTS_EVERY)) {
    clear_elements (self);
    init_elements (self);
    begin_reconnect (self);
    set_random_settings (self);
    end_reconnect (self);
  }
  if (self->ended
      || (!keeps_source && test_random_once_in (random, RECONNECT_EVERY))) {
    begin_reconnect (self);
    set_random_settings (self);
    if (!self->fixed_caps)
      make_random_frames (self);
    end_reconnect (self);
  }
  if (!self->fixed_caps && !keeps_source
      && test_random_once_in (random, CAPS_EVERY)) {
    make_random_frames (self);
    send_caps (self);
    self->n_caps++;
  }
  if (test_random_once_in (random, FLUSH_EVERY)) {
    send_event (self, gst_event_new_flush_start ());
    send_event (self, gst_event_new_flush_stop (TRUE));
    send_segment (self);
    self->n_flushes++;
  }
  if (test_random_once_in (random, STORM_EVERY)) {
    send_qos (&self->histogram, self->n_frames * FRAME_TIME);
    send_qos (&self->health, self->n_frames * FRAME_TIME);
    send_qos (&self->equalize, self->n_frames * FRAME_TIME);
    send_qos (&self->scope, self->n_frames * FRAME_TIME);
    self->n_storms++;
  }
}

static GstBuffer *
make_buffer (SoakStream * self)
{
  const guint i = self->n_frames % SOAK_FRAMES;
  GstBuffer *buffer;

  if (self->fixed_caps)
    buffer = gst_buffer_copy (self->fixed[i]);
  else if (self->bring)
    buffer = gst_buffer_make_writable (self->bring (self->frame[i].buffer,
            self->frame[i].caps));
  else
    buffer = gst_buffer_copy_deep (self->frame[i].buffer);
  GST_BUFFER_PTS (buffer) = self->n_frames * FRAME_TIME;
  GST_BUFFER_DURATION (buffer) = FRAME_TIME;
  if (self->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  self->discont = FALSE;
  return buffer;
}

/* Passes one frame through all elements, and expects one frame out of each. */
static void
pass_frame (SoakStream * self)
{
  GstBuffer *buffer = make_buffer (self);
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0);
  const GstClockTime pts = GST_BUFFER_PTS (buffer);
  const gsize size = gst_buffer_get_size (buffer);

  buffer = test_element_pass (&self->histogram, buffer);
  fail_unless (gst_buffer_peek_memory (buffer, 0) == memory);
  buffer = test_element_pass (&self->health, buffer);
  fail_unless (gst_buffer_peek_memory (buffer, 0) == memory);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), pts);
  buffer = test_element_pass (&self->equalize, buffer);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), pts);
  fail_unless_equals_int (gst_buffer_get_size (buffer), size);
  buffer = test_element_pass (&self->scope, buffer);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), pts);
  gst_buffer_unref (buffer);
  self->n_frames++;
  take_messages (self, &self->histogram);
  take_messages (self, &self->health);
  take_messages (self, &self->equalize);
  take_messages (self, &self->scope);
}

void
soak_stream_push (SoakStream * self)
{
  disturb (self);
  pass_frame (self);
}

void
soak_stream_settle (SoakStream * self)
{
  guint i;

  begin_reconnect (self);
  set_settings (self, "0", "always", "black+frozen+blurry", "equalize",
      "histogram+waveform+vectorscope");
  if (!self->fixed_caps)
    make_frames (self, GST_VIDEO_FORMAT_NV12, SETTLED_WIDTH, SETTLED_HEIGHT);
  end_reconnect (self);
  for (i = 0; i < SETTLED_FRAMES; i++)
    pass_frame (self);
  send_event (self, gst_event_new_eos ());
  self->ended = TRUE;
  take_messages (self, &self->histogram);
  take_messages (self, &self->health);
  take_messages (self, &self->equalize);
  take_messages (self, &self->scope);
}

/* Resources in use */

typedef struct
{
  gdouble n_frames, value[SOAK_N_VALUES];
} Sample;

/* Number of objects since soak_record_init(), atomic; negative if older objects
 * were freed. */
static gint n_objects;

static void
note_created (G_GNUC_UNUSED GObject * tracer, G_GNUC_UNUSED GstClockTime time,
    G_GNUC_UNUSED gpointer object)
{
  g_atomic_int_inc (&n_objects);
}

static void
note_destroyed (G_GNUC_UNUSED GObject * tracer, G_GNUC_UNUSED GstClockTime time,
    G_GNUC_UNUSED gpointer object)
{
  g_atomic_int_add (&n_objects, -1);
}

typedef GstTracer ObjectCounter;
typedef GstTracerClass ObjectCounterClass;

static GType object_counter_get_type (void);
G_DEFINE_TYPE (ObjectCounter, object_counter, GST_TYPE_TRACER)

static void
object_counter_class_init (G_GNUC_UNUSED ObjectCounterClass * klass)
{
}

static void
object_counter_init (ObjectCounter * self)
{
  gst_tracing_register_hook (self, "object-created",
      G_CALLBACK (note_created));
  gst_tracing_register_hook (self, "mini-object-created",
      G_CALLBACK (note_created));
  gst_tracing_register_hook (self, "object-destroyed",
      G_CALLBACK (note_destroyed));
  gst_tracing_register_hook (self, "mini-object-destroyed",
      G_CALLBACK (note_destroyed));
}

void
soak_record_init (SoakRecord * self, gsize noise)
{
  self->noise = noise;
  self->samples = g_array_new (FALSE, FALSE, sizeof (Sample));
  self->counter = g_object_new (object_counter_get_type (), NULL);
}

void
soak_record_clear (SoakRecord * self)
{
  g_array_unref (self->samples);
  /* Tracers live as long as the process. */
  self->counter = NULL;
}

void
soak_record_take (SoakRecord * self, guint64 n_frames, gsize pinned,
    gsize device)
{
  const Sample *first = self->samples->len > 0 ?
      &g_array_index (self->samples, Sample, 0) : NULL;
  TestFootprint footprint = test_footprint ();
  Sample sample;
  guint i;

  /* A thread may still be exiting. */
  for (i = 0; first && i < 200
      && footprint.n_threads > first->value[SOAK_THREADS]; i++) {
    g_usleep (10 * 1000);
    footprint = test_footprint ();
  }
  sample = (Sample) {
    .n_frames = n_frames,
    .value = {footprint.resident, pinned, device, footprint.n_files,
        footprint.n_threads, g_atomic_int_get (&n_objects)},
  };
  g_array_append_val (self->samples, sample);
}

/* The growth of @value per frame: least squares over all samples from @first
 * on. */
static gdouble
find_slope (const SoakRecord * self, guint first, SoakValue value)
{
  const guint n = self->samples->len - first;
  gdouble x = 0, y = 0, xx = 0, xy = 0;
  guint i;

  for (i = first; i < self->samples->len; i++) {
    const Sample *sample = &g_array_index (self->samples, Sample, i);

    x += sample->n_frames / n;
    y += sample->value[value] / n;
  }
  for (i = first; i < self->samples->len; i++) {
    const Sample *sample = &g_array_index (self->samples, Sample, i);

    xx += (sample->n_frames - x) * (sample->n_frames - x);
    xy += (sample->n_frames - x) * (sample->value[value] - y);
  }
  return xy / xx;
}

static gchar *
list_samples (const SoakRecord * self, SoakValue value)
{
  GString *list = g_string_new (NULL);
  guint i;

  for (i = 0; i < self->samples->len; i++) {
    const Sample *sample = &g_array_index (self->samples, Sample, i);

    g_string_append_printf (list, "\n%.0f after %.0f frames",
        sample->value[value], sample->n_frames);
  }
  return g_string_free (list, FALSE);
}

void
soak_record_check (SoakRecord * self, const gchar * figures)
{
  static const gchar *const names[] = {
    "resident memory", "pinned memory", "device memory", "open files",
    "threads", "objects",
  };
  /* The maximum growth of each value in 1000 frames. */
  static const gdouble limits[] = { 1024, 1024, 1024, 0, 0, 0 };
  /* Some values come and go, such as a buffer of a pool or a thread; least
   * squares turn one that exists only in the second half into 1.5. Results keep
   * the size of the largest so far until the GPU has trouble, which may happen
   * at any time in a short run. */
  const gboolean is_short = self->noise > 0;
  const gdouble noise[] = { self->noise, is_short ? MAX_RESULT_BYTES : 0,
    is_short ? MAX_RESULT_BYTES : 64 * 1024, 0.5, 1.5, 2.5
  };
  /* Runs until everything has happened once. */
  const guint first = self->samples->len / 3;
  const gdouble n_frames = g_array_index (self->samples, Sample,
      self->samples->len - 1).n_frames - g_array_index (self->samples, Sample,
      first).n_frames;
  gchar *name;
  guint i;

  for (i = 0; i < SOAK_N_VALUES; i++) {
    const gdouble slope = find_slope (self, first, i);
    const gdouble growth = slope * n_frames;

    if (figures) {
      name = g_strdup_printf ("%s: slope of %s in 1000 frames", figures,
          names[i]);
      test_figure (name, i <= SOAK_DEVICE ? "%.1f bytes" : "%.6f",
          slope * 1000);
      g_free (name);
    }
    fail_unless (growth <= MAX (limits[i] * n_frames / 1000, noise[i]),
        "%s grow by %g in %.0f frames:%s", names[i], growth, n_frames,
        list_samples (self, i));
  }
}
