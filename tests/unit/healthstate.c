/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Saved states of GstVideoHealth: with one it continues where it was, and a
 * damaged one does no harm. */
#include "healthfixture.h"

#include "common/random.h"

static void
fail_unless_same (GstVideoHealth * a, GstVideoHealth * b)
{
  GVariant *of_a = gst_video_health_save (a), *of_b = gst_video_health_save (b);

  fail_unless (g_variant_equal (of_a, of_b));
  fail_unless_equals_int (gst_video_health_wants_frame (a),
      gst_video_health_wants_frame (b));
  g_variant_unref (of_a);
  g_variant_unref (of_b);
}

static void
feed_to (GstVideoHealth * one, guint first, guint n)
{
  GstVideoHealth *const before = health;
  guint i;

  health = one;
  for (i = first; i < first + n; i++)
    feed_any (i);
  health = before;
}

#define N_FRAMES 300

/* Wherever the state is saved, the rest is judged the same. */
GST_START_TEST (test_restore)
{
  GstVideoHealthChange change, other_change;
  guint i, n_changes = 0;

  for (i = 0; i < N_FRAMES; i++) {
    GVariant *state = gst_video_health_save (health);
    GstVideoHealth *other = gst_video_health_new ();

    fail_unless (gst_video_health_restore (other, state, NULL));
    g_variant_unref (state);
    fail_unless_same (health, other);
    feed_to (other, i, 3);
    feed_any (i);
    while (gst_video_health_next_change (health, &change)) {
      n_changes++;
      fail_unless (gst_video_health_next_change (other, &other_change));
      fail_unless_equals_int (memcmp (&change, &other_change, sizeof (change)),
          0);
    }
    if (i % 50 == 49) {
      feed_any (++i);
      feed_any (++i);
      fail_unless_same (health, other);
      while (has_change ());
    }
    g_object_unref (other);
  }
  fail_unless (n_changes > 20);
}

GST_END_TEST;

GST_START_TEST (test_deterministic)
{
  GstVideoHealth *other = gst_video_health_new ();

  feed_to (health, 0, N_FRAMES);
  feed_to (other, 0, N_FRAMES);
  fail_unless_same (health, other);
  g_object_unref (other);
}

GST_END_TEST;

/* A restarted program has new times, but the same camera. */
GST_START_TEST (test_reference_survives)
{
  GVariant *state;
  gchar *text;

  now = 1000 * GST_SECOND;
  show (&usual, 60);
  state = gst_video_health_save (health);
  text = g_variant_print (state, TRUE);
  g_variant_unref (state);

  health_renew ();
  state = g_variant_parse (NULL, text, NULL, NULL, NULL);
  fail_unless (gst_video_health_restore (health, state, NULL));
  g_variant_unref (state);
  g_free (text);
  show (&other_scene, 20);
  fail_unless (fetch_change ().active);
  fail_unless (is_active (C (MOVED)));
}

GST_END_TEST;

/* Shows a picture of which @share is dark, for 10 s. */
static void
show_dark (gdouble share)
{
  GstVideoHistogram *histogram =
      make_two (GST_VIDEO_COLOR_RANGE_0_255, 8, 30, share);

  show_histogram (histogram, 10);
  gst_video_histogram_unref (histogram);
}

static void
renew_with (const gchar * rules)
{
  GVariant *state = gst_video_health_save (health);

  health_renew ();
  gst_video_health_set_conditions (health, BIT (DARK));
  gst_video_health_set_rules (health, rules, NULL);
  fail_unless (gst_video_health_restore (health, state, NULL));
  g_variant_unref (state);
}

/* A condition that would not have started under a new rule ends, even if its
 * value is between both thresholds, and goes on if it would have started. */
static const struct
{
  const gchar *rules;
  gdouble ends_at;              /* the threshold that ended it, or 0 */
} new_rules[] = {
  {"dark,enter=0.97,leave=0.9", 0.97},
  {"dark,enter=0.97,leave=0.94", 0.94},
  {"dark,enter=0.92,leave=0.85", 0},
  {"dark,enter=0.9,leave=0.92", 0},     /* refused */
  {"dark,duration=9s,leave=0.87", 0},
};

