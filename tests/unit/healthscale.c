/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of conditions in words and in units of people. */
#include "common/suite.h"

#include <gst/videohistogram/videohistogram.h>

#include <math.h>

/* Rules as a user may write them, a value, and the expected sentence. */
typedef struct
{
  GstVideoHealthCondition condition;
  const gchar *rules;
  gboolean active;
  gdouble value;
  const gchar *sentence;
  const gchar *detail;
} Example;

static gchar *
describe (const Example * e)
{
  GstVideoHealth *rules = gst_video_health_new ();
  gdouble enter, leave;
  GstClockTime duration, hold;

  fail_unless (gst_video_health_set_rules (rules, e->rules, NULL));
  gst_video_health_get_rule (rules, e->condition, &enter, &leave, &duration,
      &hold);
  g_object_unref (rules);
  return gst_video_health_condition_describe (e->condition, e->active,
      e->value, e->active ? leave : enter, e->active ? hold : duration,
      e->detail);
}

/* A new condition needs a row in the table of healthscale.c. */
GST_START_TEST (test_rows)
{
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    const gchar *label, *unit = NULL;
    gdouble most = 0;

    label = gst_video_health_condition_get_scale (i, &unit, &most);
    fail_unless (label && unit && most > 0, "add a row for %s to the table in "
        "healthscale.c", gst_video_health_condition_get_name (i));
    fail_unless_equals_string (gst_video_health_condition_get_scale (i, NULL,
            NULL), label);
    fail_unless (gst_video_health_condition_scale (i, 0.4) !=
        gst_video_health_condition_scale (i, 0.2));
  }
  fail_unless_equals_float (gst_video_health_condition_scale
      (GST_VIDEO_HEALTH_CONDITION_MOVED, 1.2), -20);
}

GST_END_TEST;

