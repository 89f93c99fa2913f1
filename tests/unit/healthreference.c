/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstVideoHealth and the usual picture: what it learns, how soon, and what it
 * compares with that. */
#include "healthfixture.h"

#define NO_CHANGE N

/* What a scene is after a minute of the usual one. */
static const struct
{
  Scene scene;
  guint seconds;
  GstVideoHealthCondition started;
  struct
  {
    GstVideoHealthCondition condition;
    gdouble least, most;
  } value[3];
} scenes[] = {
  /* Less light */
  {{1, 0.6, 1}, 60, NO_CHANGE, {{C (MOVED), 0, 0.1}, {C (COVERED), 0, 0},
          {C (BLURRY), 0.9, 2}}},
  /* Another scene may be softer: that is not defocus. */
  {{2, 1, 0.3}, 60, C (MOVED), {{C (BLURRY), 0, 0.5}}},
  /* A lens out of focus changes the texture of every cell, but large shapes
   * stay: that is not another scene. */
  {{1, 1, 0.3,.textures = 7}, 60, C (BLURRY), {{C (MOVED), 0, 0.2}}},
  /* Fog leaves a bit of everything, so the camera is not covered. */
  {{1, 0.3, 1}, 20, C (LOW_CONTRAST), {{C (COVERED), 0, 0}}},
  /* Something close to a fault is not learned, at least not soon. */
  {{1, 1, 0.6}, 120, NO_CHANGE, {{C (BLURRY), 0, 0.64}}},
};

GST_START_TEST (test_scenes)
{
  guint i;

  show (&usual, 60);
  show (&scenes[__i__].scene, scenes[__i__].seconds);
  for (i = 0; i < G_N_ELEMENTS (scenes[0].value); i++) {
    if (scenes[__i__].value[i].condition)
      check_value (scenes[__i__].value[i].condition,
          scenes[__i__].value[i].least, scenes[__i__].value[i].most);
  }
  if (scenes[__i__].started != NO_CHANGE)
    fail_unless_equals_int (fetch_change ().condition, scenes[__i__].started);
  fail_if (has_change ());
}

GST_END_TEST;

/* A view with little contrast, such as fog, is learned as fast as others. Clear
 * air after it is not a fault. */
GST_START_TEST (test_begins_in_fog)
{
  const Scene fog = { 1, 0.32, 0.3, FALSE };

  show (&fog, 20);
  check_value (C (LOW_CONTRAST), 0.35, 0.5);
  fail_if (is_judged (C (BLURRY)));
  show (&fog, 20);
  check_value (C (LOW_CONTRAST), 0.99, 1);
  check_value (C (BLURRY), 0.99, 1.01);
  show (&usual, 60);
  fail_unless (value_of (C (BLURRY)) > 1);
  fail_if (has_change ());
}

GST_END_TEST;

/* Fog around the limit between covered and not covered is reported as low
 * contrast, not as covered: what is behind it shows through. */
GST_START_TEST (test_between)
{
  const Scene more = { 1, 0.23, 1, FALSE }, less = { 1, 0.29, 1, FALSE };
  guint i;

  show (&usual, 60);
  for (i = 0; i < 12; i++) {
    show (i % 2 ? &less : &more, 1);
    fail_unless (value_of (C (COVERED)) < 0.5);
  }
  /* The same pictures come back, so this is looping, too. */
  fail_unless_equals_int (gst_video_health_get_active (health) &
      ~BIT (LOOPING), BIT (LOW_CONTRAST));
}

GST_END_TEST;

/* However long a fault lasts, it does not become usual. */
GST_START_TEST (test_wrong_is_not_learned)
{
  show (&usual, 60);
  show (&other_scene, 600);
  fail_unless (is_active (C (MOVED)));
  show (&usual, 10);
  fail_if (is_active (C (MOVED)));
}

GST_END_TEST;

/* A wrong picture that was learned at first gives way once the right one has
 * been seen for half an hour, or for as long as it was learned itself. */
static const struct
{
  guint learned, shown;         /* minutes */
  gboolean over;
} rivals[] = {
  {1, 29, FALSE},
  {1, 31, TRUE},
  {40, 38, FALSE},
  {40, 42, TRUE},
  {120, 100, FALSE},
};

