/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* striped finds stripes and bars that lie over the picture, and nothing
 * else. */
#include "enginefixture.h"

#include <math.h>
#include <string.h>

#define WIDTH 160
#define HEIGHT 128
#define CAPS "video/x-raw, format=(string)GRAY8, width=(int)160, " \
    "height=(int)128, framerate=(fraction)5/1, colorimetry=(string)2:4:5:1"
#define STEP (200 * GST_MSECOND)
#define STRIPED GST_VIDEO_HEALTH_CONDITION_STRIPED

static void
setup (void)
{
  engine_setup (CAPS, GST_VIDEO_HEALTH_CONDITIONS_STRIPED);
}

/* What lies over the picture: waves across and down, and how far they move in a
 * second, in waves. */
typedef struct
{
  gdouble amplitude;            /* in code values */
  gdouble across, down, speed;
  guint share;                  /* of the columns, in percent */
  const gchar *direction;       /* NULL: these are not stripes */
} Waves;

static void
watch (const Waves * waves, guint seconds)
{
  guint k, i;

  for (k = 0; k < seconds * GST_SECOND / STEP; k++, n_frames++) {
    guint8 *pixels = g_malloc (WIDTH * HEIGHT);
    GstBuffer *buffer = gst_buffer_new_wrapped (pixels, WIDTH * HEIGHT);

    for (i = 0; i < WIDTH * HEIGHT; i++) {
      const guint x = i % WIDTH, y = i / WIDTH;
      const gdouble turn = waves->across * x / WIDTH + waves->down * y / HEIGHT
          + waves->speed * n_frames * STEP / GST_SECOND;
      const gdouble wave = x * 100 < waves->share * WIDTH ?
          waves->amplitude * sin (2 * G_PI * turn) : 0;

      pixels[i] = 70 + (x / 11 * 7919 + y / 9 * 104729) % 101
          + test_random_below (&numbers, 7) + lrint (wave);
    }
    engine_judge (buffer, n_frames * STEP);
  }
}

static const Waves no_waves = { 0, 0, 0, 0, 100, NULL };

static void
check_change (gboolean active)
{
  GstVideoHealthChange change;

  fail_unless (gst_video_health_next_change (health, &change));
  fail_unless_equals_int (change.condition, STRIPED);
  fail_unless_equals_int (change.active, active);
  fail_if (gst_video_health_next_change (health, &change));
}

static const Waves stripes[] = {
  {25, 14, 9, 0.8, 100, "diagonally"},
  {10, 14, -7.4, 0.1, 100, "diagonally"},
  {8, 5, 21.5, 3.3, 100, "from side to side"},
  {12, 12.5, 0, 0.3, 100, "from top to bottom"},
  /* They stand still. */
  {10, 9.3, 6.2, 0, 100, "diagonally"},
  /* Bars */
  {20, 0, 1.5, 0.35, 100, "from side to side"},
  {20, 0, 1, -0.2, 100, "from side to side"},
};

/* One alarm, which says how strong the stripes are and how they run, and ends
 * with them. */
GST_START_TEST (test_stripes)
{
  const Waves *waves = &stripes[__i__];
  GstVideoHealthChange change;
  gdouble value;

  watch (&no_waves, 40);
  fail_unless (gst_video_health_get_value (health, STRIPED, &value));
  fail_unless (value == 0, "%g", value);
  fail_if (gst_video_health_next_change (health, &change));
  watch (waves, 20);
  fail_unless (gst_video_health_get_value (health, STRIPED, &value));
  fail_unless (fabs (value - waves->amplitude / 219) < 0.2 * waves->amplitude
      / 219, "%g", value);
  fail_unless_equals_string (gst_video_health_get_detail (health, STRIPED),
      waves->direction);
  check_change (TRUE);
  watch (&no_waves, 20);
  check_change (FALSE);
}

GST_END_TEST;

static const Waves harmless[] = {
  /* Too weak */
  {2, 14, 9, 0.8, 100, NULL},
  /* Only in a part of the view, such as a fence that appears, or a screen */
  {25, 14, 9, 0.8, 30, NULL},
  /* A shadow that moves, and a change of light */
  {30, 0, 0.5, 0.02, 100, NULL},
  {30, 0, 1, 0, 100, NULL},
  {30, 0.5, 0.5, 0, 100, NULL},
};

GST_START_TEST (test_harmless)
{
  GstVideoHealthChange change;

  watch (&no_waves, 40);
  watch (&harmless[__i__], 30);
  fail_if (gst_video_health_next_change (health, &change));
}

GST_END_TEST;

/* A fence was there when the view was learned. */
GST_START_TEST (test_fence)
{
  const Waves fence = { 25, 14, 0, 0, 100, NULL };
  GstVideoHealthChange change;

  watch (&fence, 60);
  fail_if (gst_video_health_next_change (health, &change));
}

GST_END_TEST;

GST_START_TEST (test_unknown)
{
  gdouble value;

  watch (&no_waves, 10);
  fail_if (gst_video_health_get_value (health, STRIPED, &value));
  fail_unless_equals_string (gst_video_health_get_unknown_reason (health,
          STRIPED), "learning");
}

GST_END_TEST;

TEST_SUITE (healthstripes, setup, engine_teardown)
{
  tcase_add_loop_test (tc, test_stripes, 0, G_N_ELEMENTS (stripes));
  tcase_add_loop_test (tc, test_harmless, 0, G_N_ELEMENTS (harmless));
  tcase_add_test (tc, test_fence);
  tcase_add_test (tc, test_unknown);
}
