/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nudged finds a view that was shifted or rolled by a few percent, and nothing
 * else. */
#include "common/suite.h"

#include <gst/videohistogram/videohistogram.h>
#include <math.h>

#define WIDTH 320
#define HEIGHT 180
#define CAPS "video/x-raw, format=(string)GRAY8, width=(int)320, " \
    "height=(int)180, framerate=(fraction)1/2, colorimetry=(string)1:1:0:0"
#define NUDGED GST_VIDEO_HEALTH_CONDITION_NUDGED
/* As with key frames only. */
#define STEP (2 * GST_SECOND)
#define LEARN 20                /* frames */

/* What a camera sees, in pixels and degrees. */
typedef struct
{
  const gchar *name;
  gdouble dx, dy, roll, grown;
  guint seed;                   /* of the scene */
  gdouble light;                /* relative, on the left half */
  guint person;                 /* width in pixels */
  gdouble contrast;
} View;

static const View usual = { "usual", 0, 0, 0, 1, 1, 1, 0, 1 };

static GstVideoHistogramEngine *counting;
static GstVideoHealth *health;
static GstVideoHealthEngine *engine;
static guint n_frames;

static void
open_engine (void)
{
  GstCaps *caps = gst_caps_from_string (CAPS);

  health = gst_video_health_new ();
  gst_video_health_set_conditions (health, GST_VIDEO_HEALTH_CONDITIONS_NUDGED);
  engine = gst_video_health_engine_new (health, counting);
  fail_unless (gst_video_health_engine_configure (engine, caps, NULL));
  gst_caps_unref (caps);
}

static void
close_engine (void)
{
  g_object_unref (engine);
  g_object_unref (health);
}

static void
setup (void)
{
  n_frames = 0;
  counting = gst_video_histogram_engine_new ();
  fail_unless (gst_video_histogram_engine_open (counting,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, NULL, NULL));
  open_engine ();
}

static void
teardown (void)
{
  close_engine ();
  gst_video_histogram_engine_close (counting);
  g_object_unref (counting);
}

/* A number from -1 to 1 at each point of a lattice. */
static gdouble
at_lattice (gint x, gint y, guint seed)
{
  guint32 hash = (guint32) x * 73856093u ^ (guint32) y * 19349663u ^
      seed * 83492791u;

  hash = (hash ^ hash >> 13) * 0x5bd1e995u;
  return (hash ^ hash >> 15) % 2001 / 1000.0 - 1;
}

/* Smooth blobs that are @size pixels apart. */
static gdouble
blobs (gdouble x, gdouble y, gdouble size, guint seed)
{
  const gint left = floor (x / size), top = floor (y / size);
  const gdouble right = x / size - left, bottom = y / size - top;

  return (1 - bottom) * ((1 - right) * at_lattice (left, top, seed) +
      right * at_lattice (left + 1, top, seed)) +
      bottom * ((1 - right) * at_lattice (left, top + 1, seed) +
      right * at_lattice (left + 1, top + 1, seed));
}

static guint8
see (const View * view, guint column, guint row)
{
  const gdouble turn = view->roll * G_PI / 180;
  const gdouble x = (column - WIDTH / 2.0) / view->grown;
  const gdouble y = (row - HEIGHT / 2.0) / view->grown;
  const gdouble from_x = x * cos (turn) - y * sin (turn) + view->dx;
  const gdouble from_y = x * sin (turn) + y * cos (turn) + view->dy;
  const gdouble light = column < WIDTH / 2 ? view->light : 1;

  if (column >= 100 && column < 100 + view->person && row > 40)
    return 20;
  return light * (100 + view->contrast * (50 * blobs (from_x, from_y, 40,
              view->seed) + 30 * blobs (from_x, from_y, 13, view->seed)));
}

static void
watch (const View * view, guint n)
{
  guint8 *pixels = g_malloc (WIDTH * HEIGHT);
  GstBuffer *buffer = gst_buffer_new_wrapped (pixels, WIDTH * HEIGHT);
  guint i;

  for (i = 0; i < WIDTH * HEIGHT; i++)
    pixels[i] = see (view, i % WIDTH, i / WIDTH);
  for (i = 0; i < n; i++, n_frames++) {
    fail_unless (gst_video_health_engine_submit (engine, buffer,
            n_frames * STEP, GST_CLOCK_TIME_NONE, NULL));
  }
  gst_buffer_unref (buffer);
}

static gdouble
get_value (void)
{
  gdouble value;

  fail_unless (gst_video_health_get_value (health, NUDGED, &value), "%s",
      gst_video_health_get_unknown_reason (health, NUDGED));
  return value;
}

static void
check_change (gboolean active)
{
  GstVideoHealthChange change;

  fail_unless (gst_video_health_next_change (health, &change));
  fail_unless_equals_int (change.condition, NUDGED);
  fail_unless_equals_int (change.active, active);
}

static void
check_no_change (void)
{
  GstVideoHealthChange change;

  fail_if (gst_video_health_next_change (health, &change));
}

