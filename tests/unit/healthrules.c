/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules of GstVideoHealth as text: what they may say, and what is reported
 * if they cannot be read. */
#include "healthfixture.h"

/* Sets @rules, and checks that these parts are in the result. */
static void
check_rules (const gchar * rules, const gchar * part, const gchar * other_part)
{
  gchar *text;

  fail_unless (gst_video_health_set_rules (health, rules, NULL), "%s", rules);
  text = gst_video_health_dup_rules (health);
  fail_unless (strstr (text, part) != NULL, "%s", text);
  fail_unless (strstr (text, other_part) != NULL, "%s", text);
  fail_unless (gst_video_health_set_rules (health, text, NULL));
  g_free (text);
}

GST_START_TEST (test_rules)
{
  gchar *defaults = gst_video_health_dup_rules (health), *rules;
  guint i;

  check_rules (" black , enter=1, duration=\"3 s\" ;\n frozen,leave=0.5;",
      "black,enter=1,leave=0.97,duration=3s,hold=0s; dark,",
      "frozen,enter=0.001,leave=0.5,duration=2s,hold=0s; ");
  /* Conditions not named get their default rules, not the previous ones. */
  check_rules ("flapping,enter=3,leave=1,duration=24h", "black,enter=0.98,",
      "flapping,enter=3,leave=1,duration=86400s,hold=0s");
  for (i = 0; i < 2; i++) {
    fail_unless (gst_video_health_set_rules (health, i ? defaults : NULL,
            NULL));
    rules = gst_video_health_dup_rules (health);
    fail_unless_equals_string (rules, defaults);
    g_free (rules);
  }
  g_free (defaults);
}

GST_END_TEST;

/* Numbers take precedence over the sensitivity of the condition, and that over
 * the one of all, wherever it is. */
GST_START_TEST (test_sensitivity)
{
  check_rules ("all,sensitivity=low", "dark,enter=0.97,leave=0.9,duration=10s,"
      "hold=5s; ", "blurry,enter=0.35,leave=0.55,duration=20s,hold=5s; ");
  check_rules ("dark,sensitivity=high", "dark,enter=0.8,leave=0.7,"
      "duration=2.5s,hold=5s; ", "bright,enter=0.6,leave=0.5,duration=5s,");
  check_rules ("dark,sensitivity=high,enter=0.75,hold=1s; bright,enter=0.5;"
      "all,sensitivity=high",
      "dark,enter=0.75,leave=0.7,duration=2.5s,hold=1s;",
      "bright,enter=0.5,leave=0.3,duration=2.5s,hold=5s;");
  check_rules ("all,sensitivity=low;dark,sensitivity=medium",
      "dark,enter=0.9,leave=0.8,duration=5s,hold=5s;", "covered,enter=0.9,");
  /* What is valid without a sensitivity is valid with each. */
  check_rules ("all,sensitivity=low;dark,enter=0.85;bright,leave=0.55",
      "dark,enter=0.85,leave=0.8,", "bright,enter=0.8,leave=0.55,");
  check_rules ("all,sensitivity=high;dark,leave=0.85;blurry,leave=0.6",
      "dark,enter=0.9,leave=0.85,", "blurry,enter=0.5,leave=0.6,");
}

GST_END_TEST;

static void
get_thresholds (const gchar * sensitivity, gdouble enter[N], gdouble leave[N])
{
  gchar *rules = g_strconcat ("all,sensitivity=", sensitivity, NULL);
  guint i;

  fail_unless (gst_video_health_set_rules (health, rules, NULL));
  for (i = 0; i < N; i++)
    gst_video_health_get_rule (health, i, &enter[i], &leave[i], NULL, NULL);
  g_free (rules);
}

