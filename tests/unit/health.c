/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstVideoHealth with simulated cameras: each condition starts and ends when it
 * should, and no input does harm. The tests whose names start with health
 * cover parts of it. */
#include "healthfixture.h"

#include "common/pending.h"
#include "common/random.h"

/* Adds the @i th frame of a camera with (@bad) or without the fault that
 * @condition stands for. */
typedef void (*AddFrame) (gboolean bad, guint i);

static void
frame_black (gboolean bad, G_GNUC_UNUSED guint i)
{
  add_luma (bad, 3);
}

static void
frame_dark (gboolean bad, G_GNUC_UNUSED guint i)
{
  add_luma (bad, 30);
}

static void
frame_bright (gboolean bad, G_GNUC_UNUSED guint i)
{
  add_luma (bad, 250);
}

static void
frame_blurry (gboolean bad, G_GNUC_UNUSED guint i)
{
  const Scene blurry = { 1, 1, 0.3, FALSE };

  add_scene (bad ? &blurry : &usual);
}

static void
frame_low_contrast (gboolean bad, G_GNUC_UNUSED guint i)
{
  add (make_two (GST_VIDEO_COLOR_RANGE_0_255, 8, bad ? 150 : 20, 0.5));
}

static void
frame_covered (gboolean bad, G_GNUC_UNUSED guint i)
{
  add_scene (bad ? &covered_scene : &usual);
}

static void
frame_moved (gboolean bad, G_GNUC_UNUSED guint i)
{
  add_scene (bad ? &other_scene : &usual);
}

static void
frame_frozen (gboolean bad, G_GNUC_UNUSED guint i)
{
  fail_unless (gst_video_health_add_difference (health, bad ? 0.0005 : 0.02));
}

static void
frame_color_cast (gboolean bad, G_GNUC_UNUSED guint i)
{
  add_scene (&usual);
  add_chroma (bad ? 144 : 128, bad ? 146 : 128, 10);
}

static void
frame_monochrome (gboolean bad, G_GNUC_UNUSED guint i)
{
  add_chroma (128, 128, bad ? 1 : 20);
}

/* A minute with color and a minute without, in turn, at a frame every ten
 * seconds. */
static void
frame_flapping (gboolean bad, guint i)
{
  add_chroma (128, 128, bad && i / 6 % 2 ? 1 : 20);
}

/* Five flashes a second, at 25 frames a second. */
static void
frame_flashing (gboolean bad, guint i)
{
  add (make_flat (8, SIDE, SIDE, same_code,
          GUINT_TO_POINTER (bad && i % 5 < 2 ? 200 : 100)));
}

/* One of two frames is damaged. */
static void
frame_corrupted (gboolean bad, guint i)
{
  gst_video_health_add_corrupted (health, bad && i % 3 == 0);
  gst_video_health_add_corrupted (health, bad && i % 3 != 0);
}

static void
frame_obstructed (gboolean bad, G_GNUC_UNUSED guint i)
{
  add (make_halves (bad ? &covered_scene : &usual, &usual, 1));
}

/* Five frames dark and five bright, in turn. */
static void
frame_hunting (gboolean bad, guint i)
{
  add (make_flat (8, SIDE, SIDE, same_code,
          GUINT_TO_POINTER (!bad ? 100 : i / 5 % 2 ? 160 : 70)));
}

/* Every cell changes with every frame. */
static guint
changing_code (guint x, guint y, gconstpointer data)
{
  TestRandom random = test_random_new (GPOINTER_TO_UINT (data) * CELLS + y *
      SIDE + x);

  return 100 + test_random_below (&random, 40);
}

/* Six frames, again and again. */
static void
frame_looping (gboolean bad, guint i)
{
  add (make_flat (8, SIDE, SIDE, changing_code,
          GUINT_TO_POINTER (bad ? i % 6 : i)));
}

/* At a frame every ten minutes. */
static void
frame_drifting (gboolean bad, G_GNUC_UNUSED guint i)
{
  const Scene soft = { 1, 1, 0.6, FALSE };

  add_scene (bad ? &soft : &usual);
}

/* A lamp in a view of medium levels, and its light around it. */
static guint
glare_code (guint x, guint y, gconstpointer data)
{
  const gdouble dx = x - 3.4, dy = y - 3.6;
  const guint usual = 40 + 25 * ((x * 3 + y * 5) % 7);

  return GPOINTER_TO_UINT (data) ? MIN (0.8 * usual + 250 * exp (-(dx * dx +
              dy * dy) / 3), 255) : usual;
}

static void
frame_glare (gboolean bad, G_GNUC_UNUSED guint i)
{
  add (make_flat (8, SIDE, SIDE, glare_code, GUINT_TO_POINTER (bad)));
}

