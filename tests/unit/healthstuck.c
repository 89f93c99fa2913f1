/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* partly-frozen finds a part of the picture that stands still, and nothing
 * else. */
#include "enginefixture.h"

#include <math.h>
#include <string.h>

#define WIDTH 160
#define HEIGHT 128
#define CAPS "video/x-raw, format=(string)GRAY8, width=(int)160, " \
    "height=(int)128, framerate=(fraction)5/1, colorimetry=(string)2:4:5:1"
#define STEP (200 * GST_MSECOND)
#define STUCK GST_VIDEO_HEALTH_CONDITION_PARTLY_FROZEN

static guint8 view[WIDTH * HEIGHT];     /* the last picture of the camera */
static guint8 sent[WIDTH * HEIGHT];     /* the last one of the coder */
static guint gop;               /* frames from one key frame to the next */

static void
setup (void)
{
  gop = 1;
  engine_setup (CAPS, GST_VIDEO_HEALTH_CONDITIONS_PARTLY_FROZEN);
}

/* What the camera sees: things of different brightness, with noise. */
static void
see (guint8 * pixels)
{
  guint x, y;

  for (y = 0; y < HEIGHT; y++) {
    for (x = 0; x < WIDTH; x++)
      *pixels++ = 50 + (x / 11 * 7919 + y / 9 * 104729) % 101
          + test_random_below (&numbers, 5);
  }
}

typedef void (*Change) (guint8 * pixels, guint n);

/* From row @first on, the picture is the one before. */
static void
hang (guint8 * pixels, guint first)
{
  memcpy (pixels + first * WIDTH, view + first * WIDTH,
      (HEIGHT - first) * WIDTH);
}

/* The same, in the columns from @first on. */
static void
hang_right (guint8 * pixels, guint first)
{
  guint y;

  for (y = 0; y < HEIGHT; y++)
    memcpy (pixels + y * WIDTH + first, view + y * WIDTH + first,
        WIDTH - first);
}

/* A truck stops in the lower half, flat and without noise. */
static void
park (guint8 * pixels, guint first)
{
  memset (pixels + first * WIDTH, 120, (HEIGHT - first) * WIDTH);
}

/* The sun clips the lower half. */
static void
overexpose (guint8 * pixels, guint first)
{
  memset (pixels + first * WIDTH, 235, (HEIGHT - first) * WIDTH);
}

/* Somebody who is @size pixels wide and high walks by. */
static void
walk (guint8 * pixels, guint size)
{
  const guint x = ABS ((gint) (n_frames * 5 % (2 * size)) - (gint) size);
  guint y;

  for (y = HEIGHT - size; y < HEIGHT; y++)
    memset (pixels + y * WIDTH + x, 40, size);
}

/* A coder: between key frames it leaves out what changes by less than its
 * limit. */
static void
encode (const guint8 * pixels)
{
  guint i;

  for (i = 0; i < WIDTH * HEIGHT; i++) {
    if (n_frames % gop == 0 || ABS (pixels[i] - sent[i]) > 10)
      sent[i] = pixels[i];
  }
}

/* Judges frames for @seconds. @change may be NULL. */
static void
watch (Change change, guint n, guint seconds)
{
  guint i;

  for (i = 0; i < seconds * GST_SECOND / STEP; i++, n_frames++) {
    guint8 *pixels = g_malloc (WIDTH * HEIGHT);
    GstBuffer *buffer;

    see (pixels);
    if (change)
      change (pixels, n);
    memcpy (view, pixels, sizeof (view));
    encode (pixels);
    memcpy (pixels, sent, sizeof (sent));
    buffer = gst_buffer_new_wrapped (pixels, WIDTH * HEIGHT);
    engine_judge (buffer, n_frames * STEP);
  }
}

/* Returns how long the value was past the threshold. */
static GstClockTime
check_change (gboolean active)
{
  GstVideoHealthChange change;
  GstClockTime took;

  fail_unless (gst_video_health_next_change (health, &change));
  took = change.time - change.since;
  fail_unless_equals_int (change.condition, STUCK);
  fail_unless_equals_int (change.active, active);
  fail_if (gst_video_health_next_change (health, &change));
  return took;
}

