/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element videohealth reports the same as the library for the same frames,
 * however they arrive. */

#include "common/element.h"
#include "common/env.h"
#include "common/folder.h"
#include "common/log.h"
#include "common/suite.h"

#include <glib/gstdio.h>
#include <gst/videohistogram/videohistogram.h>
#include <sys/stat.h>
#include <unistd.h>

#define WIDTH 64
#define HEIGHT 48
#define CAPS "video/x-raw,format=I420,width=64,height=48,framerate=25/1"
#define FRAME_TIME (40 * GST_MSECOND)

/* Longer than anything takes. */
#define MAX_WAIT (TEST_MAX_WAIT * GST_SECOND)

static TestElement t;

static void
teardown (void)
{
  test_element_clear (&t);
  test_folder_remove ();
}

/* A frame of a scene: texture, black, flashes and color, by its number. */
static GstBuffer *
make_frame (guint n)
{
  const guint scene = n / 25 % 4;
  guint8 *data = g_malloc (WIDTH * HEIGHT * 3 / 2);
  GstBuffer *buffer;
  guint i;

  for (i = 0; i < WIDTH * HEIGHT; i++) {
    const guint texture = 60 + (i * 7 + i / WIDTH * 13 + n * 3) % 120;

    data[i] = scene == 1 ? 16 : scene == 2 && n / 2 % 2 ? 235 : texture;
  }
  memset (data + WIDTH * HEIGHT, scene == 3 ? 200 : 128,
      WIDTH * HEIGHT / 2);
  buffer = gst_buffer_new_wrapped (data, WIDTH * HEIGHT * 3 / 2);
  GST_BUFFER_PTS (buffer) = n * FRAME_TIME;
  GST_BUFFER_DURATION (buffer) = FRAME_TIME;
  return buffer;
}

#define N_FRAMES 300
#define RULES "black,duration=200ms; dark,duration=200ms,hold=0; " \
    "low-contrast,duration=400ms,hold=0; " \
    "color-cast,duration=200ms,hold=0; " \
    "monochrome,duration=200ms,hold=0"

#define ALL_BUT_FROZEN (GST_VIDEO_HEALTH_CONDITIONS_ALL & \
    ~GST_VIDEO_HEALTH_CONDITIONS_FROZEN)

#define FORMAT "%s %d %.17g %.17g %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT \
    " %s %d"

/* The next change as text, without fields that only the element knows, or
 * NULL. */
static gchar *
pop_change (void)
{
  GstMessage *message = gst_bus_pop_filtered (t.bus, GST_MESSAGE_ELEMENT);
  const GstStructure *s;
  const gchar *description;
  gchar *text;
  gdouble value, threshold;
  guint64 since, time;
  gboolean active, topic_active;

  if (!message)
    return NULL;
  s = gst_message_get_structure (message);
  fail_unless_equals_string (gst_structure_get_name (s), "videohealth");
  fail_unless (gst_structure_get (s, "active", G_TYPE_BOOLEAN, &active,
          "value", G_TYPE_DOUBLE, &value,
          "threshold", G_TYPE_DOUBLE, &threshold,
          "since", G_TYPE_UINT64, &since,
          "running-time", G_TYPE_UINT64, &time,
          "topic-active", G_TYPE_BOOLEAN, &topic_active, NULL));
  text = g_strdup_printf (FORMAT, gst_structure_get_string (s, "condition"),
      active, value, threshold, since, time,
      gst_structure_get_string (s, "topic"), topic_active);
  description = gst_structure_get_string (s, "description");
  fail_unless (strstr (description, active ? "; the alarm ends " :
          "; the alarm starts "), "%s: %s", text, description);
  gst_message_unref (message);
  return text;
}

static void
expect_no_change (void)
{
  gchar *text = pop_change ();

  fail_unless (text == NULL, "%s", text);
}

/* The next change must begin like this, and contain @part. */
static void
expect_change (const gchar * beginning, const gchar * part)
{
  gchar *text = pop_change ();

  fail_unless (text != NULL, "not %s", beginning);
  fail_unless (g_str_has_prefix (text, beginning), "%s", text);
  fail_unless (strstr (text, part) != NULL, "%s", text);
  g_free (text);
}

static GString *
pop_changes (guint * n)
{
  GString *all = g_string_new (NULL);
  gchar *text;

  for (*n = 0; (text = pop_change ()); *n += 1) {
    g_string_append_printf (all, "%s\n", text);
    g_free (text);
  }
  return all;
}

/* Appends the changes of @health likewise. */
static void
append_changes (GString * all, GstVideoHealth * health)
{
  GstVideoHealthChange change;

  while (gst_video_health_next_change (health, &change)) {
    g_string_append_printf (all, FORMAT "\n",
        gst_video_health_condition_get_name (change.condition), change.active,
        change.value, change.threshold, change.since, change.time, change.topic,
        change.topic_active);
  }
}

/* Counts with three engines of the application, and judges with an object of
 * its own. */
static GString *
judge_by_hand (void)
{
  static const struct
  {
    guint channels, columns, rows, joint, bins;
  } parts[] = {
    {GST_VIDEO_HISTOGRAM_CHANNELS_LUMA | GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT,
        8, 8, GST_VIDEO_HISTOGRAM_JOINT_CHROMA, 128},
    {GST_VIDEO_HISTOGRAM_CHANNELS_LUMA, 1, 64,
        GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS, 128},
  };
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHistogramEngine *engines[G_N_ELEMENTS (parts)];
  GstCaps *caps = gst_caps_from_string (CAPS);
  GString *all = g_string_new (NULL);
  guint i, n;

  fail_unless (gst_video_health_set_rules (health, RULES, NULL));
  for (i = 0; i < G_N_ELEMENTS (parts); i++) {
    GstVideoHistogramSpec spec;

    gst_video_histogram_spec_init (&spec);
    spec.channels = parts[i].channels;
    spec.columns = parts[i].columns;
    spec.rows = parts[i].rows;
    spec.joint = parts[i].joint;
    spec.joint_bins = parts[i].bins;
    engines[i] = gst_video_histogram_engine_new ();
    fail_unless (gst_video_histogram_engine_open (engines[i],
            GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, NULL, NULL));
    fail_unless (gst_video_histogram_engine_configure (engines[i], caps, &spec,
            NULL));
  }
  for (n = 0; n < N_FRAMES; n++) {
    GstBuffer *frame = make_frame (n);

    for (i = 0; i < G_N_ELEMENTS (parts); i++) {
      GstVideoHistogram *histogram =
          gst_video_histogram_engine_submit (engines[i], frame, NULL, FALSE,
          NULL);

      fail_unless (gst_video_health_add_histogram (health, histogram));
      gst_video_histogram_unref (histogram);
    }
    gst_video_health_judge (health, GST_BUFFER_PTS (frame),
        GST_CLOCK_TIME_NONE);
    append_changes (all, health);
    gst_buffer_unref (frame);
  }
  for (i = 0; i < G_N_ELEMENTS (parts); i++)
    g_object_unref (engines[i]);
  gst_caps_unref (caps);
  g_object_unref (health);
  return all;
}