/* A view whose faint gradients become flat, while the strong ones remain. */
static void
frame_blocky (gboolean bad, G_GNUC_UNUSED guint i)
{
  const guint n_faint = bad ? 100 : 400;
  guint32 counts[256] = { 0, };
  GstVideoHistogramInfo info;
  GstVideoHistogram *histogram;
  guint c;

  counts[0] = 500 - n_faint;
  counts[2] = n_faint;
  counts[40] = 100;
  gst_video_histogram_info_init (&info);
  info.channels = GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT;
  info.bins = G_N_ELEMENTS (counts);
  info.columns = info.rows = SIDE;
  info.colorimetry.range = GST_VIDEO_COLOR_RANGE_0_255;
  histogram = gst_video_histogram_new (&info);
  for (c = 0; c < CELLS; c++) {
    gst_video_histogram_set_counts (histogram,
        GST_VIDEO_HISTOGRAM_CHANNEL_GRADIENT, c % SIDE, c / SIDE, counts,
        info.bins);
  }
  frame_glare (FALSE, i);
  add (histogram);
}

static const struct
{
  GstVideoHealthCondition condition;
  AddFrame add;
  GstClockTime step;            /* time between frames */
  guint n_good, n_bad;          /* frames: good, then bad, then good */
  const gchar *topic;
} cameras[] = {
  {C (BLACK), frame_black, 40 * GST_MSECOND, 200, 100, "vh:VideoSource/Black"},
  {C (DARK), frame_dark, 40 * GST_MSECOND, 200, 200,
      "tns1:VideoSource/ImageTooDark/AnalyticsService"},
  {C (BRIGHT), frame_bright, 40 * GST_MSECOND, 200, 200,
      "tns1:VideoSource/ImageTooBright/AnalyticsService"},
  {C (BLURRY), frame_blurry, GST_SECOND, 60, 60,
      "tns1:VideoSource/ImageTooBlurry/AnalyticsService"},
  {C (LOW_CONTRAST), frame_low_contrast, 100 * GST_MSECOND, 200, 200,
      "tns1:VideoSource/ImpairedVisibility"},
  {C (COVERED), frame_covered, GST_SECOND, 60, 60,
      "tns1:VideoSource/GlobalSceneChange/AnalyticsService"},
  {C (MOVED), frame_moved, GST_SECOND, 60, 60,
      "tns1:VideoSource/GlobalSceneChange/AnalyticsService"},
  {C (FROZEN), frame_frozen, 40 * GST_MSECOND, 100, 100,
      "vh:VideoSource/Frozen"},
  {C (COLOR_CAST), frame_color_cast, GST_SECOND, 20, 20,
      "vh:VideoSource/ColorCast"},
  {C (MONOCHROME), frame_monochrome, GST_SECOND, 20, 20,
      "vh:VideoSource/Monochrome"},
  {C (FLAPPING), frame_flapping, 10 * GST_SECOND, 400, 120,
      "vh:VideoSource/Flapping"},
  {C (FLASHING), frame_flashing, 40 * GST_MSECOND, 100, 50,
      "vh:VideoSource/Flashing"},
  {C (BANDING), add_bands, 40 * GST_MSECOND, 300, 300,
      "vh:VideoSource/Banding"},
  {C (CORRUPTED), frame_corrupted, 40 * GST_MSECOND, 600, 600,
      "vh:VideoSource/Corrupted"},
  {C (OBSTRUCTED), frame_obstructed, GST_SECOND, 60, 60,
      "vh:VideoSource/Obstructed"},
  {C (HUNTING), frame_hunting, 200 * GST_MSECOND, 200, 100,
      "vh:VideoSource/Hunting"},
  {C (LOOPING), frame_looping, 200 * GST_MSECOND, 300, 150,
      "vh:VideoSource/Looping"},
  {C (DRIFTING), frame_drifting, 600 * GST_SECOND, 3000, 2000,
      "vh:VideoSource/Drifting"},
  {C (GLARE), frame_glare, GST_SECOND, 60, 60, "vh:VideoSource/Glare"},
  {C (BLOCKY), frame_blocky, GST_SECOND, 60, 60, "vh:VideoSource/Blocky"},
};

static void
feed (guint camera, GstClockTime step, gboolean bad, guint n, guint * i)
{
  guint k;

  for (k = 0; k < n; k++, (*i)++) {
    cameras[camera].add (bad, *i);
    judge (*i * step);
  }
}

/* The sentence has the value, a detail if there is one, and the limit at which
 * the condition changes next. */
static void
check_sentence_of (GstVideoHealthCondition condition, gboolean active)
{
  gchar *sentence = gst_video_health_describe (health, condition);
  const gchar *detail = gst_video_health_get_detail (health, condition);

  fail_unless (strstr (sentence, active ? "; the alarm ends " :
          "; the alarm starts "), "%s", sentence);
  fail_unless_equals_int (detail != NULL, active && (condition
          == C (OBSTRUCTED) || condition == C (COLOR_CAST)
          || condition == C (GLARE)));
  if (detail)
    fail_unless (strstr (sentence, detail), "%s", sentence);
  g_free (sentence);
}

