/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstVideoHealth and coded video, in which a picture that stands still between
 * key frames is not frozen. */
#include "healthfixture.h"

#define CODED_SIDE 4
#define CODED_CELLS (CODED_SIDE * CODED_SIDE)
#define FPS 10

/* A decoder's output: in each cell this many pixels are one code brighter. */
static struct
{
  GRand *random;
  guint32 bright[CODED_CELLS];
  guint range;                  /* of bright */
  guint n;                      /* number of frames */
} coded;

static void
start_coding (void)
{
  g_clear_pointer (&coded.random, g_rand_free);
  memset (&coded, 0, sizeof (coded));
  coded.random = g_rand_new_with_seed (7);
  coded.range = 100;
  gst_video_health_set_conditions (health, BIT (FROZEN));
  gst_video_health_set_coded (health, TRUE);
}

static void
setup (void)
{
  health_setup ();
  start_coding ();
}

static void
teardown (void)
{
  g_clear_pointer (&coded.random, g_rand_free);
  health_teardown ();
}

static void
fill_coded (guint c, guint32 * luma, G_GNUC_UNUSED guint32 * gradient,
    G_GNUC_UNUSED gconstpointer data)
{
  luma[50 + c] = 1000 - coded.bright[c];
  luma[51 + c] = coded.bright[c];
}

/* Codes @cells of the picture again. */
static void
code (guint cells, gdouble difference)
{
  guint i;

  for (i = 0; i < cells; i++) {
    coded.bright[cells < CODED_CELLS ? g_rand_int_range (coded.random, 0,
            CODED_CELLS) : i] = g_rand_int_range (coded.random, 0, coded.range);
  }
  add (make_cells (CODED_SIDE, GST_VIDEO_HISTOGRAM_CHANNELS_LUMA,
          GST_VIDEO_COLOR_RANGE_UNKNOWN, fill_coded, NULL));
  judge_difference (cells ? difference : 0, coded.n++ * 1000 / FPS);
}

/* Codes all of each @gop-th frame of @n, @cells of each @every-th other one,
 * and nothing of the rest; 0: none of them. */
static void
play (guint n, guint gop, guint every, guint cells, gdouble difference)
{
  const guint end = coded.n + n;

  while (coded.n < end) {
    code (gop && coded.n % gop == 0 ? CODED_CELLS :
        every && coded.n % every == 0 ? cells : 0, difference);
  }
}

static const guint gops[] = { 1, 4, 10, 30 };

/* Nothing moves, and a coder skips all but the key frames. Smart codecs send
 * one in a minute. */
static const guint still_gops[] = { 1, 4, 10, 30, 60 };

GST_START_TEST (test_coded_still_scene)
{
  play (300 * FPS, still_gops[__i__] * FPS, 0, 0, 0.004);
  fail_if (has_change ());
}

GST_END_TEST;

/* A key frame every half minute. After the first one a coder refines the
 * picture for a long time, after the others it does not. */
GST_START_TEST (test_coded_refinement)
{
  guint minute;

  play (30 * FPS, 30 * FPS, 15, 1, 0.0005);
  for (minute = 1; minute < 10; minute++) {
    play (FPS, 30 * FPS, 1, 1, 0.0005);
    play (29 * FPS, 0, 0, 0, 0.0005);
  }
  fail_if (has_change ());
}

GST_END_TEST;

/* Between its first two key frames, a coder changes the picture less and less.
 * Once it has been seen for a minute, such a change shows a freeze. */
GST_START_TEST (test_coded_less_and_less)
{
  coded.range = 10;
  play (33 * FPS, 0, 1, CODED_CELLS, 0.0005);
  coded.range = 2;
  play (20 * FPS, 0, 1, CODED_CELLS, 0.0001);
  fail_if (has_change ());
  coded.range = 10;
  play (60 * FPS, 0, 1, CODED_CELLS, 0.0005);
  fail_if (has_change ());
}

GST_END_TEST;

/* A camera of two frames a second, of which each changes the whole picture at
 * first: they are no key frames. */