/* Each condition has thresholds for each sensitivity, in order. */
GST_START_TEST (test_sensitivities)
{
  gdouble enter[3][N], leave[3][N];
  guint i;

  get_thresholds ("low", enter[0], leave[0]);
  get_thresholds ("medium", enter[1], leave[1]);
  get_thresholds ("high", enter[2], leave[2]);
  for (i = 0; i < N; i++) {
    const gchar *name = gst_video_health_condition_get_name (i);
    const gdouble sign = enter[1][i] < leave[1][i] ? -1 : 1;

    fail_unless (sign * enter[0][i] > sign * enter[1][i], "%s", name);
    fail_unless (sign * enter[1][i] > sign * enter[2][i], "%s", name);
    fail_unless (sign * leave[0][i] >= sign * leave[1][i], "%s", name);
    fail_unless (sign * leave[1][i] >= sign * leave[2][i], "%s", name);
    fail_unless (sign * enter[0][i] > sign * leave[0][i], "%s", name);
    fail_unless (sign * enter[2][i] > sign * leave[2][i], "%s", name);
  }
}

GST_END_TEST;

static const struct
{
  const gchar *written, *printed;
  GstClockTime ns;
} times[] = {
  {"0", "0s", 0},
  {"0h", "0s", 0},
  {"2s", "2s", 2 * GST_SECOND},
  {" 2 s ", "2s", 2 * GST_SECOND},
  {"\"2s\"", "2s", 2 * GST_SECOND},
  {"500ms", "500ms", 500 * GST_MSECOND},
  {".5s", "500ms", 500 * GST_MSECOND},
  {"1.5s", "1.5s", 1500 * GST_MSECOND},
  {"2min", "120s", 120 * GST_SECOND},
  {"0.5h", "1800s", 1800 * GST_SECOND},
  {"24h", "86400s", 86400 * GST_SECOND},
  {"1ms", "1ms", GST_MSECOND},
  {"1500us", "1500000ns", 1500 * GST_USECOND},
  {"2e6\302\265s", "2s", 2 * GST_SECOND},
  {"2000000000ns", "2s", 2 * GST_SECOND},
  {"86399999999999ns", "86399999999999ns", 86400 * GST_SECOND - 1},
};

GST_START_TEST (test_times_of_rules)
{
  gchar *written = g_strdup_printf ("dark,duration=%s,hold=%s; signal-loss,"
      "enter=90s", times[__i__].written, times[__i__].written);
  gchar *printed = g_strdup_printf ("dark,enter=0.9,leave=0.8,duration=%s,"
      "hold=%s; ", times[__i__].printed, times[__i__].printed);
  guint again;

  for (again = 0; again < 2; again++) {
    GstClockTime duration, hold;
    gdouble enter, leave;
    gchar *rules;

    fail_unless (gst_video_health_set_rules (health, written, NULL), written);
    gst_video_health_get_rule (health, C (DARK), &enter, &leave, &duration,
        &hold);
    fail_unless_close (enter, 0.9);
    fail_unless_close (leave, 0.8);
    fail_unless_equals_uint64 (duration, times[__i__].ns);
    fail_unless_equals_uint64 (hold, times[__i__].ns);
    gst_video_health_get_rule (health, C (SIGNAL_LOSS), &enter, NULL, NULL,
        NULL);
    fail_unless_close (enter, 90);
    rules = gst_video_health_dup_rules (health);
    fail_unless (strstr (rules, printed) != NULL, rules);
    g_free (written);
    written = rules;
  }
  g_free (written);
  g_free (printed);
}

GST_END_TEST;

/* Everything that ONVIF's TamperingDetection can ask for, as in
 * docs/videohealth.md. */