static void
check_change (guint camera, gboolean active)
{
  const GstVideoHealthCondition condition = cameras[camera].condition;
  const GstVideoHealthChange change = fetch_change ();
  GstClockTime duration, hold;
  gdouble enter, leave;

  gst_video_health_get_rule (health, condition, &enter, &leave, &duration,
      &hold);
  fail_unless_equals_int (is_active (condition), active);
  fail_unless_equals_int (change.condition, condition);
  fail_unless_equals_int (change.active, active);
  fail_unless_equals_int (change.topic_active, active);
  fail_unless_equals_string (change.topic, cameras[camera].topic);
  fail_unless_close (change.threshold, active ? enter : leave);
  if (active)
    fail_unless (leave < enter ? change.value >= enter : change.value <= enter);
  else
    fail_unless (leave < enter ? change.value < leave : change.value > leave);
  fail_unless_equals_uint64 (change.time - change.since,
      active ? duration : hold);
  check_sentence_of (condition, active);
}

/* Good, bad, and good again: one start, one end. */
static void
check_camera (guint camera, GstClockTime step, guint n_good, guint n_bad)
{
  const GstVideoHealthCondition condition = cameras[camera].condition;
  guint i = 0;

  gst_video_health_set_conditions (health, 1u << condition);
  feed (camera, step, FALSE, n_good, &i);
  fail_unless (is_judged (condition));
  fail_if (has_change ());
  feed (camera, step, TRUE, n_bad, &i);
  check_change (camera, TRUE);
  feed (camera, step, FALSE, n_good, &i);
  check_change (camera, FALSE);
  fail_unless_equals_string (gst_video_health_condition_get_topic (condition),
      cameras[camera].topic);
}

GST_START_TEST (test_once)
{
  check_camera (__i__, cameras[__i__].step, cameras[__i__].n_good,
      cameras[__i__].n_bad);
}

GST_END_TEST;

/* A fault that lasts longer than a restart of the program neither ends nor
 * starts with it. */
GST_START_TEST (test_restarted)
{
  const GstVideoHealthCondition condition = cameras[__i__].condition;
  const guint n_bad = cameras[__i__].n_bad;
  GVariant *state;
  guint i = 0, k;

  feed (__i__, cameras[__i__].step, FALSE, cameras[__i__].n_good, &i);
  feed (__i__, cameras[__i__].step, TRUE, n_bad, &i);
  fail_unless (is_active (condition));
  state = gst_video_health_save (health);
  health_renew ();
  gst_video_health_set_conditions (health, 1u << condition);
  fail_unless (gst_video_health_restore (health, state, NULL));
  g_variant_unref (state);
  gst_video_health_restart (health);
  for (k = 0; k < n_bad; k++, i++) {
    cameras[__i__].add (TRUE, i);
    judge (k * cameras[__i__].step);
    fail_unless (is_active (condition));
  }
  fail_if (has_change ());
}

GST_END_TEST;

/* Changes of color from before a restart may count for another hour. */
GST_START_TEST (test_flapping_ends_after_restart)
{
  const GstClockTime step = 10 * GST_SECOND;
  GstVideoHealthChange change;
  guint i;

  gst_video_health_set_conditions (health, BIT (FLAPPING));
  for (i = 0; i < 120; i++) {
    frame_flapping (TRUE, i);
    judge (i * step);
  }
  fail_unless (fetch_change ().active);
  gst_video_health_restart (health);
  for (i = 0; i < 360; i++) {
    frame_flapping (FALSE, i);
    judge (i * step);
    fail_if (is_judged (C (FLAPPING)));
  }
  fail_if (has_change ());
  frame_flapping (FALSE, i);
  judge (i * step);
  change = fetch_change ();
  fail_unless (!change.active);
  fail_unless_equals_uint64 (change.time, 3600 * GST_SECOND);
}

GST_END_TEST;

/* Lasting faults are found as soon at a few frames a second as at many. */
GST_START_TEST (test_seldom)
{
  const GstVideoHealthCondition condition = cameras[__i__].condition;

  if (condition == C (FLAPPING) || condition == C (FLASHING)
      || condition == C (BANDING) || condition == C (DRIFTING))
    return;
  check_camera (__i__, 200 * GST_MSECOND, 300, 300);
  health_renew ();
  check_camera (__i__, GST_SECOND, 60, 60);
}

GST_END_TEST;

/* Values carry noise: @n_bad of ten frames are past enter, and the others are
 * between the thresholds or, with @clear, past leave. */
static const struct
{
  guint n_bad;
  gboolean clear, starts;
} wavers[] = {
  {9, FALSE, TRUE},
  {6, FALSE, TRUE},
  {4, FALSE, FALSE},
  {9, TRUE, FALSE},
};

GST_START_TEST (test_wavers)
{
  guint i;

  gst_video_health_set_conditions (health, BIT (DARK));
  for (i = 0; i < 600; i++) {
    add (make_two (GST_VIDEO_COLOR_RANGE_0_255, 8, 30,
            i % 10 < wavers[__i__].n_bad ? 0.95 : wavers[__i__].clear ? 0.5 :
            0.85));
    judge (i * 100 * GST_MSECOND);
  }
  if (wavers[__i__].starts) {
    fail_unless_equals_uint64 (fetch_change ().since, 0);
  } else {
    fail_if (has_change ());
  }
}

