/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element videoequalize: which frames it changes, in which memory, and
 * which it leaves alone. The library's tests cover the results. */
#include <gst/video/video.h>
#include <gst/videohistogram/videohistogram.h>
#include <math.h>

#include "common/element.h"
#include "common/folder.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/properties.h"
#include "common/random.h"
#include "common/suite.h"

#define WIDTH 16
#define HEIGHT 16
#define SIZE 256
#define CAPS TEST_GRAY_CAPS (16, 16)
#define FRAME_TIME (40 * GST_MSECOND)

/* Each of the code values 64 to 191 twice. */
static guint8 gray[SIZE];

/* The result of method=equalize, equal to OpenCV's equalizeHist(). */
static guint8 equalized[SIZE];

static TestElement t;

static void
setup (void)
{
  guint i;

  for (i = 0; i < SIZE; i++) {
    gray[i] = 64 + i / 2;
    equalized[i] = rint (2 * (i / 2) * (255 / 254.0));
  }
}

static void
teardown (void)
{
  test_element_clear (&t);
  test_folder_remove ();
}

static GstBuffer *
make_frame (GstClockTime pts)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, SIZE, NULL);

  gst_buffer_fill (buffer, 0, gray, SIZE);
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = FRAME_TIME;
  return buffer;
}

static gboolean
has_bytes (GstBuffer * buffer, const guint8 * bytes)
{
  return gst_buffer_get_size (buffer) == SIZE
      && gst_buffer_memcmp (buffer, 0, bytes, SIZE) == 0;
}

/* Makes an element without smoothing, with @property. With a reference it
 * matches that. */
static void
init_at_once (const gchar * property, const gchar * value)
{
  const gboolean matches = g_strcmp0 (property, "reference") == 0;

  test_element_init_equalize (&t, CAPS, "smoothing", "0", "method",
      matches ? "match" : "equalize", property, value, NULL);
}

static void
check_counts (guint64 counted, guint64 uncorrected)
{
  test_element_check_count (&t, "counted", counted);
  test_element_check_count (&t, "uncorrected", uncorrected);
}

/* Properties */

static const TestProperty properties[] = {
  {"method", "GstVideoEqualizeMethod", "equalize", TEST_CONTROLLABLE},
  {"strength", "gdouble", "1", TEST_CONTROLLABLE},
  {"low-percentile", "gdouble", "0.5", TEST_CONTROLLABLE},
  {"high-percentile", "gdouble", "99.5", TEST_CONTROLLABLE},
  {"max-gain", "gdouble", "4", TEST_CONTROLLABLE},
  {"target", "gdouble", "0.45", TEST_CONTROLLABLE},
  {"reference", "gchararray", "", TEST_PLAYING},
  {"clip-limit", "gdouble", "2", TEST_CONTROLLABLE},
  {"tiles", "gchararray", "8x8", TEST_PLAYING},
  {"roi", "gchararray", "", TEST_PLAYING},
  {"smoothing", "guint64", "500000000", TEST_CONTROLLABLE},
  {"scene-threshold", "gdouble", "0.1", TEST_CONTROLLABLE},
  {"color", "GstVideoEqualizeColor", "scale", TEST_CONTROLLABLE},
  {"cuda-device-id", "gint", "-1", TEST_READY},
  {"active-backend", "gchararray", NULL, 0},
  {"backend-reason", "gchararray", NULL, 0},
  {"counted", "guint64", "0", 0},
  {"uncorrected", "guint64", "0", 0},
};

/* The documented properties, and no others. */
GST_START_TEST (test_properties)
{
  test_element_init_equalize (&t, NULL, NULL, NULL);
  test_properties_check (t.element, properties, G_N_ELEMENTS (properties));
  test_nicks_check ("GstVideoEqualizeMethod",
      "none equalize stretch gamma match clahe");
  test_nicks_check ("GstVideoEqualizeColor", "scale keep channels");
}

GST_END_TEST;

static const gchar *const bad_tiles[] = {
  "0x8", "8x0", "33x1", "1x33", "", "8", "8x", "x8", "8x8x8", "-8x8", "8,8",
  "many", "99999999999999999999x1",
};

static const gchar *const bad_rois[] = {
  "0,0,0,1", "0,0,1,0", "-1,0,1,1", "1,2,3", "1,2,3,4,5", "a",
  "0,0,2147483648,1",
};

GST_START_TEST (test_malformed)
{
  guint i;

  test_element_init_equalize (&t, NULL, NULL, NULL);
  test_log_catch ();
  gst_util_set_object_arg (G_OBJECT (t.element), "tiles", "32x1");
  test_log_expect_nothing ();
  for (i = 0; i < G_N_ELEMENTS (bad_tiles); i++) {
    g_object_set (t.element, "tiles", bad_tiles[i], NULL);
    test_log_expect ("tiles", bad_tiles[i], "1 to 32", NULL);
    test_property_check (t.element, "tiles", "32x1");
  }
  g_object_set (t.element, "tiles", NULL, NULL);
  test_log_expect ("tiles", "(null)", NULL);
  gst_util_set_object_arg (G_OBJECT (t.element), "roi", "1, 2, 3, 4");
  test_log_expect_nothing ();
  for (i = 0; i < G_N_ELEMENTS (bad_rois); i++) {
    g_object_set (t.element, "roi", bad_rois[i], NULL);
    test_log_expect ("roi", bad_rois[i], "X,Y,WIDTH,HEIGHT", NULL);
    test_property_check (t.element, "roi", "1, 2, 3, 4");
  }
  g_object_set (t.element, "roi", NULL, NULL);
  test_log_expect_nothing ();
  test_property_check (t.element, "roi", "");
  g_object_set (t.element, "strength", NAN, NULL);
  test_log_expect ("strength", "nan", NULL);
  test_property_check (t.element, "strength", "1");
  g_object_set (t.element, "smoothing", G_GUINT64_CONSTANT (2), NULL);
  test_log_expect ("smoothing=2 ", "0, or at least 1000000",
      "2000000000 for 2 seconds", NULL);
  test_property_check (t.element, "smoothing", "500000000");
  g_object_set (t.element, "max-gain", 0.5, NULL);
  test_log_expect ("max-gain", NULL);
  test_property_check (t.element, "max-gain", "4");
  test_log_expect_nothing ();
}

