/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstVideoHealth and frozen pictures: what differences between frames start and
 * end the condition, and when. The test healthcoded covers
 * coded video. */
#include "healthfixture.h"

static void
set_frozen_rule (const gchar * rule)
{
  gchar *rules = g_strconcat ("frozen,", rule, NULL);

  gst_video_health_set_conditions (health, BIT (FROZEN));
  fail_unless (gst_video_health_set_rules (health, rules, NULL));
  g_free (rules);
}

/* Differences at these times in ms, whether the picture counts as frozen after
 * each, and since when, if that changes. */
static const struct
{
  const gchar *rule;
  guint n;
  struct
  {
    gdouble difference;
    guint ms;
    gboolean frozen;
    guint since;
  } step[13];
} streams[] = {
  /* Hysteresis */
  {"enter=0.1,leave=0.2,duration=0", 7, {{0.15, 0}, {0.1001, 40},
          {0.1, 80, TRUE, 40}, {0.15, 120, TRUE}, {0.2, 160, TRUE},
          {0.2001, 200, FALSE, 200}, {0.15, 240}}},
  /* A single good frame restarts the duration, a single bad one the hold. */
  {"enter=0.1,leave=0.2,duration=100ms,hold=50ms", 13, {{1, 0}, {0, 40},
          {0, 99}, {1, 100}, {0, 150}, {0, 199}, {0, 200, TRUE, 100},
          {1, 210, TRUE}, {1, 259, TRUE}, {0, 259, TRUE}, {1, 300, TRUE},
          {1, 349, TRUE}, {1, 350, FALSE, 300}}},
  /* Times go back; the condition stays active. */
  {"enter=0.1,leave=0.2,duration=100ms", 6, {{1, 1000}, {0, 1040}, {0, 500},
          {0, 519}, {0, 520, TRUE, 500}, {0, 0, TRUE}}},
};

GST_START_TEST (test_stream)
{
  gboolean frozen = FALSE;
  guint i;

  set_frozen_rule (streams[__i__].rule);
  for (i = 0; i < streams[__i__].n; i++) {
    judge_difference (streams[__i__].step[i].difference,
        streams[__i__].step[i].ms);
    fail_unless_equals_int (is_active (C (FROZEN)),
        streams[__i__].step[i].frozen);
    if (streams[__i__].step[i].frozen != frozen) {
      const GstVideoHealthChange change = fetch_change ();

      frozen = !frozen;
      fail_unless_equals_int (change.active, frozen);
      fail_unless_equals_uint64 (change.since,
          streams[__i__].step[i].since * GST_MSECOND);
    }
  }
}

GST_END_TEST;

/* Like freezedetect: the first frame of a freeze stays the one to compare with;
 * otherwise each frame replaces the last. */
GST_START_TEST (test_wants_frame)
{
  set_frozen_rule ("enter=0.1,leave=0.2,duration=80ms");
  fail_unless (gst_video_health_wants_frame (health));
  judge (0);
  fail_unless (gst_video_health_wants_frame (health));
  judge_difference (0.11, 40);
  fail_unless (gst_video_health_wants_frame (health));
  judge_difference (0.1, 80);
  fail_if (gst_video_health_wants_frame (health));
  judge_difference (0, 120);
  fail_unless (is_active (C (FROZEN)));
  judge_difference (0.15, 160);
  fail_if (gst_video_health_wants_frame (health));
  judge_difference (0.21, 200);
  fail_unless (gst_video_health_wants_frame (health));
  judge_difference (0, 240);
  fail_if (gst_video_health_wants_frame (health));
  gst_video_health_reset (health);
  fail_unless (gst_video_health_wants_frame (health));
}

GST_END_TEST;

GST_START_TEST (test_no_times)
{
  guint i;

  set_frozen_rule ("enter=0.1,leave=0.2,duration=100ms");
  for (i = 0; i < 100; i++) {
    gst_video_health_add_difference (health, 0);
    judge (GST_CLOCK_TIME_NONE);
  }
  fail_if (is_active (C (FROZEN)));
  judge_difference (0, 100);
  fail_unless (is_active (C (FROZEN)));
  gst_video_health_add_difference (health, 1);
  judge (GST_CLOCK_TIME_NONE);
  fail_if (is_active (C (FROZEN)));
}

GST_END_TEST;

/* If nobody fetches them, the newest changes are kept. */
GST_START_TEST (test_nobody_fetches)
{
  GstVideoHealthChange change;
  GstClockTime last = 0;
  guint i, n = 0;

  set_frozen_rule ("enter=0.1,leave=0.2,duration=0");
  for (i = 0; i < 1000; i++)
    judge_difference (i % 2, i * 40);
  while (gst_video_health_next_change (health, &change)) {
    last = change.time;
    n++;
  }
  fail_unless_equals_int (n, 256);
  fail_unless_equals_uint64 (last, 999 * 40 * GST_MSECOND);
  fail_unless_equals_uint64 (change.time, 0);
  judge_difference (0, 999 * 40);
  fail_unless_equals_uint64 (fetch_change ().time, 999 * 40 * GST_MSECOND);
}

GST_END_TEST;

GST_START_TEST (test_difference_of_joint)
{
  static const guint32 counts[256 * 256] = {
    [10 * 256 + 10] = 6,[10 * 256 + 14] = 1,[200 * 256 + 190] = 1
  };

  fail_unless (add_joint (GST_VIDEO_HISTOGRAM_JOINT_OTHER,
          gst_video_joint_histogram_new (256, 256, counts, 256 * 256)));
  judge (0);
  fail_unless_close (value_of (C (FROZEN)), 14.0 / 8 / 256);
}

GST_END_TEST;

TEST_SUITE (healthfrozen, health_setup, health_teardown)
{
  tcase_add_loop_test (tc, test_stream, 0, G_N_ELEMENTS (streams));
  tcase_add_test (tc, test_wants_frame);
  tcase_add_test (tc, test_no_times);
  tcase_add_test (tc, test_nobody_fetches);
  tcase_add_test (tc, test_difference_of_joint);
}
