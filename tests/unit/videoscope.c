/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element videoscope: on which frames it draws, in which memory, the size
 * of its output, and which frames it leaves alone. The library's tests cover
 * the drawings. */
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>

#include "common/element.h"
#include "common/log.h"
#include "common/properties.h"
#include "common/suite.h"

#define WIDTH 64
#define HEIGHT 48
#define SIZE (WIDTH * HEIGHT)
#define CAPS TEST_GRAY_CAPS (64, 48)
#define FRAME_TIME (40 * GST_MSECOND)

static TestElement t;

static void
teardown (void)
{
  test_element_clear (&t);
}

static void
check_counts (guint64 drawn, guint64 undrawn)
{
  test_element_check_count (&t, "drawn", drawn);
  test_element_check_count (&t, "undrawn", undrawn);
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

static const TestProperty properties[] = {
  {"scopes", "GstVideoScopes", "histogram+waveform+vectorscope",
      TEST_PLAYING, "parade+zebra"},
  {"layout", "GstVideoScopeLayout", "overlay", TEST_PLAYING, "only"},
  {"position", "GstVideoScopePosition", "bottom",
      TEST_CONTROLLABLE, "top-left"},
  {"size", "gdouble", "0.35", TEST_CONTROLLABLE, "1"},
  {"opacity", "gdouble", "0.7", TEST_CONTROLLABLE, "0"},
  {"components", "GstVideoScopeComponents", "luma", TEST_CONTROLLABLE, "yuv"},
  {"mode", "GstVideoScopeMode", "overlay", TEST_CONTROLLABLE, "stack"},
  {"intensity", "GstVideoScopeIntensity", "auto", TEST_CONTROLLABLE, "power"},
  {"gain", "gdouble", "1", TEST_CONTROLLABLE, "1000"},
  {"exponent", "gdouble", "0.4", TEST_CONTROLLABLE, "1"},
  {"persistence", "guint64", "0", TEST_CONTROLLABLE, "500000000"},
  {"envelope", "GstVideoScopeEnvelope", "none", TEST_PLAYING, "instant+peak"},
  {"graticule", "GstVideoScopeGraticule", "green", TEST_CONTROLLABLE, "none"},
  {"scale", "GstVideoScopeScale", "percent", TEST_CONTROLLABLE, "nits"},
  {"limits", "GstVideoScopeLimits", "range", TEST_PLAYING, "range+r103"},
  {"targets", "GstVideoScopeTargets", "75+100", TEST_PLAYING, "none"},
  {"skin-line", "gdouble", "123", TEST_CONTROLLABLE, "0"},
  {"lines", "gchararray", "", TEST_PLAYING, "16, 235"},
  {"false-color", "GstVideoScopeFalseColor", "arri",
      TEST_CONTROLLABLE, "table"},
  {"false-color-table", "gchararray", "",
      TEST_PLAYING, "0 0.1 #0000ff; 0.9 1.1 #ff0000"},
  {"zebra-low", "gdouble", "0.95", TEST_CONTROLLABLE, "0.7"},
  {"zebra-high", "gdouble", "1.09", TEST_CONTROLLABLE, "1"},
  {"active-backend", "gchararray", NULL, 0},
  {"backend-reason", "gchararray", NULL, 0},
  {"cuda-device-id", "gint", "-1", TEST_READY, "0"},
  {"drawn", "guint64", "0", 0},
  {"undrawn", "guint64", "0", 0},
};

/* The documented properties, and no others. */
GST_START_TEST (test_properties)
{
  test_element_init_scope (&t, NULL, NULL, NULL);
  gst_element_set_state (t.element, GST_STATE_NULL);
  test_properties_check (t.element, properties, G_N_ELEMENTS (properties));
}

GST_END_TEST;

GST_START_TEST (test_malformed)
{
  static const gchar *const lines[] = { "1,", ",", "x", "1 2", "1;2",
    "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"
  };
  guint i;

  test_element_init_scope (&t, NULL, NULL, NULL);
  test_log_catch ();
  g_object_set (t.element, "lines", "1,2", NULL);
  for (i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_object_set (t.element, "lines", lines[i], NULL);
    test_log_expect ("lines", lines[i], "up to 16 numbers", NULL);
    test_property_check (t.element, "lines", "1,2");
  }
  g_object_set (t.element, "false-color-table", "0 0.1 blue", NULL);
  test_log_expect ("false-color-table", "0 0.1 blue", "Band 1", NULL);
  g_object_set (t.element, "false-color-table", "/", NULL);
  test_log_expect ("false-color-table", NULL);
  test_property_check (t.element, "false-color-table", "");
  g_object_set (t.element, "persistence", G_GUINT64_CONSTANT (999999), NULL);
  test_log_expect ("persistence=999999 ", "2000000000 for 2 seconds", NULL);
  test_property_check (t.element, "persistence", "0");
  test_log_expect_nothing ();
}

GST_END_TEST;

/* Frames */

GST_START_TEST (test_in_place)
{
  GstBuffer *in, *out;

  test_element_init_scope (&t, CAPS, NULL, NULL);
  in = test_gray_buffer (WIDTH, HEIGHT, 128, 0);
  out = test_element_pass (&t, in);
  fail_unless (out == in);
  fail_if (is_flat (out, 128));
  check_counts (1, 0);
  gst_buffer_unref (out);
}

GST_END_TEST;

GST_START_TEST (test_not_in_place)
{
  GstCaps *clock = gst_caps_new_empty_simple ("timestamp/x-test");
  GstBuffer *in, *out;

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
  check_counts (1, 0);
  gst_buffer_unref (out);
  gst_buffer_unref (in);
  gst_caps_unref (clock);
}

GST_END_TEST;

/* The crop rectangle is counted and drawn on. */
GST_START_TEST (test_crop)
{
  GstBuffer *in, *out;
  GstVideoCropMeta *crop;
  GstMapInfo map;

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
  check_counts (1, 0);
}

GST_END_TEST;

/* Without scopes frames are not touched. */
GST_START_TEST (test_passthrough)
{
  GstBuffer *out;

  test_element_init_scope (&t, CAPS, "scopes", "none", NULL);
  out = test_element_pass (&t, test_gray_buffer (WIDTH, HEIGHT, 128, 0));
  fail_unless (is_flat (out, 128));
  gst_buffer_unref (out);
  gst_util_set_object_arg (G_OBJECT (t.element), "scopes", "waveform");
  out = test_element_pass (&t, test_gray_buffer (WIDTH, HEIGHT, 128,
          FRAME_TIME));
  fail_if (is_flat (out, 128));
  gst_buffer_unref (out);
  check_counts (1, 0);
}

GST_END_TEST;

/* A buffer that does not hold a frame passes unchanged; the next one is drawn
 * on. */
GST_START_TEST (test_undrawn)
{
  GstBuffer *in = gst_buffer_new_allocate (NULL, SIZE - 1, NULL), *out;

  test_element_init_scope (&t, CAPS, NULL, NULL);
  gst_buffer_memset (in, 0, 128, SIZE - 1);
  GST_BUFFER_PTS (in) = 0;
  out = test_element_pass (&t, in);
  fail_unless (out == in);
  fail_unless (is_flat (out, 128));
  gst_buffer_unref (out);
  check_counts (0, 1);
  test_element_expect (&t, GST_MESSAGE_WARNING, "pass without scopes");
  out = test_element_pass (&t, test_gray_buffer (WIDTH, HEIGHT, 128,
          FRAME_TIME));
  fail_if (is_flat (out, 128));
  gst_buffer_unref (out);
  check_counts (1, 1);
}

GST_END_TEST;

/* Other sizes */

static void
check_size (gint width, gint height)
{
  GstCaps *caps = gst_pad_get_current_caps (t.h->sinkpad);
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
  gint width, height;           /* size of the input */
  guint picture;                /* offset of the picture's first pixel */
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
  guint x, y;

  test_element_init_scope (&t, CAPS, "layout", sizes[__i__].layout,
      "position", sizes[__i__].position, "scopes", "waveform", "graticule",
      "none", NULL);
  out = test_element_pass (&t, test_gray_buffer (WIDTH, HEIGHT, 128, 0));
  check_size (sizes[__i__].width, sizes[__i__].height);
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
  check_counts (1, 0);
}

GST_END_TEST;

/* `only` uses downstream's size; `beside` keeps the size if downstream accepts
 * no other. */
GST_START_TEST (test_downstream_decides)
{
  const gboolean only = __i__;
  GstBuffer *out;

  test_element_init_scope (&t, NULL, "layout", only ? "only" : "beside", NULL);
  if (only)
    gst_harness_set_sink_caps_str (t.h, TEST_GRAY_CAPS (200, 100));
  else
    gst_harness_set_sink_caps_str (t.h, CAPS);
  gst_harness_set_src_caps_str (t.h, CAPS);
  out = test_element_pass (&t, test_gray_buffer (WIDTH, HEIGHT, 128, 0));
  if (only)
    check_size (200, 100);
  else
    check_size (WIDTH, HEIGHT);
  fail_if (is_flat (out, 128));
  gst_buffer_unref (out);
  check_counts (1, 0);
}

GST_END_TEST;

/* A frame that cannot be drawn on becomes black if the output has another
 * size. */
GST_START_TEST (test_undrawn_beside)
{
  GstBuffer *out;

  test_element_init_scope (&t, CAPS, "layout", "beside", "position", "right",
      NULL);
  out = gst_buffer_new_allocate (NULL, SIZE - 1, NULL);
  GST_BUFFER_PTS (out) = 0;
  out = test_element_pass (&t, out);
  fail_unless_equals_int (gst_buffer_get_size (out), (WIDTH + 64) * HEIGHT);
  fail_unless (is_flat (out, 0));
  gst_buffer_unref (out);
  check_counts (0, 1);
}

GST_END_TEST;

/* The layout changes while frames flow. */
GST_START_TEST (test_layout_changes)
{
  static const gchar *const layouts[] = { "overlay", "beside", "only",
    "beside", "overlay"
  };
  static const gint widths[] = { WIDTH, WIDTH + 64, WIDTH, WIDTH + 64, WIDTH };
  guint i;

  test_element_init_scope (&t, CAPS, "position", "right", NULL);
  for (i = 0; i < G_N_ELEMENTS (layouts); i++) {
    gst_util_set_object_arg (G_OBJECT (t.element), "layout", layouts[i]);
    test_element_push (&t, test_gray_buffer (WIDTH, HEIGHT, 128,
            i * FRAME_TIME));
    check_size (widths[i], HEIGHT);
  }
  check_counts (G_N_ELEMENTS (layouts), 0);
  fail_unless_equals_int (test_element_count_messages (&t,
          GST_MESSAGE_WARNING | GST_MESSAGE_ERROR), 0);
}

GST_END_TEST;

/* Upstream gets (70, 20) for a position @shift pixels further left. */
static void
push_move (gdouble x)
{
  test_element_forget_events (&t);
  gst_harness_push_upstream_event (t.h,
      gst_navigation_event_new_mouse_move (x, 20,
          GST_NAVIGATION_MODIFIER_NONE));
}

static void
check_navigation (gdouble at, gdouble shift)
{
  GstEvent *event;
  gdouble x, y;

  push_move (at);
  event = gst_harness_pull_upstream_event (t.h);
  fail_unless_equals_int (GST_EVENT_TYPE (event), GST_EVENT_NAVIGATION);
  fail_unless (gst_navigation_event_get_coordinates (event, &x, &y));
  fail_unless_equals_float (x, at - shift);
  fail_unless_equals_float (y, 20);
  gst_event_unref (event);
}

/* Upstream gets positions in its own picture, even after the scopes have
 * changed sides without new caps. */
GST_START_TEST (test_navigation)
{
  static const gdouble shift[] = { 0, 64, 0 };
  static const gchar *const layouts[] = { "overlay", "beside", "only" };

  test_element_init_scope (&t, CAPS, "layout", layouts[__i__], "position",
      "left", NULL);
  test_element_push (&t, test_gray_buffer (WIDTH, HEIGHT, 128, 0));
  check_navigation (70, shift[__i__]);
  if (__i__ == 1) {
    push_move (10);
    fail_unless (gst_harness_try_pull_upstream_event (t.h) == NULL,
        "upstream gets what is beside its picture");
  }
  gst_util_set_object_arg (G_OBJECT (t.element), "position", "right");
  test_element_push (&t, test_gray_buffer (WIDTH, HEIGHT, 128, FRAME_TIME));
  check_navigation (20, 0);
  if (__i__ == 1) {
    push_move (70);
    fail_unless (gst_harness_try_pull_upstream_event (t.h) == NULL,
        "upstream gets what is beside its picture");
  }
}

GST_END_TEST;

/* The size and the format change in mid-stream, in each layout: output has the
 * right caps, and drawing continues. */
GST_START_TEST (test_caps_change)
{
  static const struct
  {
    const gchar *format;
    guint width, height;
  } shapes[] = {
    {"GRAY8", 64, 48}, {"I420", 64, 48}, {"I420", 161, 91}, {"RGBA", 2, 2},
    {"RGBA", 1, 1}, {"Y444_10LE", 200, 16}, {"GRAY8", 64, 48},
  };
  static const gchar *const layouts[] = { "overlay", "beside", "only" };
  GstVideoInfo info;
  guint i;

  test_element_init_scope (&t, NULL, "layout", layouts[__i__], "scopes",
      "histogram+waveform+vectorscope+false-color+zebra", "persistence",
      "1000000000", "envelope", "peak", NULL);
  for (i = 0; i < 2 * G_N_ELEMENTS (shapes); i++) {
    GstCaps *caps = test_caps (shapes[i / 2].format, shapes[i / 2].width,
        shapes[i / 2].height);
    GstBuffer *out, *in = test_flat_buffer (caps, 100);

    if (i % 2 == 0)
      gst_harness_set_src_caps (t.h, gst_caps_ref (caps));
    GST_BUFFER_PTS (in) = i * FRAME_TIME;
    out = test_element_pass (&t, in);
    gst_caps_unref (caps);
    caps = gst_pad_get_current_caps (t.h->sinkpad);
    fail_unless (gst_video_info_from_caps (&info, caps));
    fail_unless_equals_int (gst_buffer_get_size (out), info.size);
    fail_unless_equals_int (info.width > (gint) shapes[i / 2].width
        || info.height > (gint) shapes[i / 2].height, __i__ == 1);
    gst_caps_unref (caps);
    gst_buffer_unref (out);
  }
  check_counts (2 * G_N_ELEMENTS (shapes), 0);
  fail_unless_equals_int (test_element_count_messages (&t,
          GST_MESSAGE_WARNING | GST_MESSAGE_ERROR), 0);
}

GST_END_TEST;

/* Persistence and peaks come from earlier frames, but not across a flush, a
 * seek, another stream, a gap or other caps. */

static GstBuffer *
draw_gray (guint8 value, GstClockTime time, gboolean discont)
{
  GstBuffer *in = test_gray_buffer (WIDTH, HEIGHT, value, time);

  if (discont)
    GST_BUFFER_FLAG_SET (in, GST_BUFFER_FLAG_DISCONT);
  return test_element_pass (&t, in);
}

static void
send_segment (gdouble rate)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = rate;
  segment.stop = segment.position = 100 * GST_SECOND;
  gst_harness_push_event (t.h, gst_event_new_segment (&segment));
}