GST_START_TEST (test_coded_two_frames_a_second)
{
  guint i;

  for (i = 0; i < 60; i++) {
    code (i < 12 ? CODED_CELLS : 1, 0.0005);
    coded.n += FPS / 2 - 1;
  }
  fail_if (has_change ());
}

GST_END_TEST;

/* All but key frames are skipped: if one key frame is missing, the camera
 * hangs. */
GST_START_TEST (test_coded_key_frames)
{
  GstVideoHealthChange change;

  play (45 * FPS, 8 * FPS, 0, 0, 0.004);
  fail_if (has_change ());
  play (10 * FPS, 0, 0, 0, 0);
  change = fetch_change ();
  fail_unless (change.active);
  fail_unless (change.since == 40 * GST_SECOND);
  fail_unless (change.time <= 49 * GST_SECOND);
}

GST_END_TEST;

/* A camera that hangs before its coder still sends key frames, but they change
 * hardly anything. */
GST_START_TEST (test_coded_empty_key_frames)
{
  GstVideoHealthChange change;
  guint i;

  play (60 * FPS, 4 * FPS, 0, 0, 0.004);
  fail_if (has_change ());
  for (i = 0; i < 15; i++) {
    coded.bright[3] = i;
    play (4 * FPS, 0, 0, 0, 0);
  }
  change = fetch_change ();
  fail_unless (change.active);
  fail_unless (change.time <= 70 * GST_SECOND);
  play (20 * FPS, 4 * FPS, 0, 0, 0.004);
  fail_if (fetch_change ().active);
}

GST_END_TEST;

/* Key frames come at different distances, as a smart coder sends them. */
GST_START_TEST (test_coded_key_frames_differ)
{
  static const guint distances[] = { 2, 8, 4 };
  guint i;

  for (i = 0; i < 60; i++) {
    code (CODED_CELLS, 0.004);
    play (distances[i % 3] * FPS - 1, 0, i % 3 ? 0 : FPS / 2, 1, 0.0005);
  }
  fail_if (has_change ());
}

GST_END_TEST;

/* The coder changes the whole picture in each frame. Pictures of a live camera
 * are all different. A camera that hangs before the coder repeats them with
 * each key frame. */
GST_START_TEST (test_coded_pictures_come_back)
{
  GstVideoHealthChange change;
  guint i;

  play (60 * FPS, 1, 0, 0, 0.004);
  fail_if (has_change ());
  for (i = 0; i < 30; i++) {
    g_rand_set_seed (coded.random, 3);
    play (2 * FPS, 1, 0, 0, 0.004);
  }
  change = fetch_change ();
  fail_unless (change.active);
  fail_unless (change.time <= 66 * GST_SECOND);
  play (20 * FPS, 1, 0, 0, 0.004);
  fail_if (fetch_change ().active);
}

GST_END_TEST;

/* Likewise with some blocks coded in every frame; then the camera hangs, and a
 * key frame comes meanwhile. */
/* No threshold decides, so the words have none. */
static void
check_words (const gchar * expected)
{
  gchar *words = gst_video_health_describe (health,
      GST_VIDEO_HEALTH_CONDITION_FROZEN);

  fail_unless_equals_string (words, expected);
  g_free (words);
}

/* The picture changes again, and the alarm is still active. */
static void
check_ending (void)
{
  gchar *words = gst_video_health_describe (health,
      GST_VIDEO_HEALTH_CONDITION_FROZEN);
  const gchar *expected = "The picture changes again; the alarm ends if it "
      "does so for another ";

  fail_if (has_change ());
  fail_unless (g_str_has_prefix (words, expected), "%s", words);
  fail_unless (atoi (words + strlen (expected)) > 0
      && g_str_has_suffix (words, " s."), "%s", words);
  g_free (words);
}

