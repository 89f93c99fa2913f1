/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shaking finds a camera that shakes, and nothing else. */
#include "enginefixture.h"

#include <math.h>

#define WIDTH 192
#define HEIGHT 108
#define CAPS "video/x-raw, format=(string)GRAY8, width=(int)192, " \
    "height=(int)108, framerate=(fraction)5/1, colorimetry=(string)2:4:5:1"
#define STEP (200 * GST_MSECOND)
#define SHAKING GST_VIDEO_HEALTH_CONDITION_SHAKING
#define THING 9                 /* pixels */

static void
setup (void)
{
  engine_setup (CAPS, GST_VIDEO_HEALTH_CONDITIONS_SHAKING);
}

/* What the camera sees: where its view is, in pixels, and what is before it. */
typedef struct
{
  gdouble x, y;
  gint first, last;             /* columns that are elsewhere, */
  gdouble elsewhere;            /* by so many pixels */
  gdouble light;
} View;

/* Changes what the camera sees, at a time in s, by @n. */
typedef void (*Change) (View * view, const gdouble * n, gdouble time);

static gdouble
get_thing (gint x, gint y)
{
  return ((guint) (x + 1000) * 7919 + (guint) (y + 1000) * 104729) % 101;
}

/* Things of different brightness, with soft edges. */
static gdouble
look_at (gdouble x, gdouble y)
{
  const gint left = floor (x / THING), top = floor (y / THING);
  const gdouble right = x / THING - left, down = y / THING - top;

  return (1 - down) * ((1 - right) * get_thing (left, top)
      + right * get_thing (left + 1, top)) +
      down * ((1 - right) * get_thing (left, top + 1)
      + right * get_thing (left + 1, top + 1));
}

/* Judges frames for @seconds. @change may be NULL. */
static void
watch (Change change, const gdouble * n, GstClockTime step, guint seconds)
{
  static GstClockTime time;
  guint k;

  if (n_frames == 0)
    time = 0;
  for (k = 0; k < seconds * GST_SECOND / step; k++, n_frames++, time += step) {
    guint8 *pixels = g_malloc (WIDTH * HEIGHT);
    View view = { 0, 0, 0, 0, 0, 1 };
    guint i;

    if (change)
      change (&view, n, (gdouble) (k * step) / GST_SECOND);
    for (i = 0; i < WIDTH * HEIGHT; i++) {
      const gint column = i % WIDTH;
      const gdouble x = column + view.x + (column >= view.first
          && column < view.last ? view.elsewhere : 0);

      pixels[i] = MIN (view.light * (60 + look_at (x, i / WIDTH + view.y))
          + test_random_below (&numbers, 7), 255);
    }
    engine_judge (gst_buffer_new_wrapped (pixels, WIDTH * HEIGHT), time);
  }
}

/* Returns when it was decided. */
static GstClockTime
check_change (gboolean active)
{
  GstVideoHealthChange change;
  GstClockTime time;

  fail_unless (gst_video_health_next_change (health, &change));
  fail_unless_equals_int (change.condition, SHAKING);
  fail_unless_equals_int (change.active, active);
  time = change.time;
  fail_if (gst_video_health_next_change (health, &change));
  return time;
}

/* Numbers: pixels across and down, and how often in a second. */
static void
shake (View * view, const gdouble * n, gdouble time)
{
  view->x = n[0] * sin (2 * G_PI * n[2] * time);
  view->y = n[1] * sin (1.37 * 2 * G_PI * n[2] * time + 1);
}

static const struct
{
  gdouble n[3];
  const gchar *direction;
} shaking[] = {
  {{2.4, 0, 1.3}, "from side to side"},
  {{0, 2, 2.3}, "up and down"},
  {{2.4, 2.4, 3.1}, NULL},
  {{8, 3, 1.7}, "from side to side"},
  /* A pole that sways slowly */
  {{3, 0.6, 0.21}, "from side to side"},
};

/* One alarm, which says how far the view moves and in which direction, and ends
 * with it. */
GST_START_TEST (test_shaking)
{
  const gdouble *n = shaking[__i__].n;
  const gdouble expected = hypot (n[0], n[1]) / sqrt (2) / WIDTH;
  GstVideoHealthChange change;
  gdouble value;

  watch (NULL, NULL, STEP, 20);
  fail_unless (gst_video_health_get_value (health, SHAKING, &value));
  fail_unless (value < 0.0003, "%g", value);
  fail_if (gst_video_health_next_change (health, &change));
  watch (shake, n, STEP, 25);
  fail_unless (gst_video_health_get_value (health, SHAKING, &value));
  fail_unless (fabs (value - expected) < 0.4 * expected, "%g instead of %g",
      value, expected);
  fail_unless_equals_string (gst_video_health_get_detail (health, SHAKING),
      shaking[__i__].direction);
  check_change (TRUE);
  watch (NULL, NULL, STEP, 40);
  check_change (FALSE);
}

