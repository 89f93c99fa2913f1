/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element videoscope: on which frames it draws, where, of which size they
 * leave, and which it leaves alone. What it draws is tested with the
 * library. */
#include <gst/check/gstcheck.h>
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

#include "common/element.h"
#include "common/env.h"
#include "common/figures.h"
#include "common/footprint.h"
#include "common/log.h"
#include "common/random.h"
#include "common/suite.h"

#define WIDTH 64
#define HEIGHT 48
#define SIZE (WIDTH * HEIGHT)
#define CAPS TEST_GRAY_CAPS (64, 48)
#define FRAME_TIME (40 * GST_MSECOND)

#define DEFAULT_SECONDS 2
#define SECONDS_OF_LONG_TIER 600

/* What a leak of a few frames would come to. */
#define MAX_GROWTH TEST_SANITIZED (G_MAXSIZE / 2, 24 << 20)

static void
check_counts (TestElement * t, guint64 drawn, guint64 undrawn)
{
  test_element_check_count (t, "drawn", drawn);
  test_element_check_count (t, "undrawn", undrawn);
}

static gboolean
is_flat (GstBuffer * buffer, guint8 value)
{
  gboolean flat = TRUE;
  GstMapInfo map;
  gsize i;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  for (i = 0; i < map.size; i++)
    flat = flat && map.data[i] == value;
  gst_buffer_unmap (buffer, &map);
  return flat;
}

/* Properties */

static const struct
{
  const gchar *name, *type, *value, *other;     /* other: two, or fewer */
} properties[] = {
  {"scopes", "GstVideoScopes", "histogram+waveform+vectorscope",
      "parade+zebra"},
  {"layout", "GstVideoScopeLayout", "overlay", "only"},
  {"position", "GstVideoScopePosition", "bottom", "top-left"},
  {"size", "gdouble", "0.35", "1"},
  {"opacity", "gdouble", "0.7", "0"},
  {"components", "GstVideoScopeComponents", "luma", "yuv"},
  {"mode", "GstVideoScopeMode", "overlay", "stack"},
  {"intensity", "GstVideoScopeIntensity", "auto", "power"},
  {"gain", "gdouble", "1", "1000"},
  {"exponent", "gdouble", "0.4", "1"},
  {"persistence", "gdouble", "0", "0.5"},
  {"envelope", "GstVideoScopeEnvelope", "none", "instant+peak"},
  {"graticule", "GstVideoScopeGraticule", "green", "none"},
  {"scale", "GstVideoScopeScale", "percent", "nits"},
  {"limits", "GstVideoScopeLimits", "range", "range+r103"},
  {"targets", "GstVideoScopeTargets", "75+100", "none"},
  {"skin-line", "gdouble", "123", "0"},
  {"lines", "gchararray", "", "16, 235"},
  {"false-color", "GstVideoScopeFalseColor", "arri", "table"},
  {"false-color-table", "gchararray", "", "0 10 #0000ff; 90 110 #ff0000"},
  {"zebra-low", "gdouble", "95", "70"},
  {"zebra-high", "gdouble", "109", "100"},
  {"cuda-device-id", "gint", "-1", "0"},
  {"drawn", "guint64", "0", NULL},
  {"undrawn", "guint64", "0", NULL},
};

/* The nicks of flags, from the lowest bit. */
static gchar *
join_nicks (const GValue * value)
{
  GFlagsClass *klass = g_type_class_ref (G_VALUE_TYPE (value));
  const guint flags = g_value_get_flags (value);
  GString *nicks = g_string_new (NULL);
  guint i;

  for (i = 0; i < klass->n_values; i++) {
    const GFlagsValue *row = &klass->values[i];

    if (flags ? row->value && (flags & row->value) == row->value : !row->value)
      g_string_append_printf (nicks, "%s%s", nicks->len ? "+" : "",
          row->value_nick);
  }
  g_type_class_unref (klass);
  return g_string_free (nicks, FALSE);
}

static void
check_text (GstElement * element, const gchar * name, const gchar * expected)
{
  GValue value = G_VALUE_INIT;
  gchar *text;

  g_object_get_property (G_OBJECT (element), name, &value);
  text = G_VALUE_HOLDS_STRING (&value) ? g_value_dup_string (&value) :
      G_VALUE_HOLDS_DOUBLE (&value) ?
      g_strdup_printf ("%g", g_value_get_double (&value)) :
      G_VALUE_HOLDS_FLAGS (&value) ? join_nicks (&value) :
      gst_value_serialize (&value);
  fail_unless_equals_string (text, expected);
  g_free (text);
  g_value_unset (&value);
}