static const struct
{
  Change change;
  guint n, gop;
  const gchar *place;
  guint seconds;                /* of the fault */
} frozen[] = {
  {hang, HEIGHT / 2, 1, "the lower half", 15},
  {hang_right, WIDTH * 3 / 4, 1, "the right third", 15},
  {hang, HEIGHT / 2, 20, "the lower half", 30},
  {hang_right, WIDTH / 2, 50, "the right half", 60},
};

/* One alarm, which says how much stands still and where, and how long it takes
 * to end. */
GST_START_TEST (test_frozen)
{
  GstVideoHealthChange change;
  GstClockTime hold, took;
  gdouble value;

  gop = frozen[__i__].gop;
  watch (NULL, 0, 120);
  fail_unless (gst_video_health_get_value (health, STUCK, &value));
  fail_unless (value == 0, "%g", value);
  fail_if (gst_video_health_next_change (health, &change));
  watch (frozen[__i__].change, frozen[__i__].n, frozen[__i__].seconds);
  fail_unless (gst_video_health_get_value (health, STUCK, &value));
  fail_unless (value > 0.2 && value < 0.6, "%g", value);
  fail_unless_equals_string (gst_video_health_get_detail (health, STUCK),
      frozen[__i__].place);
  check_change (TRUE);
  hold = gst_video_health_get_hold (health, STUCK);
  fail_unless (hold >= (gop == 1 ? 5 : 1.25 * gop * STEP / GST_SECOND)
      * GST_SECOND);
  watch (NULL, 0, 60);
  took = check_change (FALSE);
  fail_unless (took >= hold && took <= hold + STEP, "%g of %g s",
      took / 1e9, hold / 1e9);
  fail_unless_equals_uint64 (gst_video_health_get_hold (health, STUCK),
      5 * GST_SECOND);
}

GST_END_TEST;

static const struct
{
  Change change;
  guint n, gop;
} harmless[] = {
  {park, HEIGHT / 2, 1},
  {park, HEIGHT / 2, 20},
  {overexpose, HEIGHT / 2, 20},
  {walk, HEIGHT / 3, 20},
  {walk, HEIGHT / 3, 50},
  /* Everything stands still. */
  {hang, 0, 1},
  {hang, 0, 20},
  /* Only a small part does. */
  {hang, HEIGHT * 15 / 16, 1},
};

GST_START_TEST (test_harmless)
{
  GstVideoHealthChange change;

  gop = harmless[__i__].gop;
  watch (NULL, 0, 120);
  watch (harmless[__i__].change, harmless[__i__].n, 150);
  watch (NULL, 0, 60);
  fail_if (gst_video_health_next_change (health, &change));
}

GST_END_TEST;

/* Somebody walks in a view in which nothing else changes between key frames,
 * and leaves. */
GST_START_TEST (test_left)
{
  GstVideoHealthChange change;
  guint i;

  gop = 50;
  for (i = 0; i < 5; i++) {
    watch (walk, HEIGHT / 3, 30);
    watch (NULL, 0, 60);
  }
  fail_if (gst_video_health_next_change (health, &change));
}

GST_END_TEST;

/* A privacy mask never changed. */
GST_START_TEST (test_mask)
{
  GstVideoHealthChange change;

  watch (park, HEIGHT / 2, 180);
  fail_if (gst_video_health_next_change (health, &change));
}

GST_END_TEST;

GST_START_TEST (test_unknown)
{
  gdouble value;

  watch (NULL, 0, 10);
  fail_if (gst_video_health_get_value (health, STUCK, &value));
  fail_unless_equals_string (gst_video_health_get_unknown_reason (health,
          STUCK), "too-early");
}

GST_END_TEST;

TEST_SUITE (healthstuck, setup, engine_teardown)
{
  tcase_add_loop_test (tc, test_frozen, 0, G_N_ELEMENTS (frozen));
  tcase_add_loop_test (tc, test_harmless, 0, G_N_ELEMENTS (harmless));
  tcase_add_test (tc, test_left);
  tcase_add_test (tc, test_mask);
  tcase_add_test (tc, test_unknown);
}
