/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every property of a videoscope, and the caps, change at random while it plays
 * and while it is paused, next to one that does not change: no frame is lost,
 * has the wrong caps or is left undrawn, there are no warnings, and no object
 * is alive afterwards. TEST_SCOPE_SECONDS: duration; TEST_SEED;
 * TEST_MEMORY=cuda: with frames in CUDA memory. */
#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

#include "common/element.h"
#include "common/env.h"
#include "common/figures.h"
#include "common/footprint.h"
#include "common/log.h"
#include "common/random.h"
#include "common/suite.h"

#define DEFAULT_SECONDS 3
#define SECONDS_OF_LONG_TIER 600
#define MAX_WAIT (TEST_MAX_WAIT * GST_SECOND)

/* Less than a leak of a few frames. */
#define MAX_GROWTH TEST_SANITIZED (G_MAXSIZE / 2, 24 << 20)

static gboolean
is_cuda (void)
{
  return g_strcmp0 (g_getenv ("TEST_MEMORY"), "cuda") == 0;
}

/* *INDENT-OFF* */
static const struct
{
  const gchar *name;
  const gchar *values[6];
} changes[] = {
  {"scopes", {"none", "histogram", "waveform+vectorscope", "parade+zebra",
          "false-color+vectorscope",
          "histogram+waveform+parade+vectorscope+false-color+zebra"}},
  {"layout", {"overlay", "beside", "only"}},
  {"position", {"top-left", "top", "left", "right", "bottom", "bottom-right"}},
  {"size", {"0.05", "0.3", "0.5", "1"}},
  {"opacity", {"0", "0.5", "1"}},
  {"components", {"luma", "rgb", "yuv"}},
  {"mode", {"overlay", "stack", "parade"}},
  {"intensity", {"auto", "gain", "power"}},
  {"gain", {"0", "1", "1000000"}},
  {"exponent", {"0.05", "0.4", "1"}},
  {"persistence", {"0", "100000000", "3600000000000"}},
  {"envelope", {"none", "instant", "peak", "instant+peak"}},
  {"graticule", {"none", "green", "amber", "white"}},
  {"scale", {"code", "percent", "ire", "mv", "nits"}},
  {"limits", {"none", "range", "r103", "range+r103"}},
  {"targets", {"none", "75", "100", "75+100"}},
  {"skin-line", {"0", "123", "360"}},
  {"lines", {"", "16,235", "-5,50.5,1e9"}},
  {"false-color", {"arri", "obs", "cinezone", "table"}},
  {"false-color-table", {"", "0 0.1 #0000ff; 0.9 1.1 #ff0000",
          "-0.2 1.2 grey"}},
  {"zebra-low", {"-0.2", "0.7", "1.2"}},
  {"zebra-high", {"-0.2", "0.8", "1.2"}},
};
/* *INDENT-ON* */

/* All are also supported in CUDA memory, except the last ones, which cudaupload
 * does not support. */
static const gchar *const formats[] = {
  "I420", "NV12", "P010_10LE", "Y444", "RGBA", "UYVY", "GBR", "RGB", "GRAY8",
  "Y444_10LE", "ARGB64", "GRAY16_BE", "YVYU",
};

#define N_FORMATS_IN_CUDA 8

static const gint sizes[][2] = {
  {161, 90}, {320, 240}, {64, 48}, {2, 2}, {1, 1}, {33, 7}, {640, 16},
};

/* A pipeline with a videoscope. */
typedef struct
{
  GstElement *pipeline, *filter, *element;
  GstBus *bus;
  gint n_in, n_out;             /* atomic */
  guint n_passed;               /* of these, frames not to be drawn on */
  GstClockTime time;            /* time of the last frame */
  const gchar *wrong;           /* atomic: the first problem */
  gchar *drawn;                 /* checksum of a frame, if all are equal */
} Scene;

static void
report (Scene * self, const gchar * wrong)
{
  g_atomic_pointer_compare_and_exchange (&self->wrong, NULL, wrong);
}

static GstPadProbeReturn
on_frame_in (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Scene *self = data;

  if (g_atomic_int_get (&self->n_in) != g_atomic_int_get (&self->n_out))
    report (self, "a frame was lost");
  self->time = GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info));
  g_atomic_int_inc (&self->n_in);
  return GST_PAD_PROBE_OK;
}

/* In system memory a frame is exactly as large as its caps say; CUDA memory may
 * have padding. */
static gboolean
fits_caps (GstPad * pad, GstBuffer * buffer)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  const gsize size = gst_buffer_get_size (buffer);
  GstVideoInfo info;
  gboolean fits;

  fits = caps && gst_video_info_from_caps (&info, caps)
      && (is_cuda ()? size >= info.size / 2 : size == info.size);
  gst_clear_caps (&caps);
  return fits;
}

