/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of conditions in words and in units of people. */
#include "common/suite.h"
#include "monitor/scale.h"

#include <math.h>

static VhmScale
make_scale (GstVideoHealthCondition condition, const gchar * rules,
    gboolean active, gdouble value, const gchar * detail,
    GstVideoHealthConditions held_back)
{
  VhmThresholds thresholds[GST_VIDEO_HEALTH_N_CONDITIONS];
  GstVideoHealth *health = gst_video_health_new ();
  VhmScale scale;

  fail_unless (gst_video_health_set_rules (health, rules, NULL));
  vhm_thresholds_read (health, thresholds);
  vhm_scale_init (&scale, condition, &thresholds[condition], active, value,
      detail, held_back);
  g_object_unref (health);
  return scale;
}

/* The thresholds fit on the bar, on the side where the alarm is. */
GST_START_TEST (test_numbers)
{
  VhmScale scale = make_scale (GST_VIDEO_HEALTH_CONDITION_MOVED,
      "moved,enter=1.2", FALSE, 1.1, NULL, 0);
  guint i;

  fail_unless_equals_float (scale.enter, -20);
  fail_unless_equals_float (scale.leave, 60);
  fail_unless_equals_float (scale.least, -20);
  fail_unless_equals_float (scale.most, 100);
  fail_unless_equals_float (scale.value, -10);
  vhm_scale_clear (&scale);
  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++) {
    scale = make_scale (i, "signal-loss,enter=60", FALSE, NAN, "no-pattern", 0);
    fail_unless_equals_string (scale.sentence,
        "Not judged: the picture looks the same everywhere.");
    fail_unless (isnan (scale.value));
    fail_unless (scale.least <= MIN (scale.enter, scale.leave));
    fail_unless (scale.most >= MAX (scale.enter, scale.leave));
    fail_unless (scale.enter != scale.leave && *scale.label && *scale.unit);
    vhm_scale_clear (&scale);
  }
}

GST_END_TEST;

/* An active condition has the limit that ends it. */
GST_START_TEST (test_sentences)
{
  const GstVideoHealthCondition banding = GST_VIDEO_HEALTH_CONDITION_BANDING;
  VhmScale scale = make_scale (banding, "", FALSE, 0.01, NULL, 0);

  fail_unless_equals_string (scale.sentence, "Bands change the brightness by "
      "1 %; the alarm starts after 3 s above 2 %.");
  vhm_scale_clear (&scale);
  scale = make_scale (banding, "banding,hold=90s", TRUE, 0.03, NULL, 0);
  fail_unless_equals_string (scale.sentence, "Bands change the brightness by "
      "3 %; the alarm ends after 90 s below 1 %.");
  vhm_scale_clear (&scale);
  scale = make_scale (banding, "", FALSE, NAN, "key-frames-only", 0);
  fail_unless_equals_string (scale.sentence,
      "Not judged: only key frames are decoded.");
  vhm_scale_clear (&scale);
  scale = make_scale (banding, "", FALSE, 0.03, NULL,
      GST_VIDEO_HEALTH_CONDITIONS_DARK | GST_VIDEO_HEALTH_CONDITIONS_NOISY);
  fail_unless_equals_string (scale.sentence, "Bands change the brightness by "
      "3 %; the alarm starts after 3 s above 2 %. It does not start now, "
      "because another alarm explains it: too dark, picture noisy.");
  vhm_scale_clear (&scale);
  /* Black has all contrast that is left. */
  scale = make_scale (GST_VIDEO_HEALTH_CONDITION_LOW_CONTRAST, "", TRUE, 1,
      NULL, GST_VIDEO_HEALTH_CONDITIONS_BLACK);
  fail_unless (isnan (scale.value));
  fail_unless_equals_string (scale.sentence,
      "Not judged: the picture is black.");
  vhm_scale_clear (&scale);
}

GST_END_TEST;

/* Coded video is not judged by limits. */
GST_START_TEST (test_limitless)
{
  VhmScale scale = make_scale (GST_VIDEO_HEALTH_CONDITION_FROZEN, "", TRUE,
      0.004, "changes as usual for this camera", 0);

  fail_unless_equals_string (scale.sentence, "The picture changes as usual for "
      "this camera.");
  vhm_scale_clear (&scale);
  scale = make_scale (GST_VIDEO_HEALTH_CONDITION_FROZEN, "", TRUE, 0.004, NULL,
      0);
  fail_unless_equals_string (scale.sentence, "The picture changes by 0.4 % "
      "from frame to frame; the alarm ends above 0.2 %.");
  vhm_scale_clear (&scale);
}

GST_END_TEST;

TEST_SUITE (scale, NULL, NULL)
{
  tcase_add_test (tc, test_sentences);
  tcase_add_test (tc, test_limitless);
  tcase_add_test (tc, test_numbers);
}
