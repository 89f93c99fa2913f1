/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstVideoHealth and a camera that goes on a tour of several views. */
#include "healthfixture.h"

#include "common/random.h"

#define ALL GST_VIDEO_HEALTH_CONDITIONS_ALL
#define VIEWS 4
#define STAY 20                 /* s at each view of the tour */

static Scene
view_of (guint i)
{
  return (Scene) {
  10 + i, 1, 1, FALSE};
}

/* Goes @rounds times from view to view, and passes @passed others for a second
 * each between two of them. */
static void
go_round (guint rounds, guint passed)
{
  guint i, k;

  for (i = 0; i < rounds * VIEWS; i++) {
    const Scene view = view_of (i % VIEWS);

    show (&view, STAY);
    for (k = 0; k < passed; k++) {
      const Scene other = view_of (100 + (i % VIEWS) * passed + k);

      show (&other, 1);
    }
  }
}

static void
check_no_change (void)
{
  GstVideoHealthChange change;

  fail_if (gst_video_health_next_change (health, &change), "%s: %g after %g s",
      gst_video_health_condition_get_name (change.condition), change.value,
      change.time / 1e9);
}

static const gchar *
reason_of (GstVideoHealthCondition condition)
{
  return gst_video_health_get_unknown_reason (health, condition);
}

static void
check_change_of (gboolean active, gdouble s)
{
  const GstVideoHealthChange change = fetch_change ();

  fail_unless_equals_int (change.condition, C (MOVED));
  fail_unless_equals_int (change.active, active);
  fail_unless (ABS (change.time / 1e9 - s) <= 2, "after %g s instead of %g",
      change.time / 1e9, s);
}

/* What these tests show is a loop indeed. */
static void
setup (void)
{
  health_setup ();
  gst_video_health_set_conditions (health, ALL & ~BIT (LOOPING));
  gst_video_health_set_views (health, VIEWS);
}

/* Each view is learned, and compared with itself. */
GST_START_TEST (test_tour)
{
  guint i;

  fail_unless_equals_int (gst_video_health_get_views (health), VIEWS);
  go_round (3, 0);
  check_no_change ();
  for (i = 0; i < VIEWS; i++) {
    const Scene view = view_of (i);

    show (&view, 5);
    check_value (C (MOVED), 0, 0.2);
    check_value (C (COVERED), 0, 0.1);
    check_value (C (BLURRY), 0.9, 1.1);
  }
  check_no_change ();
}

GST_END_TEST;

/* With one view, the tour is moved. */
GST_START_TEST (test_one_view)
{
  const Scene first = view_of (0), second = view_of (1);

  gst_video_health_set_views (health, 1);
  show (&first, 60);
  show (&second, STAY);
  check_change_of (TRUE, 75);
}

GST_END_TEST;

/* What a camera passes on its way is not learned, and is not judged. */
GST_START_TEST (test_travel)
{
  const Scene first = view_of (0), passed = view_of (99);

  go_round (3, 6);
  show (&first, 5);
  show (&passed, 4);
  fail_unless_equals_string (reason_of (C (MOVED)), "between-views");
  fail_unless_equals_string (reason_of (C (COVERED)), "between-views");
  go_round (1, 6);
  check_no_change ();
}

GST_END_TEST;

/* Once all views are known, another one is moved, unless it is shorter than a
 * travel; and so is a camera that turns and does not stop. */
GST_START_TEST (test_turned)
{
  const Scene first = view_of (0), other = view_of (50);
  guint i;

  go_round (2, 0);
  show (&other, 15);
  go_round (1, 0);
  check_no_change ();
  show (&other, 100);
  check_change_of (TRUE, now / 1e9 - 100 + 36);
  show (&first, 10);
  check_change_of (FALSE, now / 1e9 - 5);
  go_round (1, 0);
  check_no_change ();
  for (i = 0; i < 40; i++) {
    const Scene passed = view_of (100 + i);

    show (&passed, 1);
  }
  check_change_of (TRUE, now / 1e9 - 40 + 36);
}

GST_END_TEST;

/* While there is room, another view is learned. A tour goes on, so it is moved
 * if the camera stays for five minutes, and right if it stays for half an
 * hour. */
