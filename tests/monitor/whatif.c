/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What another rule would have reported, by what is kept of each minute,
 * compared with what GstVideoHealth reports with that rule. */
#include "common/suite.h"
#include "monitor/limitrecord.h"
#include "monitor/whatif.h"

#include <math.h>
#include <string.h>

#define DARK GST_VIDEO_HEALTH_CONDITION_DARK

#define SIDE 20
#define PIXELS (SIDE * SIDE)
#define FRAMES_PER_SECOND 5
#define MINUTES 120
#define FRAMES (MINUTES * 60 * FRAMES_PER_SECOND)

/* Where the rule to try has no counterpart in the records, alarms may be
 * missed or invented. */
#define MAX_WRONG 0.1

typedef struct
{
  GstVideoHealth *health;
  VhmThresholds thresholds;
  GArray *alarms;               /* of VhmWhatIfAlarm, µs since the start */
} Judge;

static Judge *
judge_new (const gchar * rules)
{
  VhmThresholds all[GST_VIDEO_HEALTH_N_CONDITIONS];
  Judge *judge = g_new0 (Judge, 1);

  judge->health = gst_video_health_new ();
  gst_video_health_set_conditions (judge->health, 1 << DARK);
  fail_unless (gst_video_health_set_rules (judge->health, rules, NULL));
  vhm_thresholds_read (judge->health, all);
  judge->thresholds = all[DARK];
  judge->alarms = g_array_new (FALSE, FALSE, sizeof (VhmWhatIfAlarm));
  return judge;
}

static void
judge_free (Judge * judge)
{
  g_array_unref (judge->alarms);
  g_object_unref (judge->health);
  g_free (judge);
}

static void
judge_frame (Judge * judge, GstVideoHistogram * histogram, GstClockTime time)
{
  GstVideoHealthChange change;

  gst_video_health_add_histogram (judge->health, histogram);
  gst_video_health_judge (judge->health, time, GST_CLOCK_TIME_NONE);
  while (gst_video_health_next_change (judge->health, &change)) {
    const VhmWhatIfAlarm alarm = { change.since / 1000, 0 };

    if (change.active)
      g_array_append_val (judge->alarms, alarm);
    else
      g_array_index (judge->alarms, VhmWhatIfAlarm, judge->alarms->len - 1)
          .ended = change.since / 1000;
  }
}

/* The number of dark pixels: it stays for 1 to 40 s, with noise. */
static guint
next_dark (GRand * random)
{
  static gdouble level;
  static guint left;
  gdouble noisy;

  if (!left--) {
    left = g_rand_int_range (random, FRAMES_PER_SECOND,
        40 * FRAMES_PER_SECOND);
    level = g_rand_double (random);
  }
  noisy = level + g_rand_double_range (random, -0.02, 0.02);
  return CLAMP (noisy, 0, 1) * PIXELS;
}

static GstVideoHistogram *
count_frame (GstVideoHistogramEngine * engine, guint n_dark)
{
  GstBuffer *frame = gst_buffer_new_allocate (NULL, PIXELS, NULL);
  GstVideoHistogram *histogram;

  gst_buffer_memset (frame, 0, 140, PIXELS);
  gst_buffer_memset (frame, 0, 20, n_dark);
  histogram = gst_video_histogram_engine_submit (engine, frame, NULL, FALSE,
      NULL);
  gst_buffer_unref (frame);
  fail_unless (histogram);
  return histogram;
}

/* Plays hours of frames to the judges. Returns the records of the minutes,
 * under the rule of the first judge. */
