/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hunting finds a picture that becomes brighter and darker every few seconds,
 * and nothing else that changes the light. */
#include "healthfixture.h"

#define HUNTING C (HUNTING)

/* What happens to the level of the picture, 100 codes at first. */
typedef struct
{
  guint period, step;           /* of what happens, and between frames, in ms */
  gdouble stops;                /* up and down, in f-stops */
  guint cells;                  /* of 64 that change; 0: all */
  gdouble irregular;            /* share by which periods differ */
  guint times;                  /* periods; 0: without an end */
  gboolean sudden;              /* on and off */
} Light;

static gdouble
get_wave (const Light * light, guint ms)
{
  const gdouble turn = (gdouble) ms / light->period;
  const gdouble wave = sin (2 * G_PI * (turn + light->irregular
          * sin (turn / 1.7)));

  if (light->times && turn >= light->times)
    return 0;
  return light->sudden ? (wave > 0) - (wave < 0) : wave;
}

typedef struct
{
  const Light *light;
  guint ms;
} Moment;

/* Levels follow light with the exponent of 1 / 2.2. */
static guint
code_of (guint x, guint y, gconstpointer data)
{
  const Moment *moment = data;
  const Light *light = moment->light;
  const gdouble base = 60 + 70 * ((x * 5 + y * 3) % 8) / 8.0;
  const gdouble stops = light->cells && y * SIDE + x >= light->cells ? 0 :
      light->stops * get_wave (light, moment->ms);

  return CLAMP (base * pow (2, stops / 2.2) + 0.5, 0, 255);
}

/* Returns the largest value in two minutes. */
static gdouble
watch (const Light * light)
{
  gdouble most = 0;
  guint ms;

  gst_video_health_set_conditions (health, BIT (HUNTING));
  for (ms = 0; ms < 120000; ms += light->step) {
    const Moment moment = { light, ms };
    gdouble value;

    add (make_flat (8, SIDE, SIDE, code_of, &moment));
    judge (ms * GST_MSECOND);
    value = value_of (HUNTING);
    if (value > most)
      most = value;
  }
  return most;
}

static const Light hunting[] = {
  {6000, 200, 2},
  {2000, 200, 1.5},
  {1000, 100, 1},
  {15000, 200, 1},
  {4000, 200, 1.2, 0, 0.3},
  {4000, 500, 2, 0, 0, 0, TRUE},
  {6000, 2000, 2},
};

GST_START_TEST (test_hunting)
{
  const gdouble value = watch (&hunting[__i__]);

  fail_unless (value >= 0.3 && value <= 0.8, "%g", value);
  fail_unless (fetch_change ().active);
}

GST_END_TEST;

static const Light harmless[] = {
  {5000, 200, 0.3},             /* exposure that follows the noise */
  {60000, 200, 1.5},            /* clouds */
  {5000, 200, 3, 30},           /* somebody who comes and goes */
  {4000, 200, 2, 0, 0, 2, TRUE},        /* lamps that are switched twice */
  {400, 40, 2},                 /* flashing */
};

GST_START_TEST (test_harmless)
{
  const gdouble value = watch (&harmless[__i__]);

  fail_unless (value < 0.2, "%g", value);
  fail_if (has_change ());
}

GST_END_TEST;

/* Frames every 3 s or more do not show swings, not even slow ones. */
GST_START_TEST (test_too_slow)
{
  const Light light = { 15000, 3000 + 7000 * __i__, 2 };

  watch (&light);
  fail_if (is_judged (HUNTING));
  fail_unless_equals_string (gst_video_health_get_unknown_reason (health,
          HUNTING), "too-few-frames");
  fail_if (has_change ());
}

GST_END_TEST;

/* A state that is saved between two swings goes on with them. */
GST_START_TEST (test_saved)
{
  guint ms;

  gst_video_health_set_conditions (health, BIT (HUNTING));
  for (ms = 0; ms < 60000; ms += 200) {
    const Moment moment = { &hunting[0], ms };
    GVariant *state = gst_video_health_save (health);

    if (ms % 7000 == 0) {
      health_renew ();
      gst_video_health_set_conditions (health, BIT (HUNTING));
      fail_unless (gst_video_health_restore (health, state, NULL));
    }
    g_variant_unref (state);
    add (make_flat (8, SIDE, SIDE, code_of, &moment));
    judge (ms * GST_MSECOND);
  }
  fail_unless (is_active (HUNTING));
}

GST_END_TEST;

TEST_SUITE (healthswings, health_setup, health_teardown)
{
  tcase_add_loop_test (tc, test_hunting, 0, G_N_ELEMENTS (hunting));
  tcase_add_loop_test (tc, test_harmless, 0, G_N_ELEMENTS (harmless));
  tcase_add_loop_test (tc, test_too_slow, 0, 2);
  tcase_add_test (tc, test_saved);
}