/* Likewise with an engine of the library, for all conditions except frozen,
 * which judge_by_hand() does not support. */
static GString *
judge_by_engine (void)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHistogramEngine *counting = gst_video_histogram_engine_new ();
  GstVideoHealthEngine *engine = gst_video_health_engine_new (health, counting);
  GstCaps *caps = gst_caps_from_string (CAPS);
  GString *all = g_string_new (NULL);
  guint n;

  gst_video_health_set_conditions (health, ALL_BUT_FROZEN);
  fail_unless (gst_video_health_set_rules (health, RULES, NULL));
  fail_unless (gst_video_histogram_engine_open (counting,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, NULL, NULL));
  fail_unless (gst_video_health_engine_configure (engine, caps, NULL));
  for (n = 0; n < N_FRAMES; n++) {
    GstBuffer *frame = make_frame (n);

    fail_unless (gst_video_health_engine_submit (engine, frame,
            GST_BUFFER_PTS (frame), GST_CLOCK_TIME_NONE, NULL));
    fail_unless (gst_video_health_engine_finish (engine, GST_CLOCK_TIME_NONE));
    append_changes (all, health);
    gst_buffer_unref (frame);
  }
  gst_video_health_engine_restart (engine);
  gst_caps_unref (caps);
  g_object_unref (engine);
  g_object_unref (counting);
  g_object_unref (health);
  return all;
}

/* An engine counts for itself after it has counted for a health engine: once it
 * is configured for that. */
GST_START_TEST (test_engine_afterwards)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHistogramEngine *counting = gst_video_histogram_engine_new ();
  GstVideoHealthEngine *engine = gst_video_health_engine_new (health, counting);
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstBuffer *frame = make_frame (0);
  GstVideoHistogramSpec spec;
  GstVideoHistogram *histogram;
  GError *error = NULL;

  fail_unless (gst_video_histogram_engine_open (counting,
          GST_VIDEO_HISTOGRAM_BACKEND_AUTO, -1, NULL, NULL));
  fail_unless (gst_video_health_engine_configure (engine, caps, NULL));
  fail_unless (gst_video_health_engine_submit (engine, frame, 0,
          GST_CLOCK_TIME_NONE, NULL));
  g_object_unref (engine);
  fail_if (gst_video_histogram_engine_submit (counting, frame, NULL, FALSE,
          &error));
  fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_SPEC));
  g_clear_error (&error);

  gst_video_histogram_spec_init (&spec);
  fail_unless (gst_video_histogram_engine_configure (counting, caps, &spec,
          NULL));
  histogram = gst_video_histogram_engine_submit (counting, frame, NULL, FALSE,
      NULL);
  fail_unless (histogram);
  gst_video_histogram_unref (histogram);
  gst_buffer_unref (frame);
  gst_caps_unref (caps);
  g_object_unref (counting);
  g_object_unref (health);
}

GST_END_TEST;

/* Pushes @frame at @pts, which must leave unchanged. */
static void
push_at (GstBuffer * frame, GstClockTime pts)
{
  GstBuffer *out;

  GST_BUFFER_PTS (frame) = pts;
  out = test_element_pass (&t, gst_buffer_ref (frame));
  fail_unless (out == frame);
  gst_buffer_unref (out);
  gst_buffer_unref (frame);
}

static void
push_frames (guint first, guint n)
{
  guint i;

  for (i = first; i < first + n; i++)
    push_at (make_frame (i), i * FRAME_TIME);
}

GST_START_TEST (test_as_by_hand)
{
  GString *by_hand = judge_by_hand (), *by_engine = judge_by_engine ();
  GString *changes;
  guint n;

  test_element_init_health (&t, CAPS, "rules", RULES, NULL);
  g_object_set (t.element, "conditions", ALL_BUT_FROZEN, NULL);
  gst_element_set_state (t.element, GST_STATE_PAUSED);
  push_frames (0, N_FRAMES);
  changes = pop_changes (&n);
  fail_unless_equals_string (changes->str, by_hand->str);
  fail_unless (n >= 10, "%u changes", n);
  fail_unless (strstr (changes->str, "black 1 ") != NULL);
  fail_unless (strstr (changes->str, "flashing 1 ") != NULL);
  fail_unless (strstr (changes->str, "monochrome 0 ") != NULL);
  test_element_check_count (&t, "processed", N_FRAMES);
  fail_unless_equals_string (by_engine->str, by_hand->str);
  g_string_free (by_hand, TRUE);
  g_string_free (by_engine, TRUE);
  g_string_free (changes, TRUE);
}

GST_END_TEST;

/* Runs every @step th frame through @elements, one of which is `h`. */
static GString *
run_elements (const gchar * elements, guint step, guint * n)
{
  GString *changes;
  guint i;

  t.h = gst_harness_new_parse (elements);
  t.element = gst_bin_get_by_name (GST_BIN (t.h->element), "h");
  t.bus = gst_bus_new ();
  gst_element_set_bus (t.element, t.bus);
  g_object_set (t.element, "rules", RULES, NULL);
  gst_harness_set_src_caps_str (t.h, CAPS);
  for (i = 0; i < N_FRAMES; i += step)
    test_element_push (&t, make_frame (i));
  changes = pop_changes (n);
  test_element_clear (&t);
  return changes;
}

static const gchar *const upstream[] = {
  "videohistogram interval=0 attach-meta=always channels=luma+gradient "
      "grid=8x8 joint=chroma joint-bins=128",
  "videohistogram interval=0 attach-meta=always channels=luma+gradient "
      "grid=8x8",
  "videohistogram interval=0 attach-meta=always grid=1x64 joint=previous "
      "joint-bins=128",
  "videohistogram interval=0 attach-meta=always grid=4x4 joint=chroma",
};

GST_START_TEST (test_meta)
{
  gchar *elements = g_strdup_printf ("%s ! videohealth name=h",
      upstream[__i__]);
  guint n, n_with;
  GString *without = run_elements ("videohealth name=h", 1, &n);
  GString *with = run_elements (elements, 1, &n_with);

  fail_unless_equals_string (with->str, without->str);
  fail_unless (n >= 10);
  g_string_free (with, TRUE);
  g_string_free (without, TRUE);
  g_free (elements);
}

GST_END_TEST;

/* In these pipelines frames are 40 ms apart and videohealth judges every fifth:
 * alone, and next to other elements. */
static const gchar *const seldom[] = {
  "videohealth name=h interval=200000000",
  "videohealth interval=0 ! videohealth name=h interval=200000000 ! "
      "videohealth interval=1000000000",
  "videohistogram interval=200000000 channels=luma+gradient grid=8x8 ! "
      "videohealth name=h interval=200000000 ! videohistogram interval=0",
  "videohistogram interval=0 attach-meta=always channels=luma+gradient "
      "grid=8x8 joint=chroma joint-bins=128 ! "
      "videohealth name=h interval=200000000",
  "videohealth name=h interval=160000001",
};