static GPtrArray *
play (Judge * const *judges, guint n)
{
  GPtrArray *records =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  GstVideoHistogramEngine *engine = gst_video_histogram_engine_new ();
  GstCaps *caps = gst_caps_from_string ("video/x-raw,format=GRAY8,width="
      G_STRINGIFY (SIDE) ",height=" G_STRINGIFY (SIDE) ",framerate=5/1,"
      "colorimetry=1:0:0:0");
  VhmThresholds thresholds[GST_VIDEO_HEALTH_N_CONDITIONS] = { {0} };
  GstVideoHistogramSpec spec;
  GRand *random = g_rand_new_with_seed (1);
  VhmLimitRecord *record;
  guint i, j;

  thresholds[DARK] = judges[0]->thresholds;
  record = vhm_limit_record_new (thresholds);
  gst_video_histogram_spec_init (&spec);
  fail_unless (gst_video_histogram_engine_open (engine,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, NULL, NULL)
      && gst_video_histogram_engine_configure (engine, caps, &spec, NULL));
  for (i = 0; i < FRAMES; i++) {
    const GstClockTime time = i * GST_SECOND / FRAMES_PER_SECOND;
    GstVideoHistogram *histogram = count_frame (engine, next_dark (random));
    gdouble value;

    for (j = 0; j < n; j++)
      judge_frame (judges[j], histogram, time);
    gst_video_histogram_unref (histogram);
    fail_unless (gst_video_health_get_value (judges[0]->health, DARK, &value));
    vhm_limit_record_add (record, DARK, time / 1000 + 1, time / GST_SECOND % 60,
        value, gst_video_health_get_active (judges[0]->health) != 0);
    if ((i + 1) % (60 * FRAMES_PER_SECOND) == 0)
      g_ptr_array_add (records, vhm_limit_record_take (record));
  }
  vhm_limit_record_free (record);
  g_rand_free (random);
  gst_caps_unref (caps);
  g_object_unref (engine);
  return records;
}

static VhmWhatIf *
try_rule (const GPtrArray * records, const VhmThresholds * thresholds)
{
  VhmWhatIf *what_if = vhm_what_if_new (DARK, thresholds);
  guint i;

  for (i = 0; i < records->len; i++) {
    gsize size;
    const guint8 *data = g_bytes_get_data (records->pdata[i], &size);

    vhm_what_if_add (what_if, i, data, size);
  }
  return what_if;
}

static gboolean
is_same_minute (gint64 a, gint64 b)
{
  return ABS (a - b) < G_TIME_SPAN_MINUTE;
}

static gboolean
has_alarm (const GArray * alarms, const VhmWhatIfAlarm * alarm)
{
  guint i;

  for (i = 0; i < alarms->len; i++) {
    const VhmWhatIfAlarm *other = &g_array_index (alarms, VhmWhatIfAlarm, i);

    if (is_same_minute (alarm->begun, other->begun)
        && is_same_minute (alarm->ended, other->ended))
      return TRUE;
  }
  return FALSE;
}

/* The share of the alarms that only one of them has. */
static gdouble
compare (const GArray * a, const GArray * b)
{
  guint wrong = 0, i;

  for (i = 0; i < a->len; i++)
    wrong += !has_alarm (b, &g_array_index (a, VhmWhatIfAlarm, i));
  for (i = 0; i < b->len; i++)
    wrong += !has_alarm (a, &g_array_index (b, VhmWhatIfAlarm, i));
  return (gdouble) wrong / (a->len + b->len);
}

static void
check_rule (const GPtrArray * records, const Judge * judge, gboolean exact)
{
  VhmWhatIf *what_if = try_rule (records, &judge->thresholds);
  const gdouble wrong = compare (judge->alarms, what_if->alarms);

  GST_INFO ("enter %g: %u alarms, %" G_GUINT64_FORMAT " by records, %g wrong",
      judge->thresholds.enter, judge->alarms->len, what_if->count, wrong);
  fail_unless (judge->alarms->len >= 20, "%u alarms", judge->alarms->len);
  if (exact)
    fail_unless_equals_uint64 (what_if->count, judge->alarms->len);
  fail_unless (wrong <= (exact ? 0 : MAX_WRONG), "enter %g: %u alarms, %u by "
      "records, %g wrong", judge->thresholds.enter, judge->alarms->len,
      (guint) what_if->count, wrong);
  vhm_what_if_free (what_if);
}