GST_END_TEST;

/* Caps */

GST_START_TEST (test_templates)
{
  GstElementFactory *factory = gst_element_factory_find ("videoequalize");
  GstElement *equalize = gst_element_factory_create (factory, NULL);
  GstElement *histogram = gst_element_factory_make ("videohistogram", NULL);
  static const gchar *const names[] = { "sink", "src" };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    GstCaps *caps = gst_pad_template_get_caps
        (gst_element_get_pad_template (equalize, names[i]));
    GstCaps *expected = gst_pad_template_get_caps
        (gst_element_get_pad_template (histogram, names[i]));

    fail_unless (gst_caps_is_equal (caps, expected));
    gst_caps_unref (caps);
    gst_caps_unref (expected);
  }
  fail_unless_equals_string (gst_element_factory_get_metadata (factory,
          GST_ELEMENT_METADATA_KLASS), "Filter/Effect/Video");
  gst_object_unref (equalize);
  gst_object_unref (histogram);
  gst_object_unref (factory);
}

GST_END_TEST;

#define RAW(features) "video/x-raw" features \
    ",format=RGBA,width=16,height=16,framerate=25/1"

static const struct
{
  const gchar *caps;
  gboolean taken;
} negotiations[] = {
  {RAW (""), TRUE},
  {RAW ("(memory:SystemMemory)"), TRUE},
  {RAW ("(memory:SystemMemory,meta:GstVideoOverlayComposition)"), TRUE},
  {RAW ("(meta:SomethingNobodyKnows)"), TRUE},
  {RAW ("(memory:CUDAMemory)"), TRUE},
  {RAW ("(memory:CUDAMemory,meta:GstVideoOverlayComposition)"), TRUE},
  {RAW ("(memory:GLMemory)"), FALSE},
  {RAW ("(memory:DMABuf)"), FALSE},
  {RAW ("(memory:SystemMemory,memory:GLMemory)"), FALSE},
  {"video/x-raw,format=v210,width=16,height=16,framerate=25/1", FALSE},
  {"audio/x-raw,format=S16LE,rate=48000,channels=2", FALSE},
};

GST_START_TEST (test_negotiation)
{
  GstCaps *wanted = gst_caps_from_string (negotiations[__i__].caps), *caps;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT * 4, NULL);

  gst_buffer_memset (buffer, 0, 9, WIDTH * HEIGHT * 4);
  test_element_init_equalize (&t, NULL, NULL, NULL);
  gst_harness_set_src_caps_str (t.h, negotiations[__i__].caps);
  fail_unless_equals_int (gst_harness_push (t.h, buffer),
      negotiations[__i__].taken ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED);
  if (negotiations[__i__].taken) {
    caps = gst_pad_get_current_caps (t.h->sinkpad);
    fail_unless (gst_caps_is_equal (caps, wanted));
    gst_caps_unref (caps);
  }
  gst_caps_unref (wanted);
}

GST_END_TEST;

/* Where frames are corrected */

/* Adds times, flags and metas of all kinds. */
static void
decorate (GstBuffer * buffer)
{
  GstCaps *reference = gst_caps_new_empty_simple ("timestamp/x-unix");

  GST_BUFFER_DTS (buffer) = GST_BUFFER_PTS (buffer) + 1;
  GST_BUFFER_OFFSET (buffer) = 1000;
  GST_BUFFER_OFFSET_END (buffer) = 1001;
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_MARKER |
      GST_BUFFER_FLAG_CORRUPTED | GST_BUFFER_FLAG_GAP |
      GST_VIDEO_BUFFER_FLAG_INTERLACED);
  gst_buffer_add_video_region_of_interest_meta (buffer, "face", 1, 2, 3, 4);
  gst_buffer_add_reference_timestamp_meta (buffer, reference, 7, 8);
  gst_buffer_add_video_time_code_meta_full (buffer, 25, 1, NULL, 0, 1, 2, 3, 4,
      0);
  gst_caps_unref (reference);
}

static void
check_decoration (GstBuffer * buffer, GstClockTime pts)
{
  GstVideoRegionOfInterestMeta *region =
      gst_buffer_get_video_region_of_interest_meta (buffer);
  GstReferenceTimestampMeta *timestamp =
      gst_buffer_get_reference_timestamp_meta (buffer, NULL);
  GstVideoTimeCodeMeta *time_code =
      gst_buffer_get_video_time_code_meta (buffer);

  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), pts);
  fail_unless_equals_uint64 (GST_BUFFER_DTS (buffer), pts + 1);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer), FRAME_TIME);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), 1000);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (buffer), 1001);
  fail_unless_equals_int (gst_buffer_get_flags (buffer) &
      ~GST_BUFFER_FLAG_TAG_MEMORY, GST_BUFFER_FLAG_MARKER |
      GST_BUFFER_FLAG_CORRUPTED | GST_BUFFER_FLAG_GAP |
      GST_VIDEO_BUFFER_FLAG_INTERLACED);
  fail_unless (region && region->x == 1 && region->h == 4);
  fail_unless (timestamp && timestamp->duration == 8);
  fail_unless (time_code && time_code->tc.frames == 4);
  fail_unless (gst_buffer_get_video_meta (buffer) == NULL);
}

/* Nothing else holds them: the same buffers leave, with other pixels. */
GST_START_TEST (test_in_place)
{
  guint n;

  init_at_once (NULL, NULL);
  for (n = 0; n < 10; n++) {
    GstBuffer *buffer = make_frame (n * FRAME_TIME), *out;
    GstMemory *memory = gst_buffer_peek_memory (buffer, 0);

    decorate (buffer);
    out = test_element_pass (&t, buffer);
    fail_unless (out == buffer);
    fail_unless (gst_buffer_peek_memory (out, 0) == memory);
    fail_unless (has_bytes (out, equalized));
    check_decoration (out, n * FRAME_TIME);
    gst_buffer_unref (out);
  }
  check_counts (10, 0);
}

GST_END_TEST;

/* Ways to hold a frame. */
enum
{
  HOLD_BUFFER,
  HOLD_COPY,
  HOLD_MEMORY,
  READONLY_MEMORY,
  N_HOLDS
};