/* The reports equal those of a stream of these frames alone. */
GST_START_TEST (test_seldom)
{
  guint n, n_seldom;
  GString *alone = run_elements ("videohealth name=h", 5, &n);
  GString *among = run_elements (seldom[__i__], 1, &n_seldom);

  fail_unless_equals_string (among->str, alone->str);
  fail_unless (n >= 6, "%u changes", n);
  fail_if (strstr (among->str, "flashing") != NULL);
  g_string_free (among, TRUE);
  g_string_free (alone, TRUE);
}

GST_END_TEST;

/* Which frames are judged; those in between are in no counter and leave the
 * values alone. */
GST_START_TEST (test_interval)
{
  const guint64 second = GST_SECOND;
  GstStructure *values;

  test_element_init_health (&t, CAPS, "interval", "200000000", "conditions",
      "black", NULL);
  gst_element_set_state (t.element, GST_STATE_PAUSED);
  push_frames (25, 24);
  test_element_check_count (&t, "processed", 5);
  g_object_get (t.element, "values", &values, NULL);
  fail_unless (gst_structure_has_field (values, "black"));
  gst_structure_free (values);

  g_object_set (t.element, "interval", (guint64) 0, NULL);
  push_frames (49, 10);
  test_element_check_count (&t, "processed", 15);
  g_object_set (t.element, "interval", second, NULL);
  push_frames (59, 24);
  test_element_check_count (&t, "processed", 15);
  push_frames (83, 1);
  test_element_check_count (&t, "processed", 16);

  /* A frame whose time jumps back is due, as is the first one after a flush,
   * but not the first one with other caps. */
  push_frames (70, 5);
  test_element_check_count (&t, "processed", 17);
  test_element_flush (&t);
  push_frames (71, 5);
  test_element_check_count (&t, "processed", 18);
  gst_harness_set_src_caps_str (t.h, "video/x-raw,format=I420,width=64,"
      "height=48,framerate=30/1");
  push_frames (76, 19);
  test_element_check_count (&t, "processed", 18);
  push_frames (96, 1);
  test_element_check_count (&t, "processed", 19);
  g_object_set (t.element, "interval", G_MAXUINT64, NULL);
  push_frames (97, 100);
  test_element_check_count (&t, "processed", 19);
  test_element_check_count (&t, "dropped", 0);
  test_element_check_count (&t, "skipped", 0);
}

GST_END_TEST;

/* Frames without times are timed by their arrival; frames that cannot be judged
 * are not due more often. */
GST_START_TEST (test_interval_without_times)
{
  guint i;

  test_element_init_health (&t, CAPS, "interval", "3600000000000", NULL);
  for (i = 0; i < 10; i++) {
    GstBuffer *frame = make_frame (i);

    GST_BUFFER_PTS (frame) = GST_CLOCK_TIME_NONE;
    test_element_push (&t, frame);
  }
  test_element_check_count (&t, "processed", 1);
  test_element_check_count (&t, "skipped", 0);
  test_element_flush (&t);
  for (i = 0; i < 10; i++) {
    GstBuffer *frame = make_frame (i);

    gst_buffer_resize (frame, 0, 10);
    test_element_push (&t, frame);
  }
  test_element_check_count (&t, "processed", 1);
  test_element_check_count (&t, "skipped", 1);
}

GST_END_TEST;

static void
note_change (GstElement * element, const GstVideoHealthChange * change,
    GString * seen)
{
  guint conditions;

  g_object_get (element, "active", &conditions, NULL);
  fail_unless_equals_int ((conditions >> change->condition) & 1,
      change->active);
  g_object_set (element, "rules", RULES, "conditions",
      GST_VIDEO_HEALTH_CONDITIONS_BLACK, NULL);
  g_string_append_printf (seen, "%s %d;",
      gst_video_health_condition_get_name (change->condition), change->active);
}

static void
count_notify (G_GNUC_UNUSED GObject * object, G_GNUC_UNUSED GParamSpec * pspec,
    guint * n)
{
  *n += 1;
}

/* A handler may set properties. */
GST_START_TEST (test_signal)
{
  GString *seen = g_string_new (NULL);
  GstStructure *values, *pending;
  guint notified = 0;
  GstClockTime time;
  gdouble value;

  test_element_init_health (&t, CAPS, "rules", RULES, "conditions", "black",
      NULL);
  g_signal_connect (t.element, "change", G_CALLBACK (note_change), seen);
  g_signal_connect (t.element, "notify::active", G_CALLBACK (count_notify),
      &notified);
  push_frames (0, 28);
  g_object_get (t.element, "values", &values, NULL);
  fail_unless (gst_structure_get (values, "pending", GST_TYPE_STRUCTURE,
          &pending, NULL));
  fail_unless (gst_structure_get_clock_time (pending, "black", &time));
  fail_unless_equals_uint64 (time, 2 * FRAME_TIME);
  gst_structure_free (pending);
  gst_structure_free (values);
  push_frames (28, 17);
  g_object_get (t.element, "values", &values, NULL);
  fail_unless (gst_structure_get_double (values, "black", &value));
  fail_unless (value == 1);
  fail_unless_equals_int (gst_structure_n_fields (values), 1);
  gst_structure_free (values);
  push_frames (45, 30);
  fail_unless_equals_string (seen->str, "black 1;black 0;");
  fail_unless_equals_int (notified, 2);
  g_string_free (seen, TRUE);
}

GST_END_TEST;

/* After a restart, the duration of a pending start begins again. */
GST_START_TEST (test_restart)
{
  GstVideoHealth *health = gst_video_health_new ();
  GstVideoHealthChange change;

  fail_unless (gst_video_health_set_rules (health, "signal-loss,enter=2",
          NULL));
  gst_video_health_judge (health, 10 * GST_SECOND, GST_CLOCK_TIME_NONE);
  gst_video_health_restart (health);
  fail_unless (gst_video_health_wants_frame (health));
  gst_video_health_tick (health, 13 * GST_SECOND);
  fail_if (gst_video_health_next_change (health, &change));
  gst_video_health_tick (health, 15 * GST_SECOND);
  fail_unless (gst_video_health_next_change (health, &change));
  fail_unless_equals_uint64 (change.since, 13 * GST_SECOND);
  g_object_unref (health);
}

GST_END_TEST;

static void
push_still (guint first, guint n)
{
  guint i;

  for (i = first; i < first + n; i++)
    push_at (make_frame (0), i * FRAME_TIME);
}

/* An unchanging picture is frozen from its first frame on. */
GST_START_TEST (test_frozen)
{
  test_element_init_health (&t, CAPS, "rules", "frozen,duration=400ms",
      "conditions", "frozen", NULL);
  push_frames (1, 4);
  push_still (5, 10);
  expect_no_change ();
  push_still (15, 5);
  expect_change ("frozen 1 0 ", " 200000000 600000000 ");
  push_frames (20, 1);
  expect_change ("frozen 0 ", "");
}

GST_END_TEST;

