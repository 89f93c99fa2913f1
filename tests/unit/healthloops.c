/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* looping finds seconds that are replayed, and no machine that does the same
 * again and again in view of a live camera. */
#include "healthfixture.h"

#include "common/random.h"

#define LOOPING C (LOOPING)
#define DEPTH 12

/* What the camera sees. Noise is in 1/16 codes of 8 bits. */
typedef struct
{
  guint loop;                   /* its length in ms; 0: live */
  guint step;                   /* ms between frames */
  guint noise, coding;          /* of the sensor, and of a coder after it */
  guint machine;                /* ms after which a part of the view looks the
                                 * same again */
  gboolean walks;               /* somebody walks there */
  gboolean alike;               /* frames of the loop are at other times each
                                 * time */
  guint sway;                   /* ms after which leaves everywhere look the
                                 * same again */
} Camera;

typedef struct
{
  const Camera *camera;
  guint ms;
} Moment;

static gint
get_noise (guint amplitude, guint ms, guint cell)
{
  TestRandom random = test_random_new (ms * 977 + cell);

  return test_random_below (&random, 2 * amplitude + 1) - (gint) amplitude;
}

/* A walker takes another way at another pace each time. */
static gdouble
get_walker (guint x, guint y, guint ms)
{
  const gdouble s = ms / 1000.0;
  const gdouble at_x = 3.5 + 4 * sin (s * 0.7 + sin (s * 0.113));
  const gdouble at_y = 3.5 + 3 * sin (s * 0.31 + 2 * sin (s * 0.071));
  const gdouble d2 = (x - at_x) * (x - at_x) + (y - at_y) * (y - at_y);

  return 480 * exp (-d2);
}

static guint
code_of (guint x, guint y, gconstpointer data)
{
  const Moment *moment = data;
  const Camera *camera = moment->camera;
  const guint cell = y * SIDE + x;
  guint ms = moment->ms, noise_at;
  gint code = 1200 + 160 * (cell % 7);

  if (camera->loop)
    ms %= camera->loop;
  noise_at = camera->alike ? ms / camera->step : ms;
  code += get_noise (camera->noise, noise_at, cell)
      + get_noise (camera->coding, moment->ms + 7, cell);
  if (camera->walks)
    code -= get_walker (x, y, ms);
  if (camera->machine && y < 2 && x < 4)
    code += 400 * sin (2 * G_PI * (ms % camera->machine) / camera->machine + x);
  if (camera->sway)
    code += 100 * sin (2 * G_PI * ms / camera->sway + 2 * cell % 5);
  return CLAMP (code, 0, 4095);
}

static guint now_ms;

static void
watch (const Camera * camera, guint seconds)
{
  const guint end = now_ms + 1000 * seconds;

  for (; now_ms < end; now_ms += camera->step) {
    const Moment moment = { camera, now_ms };

    add (make_flat (DEPTH, SIDE, SIDE, code_of, &moment));
    judge (now_ms * GST_MSECOND);
  }
}

static void
setup (void)
{
  health_setup ();
  now_ms = 0;
  gst_video_health_set_conditions (health, BIT (LOOPING));
}

static const Camera loops[] = {
  {4000, 200, 16, 0, 0, TRUE},
  {1600, 200, 16, 0, 0, TRUE},
  {8000, 100, 16, 4, 0, TRUE},
  {30000, 200, 16, 4, 0, TRUE},
  {8000, 40, 16, 0, 0, TRUE},   /* 25 frames a second */
  {6000, 500, 0, 0, 0, TRUE},
  {5500, 200, 0, 0, 0, TRUE, TRUE},     /* not a whole number of frames */
  {4000, 200, 1, 0, 0, FALSE},  /* even its noise comes back */
  {4000, 200, 16, 4, 0, FALSE, FALSE, 1240},    /* leaves in the wind */
};

/* A live camera, then a loop, then it is live again. */
GST_START_TEST (test_loop)
{
  const Camera *loop = &loops[__i__];
  Camera live = *loop;

  live.loop = 0;
  live.walks = TRUE;
  watch (&live, 50);
  fail_if (has_change ());
  watch (loop, MAX ((loop->alike ? 8 : 4) * loop->loop / 1000, 30));
  fail_unless (fetch_change ().active);
  check_value (LOOPING, 0.85, 1);
  watch (&live, 30);
  fail_unless (!fetch_change ().active);
}

GST_END_TEST;

static const Camera harmless[] = {
  {0, 200, 16, 0, 0, TRUE},
  {0, 200, 16, 0, 0, FALSE},
  {0, 100, 16, 0, 4000, TRUE},
  {0, 200, 16, 0, 4000, FALSE}, /* a machine, and nobody is there */
  {0, 200, 0, 0, 4000, FALSE},  /* of a coder that leaves out noise */
  {0, 200, 16, 0, 2000, TRUE},
  {0, 500, 16, 0, 0, FALSE, FALSE, 1240},
  {0, 500, 4, 0, 0, FALSE, FALSE, 2000},
  {0, 100, 1, 0, 0, FALSE, FALSE, 1500},
};

GST_START_TEST (test_harmless)
{
  watch (&harmless[__i__], 120);
  fail_unless (is_judged (LOOPING));
  check_value (LOOPING, 0, 0.5);
  fail_if (has_change ());
}

GST_END_TEST;

static const struct
{
  Camera camera;
  const gchar *reason;
} unknown[] = {
  {{4000, 2000, 16, 0, 0, TRUE}, "too-few-frames"},
  {{0, 200}, "no-motion"},
};

GST_START_TEST (test_unknown)
{
  watch (&unknown[__i__].camera, 120);
  fail_if (is_judged (LOOPING));
  fail_unless_equals_string (gst_video_health_get_unknown_reason (health,
          LOOPING), unknown[__i__].reason);
}

GST_END_TEST;

TEST_SUITE (healthloops, setup, health_teardown)
{
  tcase_add_loop_test (tc, test_loop, 0, G_N_ELEMENTS (loops));
  tcase_add_loop_test (tc, test_harmless, 0, G_N_ELEMENTS (harmless));
  tcase_add_loop_test (tc, test_unknown, 0, G_N_ELEMENTS (unknown));
}