/* A frame that must not be written to, and its holder. */
static GstBuffer *
make_held (guint how, GstClockTime pts, GstMiniObject ** holder)
{
  GstBuffer *buffer = make_frame (pts);

  *holder = NULL;
  if (how == READONLY_MEMORY) {
    GstMemory *memory = gst_buffer_get_all_memory (buffer);

    GST_MINI_OBJECT_FLAG_SET (memory, GST_MEMORY_FLAG_READONLY);
    gst_buffer_replace_all_memory (buffer, memory);
  }
  decorate (buffer);
  if (how == HOLD_BUFFER) {
    *holder = GST_MINI_OBJECT (gst_buffer_ref (buffer));
  } else if (how == HOLD_COPY) {
    *holder = GST_MINI_OBJECT (gst_buffer_copy (buffer));
  } else if (how == HOLD_MEMORY) {
    GstBuffer *other = gst_buffer_new ();

    gst_buffer_append_memory (other, gst_buffer_get_memory (buffer, 0));
    *holder = GST_MINI_OBJECT (other);
  }
  return buffer;
}

/* The held frame is unchanged, and a copy leaves with all of its properties. */
GST_START_TEST (test_not_in_place)
{
  guint n;

  init_at_once (NULL, NULL);
  for (n = 0; n < 10; n++) {
    GstMiniObject *holder;
    GstBuffer *buffer = make_held (__i__, n * FRAME_TIME, &holder);
    GstMemory *memory = gst_buffer_get_memory (buffer, 0);
    GstMapInfo map;
    GstBuffer *out;

    out = test_element_pass (&t, buffer);
    fail_unless (gst_buffer_peek_memory (out, 0) != memory);
    fail_unless (has_bytes (out, equalized));
    check_decoration (out, n * FRAME_TIME);
    fail_unless (gst_buffer_get_parent_buffer_meta (out) == NULL);
    gst_buffer_unref (out);

    fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
    fail_unless (memcmp (map.data, gray, SIZE) == 0, "it was written to");
    gst_memory_unmap (memory, &map);
    gst_memory_unref (memory);
    if (holder)
      gst_mini_object_unref (holder);
  }
  check_counts (10, 0);
}

GST_END_TEST;

/* The memory of copies is reused. */
GST_START_TEST (test_copies_are_pooled)
{
  GstBuffer *buffer, *out;
  GstMemory *first = NULL;
  guint n;

  test_element_init_equalize (&t, CAPS, NULL, NULL);
  for (n = 0; n < 10; n++) {
    buffer = make_frame (n * FRAME_TIME);
    out = test_element_pass (&t, gst_buffer_ref (buffer));
    fail_if (out == buffer);
    if (n == 0)
      first = gst_buffer_peek_memory (out, 0);
    else
      fail_unless (gst_buffer_peek_memory (out, 0) == first);
    gst_buffer_unref (buffer);
    gst_buffer_unref (out);
  }
}

GST_END_TEST;

/* Downstream has requirements for memory. */
static GstPadProbeReturn
answer_allocation (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info,
    G_GNUC_UNUSED gpointer user_data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  GstAllocationParams params;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;

  gst_allocation_params_init (&params);
  params.align = 4095;
  gst_query_add_allocation_param (query, NULL, &params);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return GST_PAD_PROBE_HANDLED;
}

GST_START_TEST (test_downstream_allocation)
{
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstAllocationParams params;
  GstBuffer *buffer = make_frame (0), *out;
  GstMapInfo map;

  test_element_init_equalize (&t, CAPS, NULL, NULL);
  gst_pad_add_probe (t.h->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      answer_allocation, NULL, NULL);

  /* Upstream gets them, and the element's own requirements. */
  fail_unless (gst_pad_peer_query (t.h->srcpad, query));
  fail_unless_equals_int (gst_query_get_n_allocation_params (query), 1);
  gst_query_parse_nth_allocation_param (query, 0, NULL, &params);
  fail_unless_equals_int (params.align, 4095);
  fail_unless (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE,
          NULL));
  fail_unless (gst_query_find_allocation_meta (query,
          GST_VIDEO_HISTOGRAM_META_API_TYPE, NULL));
  gst_query_unref (query);

  /* Copies meet them, too. */
  out = test_element_pass (&t, gst_buffer_ref (buffer));
  fail_if (out == buffer);
  fail_unless (gst_buffer_map (out, &map, GST_MAP_READ));
  fail_unless_equals_int ((gsize) map.data % 4096, 0);
  gst_buffer_unmap (out, &map);
  fail_unless (gst_buffer_get_video_meta (out) != NULL);
  gst_buffer_unref (out);
  gst_buffer_unref (buffer);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* Passthrough */

static gboolean
asks_for_histogram (void)
{
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  const gboolean asks = gst_pad_peer_query (t.h->srcpad, query)
      && gst_query_find_allocation_meta (query,
      GST_VIDEO_HISTOGRAM_META_API_TYPE, NULL);

  gst_query_unref (query);
  gst_caps_unref (caps);
  return asks;
}

/* Whether upstream was told to renegotiate. */
static gboolean
was_reconfigured (void)
{
  gboolean was = FALSE;
  GstEvent *event;

  while ((event = gst_harness_try_pull_upstream_event (t.h))) {
    was |= GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE;
    gst_event_unref (event);
  }
  return was;
}

/* Passes a frame untouched, whether something else holds it or not. */
static void
pass_untouched (gboolean held)
{
  GstBuffer *buffer = make_frame (0), *out;

  if (held)
    gst_buffer_ref (buffer);
  out = test_element_pass (&t, buffer);
  fail_unless (out == buffer);
  fail_unless (has_bytes (out, gray));
  gst_buffer_unref (out);
  if (held)
    gst_buffer_unref (buffer);
}

static void
pass_corrected (void)
{
  GstBuffer *out = test_element_pass (&t, make_frame (0));

  fail_unless (has_bytes (out, equalized));
  gst_buffer_unref (out);
}

static const struct
{
  const gchar *name, *off, *on;
} switches[] = {
  {"method", "none", "equalize"},
  {"strength", "0", "1"},
};

