/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Areas that GstVideoHealth ignores: as text, and for each condition. */
#include "healthfixture.h"

/* A lamp in the upper right cell; the rest has one code. */
static guint
lamp_code (guint x, guint y, gconstpointer data)
{
  return x == SIDE - 1 && y == 0 ? 255 : GPOINTER_TO_UINT (data);
}

static void
judge_lamp (guint side, guint code, guint i)
{
  add (make_flat (8, side, side, lamp_code, GUINT_TO_POINTER (code)));
  judge (i * 40 * GST_MSECOND);
}

#define LAMP "x=0.9,y=0.01,width=0.05,height=0.05"

static const struct
{
  GstVideoHealthCondition condition;
  guint code;                   /* code of the rest */
  gdouble with, without;        /* values with and without the lamp */
} lamps[] = {
  {C (BRIGHT), 128, 1 / 64.0, 0},
  {C (BLACK), 0, 63 / 64.0, 1},
  {C (DARK), 0, 63 / 64.0, 1},
  {C (LOW_CONTRAST), 0, 1, 0},
};

GST_START_TEST (test_ignore_lamp)
{
  const GstVideoHealthCondition condition = lamps[__i__].condition;
  const gchar *name = gst_video_health_condition_get_name (condition);
  gchar *lamp = g_strdup_printf ("%s," LAMP, name);
  gchar *all = g_strdup_printf ("%s,x=0,y=0,width=1,height=1", name);
  gchar *two = g_strdup_printf ("%s;%s,x=0,y=0,width=0.5,height=1", lamp, name);
  const GstVideoHealthConditions judged = 1u << condition;

  gst_video_health_set_conditions (health, judged);
  judge_lamp (SIDE, lamps[__i__].code, 0);
  fail_unless_close (value_of (condition), lamps[__i__].with);
  fail_unless_equals_int (gst_video_health_get_evidence (health),
      GST_VIDEO_HEALTH_EVIDENCE_LUMA);

  fail_unless (gst_video_health_set_ignored (health, lamp, NULL));
  fail_unless_equals_int (gst_video_health_get_evidence (health),
      GST_VIDEO_HEALTH_EVIDENCE_LUMA | GST_VIDEO_HEALTH_EVIDENCE_CELLS);
  judge_lamp (SIDE, lamps[__i__].code, 1);
  fail_unless_close (value_of (condition), lamps[__i__].without);
  fail_unless (gst_video_health_set_ignored (health, two, NULL));
  judge_lamp (SIDE, lamps[__i__].code, 2);
  fail_unless_close (value_of (condition), lamps[__i__].without);

  /* With too few cells left, or none, the value is unknown. */
  judge_lamp (2, lamps[__i__].code, 3);
  fail_unless_equals_int (gst_video_health_get_judged (health), 0);
  judge_lamp (SIDE, lamps[__i__].code, 4);
  fail_unless_equals_int (gst_video_health_get_judged (health), judged);
  fail_unless (gst_video_health_set_ignored (health, all, NULL));
  judge_lamp (SIDE, lamps[__i__].code, 5);
  fail_unless_equals_int (gst_video_health_get_judged (health), 0);

  /* Another condition uses the whole picture. */
  fail_unless (gst_video_health_set_ignored (health, "moved," LAMP, NULL));
  judge_lamp (SIDE, lamps[__i__].code, 6);
  fail_unless_close (value_of (condition), lamps[__i__].with);
  g_free (lamp);
  g_free (all);
  g_free (two);
}

GST_END_TEST;

/* The left 3 of 8 columns flash, white and black. */
static guint
left_code (guint x, G_GNUC_UNUSED guint y, gconstpointer data)
{
  return x < 3 && GPOINTER_TO_UINT (data) % 2 ? 255 : 0;
}

static gdouble
count_flashes_without (const gchar * ignored)
{
  guint i;

  health_renew ();
  fail_unless (gst_video_health_set_ignored (health, ignored, NULL));
  for (i = 0; i < 9; i++) {
    add (make_flat (8, SIDE, SIDE, left_code, GUINT_TO_POINTER (i)));
    judge (i * 40 * GST_MSECOND);
  }
  return value_of (C (FLASHING));
}

/* A quarter of the remaining area has to flash. */
GST_START_TEST (test_ignore_flashes)
{
  fail_unless_close (count_flashes_without (NULL), 4);
  fail_unless_close (count_flashes_without
      ("flashing,x=0,y=0,width=0.25,height=1"), 0);
  fail_unless_close (count_flashes_without
      ("flashing,x=0.5,y=0,width=0.5,height=1"), 4);
}

GST_END_TEST;

/* The upper half loses its contents and its textures. */
GST_START_TEST (test_ignore_learned)
{
  GstVideoHistogram *half = make_halves (&covered_scene, &usual,
      1);

  show (&usual, 60);
  show_histogram (half, 1);
  check_value (C (COVERED), 0.48, 0.52);
  fail_unless (value_of (C (MOVED)) > 0.05);

  fail_unless (gst_video_health_set_ignored (health,
          "all,x=0,y=0,width=1,height=0.5", NULL));
  show_histogram (half, 1);
  fail_unless_close (value_of (C (COVERED)), 0);
  fail_unless (value_of (C (MOVED)) < 0.05);

  fail_unless (gst_video_health_set_ignored (health,
          "all,x=0,y=0.5,width=1,height=0.5", NULL));
  show_histogram (half, 1);
  fail_unless (value_of (C (COVERED)) > 0.95);
  gst_video_histogram_unref (half);
}