GST_START_TEST (test_coded_freeze)
{
  const guint gop = gops[__i__] * FPS;
  GstVideoHealthChange change;
  guint start;

  play (60 * FPS + FPS / 2, gop, 3, 1, 0.0005);
  fail_if (has_change ());
  start = coded.n;
  play (5 * FPS, 0, 0, 0, 0);
  code (CODED_CELLS, 0.004);
  play (15 * FPS - 1, 0, 0, 0, 0);
  change = fetch_change ();
  fail_unless (change.active);
  fail_unless (change.value <= 0.001);
  check_words ("The picture changes less than usual for this camera.");
  fail_unless (change.since >= (start - 3) * GST_SECOND / FPS);
  fail_unless (change.time <= (start / FPS + 5) * GST_SECOND);
  start = coded.n;
  play (4 * FPS, gop, 3, 1, 0.0005);
  check_ending ();
  play (16 * FPS, gop, 3, 1, 0.0005);
  change = fetch_change ();
  fail_if (change.active);
  fail_unless (change.value > 0.002);
  check_words ("The picture changes as usual for this camera.");
  fail_unless (change.since >= start * GST_SECOND / FPS);
  /* Two seconds are judged together. */
  fail_unless (change.since <= (start + 25) * GST_SECOND / FPS);
}

GST_END_TEST;

/* At a constant bitrate the coder keeps coding the whole picture again, but
 * less of it if it is frozen. */
GST_START_TEST (test_coded_at_a_constant_bitrate)
{
  GstVideoHealthChange change;

  play (70 * FPS, 1, 0, 0, 0.0005);
  fail_if (has_change ());
  play (10 * FPS, 0, 2, 1, 0.0005);
  change = fetch_change ();
  fail_unless (change.active);
  fail_unless (change.time <= 75 * GST_SECOND);
  play (10 * FPS, 1, 0, 0, 0.0005);
  fail_if (fetch_change ().active);
}

GST_END_TEST;

/* Key frames at different distances, which change far more than other frames:
 * how much changes from one to the next is known long before a minute. */
GST_START_TEST (test_coded_freeze_in_the_first_minute)
{
  const guint distances[] = { 9, 12, 7, 13 };
  GstVideoHealthChange change;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (distances); i++) {
    coded.range = 100;
    code (CODED_CELLS, 0.0005);
    coded.range = 10;
    play (distances[i] * FPS - 1, 0, 1, 4, 0.0005);
  }
  fail_if (has_change ());
  play (6 * FPS, 0, 3, 1, 0.0005);
  change = fetch_change ();
  fail_unless (change.active);
  fail_unless (change.time <= 47 * GST_SECOND);
}

GST_END_TEST;

/* The first key frames that stand out are those of a freeze, because less
 * changes between them. */
GST_START_TEST (test_coded_key_frames_of_a_freeze)
{
  GstVideoHealthChange change;

  play (70 * FPS, 1, 0, 0, 0.0005);
  coded.range = 10;
  play (10 * FPS, 2 * FPS, 1, 1, 0.0001);
  change = fetch_change ();
  fail_unless (change.active);
  fail_unless (change.time <= 75 * GST_SECOND);
}

GST_END_TEST;

/* A key frame every second, and blocks in between while the camera is alive:
 * the small changes during a freeze are not learned, however soon it hangs
 * again. Each time, it takes longer until it counts as over. */
static const guint freezes[] = { 6, 9, 12, 24 };

GST_START_TEST (test_coded_freezes_in_a_row)
{
  GstVideoHealthChange change;
  GstClockTime since = 0;
  guint freeze, n_changes = 0;

  play (70 * FPS, FPS, 1, 4, 0.002);
  for (freeze = 0; freeze < 8; freeze++) {
    play (freezes[__i__] * FPS, 0, FPS, 1, 0.0005);
    fail_unless (is_active (C (FROZEN)), "freeze %u", freeze);
    play (9 * FPS, FPS, 1, 4, 0.002);
  }
  play (300 * FPS, FPS, 1, 4, 0.002);
  fail_if (is_active (C (FROZEN)));
  while (gst_video_health_next_change (health, &change)) {
    fail_unless (change.since >= since);
    since = change.since;
    n_changes++;
  }
  fail_unless (n_changes <= 6, "%u", n_changes);
}

GST_END_TEST;

/* Many short freezes are no long one. */
GST_START_TEST (test_coded_short_freezes)
{
  guint freeze;

  fail_unless (gst_video_health_set_rules (health, "frozen,duration=30s",
          NULL));
  play (70 * FPS, FPS, 1, 4, 0.002);
  for (freeze = 0; freeze < 20; freeze++) {
    play (9 * FPS, 0, FPS, 1, 0.0005);
    play (12 * FPS, FPS, 1, 4, 0.002);
  }
  fail_if (has_change ());
}