GST_START_TEST (test_passthrough)
{
  const gchar *name = switches[__i__].name;
  guint n;

  init_at_once (name, switches[__i__].off);
  fail_if (asks_for_histogram ());
  pass_untouched (FALSE);
  pass_untouched (TRUE);
  check_counts (0, 0);

  /* Switched on and off while playing. */
  for (n = 0; n < 3; n++) {
    was_reconfigured ();
    gst_util_set_object_arg (G_OBJECT (t.element), name, switches[__i__].on);
    pass_corrected ();
    fail_unless (was_reconfigured ());
    fail_unless (asks_for_histogram ());
    pass_corrected ();
    fail_if (was_reconfigured ());
    gst_util_set_object_arg (G_OBJECT (t.element), name, switches[__i__].off);
    pass_untouched (n % 2);
    fail_unless (was_reconfigured ());
    fail_if (asks_for_histogram ());
  }
  check_counts (6, 0);
}

GST_END_TEST;

/* Settings */

static void
pass_and_expect (GstClockTime pts, guint index, guint8 value)
{
  GstBuffer *out = test_element_pass (&t, make_frame (pts));
  guint8 got;

  gst_buffer_extract (out, index, &got, 1);
  fail_unless_equals_int (got, value);
  gst_buffer_unref (out);
}

/* Percentiles in the wrong order are a warning, until they are right. */
GST_START_TEST (test_percentiles_in_wrong_order)
{
  init_at_once (NULL, NULL);
  gst_util_set_object_arg (G_OBJECT (t.element), "method", "stretch");
  g_object_set (t.element, "low-percentile", 60.0, "high-percentile",
      __i__ ? 40.0 : 60.0, NULL);
  pass_and_expect (0, 40, gray[40]);
  test_element_expect (&t, GST_MESSAGE_WARNING, "method=stretch needs a "
      "low-percentile below high-percentile");
  g_object_set (t.element, "low-percentile", 0.0, "high-percentile", 100.0,
      NULL);
  pass_and_expect (0, 0, 0);
  pass_and_expect (0, 255, 255);
  check_counts (2, 1);
}

GST_END_TEST;

/* All of them take effect with the next frame. */
GST_START_TEST (test_change_while_playing)
{
  GstElement *element;

  init_at_once (NULL, NULL);
  element = t.element;
  pass_and_expect (0, 0, 0);
  pass_and_expect (0, 255, 255);

  /* Half the way from 64 to 0. */
  g_object_set (element, "strength", 0.5, NULL);
  pass_and_expect (0, 0, 32);
  g_object_set (element, "strength", 1.0, NULL);

  gst_util_set_object_arg (G_OBJECT (element), "method", "stretch");
  g_object_set (element, "low-percentile", 0.0, "high-percentile", 100.0, NULL);
  pass_and_expect (0, 0, 0);
  pass_and_expect (0, 255, 255);
  /* Everything up to the median, 127, becomes black, with a gain of 4. */
  g_object_set (element, "low-percentile", 50.0, "high-percentile", 100.0,
      NULL);
  pass_and_expect (0, 126, 0);
  /* A gain of 1 changes nothing. */
  g_object_set (element, "max-gain", 1.0, NULL);
  pass_and_expect (0, 40, gray[40]);

  /* The median, 127, goes to the middle of the range, then to a quarter. */
  gst_util_set_object_arg (G_OBJECT (element), "method", "gamma");
  g_object_set (element, "max-gain", 4.0, "target", 127 / 255.0, NULL);
  pass_and_expect (0, 127, 127);
  g_object_set (element, "target", 0.25, NULL);
  pass_and_expect (0, 127, 64);

  /* One tile without a limit equals a cumulative histogram. */
  gst_util_set_object_arg (G_OBJECT (element), "method", "clahe");
  g_object_set (element, "tiles", "1x1", "clip-limit", 0.0, NULL);
  pass_and_expect (0, 127, 128);
  check_counts (10, 0);
}

GST_END_TEST;

/* Setting properties all the time does not disturb the video. */
static gpointer
set_all_the_time (gpointer user_data)
{
  GstElement *element = user_data;
  TestRandom random = test_random_new (7);
  guint n;

  for (n = 0; n < 2000; n++) {
    g_object_set (element, "method", test_random_below (&random, 6),
        "strength", test_random_below (&random, 3) / 2.0,
        "tiles", n % 2 ? "8x8" : "3x5",
        "color", test_random_below (&random, 3),
        "smoothing", test_random_below (&random, 2) * GST_SECOND / 2,
        "clip-limit", test_random_below (&random, 4) * 1.0, NULL);
    if (n % 50 == 0)
      g_usleep (1000);
  }
  return NULL;
}

GST_START_TEST (test_properties_from_a_thread)
{
  GThread *thread;
  guint n;

  test_element_init_equalize (&t, CAPS, NULL, NULL);
  thread = g_thread_new ("set", set_all_the_time, t.element);
  for (n = 0; n < 1000; n++) {
    GstBuffer *buffer = make_frame (n * FRAME_TIME);

    test_element_push (&t, n % 2 ? gst_buffer_ref (buffer) : buffer);
    if (n % 2) {
      fail_unless (has_bytes (buffer, gray));
      gst_buffer_unref (buffer);
    }
  }
  g_thread_join (thread);
  fail_unless_equals_int (gst_harness_buffers_received (t.h), 1000);
}

GST_END_TEST;

/* State */

static void
push_value_frames (guint8 value, guint n, GstClockTime * pts)
{
  guint i;

  for (i = 0; i < n; i++) {
    GstBuffer *buffer = make_frame (*pts);

    gst_buffer_memset (buffer, 0, value, SIZE / 2);
    test_element_push (&t, buffer);
    *pts += FRAME_TIME;
  }
}

enum
{
  RESET_FLUSH,
  RESET_DISCONT,
  RESET_SEGMENT,
  RESET_CAPS,
  RESET_STATE,
  RESET_NOTHING,
  N_RESETS
};

static void
reset (guint how)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  switch (how) {
    case RESET_FLUSH:
      test_element_flush (&t);
      break;
    case RESET_SEGMENT:
      gst_harness_push_event (t.h, gst_event_new_segment (&segment));
      break;
    case RESET_CAPS:
      gst_harness_set_src_caps_str (t.h, "video/x-raw,format=GRAY8,width=16,"
          "height=16,framerate=50/1");
      break;
    case RESET_STATE:
      test_element_restart (&t, CAPS);
      break;
    default:
      break;
  }
}