/* Those that the documentation lists, and no others. */
GST_START_TEST (test_properties)
{
  GstElement *element = gst_element_factory_make ("videoscope", NULL);
  GParamSpec **all;
  guint n, i, own = 0;

  for (i = 0; i < G_N_ELEMENTS (properties); i++) {
    GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS
        (element), properties[i].name);

    fail_unless (pspec != NULL, "%s is missing", properties[i].name);
    fail_unless_equals_string (g_type_name (pspec->value_type),
        properties[i].type);
    check_text (element, properties[i].name, properties[i].value);
    if (properties[i].other) {
      gst_util_set_object_arg (G_OBJECT (element), properties[i].name,
          properties[i].other);
      check_text (element, properties[i].name, properties[i].other);
    }
  }
  all = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
  for (i = 0; i < n; i++)
    own += all[i]->owner_type != GST_TYPE_OBJECT
        && all[i]->owner_type != GST_TYPE_BASE_TRANSFORM;
  fail_unless_equals_int (own, G_N_ELEMENTS (properties));
  g_free (all);
  gst_object_unref (element);
}

GST_END_TEST;

GST_START_TEST (test_malformed)
{
  static const gchar *const lines[] = { "1,", ",", "x", "1 2", "1;2",
    "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"
  };
  GstElement *element = gst_element_factory_make ("videoscope", NULL);
  guint i;

  test_log_catch ();
  g_object_set (element, "lines", "1,2", NULL);
  for (i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_object_set (element, "lines", lines[i], NULL);
    test_log_expect ("lines", lines[i], "up to 16 numbers", NULL);
    check_text (element, "lines", "1,2");
  }
  g_object_set (element, "false-color-table", "0 10 blue", NULL);
  test_log_expect ("false-color-table", "0 10 blue", "Band 1", NULL);
  g_object_set (element, "false-color-table", "/", NULL);
  test_log_expect ("false-color-table", NULL);
  check_text (element, "false-color-table", "");
  test_log_expect_nothing ();
  gst_object_unref (element);
}

GST_END_TEST;

/* Frames */

GST_START_TEST (test_in_place)
{
  GstBuffer *in, *out;
  TestElement t;

  test_element_init_scope (&t, CAPS, NULL, NULL);
  in = test_gray_buffer (WIDTH, HEIGHT, 128, 0);
  out = test_element_pass (&t, in);
  fail_unless (out == in);
  fail_if (is_flat (out, 128));
  check_counts (&t, 1, 0);
  gst_buffer_unref (out);
  test_element_clear (&t);
}

GST_END_TEST;

GST_START_TEST (test_not_in_place)
{
  GstCaps *clock = gst_caps_new_empty_simple ("timestamp/x-test");
  GstBuffer *in, *out;
  TestElement t;

  test_element_init_scope (&t, CAPS, NULL, NULL);
  in = test_gray_buffer (WIDTH, HEIGHT, 128, FRAME_TIME);
  gst_buffer_add_reference_timestamp_meta (in, clock, 7, 8);
  GST_BUFFER_FLAG_SET (in, GST_BUFFER_FLAG_GAP);
  out = test_element_pass (&t, gst_buffer_ref (in));
  fail_unless (out != in);
  fail_unless (is_flat (in, 128));
  fail_if (is_flat (out, 128));
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), FRAME_TIME);
  fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_GAP));
  fail_unless (gst_buffer_get_reference_timestamp_meta (out, NULL) != NULL);
  check_counts (&t, 1, 0);
  gst_buffer_unref (out);
  gst_buffer_unref (in);
  gst_caps_unref (clock);
  test_element_clear (&t);
}

GST_END_TEST;

/* The picture of a crop meta is what is counted and drawn on. */
GST_START_TEST (test_crop)
{
  GstBuffer *in, *out;
  GstVideoCropMeta *crop;
  GstMapInfo map;
  TestElement t;

  test_element_init_scope (&t, CAPS, "size", "1", "opacity", "1", "scopes",
      "waveform", "graticule", "none", NULL);
  in = test_gray_buffer (WIDTH, HEIGHT, 128, 0);
  crop = gst_buffer_add_video_crop_meta (in);
  crop->x = 16;
  crop->y = 8;
  crop->width = 32;
  crop->height = 32;
  out = test_element_pass (&t, in);
  fail_unless (out == in);
  gst_buffer_map (out, &map, GST_MAP_READ);
  fail_unless_equals_int (map.data[7 * WIDTH + 20], 128);
  fail_unless_equals_int (map.data[20 * WIDTH + 15], 128);
  fail_unless (map.data[26 * WIDTH + 20] != 128);
  gst_buffer_unmap (out, &map);
  gst_buffer_unref (out);
  check_counts (&t, 1, 0);
  test_element_clear (&t);
}

