/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* drifting finds pictures that get worse within weeks, too slowly for the other
 * conditions, and not that days get shorter. */
#include "healthfixture.h"

#define DRIFTING C (DRIFTING)
#define FIRST_HOUR 8
#define N_HOURS 6

static guint day;

/* Judges a frame a minute, from 8:00 to 14:00 of the next day. In the first and
 * the last of these hours, @edge is seen. */
static void
watch_day (const Scene * scene, const Scene * edge)
{
  guint minute;

  for (minute = 0; minute < 60 * N_HOURS; minute++) {
    const guint hour = minute / 60;
    const guint passed = 60 * (24 * 60 * day + 60 * FIRST_HOUR + minute);

    add_scene (hour == 0 || hour == N_HOURS - 1 ? edge : scene);
    gst_video_health_judge (health, passed * GST_SECOND, passed * GST_SECOND);
  }
  day++;
}

/* As after a restart of the program. */
static void
restart (void)
{
  GVariant *state = gst_video_health_save (health);

  health_renew ();
  fail_unless (gst_video_health_restore (health, state, NULL));
  g_variant_unref (state);
}

static void
setup (void)
{
  health_setup ();
  day = 20000;
}

/* Each day some percent are lost, of sharpness or of contrast. */
static const struct
{
  guint sharpness, contrast;
} drifts[] = { {1, 0}, {2, 0}, {0, 1} };

/* Finds it once, on a day when at least a third is lost, and long before
 * anything else does. Ends it some days after the lens was cleaned. */
GST_START_TEST (test_drift)
{
  guint i;

  for (i = 0; i < 14; i++)
    watch_day (&usual, &usual);
  fail_if (has_change ());
  for (i = 0; i < 48 && !is_active (DRIFTING); i++) {
    const Scene worse = { 1, 1 - 0.01 * i * drifts[__i__].contrast,
      1 - 0.01 * i * drifts[__i__].sharpness, FALSE
    };

    watch_day (&worse, &worse);
    restart ();
  }
  fail_unless (is_active (DRIFTING));
  fail_unless_equals_int (gst_video_health_get_active (health),
      BIT (DRIFTING));
  fail_unless (i * MAX (drifts[__i__].sharpness, drifts[__i__].contrast) >= 33,
      "%u", i);
  for (i = 0; i < 20; i++)
    watch_day (&usual, &usual);
  fail_unless_equals_int (gst_video_health_get_active (health), 0);
}

GST_END_TEST;

/* In two of six hours it gets darker from week to week. */
GST_START_TEST (test_season)
{
  guint i;

  for (i = 0; i < 45; i++) {
    const Scene dusk = { 1, i < 14 ? 1 : MAX (1 - 0.02 * (i - 14), 0.55), 1,
      FALSE
    };

    watch_day (&usual, &dusk);
  }
  check_value (DRIFTING, 0, 0.1);
  fail_if (is_active (DRIFTING));
}

GST_END_TEST;

/* Ten days tell nothing yet. After the camera was turned on purpose, it is not
 * known again. */
GST_START_TEST (test_unknown)
{
  guint i;

  for (i = 0; i < 10; i++) {
    watch_day (&usual, &usual);
    fail_if (is_judged (DRIFTING));
  }
  watch_day (&usual, &usual);
  fail_unless (is_judged (DRIFTING));
  gst_video_health_forget (health);
  watch_day (&other_scene, &other_scene);
  fail_if (is_judged (DRIFTING));
  fail_unless_equals_string (gst_video_health_get_unknown_reason (health,
          DRIFTING), "too-early");
}

GST_END_TEST;

TEST_SUITE (healthdrift, setup, health_teardown)
{
  tcase_add_loop_test (tc, test_drift, 0, G_N_ELEMENTS (drifts));
  tcase_add_test (tc, test_season);
  tcase_add_test (tc, test_unknown);
}