GST_END_TEST;

/* A key frame does not end a freeze that has not lasted for its duration
 * yet. */
GST_START_TEST (test_coded_pending)
{
  GstClockTime pending;

  fail_unless (gst_video_health_set_rules (health, "frozen,duration=30s",
          NULL));
  play (70 * FPS, FPS, 1, 4, 0.002);
  fail_unless_equals_uint64 (gst_video_health_get_pending (health, C (FROZEN)),
      0);
  play (10 * FPS, 0, 0, 0, 0);
  play (1, 1, 0, 0, 0.0005);
  play (2 * FPS, 0, 0, 0, 0);
  pending = gst_video_health_get_pending (health, C (FROZEN));
  fail_unless (pending >= 11 * GST_SECOND && pending <= 13 * GST_SECOND,
      "%g s", pending / 1e9);
  play (18 * FPS, 0, 0, 0, 0);
  fail_unless (is_active (C (FROZEN)));
  fail_unless_equals_uint64 (gst_video_health_get_pending (health, C (FROZEN)),
      0);
}

GST_END_TEST;

/* Continues with a new object that knows @state, or nothing. */
static void
restart (GVariant * state)
{
  health_renew ();
  start_coding ();
  if (state)
    fail_unless (gst_video_health_restore (health, state, NULL));
}

/* The usual changes are known after a restart. */
GST_START_TEST (test_coded_restored)
{
  GVariant *state;
  guint restored;

  play (100 * FPS, 30 * FPS, 0, 0, 0.004);
  state = gst_video_health_save (health);
  for (restored = 0; restored < 2; restored++) {
    restart (restored ? state : NULL);
    gst_video_health_reset (health);
    play (60 * FPS, 0, 3, 1, 0.0005);
    play (20 * FPS, 0, 0, 0, 0);
    fail_unless_equals_int (is_active (C (FROZEN)), !restored);
  }
  g_variant_unref (state);
}

GST_END_TEST;

/* A frozen picture stays frozen, although its coder keeps refining it. */
GST_START_TEST (test_coded_restored_frozen)
{
  GVariant *state;

  play (60 * FPS, 1, 0, 0, 0.004);
  play (20 * FPS, 0, FPS, 1, 0.0005);
  fail_unless (is_active (C (FROZEN)));
  state = gst_video_health_save (health);
  restart (state);
  play (60 * FPS, 0, FPS, 1, 0.0005);
  fail_if (has_change ());
  play (20 * FPS, 1, 0, 0, 0.004);
  fail_if (fetch_change ().active);
  g_variant_unref (state);
}

GST_END_TEST;

TEST_SUITE (healthcoded, setup, teardown)
{
  tcase_add_loop_test (tc, test_coded_still_scene, 0,
      G_N_ELEMENTS (still_gops));
  tcase_add_test (tc, test_coded_refinement);
  tcase_add_test (tc, test_coded_less_and_less);
  tcase_add_test (tc, test_coded_two_frames_a_second);
  tcase_add_test (tc, test_coded_key_frames);
  tcase_add_test (tc, test_coded_empty_key_frames);
  tcase_add_test (tc, test_coded_key_frames_differ);
  tcase_add_test (tc, test_coded_pictures_come_back);
  tcase_add_loop_test (tc, test_coded_freeze, 0, G_N_ELEMENTS (gops));
  tcase_add_test (tc, test_coded_at_a_constant_bitrate);
  tcase_add_test (tc, test_coded_freeze_in_the_first_minute);
  tcase_add_test (tc, test_coded_key_frames_of_a_freeze);
  tcase_add_loop_test (tc, test_coded_freezes_in_a_row, 0,
      G_N_ELEMENTS (freezes));
  tcase_add_test (tc, test_coded_short_freezes);
  tcase_add_test (tc, test_coded_pending);
  tcase_add_test (tc, test_coded_restored);
  tcase_add_test (tc, test_coded_restored_frozen);
}
