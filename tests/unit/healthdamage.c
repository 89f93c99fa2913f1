/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* corrupted finds parts of the picture that no camera sees, and nothing
 * else. */
#include "common/random.h"
#include "common/suite.h"

#include <gst/videohistogram/videohistogram.h>
#include <string.h>

#define WIDTH 160
#define HEIGHT 128
#define CAPS "video/x-raw, format=(string)GRAY8, width=(int)160, " \
    "height=(int)128, framerate=(fraction)5/1, colorimetry=(string)2:4:5:1"
#define STEP (200 * GST_MSECOND)
#define CORRUPTED GST_VIDEO_HEALTH_CONDITION_CORRUPTED

static GstVideoHistogramEngine *counting;
static GstVideoHealth *health;
static GstVideoHealthEngine *engine;
static TestRandom numbers;
static guint n_frames;

static void
setup (void)
{
  GstCaps *caps = gst_caps_from_string (CAPS);

  numbers = test_random_new (1);
  n_frames = 0;
  counting = gst_video_histogram_engine_new ();
  health = gst_video_health_new ();
  gst_video_health_set_conditions (health,
      gst_video_health_get_default_conditions ());
  engine = gst_video_health_engine_new (health, counting);
  fail_unless (gst_video_histogram_engine_open (counting,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, NULL, NULL));
  fail_unless (gst_video_health_engine_configure (engine, caps, NULL));
  gst_caps_unref (caps);
}

static void
teardown (void)
{
  g_object_unref (engine);
  g_object_unref (health);
  gst_video_histogram_engine_close (counting);
  g_object_unref (counting);
}

/* The view: things of different brightness, with the noise of the sensor. */
static void
see (guint8 * pixels)
{
  guint x, y;

  for (y = 0; y < HEIGHT; y++) {
    for (x = 0; x < WIDTH; x++)
      *pixels++ = 50 + (x / 11 * 7919 + y / 9 * 104729) % 131
          + test_random_below (&numbers, 7);
  }
}

/* What a decoder leaves from row @first on. */
static void
fill_grey (guint8 * pixels, guint first)
{
  memset (pixels + first * WIDTH, 128, (HEIGHT - first) * WIDTH);
}

static void
fill_zeros (guint8 * pixels, guint first)
{
  memset (pixels + first * WIDTH, 0, (HEIGHT - first) * WIDTH);
}

static void
smear (guint8 * pixels, guint first)
{
  guint y;

  for (y = first; y < HEIGHT; y++)
    memcpy (pixels + y * WIDTH, pixels + (first - 1) * WIDTH, WIDTH);
}

/* What a camera sees from row @first on. */
static void
cover (guint8 * pixels, guint first)
{
  guint x, y;

  for (y = first; y < HEIGHT; y++) {
    for (x = 0; x < WIDTH; x++)
      pixels[y * WIDTH + x] = 100 + (y - first) / 8
          + test_random_below (&numbers, 7);
  }
}

/* A smooth wall, after a coder that leaves nothing of the noise. */
static void
wall (guint8 * pixels, guint first)
{
  guint x, y;

  for (y = first; y < HEIGHT; y++) {
    for (x = 0; x < WIDTH; x++)
      pixels[y * WIDTH + x] = x < WIDTH * 3 / 8 ? 121 : 120;
  }
}

static void
overexpose (guint8 * pixels, guint first)
{
  memset (pixels + first * WIDTH, 235, (HEIGHT - first) * WIDTH);
}

static void
darken (guint8 * pixels, guint first)
{
  memset (pixels + first * WIDTH, 16, (HEIGHT - first) * WIDTH);
}

typedef void (*Change) (guint8 * pixels, guint first);

/* Judges frames for @seconds. @change may be NULL. Returns the value of
 * corrupted. */
static gdouble
judge (Change change, guint first, guint seconds)
{
  gdouble value = 0;
  guint i;

  for (i = 0; i < seconds * GST_SECOND / STEP; i++) {
    guint8 *pixels = g_malloc (WIDTH * HEIGHT);
    GstBuffer *buffer = gst_buffer_new_wrapped (pixels, WIDTH * HEIGHT);

    see (pixels);
    if (change)
      change (pixels, first);
    gst_video_health_add_corrupted (health, FALSE);
    fail_unless (gst_video_health_engine_submit (engine, buffer,
            n_frames++ * STEP, GST_CLOCK_TIME_NONE, NULL));
    gst_buffer_unref (buffer);
  }
  fail_unless (gst_video_health_get_value (health, CORRUPTED, &value));
  return value;
}

static void
check_change (gboolean active)
{
  GstVideoHealthChange change;

  fail_unless (gst_video_health_next_change (health, &change));
  fail_unless_equals_int (change.condition, CORRUPTED);
  fail_unless_equals_int (change.active, active);
  fail_if (gst_video_health_next_change (health, &change));
}

static const struct
{
  Change change;
  guint first;
  const gchar *place;
} damage[] = {
  {fill_grey, HEIGHT / 2, "the lower half"},
  {fill_zeros, HEIGHT / 2, "the lower half"},
  {smear, HEIGHT / 2, "the lower half"},
  {fill_grey, HEIGHT * 5 / 8 + 3, "the lower third"},
  {smear, HEIGHT / 4 + 1, "the lower two thirds"},
  {fill_grey, 0, "most of the view"},
};

/* The damage is one alarm, which says where it is and ends with it. */
GST_START_TEST (test_damage)
{
  GstVideoHealthChange change;

  fail_unless (judge (NULL, 0, 40) == 0);
  fail_if (gst_video_health_next_change (health, &change));
  fail_unless (judge (damage[__i__].change, damage[__i__].first, 30) > 0.9);
  fail_unless_equals_string (gst_video_health_get_detail (health, CORRUPTED),
      damage[__i__].place);
  check_change (TRUE);
  fail_unless (judge (NULL, 0, 40) < 0.01);
  fail_if (gst_video_health_get_detail (health, CORRUPTED));
  check_change (FALSE);
}

GST_END_TEST;

static const struct
{
  Change change;
  guint first;
} harmless[] = {
  {cover, 0},
  {cover, HEIGHT / 2},
  {wall, 0},
  {wall, HEIGHT / 2},
  {overexpose, HEIGHT / 2},
  {darken, HEIGHT / 2},
  {smear, HEIGHT * 15 / 16},
};

GST_START_TEST (test_harmless)
{
  fail_unless (judge (NULL, 0, 40) == 0);
  fail_unless (judge (harmless[__i__].change, harmless[__i__].first, 30) == 0);
}

GST_END_TEST;

/* A privacy mask was there when the view was learned. */
GST_START_TEST (test_mask)
{
  GstVideoHealthChange change;

  fail_unless (judge (fill_grey, HEIGHT / 2, 60) == 0);
  fail_if (gst_video_health_next_change (health, &change));
}

GST_END_TEST;

TEST_SUITE (healthdamage, setup, teardown)
{
  tcase_add_loop_test (tc, test_damage, 0, G_N_ELEMENTS (damage));
  tcase_add_loop_test (tc, test_harmless, 0, G_N_ELEMENTS (harmless));
  tcase_add_test (tc, test_mask);
}