GST_START_TEST (test_wrong_reference)
{
  show (&other_scene, rivals[__i__].learned * 60);
  show (&usual, 60);
  fail_unless (fetch_change ().active);
  show (&usual, rivals[__i__].shown * 60 - 60);
  if (rivals[__i__].over) {
    fail_unless_equals_int (fetch_change ().condition, C (MOVED));
    check_value (C (MOVED), 0, 0.1);
    show (&other_scene, 60);
    fail_unless (fetch_change ().active);
  } else {
    fail_if (has_change ());
  }
}

GST_END_TEST;

/* The time is counted over restarts, and other pictures count against it. */
GST_START_TEST (test_rival_restarts)
{
  GVariant *state;
  guint i;

  show (&other_scene, 60);
  for (i = 0; i < 4; i++) {
    show (&usual, 10 * 60);
    show (&other_scene, 60);
    state = gst_video_health_save (health);
    health_renew ();
    fail_unless (gst_video_health_restore (health, state, NULL));
    g_variant_unref (state);
  }
  show (&usual, 60);
  check_value (C (MOVED), 0, 0.1);
  fail_if (is_active (C (MOVED)));
}

GST_END_TEST;

/* A covered camera shows nothing that could be right. */
GST_START_TEST (test_cover_is_no_rival)
{
  show (&usual, 60);
  show (&covered_scene, 2 * 3600);
  fail_unless (is_active (C (COVERED)));
}

GST_END_TEST;

/* Frames at 0 to 29.9 s stand for 30 s. Before that, what was learned is enough
 * to name a fault because of which nothing more can be learned. */
static const guint early[] = { 300, 150 };

GST_START_TEST (test_early_fault)
{
  guint i;

  gst_video_health_set_conditions (health, BIT (COVERED));
  for (i = 0; i < early[__i__] + 80; i++) {
    add_scene (i < early[__i__] ? &usual : &covered_scene);
    judge (i * 100 * GST_MSECOND);
  }
  fail_unless (fetch_change ().active);
  for (; i < early[__i__] + 160; i++) {
    add_scene (&usual);
    judge (i * 100 * GST_MSECOND);
  }
  fail_if (fetch_change ().active);
}

GST_END_TEST;

static void
check_unknown (GstVideoHealthCondition condition, const gchar * reason)
{
  fail_unless_equals_string (gst_video_health_get_unknown_reason (health,
          condition), reason);
}

/* What cannot be judged says why. */
GST_START_TEST (test_unknown)
{
  const Scene dim = { 1, 1, 1, TRUE };

  show (&usual, 5);
  check_unknown (C (BLACK), NULL);
  check_unknown (C (MOVED), "learning");
  check_unknown (C (COVERED), "learning");
  check_unknown (C (FROZEN), "not-measured");
  check_unknown (C (MONOCHROME), "not-measured");
  show (&usual, 60);
  check_unknown (C (MOVED), NULL);
  show (&dim, 1);
  check_unknown (C (COVERED), NULL);
  check_unknown (C (MOVED), "no-pattern");
  gst_video_health_set_conditions (health, BIT (BLACK));
  check_unknown (C (FROZEN), NULL);
}

GST_END_TEST;

GST_START_TEST (test_forget)
{
  show (&usual, 60);
  show (&other_scene, 20);
  fail_unless (fetch_change ().active);
  gst_video_health_forget (health);
  fail_if (is_active (C (MOVED)));
  show (&other_scene, 20);
  fail_if (is_judged (C (MOVED)));
  show (&other_scene, 20);
  fail_unless (is_judged (C (MOVED)));
  fail_if (has_change ());
  show (&usual, 20);
  fail_unless (fetch_change ().active);
}

GST_END_TEST;

/* A new stream of a known camera starts without active conditions. */
GST_START_TEST (test_reset)
{
  show (&usual, 60);
  show (&other_scene, 20);
  fail_unless (is_active (C (MOVED)));
  gst_video_health_reset (health);
  fail_unless_equals_int (gst_video_health_get_active (health), 0);
  fail_if (has_change ());
  show (&other_scene, 20);
  fail_unless (fetch_change ().active);
}

GST_END_TEST;

/* A long gap between two frames does not count as time learned. */
GST_START_TEST (test_gap)
{
  show (&usual, 1);
  now += 3600 * GST_SECOND;
  show (&usual, 2);
  fail_if (is_judged (C (COVERED)));
}

GST_END_TEST;

/* The usual scene for @hours, then @scene for @more hours, and @end frames of
 * the usual one, ten seconds apart. */