GST_START_TEST (test_stays)
{
  const Scene first = view_of (0), second = view_of (1), third = view_of (2);

  show (&first, 60);
  show (&second, 1000);
  check_change_of (TRUE, 60 + 300 + 20);
  show (&first, 60);
  check_change_of (FALSE, 1060 + 6);
  /* The camera has returned by itself. */
  show (&second, 400);
  check_no_change ();
  show (&third, 2000);
  fail_unless (has_change ());
  fail_unless (has_change ());
  check_no_change ();
  check_value (C (MOVED), 0, 0.2);
}

GST_END_TEST;

/* A view that is covered is covered, whether there is room for more views or
 * not. */
GST_START_TEST (test_covered)
{
  const Scene first = view_of (0);
  Scene covered = first;

  covered.covered = TRUE;
  if (__i__)
    go_round (2, 0);
  show (&first, 60);
  show (&covered, 10);
  fail_unless (is_active (C (COVERED)));
  fail_if (is_active (C (MOVED)));
}

GST_END_TEST;

/* At night, a camera sees other pictures of its views. */
GST_START_TEST (test_night)
{
  guint i, k;

  gst_video_health_set_conditions (health, BIT (MOVED) | BIT (COVERED));
  for (i = 0; i < 6 * VIEWS; i++) {
    for (k = 0; k < STAY; k++, now += GST_SECOND) {
      const gboolean night = i >= 3 * VIEWS;
      const Scene view = view_of (i % VIEWS + (night ? 20 : 0));

      add_scene (&view);
      add_chroma (128, 128, night ? 1 : 20);
      judge (now);
    }
  }
  check_no_change ();
  check_value (C (MOVED), 0, 0.2);
}

GST_END_TEST;

/* A saved state has all views. Fewer are restored if the limit is lower. */
GST_START_TEST (test_saved)
{
  const Scene third = view_of (2);
  GVariant *saved;

  go_round (3, 0);
  saved = gst_video_health_save (health);
  health_renew ();
  gst_video_health_set_views (health, VIEWS);
  fail_unless (gst_video_health_restore (health, saved, NULL));
  go_round (1, 0);
  show (&third, 5);
  check_value (C (MOVED), 0, 0.2);
  check_no_change ();

  health_renew ();
  fail_unless (gst_video_health_restore (health, saved, NULL));
  show (&third, 20);
  fail_unless (is_active (C (MOVED)));
  g_variant_unref (saved);
}

GST_END_TEST;

/* A damaged state is refused, or does no harm. */
GST_START_TEST (test_damaged)
{
  TestRandom random = test_random_new (1);
  GVariant *saved, *state;
  guint8 *data;
  GBytes *bytes;
  guint i;

  go_round (2, 0);
  saved = gst_video_health_save (health);
  for (i = 0; i < 100; i++) {
    health_renew ();
    gst_video_health_set_views (health, VIEWS);
    data = g_memdup2 (g_variant_get_data (saved), g_variant_get_size (saved));
    data[test_random_below (&random, g_variant_get_size (saved))] ^=
        1 << test_random_below (&random, 8);
    bytes = g_bytes_new_take (data, g_variant_get_size (saved));
    state = g_variant_ref_sink (g_variant_new_from_bytes
        (G_VARIANT_TYPE_VARDICT, bytes, FALSE));
    gst_video_health_restore (health, state, NULL);
    go_round (1, 2);
    g_variant_unref (state);
    g_bytes_unref (bytes);
  }
  g_variant_unref (saved);
}

GST_END_TEST;

/* forget() and a lower number forget the views. */
GST_START_TEST (test_forget)
{
  const Scene first = view_of (0), last = view_of (VIEWS - 1);

  go_round (3, 0);
  if (__i__) {
    gst_video_health_set_views (health, VIEWS - 1);
    show (&last, 5);
    check_value (C (MOVED), 0, 0.2);
  } else {
    gst_video_health_forget (health);
    show (&last, 5);
    fail_if (is_judged (C (MOVED)));
    show (&last, 60);
  }
  show (&first, STAY);
  fail_unless_equals_string (reason_of (C (MOVED)), "learning");
}

GST_END_TEST;

TEST_SUITE (healthtour, setup, health_teardown)
{
  tcase_add_test (tc, test_tour);
  tcase_add_test (tc, test_one_view);
  tcase_add_test (tc, test_travel);
  tcase_add_test (tc, test_turned);
  tcase_add_test (tc, test_stays);
  tcase_add_loop_test (tc, test_covered, 0, 2);
  tcase_add_test (tc, test_night);
  tcase_add_test (tc, test_saved);
  tcase_add_test (tc, test_damaged);
  tcase_add_loop_test (tc, test_forget, 0, 2);
}