GST_END_TEST;

/* Without scopes frames are not touched. */
GST_START_TEST (test_passthrough)
{
  GstBuffer *out;
  TestElement t;

  test_element_init_scope (&t, CAPS, "scopes", "none", NULL);
  out = test_element_pass (&t, test_gray_buffer (WIDTH, HEIGHT, 128, 0));
  fail_unless (is_flat (out, 128));
  gst_buffer_unref (out);
  gst_util_set_object_arg (G_OBJECT (t.element), "scopes", "waveform");
  out = test_element_pass (&t, test_gray_buffer (WIDTH, HEIGHT, 128,
          FRAME_TIME));
  fail_if (is_flat (out, 128));
  gst_buffer_unref (out);
  check_counts (&t, 1, 0);
  test_element_clear (&t);
}

GST_END_TEST;

/* A buffer that is no frame passes as it came; the next one is drawn on. */
GST_START_TEST (test_undrawn)
{
  GstBuffer *in = gst_buffer_new_allocate (NULL, SIZE - 1, NULL), *out;
  TestElement t;

  test_element_init_scope (&t, CAPS, NULL, NULL);
  gst_buffer_memset (in, 0, 128, SIZE - 1);
  GST_BUFFER_PTS (in) = 0;
  out = test_element_pass (&t, in);
  fail_unless (out == in);
  fail_unless (is_flat (out, 128));
  gst_buffer_unref (out);
  check_counts (&t, 0, 1);
  test_element_expect (&t, GST_MESSAGE_WARNING, "pass without scopes");
  out = test_element_pass (&t, test_gray_buffer (WIDTH, HEIGHT, 128,
          FRAME_TIME));
  fail_if (is_flat (out, 128));
  gst_buffer_unref (out);
  check_counts (&t, 1, 1);
  test_element_clear (&t);
}

GST_END_TEST;

/* Other sizes */

static void
check_size (TestElement * t, gint width, gint height)
{
  GstCaps *caps = gst_pad_get_current_caps (t->h->sinkpad);
  GstStructure *structure = gst_caps_get_structure (caps, 0);
  gint w = 0, h = 0;

  gst_structure_get_int (structure, "width", &w);
  gst_structure_get_int (structure, "height", &h);
  fail_unless (w == width && h == height, "%dx%d instead of %dx%d", w, h,
      width, height);
  gst_caps_unref (caps);
}

static const struct
{
  const gchar *layout, *position;
  gint width, height;           /* of what is pushed */
  guint picture;                /* offset of its first pixel */
} sizes[] = {
  {"beside", "right", WIDTH + 64, HEIGHT, 0},
  {"beside", "left", WIDTH + 64, HEIGHT, 64},
  {"beside", "bottom-left", WIDTH + 64, HEIGHT, 64},
  {"beside", "bottom", WIDTH, HEIGHT + 64, 0},
  {"beside", "top", WIDTH, HEIGHT + 64, WIDTH * 64},
  {"only", "right", WIDTH, HEIGHT, G_MAXUINT},
};

GST_START_TEST (test_size)
{
  GstBuffer *out;
  GstMapInfo map;
  TestElement t;
  guint x, y;

  test_element_init_scope (&t, CAPS, "layout", sizes[__i__].layout,
      "position", sizes[__i__].position, "scopes", "waveform", "graticule",
      "none", NULL);
  out = test_element_pass (&t, test_gray_buffer (WIDTH, HEIGHT, 128, 0));
  check_size (&t, sizes[__i__].width, sizes[__i__].height);
  fail_unless_equals_int (gst_buffer_get_size (out),
      sizes[__i__].width * sizes[__i__].height);
  gst_buffer_map (out, &map, GST_MAP_READ);
  for (y = 0; sizes[__i__].picture != G_MAXUINT && y < HEIGHT; y++) {
    for (x = 0; x < WIDTH; x++)
      fail_unless_equals_int (map.data[sizes[__i__].picture +
              y * sizes[__i__].width + x], 128);
  }
  gst_buffer_unmap (out, &map);
  fail_if (is_flat (out, 128));
  gst_buffer_unref (out);
  check_counts (&t, 1, 0);
  test_element_clear (&t);
}

GST_END_TEST;

/* `only` takes downstream's size; `beside` leaves the size where downstream
 * takes no other. */