GST_END_TEST;

/* A saved state keeps how long a pending start has wavered. */
GST_START_TEST (test_wavers_on)
{
  GVariant *state;
  guint i;

  gst_video_health_set_conditions (health, BIT (DARK));
  for (i = 0; i < 69; i++) {
    add (make_two (GST_VIDEO_COLOR_RANGE_0_255, 8, 30, i % 10 < 7 ? 0.95 :
            0.85));
    judge (i * 100 * GST_MSECOND);
    fail_if (has_change ());
    state = gst_video_health_save (health);
    health_renew ();
    gst_video_health_set_conditions (health, BIT (DARK));
    fail_unless (gst_video_health_restore (health, state, NULL));
    g_variant_unref (state);
  }
  for (; i < 80; i++) {
    add (make_two (GST_VIDEO_COLOR_RANGE_0_255, 8, 30, 0.95));
    judge (i * 100 * GST_MSECOND);
  }
  fail_unless_equals_uint64 (fetch_change ().time, 7 * GST_SECOND);
}

GST_END_TEST;

/* A camera without faults has no active condition. Only an engine measures
 * noise, nothing moves that could be a loop, and it does not take weeks. */
GST_START_TEST (test_nothing)
{
  guint i;

  for (i = 0; i < 300; i++) {
    add_scene (&usual);
    add_chroma (128, 128, 20);
    gst_video_health_add_difference (health, 0.01);
    gst_video_health_add_corrupted (health, FALSE);
    add (make_flat (8, 1, 64, same_code, GUINT_TO_POINTER (120)));
    gst_video_health_judge (health, i * 200 * GST_MSECOND,
        i * 200 * GST_MSECOND);
  }
  fail_unless_equals_int (gst_video_health_get_judged (health),
      GST_VIDEO_HEALTH_CONDITIONS_ALL & ~(GST_VIDEO_HEALTH_CONDITIONS_NOISY
          | GST_VIDEO_HEALTH_CONDITIONS_LOOPING
          | GST_VIDEO_HEALTH_CONDITIONS_DRIFTING
          | GST_VIDEO_HEALTH_CONDITIONS_NUDGED
          | GST_VIDEO_HEALTH_CONDITIONS_STRIPED
          | GST_VIDEO_HEALTH_CONDITIONS_PARTLY_FROZEN
          | GST_VIDEO_HEALTH_CONDITIONS_SHAKING));
  fail_unless_equals_int (gst_video_health_get_active (health), 0);
  fail_if (has_change ());
}

GST_END_TEST;

GST_START_TEST (test_signal_loss)
{
  GstVideoHealthChange change;

  judge (10 * GST_SECOND);
  gst_video_health_tick (health, 14 * GST_SECOND);
  fail_unless_close (value_of (C (SIGNAL_LOSS)), 4);
  fail_if (has_change ());
  gst_video_health_tick (health, 15 * GST_SECOND);
  change = fetch_change ();
  fail_unless_equals_string (change.topic, "tns1:VideoSource/SignalLoss");
  fail_unless (change.active && change.topic_active);
  fail_unless_close (change.value, 5);
  fail_unless_close (change.threshold, 5);
  fail_unless_equals_uint64 (change.since, 10 * GST_SECOND);
  fail_unless_equals_uint64 (change.time, 15 * GST_SECOND);
  gst_video_health_tick (health, 20 * GST_SECOND);
  fail_if (has_change ());

  judge (21 * GST_SECOND);
  change = fetch_change ();
  fail_unless (!change.active && !change.topic_active);
  fail_unless_equals_uint64 (change.since, 21 * GST_SECOND);
}

GST_END_TEST;

/* A frame that is only passed shows that frames come, and nothing else: pending
 * starts and values stay those of the frames that were judged. */
GST_START_TEST (test_pass)
{
  GstVideoHealthChange change;
  guint i;

  gst_video_health_set_conditions (health, BIT (SIGNAL_LOSS) | BIT (BLACK));
  for (i = 0; i < 20; i++) {
    if (i % 10 == 0)
      frame_black (TRUE, i);
    if (i % 10 == 0)
      judge (i * GST_SECOND / 5);
    else
      gst_video_health_skip (health, i * GST_SECOND / 5);
    fail_unless_close (value_of (C (BLACK)), 1);
    fail_unless_close (value_of (C (SIGNAL_LOSS)), 0);
    fail_unless_equals_int (is_active (C (BLACK)), i >= 10);
  }
  change = fetch_change ();
  fail_unless_equals_int (change.condition, C (BLACK));
  fail_unless_equals_uint64 (change.since, 0);
  fail_unless_equals_uint64 (change.time, 2 * GST_SECOND);

  /* The silence starts with the last frame, judged or not: the one at 3.8 s. */
  gst_video_health_tick (health, 8700 * GST_MSECOND);
  fail_unless_close (value_of (C (SIGNAL_LOSS)), 4.9);
  fail_if (has_change ());
  gst_video_health_tick (health, 9 * GST_SECOND);
  change = fetch_change ();
  fail_unless (change.condition == C (SIGNAL_LOSS) && change.active);
  fail_unless_equals_uint64 (change.since, 3800 * GST_MSECOND);
  gst_video_health_skip (health, 9 * GST_SECOND + 1);
  change = fetch_change ();
  fail_unless (change.condition == C (SIGNAL_LOSS) && !change.active);
  fail_unless (is_active (C (BLACK)));
}