/* A frame of 64x48 pixels of 17, with @picture from row @y on. */
static GstBuffer *
make_letterbox (const guint8 * picture, guint y, guint rows)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 64 * 48, NULL);

  gst_buffer_memset (buffer, 0, 17, 64 * 48);
  gst_buffer_fill (buffer, y * 64, picture, 64 * rows);
  GST_BUFFER_PTS (buffer) = 0;
  return buffer;
}

/* The bars of a letterbox stay, and the picture between them is corrected as if
 * alone; a histogram of the same region is not counted again. */
GST_START_TEST (test_letterbox)
{
  const gchar *method = __i__ ? "clahe" : "equalize";
  const guint bar = 12, bytes = 64 * 24;
  guint8 picture[64 * 24], wanted[64 * 24], code;
  TestElement histogram;
  GstBuffer *out;
  guint i;

  for (i = 0; i < bytes; i++)
    picture[i] = 60 + i * 7 % 50;
  test_element_init_equalize (&t, TEST_GRAY_CAPS (64, 24), "method", method,
      NULL);
  out = test_element_pass (&t, gst_buffer_new_memdup (picture, bytes));
  gst_buffer_extract (out, 0, wanted, bytes);
  gst_buffer_unref (out);
  test_element_clear (&t);
  fail_if (memcmp (wanted, picture, bytes) == 0);

  test_element_init_equalize (&t, TEST_GRAY_CAPS (64, 48), "method", method,
      "roi", "0,12,64,24", NULL);
  test_element_init (&histogram, TEST_GRAY_CAPS (64, 48), "attach-meta",
      "always", "roi", "0,12,64,24", "grid", __i__ ? "8x8" : "1x1", NULL);
  out = test_element_pass (&t, test_element_pass (&histogram,
          make_letterbox (picture, bar, 24)));
  fail_unless (gst_buffer_memcmp (out, bar * 64, wanted, bytes) == 0);
  for (i = 0; i < 64 * 48; i += i + 1 == bar * 64 ? bytes + 1 : 1) {
    gst_buffer_extract (out, i, &code, 1);
    fail_unless_equals_int (code, 17);
  }
  gst_buffer_unref (out);
  check_counts (0, 0);

  /* Another region while playing, then one outside the picture. */
  g_object_set (t.element, "roi", "0,0,64,12", NULL);
  out = test_element_pass (&t, make_letterbox (picture, 0, 12));
  fail_if (gst_buffer_memcmp (out, 0, picture, 64 * 12) == 0);
  gst_buffer_unref (out);
  check_counts (1, 0);
  g_object_set (t.element, "roi", "64,0,1,1", NULL);
  out = test_element_pass (&t, make_letterbox (picture, 0, 0));
  for (i = 0; i < 64 * 48; i++) {
    gst_buffer_extract (out, i, &code, 1);
    fail_unless_equals_int (code, 17);
  }
  gst_buffer_unref (out);
  check_counts (1, 1);
  test_element_expect (&t, GST_MESSAGE_WARNING, "64x48");
  test_element_clear (&histogram);
}

GST_END_TEST;

/* Events that start a new stream reset the curve; others do not. */
GST_START_TEST (test_state_is_reset)
{
  GstClockTime pts = 0;
  GstBuffer *buffer, *out;

  test_element_init_equalize (&t, CAPS, "smoothing", "10000000000",
      "scene-threshold", "1", NULL);
  push_value_frames (20, 10, &pts);
  reset (__i__);
  buffer = make_frame (pts);
  if (__i__ == RESET_DISCONT)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  out = test_element_pass (&t, buffer);
  fail_unless_equals_int (has_bytes (out, equalized), __i__ != RESET_NOTHING);
  gst_buffer_unref (out);
}

GST_END_TEST;

GST_START_TEST (test_caps_change)
{
  static const struct
  {
    const gchar *format;
    gint width, height;
  } formats[] = {
    {"I420", 64, 48}, {"RGB", 64, 48}, {"RGB", 10, 3}, {"GRAY16_LE", 1, 1},
    {"I420", 64, 48}, {"P010_10LE", 320, 240}, {"GBRA_12BE", 7, 7},
  };
  TestRandom random = test_random_new (1);
  guint i, n;

  test_element_init_equalize (&t, NULL, "method", __i__ ? "clahe" : "equalize",
      NULL);
  for (i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstCaps *caps = test_caps (formats[i].format, formats[i].width,
        formats[i].height);
    GstVideoInfo info;

    fail_unless (gst_video_info_from_caps (&info, caps));
    gst_harness_set_src_caps (t.h, caps);
    for (n = 0; n < 4; n++) {
      guint8 *bytes = g_malloc (info.size);
      GstBuffer *buffer, *out;

      test_random_fill (&random, bytes, info.size);
      buffer = gst_buffer_new_wrapped (bytes, info.size);
      out = test_element_pass (&t, n % 2 ? gst_buffer_ref (buffer) : buffer);
      fail_unless_equals_int (gst_buffer_get_size (out), info.size);
      gst_buffer_unref (out);
      if (n % 2)
        gst_buffer_unref (buffer);
    }
  }
  check_counts (4 * G_N_ELEMENTS (formats), 0);
}

GST_END_TEST;

/* 10 bits, limited range: the darkest and lightest become black and white, and
 * no more. */