static void
check_rules (const gchar * times)
{
  static const gchar *const thresholds[] = { "enter=0.7,leave=0.6",
    "enter=0.5,leave=0.4", "enter=0.6,leave=0.3", "enter=0.8,leave=0.7",
    "enter=0.9,leave=0.65"
  };
  Judge *judges[G_N_ELEMENTS (thresholds)];
  GPtrArray *records;
  gsize size = 0;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (judges); i++) {
    gchar *rules = g_strdup_printf ("dark,%s,%s", thresholds[i], times);

    judges[i] = judge_new (rules);
    g_free (rules);
  }
  records = play (judges, G_N_ELEMENTS (judges));
  for (i = 0; i < G_N_ELEMENTS (judges); i++) {
    check_rule (records, judges[i], i == 0);
    judge_free (judges[i]);
  }
  for (i = 0; i < records->len; i++)
    size += g_bytes_get_size (records->pdata[i]);
  GST_INFO ("%g bytes a minute", (gdouble) size / records->len);
  g_ptr_array_unref (records);
}

/* The rule in effect gives the alarms that were reported, and others nearly the
 * alarms that they would have reported. */
GST_START_TEST (test_rules)
{
  check_rules ("duration=5s,hold=5s");
  check_rules ("duration=10s,hold=2s");
  check_rules ("duration=0s,hold=0s");
}

GST_END_TEST;

/* While another condition explains this one, it does not start; and then no
 * other rule may start it either. */
GST_START_TEST (test_explained)
{
  const VhmThresholds t = { 0.9, 0.8, 5 * G_TIME_SPAN_SECOND,
    5 * G_TIME_SPAN_SECOND
  };
  VhmThresholds thresholds[GST_VIDEO_HEALTH_N_CONDITIONS] = { {0} };
  VhmThresholds other = t;
  GPtrArray *records =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  VhmLimitRecord *record;
  VhmWhatIf *what_if;
  gint64 second;

  thresholds[DARK] = t;
  record = vhm_limit_record_new (thresholds);
  for (second = 0; second < 300; second++) {
    vhm_limit_record_add (record, DARK, second * G_TIME_SPAN_SECOND + 1,
        second % 60, second > 100 ? 1 : 0, FALSE);
    if (second % 60 == 59)
      g_ptr_array_add (records, vhm_limit_record_take (record));
  }
  vhm_limit_record_free (record);
  other.enter = 0.85;
  what_if = try_rule (records, &other);
  fail_unless_equals_uint64 (what_if->count, 0);
  vhm_what_if_free (what_if);
  g_ptr_array_unref (records);
}

GST_END_TEST;

/* The saved state of a program that was killed may have an alarm as active that
 * had ended. It is not another one. */
GST_START_TEST (test_killed)
{
  const VhmThresholds t = { 0.9, 0.8, 5 * G_TIME_SPAN_SECOND,
    5 * G_TIME_SPAN_SECOND
  };
  VhmThresholds thresholds[GST_VIDEO_HEALTH_N_CONDITIONS] = { {0} };
  GPtrArray *records =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  VhmWhatIf *what_if;
  gint64 second;
  guint run;

  thresholds[DARK] = t;
  for (run = 0; run < 2; run++) {
    VhmLimitRecord *record = vhm_limit_record_new (thresholds);

    for (second = 0; second < 60; second++) {
      const gboolean dark = !run && second >= 10 && second < 30;

      vhm_limit_record_add (record, DARK, second * G_TIME_SPAN_SECOND + 1,
          second, dark, run ? second < 5 : second >= 15 && second < 35);
    }
    g_ptr_array_add (records, vhm_limit_record_take (record));
    vhm_limit_record_free (record);
  }
  what_if = try_rule (records, &t);
  fail_unless_equals_uint64 (what_if->count, 1);
  vhm_what_if_free (what_if);
  g_ptr_array_unref (records);
}