GST_END_TEST;

/* Added evidence is kept for the next judged frame, and times of frames that
 * are not judged may jump, too. */
GST_START_TEST (test_pass_in_between)
{
  gst_video_health_set_conditions (health, BIT (BLACK));
  frame_black (TRUE, 0);
  gst_video_health_skip (health, 10 * GST_SECOND);
  fail_if (is_judged (C (BLACK)));
  judge (11 * GST_SECOND);
  fail_unless_close (value_of (C (BLACK)), 1);
  gst_video_health_skip (health, GST_SECOND);
  frame_black (TRUE, 0);
  judge (1500 * GST_MSECOND);
  fail_if (has_change ());
  gst_video_health_skip (health, GST_CLOCK_TIME_NONE);
  frame_black (TRUE, 0);
  judge (2 * GST_SECOND);
  fail_unless_equals_uint64 (fetch_change ().since, GST_SECOND);
}

GST_END_TEST;

/* Only a frame ends a loss of signal: time alone does not, wherever it starts
 * again, and nor does another rule. */
GST_START_TEST (test_signal_stays_lost)
{
  GVariant *state;
  guint i;

  judge (0);
  gst_video_health_tick (health, 10 * GST_SECOND);
  fail_unless (fetch_change ().active);
  state = gst_video_health_save (health);
  if (__i__ & 1)
    health_renew ();
  fail_unless (gst_video_health_restore (health, state, NULL));
  g_variant_unref (state);
  if (__i__ & 2)
    gst_video_health_restart (health);
  if (__i__ & 4)
    gst_video_health_set_rules (health, "signal-loss,enter=7,leave=6", NULL);
  for (i = 0; i < 50; i++) {
    gst_video_health_tick (health, i * 200 * GST_MSECOND);
    fail_unless (is_active (C (SIGNAL_LOSS)));
    fail_if (has_change ());
  }
  fail_unless (value_of (C (SIGNAL_LOSS)) > 9);

  gst_video_health_skip (health, 20 * GST_SECOND);
  fail_if (fetch_change ().active);
}

GST_END_TEST;

/* A tick still ends the hold after a frame. */
GST_START_TEST (test_signal_is_held)
{
  gst_video_health_set_rules (health, "signal-loss,hold=500ms", NULL);
  judge (0);
  gst_video_health_tick (health, 10 * GST_SECOND);
  fail_unless (fetch_change ().active);
  judge (20 * GST_SECOND);
  gst_video_health_tick (health, 20400 * GST_MSECOND);
  fail_if (has_change ());
  gst_video_health_tick (health, 20600 * GST_MSECOND);
  fail_if (fetch_change ().active);
}

GST_END_TEST;

/* Before the first frame, silence starts with the first tick. */
GST_START_TEST (test_no_frame_ever)
{
  GstVideoHealthChange change;

  gst_video_health_tick (health, GST_CLOCK_TIME_NONE);
  fail_if (is_judged (C (SIGNAL_LOSS)));
  gst_video_health_tick (health, 100 * GST_SECOND);
  fail_if (has_change ());
  gst_video_health_tick (health, 105 * GST_SECOND);
  change = fetch_change ();
  fail_unless_equals_uint64 (change.since, 100 * GST_SECOND);
}

GST_END_TEST;

/* Whatever times do, a black picture is found after as many frames as without
 * jumps, and its start is the time of one of the frames. */
static const gint64 jumps[] = { 0, -9800, 37600, -1, -5, 86400 * 365, -5000 };

GST_START_TEST (test_times_jump)
{
  guint every;

  for (every = 3; every <= 60; every += 7) {
    gint64 offset = 20000;
    GstVideoHealthChange change;
    guint i;

    health_renew ();
    gst_video_health_set_conditions (health, BIT (BLACK));
    for (i = 0; i < 170; i++) {
      const GstClockTime time = offset * GST_SECOND + i * 40 * GST_MSECOND;

      frame_black (i >= 100 && i < 160, 0);
      judge (time);
      fail_unless_equals_int (is_active (C (BLACK)), i >= 150 && i < 160);
      if (gst_video_health_next_change (health, &change)) {
        fail_unless_equals_uint64 (change.time, time);
        fail_unless (change.since <= time);
        fail_unless (time - change.since <= 2 * GST_SECOND);
        if (jumps[__i__])
          fail_unless (time - change.since <= i % every * 40 * GST_MSECOND);
      }
      /* The next frame jumps, and one after some more jumps back. */
      if ((i + 1) % every == 0)
        offset = 20000 + jumps[__i__] * ((i + 1) / every % 2);
    }
  }
}

GST_END_TEST;