static void
show_for_hours (guint hours, const Scene * scene, guint more, guint end)
{
  const guint before = hours * 360, after = before + more * 360;
  guint i;

  for (i = 0; i < after + end; i++) {
    add_scene (i >= before && i < after ? scene : &usual);
    judge (i * 10 * GST_SECOND);
  }
}

/* However long a reference was learned, it follows with a time constant of an
 * hour: two thirds of the way in that time. */
GST_START_TEST (test_pace)
{
  const Scene softer = { 1, 1, 0.8, FALSE };

  show_for_hours (3, &softer, 1, 0);
  check_value (C (BLURRY), 0.88, 0.95);
}

GST_END_TEST;

/* Rain must not raise the learned sharpness: dry weather after an hour of rain
 * is judged as before. */
GST_START_TEST (test_sharper_for_an_hour)
{
  const Scene rain = { 1, 1, 2.5, FALSE };

  show_for_hours (3, &rain, 1, 1);
  check_value (C (BLURRY), 0.8, 2);
}

GST_END_TEST;

/* Few cells and few rows are too coarse to locate anything. */
GST_START_TEST (test_coarse_grid)
{
  const Scene coarse = { 1, 1, 1, FALSE, 3 };

  show (&coarse, 60);
  fail_unless (is_judged (C (BLACK)));
  fail_if (gst_video_health_get_judged (health) & (BIT (BLURRY) |
          BIT (COVERED) | BIT (MOVED) | BIT (BANDING)));
}

GST_END_TEST;

/* A coarser histogram of the same frame does not replace a finer one, in either
 * order. */
GST_START_TEST (test_two_grids)
{
  const Scene coarse = { 1, 1, 1, FALSE, 3 };
  guint i;

  for (i = 0; i < 120; i++) {
    gst_video_health_add_histogram (health, get_scene (i < 60 ? &usual :
            &coarse));
    gst_video_health_add_histogram (health, get_scene (i < 60 ? &coarse :
            &usual));
    judge (i * GST_SECOND);
    fail_unless (i % 60 < 40
        || (~gst_video_health_get_judged (health) & (BIT (BLURRY) |
                BIT (COVERED) | BIT (MOVED))) == 0);
  }
}

GST_END_TEST;

/* Each hour of the day has its own usual picture. */
GST_START_TEST (test_hours)
{
  const Scene softer = { 1, 1, 0.8, FALSE };
  const GstClockTime hour = 3600 * GST_SECOND;

  show_at (&usual, 60, 5 * hour);
  /* An hour without data starts with what was usual before. */
  show_at (&softer, 1, 6 * hour);
  check_value (C (BLURRY), 0, 0.85);
  show_at (&softer, 600, 7 * hour - 1);
  check_value (C (BLURRY), 0.9, 2);
  show_at (&softer, 1, (24 + 5) * hour);
  check_value (C (BLURRY), 0, 0.85);
  show_at (&softer, 1, (24 + 6) * hour);
  check_value (C (BLURRY), 0.9, 2);
  /* A frame without a real time has the hour of the last one. */
  show (&softer, 1);
  check_value (C (BLURRY), 0.9, 2);
}

GST_END_TEST;

static void
show_in_color (const Scene * scene, gboolean color, guint seconds)
{
  guint i;

  for (i = 0; i < seconds; i++) {
    add_chroma (128, 128, color ? 20 : 1);
    show (scene, 1);
  }
}

/* By night a lamp of the camera's own shows another scene. */
GST_START_TEST (test_night_is_another_scene)
{
  gst_video_health_set_conditions (health, BIT (MOVED) | BIT (COVERED));
  gst_video_health_set_rules (health, "moved,duration=8s", NULL);
  show_in_color (&usual, TRUE, 60);
  show_in_color (&other_scene, FALSE, 60);
  show_in_color (&usual, TRUE, 60);
  show_in_color (&other_scene, FALSE, 60);
  fail_if (has_change ());
  fail_unless (is_judged (C (MOVED)));
  gst_video_health_forget (health);

  /* A covered camera has no color, and is still found to be covered, even in
   * the first night, of which nothing is known yet. */
  show_in_color (&usual, TRUE, 60);
  show_in_color (&covered_scene, FALSE, 60);
  fail_unless_equals_int (fetch_change ().condition, C (COVERED));
  show_in_color (&usual, TRUE, 60);
  fail_unless_equals_int (fetch_change ().condition, C (COVERED));
  show_in_color (&usual, FALSE, 10);
  show_in_color (&covered_scene, FALSE, 10);
  fail_unless_equals_int (fetch_change ().condition, C (COVERED));
  fail_unless (is_active (C (COVERED)));
}

