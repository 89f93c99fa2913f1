/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* blocky finds a picture that is starved of bits, and nothing else. */
#include "enginefixture.h"

#include <math.h>

#define WIDTH 192
#define HEIGHT 112
#define CAPS "video/x-raw, format=(string)GRAY8, width=(int)192, " \
    "height=(int)112, framerate=(fraction)5/1, colorimetry=(string)2:4:5:1"
#define STEP (200 * GST_MSECOND)
#define BLOCKY GST_VIDEO_HEALTH_CONDITION_BLOCKY
#define THING 9                 /* pixels */
#define BLOCK 8

static void
setup (void)
{
  engine_setup (CAPS, GST_VIDEO_HEALTH_CONDITIONS_BLOCKY);
}

/* What the camera, its lens and its coder do to the picture. */
typedef struct
{
  gdouble starved;              /* share of the difference of each pixel from
                                 * its block that the coder leaves out */
  gint blur;                    /* pixels to each side */
  gdouble light, contrast;
  gdouble noise;                /* codes */
} Camera;

static const Camera usual = { 0, 0, 1, 1, 5 };

static gdouble
get_thing (gint x, gint y)
{
  return ((guint) (x + 1000) * 7919 + (guint) (y + 1000) * 104729) % 101;
}

/* Things of different brightness, with soft edges. */
static gdouble
look_at (gint x, gint y)
{
  const gint left = x / THING, top = y / THING;
  const gdouble right = (gdouble) (x % THING) / THING;
  const gdouble down = (gdouble) (y % THING) / THING;

  return (1 - down) * ((1 - right) * get_thing (left, top)
      + right * get_thing (left + 1, top)) +
      down * ((1 - right) * get_thing (left, top + 1)
      + right * get_thing (left + 1, top + 1));
}

static gdouble
see (const Camera * camera, gint x, gint y)
{
  gdouble sum = 0;
  gint i;

  for (i = -camera->blur; i <= camera->blur; i++)
    sum += look_at (MAX (x + i, 0), y) / (2 * camera->blur + 1);
  return camera->light * (110 + camera->contrast * (sum - 50));
}

/* Leaves out what differs within blocks. */
static void
code (gdouble * picture, gdouble starved)
{
  guint i, x, y;

  for (i = 0; i < WIDTH * HEIGHT / BLOCK / BLOCK; i++) {
    gdouble *block = picture + i / (WIDTH / BLOCK) * BLOCK * WIDTH
        + i % (WIDTH / BLOCK) * BLOCK;
    gdouble mean = 0;

    for (y = 0; y < BLOCK; y++) {
      for (x = 0; x < BLOCK; x++)
        mean += block[y * WIDTH + x] / BLOCK / BLOCK;
    }
    for (y = 0; y < BLOCK; y++) {
      for (x = 0; x < BLOCK; x++)
        block[y * WIDTH + x] -= starved * (block[y * WIDTH + x] - mean);
    }
  }
}

/* Judges frames for @seconds, in which the camera changes from @from to @to. */
static void
watch (const Camera * from, const Camera * to, GstClockTime step,
    guint seconds)
{
  static GstClockTime time;
  static gdouble picture[WIDTH * HEIGHT];
  const guint n = seconds * GST_SECOND / step;
  guint k, i;

  if (n_frames == 0)
    time = 0;
  for (k = 0; k < n; k++, n_frames++, time += step) {
    guint8 *pixels = g_malloc (WIDTH * HEIGHT);
    const gdouble share = (k + 1.0) / n;
    const Camera camera = { to->starved, to->blur,
      from->light + share * (to->light - from->light),
      from->contrast + share * (to->contrast - from->contrast),
      from->noise + share * (to->noise - from->noise)
    };

    for (i = 0; i < WIDTH * HEIGHT; i++)
      picture[i] = see (&camera, i % WIDTH, i / WIDTH) + camera.noise
          * (test_random_below (&numbers, 1000) / 1000.0 - 0.5);
    code (picture, camera.starved);
    for (i = 0; i < WIDTH * HEIGHT; i++)
      pixels[i] = CLAMP (rint (picture[i]), 0, 255);
    engine_judge (gst_buffer_new_wrapped (pixels, WIDTH * HEIGHT), time);
  }
}

static gdouble
get_value (void)
{
  gdouble value;

  fail_unless (gst_video_health_get_value (health, BLOCKY, &value));
  return value;
}

/* Returns when it was decided. */
static GstClockTime
check_change (gboolean active)
{
  GstVideoHealthChange change;
  GstClockTime time;

  fail_unless (gst_video_health_next_change (health, &change));
  fail_unless_equals_int (change.condition, BLOCKY);
  fail_unless_equals_int (change.active, active);
  time = change.time;
  fail_if (gst_video_health_next_change (health, &change));
  return time;
}

static void
check_quiet (void)
{
  GstVideoHealthChange change;

  fail_if (gst_video_health_next_change (health, &change));
}

static const gdouble starved[] = { 1, 0.9 };