/* A black picture does not move, but is not called frozen. */
GST_START_TEST (test_black_is_not_frozen)
{
  GstVideoHealthChange change;
  guint i;

  gst_video_health_set_conditions (health, BIT (BLACK) | BIT (FROZEN));
  for (i = 0; i < 100; i++) {
    frame_black (TRUE, i);
    frame_frozen (TRUE, i);
    judge (i * 40 * GST_MSECOND);
  }
  change = fetch_change ();
  fail_unless_equals_int (change.condition, C (BLACK));
}

GST_END_TEST;

/* Bands that are gone are over soon, even after strong ones. */
GST_START_TEST (test_bands_are_over)
{
  GstVideoHealthChange change;
  guint i;

  gst_video_health_set_conditions (health, BIT (BANDING));
  for (i = 0; i < 40 * 25; i++) {
    add_bands (i >= 10 * 25 && i < 20 * 25, i);
    judge (i * GST_SECOND / 25);
    if (i == 20 * 25)
      fail_unless (fetch_change ().active);
  }
  change = fetch_change ();
  fail_if (change.active);
  fail_unless (change.time <= 25 * GST_SECOND);
}

GST_END_TEST;

/* One cause is one alarm: black is dark, too; a covered or moved camera may be
 * still, too; and a picture from elsewhere that stands still is frozen. */
static const struct
{
  guint bin;                    /* of luma, or 0 for @scene */
  const Scene *scene;
  gdouble difference;
  guint still_from;             /* seconds after the change */
  GstVideoHealthCondition condition;
  const gchar *rules;
} causes[] = {
  {3, NULL, 0.02, 0, C (BLACK)},
  {3, NULL, 0.02, 0, C (BLACK), "dark,duration=2s"},
  {30, NULL, 0, 9, C (DARK)},
  {0, &covered_scene, 0, 9, C (COVERED)},
  {0, &other_scene, 0, 9, C (MOVED)},
  {0, &covered_scene, 0, 0, C (FROZEN)},
  {0, &other_scene, 0, 0, C (FROZEN)},
};

GST_START_TEST (test_one_cause)
{
  guint i;

  gst_video_health_set_rules (health, causes[__i__].rules, NULL);
  for (i = 0; i < 300; i++) {
    const gint since = (gint) i / 5 - 40;

    if (since >= 0 && causes[__i__].bin)
      add_luma (TRUE, causes[__i__].bin);
    else
      add_scene (since >= 0 ? causes[__i__].scene : &usual);
    gst_video_health_add_difference (health, since > 0
        && since >= (gint) causes[__i__].still_from ?
        causes[__i__].difference : 0.02);
    judge (i * GST_SECOND / 5);
  }
  fail_unless_equals_int (fetch_change ().condition, causes[__i__].condition);
}

GST_END_TEST;

static const struct
{
  GstVideoColorRange range;
  guint depth, last_black;      /* as computed by blackdetect */
} blacks[] = {
  {GST_VIDEO_COLOR_RANGE_0_255, 8, 25},
  {GST_VIDEO_COLOR_RANGE_16_235, 8, 37},
  {GST_VIDEO_COLOR_RANGE_16_235, 10, 151},
  {GST_VIDEO_COLOR_RANGE_0_255, 12, 409},
};

/* A black picture is not blurry, and says so. */
GST_START_TEST (test_held_back)
{
  guint i;

  for (i = 0; i < 300; i++) {
    if (i < 200)
      add_scene (&usual);
    else
      add_luma (TRUE, 16);
    judge (i * GST_SECOND / 5);
    if (i < 200)
      fail_if (gst_video_health_get_held_back_by (health, C (DARK)));
  }
  fail_unless_equals_int (gst_video_health_get_active (health), BIT (BLACK));
  fail_unless_equals_int (gst_video_health_get_held_back_by (health, C (DARK)),
      BIT (BLACK));
  /* What is active is not held back, and neither is what nothing explains. */
  fail_if (gst_video_health_get_held_back_by (health, C (BLACK)));
  fail_if (gst_video_health_get_held_back_by (health, C (BRIGHT)));
}

GST_END_TEST;

GST_START_TEST (test_black_level)
{
  guint more;

  for (more = 0; more < 2; more++) {
    add (make_two (blacks[__i__].range, blacks[__i__].depth,
            blacks[__i__].last_black + more, 0.75));
    judge (0);
    fail_unless_close (value_of (C (BLACK)), more ? 0 : 0.75);
  }
}

GST_END_TEST;

/* Input without information */