GST_START_TEST (test_downstream_decides)
{
  const gboolean only = __i__;
  GstBuffer *out;
  TestElement t;

  test_element_init_scope (&t, NULL, "layout", only ? "only" : "beside", NULL);
  if (only)
    gst_harness_set_sink_caps_str (t.h, TEST_GRAY_CAPS (200, 100));
  else
    gst_harness_set_sink_caps_str (t.h, CAPS);
  gst_harness_set_src_caps_str (t.h, CAPS);
  out = test_element_pass (&t, test_gray_buffer (WIDTH, HEIGHT, 128, 0));
  if (only)
    check_size (&t, 200, 100);
  else
    check_size (&t, WIDTH, HEIGHT);
  fail_if (is_flat (out, 128));
  gst_buffer_unref (out);
  check_counts (&t, 1, 0);
  test_element_clear (&t);
}

GST_END_TEST;

/* What cannot be drawn on is black if it has another size. */
GST_START_TEST (test_undrawn_beside)
{
  GstBuffer *out;
  TestElement t;

  test_element_init_scope (&t, CAPS, "layout", "beside", "position", "right",
      NULL);
  out = gst_buffer_new_allocate (NULL, SIZE - 1, NULL);
  GST_BUFFER_PTS (out) = 0;
  out = test_element_pass (&t, out);
  fail_unless_equals_int (gst_buffer_get_size (out), (WIDTH + 64) * HEIGHT);
  fail_unless (is_flat (out, 0));
  gst_buffer_unref (out);
  check_counts (&t, 0, 1);
  test_element_clear (&t);
}

GST_END_TEST;

/* The layout changes while frames come. */
GST_START_TEST (test_layout_changes)
{
  static const gchar *const layouts[] = { "overlay", "beside", "only",
    "beside", "overlay"
  };
  static const gint widths[] = { WIDTH, WIDTH + 64, WIDTH, WIDTH + 64, WIDTH };
  TestElement t;
  guint i;

  test_element_init_scope (&t, CAPS, "position", "right", NULL);
  for (i = 0; i < G_N_ELEMENTS (layouts); i++) {
    gst_util_set_object_arg (G_OBJECT (t.element), "layout", layouts[i]);
    test_element_push (&t, test_gray_buffer (WIDTH, HEIGHT, 128,
            i * FRAME_TIME));
    check_size (&t, widths[i], HEIGHT);
  }
  check_counts (&t, G_N_ELEMENTS (layouts), 0);
  fail_unless_equals_int (test_element_count_messages (&t,
          GST_MESSAGE_WARNING | GST_MESSAGE_ERROR), 0);
  test_element_clear (&t);
}

GST_END_TEST;

/* Upstream gets (70, 20) as a place that lies @shift pixels further left. */
static void
check_navigation (TestElement * t, gdouble shift)
{
  GstEvent *event;
  gdouble x, y;

  test_element_forget_events (t);
  gst_harness_push_upstream_event (t->h,
      gst_navigation_event_new_mouse_move (70, 20,
          GST_NAVIGATION_MODIFIER_NONE));
  event = gst_harness_pull_upstream_event (t->h);
  fail_unless_equals_int (GST_EVENT_TYPE (event), GST_EVENT_NAVIGATION);
  fail_unless (gst_navigation_event_get_coordinates (event, &x, &y));
  fail_unless_equals_float (x, 70 - shift);
  fail_unless_equals_float (y, 20);
  gst_event_unref (event);
}

/* Upstream gets the places of its own picture, also once the scopes have
 * changed sides, for which no caps change. */
GST_START_TEST (test_navigation)
{
  static const gdouble shift[] = { 0, 64, 0 };
  static const gchar *const layouts[] = { "overlay", "beside", "only" };
  TestElement t;

  test_element_init_scope (&t, CAPS, "layout", layouts[__i__], "position",
      "left", NULL);
  test_element_push (&t, test_gray_buffer (WIDTH, HEIGHT, 128, 0));
  check_navigation (&t, shift[__i__]);
  gst_util_set_object_arg (G_OBJECT (t.element), "position", "right");
  test_element_push (&t, test_gray_buffer (WIDTH, HEIGHT, 128, FRAME_TIME));
  check_navigation (&t, 0);
  test_element_clear (&t);
}

GST_END_TEST;

/* Every property at random, while frames come. */

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
  {"persistence", {"0", "0.1", "3600"}},
  {"envelope", {"none", "instant", "peak", "instant+peak"}},
  {"graticule", {"none", "green", "amber", "white"}},
  {"scale", {"code", "percent", "ire", "mv", "nits"}},
  {"limits", {"none", "range", "r103", "range+r103"}},
  {"targets", {"none", "75", "100", "75+100"}},
  {"skin-line", {"0", "123", "360"}},
  {"lines", {"", "16,235", "-5,50.5,1e9"}},
  {"false-color", {"arri", "obs", "cinezone", "table"}},
  {"false-color-table", {"", "0 10 #0000ff; 90 110 #ff0000", "-20 120 grey"}},
  {"zebra-low", {"-20", "70", "120"}},
  {"zebra-high", {"-20", "80", "120"}},
};
/* *INDENT-ON* */