GST_END_TEST;

/* A camera with a night mode may be dark until it has switched its lamp on. So
 * may any camera that was seen in color, as it may have a night mode. */
static const struct
{
  guint colored, colorless, dark;       /* s */
  gboolean found;
} nights[] = {
  {60, 60, 13, FALSE},
  {60, 60, 17, TRUE},
  {60, 0, 13, FALSE},
  {60, 0, 17, TRUE},
};

GST_START_TEST (test_night_mode_takes_time)
{
  GstVideoHistogram *dark = make_two (GST_VIDEO_COLOR_RANGE_0_255, 8, 30, 1);
  gchar *words;
  guint i;

  gst_video_health_set_conditions (health, BIT (DARK));
  fail_unless_equals_uint64 (gst_video_health_get_duration (health, C (DARK)),
      5 * GST_SECOND);
  show_in_color (&usual, TRUE, nights[__i__].colored);
  show_in_color (&usual, FALSE, nights[__i__].colorless);
  show_in_color (&usual, TRUE, 60);
  fail_unless_equals_uint64 (gst_video_health_get_duration (health, C (DARK)),
      15 * GST_SECOND);
  words = gst_video_health_describe (health, C (DARK));
  fail_unless (strstr (words, "the alarm starts after 15 s above 90 %"), "%s",
      words);
  g_free (words);
  for (i = 0; i < nights[__i__].dark; i++) {
    add_chroma (128, 128, 1);
    show_histogram (dark, 1);
    fail_unless_equals_uint64 (gst_video_health_get_pending (health, C (DARK)),
        i < 15 ? i * GST_SECOND : 0);
  }
  show_in_color (&usual, FALSE, 60);
  fail_unless_equals_int (has_change (), nights[__i__].found);
  gst_video_histogram_unref (dark);
}

GST_END_TEST;

/* Cells with a mean code of @data, half of whose pixels are brighter than
 * that. */
static void
fill_mixed (G_GNUC_UNUSED guint c, guint32 * luma,
    G_GNUC_UNUSED guint32 * gradient, gconstpointer data)
{
  const guint code = GPOINTER_TO_UINT (data), reach = MIN (code, 255 - code);

  luma[code - reach * 4 / 5] = luma[code + reach * 4 / 5] = CELL_PIXELS;
}

static void
show_code (guint code)
{
  GstVideoHistogram *histogram = make_cells (SIDE,
      GST_VIDEO_HISTOGRAM_CHANNELS_LUMA, GST_VIDEO_COLOR_RANGE_0_255,
      fill_mixed, GUINT_TO_POINTER (code));

  show_histogram (histogram, 1);
  gst_video_histogram_unref (histogram);
}

/* A view that becomes dark or bright at once is found even if half of its
 * pixels are neither. If it is usual, or comes slowly, or while the camera was
 * not watched, it is not. */
static const struct
{
  GstVideoHealthCondition condition;
  guint before, after, time;    /* codes, and the s from one to the other */
  gboolean restarted;
  gboolean found;
} lights[] = {
  {C (DARK), 90, 30, 1, FALSE, TRUE},
  {C (DARK), 105, 45, 1, FALSE, TRUE},
  {C (DARK), 90, 46, 1, FALSE, FALSE},  /* more than half is left */
  {C (DARK), 52, 35, 1, FALSE, TRUE},
  {C (DARK), 40, 30, 1, FALSE, FALSE},
  {C (DARK), 90, 30, 1200, FALSE, FALSE},
  {C (DARK), 90, 30, 1, TRUE, FALSE},
  {C (BRIGHT), 90, 190, 1, FALSE, TRUE},
  {C (BRIGHT), 90, 170, 1, FALSE, FALSE},
  {C (BRIGHT), 140, 190, 1, FALSE, FALSE},
  {C (BRIGHT), 90, 190, 1200, FALSE, FALSE},
  {C (BRIGHT), 90, 190, 1, TRUE, FALSE},
};