GST_START_TEST (test_not_judged)
{
  static const guint32 none[64 * 64] = { 0, };
  static const gdouble differences[] = { NAN, INFINITY, -0.1, 1.1 };
  GstVideoHistogram *const histograms[] = {
    TEST_COUNTS (8, 1, 3),      /* few bins */
    TEST_COUNTS (256, 1, 0),    /* no pixels */
  };
  guint i;

  /* It is unknown what its bins stand for. */
  fail_if (add_joint (GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS,
          make_chroma (64, 128, 128, 3)));
  for (i = 0; i < G_N_ELEMENTS (histograms); i++) {
    fail_if (gst_video_health_add_histogram (health, histograms[i]));
    gst_video_histogram_unref (histograms[i]);
  }

  /* No pixels, few bins */
  fail_if (add_joint (GST_VIDEO_HISTOGRAM_JOINT_CHROMA,
          gst_video_joint_histogram_new (64, 64, none, 64 * 64)));
  fail_if (add_joint (GST_VIDEO_HISTOGRAM_JOINT_OTHER,
          gst_video_joint_histogram_new (64, 64, none, 64 * 64)));
  fail_if (add_joint (GST_VIDEO_HISTOGRAM_JOINT_CHROMA,
          make_chroma (16, 128, 128, 3)));
  for (i = 0; i < G_N_ELEMENTS (differences); i++)
    fail_if (gst_video_health_add_difference (health, differences[i]));

  judge (0);
  fail_unless_equals_int (gst_video_health_get_judged (health),
      BIT (SIGNAL_LOSS));
  fail_unless (isnan (value_of (C (BLACK))));
  fail_if (has_change ());
}

GST_END_TEST;