static void
change_one (GstElement * element, TestRandom * random)
{
  const guint i = test_random_below (random, G_N_ELEMENTS (changes));
  guint n = 0;

  while (n < G_N_ELEMENTS (changes[i].values) && changes[i].values[n])
    n++;
  gst_util_set_object_arg (G_OBJECT (element), changes[i].name,
      changes[i].values[test_random_below (random, n)]);
}

static GstPadProbeReturn
count_buffer (GstPad * pad, GstPadProbeInfo * info, gpointer count)
{
  (void) pad;
  (void) info;
  g_atomic_int_inc ((gint *) count);
  return GST_PAD_PROBE_OK;
}

static const gchar *const formats[] = { "I420", "Y444_10LE", "RGBA", "NV12",
  "UYVY", "GRAY8", "ARGB64"
};

GST_START_TEST (test_changes)
{
  const guint64 seconds = test_env_tier ("TEST_SCOPE_SECONDS",
      DEFAULT_SECONDS, SECONDS_OF_LONG_TIER);
  const gchar *format = formats[__i__ % G_N_ELEMENTS (formats)];
  gchar *launch = g_strdup_printf ("videotestsrc name=source pattern=ball ! "
      "video/x-raw,format=%s,width=161,height=90,framerate=200/1 ! videoscope "
      "name=scope ! fakesink name=sink sync=false", format);
  GstElement *pipeline = gst_parse_launch (launch, NULL);
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), "scope");
  GstBus *bus = gst_element_get_bus (pipeline);
  TestRandom random = test_random_new (__i__);
  TestFootprint before = { 0, }, after;
  gint in = 0, out = 0, n = 0;
  guint64 drawn, undrawn;
  GstMessage *message;
  gint64 start, end;

  test_pipeline_tap (pipeline, "scope", "sink", count_buffer, &in);
  test_pipeline_tap (pipeline, "scope", "src", count_buffer, &out);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  start = g_get_monotonic_time ();
  end = start + seconds * G_TIME_SPAN_SECOND / G_N_ELEMENTS (formats);
  test_footprint_steady ();
  while (g_get_monotonic_time () < end) {
    change_one (element, &random);
    n++;
    g_usleep (test_random_below (&random, 4000));
    /* Once every size has been. */
    if (!before.resident && g_get_monotonic_time () > (start + end) / 2)
      before = test_footprint ();
  }
  after = test_footprint ();
  gst_element_send_event (pipeline, gst_event_new_eos ());
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_EOS |
      GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS,
      "%s: %" GST_PTR_FORMAT, format, message);
  gst_message_unref (message);
  g_object_get (element, "drawn", &drawn, "undrawn", &undrawn, NULL);
  fail_unless_equals_int (in, out);
  fail_unless_equals_uint64 (undrawn, 0);
  fail_unless (drawn > 0 && in > 0);
  if (seconds > 60)
    fail_unless (after.resident < before.resident + MAX_GROWTH, "%"
        G_GSIZE_FORMAT " KiB more", (after.resident - before.resident) / 1024);
  test_figure ("changes of a videoscope's properties", "%d", n);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
  gst_object_unref (pipeline);
  g_free (launch);
}

GST_END_TEST;

TEST_SUITE (videoscope, NULL, NULL)
{
  if (g_getenv ("TEST_LONG"))
    tcase_set_timeout (tc, 2 * SECONDS_OF_LONG_TIER);
  tcase_add_test (tc, test_properties);
  tcase_add_test (tc, test_malformed);
  tcase_add_test (tc, test_in_place);
  tcase_add_test (tc, test_not_in_place);
  tcase_add_test (tc, test_crop);
  tcase_add_test (tc, test_passthrough);
  tcase_add_test (tc, test_undrawn);
  tcase_add_loop_test (tc, test_size, 0, G_N_ELEMENTS (sizes));
  tcase_add_loop_test (tc, test_downstream_decides, 0, 2);
  tcase_add_test (tc, test_undrawn_beside);
  tcase_add_test (tc, test_layout_changes);
  tcase_add_loop_test (tc, test_navigation, 0, 3);
  tcase_add_loop_test (tc, test_changes, 0, G_N_ELEMENTS (formats));
}
