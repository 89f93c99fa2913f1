/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstVideoHealth and flashes: how bright, how large and how fast they must
 * be. */
#include "healthfixture.h"

static guint
code_of_luminance (gdouble luminance)
{
  return 1023 * pow (luminance / 200, 1 / 2.4) + 0.5;
}

/* Flashes between luminances, in cd/m2, in the first cells of 64. */
typedef struct
{
  gdouble darker, brighter;
  guint cells;
  guint per_second;
  gboolean is_flashing;
} Flashes;

static const Flashes flashes[] = {
  {50, 100, 64, 4, TRUE},
  {50, 100, 64, 3, FALSE},
  {50, 70.5, 64, 5, TRUE},
  {50, 69.5, 64, 5, FALSE},
  {159, 190, 64, 5, TRUE},
  {161, 190, 64, 5, FALSE},
  {50, 100, 17, 5, TRUE},       /* more than a quarter */
  {50, 100, 16, 5, FALSE},
};

typedef struct
{
  const Flashes *flashes;
  gboolean bright;
} FlashFrame;

static guint
flash_code (guint x, guint y, gconstpointer data)
{
  const FlashFrame *frame = data;

  return code_of_luminance (frame->bright
      && y * SIDE + x < frame->flashes->cells ? frame->flashes->brighter :
      frame->flashes->darker);
}

GST_START_TEST (test_flashes)
{
  guint i;

  for (i = 0; i < 180; i++) {
    FlashFrame frame = { &flashes[__i__],
      i * 2 * flashes[__i__].per_second / 60 % 2
    };

    add (make_flat (10, SIDE, SIDE, flash_code, &frame));
    judge (i * GST_SECOND / 60);
  }
  fail_unless_equals_int (is_active (C (FLASHING)),
      flashes[__i__].is_flashing);
  if (flashes[__i__].is_flashing)
    fail_unless_close (value_of (C (FLASHING)), flashes[__i__].per_second);
}

GST_END_TEST;

/* Judges a frame of one luminance, in cd/m2. */
static void
judge_luminance (gdouble luminance, GstClockTime time)
{
  add (make_flat (10, SIDE, SIDE, same_code,
          GUINT_TO_POINTER (code_of_luminance (luminance))));
  judge (time);
}

/* A flash takes two frames: with fewer than two frames per flash, too few
 * flashes are found, or none. */
static const struct
{
  guint per_second, frames;     /* flashes and frames per second */
  gboolean is_flashing;
} seldom_flashes[] = {
  {4, 8, TRUE}, {4, 7, FALSE}, {4, 5, FALSE}, {8, 16, TRUE}, {8, 8, FALSE},
};

GST_START_TEST (test_seldom_flashes)
{
  const guint frames = seldom_flashes[__i__].frames;
  guint i;

  gst_video_health_set_conditions (health, BIT (FLASHING));
  for (i = 0; i < 10 * frames; i++) {
    const gboolean dark =
        i * 2 * seldom_flashes[__i__].per_second / frames % 2;

    judge_luminance (dark ? 20 : 110, i * GST_SECOND / frames);
    if (!seldom_flashes[__i__].is_flashing)
      fail_if (is_active (C (FLASHING)));
  }
  fail_unless_equals_int (is_active (C (FLASHING)),
      seldom_flashes[__i__].is_flashing);
}

GST_END_TEST;

/* Flashes of an area too small for the cells to show; joint histograms of
 * consecutive frames give its size. */
GST_START_TEST (test_flash_area)
{
  const guint percent = __i__ ? 26 : 24;
  guint32 up[256] = { 0, }, down[256] = { 0, };
  guint i;

  up[4 * 16 + 14] = down[14 * 16 + 4] = percent;
  up[4 * 16 + 4] = down[4 * 16 + 4] = 100 - percent;
  for (i = 0; i < 100; i++) {
    add_luma (FALSE, 100);
    fail_unless (add_joint (GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS,
            gst_video_joint_histogram_new (16, 16, i % 2 ? up : down, 256)));
    judge (i * GST_SECOND / 10);
  }
  fail_unless_equals_int (is_active (C (FLASHING)), __i__);
  fail_unless_close (value_of (C (FLASHING)), __i__ ? 5 : 0);
}

GST_END_TEST;

/* Half a flash does not count, and other changes are not flashing. */
GST_START_TEST (test_no_flash)
{
  guint i;

  fail_unless (gst_video_health_set_rules (health,
          "frozen,enter=0.1,leave=0.2,duration=0", NULL));
  for (i = 0; i < 20; i++) {
    add (make_flat (8, SIDE, SIDE, same_code,
            GUINT_TO_POINTER (i < 10 ? 100 : 200)));
    add_chroma (128, 128, 20);
    judge_difference (i % 2, i * 40);
    fail_unless_close (value_of (C (FLASHING)), 0);
    fail_unless_close (value_of (C (FLAPPING)), 0);
  }
}

GST_END_TEST;

/* A step may take several frames. */
GST_START_TEST (test_slow_flash)
{
  guint i;

  for (i = 0; i < 200; i++) {
    const guint phase = i % 12, ramp = phase < 6 ? phase : 12 - phase;

    judge_luminance (60 + 5 * ramp, i * GST_SECOND / 60);
  }
  fail_unless (is_active (C (FLASHING)));
}

GST_END_TEST;

/* A step starts where the previous one ended. */
GST_START_TEST (test_steps)
{
  static const gdouble luminances[][6] = {
    {150, 50, 90, 90, 130, 130},
    {50, 150, 110, 110, 70, 70},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (luminances[0]); i++)
    judge_luminance (luminances[__i__][i], i * 40 * GST_MSECOND);
  fail_unless_close (value_of (C (FLASHING)), 1);
}

GST_END_TEST;

TEST_SUITE (healthflashes, health_setup, health_teardown)
{
  tcase_add_loop_test (tc, test_flashes, 0, G_N_ELEMENTS (flashes));
  tcase_add_loop_test (tc, test_seldom_flashes, 0,
      G_N_ELEMENTS (seldom_flashes));
  tcase_add_loop_test (tc, test_flash_area, 0, 2);
  tcase_add_test (tc, test_no_flash);
  tcase_add_test (tc, test_slow_flash);
  tcase_add_loop_test (tc, test_steps, 0, 2);
}