GST_END_TEST;

/* Gusts come and go; it is one alarm. */
GST_START_TEST (test_gusts)
{
  const gdouble sway[] = { 3, 1.8, 1.1 };
  guint i;

  watch (NULL, NULL, STEP, 20);
  for (i = 0; i < 4; i++) {
    watch (shake, sway, STEP, 15);
    watch (NULL, NULL, STEP, 10);
  }
  check_change (TRUE);
  watch (NULL, NULL, STEP, 40);
  check_change (FALSE);
}

GST_END_TEST;

/* At one frame in 2 s or in 10 s, such as with key frames only. It takes six
 * frames, and the duration of the rule. */
GST_START_TEST (test_rare_frames)
{
  const guint seconds = __i__ ? 10 : 2;
  const gdouble sway[] = { 3.6, 2.4, 1.3 };
  GstVideoHealthChange change;
  GstClockTime time;

  watch (NULL, NULL, seconds * GST_SECOND, 300);
  fail_if (gst_video_health_next_change (health, &change));
  watch (shake, sway, seconds * GST_SECOND, 300);
  time = check_change (TRUE) / GST_SECOND;
  fail_unless (time > 300 && time <= 300 + 10 * seconds, "%u s", (guint) time);
  watch (NULL, NULL, seconds * GST_SECOND, 300);
  time = check_change (FALSE) / GST_SECOND;
  fail_unless (time <= 620 + 10 * seconds, "%u s", (guint) time);
}

GST_END_TEST;

/* A camera that is nudged and stays there. Numbers: pixels. */
static void
turn (View * view, const gdouble * n, G_GNUC_UNUSED gdouble time)
{
  view->x = n[0];
}

/* A camera that turns on and on. Numbers: pixels in a second. */
static void
turn_on (View * view, const gdouble * n, gdouble time)
{
  view->x = n[0] * time;
}

/* A tour. Numbers: pixels, and s. */
static void
tour (View * view, const gdouble * n, gdouble time)
{
  view->x = n[0] * ((gint) (time / n[1]) % 4);
}

/* Leaves sway in a part of the view. Numbers: first and last column, pixels. */
static void
sway (View * view, const gdouble * n, gdouble time)
{
  view->first = n[0];
  view->last = n[1];
  view->elsewhere = n[2] * sin (5 * time);
}

/* A train passes. Numbers: first and last column, pixels in a second. */
static void
pass (View * view, const gdouble * n, gdouble time)
{
  view->first = n[0];
  view->last = n[1];
  view->elsewhere = 5000 + n[2] * time;
}

/* Exposure that swings. Numbers: share of the light, how often in a second. */
static void
swing (View * view, const gdouble * n, gdouble time)
{
  view->light = 1 + n[0] * sin (2 * G_PI * n[1] * time);
}

static const struct
{
  Change change;
  gdouble n[3];
} harmless[] = {
  /* Too little */
  {shake, {0.6, 0.5, 1.7}},
  {turn, {5}},
  {turn, {180}},
  {turn_on, {2}},
  {turn_on, {36}},
  {tour, {100, 12}},
  {sway, {0, 78, 4}},
  {sway, {60, 132, 7}},
  {pass, {0, 120, 54}},
  {swing, {0.3, 0.7}},
  {swing, {0.4, 0.1}},
};

GST_START_TEST (test_harmless)
{
  GstVideoHealthChange change;

  watch (NULL, NULL, STEP, 20);
  watch (harmless[__i__].change, harmless[__i__].n, STEP, 60);
  fail_if (gst_video_health_next_change (health, &change));
}

GST_END_TEST;

static void
check_unknown (const gchar * reason)
{
  gdouble value;

  fail_if (gst_video_health_get_value (health, SHAKING, &value));
  fail_unless_equals_string (gst_video_health_get_unknown_reason (health,
          SHAKING), reason);
}

/* A wall, or night. */
static void
darken (View * view, G_GNUC_UNUSED const gdouble * n,
    G_GNUC_UNUSED gdouble time)
{
  view->light = 0;
}

GST_START_TEST (test_unknown)
{
  watch (NULL, NULL, STEP, 4);
  check_unknown ("too-early");
  watch (darken, NULL, STEP, 20);
  check_unknown ("no-pattern");
  watch (NULL, NULL, 30 * GST_SECOND, 600);
  check_unknown ("too-few-frames");
}

GST_END_TEST;

TEST_SUITE (healthshaking, setup, engine_teardown)
{
  tcase_add_loop_test (tc, test_shaking, 0, G_N_ELEMENTS (shaking));
  tcase_add_test (tc, test_gusts);
  tcase_add_loop_test (tc, test_rare_frames, 0, 2);
  tcase_add_loop_test (tc, test_harmless, 0, G_N_ELEMENTS (harmless));
  tcase_add_test (tc, test_unknown);
}