GST_START_TEST (test_new_rule)
{
  const gchar *rules = new_rules[__i__ / 2].rules;
  const gdouble ends_at = new_rules[__i__ / 2].ends_at;

  gst_video_health_set_conditions (health, BIT (DARK));
  show_dark (0.93);
  fail_unless (fetch_change ().active);
  if (__i__ % 2)
    renew_with (rules);
  else
    gst_video_health_set_rules (health, rules, NULL);
  show_dark (0.93);
  if (ends_at)
    fail_unless_close (fetch_change ().threshold, ends_at);
  else
    fail_if (has_change ());
  /* Between the thresholds of each rule under which it goes on. */
  show_dark (0.88);
  fail_if (has_change ());
  fail_unless_equals_int (is_active (C (DARK)), !ends_at);
  if (__i__ % 2)
    renew_with (rules);
  show_dark (0.5);
  fail_unless_equals_int (has_change (), !ends_at);
}

GST_END_TEST;

/* The state of an object that has seen a bit of everything. */
static GVariant *
get_experience (void)
{
  static GVariant *state = NULL;

  if (!state) {
    GstVideoHealth *other = gst_video_health_new ();

    feed_to (other, 0, 150);
    state = gst_video_health_save (other);
    g_object_unref (other);
  }
  return state;
}

/* Restores @state in a new object. It may be refused, but then with a reason,
 * and nothing changes. Returns whether it was accepted. */
static gboolean
try_state (GVariant * state)
{
  GVariant *after;
  GError *error = NULL;
  gboolean taken;
  guint i;

  health_renew ();
  gst_video_health_set_views (health, 2);
  fail_unless (gst_video_health_restore (health, get_experience (), NULL));
  taken = gst_video_health_restore (health, state, &error);
  if (!taken) {
    fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
            GST_VIDEO_HISTOGRAM_ERROR_PARSE));
    fail_unless (strlen (error->message) > 10);
    g_clear_error (&error);
    after = gst_video_health_save (health);
    fail_unless (g_variant_equal (after, get_experience ()));
    g_variant_unref (after);
  }
  for (i = 150; i < 155; i++) {
    gst_video_health_tick (health, i * GST_SECOND);
    feed_any (i);
  }
  return taken;
}

static gboolean
try_bytes (const guint8 * data, gsize size)
{
  GBytes *bytes = g_bytes_new (data, size);
  GVariant *state = g_variant_ref_sink (g_variant_new_from_bytes
      (G_VARIANT_TYPE_VARDICT, bytes, FALSE));
  const gboolean taken = try_state (state);

  g_variant_unref (state);
  g_bytes_unref (bytes);
  return taken;
}

GST_START_TEST (test_damaged)
{
  GVariant *state = get_experience ();
  const gsize size = g_variant_get_size (state);
  guint8 *data = g_memdup2 (g_variant_get_data (state), size);
  TestRandom random = test_random_new (1);
  guint i, k, n_refused = 0;

  fail_unless (try_bytes (data, size));
  for (i = 0; i < 40; i++)
    fail_if (try_bytes (data, test_random_below (&random, size)));
  for (i = 0; i < 150; i++) {
    memcpy (data, g_variant_get_data (state), size);
    for (k = 0; k < 1 + i % 4; k++)
      data[test_random_below (&random, size)] ^=
          1 << test_random_below (&random, 8);
    n_refused += !try_bytes (data, size);
  }
  fail_unless (n_refused > 10);
  g_free (data);
}

GST_END_TEST;

/* References without pictures, and with one. */
#define NO_PICTURES(head) "(" head ", @a(uddadadddddaddddd) [])"
#define PICTURE(picture) "(uint32 1, uint32 1, uint64 0, uint32 0, uint64 0, " \
    "-1, -1, -1, -1, [(" picture ")])"

/* Each replaces the existing value; without a message the field is out of
 * range. */