GST_END_TEST;

/* Sharpness is learned without the ignored areas. */
GST_START_TEST (test_ignore_blurry)
{
  GstVideoHistogram *half = make_halves (&covered_scene, &usual,
      1);

  fail_unless (gst_video_health_set_ignored (health,
          "blurry,x=0,y=0,width=1,height=0.5", NULL));
  show (&usual, 60);
  show_histogram (half, 1);
  fail_unless_close (value_of (C (BLURRY)), 1);
  fail_unless (gst_video_health_set_ignored (health, NULL, NULL));
  show_histogram (half, 1);
  fail_if (ABS (value_of (C (BLURRY)) - 1) < 0.01);
  gst_video_histogram_unref (half);
}

GST_END_TEST;

static const struct
{
  const gchar *ignored, *message;
} bad_ignored[] = {
  {"balck,x=0,y=0,width=1,height=1", "unknown condition \"balck\"; use one of "
        CONDITIONS},
  {"black,x=0,y=0,width=1", "black: height is missing; a rectangle needs x, "
        "y, width and height, as shares of the picture"},
  {"black,x=0,y=0,w=1,height=1", "black: unknown field \"w\"; use x, y, width "
        "and height\n"
        "black: width is missing; a rectangle needs x, y, width and height, "
        "as shares of the picture"},
  {"black,x=0,y=0,width=2,height=1", "black: width is 2, not a number from 0 "
        "to 1"},
  {"black,x=nan,y=0,width=1,height=1", "black: x is nan, not a number from 0 "
        "to 1"},
  {"all,x=0.5,y=0,width=0.6,height=1", "all: width and height must be above "
        "0, and x + width and y + height at most 1"},
  {"all,x=0.5,y=0,width=0,height=1", "all: width and height must be above 0, "
        "and x + width and y + height at most 1"},
  {"banding,x=0,y=0,width=1,height=1", "banding cannot ignore rectangles: "
        "bands run through all rows"},
  {"signal-loss,x=0,y=0,width=1,height=1", "signal-loss cannot ignore "
        "rectangles: it is about missing frames"},
  {"flapping,x=0,y=0,width=1,height=1", "flapping cannot ignore rectangles: "
        "chroma is counted over the whole picture"},
  {"banding,x=0,y=0,width=1,height=1;dark,x=a,y=0,width=2,h=1;all", "banding "
        "cannot ignore rectangles: bands run through all rows\n"
        "dark: unknown field \"h\"; use x, y, width and height\n"
        "dark: height is missing; a rectangle needs x, y, width and height, "
        "as shares of the picture\n"
        "dark: x is a, not a number from 0 to 1\n"
        "dark: width is 2, not a number from 0 to 1\n"
        "all: x is missing; a rectangle needs x, y, width and height, as "
        "shares of the picture\n"
        "all: y is missing; a rectangle needs x, y, width and height, as "
        "shares of the picture\n"
        "all: width is missing; a rectangle needs x, y, width and height, as "
        "shares of the picture\n"
        "all: height is missing; a rectangle needs x, y, width and height, as "
        "shares of the picture"},
  {"=", "cannot read rectangles from \"=\"; write them as in "
        "\"bright,x=0.8,y=0,width=0.2,height=0.2; "
        "all,x=0,y=0.9,width=0.3,height=0.1\""},
};

static void
check_bad_ignored (const gchar * ignored, const gchar * message)
{
  GError *error = NULL;

  fail_unless (gst_video_health_set_ignored (health, "bright," LAMP, NULL));
  fail_if (gst_video_health_set_ignored (health, ignored, &error));
  check_parse_error (error, message);
  judge_lamp (SIDE, 128, 0);
  fail_unless_close (value_of (C (BRIGHT)), 0);
}

GST_START_TEST (test_bad_ignored)
{
  check_bad_ignored (bad_ignored[__i__].ignored, bad_ignored[__i__].message);
}

GST_END_TEST;

GST_START_TEST (test_many_ignored)
{
  GString *text = g_string_new (NULL);
  guint i;

  for (i = 0; i < 16; i++)
    g_string_append (text, i % 2 ? "all," LAMP ";" : "dark," LAMP ";");
  fail_unless (gst_video_health_set_ignored (health, text->str, NULL));
  g_string_append (text, "all," LAMP);
  check_bad_ignored (text->str, "dark has more than 16 rectangles");
  g_string_free (text, TRUE);
}

GST_END_TEST;

TEST_SUITE (healthignored, health_setup, health_teardown)
{
  tcase_add_loop_test (tc, test_ignore_lamp, 0, G_N_ELEMENTS (lamps));
  tcase_add_test (tc, test_ignore_flashes);
  tcase_add_test (tc, test_ignore_learned);
  tcase_add_test (tc, test_ignore_blurry);
  tcase_add_loop_test (tc, test_bad_ignored, 0, G_N_ELEMENTS (bad_ignored));
  tcase_add_test (tc, test_many_ignored);
}