GST_START_TEST (test_ten_bits)
{
  GstVideoInfo info;
  GstVideoFrame frame;
  GstBuffer *buffer, *out;
  guint i, least = 1023, most = 0;

  test_element_init_equalize (&t, "video/x-raw,format=I420_10LE,width=16,"
      "height=16,framerate=25/1", "smoothing", "0", NULL);
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_I420_10LE, WIDTH, HEIGHT);
  buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_WRITE));
  for (i = 0; i < SIZE; i++)
    ((guint16 *) frame.data[0])[i] = 300 + i;
  for (i = 0; i < SIZE / 4; i++)
    ((guint16 *) frame.data[1])[i] = ((guint16 *) frame.data[2])[i] = 512;
  gst_video_frame_unmap (&frame);

  out = test_element_pass (&t, buffer);
  fail_unless (gst_video_frame_map (&frame, &info, out, GST_MAP_READ));
  for (i = 0; i < SIZE; i++) {
    least = MIN (least, ((guint16 *) frame.data[0])[i]);
    most = MAX (most, ((guint16 *) frame.data[0])[i]);
  }
  fail_unless_equals_int (least, 64);
  fail_unless_equals_int (most, 940);
  for (i = 0; i < SIZE / 4; i++)
    fail_unless_equals_int (((guint16 *) frame.data[1])[i], 512);
  gst_video_frame_unmap (&frame);
  gst_buffer_unref (out);
}

GST_END_TEST;

/* Frames that cannot be corrected */

static GstBuffer *
make_short (void)
{
  return test_buffer_guarded (gray, SIZE - 1);
}

static GstBuffer *
make_unmappable (void)
{
  GstBuffer *buffer = gst_buffer_new ();

  gst_buffer_append_memory (buffer, test_memory_unmappable (SIZE));
  return buffer;
}

/* They leave unchanged, are counted, and cause one warning. The test hostile
 * has many more kinds. */
GST_START_TEST (test_hostile)
{
  const gboolean held = __i__ % 2, short_ = __i__ >= 4;
  guint n;

  init_at_once ("method", __i__ % 4 < 2 ? "equalize" : "clahe");
  for (n = 0; n < 5; n++) {
    GstBuffer *buffer = short_ ? make_short () : make_unmappable (), *out;
    GstMemory *memory = gst_buffer_peek_memory (buffer, 0);

    if (held)
      gst_buffer_ref (buffer);
    out = test_element_pass (&t, buffer);
    fail_unless (out == buffer);
    fail_unless (gst_buffer_peek_memory (out, 0) == memory);
    fail_unless (!short_ || gst_buffer_memcmp (out, 0, gray, SIZE - 1) == 0);
    gst_buffer_unref (out);
    if (held)
      gst_buffer_unref (buffer);
  }
  test_element_check_count (&t, "uncorrected", 5);
  fail_unless_equals_int (test_element_count_messages (&t,
          GST_MESSAGE_WARNING), 1);

  /* Valid frames are still corrected. */
  gst_util_set_object_arg (G_OBJECT (t.element), "method", "equalize");
  pass_corrected ();
  test_element_check_count (&t, "uncorrected", 5);
}

GST_END_TEST;

/* Only the crop rectangle is read and changed. */
GST_START_TEST (test_crop)
{
  GstBuffer *buffer = make_frame (0), *out;
  GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);
  guint8 bytes[SIZE];

  init_at_once (NULL, NULL);
  crop->x = crop->y = 4;
  crop->width = crop->height = 8;
  out = test_element_pass (&t, __i__ ? gst_buffer_ref (buffer) : buffer);
  gst_buffer_extract (out, 0, bytes, SIZE);
  fail_unless_equals_int (bytes[0], gray[0]);
  fail_unless_equals_int (bytes[4 * WIDTH + 4], 0);
  fail_unless_equals_int (bytes[11 * WIDTH + 11], 255);
  fail_unless_equals_int (bytes[11 * WIDTH + 12], gray[11 * WIDTH + 12]);
  crop = gst_buffer_get_video_crop_meta (out);
  fail_unless (crop != NULL && crop->x == 4 && crop->height == 8);
  gst_buffer_unref (out);
  if (__i__)
    gst_buffer_unref (buffer);
}

GST_END_TEST;

/* No frame waits for another one. */
GST_START_TEST (test_latency)
{
  test_element_init_equalize (&t, CAPS, NULL, NULL);
  gst_harness_set_upstream_latency (t.h, 123 * GST_MSECOND);
  fail_unless_equals_uint64 (gst_harness_query_latency (t.h),
      123 * GST_MSECOND);
}

GST_END_TEST;

/* Histograms from other elements */

static guint64
read_count (GstElement * pipeline, const gchar * element, const gchar * name)
{
  GstElement *e = gst_bin_get_by_name (GST_BIN (pipeline), element);
  guint64 count;

  g_object_get (e, name, &count, NULL);
  gst_object_unref (e);
  return count;
}

#define N_FRAMES 10

/* The elements between source and sink, and how many frames each videoequalize
 * must count itself. */
static const struct
{
  const gchar *between;
  guint counted[2];
} chains[] = {
  {"videoequalize name=a", {N_FRAMES}},
  {"videohistogram name=h ! videoequalize name=a", {0}},
  {"videohistogram name=h ! queue ! videoequalize name=a method=gamma", {0}},
  {"videohistogram name=h interval=1000000000 ! videoequalize name=a", {0}},
  {"videohistogram name=h attach-meta=never ! videoequalize name=a",
      {N_FRAMES}},
  {"videohistogram name=h bins=64 ! videoequalize name=a", {N_FRAMES}},
  {"videohistogram name=h roi=0,0,8,8 ! videoequalize name=a", {N_FRAMES}},
  {"videohistogram name=h channels=red ! videoequalize name=a", {N_FRAMES}},
  {"videohistogram name=h channels=luma+red ! videoequalize name=a", {0}},
  /* Tiles equal cells. */
  {"videohistogram name=h grid=3x2 ! videoequalize name=a", {N_FRAMES}},
  {"videohistogram name=h ! videoequalize name=a method=clahe", {N_FRAMES}},
  {"videohistogram name=h grid=8x8 ! videoequalize name=a method=clahe", {0}},
  {"videohistogram name=h grid=8x8 ! videoequalize name=a method=clahe "
        "tiles=4x4", {N_FRAMES}},
  /* Other pixels. */
  {"videohistogram name=h attach-meta=always ! videoscale ! "
        "video/x-raw,width=32,height=24 ! videoequalize name=a", {N_FRAMES}},
  {"videohistogram name=h attach-meta=always ! videoconvert ! "
        "video/x-raw,format=RGB ! videoequalize name=a", {N_FRAMES}},
  /* Corrected frames differ from the frames that were counted, in place or
   * not. */
  {"videohistogram name=h ! videoequalize name=a ! videoequalize name=b "
        "method=gamma", {0, N_FRAMES}},
  {"videohistogram name=h ! tee ! videoequalize name=a ! tee ! "
        "videoequalize name=b method=gamma", {0, N_FRAMES}},
  /* Frames that pass unchanged still match their histograms. */
  {"videohistogram name=h attach-meta=always ! videoequalize name=a "
        "method=none ! videoequalize name=b", {0, 0}},
};