static void
begin_backwards (void)
{
  send_segment (-1);
}

static void
begin_forwards (void)
{
  send_segment (1);
}

static void
change_caps_and_back (void)
{
  gst_harness_set_src_caps_str (t.h, TEST_GRAY_CAPS (32, 48));
  gst_harness_set_src_caps_str (t.h, CAPS);
}

static void
flush (void)
{
  test_element_flush (&t);
}

static void
restart (void)
{
  test_element_restart (&t, CAPS);
}

static void
stop_drawing (void)
{
  gst_util_set_object_arg (G_OBJECT (t.element), "scopes", "none");
  test_element_push (&t, test_gray_buffer (WIDTH, HEIGHT, 9, FRAME_TIME));
  gst_util_set_object_arg (G_OBJECT (t.element), "scopes", "waveform");
}

static void (*const beginnings[]) (void) = {
  NULL,                         /* the frame is marked as DISCONT */
  flush, begin_backwards, begin_forwards, change_caps_and_back,
  restart, stop_drawing,
};

static gboolean
is_same (GstBuffer * a, GstBuffer * b)
{
  GstMapInfo map;
  gboolean same;

  gst_buffer_map (b, &map, GST_MAP_READ);
  same = gst_buffer_get_size (a) == map.size
      && gst_buffer_memcmp (a, 0, map.data, map.size) == 0;
  gst_buffer_unmap (b, &map);
  return same;
}