GST_END_TEST;

static void
count_limit (gpointer data, const VhmLimit * limit)
{
  fail_unless (limit->value >= 0 && limit->value <= 1e9);
  ++*(guint *) data;
}

/* A database may be damaged, or from a version with more conditions. */
GST_START_TEST (test_damage)
{
  GRand *random = g_rand_new_with_seed (1);
  guint8 bytes[300];
  guint i, j;

  for (i = 0; i < 20000; i++) {
    const gsize size = g_rand_int_range (random, 0, sizeof bytes);
    guint8 *copy = g_memdup2 (bytes, MAX (size, 1));
    guint n = 0;

    for (j = 0; j < size; j++)
      copy[j] = g_rand_int (random);
    vhm_limit_record_read (copy, size, i % GST_VIDEO_HEALTH_N_CONDITIONS,
        count_limit, &n);
    fail_unless (n <= size);
    g_free (copy);
  }
  fail_if (vhm_limit_record_read (NULL, 0, DARK, count_limit, &i));
  g_rand_free (random);
}

GST_END_TEST;

GST_START_TEST (test_rule_text)
{
  const struct
  {
    GstVideoHealthCondition condition;
    gdouble enter, leave;
    const gchar *text;
  } examples[] = {
    {DARK, 0.9, NAN, "dark,enter=0.9,leave=0.8"},
    {DARK, 0.99, NAN, "dark,enter=0.99,leave=0.88"},
    {DARK, 1, NAN, "dark,enter=1,leave=0.89"},
    {DARK, 0.01, NAN, "dark,enter=0.01,leave=0.0089"},
    {DARK, 0.94, NAN, "dark,enter=0.94,leave=0.84"},
    {DARK, 0.45, NAN, "dark,enter=0.45,leave=0.4"},
    {DARK, 0.5, 0.2, "dark,enter=0.5,leave=0.2"},
    {GST_VIDEO_HEALTH_CONDITION_SIGNAL_LOSS, 60, NAN,
        "signal-loss,enter=60,leave=12"},
    {GST_VIDEO_HEALTH_CONDITION_BLURRY, 0.1, NAN,
        "blurry,enter=0.1,leave=0.14"},
    {GST_VIDEO_HEALTH_CONDITION_BLURRY, 0.99, NAN,
        "blurry,enter=0.99,leave=0.994"},
    {GST_VIDEO_HEALTH_CONDITION_FROZEN, 0.0005, NAN,
        "frozen,enter=0.0005,leave=0.001"},
    {GST_VIDEO_HEALTH_CONDITION_BLURRY, 0.75, NAN,
        "blurry,enter=0.75,leave=0.85"},
  };
  GstVideoHealth *health = gst_video_health_new ();
  VhmThresholds present[GST_VIDEO_HEALTH_N_CONDITIONS];
  guint i;

  vhm_thresholds_read (health, present);
  for (i = 0; i < G_N_ELEMENTS (examples); i++) {
    const VhmThresholds t = vhm_what_if_complete (
        &present[examples[i].condition], examples[i].enter, examples[i].leave);
    gchar *text = vhm_what_if_print (examples[i].condition, &t);

    fail_unless_equals_string (text, examples[i].text);
    fail_unless (gst_video_health_set_rules (health, text, NULL));
    /* What is tried is what the text says. */
    fail_unless_equals_float (t.leave,
        g_ascii_strtod (strstr (text, "leave=") + strlen ("leave="), NULL));
    g_free (text);
  }
  g_object_unref (health);
}

GST_END_TEST;

TEST_SUITE (whatif, NULL, NULL)
{
  tcase_add_test (tc, test_rules);
  tcase_add_test (tc, test_explained);
  tcase_add_test (tc, test_killed);
  tcase_add_test (tc, test_damage);
  tcase_add_test (tc, test_rule_text);
}