#define FIELDS "video/x-raw(format:Interlaced),format=I420,width=64," \
    "height=48,framerate=25/1,interlace-mode=alternate," \
    "field-order=top-field-first"
#define FIELD_TIME (FRAME_TIME / 2)

/* Pushes fields of a picture of @grey, whose rows differ. */
static void
push_fields (guint first, guint n, guint8 grey)
{
  const gsize size = WIDTH * HEIGHT / 2;
  guint i;

  for (i = first; i < first + n; i++) {
    GstBuffer *field = gst_buffer_new_allocate (NULL, size * 3 / 2, NULL);

    gst_buffer_memset (field, 0, i % 2 ? grey : grey + 40, size);
    gst_buffer_memset (field, size, 128, size / 2);
    GST_BUFFER_PTS (field) = i * FIELD_TIME;
    GST_BUFFER_DURATION (field) = FIELD_TIME;
    GST_BUFFER_FLAG_SET (field, GST_VIDEO_BUFFER_FLAG_INTERLACED |
        (i % 2 ? GST_VIDEO_BUFFER_FLAG_BOTTOM_FIELD :
            GST_VIDEO_BUFFER_FLAG_TOP_FIELD));
    test_element_push (&t, field);
  }
}

/* A field is compared with a field of the same parity. */
GST_START_TEST (test_frozen_fields)
{
  test_element_init_health (&t, FIELDS, "rules", "frozen,duration=400ms",
      "conditions", "frozen", NULL);
  push_fields (0, 10, 60);
  expect_no_change ();
  push_fields (10, 20, 60);
  expect_change ("frozen 1 0 ", "");
  push_fields (30, 2, 80);
  expect_change ("frozen 0 ", "");
  push_fields (32, 10, 100);
  expect_no_change ();
}

GST_END_TEST;

/* A stream's tags show whether it was coded: then a picture that does not
 * change between key frames is not frozen. */
GST_START_TEST (test_frozen_by_tags)
{
  guint i, k;

  for (i = 0; i < 3; i++) {
    gchar *text;

    test_element_init_health (&t, CAPS, "conditions", "frozen", NULL);
    if (i > 0) {
      gst_harness_push_event (t.h,
          gst_event_new_tag (gst_tag_list_new (GST_TAG_VIDEO_CODEC,
                  i == 1 ? "H.264" : "Uncompressed 4:2:0", NULL)));
    }
    for (k = 0; k < 40; k++) {
      push_frames (k * 75, 1);
      push_still (k * 75 + 1, 74);
    }
    text = pop_change ();
    fail_unless ((text != NULL) == (i != 1));
    g_free (text);
    test_element_clear (&t);
  }
  test_element_init_health (&t, CAPS, "conditions", "frozen", NULL);
}

GST_END_TEST;

/* A still picture with a clock of 16x12 pixels, from 8, 8 on. */
static void
push_clock (guint first, guint n)
{
  guint i, y;

  for (i = first; i < first + n; i++) {
    GstBuffer *buffer = make_frame (0);
    GstMapInfo map;

    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
    for (y = 8; y < 20; y++)
      memset (map.data + y * WIDTH + 8, i % 2 ? 235 : 16, 16);
    for (y = 4; y < 10; y++)
      memset (map.data + WIDTH * HEIGHT + y * WIDTH / 2 + 4, i % 256, 8);
    gst_buffer_unmap (buffer, &map);
    GST_BUFFER_PTS (buffer) = i * FRAME_TIME;
    test_element_push (&t, buffer);
  }
}

/* A clock hides a freeze until every pixel of it is ignored. */
GST_START_TEST (test_ignore_clock)
{
  test_element_init_health (&t, CAPS, "rules", "frozen,duration=400ms",
      "conditions", "frozen", NULL);
  push_clock (0, 30);
  expect_no_change ();
  g_object_set (t.element, "ignore",
      "frozen,x=0.125,y=0.17,width=0.234,height=0.24", NULL);
  push_clock (30, 30);
  expect_no_change ();
  g_object_set (t.element, "ignore",
      "frozen,x=0.125,y=0.17,width=0.25,height=0.24", NULL);
  push_clock (60, 20);
  expect_change ("frozen 1 0 ", "");
  g_object_set (t.element, "ignore", "", NULL);
  push_clock (80, 4);
  expect_change ("frozen 0 ", "");
}

GST_END_TEST;

GST_START_TEST (test_bad_ignore)
{
  const gchar *good = "bright,x=0.8,y=0,width=0.2,height=0.2";

  test_element_init_health (&t, CAPS, "ignore", good, NULL);
  test_log_catch ();
  g_object_set (t.element, "ignore", "banding,x=0,y=0,width=1,height=1", NULL);
  test_log_expect ("banding", "not set", "cannot ignore rectangles", NULL);
  test_element_check_string (&t, "ignore", good);
  g_object_set (t.element, "ignore", NULL, NULL);
  test_element_check_string (&t, "ignore", "");
}

GST_END_TEST;

/* The sensitivity has the thresholds that rules leave out. */
GST_START_TEST (test_sensitivity)
{
  guint sensitivity;

  test_element_init_health (&t, CAPS, "sensitivity", "low", "conditions",
      "black", "rules", "black,duration=200ms", NULL);
  push_frames (0, 100);
  expect_change ("black 1 1 0.995 ", "");
  expect_change ("black 0 0 0.98499999999999999 ", "");
  g_object_set (t.element, "sensitivity", GST_VIDEO_HEALTH_SENSITIVITY_HIGH,
      NULL);
  g_object_get (t.element, "sensitivity", &sensitivity, NULL);
  fail_unless_equals_int (sensitivity, GST_VIDEO_HEALTH_SENSITIVITY_HIGH);
  push_frames (100, 100);
  expect_change ("black 1 1 0.94999999999999996 ", "");
}

GST_END_TEST;

GST_START_TEST (test_bad_rules)
{
  test_element_init_health (&t, CAPS, "rules", "dark,enter=0.95", NULL);
  test_log_catch ();
  g_object_set (t.element, "rules", "dork,enter=1", NULL);
  test_log_expect ("dork", "not set", "flapping", NULL);
  test_element_check_string (&t, "rules", "dark,enter=0.95");
  g_object_set (t.element, "rules", "dark,enter=7", NULL);
  test_log_expect ("dark", "0 to 1", NULL);
  test_element_check_string (&t, "rules", "dark,enter=0.95");
  g_object_set (t.element, "rules", NULL, NULL);
  test_element_check_string (&t, "rules", "");
}

GST_END_TEST;

/* With other caps, the durations of pending starts begin again. */
GST_START_TEST (test_caps_change)
{
  test_element_init_health (&t, CAPS, "rules", "black,duration=1s",
      "conditions", "black", NULL);
  push_frames (25, 20);
  gst_harness_set_src_caps_str (t.h, "video/x-raw,format=I420,width=64,"
      "height=48,framerate=30/1");
  push_frames (25, 20);
  expect_no_change ();
  test_element_restart (&t, CAPS);
  push_frames (130, 18);
  expect_no_change ();
  test_element_flush (&t);
  push_frames (25, 25);
  expect_no_change ();
  push_frames (125, 1);
  expect_change ("black 1 ", "");
}