GST_START_TEST (test_starts_again)
{
  void (*const begin) (void) = beginnings[__i__];
  GstBuffer *first, *later, *again;

  test_element_init_scope (&t, CAPS, "scopes", "waveform", "persistence",
      "3600000000000", "envelope", "peak", NULL);
  first = draw_gray (60, 0, FALSE);
  gst_buffer_unref (draw_gray (200, FRAME_TIME, FALSE));
  later = draw_gray (60, 2 * FRAME_TIME, FALSE);
  fail_if (is_same (first, later), "nothing persists");
  if (begin)
    begin ();
  again = draw_gray (60, 3 * FRAME_TIME, begin == NULL);
  fail_unless (is_same (first, again), "something persists");
  gst_buffer_unref (first);
  gst_buffer_unref (later);
  gst_buffer_unref (again);
}

GST_END_TEST;

/* In reverse playback, traces fade as they do forward. */
GST_START_TEST (test_reverse)
{
  GstBuffer *out[2][8];
  guint i, k;

  for (k = 0; k < 2; k++) {
    test_element_init_scope (&t, CAPS, "scopes", "waveform", "persistence",
        "100000000", NULL);
    send_segment (k ? -1 : 1);
    for (i = 0; i < G_N_ELEMENTS (out[k]); i++) {
      out[k][i] = draw_gray (i ? 60 : 200,
          (k ? 10 - i : 10 + i) * FRAME_TIME, FALSE);
    }
    check_counts (G_N_ELEMENTS (out[k]), 0);
    test_element_clear (&t);
  }
  for (i = 0; i < G_N_ELEMENTS (out[0]); i++) {
    fail_unless (is_same (out[0][i], out[1][i]), "frame %u differs", i);
    if (i > 1)
      fail_if (is_same (out[0][i], out[0][i - 1]), "frame %u does not fade",
          i);
  }
  for (i = 0; i < G_N_ELEMENTS (out[0]); i++) {
    gst_buffer_unref (out[0][i]);
    gst_buffer_unref (out[1][i]);
  }
}