/* Gradients only, with pixels or without any. */
GST_START_TEST (test_gradients)
{
  GstVideoHistogramInfo info;
  GstVideoHistogram *histogram;
  guint32 counts[BINS] = { 0, };

  gst_video_histogram_info_init (&info);
  info.channels = GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT;
  histogram = gst_video_histogram_new (&info);
  fail_if (gst_video_health_add_histogram (health, histogram));
  counts[3] = 1;
  gst_video_histogram_set_counts (histogram, GRADIENT, 0, 0, counts, BINS);
  fail_unless (gst_video_health_add_histogram (health, histogram));
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

GST_START_TEST (test_failed)
{
  TestJob job;
  GstVideoHistogram *histogram = test_pending_new (&job);

  g_atomic_int_set (&job.result, GST_VIDEO_HISTOGRAM_STATE_FAILED);
  fail_if (gst_video_health_add_histogram (health, histogram));
  gst_video_histogram_unref (histogram);
}

GST_END_TEST;

/* Evidence added for a frame is not used for the next one. */
GST_START_TEST (test_evidence_is_of_one_frame)
{
  frame_black (TRUE, 0);
  judge (0);
  fail_unless (is_judged (C (BLACK)));
  judge (3 * GST_SECOND);
  fail_if (is_judged (C (BLACK)));
  fail_if (has_change ());
}

GST_END_TEST;

/* The largest possible counts. */
GST_START_TEST (test_huge_counts)
{
  GstVideoHistogramInfo info;
  GstVideoHistogram *histogram;
  guint32 *counts = g_new (guint32, 65536);
  GVariant *state;
  guint i;

  for (i = 0; i < 65536; i++)
    counts[i] = G_MAXUINT32;
  gst_video_histogram_info_init (&info);
  info.depth = 16;
  info.bins = 65536;
  info.columns = info.rows = 4;
  info.channels |= GST_VIDEO_HISTOGRAM_CHANNELS_GRADIENT;
  histogram = gst_video_histogram_new (&info);
  for (i = 0; i < 16; i++) {
    gst_video_histogram_set_counts (histogram, LUMA, i % 4, i / 4, counts,
        65536);
    gst_video_histogram_set_counts (histogram, GRADIENT, i % 4, i / 4, counts,
        65536);
  }
  for (i = 0; i < 5; i++) {
    gst_video_health_add_histogram (health, histogram);
    judge (i * GST_SECOND);
  }
  state = gst_video_health_save (health);
  fail_unless (gst_video_health_restore (health, state, NULL));
  g_variant_unref (state);
  gst_video_histogram_unref (histogram);
  g_free (counts);
}

GST_END_TEST;

GST_START_TEST (test_evidence)
{
  fail_unless_equals_int (gst_video_health_get_evidence (health), 0x3df);
  gst_video_health_set_conditions (health, BIT (SIGNAL_LOSS));
  fail_unless_equals_int (gst_video_health_get_evidence (health), 0);
  gst_video_health_set_conditions (health, BIT (BLACK) | BIT (BANDING));
  fail_unless_equals_int (gst_video_health_get_evidence (health),
      GST_VIDEO_HEALTH_EVIDENCE_LUMA | GST_VIDEO_HEALTH_EVIDENCE_ROWS);
  fail_unless_equals_int (gst_video_health_get_conditions (health),
      BIT (BLACK) | BIT (BANDING));
}

GST_END_TEST;

/* A condition that is not selected is not reported, and starts again when it
 * is. */
GST_START_TEST (test_conditions)
{
  guint i = 0;

  gst_video_health_set_conditions (health, BIT (DARK));
  feed (0, cameras[0].step, TRUE, 200, &i);
  fail_unless_equals_int (fetch_change ().condition, C (DARK));
  gst_video_health_set_conditions (health, BIT (BLACK) | BIT (DARK));
  fail_unless_equals_int (gst_video_health_get_active (health), BIT (DARK));
  feed (0, cameras[0].step, TRUE, 40, &i);
  fail_if (has_change ());
  feed (0, cameras[0].step, TRUE, 60, &i);
  fail_unless_equals_int (fetch_change ().condition, C (BLACK));
  gst_video_health_set_conditions (health, 0);
  fail_unless_equals_int (gst_video_health_get_active (health), 0);
}

GST_END_TEST;

/* Sentences start with a capital letter and end without a full stop. */
static void
check_sentence (const gchar * sentence)
{
  fail_unless (g_ascii_isupper (*sentence), sentence);
  fail_if (g_str_has_suffix (sentence, "."), sentence);
}

static void
check_words (GstVideoHealthCondition condition)
{
  const gboolean usual = gst_video_health_get_default_conditions () >>
      condition & 1;

  check_sentence (gst_video_health_condition_get_description (condition));
  check_sentence (gst_video_health_condition_get_advice (condition));
  fail_unless (g_ascii_islower
      (*gst_video_health_condition_get_words (condition)));
  /* What may be intended is no alarm that an operator leaves on. */
  fail_unless_equals_int (usual, gst_video_health_condition_get_severity
      (condition) > GST_VIDEO_HEALTH_SEVERITY_NOTICE);
}

GST_START_TEST (test_types)
{
  GFlagsClass *flags = g_type_class_ref (GST_TYPE_VIDEO_HEALTH_CONDITIONS);
  GEnumClass *values = g_type_class_ref (GST_TYPE_VIDEO_HEALTH_CONDITION);
  GstVideoHealthChange change = {.value = 3 }, *copy;
  guint i;

  fail_unless_equals_int (flags->mask, GST_VIDEO_HEALTH_CONDITIONS_ALL);
  fail_unless_equals_int (values->n_values, N);
  for (i = 0; i < N; i++) {
    const gchar *name = gst_video_health_condition_get_name (i);

    fail_unless_equals_string (g_enum_get_value (values, i)->value_nick, name);
    check_words (i);
    fail_unless_equals_string (g_flags_get_first_value (flags,
            1u << i)->value_nick, name);
  }
  fail_unless_equals_int (g_flags_get_value_by_nick (flags, "all")->value,
      GST_VIDEO_HEALTH_CONDITIONS_ALL);
  fail_unless_equals_int (g_flags_get_value_by_nick (flags, "default")->value,
      gst_video_health_get_default_conditions ());
  copy = g_boxed_copy (GST_TYPE_VIDEO_HEALTH_CHANGE, &change);
  fail_unless_close (copy->value, 3);
  g_boxed_free (GST_TYPE_VIDEO_HEALTH_CHANGE, copy);
  g_type_class_unref (flags);
  g_type_class_unref (values);
}

GST_END_TEST;

static gpointer
tick (G_GNUC_UNUSED gpointer data)
{
  guint i;

  for (i = 0; i < 2000; i++) {
    gst_video_health_tick (health, i * GST_SECOND);
    gst_video_health_get_active (health);
    has_change ();
  }
  return NULL;
}

GST_START_TEST (test_threads)
{
  GThread *thread = g_thread_new ("tick", tick, NULL);
  guint i;

  for (i = 0; i < 200; i++)
    feed_any (i);
  g_thread_join (thread);
}

GST_END_TEST;

TEST_SUITE (health, health_setup, health_teardown)
{
  tcase_add_loop_test (tc, test_once, 0, G_N_ELEMENTS (cameras));
  tcase_add_loop_test (tc, test_restarted, 0, G_N_ELEMENTS (cameras));
  tcase_add_test (tc, test_flapping_ends_after_restart);
  tcase_add_loop_test (tc, test_seldom, 0, G_N_ELEMENTS (cameras));
  tcase_add_loop_test (tc, test_wavers, 0, G_N_ELEMENTS (wavers));
  tcase_add_test (tc, test_wavers_on);
  tcase_add_test (tc, test_nothing);
  tcase_add_test (tc, test_signal_loss);
  tcase_add_test (tc, test_pass);
  tcase_add_test (tc, test_pass_in_between);
  tcase_add_loop_test (tc, test_signal_stays_lost, 0, 8);
  tcase_add_test (tc, test_signal_is_held);
  tcase_add_test (tc, test_no_frame_ever);
  tcase_add_loop_test (tc, test_times_jump, 1, G_N_ELEMENTS (jumps));
  tcase_add_test (tc, test_black_is_not_frozen);
  tcase_add_test (tc, test_bands_are_over);
  tcase_add_loop_test (tc, test_one_cause, 0, G_N_ELEMENTS (causes));
  tcase_add_test (tc, test_held_back);
  tcase_add_loop_test (tc, test_black_level, 0, G_N_ELEMENTS (blacks));
  tcase_add_test (tc, test_not_judged);
  tcase_add_test (tc, test_gradients);
  tcase_add_test (tc, test_failed);
  tcase_add_test (tc, test_evidence_is_of_one_frame);
  tcase_add_test (tc, test_huge_counts);
  tcase_add_test (tc, test_evidence);
  tcase_add_test (tc, test_conditions);
  tcase_add_test (tc, test_types);
  tcase_add_test (tc, test_threads);
}
