/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A GstVideoHealthEngine judges frames only with its own configuration, which
 * it checks even if there is nothing to count. */
#include "common/env.h"
#include "common/suite.h"

#include <gst/videohistogram/videohistogram.h>

#define WIDTH 64
#define HEIGHT 48
#define CAPS "video/x-raw, format=(string)GRAY8, width=(int)64, " \
    "height=(int)48, framerate=(fraction)25/1"
#define OTHER_CAPS "video/x-raw, format=(string)GRAY8, width=(int)32, " \
    "height=(int)96, framerate=(fraction)25/1"
#define CONDITION(id) GST_VIDEO_HEALTH_CONDITION_##id
#define ONLY(id) GST_VIDEO_HEALTH_CONDITIONS_##id
#define MAX_WAIT (TEST_MAX_WAIT * GST_SECOND)

static GstVideoHistogramEngine *counting;

/* Two judges that share the engine that counts. */
static struct
{
  GstVideoHealth *health;
  GstVideoHealthEngine *engine;
} judges[2];

static void
setup (void)
{
  guint i;

  counting = gst_video_histogram_engine_new ();
  fail_unless (gst_video_histogram_engine_open (counting,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, NULL, NULL));
  for (i = 0; i < G_N_ELEMENTS (judges); i++) {
    judges[i].health = gst_video_health_new ();
    judges[i].engine = gst_video_health_engine_new (judges[i].health, counting);
  }
}

static void
teardown (void)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (judges); i++) {
    g_clear_object (&judges[i].engine);
    g_object_unref (judges[i].health);
  }
  gst_video_histogram_engine_close (counting);
  g_object_unref (counting);
}

static gboolean
configure (guint i, const gchar * text, GError ** error)
{
  GstCaps *caps = gst_caps_from_string (text);
  const gboolean ok = gst_video_health_engine_configure (judges[i].engine, caps,
      error);

  gst_caps_unref (caps);
  return ok;
}

static GstBuffer *
make_frame (guint8 level)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT, NULL);

  gst_buffer_memset (buffer, 0, level, WIDTH * HEIGHT);
  return buffer;
}

static gboolean
submit (guint i, guint8 level, GstClockTime time, GError ** error)
{
  GstBuffer *buffer = make_frame (level);
  const gboolean ok = gst_video_health_engine_submit (judges[i].engine, buffer,
      time, GST_CLOCK_TIME_NONE, error);

  gst_buffer_unref (buffer);
  fail_unless (gst_video_health_engine_finish (judges[i].engine, MAX_WAIT));
  return ok;
}

static void
check_error (GError * error, GstVideoHistogramError code)
{
  fail_unless (g_error_matches (error, GST_VIDEO_HISTOGRAM_ERROR, code), "%s",
      error ? error->message : "no error");
  g_error_free (error);
}

static void
check_refused (guint i)
{
  GError *error = NULL;

  fail_if (submit (i, 200, GST_SECOND, &error));
  check_error (error, GST_VIDEO_HISTOGRAM_ERROR_SPEC);
}

/* Whoever configures last is counted for; the others must configure again. */
GST_START_TEST (test_shared)
{
  gdouble value;

  gst_video_health_set_conditions (judges[1].health, __i__ ? ONLY (SIGNAL_LOSS)
      : ONLY (BLACK));
  fail_unless (configure (0, CAPS, NULL));
  fail_unless (submit (0, 0, 0, NULL));
  fail_unless (configure (1, OTHER_CAPS, NULL));
  check_refused (0);
  gst_video_health_set_conditions (judges[0].health, ONLY (BLACK));
  check_refused (0);
  fail_unless (submit (1, 0, 0, NULL));

  fail_unless (configure (0, CAPS, NULL));
  fail_unless (submit (0, 0, GST_SECOND, NULL));
  fail_unless (gst_video_health_get_value (judges[0].health, CONDITION (BLACK),
          &value));
  fail_unless (value == 1);
  check_refused (1);
  /* Neither restart nor the end of the others disturbs it. */
  gst_video_health_engine_restart (judges[1].engine);
  g_clear_object (&judges[1].engine);
  fail_unless (submit (0, 0, 2 * GST_SECOND, NULL));
}

GST_END_TEST;

/* Also a restart of the one leaves the kept frame of the other. */
GST_START_TEST (test_restart_of_other)
{
  gdouble value;

  fail_unless (configure (1, CAPS, NULL));
  fail_unless (configure (0, CAPS, NULL));
  fail_unless (submit (0, 100, 0, NULL));
  gst_video_health_engine_restart (judges[1].engine);
  fail_unless (submit (0, 100, GST_SECOND, NULL));
  fail_unless (gst_video_health_get_value (judges[0].health, CONDITION (FROZEN),
          &value));
  fail_unless (value == 0);
}