GST_END_TEST;

/* Handlers of an application */

static void
change_layout (GstElement * element)
{
  static gint n;

  gst_util_set_object_arg (G_OBJECT (element), "layout",
      g_atomic_int_add (&n, 1) % 2 ? "overlay" : "beside");
  gst_util_set_object_arg (G_OBJECT (element), "scopes", "parade");
  g_object_set (element, "lines", "1,2", "size", 0.5, NULL);
}

static GstBusSyncReply
on_message (G_GNUC_UNUSED GstBus * bus, GstMessage * message, gpointer count)
{
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    test_element_get_count (&(TestElement) {.element =
            GST_ELEMENT (GST_MESSAGE_SRC (message))}, "undrawn");
    change_layout (GST_ELEMENT (GST_MESSAGE_SRC (message)));
    (*(guint *) count)++;
  }
  return GST_BUS_PASS;
}

static void
on_notify (GObject * element, G_GNUC_UNUSED GParamSpec * pspec, gpointer count)
{
  GstVideoScopes scopes;

  g_object_get (element, "scopes", &scopes, NULL);
  (*(guint *) count)++;
}

/* Handlers change anything from the streaming thread: when a warning is posted,
 * and when properties are notified. */
GST_START_TEST (test_handlers)
{
  guint n_warnings = 0, n_notified = 0, i;

  test_element_init_scope (&t, CAPS, NULL, NULL);
  gst_bus_set_sync_handler (t.bus, on_message, &n_warnings, NULL);
  g_signal_connect (t.element, "notify", G_CALLBACK (on_notify), &n_notified);
  for (i = 0; i < 6; i++) {
    GstBuffer *in = i == 1 ? gst_buffer_new_allocate (NULL, SIZE - 1, NULL) :
        test_gray_buffer (WIDTH, HEIGHT, 128, i * FRAME_TIME);

    GST_BUFFER_PTS (in) = i * FRAME_TIME;
    test_element_push (&t, in);
    change_layout (t.element);
  }
  fail_unless_equals_int (n_warnings, 1);
  fail_unless (n_notified >= 4 * 7);
  check_counts (5, 1);
}

GST_END_TEST;

TEST_SUITE (videoscope, NULL, teardown)
{
  tcase_add_loop_test (tc, test_caps_change, 0, 3);
  tcase_add_loop_test (tc, test_starts_again, 0, G_N_ELEMENTS (beginnings));
  tcase_add_test (tc, test_reverse);
  tcase_add_test (tc, test_handlers);
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
}