static GstPadProbeReturn
on_frame_out (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Scene *self = data;

  if (GST_BUFFER_PTS (buffer) != self->time)
    report (self, "a frame left at another time");
  if (!fits_caps (pad, buffer))
    report (self, "a frame left that is not one of its caps");
  self->n_passed += gst_base_transform_is_passthrough (GST_BASE_TRANSFORM
      (self->element));
  g_atomic_int_inc (&self->n_out);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_same_frame (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info,
    gpointer data)
{
  Scene *self = data;
  GstMapInfo map;
  gchar *drawn;

  if (!gst_buffer_map (GST_PAD_PROBE_INFO_BUFFER (info), &map, GST_MAP_READ)) {
    report (self, "a frame does not map");
    return GST_PAD_PROBE_OK;
  }
  drawn = g_compute_checksum_for_data (G_CHECKSUM_MD5, map.data, map.size);
  gst_buffer_unmap (GST_PAD_PROBE_INFO_BUFFER (info), &map);
  if (!self->drawn)
    self->drawn = g_strdup (drawn);
  if (!g_str_equal (drawn, self->drawn))
    report (self, "another stream disturbs this one");
  g_free (drawn);
  return GST_PAD_PROBE_OK;
}

/* A pipeline from @source to @sink. */
static void
scene_init (Scene * self, const gchar * source, const gchar * caps,
    const gchar * settings, const gchar * sink)
{
  gchar *launch = g_strdup_printf ("videotestsrc %s ! capsfilter name=filter "
      "caps-change-mode=delayed caps=%s ! %s videoscope name=scope %s ! %s "
      "fakesink name=sink %s enable-last-sample=false", source, caps,
      is_cuda ()? "cudaupload !" : "", settings,
      is_cuda ()? "cudadownload ! video/x-raw !" : "", sink);

  *self = (Scene) {
    .pipeline = gst_parse_launch (launch, NULL),
    .time = GST_CLOCK_TIME_NONE,
  };
  fail_unless (self->pipeline != NULL, "%s", launch);
  self->filter = gst_bin_get_by_name (GST_BIN (self->pipeline), "filter");
  self->element = gst_bin_get_by_name (GST_BIN (self->pipeline), "scope");
  self->bus = gst_element_get_bus (self->pipeline);
  test_pipeline_tap (self->pipeline, "scope", "sink", on_frame_in, self);
  test_pipeline_tap (self->pipeline, "scope", "src", on_frame_out, self);
  g_free (launch);
}

static void
scene_set_state (Scene * self, GstState state)
{
  gst_element_set_state (self->pipeline, state);
  fail_unless_equals_int (gst_element_get_state (self->pipeline, NULL, NULL,
          MAX_WAIT), GST_STATE_CHANGE_SUCCESS);
}

/* Checks that there are no problems so far, and waits for the end if @ends. */
static void
scene_check (Scene * self, gboolean ends)
{
  GstMessage *message = gst_bus_timed_pop_filtered (self->bus, ends ?
      MAX_WAIT : 0, (ends ? GST_MESSAGE_EOS : 0) | GST_MESSAGE_WARNING |
      GST_MESSAGE_ERROR);
  gchar *text = gst_info_strdup_printf ("%" GST_PTR_FORMAT, message);

  fail_unless (message ? GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS : !ends,
      "%s", text);
  fail_if (self->wrong, "%s", self->wrong);
  gst_clear_message (&message);
  g_free (text);
}

static void
scene_finish (Scene * self)
{
  guint64 drawn, undrawn;

  gst_element_send_event (self->pipeline, gst_event_new_eos ());
  scene_check (self, TRUE);
  fail_unless_equals_int (self->n_in, self->n_out);
  g_object_get (self->element, "drawn", &drawn, "undrawn", &undrawn, NULL);
  fail_unless_equals_uint64 (undrawn, 0);
  fail_unless (drawn > 0);
  fail_unless_equals_uint64 (drawn, self->n_out - self->n_passed);
}

static void
scene_clear (Scene * self)
{
  scene_set_state (self, GST_STATE_NULL);
  gst_object_unref (self->filter);
  gst_object_unref (self->element);
  gst_object_unref (self->bus);
  gst_object_unref (self->pipeline);
  g_free (self->drawn);
}

static void
change_caps (Scene * self, TestRandom * random)
{
  const guint n = is_cuda ()? N_FORMATS_IN_CUDA : G_N_ELEMENTS (formats);
  const gint *size = sizes[test_random_below (random, G_N_ELEMENTS (sizes))];
  GstCaps *caps = test_caps (formats[test_random_below (random, n)], size[0],
      size[1]);

  g_object_set (self->filter, "caps", caps, NULL);
  gst_caps_unref (caps);
}

static void
change_property (Scene * self, TestRandom * random)
{
  const guint i = test_random_below (random, G_N_ELEMENTS (changes));
  guint n = 0;

  while (n < G_N_ELEMENTS (changes[i].values) && changes[i].values[n])
    n++;
  gst_util_set_object_arg (G_OBJECT (self->element), changes[i].name,
      changes[i].values[test_random_below (random, n)]);
}

/* Returns how many changes it makes. */
static guint
change (Scene * self, TestRandom * random)
{
  guint n = 1, i;

  if (test_random_once_in (random, 30)) {
    change_caps (self, random);
  } else if (test_random_once_in (random, 30)) {
    scene_set_state (self, GST_STATE_PAUSED);
    n = test_random_below (random, 5);
    for (i = 0; i < n; i++)
      change_property (self, random);
    scene_set_state (self, GST_STATE_PLAYING);
  } else {
    change_property (self, random);
  }
  return n;
}

/* Live objects */

static GstObject *
make_tracer (void)
{
  GstPluginFeature *feature = gst_registry_find_feature (gst_registry_get (),
      "leaks", GST_TYPE_TRACER_FACTORY);
  GstPluginFeature *loaded = gst_plugin_feature_load (feature);
  GstObject *tracer = g_object_new (gst_tracer_factory_get_tracer_type
      (GST_TRACER_FACTORY (loaded)), NULL);

  gst_object_unref (feature);
  gst_object_unref (loaded);
  return tracer;
}

/* Threads of sources may still be exiting, and the tracer must not inspect what
 * they are freeing. */
static void
wait_for_threads (guint n)
{
  const gint64 end = g_get_monotonic_time () + 2 * G_TIME_SPAN_SECOND;

  while (test_footprint ().n_threads > n && g_get_monotonic_time () < end)
    g_usleep (G_TIME_SPAN_MILLISECOND);
}

static void
check_nothing_is_alive (GstObject * tracer)
{
  GstStructure *alive = NULL;
  gchar *text;

  g_signal_emit_by_name (tracer, "get-live-objects", &alive);
  fail_unless (alive != NULL);
  text = gst_structure_to_string (alive);
  fail_unless (gst_value_list_get_size (gst_structure_get_value (alive,
              "live-objects-list")) == 0, "%s", text);
  g_free (text);
  gst_structure_free (alive);
}

/* The test */

static void
run (guint64 seconds, guint64 seed)
{
  TestRandom random = test_random_new (seed);
  const gint64 start = g_get_monotonic_time ();
  const gint64 end = start + seconds * G_TIME_SPAN_SECOND;
  /* Not on the stack, which a failed test leaves while they still play. */
  static Scene changing, steady;
  TestFootprint before = { 0, }, after;
  guint n = 0;

  /* Other patterns with changing frames write beyond the smallest frames. */
  scene_init (&changing, "pattern=snow", "video/x-raw,format=NV12,width=161,"
      "height=90,framerate=25/1", "", "sync=false");
  scene_init (&steady, "pattern=gradient", "video/x-raw,format=NV12,width=160,"
      "height=90,framerate=25/1", "persistence=100000000 envelope=peak",
      "sync=true");
  test_pipeline_tap (steady.pipeline, "sink", "sink", on_same_frame, &steady);
  scene_set_state (&steady, GST_STATE_PLAYING);
  scene_set_state (&changing, GST_STATE_PLAYING);
  while (g_get_monotonic_time () < end) {
    n += change (&changing, &random);
    g_usleep (test_random_below (&random, 8000));
    scene_check (&changing, FALSE);
    scene_check (&steady, FALSE);
    /* After every size has been used. */
    if (!before.resident && g_get_monotonic_time () > (start + end) / 2)
      before = test_footprint ();
  }
  after = test_footprint ();
  scene_finish (&changing);
  scene_finish (&steady);
  if (seconds > 60)
    fail_unless (after.resident < before.resident + MAX_GROWTH, "%"
        G_GSIZE_FORMAT " KiB more", (after.resident - before.resident) / 1024);
  test_figure ("changes of a videoscope, and frames meanwhile",
      "%u from seed %" G_GUINT64_FORMAT ", %d and %d beside it", n, seed,
      changing.n_out, steady.n_out);
  scene_clear (&changing);
  scene_clear (&steady);
}

GST_START_TEST (test_changes)
{
  const guint64 seconds = test_env_tier ("TEST_SCOPE_SECONDS",
      DEFAULT_SECONDS, SECONDS_OF_LONG_TIER);
  const guint64 seed = test_env_number ("TEST_SEED", g_random_int ());
  GstObject *tracer = make_tracer ();
  guint n_threads;

  test_log_catch ();
  test_footprint_steady ();
  n_threads = test_footprint ().n_threads;
  run (seconds, seed);
  test_log_expect_nothing ();
  wait_for_threads (n_threads);
  check_nothing_is_alive (tracer);
}

GST_END_TEST;

TEST_SUITE (scopechanges, NULL, NULL)
{
  tcase_set_timeout (tc, 0);
  tcase_add_test (tc, test_changes);
}