static const struct
{
  const gchar *field, *value, *message;
} bad_states[] = {
  {"version", NULL, "the state has no version"},
  {"entered", "{'none': 1.0}", "unknown condition \"none\""},
  {"entered", "{'dark': -1.0}", "the start of dark is out of range"},
  {"version", "'1'", "the state has no version"},
  {"version", "uint32 1", "the state has version 1, but only version 6 can be "
        "read"},
  {"time", NULL, "the field time of type t is missing"},
  {"time", "int64 5", "the field time of type t is missing"},
  {"runs", "{'odd': (true, true, 1.0, uint64 1, uint64 1, uint64 1, uint64 1)}",
      "unknown condition \"odd\""},
  {"runs", "{'dark': (true, true, -1.0, uint64 1, uint64 1, uint64 1, "
        "uint64 1)}", "the state of dark is out of range"},
  {"runs", "{'dark': (true, true, 1.0, uint64 1, uint64 999000000000, "
        "uint64 1, uint64 1)}", "the state of dark is out of range"},
  {"flips", "[uint64 5, 4]"},
  {"flips", "[uint64 18446744073709551615]"},
  {"flips", "[uint64 999000000000]"},
  {"flashes", "(uint32 9, uint32 1, uint32 0, @a(iddat) [])"},
  {"flashes", "(uint32 0, uint32 0, uint32 0, @a(iddat) [])"},
  {"flashes", "(uint32 0, uint32 0, uint32 17, [(0, 0.0, 0.0, @at [])])"},
  {"flashes", "(uint32 0, uint32 0, uint32 0, [(2, 0.0, 0.0, @at [])])"},
  {"flashes", "(uint32 0, uint32 0, uint32 0, [(0, 0.0, -1.0, @at [])])"},
  {"flashes", "(uint32 0, uint32 0, uint32 0, [(0, 0.0, 0.0, [uint64 2, "
        "1])])"},
  {"bands", "(uint64 0, (-1.0, 0.0, 0.0), @ad [], @ad [])"},
  {"bands", "(uint64 0, (nan, 0.0, 0.0), @ad [], @ad [])"},
  {"bands", "(uint64 0, (inf, 0.0, 0.0), @ad [], @ad [])"},
  {"bands", "(uint64 0, (0.0, nan, 0.0), @ad [], @ad [])"},
  {"bands", "(uint64 0, (0.0, 0.0, 1e300), @ad [], @ad [])"},
  {"bands", "(uint64 0, (0.0, 0.0, 0.0), [1.0], [-1.0])"},
  {"bands", "(uint64 0, (0.0, 0.0, 0.0), [1.0], [1.0, 1.0])"},
  {"bands", "(uint64 999000000000, (0.0, 0.0, 0.0), [1.0], [1.0])"},
  {"reference", NO_PICTURES ("uint32 9, uint32 1, uint64 0, uint32 0, uint64 "
            "0, -1, -1, -1, -1")},
  {"reference", NO_PICTURES ("uint32 1, uint32 1, uint64 0, uint32 24, uint64 "
            "0, -1, -1, -1, -1")},
  {"reference", NO_PICTURES ("uint32 1, uint32 1, uint64 0, uint32 0, uint64 "
            "0, 0, -1, -1, -1")},
  {"reference", NO_PICTURES ("uint32 1, uint32 1, uint64 0, uint32 0, uint64 "
            "0, -1, -2, -1, -1")},
  {"reference", NO_PICTURES ("uint32 1, uint32 1, uint64 0, uint32 0, uint64 "
            "0, -1, -1, -1, 5")},
  {"reference", NO_PICTURES ("uint32 1, uint32 1, uint64 0, uint32 0, uint64 "
            "999000000000, -1, -1, -1, -1")},
  {"reference", PICTURE ("uint32 48, 1.0, 0.4, [1.0], [0.0], 1.0, 1.0, 0.2, "
            "0.0, [1.0], 1.0, 0.0, 0.0, 0.1")},
  {"reference", PICTURE ("uint32 0, 1.0, 0.4, [1.0, 2.0], [0.0], 1.0, 1.0, "
            "0.2, 0.0, [1.0], 1.0, 0.0, 0.0, 0.1")},
  {"reference", PICTURE ("uint32 0, -1.0, 0.4, [1.0], [0.0], 1.0, 1.0, 0.2, "
            "0.0, [1.0], 1.0, 0.0, 0.0, 0.1")},
  {"reference", PICTURE ("uint32 0, 1.0, nan, [1.0], [0.0], 1.0, 1.0, 0.2, "
            "0.0, [1.0], 1.0, 0.0, 0.0, 0.1")},
  {"reference", PICTURE ("uint32 0, 1.0, 0.4, [1.0], [0.0], 1.0, 1.0, 0.2, "
            "0.0, [1.0], -1.0, 0.0, 0.0, 0.1")},
  {"reference", PICTURE ("uint32 0, 1.0, 0.4, [1.0], [0.0], 1.0, 1.0, 0.2, "
            "0.0, [1.0], 1.0, inf, 0.0, 0.1")},
  {"reference", PICTURE ("uint32 0, 1.0, 0.4, [1.0], [0.0], 1.0, 1.0, 0.2, "
            "0.0, [1.0], 1.0, 0.0, nan, 0.1")},
  {"reference", PICTURE ("uint32 0, 1.0, 0.4, [1.0], [0.0], 1.0, 1.0, 0.2, "
            "0.0, [1.0], 1.0, 0.0, 0.0, -1.0")},
  {"reference", PICTURE ("uint32 0, 1.0, 0.4, [1.0], [nan], 1.0, 1.0, 0.2, "
            "0.0, [1.0], 1.0, 0.0, 0.0, 0.1")},
  {"reference", PICTURE ("uint32 0, 1.0, 0.4, [1.0], [0.0], 1.0, 1.0, 0.2, "
            "inf, [1.0], 1.0, 0.0, 0.0, 0.1")},
  {"views", "[{'reference': <5>}]", "the field reference of type "
        "(uututiiiia(uddadadddddaddddd)) is missing"},
  {"light", "[1.0]", "the field light is out of range"},
  {"recent", NULL, "the field recent of type (tadaddad) is missing"},
  {"recent", "(uint64 0, [1.0], @ad [], 0.0, @ad [])"},
};

