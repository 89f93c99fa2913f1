/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "enginefixture.h"

GstVideoHealth *health;
TestRandom numbers;
guint n_frames;

static GstVideoHistogramEngine *counting;
static GstVideoHealthEngine *engine;

void
engine_setup (const gchar * caps, GstVideoHealthConditions conditions)
{
  GstCaps *parsed = gst_caps_from_string (caps);

  numbers = test_random_new (1);
  n_frames = 0;
  counting = gst_video_histogram_engine_new ();
  health = gst_video_health_new ();
  gst_video_health_set_conditions (health, conditions);
  engine = gst_video_health_engine_new (health, counting);
  fail_unless (gst_video_histogram_engine_open (counting,
          GST_VIDEO_HISTOGRAM_BACKEND_CPU, -1, NULL, NULL));
  fail_unless (gst_video_health_engine_configure (engine, parsed, NULL));
  gst_caps_unref (parsed);
}

void
engine_teardown (void)
{
  g_object_unref (engine);
  g_object_unref (health);
  gst_video_histogram_engine_close (counting);
  g_object_unref (counting);
}

void
engine_judge (GstBuffer * buffer, GstClockTime time)
{
  fail_unless (gst_video_health_engine_submit (engine, buffer, time,
          GST_CLOCK_TIME_NONE, NULL));
  gst_buffer_unref (buffer);
}