GST_END_TEST;

/* Waits for the next change, which must be this one. Returns its running
 * time. */
static guint64
wait_for_change (const gchar * condition, gboolean active, guint64 * since)
{
  GstMessage *message = gst_bus_timed_pop_filtered (t.bus, MAX_WAIT,
      GST_MESSAGE_ELEMENT);
  const GstStructure *s;
  gboolean is;
  guint64 time;

  fail_unless (message != NULL, "no message");
  s = gst_message_get_structure (message);
  fail_unless_equals_string (gst_structure_get_string (s, "condition"),
      condition);
  fail_unless (gst_structure_get (s, "active", G_TYPE_BOOLEAN, &is,
          "running-time", G_TYPE_UINT64, &time, "since", G_TYPE_UINT64, since,
          NULL));
  fail_unless_equals_int (is, active);
  if (strcmp (condition, "signal-loss") == 0)
    fail_unless_equals_string (gst_structure_get_string (s, "topic"),
        "tns1:VideoSource/SignalLoss");
  gst_message_unref (message);
  return time;
}

static void
expect_signal_loss (gboolean active)
{
  guint64 since;

  wait_for_change ("signal-loss", active, &since);
}

#define LOSS_RULES "signal-loss,enter=0.3,leave=0.1"

static void
init_for_loss (void)
{
  test_element_init_health (&t, CAPS, "rules", LOSS_RULES, "conditions",
      "signal-loss", NULL);
}

/* Leaving PLAYING ends the thread that watches for signal loss. */
GST_START_TEST (test_stopped_element_is_not_referenced)
{
  guint i;

  for (i = 0; i < 50; i++) {
    GstElement *element = gst_element_factory_make ("videohealth", NULL);

    gst_object_ref_sink (element);
    gst_element_set_state (element, GST_STATE_PLAYING);
    gst_element_set_state (element, GST_STATE_NULL);
    fail_unless_equals_int (GST_OBJECT_REFCOUNT_VALUE (element), 1);
    gst_object_unref (element);
  }
}

GST_END_TEST;

/* With and without an earlier frame. */
GST_START_TEST (test_signal_loss)
{
  init_for_loss ();
  if (__i__)
    push_frames (0, 1);
  expect_signal_loss (TRUE);
  push_frames (1, 1);
  expect_signal_loss (FALSE);
  expect_signal_loss (TRUE);
}

GST_END_TEST;

/* Frames that are not judged count as a signal: it is lost after the last of
 * them, and back with the next. They come less often than the timer checks, and
 * two seconds apart by their own times. */
GST_START_TEST (test_signal_loss_with_interval)
{
  GstMessage *message;
  guint i;

  test_element_init_health (&t, CAPS, "rules", "signal-loss,enter=4,leave=1",
      "conditions", "signal-loss", "interval", "3600000000000", NULL);
  for (i = 0; i < 4; i++) {
    message = gst_bus_timed_pop_filtered (t.bus, 450 * GST_MSECOND,
        GST_MESSAGE_ELEMENT);
    fail_unless (message == NULL, "lost before frame %u", i);
    push_frames (1 + 50 * i, 1);
  }
  test_element_check_count (&t, "processed", 1);
  expect_signal_loss (TRUE);
  push_frames (1000, 1);
  expect_signal_loss (FALSE);
  test_element_check_count (&t, "processed", 1);
}

GST_END_TEST;

/* Pushes frame @n with the times @pts and @dts. */
static void
push_timed (guint n, GstClockTime pts, GstClockTime dts)
{
  GstBuffer *frame = make_frame (n);

  GST_BUFFER_PTS (frame) = pts;
  GST_BUFFER_DTS (frame) = dts;
  test_element_push (&t, frame);
}

/* A frame without a time, or before the segment, gets the time of the frame
 * before. */
GST_START_TEST (test_frame_without_time)
{
  const GstClockTime outside = __i__ ? GST_SECOND : GST_CLOCK_TIME_NONE;
  GstSegment segment;
  guint64 since;
  guint i;

  test_element_init_health (&t, CAPS, "rules", "", NULL);
  gst_element_set_state (t.element, GST_STATE_PAUSED);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 2 * GST_SECOND;
  gst_harness_push_event (t.h, gst_event_new_segment (&segment));
  for (i = 0; i < 25; i++)
    push_timed (i, segment.start + i * FRAME_TIME, GST_CLOCK_TIME_NONE);
  push_timed (25, segment.start + i * FRAME_TIME, GST_CLOCK_TIME_NONE);
  push_timed (26, outside, GST_CLOCK_TIME_NONE);
  for (i = 27; i < 50; i++)
    push_timed (i - 27, segment.start + i * FRAME_TIME, GST_CLOCK_TIME_NONE);
  expect_no_change ();
  test_element_check_count (&t, "processed", 50);

  /* Its changes have that time, and the next frame continues from there. */
  g_object_set (t.element, "rules", "black,duration=0", "conditions",
      GST_VIDEO_HEALTH_CONDITIONS_BLACK, "interval",
      (guint64) 3 * FRAME_TIME, NULL);
  push_timed (0, segment.start + 54 * FRAME_TIME, GST_CLOCK_TIME_NONE);
  test_element_check_count (&t, "processed", 51);
  push_timed (25, outside, GST_CLOCK_TIME_NONE);
  push_timed (25, segment.start + 55 * FRAME_TIME, GST_CLOCK_TIME_NONE);
  test_element_check_count (&t, "processed", 51);
  g_object_set (t.element, "interval", (guint64) 0, NULL);
  push_timed (25, outside, GST_CLOCK_TIME_NONE);
  fail_unless_equals_uint64 (wait_for_change ("black", TRUE, &since),
      55 * FRAME_TIME);
  fail_unless_equals_uint64 (since, 55 * FRAME_TIME);
}

GST_END_TEST;

/* If no frame has a time, or only the first one, as from a source that sets
 * none, arrival times decide when it is black. Frames that do get times later
 * are judged by these from then on. */