/* One alarm, which ends with the fault. */
GST_START_TEST (test_starved)
{
  Camera camera = usual;
  GstClockTime time;

  camera.starved = starved[__i__];
  watch (&usual, &usual, STEP, 60);
  fail_unless (get_value () < 0.1, "%g", get_value ());
  check_quiet ();
  watch (&camera, &camera, STEP, 60);
  fail_unless (get_value () > 0.6, "%g", get_value ());
  time = check_change (TRUE) / GST_SECOND;
  fail_unless (time >= 70 && time < 76, "%u s", (guint) time);
  watch (&usual, &usual, STEP, 60);
  fail_unless (get_value () < 0.1, "%g", get_value ());
  time = check_change (FALSE) / GST_SECOND;
  fail_unless (time >= 130 && time < 150, "%u s", (guint) time);
}

GST_END_TEST;

/* With key frames only. */
GST_START_TEST (test_rare_frames)
{
  const guint seconds = __i__ ? 10 : 2;
  Camera camera = usual;
  GstClockTime time;

  camera.starved = 1;
  watch (&usual, &usual, seconds * GST_SECOND, 300);
  check_quiet ();
  watch (&camera, &camera, seconds * GST_SECOND, 120);
  time = check_change (TRUE) / GST_SECOND;
  fail_unless (time <= 312 + 2 * seconds, "%u s", (guint) time);
  watch (&usual, &usual, seconds * GST_SECOND, 120);
  check_change (FALSE);
}

GST_END_TEST;

/* A camera that is right after a bad start, and one that a new setting leaves
 * with less detail for good. */
GST_START_TEST (test_recovers)
{
  Camera camera = usual;

  camera.starved = 1;
  watch (&camera, &camera, STEP, 60);
  watch (&usual, &usual, GST_SECOND, 4200);
  check_quiet ();
  watch (&camera, &camera, GST_SECOND, 1200);
  check_change (TRUE);
  watch (&camera, &camera, GST_SECOND, 1200);
  check_change (FALSE);
  watch (&usual, &usual, GST_SECOND, 1200);
  check_quiet ();
}

GST_END_TEST;

static const struct
{
  Camera camera;
  guint seconds;                /* until it is so */
} harmless[] = {
  /* A lens out of focus, fog */
  {{0, 6, 1, 1, 5}, 1},
  {{0, 0, 1, 0.25, 5}, 1},
  {{0, 0, 1, 0.1, 2}, 1},
  /* Dimmer, a lamp that makes noise unnecessary, more noise */
  {{0, 0, 0.75, 1, 5}, 1},
  {{0, 0, 1.6, 1, 0}, 1},
  {{0, 0, 1, 1, 40}, 1},
  /* Dusk, with a noise filter */
  {{0, 0, 0.5, 1, 0}, 1800},
  /* A coder that leaves out a bit */
  {{0.2, 0, 1, 1, 5}, 1},
};

GST_START_TEST (test_harmless)
{
  const Camera *camera = &harmless[__i__].camera;

  watch (&usual, &usual, STEP, 60);
  watch (&usual, camera, STEP, harmless[__i__].seconds);
  watch (camera, camera, STEP, 60);
  check_quiet ();
}

GST_END_TEST;

static void
check_unknown (const gchar * reason)
{
  gdouble value;

  fail_if (gst_video_health_get_value (health, BLOCKY, &value));
  fail_unless_equals_string (gst_video_health_get_unknown_reason (health,
          BLOCKY), reason);
}

GST_START_TEST (test_unknown)
{
  Camera camera = usual;

  watch (&usual, &usual, STEP, 20);
  check_unknown ("learning");
  camera.starved = 1;
  gst_video_health_forget (health);
  watch (&camera, &camera, STEP, 60);
  check_unknown ("no-contents");
}

GST_END_TEST;

/* A saved state has what is usual. A state of an earlier version lacks it, so
 * it is learned. */
GST_START_TEST (test_saved)
{
  Camera camera = usual;
  GVariantDict earlier;
  GVariant *state;

  camera.starved = 1;
  watch (&usual, &usual, STEP, 60);
  state = gst_video_health_save (health);
  g_variant_dict_init (&earlier, state);
  fail_unless (g_variant_dict_remove (&earlier, "coded"));
  gst_video_health_forget (health);
  fail_unless (gst_video_health_restore (health, state, NULL));
  g_variant_unref (state);
  watch (&camera, &camera, STEP, 20);
  check_change (TRUE);

  state = g_variant_ref_sink (g_variant_dict_end (&earlier));
  fail_unless (gst_video_health_restore (health, state, NULL));
  g_variant_unref (state);
  watch (&usual, &usual, STEP, 20);
  check_unknown ("learning");
}

GST_END_TEST;

TEST_SUITE (healthblocky, setup, engine_teardown)
{
  tcase_add_loop_test (tc, test_starved, 0, G_N_ELEMENTS (starved));
  tcase_add_loop_test (tc, test_rare_frames, 0, 2);
  tcase_add_test (tc, test_recovers);
  tcase_add_loop_test (tc, test_harmless, 0, G_N_ELEMENTS (harmless));
  tcase_add_test (tc, test_unknown);
  tcase_add_test (tc, test_saved);
}