/* Views that are off by some percent, their value, and their detail, which is
 * about the picture: it moves against the camera. */
static const struct
{
  View view;
  gdouble value;
  const gchar *detail;
} nudges[] = {
  {{"to the left", 16, 0, 0, 1, 1, 1, 0, 1}, 0.05,
      "shifted to the left by 5 % of its width"},
  {{"to the right", -16, 0, 0, 1, 1, 1, 0, 1}, 0.05,
      "shifted to the right by 5 % of its width"},
  {{"down", 0, 9, 0, 1, 1, 1, 0, 1}, 0.028,
      "shifted up by 3 % of its width"},
  {{"rolled", 0, 0, 3, 1, 1, 1, 0, 1}, 0.030, "rolled anticlockwise by 3°"},
  {{"rolled back, in other light", 0, 0, -5, 1, 1, 0.6, 0, 0.7}, 0.05,
      "rolled clockwise by 5°"},
  {{"with a person", -16, 9, 0, 1, 1, 1, 25, 1}, 0.057,
      "shifted up and to the right by 6 % of its width"},
  {{"shifted and rolled", 10, -10, 3, 1, 1, 1, 0, 1}, 0.074,
      "shifted down and to the left by 4 % of its width and rolled "
      "anticlockwise by 3°"},
};

GST_START_TEST (test_nudged)
{
  const View *view = &nudges[__i__].view;
  gdouble value;

  watch (&usual, LEARN);
  fail_unless (get_value () < 0.002);
  watch (view, 20);
  value = get_value ();
  fail_unless (fabs (value - nudges[__i__].value) < 0.005, "%s: %g instead of "
      "%g", view->name, value, nudges[__i__].value);
  fail_unless_equals_string (gst_video_health_get_detail (health, NUDGED),
      nudges[__i__].detail);
  check_change (TRUE);
  watch (&usual, 10);
  check_change (FALSE);
  check_no_change ();
}

GST_END_TEST;

static const View views[] = {
  {"as usual", 0, 0, 0, 1, 1, 1, 0, 1},
  {"in the wind", 2, 1, 0, 1, 1, 1, 0, 1},
  {"half of it in the shadow", 0, 0, 0, 1, 1, 0.4, 0, 1},
  {"with a person", 0, 0, 0, 1, 1, 1, 90, 1},
  {"in fog", 0, 0, 0, 1, 1, 1, 0, 0.3},
  {"focused again", 0, 0, 0, 1.03, 1, 1, 0, 1},
};

GST_START_TEST (test_not_nudged)
{
  watch (&usual, LEARN);
  watch (&views[__i__], 30);
  fail_unless (get_value () < 0.012, "%s: %g", views[__i__].name, get_value ());
  check_no_change ();
}

GST_END_TEST;

/* A picture with nothing to compare, and another scene, tell nothing. */
GST_START_TEST (test_unknown)
{
  const View scenes[] = {
    {"another scene", 0, 0, 0, 1, 77, 1, 0, 1},
    {"nothing", 0, 0, 0, 1, 1, 1, 0, 0},
  };
  gdouble value;

  watch (&usual, 10);
  fail_unless_equals_string (gst_video_health_get_unknown_reason (health,
          NUDGED), "learning");
  watch (&usual, LEARN);
  watch (&scenes[__i__], 30);
  fail_if (gst_video_health_get_value (health, NUDGED, &value), "%s: %g",
      scenes[__i__].name, value);
  fail_unless_equals_string (gst_video_health_get_unknown_reason (health,
          NUDGED), "no-pattern");
  check_no_change ();
}

GST_END_TEST;

/* What was learned outlives the program; the view that is there at its start is
 * not learned instead. */
GST_START_TEST (test_saved)
{
  GVariant *saved;

  watch (&usual, LEARN);
  saved = gst_video_health_save (health);
  close_engine ();
  open_engine ();
  fail_unless (gst_video_health_restore (health, saved, NULL));
  g_variant_unref (saved);
  watch (&nudges[0].view, 10);
  fail_unless (fabs (get_value () - nudges[0].value) < 0.005);
  check_change (TRUE);
  gst_video_health_forget (health);
  watch (&nudges[0].view, LEARN);
  fail_unless (get_value () < 0.002);
}

GST_END_TEST;

/* A shift that stays for half an hour, and longer than the usual view was
 * known, becomes the usual view. */
GST_START_TEST (test_stays)
{
  watch (&usual, LEARN);
  watch (&nudges[0].view, 800);
  fail_unless (get_value () >= 0.02);
  check_change (TRUE);
  watch (&nudges[0].view, 200);
  check_change (FALSE);
}

GST_END_TEST;

TEST_SUITE (healthshift, setup, teardown)
{
  tcase_add_loop_test (tc, test_nudged, 0, G_N_ELEMENTS (nudges));
  tcase_add_loop_test (tc, test_not_nudged, 0, G_N_ELEMENTS (views));
  tcase_add_loop_test (tc, test_unknown, 0, 2);
  tcase_add_test (tc, test_saved);
  tcase_add_test (tc, test_stays);
}
