/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* noisy finds what differs from pixel to pixel and from frame to frame all over
 * the picture, and nothing else; and frozen and blurry know that noise becomes
 * less. */
#include "enginefixture.h"

#include <math.h>

#define WIDTH 160
#define HEIGHT 128
#define CAPS "video/x-raw, format=(string)GRAY8, width=(int)160, " \
    "height=(int)128, framerate=(fraction)5/1, colorimetry=(string)1:1:0:0"
#define NOISY GST_VIDEO_HEALTH_CONDITION_NOISY
#define STEP (200 * GST_MSECOND)

static void
setup (void)
{
  engine_setup (CAPS, GST_VIDEO_HEALTH_CONDITIONS_NOISY);
}

/* What is seen. */
typedef enum
{
  NOTHING,                      /* even grey */
  LAWN,                         /* still noise */
  SUNSHINE,                     /* all becomes brighter and darker */
  WATER,                        /* smooth waves that run */
  DUNES,                        /* smooth waves of sand */
} Scene;

static guint8
see (Scene scene, guint x, guint y)
{
  switch (scene) {
    case LAWN:
      return 60 + (x * 7919 + y * 104729) % 131;
    case SUNSHINE:
      return n_frames % 2 ? 60 : 180;
    case WATER:
      return 128 + 60 * sin (0.1 * (x + y) + n_frames);
    case DUNES:
      return 128 + 60 * sin (0.1 * (x + y)) + (x * 7919 + y * 104729) % 9;
    default:
      return 128;
  }
}

/* Judges a frame of @scene with even noise of up to @amplitude, in the first
 * @columns only. */
static void
judge (Scene scene, guint amplitude, guint columns)
{
  guint8 *pixels = g_malloc (WIDTH * HEIGHT);
  GstBuffer *buffer = gst_buffer_new_wrapped (pixels, WIDTH * HEIGHT);
  guint x, y;

  for (y = 0; y < HEIGHT; y++) {
    for (x = 0; x < WIDTH; x++) {
      const guint noise = x < columns ? amplitude : 0;

      pixels[y * WIDTH + x] = see (scene, x, y) - noise
          + test_random_below (&numbers, 2 * noise + 1);
    }
  }
  engine_judge (buffer, n_frames * STEP);
  n_frames++;
}

static gdouble
judge_frames (Scene scene, guint amplitude, guint columns)
{
  gdouble value = 0;
  guint i;

  for (i = 0; i < 75; i++)
    judge (scene, amplitude, columns);
  fail_unless (gst_video_health_get_value (health, NOISY, &value));
  return value;
}

static void
check_change (gboolean active)
{
  GstVideoHealthChange change;

  fail_unless (gst_video_health_next_change (health, &change));
  fail_unless_equals_int (change.condition, NOISY);
  fail_unless_equals_int (change.active, active);
  fail_unless_equals_string (change.topic, "vh:VideoSource/Noisy");
  fail_unless_equals_uint64 (change.time - change.since, 5 * GST_SECOND);
  fail_if (gst_video_health_next_change (health, &change));
}

/* Noise of an ordinary night, snow, and that night again. Even noise of up to A
 * has a standard deviation of A / √3. */
GST_START_TEST (test_snow)
{
  GstVideoHealthChange change;
  gdouble value = judge_frames (LAWN, 16, WIDTH);

  fail_unless (value > 0.03 && value < 0.045, "%g", value);
  fail_if (gst_video_health_next_change (health, &change));
  value = judge_frames (LAWN, 50, WIDTH);
  fail_unless (value > 0.105 && value < 0.12, "%g", value);
  check_change (TRUE);
  judge_frames (LAWN, 16, WIDTH);
  check_change (FALSE);
}

GST_END_TEST;

/* Night falls: noise grows slowly, to more than the threshold. The same noise
 * that comes at once is found, and so is much more. */
static const struct
{
  guint first, last;            /* amplitudes */
  gboolean found;
} nights[] = {
  {16, 34, FALSE},
  {34, 34, TRUE},
  {16, 50, TRUE},
};

GST_START_TEST (test_night)
{
  GstVideoHealthChange change;
  guint amplitude, i;

  for (i = 0; i < 150; i++)
    judge (LAWN, 16, WIDTH);
  for (amplitude = nights[__i__].first; amplitude <= nights[__i__].last;
      amplitude++) {
    for (i = 0; i < 100; i++)
      judge (LAWN, amplitude, WIDTH);
  }
  fail_unless_equals_int (gst_video_health_next_change (health, &change),
      nights[__i__].found);
}

GST_END_TEST;

static const struct
{
  Scene scene;
  guint amplitude, columns;
} harmless[] = {
  {LAWN, 0, 0},
  {SUNSHINE, 0, 0},
  {WATER, 0, 0},
  {NOTHING, 100, WIDTH * 3 / 4},
};