GST_START_TEST (test_no_frame_with_time)
{
  const GstClockTime hour = 3600 * GST_SECOND;
  const gint64 begun = g_get_monotonic_time ();
  gchar *text = NULL;
  guint64 since, time;
  guint i;

  test_element_init_health (&t, CAPS, "rules", "black,duration=300ms",
      "conditions", "black", NULL);
  gst_element_set_state (t.element, GST_STATE_PAUSED);
  if (__i__)
    push_timed (0, GST_CLOCK_TIME_NONE, 0);
  while (!text && g_get_monotonic_time () - begun < MAX_WAIT / GST_USECOND) {
    push_timed (25, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
    g_usleep (5000);
    text = pop_change ();
  }
  fail_unless (text != NULL, "never black");
  fail_unless (sscanf (text, "black 1 %*f %*f %" G_GUINT64_FORMAT " %"
          G_GUINT64_FORMAT, &since, &time) == 2, "%s", text);
  fail_unless (time - since >= 300 * GST_MSECOND);
  fail_unless (time <= (guint64) (g_get_monotonic_time () - begun) * 1000,
      "%s", text);
  g_free (text);

  push_timed (0, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
  wait_for_change ("black", FALSE, &since);
  push_timed (25, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
  push_timed (25, hour, GST_CLOCK_TIME_NONE);
  for (i = 1; i <= 9; i++) {
    expect_no_change ();
    push_timed (25, hour + i * FRAME_TIME, GST_CLOCK_TIME_NONE);
  }
  fail_unless_equals_uint64 (wait_for_change ("black", TRUE, &since),
      hour + 9 * FRAME_TIME);
  fail_unless_equals_uint64 (since, hour + FRAME_TIME);
}

GST_END_TEST;

/* The timer continues from the time assigned to a frame without one. */
GST_START_TEST (test_signal_loss_without_times)
{
  const gint64 begun = g_get_monotonic_time ();
  const GstClockTime first = __i__ ? GST_CLOCK_TIME_NONE : 10 * GST_SECOND;
  guint64 since, time;

  init_for_loss ();
  push_timed (0, first, GST_CLOCK_TIME_NONE);
  push_timed (0, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
  time = wait_for_change ("signal-loss", TRUE, &since);
  fail_unless (time - since >= 300 * GST_MSECOND);
  fail_unless (__i__ || since == first);
  fail_unless (time <= (__i__ ? 0 : first)
      + (guint64) (g_get_monotonic_time () - begun) * 1000);
  push_timed (0, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
  wait_for_change ("signal-loss", FALSE, &since);
}

GST_END_TEST;

/* In PAUSED and after EOS a lost signal does not count. */
GST_START_TEST (test_no_signal_loss)
{
  init_for_loss ();
  if (__i__) {
    push_frames (0, 1);
    gst_harness_push_event (t.h, gst_event_new_eos ());
  } else {
    gst_element_set_state (t.element, GST_STATE_PAUSED);
  }
  test_element_forget_output (&t);
  fail_unless (gst_bus_timed_pop_filtered (t.bus, GST_SECOND,
          GST_MESSAGE_ELEMENT) == NULL);
}

GST_END_TEST;

/* A pause does not end a signal loss. */
GST_START_TEST (test_pause)
{
  init_for_loss ();
  push_frames (0, 1);
  expect_signal_loss (TRUE);
  gst_element_set_state (t.element, GST_STATE_PAUSED);
  gst_element_set_state (t.element, GST_STATE_PLAYING);
  fail_unless (gst_bus_timed_pop_filtered (t.bus, GST_SECOND,
          GST_MESSAGE_ELEMENT) == NULL);
  push_frames (1, 1);
  expect_signal_loss (FALSE);
}

GST_END_TEST;

static struct
{
  GMutex lock;
  GCond changed;
  gboolean inside, go_on;
} handler;

/* Waits for the test, as it would for a lock held by the stopping thread. */
static void
wait_in_handler (void)
{
  g_mutex_lock (&handler.lock);
  handler.inside = TRUE;
  g_cond_broadcast (&handler.changed);
  while (!handler.go_on)
    g_cond_wait (&handler.changed, &handler.lock);
  handler.inside = FALSE;
  g_cond_broadcast (&handler.changed);
  g_mutex_unlock (&handler.lock);
}

static void
wait_until_inside (gboolean inside)
{
  g_mutex_lock (&handler.lock);
  handler.go_on = !inside;
  g_cond_broadcast (&handler.changed);
  while (handler.inside != inside)
    g_cond_wait (&handler.changed, &handler.lock);
  g_mutex_unlock (&handler.lock);
}

/* Stopping does not wait for a timer's handler that waits for it. */
GST_START_TEST (test_stop_in_handler)
{
  init_for_loss ();
  g_signal_connect (t.element, "change", G_CALLBACK (wait_in_handler), NULL);
  wait_until_inside (TRUE);
  gst_element_set_state (t.element, GST_STATE_NULL);
  wait_until_inside (FALSE);
}

GST_END_TEST;

/* A flush keeps changes that wait for a handler. */
GST_START_TEST (test_flush_with_changes)
{
  guint active, n;
  GString *rest;

  test_element_init_health (&t, CAPS, "rules",
      LOSS_RULES "; black,duration=0", "conditions", "signal-loss+black", NULL);
  g_signal_connect (t.element, "change", G_CALLBACK (wait_in_handler), NULL);
  wait_until_inside (TRUE);
  push_frames (25, 3);
  g_object_get (t.element, "active", &active, NULL);
  fail_unless (active & GST_VIDEO_HEALTH_CONDITIONS_BLACK);
  test_element_flush (&t);

  wait_until_inside (FALSE);
  expect_signal_loss (TRUE);
  gst_element_set_state (t.element, GST_STATE_READY);
  rest = pop_changes (&n);
  fail_unless (strstr (rest->str, "black") != NULL, "%s", rest->str);
  g_string_free (rest, TRUE);
}

GST_END_TEST;

/* Ways for an application to end a pipeline from a handler. */
typedef struct
{
  GstElement *pipeline, *element;
  GstElementCallAsyncFunc how;
  gint ended;                   /* atomic */
} Ending;

static void
end_pipeline (GstElement * pipeline, gpointer ending)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_atomic_int_set (&((Ending *) ending)->ended, TRUE);
}

static void
remove_element (GstElement * pipeline, gpointer data)
{
  Ending *ending = data;

  gst_bin_remove (GST_BIN (pipeline), ending->element);
  gst_element_set_state (ending->element, GST_STATE_NULL);
  end_pipeline (pipeline, ending);
}

static void
end_now (G_GNUC_UNUSED GstElement * element,
    G_GNUC_UNUSED const GstVideoHealthChange * change, Ending * ending)
{
  ending->how (ending->pipeline, ending);
}

static void
end_soon (GstElement * element,
    G_GNUC_UNUSED const GstVideoHealthChange * change, Ending * ending)
{
  g_signal_handlers_disconnect_by_func (element, end_soon, ending);
  gst_element_call_async (ending->pipeline, ending->how, ending, NULL);
}

/* From the timer directly, and from the streaming thread through another
 * thread. */
static const struct
{
  const gchar *source;
  GCallback handler;
  GstElementCallAsyncFunc how;
} endings[] = {
  {"videotestsrc is-live=true ! valve drop=true", G_CALLBACK (end_now),
      end_pipeline},
  {"videotestsrc is-live=true pattern=black", G_CALLBACK (end_soon),
      end_pipeline},
  {"videotestsrc is-live=true pattern=black", G_CALLBACK (end_soon),
      remove_element},
};

GST_START_TEST (test_end_by_handler)
{
  gchar *launch = g_strdup_printf ("%s ! " CAPS " ! videohealth name=h "
      "conditions=signal-loss+black ! fakesink sync=false",
      endings[__i__].source);
  const gint64 end = g_get_monotonic_time () + MAX_WAIT / GST_USECOND;
  Ending ending = {
    .pipeline = gst_parse_launch (launch, NULL),
    .how = endings[__i__].how,
  };

  ending.element = gst_bin_get_by_name (GST_BIN (ending.pipeline), "h");
  g_object_set (ending.element, "rules", LOSS_RULES "; black,duration=0", NULL);
  g_signal_connect (ending.element, "change", endings[__i__].handler, &ending);
  gst_element_set_state (ending.pipeline, GST_STATE_PLAYING);
  while (!g_atomic_int_get (&ending.ended)) {
    fail_unless (g_get_monotonic_time () < end, "the pipeline does not end");
    g_usleep (1000);
  }
  gst_object_unref (ending.element);
  gst_object_unref (ending.pipeline);
  g_free (launch);
}

GST_END_TEST;

GST_START_TEST (test_state)
{
  const gchar *path = test_folder_path ("camera.state");
  const gchar *bad = test_folder_path ("camera.state.bad");
  gchar *data, *cut;
  gsize size;
  guint active;

  test_element_init_health (&t, CAPS, "rules", RULES, NULL);
  gst_element_set_state (t.element, GST_STATE_NULL);
  g_object_set (t.element, "state-location", path, NULL);
  test_element_restart (&t, CAPS);
  push_frames (0, 45);
  gst_element_set_state (t.element, GST_STATE_READY);
  fail_unless (g_file_get_contents (path, &data, &size, NULL));

  /* Active conditions stay active, without a message. */
  test_element_forget_output (&t);
  gst_element_set_state (t.element, GST_STATE_PAUSED);
  g_object_get (t.element, "active", &active, NULL);
  fail_unless (active & GST_VIDEO_HEALTH_CONDITIONS_BLACK);
  expect_no_change ();

  /* A truncated file is renamed. */
  gst_element_set_state (t.element, GST_STATE_READY);
  fail_unless (g_file_set_contents (path, data, size / 2, NULL));
  test_element_forget_output (&t);
  gst_element_set_state (t.element, GST_STATE_PAUSED);
  test_element_expect (&t, GST_MESSAGE_WARNING, "state-location");
  fail_unless (g_file_get_contents (bad, &cut, NULL, NULL));
  fail_unless (memcmp (cut, data, size / 2) == 0);
  fail_if (g_file_test (path, G_FILE_TEST_EXISTS));
  g_object_get (t.element, "active", &active, NULL);
  fail_unless_equals_int (active, 0);

  /* So is the next one, under another name. */
  gst_element_set_state (t.element, GST_STATE_READY);
  fail_unless (g_file_set_contents (path, "another", -1, NULL));
  gst_element_set_state (t.element, GST_STATE_PAUSED);
  g_free (cut);
  test_file_check (test_folder_path ("camera.state.bad2"), "another");
  fail_unless (g_file_get_contents (bad, &cut, NULL, NULL));
  fail_unless (memcmp (cut, data, size / 2) == 0);
  g_free (cut);
  g_free (data);
}

GST_END_TEST;

/* A missing folder is reported at the start, not hours later when the state
 * should be saved. */
GST_START_TEST (test_no_folder_for_state)
{
  test_element_init_health (&t, CAPS, "rules", RULES, NULL);
  gst_element_set_state (t.element, GST_STATE_NULL);
  g_object_set (t.element, "state-location", "/nowhere/camera.state", NULL);
  test_element_forget_output (&t);
  gst_element_set_state (t.element, GST_STATE_PAUSED);
  test_element_expect (&t, GST_MESSAGE_WARNING,
      "state-location=/nowhere/camera.state: cannot restore the state: there "
      "is no folder /nowhere");
}

GST_END_TEST;

/* Sets the location @path, and runs a few frames between two starts. */
static void
run_with_state (const gchar * path)
{
  gst_element_set_state (t.element, GST_STATE_NULL);
  g_object_set (t.element, "state-location", path, NULL);
  test_element_forget_output (&t);
  test_element_restart (&t, CAPS);
  push_frames (0, 4);
  gst_element_set_state (t.element, GST_STATE_READY);
}

/* A file of another user, in a folder of our own, is not replaced. */
GST_START_TEST (test_unreadable_state)
{
  const gchar *path = test_folder_write ("camera.state", "learned");
  const gchar *other = test_folder_path ("other.state");
  const gboolean root = geteuid () == 0;

  test_element_init_health (&t, CAPS, "rules", RULES, NULL);
  fail_unless (g_chmod (test_folder_path (""), 0777) == 0);
  fail_unless (g_chmod (path, root ? 0600 : 0) == 0);
  fail_unless (!root || seteuid (65534) == 0);
  run_with_state (path);
  fail_unless (!root || seteuid (0) == 0);
  test_element_expect (&t, GST_MESSAGE_WARNING, "nothing is saved. Make it");
  fail_unless (g_chmod (path, 0600) == 0);
  test_file_check (path, "learned");

  /* Another file works. */
  run_with_state (other);
  fail_unless (g_file_test (other, G_FILE_TEST_IS_REGULAR));
}

GST_END_TEST;

/* Something other than a file is neither waited for nor replaced, nor is the
 * target of a link to it. */
GST_START_TEST (test_state_is_no_file)
{
  const gchar *path = test_folder_path ("camera.state");
  const gchar *link = test_folder_path ("link");
  GStatBuf before, after;

  test_element_init_health (&t, CAPS, "rules", RULES, NULL);
  if (__i__ == 0)
    fail_unless (mkfifo (path, 0600) == 0);
  else if (__i__ == 1)
    fail_unless (g_mkdir (path, 0700) == 0);
  else
    fail_unless (symlink ("link", path) == 0);
  fail_unless (symlink ("camera.state", link) == 0);
  fail_unless (g_lstat (path, &before) == 0);
  run_with_state (link);
  test_element_expect (&t, GST_MESSAGE_WARNING,
      __i__ == 2 ? "symbolic link" : "not a regular file");
  fail_unless (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  fail_unless (g_lstat (path, &after) == 0);
  fail_unless_equals_int (after.st_mode, before.st_mode);
  fail_unless (after.st_ino == before.st_ino);

  /* A file that has become something else since the start is not replaced,
   * either. */
  fail_unless (g_remove (path) == 0);
  test_element_clear (&t);
  test_element_init_health (&t, CAPS, "state-location", link, NULL);
  push_frames (0, 4);
  fail_unless (mkfifo (path, 0600) == 0);
  gst_element_set_state (t.element, GST_STATE_READY);
  test_element_expect (&t, GST_MESSAGE_WARNING, "not a regular file");
  fail_unless (g_lstat (path, &after) == 0);
  fail_unless (S_ISFIFO (after.st_mode));
}

GST_END_TEST;

/* A link stays, and its target is created, read, replaced and renamed. */
GST_START_TEST (test_state_is_link)
{
  const gchar *link = test_folder_path ("link");
  const gchar *path = test_folder_path ("states/camera.state");
  const gchar *bad = test_folder_path ("states/camera.state.bad");

  fail_unless (g_mkdir (test_folder_path ("states"), 0700) == 0);
  fail_unless (symlink ("states/camera.state", link) == 0);
  test_element_init_health (&t, CAPS, "rules", RULES, NULL);
  run_with_state (link);
  fail_unless (test_bus_pop_warning (t.bus) == NULL);
  fail_unless (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  fail_unless (g_file_test (path, G_FILE_TEST_IS_REGULAR));

  fail_unless (g_file_set_contents (path, "no state", -1, NULL));
  run_with_state (link);
  test_element_expect (&t, GST_MESSAGE_WARNING, bad);
  test_file_check (bad, "no state");
  fail_unless (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  fail_unless (g_file_test (path, G_FILE_TEST_IS_REGULAR));
}

GST_END_TEST;

/* Starts a stream with the state in @path and @n learnable frames, a second
 * apart; checks whether they are compared with a reference from the start on,
 * and at the end. */
static void
learn_with_state (const gchar * path, guint n, gboolean known_before,
    gboolean known)
{
  GstStructure *values;
  gboolean ready;
  guint i;

  gst_element_set_state (t.element, GST_STATE_READY);
  g_object_set (t.element, "state-location", path, NULL);
  test_element_restart (&t, CAPS);
  gst_element_set_state (t.element, GST_STATE_PAUSED);
  g_object_get (t.element, "reference-ready", &ready, NULL);
  fail_unless_equals_int (ready, known_before);
  for (i = 0; i < n; i++)
    push_timed (i % 25, i * GST_SECOND, GST_CLOCK_TIME_NONE);
  g_object_get (t.element, "reference-ready", &ready, "values", &values, NULL);
  fail_unless_equals_int (ready, known);
  fail_unless_equals_int (gst_structure_has_field (values, "covered"), known);
  gst_structure_free (values);
}

/* Waits until the state is saved. Returns the size of its file, which was
 * @before. */
static gsize
await_state (const gchar * path, gsize before)
{
  const gint64 end = g_get_monotonic_time () + MAX_WAIT / GST_USECOND;
  gsize size = before;
  gchar *data;

  while (size == before) {
    fail_unless (g_get_monotonic_time () < end, "nothing is saved");
    g_usleep (1000);
    if (g_file_get_contents (path, &data, &size, NULL))
      g_free (data);
  }
  return size;
}

/* What was learned is saved at once, so that a crash does not lose it, and so
 * is that it was forgotten. */
GST_START_TEST (test_state_is_saved_soon)
{
  const gchar *path = test_folder_path ("camera.state");
  gsize learned;

  test_element_init_health (&t, CAPS, "rules", RULES, NULL);
  g_object_set (t.element, "conditions", GST_VIDEO_HEALTH_CONDITIONS_COVERED,
      NULL);
  learn_with_state (path, 50, FALSE, TRUE);
  gst_element_set_state (t.element, GST_STATE_PLAYING);
  learned = await_state (path, 0);
  g_signal_emit_by_name (t.element, "forget");
  fail_unless (await_state (path, learned) < learned);
}

GST_END_TEST;

/* Another file belongs to another camera: only that file's contents are known,
 * and nothing learned from the previous camera is saved in it. */
GST_START_TEST (test_other_state)
{
  const gchar *a = test_folder_path ("a.state");
  const gchar *b = test_folder_path ("b.state");
  guint notified = 0;

  test_element_init_health (&t, CAPS, "rules", RULES, NULL);
  /* For noisy, the scene is snow. */
  g_object_set (t.element, "conditions", GST_VIDEO_HEALTH_CONDITIONS_COVERED,
      NULL);
  if (__i__) {
    learn_with_state (b, 4, FALSE, FALSE);
    gst_element_set_state (t.element, GST_STATE_READY);
    fail_unless (g_file_test (b, G_FILE_TEST_IS_REGULAR));
  }
  g_signal_connect (t.element, "notify::reference-ready",
      G_CALLBACK (count_notify), &notified);
  learn_with_state (a, 50, FALSE, TRUE);
  fail_unless_equals_int (notified, 1);
  learn_with_state (b, 4, FALSE, FALSE);
  fail_unless_equals_int (notified, 2);
  learn_with_state (a, 4, TRUE, TRUE);
  fail_unless_equals_int (notified, 3);
  learn_with_state (b, 4, FALSE, FALSE);

  /* Until the next start, the state belongs to the previous file. */
  learn_with_state (a, 4, TRUE, TRUE);
  fail_unless (g_remove (b) == 0);
  g_object_set (t.element, "state-location", b, NULL);
  gst_element_set_state (t.element, GST_STATE_READY);
  fail_if (g_file_test (b, G_FILE_TEST_EXISTS));
  learn_with_state (NULL, 4, FALSE, FALSE);
  fail_unless (g_file_test (a, G_FILE_TEST_EXISTS));
}

GST_END_TEST;

TEST_SUITE (videohealth, NULL, teardown)
{
  tcase_add_test (tc, test_as_by_hand);
  tcase_add_test (tc, test_engine_afterwards);
  tcase_add_loop_test (tc, test_meta, 0, G_N_ELEMENTS (upstream));
  tcase_add_loop_test (tc, test_seldom, 0, G_N_ELEMENTS (seldom));
  tcase_add_test (tc, test_interval);
  tcase_add_test (tc, test_interval_without_times);
  tcase_add_test (tc, test_signal);
  tcase_add_test (tc, test_restart);
  tcase_add_test (tc, test_frozen);
  tcase_add_test (tc, test_frozen_fields);
  tcase_add_test (tc, test_frozen_by_tags);
  tcase_add_test (tc, test_ignore_clock);
  tcase_add_test (tc, test_bad_ignore);
  tcase_add_test (tc, test_sensitivity);
  tcase_add_test (tc, test_bad_rules);
  tcase_add_test (tc, test_caps_change);
  tcase_add_test (tc, test_stopped_element_is_not_referenced);
  tcase_add_loop_test (tc, test_signal_loss, 0, 2);
  tcase_add_test (tc, test_signal_loss_with_interval);
  tcase_add_loop_test (tc, test_frame_without_time, 0, 2);
  tcase_add_loop_test (tc, test_no_frame_with_time, 0, 2);
  tcase_add_loop_test (tc, test_signal_loss_without_times, 0, 2);
  tcase_add_loop_test (tc, test_no_signal_loss, 0, 2);
  tcase_add_test (tc, test_pause);
  tcase_add_test (tc, test_stop_in_handler);
  tcase_add_test (tc, test_flush_with_changes);
  tcase_add_loop_test (tc, test_end_by_handler, 0, G_N_ELEMENTS (endings));
  tcase_add_test (tc, test_state);
  tcase_add_test (tc, test_state_is_saved_soon);
  tcase_add_test (tc, test_no_folder_for_state);
  tcase_add_test (tc, test_unreadable_state);
  tcase_add_loop_test (tc, test_state_is_no_file, 0, 3);
  tcase_add_test (tc, test_state_is_link);
  tcase_add_loop_test (tc, test_other_state, 0, 2);
}