GST_START_TEST (test_tampering_detection)
{
  guint threshold, duration;

  for (threshold = 0; threshold <= 100; threshold++) {
    const gdouble enter = MAX (threshold, 1) / 100.0;

    for (duration = 1; duration <= 60; duration += 59) {
      const gdouble blurry = 1 - enter;
      GstClockTime time;
      gdouble set;
      gchar *rules = g_strdup_printf ("dark,enter=%g,leave=%g,duration=%us; "
          "bright,enter=%g,leave=%g; covered,enter=%g,leave=%g; "
          "moved,enter=%g,leave=%g; blurry,enter=%g,leave=%g; "
          "signal-loss,enter=%u,leave=0.5,duration=0", enter, 0.8 * enter,
          duration, enter, 0.8 * enter, enter, 0.8 * enter, enter,
          0.8 * enter, blurry, blurry + 0.3 * (1 - blurry), duration);
      GError *error = NULL;

      fail_unless (gst_video_health_set_rules (health, rules, &error), "%s: %s",
          rules, error ? error->message : "");
      gst_video_health_get_rule (health, C (DARK), &set, NULL, &time, NULL);
      fail_unless (fabs (set - enter) < 1e-6);
      fail_unless_equals_uint64 (time, duration * GST_SECOND);
      g_free (rules);
    }
  }
}

GST_END_TEST;

/* A million brackets must not overflow the stack. */
GST_START_TEST (test_nested_rules)
{
  static const gchar *const brackets[] = { "<", "{", "[", "[a,b=" };
  GString *text = g_string_new ("dark,enter=");
  GError *error = NULL;
  guint i;

  for (i = 0; i < 1000000; i++)
    g_string_append (text, brackets[__i__]);
  fail_if (gst_video_health_set_rules (health, text->str, &error));
  fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_PARSE));
  g_clear_error (&error);
  fail_if (gst_video_health_set_ignored (health, text->str, &error));
  g_clear_error (&error);
  g_string_free (text, TRUE);
}

GST_END_TEST;