GST_START_TEST (test_harmless)
{
  const gdouble value = judge_frames (harmless[__i__].scene,
      harmless[__i__].amplitude, harmless[__i__].columns);
  GstVideoHealthChange change;

  fail_unless (value < 0.03, "%g", value);
  fail_if (gst_video_health_next_change (health, &change));
}

GST_END_TEST;

/* Every second frame is a copy, as after a conversion of the frame rate. */
GST_START_TEST (test_repeated)
{
  guint i;

  for (i = 0; i < 75; i++) {
    numbers = test_random_new (i / 2);
    judge (NOTHING, 60, WIDTH);
  }
  check_change (TRUE);
}

GST_END_TEST;

/* A coder leaves out more of a picture that has less noise, as after lamps were
 * lit, so nothing at all changes for longer than ever before. The same without
 * less noise is a freeze. */
static const struct
{
  guint amplitude;
  gboolean found;
} lit[] = {
  {16, TRUE},
  {5, FALSE},
};

GST_START_TEST (test_less_noise)
{
  GstVideoHealthChange change;
  guint amplitude, seed = 0, i;

  gst_video_health_set_conditions (health,
      GST_VIDEO_HEALTH_CONDITIONS_FROZEN | GST_VIDEO_HEALTH_CONDITIONS_NOISY);
  gst_video_health_set_coded (health, TRUE);
  for (i = 0; i < 3000; i++)
    judge (LAWN, 16, WIDTH);
  for (amplitude = 16; amplitude > lit[__i__].amplitude; amplitude--) {
    for (i = 0; i < 50; i++)
      judge (LAWN, amplitude, WIDTH);
  }
  for (i = 0; i < 200; i++)
    judge (LAWN, lit[__i__].amplitude, WIDTH);
  for (i = 0; i < 400; i++) {
    seed += i % 80 == 0;
    numbers = test_random_new (seed);
    judge (LAWN, lit[__i__].amplitude, WIDTH);
  }
  fail_unless_equals_int (gst_video_health_next_change (health, &change),
      lit[__i__].found);
}

GST_END_TEST;

/* A picture without its noise changes less and looks less sharp. It loses its
 * noise in a minute when lamps are lit, and at once with a fault. */
static const struct
{
  guint before;                 /* frames with noise */
  guint frames;                 /* with each of the amplitudes in between */
  gboolean found;
} losses[] = {
  {3000, 25, FALSE},
  {750, 25, FALSE},
  {3000, 0, TRUE},
  {750, 0, TRUE},
};

GST_START_TEST (test_lamps)
{
  guint found = 0, amplitude, i;
  GstVideoHealthChange change;

  gst_video_health_set_conditions (health,
      GST_VIDEO_HEALTH_CONDITIONS_BLURRY | GST_VIDEO_HEALTH_CONDITIONS_FROZEN |
      GST_VIDEO_HEALTH_CONDITIONS_NOISY);
  gst_video_health_set_coded (health, TRUE);
  for (i = 0; i < losses[__i__].before; i++)
    judge (DUNES, 12, WIDTH);
  for (amplitude = 11; amplitude > 1; amplitude--) {
    for (i = 0; i < losses[__i__].frames; i++)
      judge (DUNES, amplitude, WIDTH);
  }
  for (i = 0; i < 1000; i++)
    judge (DUNES, 1, WIDTH);
  while (gst_video_health_next_change (health, &change))
    found |= 1u << change.condition;
  fail_unless_equals_int (found, losses[__i__].found ?
      GST_VIDEO_HEALTH_CONDITIONS_BLURRY | GST_VIDEO_HEALTH_CONDITIONS_FROZEN :
      0);
}

GST_END_TEST;

/* Without a frame before it, noise is not known. */
GST_START_TEST (test_first)
{
  gdouble value;

  judge (NOTHING, 100, WIDTH);
  fail_if (gst_video_health_get_value (health, NOISY, &value));
  fail_unless_equals_string (gst_video_health_get_unknown_reason (health,
          NOISY), "not-measured");
  judge (NOTHING, 100, WIDTH);
  fail_unless (gst_video_health_get_value (health, NOISY, &value));
}

GST_END_TEST;

TEST_SUITE (healthnoise, setup, engine_teardown)
{
  tcase_add_test (tc, test_snow);
  tcase_add_loop_test (tc, test_night, 0, G_N_ELEMENTS (nights));
  tcase_add_loop_test (tc, test_harmless, 0, G_N_ELEMENTS (harmless));
  tcase_add_test (tc, test_repeated);
  tcase_add_loop_test (tc, test_less_noise, 0, G_N_ELEMENTS (lit));
  tcase_add_loop_test (tc, test_lamps, 0, G_N_ELEMENTS (losses));
  tcase_add_test (tc, test_first);
}