GST_START_TEST (test_other_light)
{
  const gint before = lights[__i__].before, after = lights[__i__].after;
  const gint time = lights[__i__].time;
  gint i;

  gst_video_health_set_conditions (health, BIT (DARK) | BIT (BRIGHT));
  for (i = 0; i < 120; i++)
    show_code (before);
  if (lights[__i__].restarted)
    gst_video_health_restart (health);
  for (i = 1; i < time + 60; i++)
    show_code (before + (after - before) * MIN (i, time) / time);
  fail_unless_equals_int (is_active (lights[__i__].condition),
      lights[__i__].found);
  fail_unless_equals_int (has_change (), lights[__i__].found);
}

GST_END_TEST;

/* A topic is active if any of its conditions is. */
GST_START_TEST (test_shared_topic)
{
  GstVideoHealthChange change;

  gst_video_health_set_conditions (health, BIT (MOVED) | BIT (COVERED));
  show (&usual, 60);
  show (&other_scene, 20);
  fail_unless_equals_int (fetch_change ().condition, C (MOVED));
  show (&covered_scene, 20);
  fail_unless_equals_int (fetch_change ().condition, C (COVERED));
  /* Noise is not a scene. */
  fail_if (is_judged (C (MOVED)));
  show (&other_scene, 20);
  change = fetch_change ();
  fail_unless_equals_int (change.condition, C (COVERED));
  fail_unless (!change.active && change.topic_active);
  show (&usual, 20);
  change = fetch_change ();
  fail_unless (!change.active && !change.topic_active);
}

GST_END_TEST;

/* In a larger picture neighboring pixels are more alike, so sharpness is
 * learned again. A picture with a few pixels less, as if cropped, counts as the
 * same size. */
GST_START_TEST (test_another_size)
{
  const Scene soft = { 1, 1, 0.3, FALSE };
  const gdouble part = __i__ ? 0.95 : 0.5;
  GstVideoHistogram *smaller = make_halves (&usual, &usual, part);
  guint i;

  show_histogram (smaller, 60);
  for (i = 0; i < 20; i++) {
    show (&soft, 1);
    fail_unless (isnan (value_of (C (BLURRY))) == !__i__);
  }
  fail_unless_equals_int (is_active (C (BLURRY)), __i__);
  if (!__i__) {
    show (&soft, 20);
    check_value (C (BLURRY), 0.99, 1.01);
  }
  gst_video_histogram_unref (smaller);
}

GST_END_TEST;

/* Another scene is recognized in any size, and is not learned. */
GST_START_TEST (test_other_scene_of_another_size)
{
  const gdouble part = __i__ ? 0.25 : 0.9;
  GstVideoHistogram *smaller = make_halves (&usual, &usual, part);

  show_histogram (smaller, 60);
  show (&other_scene, 20);
  fail_unless (is_active (C (MOVED)));
  show (&other_scene, 320);
  fail_unless (is_active (C (MOVED)));
  show (&usual, 20);
  fail_if (is_active (C (MOVED)));
  fail_unless (value_of (C (MOVED)) < 0.1);
  gst_video_histogram_unref (smaller);
}

GST_END_TEST;

TEST_SUITE (healthreference, health_setup, health_teardown)
{
  tcase_add_loop_test (tc, test_scenes, 0, G_N_ELEMENTS (scenes));
  tcase_add_test (tc, test_begins_in_fog);
  tcase_add_test (tc, test_between);
  tcase_add_test (tc, test_wrong_is_not_learned);
  tcase_add_loop_test (tc, test_wrong_reference, 0, G_N_ELEMENTS (rivals));
  tcase_add_test (tc, test_rival_restarts);
  tcase_add_test (tc, test_cover_is_no_rival);
  tcase_add_loop_test (tc, test_early_fault, 0, G_N_ELEMENTS (early));
  tcase_add_test (tc, test_unknown);
  tcase_add_test (tc, test_forget);
  tcase_add_test (tc, test_reset);
  tcase_add_test (tc, test_gap);
  tcase_add_test (tc, test_pace);
  tcase_add_test (tc, test_sharper_for_an_hour);
  tcase_add_test (tc, test_coarse_grid);
  tcase_add_test (tc, test_two_grids);
  tcase_add_test (tc, test_hours);
  tcase_add_test (tc, test_night_is_another_scene);
  tcase_add_loop_test (tc, test_night_mode_takes_time, 0,
      G_N_ELEMENTS (nights));
  tcase_add_loop_test (tc, test_other_light, 0, G_N_ELEMENTS (lights));
  tcase_add_test (tc, test_shared_topic);
  tcase_add_loop_test (tc, test_another_size, 0, 2);
  tcase_add_loop_test (tc, test_other_scene_of_another_size, 0, 2);
}