GST_START_TEST (test_sentences)
{
  const Example examples[] = {
    {GST_VIDEO_HEALTH_CONDITION_MOVED, "moved,enter=0.25,leave=0.2", FALSE,
        0.0937, "The picture is 90.6 % similar to the reference; the alarm "
          "starts after 15 s below 75 %."},
    {GST_VIDEO_HEALTH_CONDITION_MOVED, "", TRUE, 0.9,
        "The picture is 10 % similar to the reference; the alarm ends after 5 "
          "s above 60 %."},
    /* Less alike than by chance. */
    {GST_VIDEO_HEALTH_CONDITION_MOVED, "moved,hold=1.5min", TRUE, 1.2,
        "The picture is 0 % similar to the reference; the alarm ends after 90 "
          "s above 60 %."},
    {GST_VIDEO_HEALTH_CONDITION_MOVED, "", FALSE, NAN, "Not judged yet."},
    {GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS, "", FALSE, 0.2041,
        "Frames arrive; the alarm starts after 5 s without a frame."},
    {GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS, "", FALSE, 3.2,
        "No frame for 3.2 s; the alarm starts after 5 s without a "
          "frame."},
    {GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS, "", TRUE, 4160.4,
        "No frame for 1 h 9 min; the alarm ends with the next "
          "frame."},
    {GST_VIDEO_HEALTH_CONDITION_DARK, "", FALSE, 0.03,
        "3 % of the picture is dark; the alarm starts after 5 s above 90 %."},
    {GST_VIDEO_HEALTH_CONDITION_BLURRY, "", FALSE, 1.07,
        "The picture is 107 % as sharp as the reference; the alarm starts "
          "after 10 s below 50 %."},
    {GST_VIDEO_HEALTH_CONDITION_FROZEN, "", FALSE, 0.00346,
        "The picture changes by 0.35 % from frame to frame; the alarm starts "
          "after 2 s below 0.1 %."},
    {GST_VIDEO_HEALTH_CONDITION_FLAPPING, "", FALSE, 3,
        "Changes between color and black-and-white in the last hour: 3; the "
          "alarm starts at 10."},
    {GST_VIDEO_HEALTH_CONDITION_FLASHING, "", TRUE, 7,
        "Flashes in the last second: 7; the alarm ends after 2 s below 3."},
    {GST_VIDEO_HEALTH_CONDITION_BANDING, "", FALSE, 0.000004,
        "Bands change the brightness by 0 %; the alarm starts after 3 s above "
          "2 %."},
    {GST_VIDEO_HEALTH_CONDITION_CORRUPTED, "", TRUE, 0.43,
        "The picture was damaged for 43 % of the last seconds; the alarm ends "
          "after 5 s below 10 %."},
    {GST_VIDEO_HEALTH_CONDITION_NOISY, "", TRUE, 0.2524,
        "Noise changes the brightness by 25.2 %; the alarm ends after 5 s "
          "below 4.5 %."},
    {GST_VIDEO_HEALTH_CONDITION_OBSTRUCTED, "", TRUE, 0.1719,
        "At least 17.2 % of the view is covered, in the lower right part; the "
          "alarm ends after 5 s below 5 %.", "the lower right part"},
    {GST_VIDEO_HEALTH_CONDITION_COLOR_CAST, "", TRUE, 0.609,
          "The colors are 60.9 % too green; the alarm ends after 5 s below "
          "8 %.",
        "too green"},
    {GST_VIDEO_HEALTH_CONDITION_COLOR_CAST, "", FALSE, 0.02,
        "The colors differ from the reference by 2 %; the alarm starts after "
          "5 s above 15 %."},
    {GST_VIDEO_HEALTH_CONDITION_OBSTRUCTED, "", FALSE, 0,
        "0 % of the view is covered; the alarm starts after 20 s above 9 %."},
    {GST_VIDEO_HEALTH_CONDITION_HUNTING, "", TRUE, 0.4567,
        "The brightness swings by 45.7 % every few seconds; the alarm ends "
          "after 5 s below 20 %."},
    {GST_VIDEO_HEALTH_CONDITION_HUNTING, "", FALSE, NAN,
        "Not judged: frames come too rarely.", "too-few-frames"},
    {GST_VIDEO_HEALTH_CONDITION_LOOPING, "", TRUE, 0.991,
        "99.1 % of the motion repeats what was there before; the alarm ends "
          "after 5 s below 80 %."},
    {GST_VIDEO_HEALTH_CONDITION_LOOPING, "", FALSE, NAN,
          "Not judged: nothing has moved that could repeat itself.",
        "no-motion"},
    {GST_VIDEO_HEALTH_CONDITION_COLOR_CAST, "", FALSE, NAN,
        "Not judged: colors cannot be compared while details of the view "
          "are hidden.", "hidden"},
    {GST_VIDEO_HEALTH_CONDITION_CORRUPTED, "", TRUE, 1,
        "The picture was damaged in the lower part, for 100 % of the last "
          "seconds; the alarm ends after 5 s below 10 %.", "the lower part"},
    {GST_VIDEO_HEALTH_CONDITION_LOOPING, "", FALSE, NAN,
        "Not judged yet: it needs more time.", "too-early"},
    {GST_VIDEO_HEALTH_CONDITION_DRIFTING, "", TRUE, 0.3456,
        "The picture has lost 34.6 % of its sharpness, contrast or light "
          "within weeks; the alarm ends below 20 %."},
    {GST_VIDEO_HEALTH_CONDITION_NUDGED, "", TRUE, 0.0512,
        "The view is shifted by 5.12 % of its width, or rolled by as many "
          "degrees; the alarm ends after 5 s below 1.2 %, or as many degrees."},
    {GST_VIDEO_HEALTH_CONDITION_NUDGED, "", FALSE, 0.0512,
        "The picture is rolled clockwise by 5°; the alarm starts after 10 s "
          "above 2 %, or as many degrees.", "rolled clockwise by 5°"},
    {GST_VIDEO_HEALTH_CONDITION_GLARE, "", TRUE, 0.125,
        "12.5 % of the picture has glare, in the upper left part; the alarm "
          "ends after 5 s below 4 %.", "the upper left part"},
    {GST_VIDEO_HEALTH_CONDITION_STRIPED, "", TRUE, 0.0964,
        "Stripes that run diagonally change the brightness by 9.64 %; the "
          "alarm ends after 5 s below 1.5 %.", "diagonally"},
    {GST_VIDEO_HEALTH_CONDITION_PARTLY_FROZEN, "", TRUE, 0.375,
        "37.5 % of the picture stands still, in the lower half; the alarm "
          "ends after 5 s below 5 %.", "the lower half"},
    {GST_VIDEO_HEALTH_CONDITION_SHAKING, "", TRUE, 0.0123,
        "The view shakes from side to side, by 1.23 % of its width; the alarm "
          "ends after 20 s below 0.25 %.", "from side to side"},
    {GST_VIDEO_HEALTH_CONDITION_BLOCKY, "", TRUE, 0.72,
        "The picture has lost 72 % of its faint details, but not the strong "
          "ones; the alarm ends after 10 s below 30 %."},
    {GST_VIDEO_HEALTH_CONDITION_MOVED, "", FALSE, NAN,
          "Not judged: the camera is on its way to another view.",
        "between-views"},
    {GST_VIDEO_HEALTH_CONDITION_OBSTRUCTED, "", TRUE, NAN,
        "Not judged: the picture looks the same everywhere.", "no-pattern"},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (examples); i++) {
    const Example *e = &examples[i];
    gchar *sentence = describe (e);

    fail_unless_equals_string (sentence, e->sentence);
    g_free (sentence);
  }
}

GST_END_TEST;

/* The page has the same words: see test_duration in tests/monitor/pages.py. */
GST_START_TEST (test_durations)
{
  const struct
  {
    gdouble seconds;
    const gchar *words;
  } durations[] = {
    {119, "119 s"}, {119.6, "2 min"}, {120, "2 min"}, {179, "3 min"},
    {3569, "59 min"}, {3570, "1 h"}, {7198, "2 h"}, {8040, "2 h 14 min"},
    {56340, "15 h 39 min"}, {86369, "23 h 59 min"}, {86370, "1 d"},
    {93599, "1 d 2 h"}, {172799, "2 d"},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (durations); i++) {
    const Example e = { GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS, "", TRUE,
      durations[i].seconds
    };
    gchar *sentence = describe (&e);
    gchar *start = g_strdup_printf ("No frame for %s;",
        durations[i].words);

    fail_unless (g_str_has_prefix (sentence, start), "%s", sentence);
    g_free (start);
    g_free (sentence);
  }
}

GST_END_TEST;

TEST_SUITE (healthscale, NULL, NULL)
{
  tcase_add_test (tc, test_rows);
  tcase_add_test (tc, test_durations);
  tcase_add_test (tc, test_sentences);
}