GST_START_TEST (test_counts_once)
{
  gchar *launch = g_strdup_printf ("videotestsrc num-buffers=%d ! "
      "video/x-raw,format=I420,width=64,height=48,framerate=25/1 ! %s ! "
      "fakesink sync=false", N_FRAMES, chains[__i__].between);
  GstElement *pipeline = test_pipeline_run (launch);

  fail_unless (read_count (pipeline, "a", "counted") ==
      chains[__i__].counted[0], "%s: counted %" G_GUINT64_FORMAT,
      chains[__i__].between, read_count (pipeline, "a", "counted"));
  fail_unless_equals_uint64 (read_count (pipeline, "a", "uncorrected"), 0);
  if (strstr (launch, "name=b")) {
    fail_unless_equals_uint64 (read_count (pipeline, "b", "counted"),
        chains[__i__].counted[1]);
  }
  if (chains[__i__].counted[0] == 0 && strstr (launch, "name=h")) {
    fail_unless_equals_uint64 (read_count (pipeline, "h", "processed"),
        N_FRAMES);
  }
  test_pipeline_stop (pipeline);
  g_free (launch);
}

GST_END_TEST;

/* The other branch of a tee sees the original video. */
static GstPadProbeReturn
note_sum (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info,
    gpointer user_data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GPtrArray *sums = user_data;
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_ptr_array_add (sums, g_compute_checksum_for_data (G_CHECKSUM_MD5, map.data,
          map.size));
  gst_buffer_unmap (buffer, &map);
  return GST_PAD_PROBE_OK;
}

static GPtrArray *
tap (GstElement * pipeline, const gchar * name)
{
  GPtrArray *sums = g_ptr_array_new_with_free_func (g_free);

  test_pipeline_tap (pipeline, name, "sink", note_sum, sums);
  return sums;
}

GST_START_TEST (test_behind_a_tee)
{
  GstElement *pipeline = gst_parse_launch ("videotestsrc num-buffers=20 "
      "pattern=snow ! " CAPS " ! identity name=in ! tee name=t t. ! queue ! "
      "videoequalize ! identity name=corrected ! fakesink sync=false t. ! "
      "queue ! identity sleep-time=2000 name=other ! fakesink sync=false",
      NULL);
  GPtrArray *in = tap (pipeline, "in"), *other = tap (pipeline, "other"),
      *corrected = tap (pipeline, "corrected");
  guint i;

  test_pipeline_play_to_end (pipeline);
  test_pipeline_stop (pipeline);
  fail_unless_equals_int (other->len, 20);
  fail_unless_equals_int (corrected->len, 20);
  for (i = 0; i < 20; i++) {
    fail_unless_equals_string (other->pdata[i], in->pdata[i]);
    fail_if (strcmp (corrected->pdata[i], in->pdata[i]) == 0);
  }
  g_ptr_array_unref (in);
  g_ptr_array_unref (other);
  g_ptr_array_unref (corrected);
}

GST_END_TEST;

/* The reference for match */

/* The output of gst-launch-1.0 -m for a histogram of a frame whose pixels are
 * all 200, between other lines. */
static const gchar *
write_messages (const gchar * format, const gchar * range)
{
  GString *text = g_string_new ("Setting pipeline to PAUSED ...\nGot message "
      "#3 from element \"videohistogram0\" (state-changed): GstMessageState;\n"
      "Got message #4 from element \"videohistogram0\" (element): "
      "videohistogram, ");
  const gchar *path;
  guint i;

  g_string_append_printf (text, "width=(int)8, height=(int)4, "
      "format=(string)%s, colorimetry=(string)bt601, range=(string)%s, "
      "bins=(uint)256, luma=(uint)< ", format, range);
  for (i = 0; i < 256; i++)
    g_string_append_printf (text, "%s%d", i ? ", " : "", i == 200 ? 32 : 0);
  g_string_append (text, " >, luma-average=(double)0.5;\nGot EOS\n");
  path = test_folder_write ("messages.txt", text->str);
  g_string_free (text, TRUE);
  return path;
}

/* All pixels become the reference's only value. */
static void
check_all_200 (void)
{
  guint8 bytes[SIZE];
  GstBuffer *out = test_element_pass (&t, make_frame (0));
  guint i;

  gst_buffer_extract (out, 0, bytes, SIZE);
  for (i = 0; i < SIZE; i++)
    fail_unless_equals_int (bytes[i], 200);
  gst_buffer_unref (out);
}

GST_START_TEST (test_stored_reference)
{
  const gchar *path = write_messages ("GRAY8", "full");
  gchar *uri;

  init_at_once ("reference", path);
  check_all_200 ();
  test_property_check (t.element, "reference", path);
  test_element_clear (&t);

  uri = g_filename_to_uri (path, NULL, NULL);
  init_at_once (NULL, NULL);
  pass_corrected ();
  g_object_set (t.element, "method", 4, "reference", uri, NULL);
  check_all_200 ();
  test_element_clear (&t);
  g_free (uri);
}

GST_END_TEST;

GST_START_TEST (test_picture_as_reference)
{
  const gchar *path = test_folder_path ("picture.png");
  GstRegistry *registry = gst_registry_get ();
  GstPluginFeature *decodebin, *pngenc;
  gchar *launch;

  decodebin = gst_registry_lookup_feature (registry, "decodebin");
  pngenc = gst_registry_lookup_feature (registry, "pngenc");
  if (decodebin && pngenc) {
    launch = g_strdup_printf ("videotestsrc num-buffers=1 pattern=solid-color "
        "foreground-color=0xffc8c8c8 ! video/x-raw,format=RGB,width=8,height=8 "
        "! pngenc ! filesink location=%s", path);
    test_pipeline_stop (test_pipeline_run (launch));
    g_free (launch);
    init_at_once ("reference", path);
    check_all_200 ();
  }
  gst_clear_object (&decodebin);
  gst_clear_object (&pngenc);
}