GST_START_TEST (test_bad_state)
{
  gchar *message = bad_states[__i__].message ?
      g_strdup (bad_states[__i__].message) :
      g_strdup_printf ("the field %s is out of range",
      bad_states[__i__].field);
  GVariant *state;
  GVariantDict dict;
  GError *error = NULL;

  g_variant_dict_init (&dict, get_experience ());
  g_variant_dict_remove (&dict, bad_states[__i__].field);
  if (bad_states[__i__].value) {
    GVariant *value = g_variant_parse (NULL, bad_states[__i__].value, NULL,
        NULL, &error);

    fail_unless (value != NULL, "%s", error ? error->message : "");
    g_variant_dict_insert_value (&dict, bad_states[__i__].field, value);
    g_variant_unref (value);
  }
  state = g_variant_ref_sink (g_variant_dict_end (&dict));

  fail_if (try_state (state));
  health_renew ();
  gst_video_health_set_views (health, 2);
  fail_if (gst_video_health_restore (health, state, &error));
  check_parse_error (error, message);
  g_variant_unref (state);
  g_free (message);
}

GST_END_TEST;

GST_START_TEST (test_cut_off)
{
  const gsize size = g_variant_get_size (get_experience ());
  GBytes *bytes = g_bytes_new (g_variant_get_data (get_experience ()),
      size - 1);
  GVariant *state = g_variant_ref_sink (g_variant_new_from_bytes
      (G_VARIANT_TYPE_VARDICT, bytes, FALSE));
  GError *error = NULL;

  fail_if (gst_video_health_restore (health, state, &error));
  check_parse_error (error, "the state is cut off or damaged");
  g_variant_unref (state);
  g_bytes_unref (bytes);
}

GST_END_TEST;

GST_START_TEST (test_no_state)
{
  GVariant *state = g_variant_ref_sink (g_variant_new_string ("state"));

  fail_if (try_state (state));
  g_variant_unref (state);
}

GST_END_TEST;

TEST_SUITE (healthstate, health_setup, health_teardown)
{
  tcase_add_test (tc, test_restore);
  tcase_add_test (tc, test_deterministic);
  tcase_add_loop_test (tc, test_new_rule, 0, 2 * G_N_ELEMENTS (new_rules));
  tcase_add_test (tc, test_reference_survives);
  tcase_add_test (tc, test_damaged);
  tcase_add_loop_test (tc, test_bad_state, 0, G_N_ELEMENTS (bad_states));
  tcase_add_test (tc, test_cut_off);
  tcase_add_test (tc, test_no_state);
}