GST_END_TEST;

/* The user of the counting engine and a judge do not get each other's counts
 * either. */
GST_START_TEST (test_user)
{
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstBuffer *buffer = make_frame (1);
  GstVideoHistogram *histogram;
  GstVideoHistogramSpec spec;
  GError *error = NULL;

  gst_video_histogram_spec_init (&spec);
  fail_unless (configure (0, CAPS, NULL));
  fail_if (gst_video_histogram_engine_submit (counting, buffer, NULL, FALSE,
          &error));
  check_error (g_steal_pointer (&error), GST_VIDEO_HISTOGRAM_ERROR_SPEC);
  fail_if (gst_video_histogram_engine_count_joint (counting,
          GST_VIDEO_HISTOGRAM_JOINT_OTHER, buffer, buffer, &error));
  check_error (g_steal_pointer (&error), GST_VIDEO_HISTOGRAM_ERROR_SPEC);
  fail_unless (submit (0, 1, 0, NULL));

  fail_unless (gst_video_histogram_engine_configure (counting, caps, &spec,
          NULL));
  check_refused (0);
  histogram = gst_video_histogram_engine_submit (counting, buffer, NULL, FALSE,
      NULL);
  fail_unless (histogram);
  gst_video_histogram_unref (histogram);
  gst_buffer_unref (buffer);
  gst_caps_unref (caps);
}

GST_END_TEST;

/* Closed and opened, with and without anything to count. */
GST_START_TEST (test_closed)
{
  GError *error = NULL;

  gst_video_health_set_conditions (judges[0].health, __i__ ? ONLY (SIGNAL_LOSS)
      : ONLY (BLACK));
  fail_unless (configure (0, CAPS, NULL));
  gst_video_histogram_engine_close (counting);
  check_refused (0);
  fail_if (configure (0, CAPS, &error));
  check_error (error, GST_VIDEO_HISTOGRAM_ERROR_SPEC);
  fail_unless (gst_video_histogram_engine_open (counting,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, NULL, NULL));
  check_refused (0);
  fail_unless (configure (0, CAPS, NULL));
  fail_unless (submit (0, 200, 0, NULL));
}

GST_END_TEST;

static const gchar *const bad_caps[] = {
  "audio/x-raw", "video/x-raw", "ANY", "EMPTY",
  "video/x-raw, format=(string)GRAY8, width=(int)[1, 64], height=(int)48",
  "video/x-raw, format=(string)v210, width=(int)64, height=(int)48",
};

GST_START_TEST (test_bad_caps)
{
  const GstVideoHealthConditions conditions[] = {
    0, ONLY (SIGNAL_LOSS), ONLY (BLACK)
  };
  GError *error = NULL;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (conditions); i++) {
    gst_video_health_set_conditions (judges[0].health, conditions[i]);
    fail_unless (configure (0, CAPS, NULL));
    fail_if (configure (0, bad_caps[__i__], &error));
    check_error (g_steal_pointer (&error), GST_VIDEO_HISTOGRAM_ERROR_FORMAT);
    check_refused (0);
  }
}

GST_END_TEST;

/* While nothing is counted, no frame is kept: the first frame that is compared
 * again has no older one to differ from. */
GST_START_TEST (test_no_stale_frame)
{
  const GstVideoHealthConditions between[] = {
    0, ONLY (SIGNAL_LOSS), ONLY (BLACK)
  };
  gdouble value;

  gst_video_health_set_conditions (judges[0].health, ONLY (FROZEN));
  fail_unless (configure (0, CAPS, NULL));
  fail_unless (submit (0, 255, 0, NULL));
  gst_video_health_set_conditions (judges[0].health, between[__i__]);
  fail_unless (submit (0, 20, GST_SECOND, NULL));
  gst_video_health_set_conditions (judges[0].health, ONLY (FROZEN));
  fail_unless (submit (0, 20, 2 * GST_SECOND, NULL));
  fail_if (gst_video_health_get_value (judges[0].health, CONDITION (FROZEN),
          &value));
  fail_unless (submit (0, 20, 3 * GST_SECOND, NULL));
  fail_unless (gst_video_health_get_value (judges[0].health, CONDITION (FROZEN),
          &value));
  fail_unless (value == 0);
}

GST_END_TEST;

TEST_SUITE (healthengine, setup, teardown)
{
  tcase_add_loop_test (tc, test_shared, 0, 2);
  tcase_add_test (tc, test_restart_of_other);
  tcase_add_test (tc, test_user);
  tcase_add_loop_test (tc, test_closed, 0, 2);
  tcase_add_loop_test (tc, test_bad_caps, 0, G_N_ELEMENTS (bad_caps));
  tcase_add_loop_test (tc, test_no_stale_frame, 0, 3);
}