static const struct
{
  const gchar *rules, *message;
} bad_rules[] = {
  {"balck,enter=0.9", "unknown condition \"balck\"; use one of " CONDITIONS},
  {"black,entre=0.9", "black: unknown field \"entre\"; use enter, leave, "
        "duration, hold or sensitivity"},
  {"dark,sensitivity=5", "dark: sensitivity is 5, not low, medium or high"},
  {"all,sensitivity=little,enter=0.4", "all: unknown field \"enter\"; use "
        "sensitivity for all, and other fields for one condition\n"
        "all: sensitivity is little, not low, medium or high"},
  {"all,sensitivity=low;all", "two rules for all; keep one"},
  {"all,sensitivity=low;dark,enter=0.75", "dark: leave is 0.8, but must be "
        "below enter, which is 0.75"},
  {"black,enter=1.5", "black: enter is 1.5, not a number from 0 to 1"},
  {"black,enter=-1", "black: enter is -1, not a number from 0 to 1"},
  {"black,enter=high", "black: enter is high, not a number from 0 to 1"},
  {"black,enter=nan", "black: enter is nan, not a number from 0 to 1"},
  {"black,enter=true", "black: enter is true, not a number from 0 to 1"},
  {"black,enter=90 %", "black: enter is 90 %, not a number from 0 to 1"},
  {"black,hold=1e15", "black: hold is 1e15, without a unit; write a time from "
        "1ms to 24h, or 0, in ns, us, ms, s, min or h"},
  {"dark,duration=5", "dark: duration is 5, without a unit; write "
        "\"duration=5s\" or \"duration=5000ms\""},
  {"dark,duration=90", "dark: duration is 90, without a unit; write "
        "\"duration=90s\" or \"duration=1.5min\""},
  {"dark,duration=100", "dark: duration is 100, without a unit; write "
        "\"duration=100s\" or \"duration=100000ms\""},
  {"dark,duration=3600", "dark: duration is 3600, without a unit; write "
        "\"duration=3600s\" or \"duration=1h\""},
  {"dark,duration=1500000", "dark: duration is 1500000, without a unit; write "
        "\"duration=1.5ms\" or \"duration=0.0015s\""},
  {"dark,hold=2000000000", "dark: hold is 2000000000, without a unit; write "
        "\"hold=2s\" or \"hold=2000ms\""},
  {"dark,hold=(guint64)1500000000", "dark: hold is 1500000000, without a unit; "
        "write \"hold=1.5s\" or \"hold=1500ms\""},
  {"dark,duration=0.25", "dark: duration is 0.25, without a unit; write "
        "\"duration=250ms\" or \"duration=0.25s\""},
  {"dark,duration=5000ns", "dark: duration is 5000ns, not a time from 1ms to "
        "24h, or 0"},
  {"dark,duration=0.1ns", "dark: duration is 0.1ns, not a time from 1ms to "
        "24h, or 0"},
  {"dark,duration=25h", "dark: duration is 25h, not a time from 1ms to 24h, or "
        "0"},
  {"dark,duration=-2s", "dark: duration is -2s, not a time from 1ms to 24h, or "
        "0"},
  {"dark,duration=-2", "dark: duration is -2, not a time from 1ms to 24h, or "
        "0"},
  {"dark,duration=2x", "dark: duration is 2x, not a time such as 2s, 500ms or "
        "1.5min"},
  {"dark,duration=1e999s", "dark: duration is 1e999s, not a time such as 2s, "
        "500ms or 1.5min"},
  {"dark,duration=s", "dark: duration is s, not a time such as 2s, 500ms or "
        "1.5min"},
  {"dark,enter=2s", "dark: enter is 2s, not a number from 0 to 1"},
  {"signal-loss,enter=2d", "signal-loss: enter is 2d, not a number from 0 to "
        "86400"},
  {"black,enter=0.5", "black: leave is 0.97, but must be below enter, which "
        "is 0.5"},
  {"frozen,leave=0.001", "frozen: leave is 0.001, but must be above enter, "
        "which is 0.001"},
  {"dark,hold=0;dark", "two rules for dark; keep one"},
  {"dark,enter=7,leave=8,hold=x,lenter=1; =; gloomy; dark; frozen,duration=-1s",
      "dark: unknown field \"lenter\"; use enter, leave, duration, hold or "
        "sensitivity\n"
        "dark: enter is 7, not a number from 0 to 1\n"
        "dark: leave is 8, not a number from 0 to 1\n"
        "dark: hold is x, not a time such as 2s, 500ms or 1.5min\n"
        "cannot read rules from \"=\"; write them as in \"black,enter=0.98,"
        "leave=0.97,duration=2s,hold=0s; dark,enter=0.9\"\n"
        "unknown condition \"gloomy\"; use one of " CONDITIONS "\n"
        "two rules for dark; keep one\n"
        "frozen: duration is -1s, not a time from 1ms to 24h, or 0"},
  {"dark; 9,hold=2s ;black", "cannot read rules from \"9,hold=2s \"; write "
        "them as in \"black,enter=0.98,leave=0.97,duration=2s,hold=0s; "
        "dark,enter=0.9\""},
  {"dark; =", "cannot read rules from \"=\"; write them as in "
        "\"black,enter=0.98,leave=0.97,duration=2s,hold=0s; dark,enter=0.9\""},
  {"dark;\x80", "the rules are not valid UTF-8"},
};

GST_START_TEST (test_bad_rules)
{
  GError *error = NULL;
  gchar *before, *after;

  gst_video_health_set_rules (health, "dark,hold=7ms", NULL);
  before = gst_video_health_dup_rules (health);
  fail_if (gst_video_health_set_rules (health, bad_rules[__i__].rules, &error));
  check_parse_error (error, bad_rules[__i__].message);
  fail_if (gst_video_health_set_rules (health, bad_rules[__i__].rules, NULL));
  after = gst_video_health_dup_rules (health);
  fail_unless_equals_string (after, before);
  g_free (before);
  g_free (after);
}

GST_END_TEST;

TEST_SUITE (healthrules, health_setup, health_teardown)
{
  tcase_add_test (tc, test_rules);
  tcase_add_test (tc, test_sensitivity);
  tcase_add_test (tc, test_sensitivities);
  tcase_add_loop_test (tc, test_times_of_rules, 0, G_N_ELEMENTS (times));
  tcase_add_test (tc, test_tampering_detection);
  tcase_add_loop_test (tc, test_nested_rules, 0, 4);
  tcase_add_loop_test (tc, test_bad_rules, 0, G_N_ELEMENTS (bad_rules));
}