GST_END_TEST;

static const gchar *const bad_files[] = {
  "", "This is a text.\n", "videohistogram, ",
  "videohistogram, width=(int)8, height=(int)4, format=(string)GRAY8;\n",
  "videohistogram, width=(int)8, height=(int)4, format=(string)GRAY8, "
      "luma=(uint)<  >;\n",
  "videohistogram, width=(int)8, height=(int)4, format=(string)GRAY8, "
      "luma=(string)< many >;\n",
  "videohistogram, width=(int)8, height=(int)4, format=(string)BEIGE, "
      "luma=(uint)< 1, 2 >;\n",
  "videohistogram, format=(string)GRAY8, luma=(uint)< 1, 2 >;\n",
  /* A million of the following characters must not overflow the stack. */
  "nested:<", "nested:{", "nested:[", "nested:[a,b=", "nested:<{[",
  "nested:<\"",
  NULL,                         /* missing file */
  ".",                          /* a folder */
  "/sys/devices/system/cpu/online"      /* a file that cannot be mapped */
};

/* A file with a million levels of nesting, each opened by @bracket. */
static const gchar *
write_nested (const gchar * bracket)
{
  GString *text = g_string_new ("videohistogram, luma=");
  const gchar *path;
  guint i;

  for (i = 0; i < 1000000; i++)
    g_string_append (text, bracket);
  path = test_folder_write ("bad", text->str);
  g_string_free (text, TRUE);
  return path;
}

static const gchar *
write_bad_file (const gchar * text)
{
  if (!text)
    return "/nowhere/bad";
  if (g_str_equal (text, "."))
    return test_folder_path ("");
  if (g_str_has_prefix (text, "nested:"))
    return write_nested (text + strlen ("nested:"));
  return *text == '/' ? text : test_folder_write ("bad", text);
}

/* At the start it is an error; while playing it is a warning, and the old
 * reference stays. */
GST_START_TEST (test_bad_reference)
{
  const gchar *good = write_messages ("GRAY8", "full");
  const gchar *bad = write_bad_file (bad_files[__i__]);

  init_at_once ("reference", good);
  check_all_200 ();
  g_object_set (t.element, "reference", bad, NULL);
  test_element_expect (&t, GST_MESSAGE_WARNING, bad);
  test_property_check (t.element, "reference", good);
  check_all_200 ();

  gst_element_set_state (t.element, GST_STATE_READY);
  g_object_set (t.element, "reference", bad, NULL);
  fail_unless_equals_int (gst_element_set_state (t.element, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  test_element_expect (&t, GST_MESSAGE_ERROR, bad);
  test_element_clear (&t);
}

GST_END_TEST;

/* No decoder is available. */
GST_START_TEST (test_reference_without_decoder)
{
  GstRegistry *registry = gst_registry_get ();
  GstPluginFeature *decodebin = gst_registry_lookup_feature (registry,
      "decodebin");
  const gchar *path = test_folder_write ("picture", "This may be a picture.\n");

  if (decodebin)
    gst_registry_remove_feature (registry, decodebin);
  test_element_init_equalize (&t, CAPS, NULL, NULL);
  g_object_set (t.element, "reference", path, NULL);
  test_element_expect (&t, GST_MESSAGE_WARNING, "decodebin");
  test_element_clear (&t);
  if (decodebin)
    gst_registry_add_feature (registry, decodebin);
  gst_clear_object (&decodebin);
}

GST_END_TEST;

/* Without a reference frames pass, with one warning per minute, however often
 * the element restarts. */
GST_START_TEST (test_no_reference)
{
  const gchar *path = write_messages ("GRAY8", "full");

  init_at_once ("method", "match");
  pass_untouched (FALSE);
  pass_untouched (TRUE);
  test_element_check_count (&t, "uncorrected", 2);
  test_element_expect (&t, GST_MESSAGE_WARNING, "set the property reference");
  reset (RESET_STATE);
  pass_untouched (FALSE);
  fail_unless_equals_int (test_element_count_messages (&t,
          GST_MESSAGE_WARNING), 0);

  g_object_set (t.element, "reference", path, NULL);
  check_all_200 ();
  g_object_set (t.element, "reference", NULL, NULL);
  pass_untouched (FALSE);
  test_element_clear (&t);
}

GST_END_TEST;

TEST_SUITE (videoequalize, setup, teardown)
{
  tcase_add_test (tc, test_properties);
  tcase_add_test (tc, test_malformed);
  tcase_add_test (tc, test_templates);
  tcase_add_loop_test (tc, test_negotiation, 0, G_N_ELEMENTS (negotiations));
  tcase_add_test (tc, test_in_place);
  tcase_add_loop_test (tc, test_not_in_place, 0, N_HOLDS);
  tcase_add_test (tc, test_copies_are_pooled);
  tcase_add_test (tc, test_downstream_allocation);
  tcase_add_loop_test (tc, test_passthrough, 0, G_N_ELEMENTS (switches));
  tcase_add_loop_test (tc, test_percentiles_in_wrong_order, 0, 2);
  tcase_add_test (tc, test_change_while_playing);
  tcase_add_test (tc, test_properties_from_a_thread);
  tcase_add_loop_test (tc, test_letterbox, 0, 2);
  tcase_add_loop_test (tc, test_state_is_reset, 0, N_RESETS);
  tcase_add_loop_test (tc, test_caps_change, 0, 2);
  tcase_add_test (tc, test_ten_bits);
  tcase_add_loop_test (tc, test_hostile, 0, 8);
  tcase_add_loop_test (tc, test_crop, 0, 2);
  tcase_add_test (tc, test_latency);
  tcase_add_loop_test (tc, test_counts_once, 0, G_N_ELEMENTS (chains));
  tcase_add_test (tc, test_behind_a_tee);
  tcase_add_test (tc, test_stored_reference);
  tcase_add_test (tc, test_picture_as_reference);
  tcase_add_loop_test (tc, test_bad_reference, 0, G_N_ELEMENTS (bad_files));
  tcase_add_test (tc, test_reference_without_decoder);
  tcase_add_test (tc, test_no_reference);
}
