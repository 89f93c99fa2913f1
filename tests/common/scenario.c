/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario.h"

const GstVideoFormat test_scenario_formats[] = {
  GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_P010_10LE,
  GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_GBR,
  GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_Y444, GST_VIDEO_FORMAT_YUY2,
};

G_STATIC_ASSERT (G_N_ELEMENTS (test_scenario_formats) ==
    TEST_SCENARIO_N_FORMATS);

TestShape
test_scenario_shape (TestRandom * random, guint n_formats, guint least,
    guint width, guint height)
{
  TestShape shape;

  shape.format = test_scenario_formats[test_random_below (random, n_formats)];
  shape.width = least + test_random_below (random, width);
  shape.height = least + test_random_below (random, height);
  return shape;
}

GstCaps *
test_scenario_caps (const TestShape * shape)
{
  return gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      gst_video_format_to_string (shape->format), "width", G_TYPE_INT,
      shape->width, "height", G_TYPE_INT, shape->height, "framerate",
      GST_TYPE_FRACTION, 25, 1, NULL);
}

GstEvent *
test_scenario_segment (TestRandom * random)
{
  static const gdouble rates[] = { 1, 1, 2, 0.5, -1 };
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = rates[test_random_below (random, G_N_ELEMENTS (rates))];
  segment.start = test_random_below (random, 10) * GST_SECOND;
  segment.stop = segment.start + 100 * GST_SECOND;
  segment.position = segment.start;
  segment.base = test_random_below (random, 10) * GST_SECOND;
  return gst_event_new_segment (&segment);
}

GstEvent *
test_scenario_event (TestEvent which, GstClockTime time, guint64 number)
{
  switch (which) {
    case TEST_EVENT_GAP:
      return gst_event_new_gap (time, number);
    case TEST_EVENT_TAG:
      return gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "title",
              NULL));
    case TEST_EVENT_SEGMENT_DONE:
      return gst_event_new_segment_done (GST_FORMAT_TIME, time);
    case TEST_EVENT_CUSTOM:
      return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new_empty ("mine"));
    case TEST_EVENT_OOB:
      return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_OOB,
          gst_structure_new_empty ("mine"));
    case TEST_EVENT_QOS:
      return gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.5, number, time);
    case TEST_EVENT_SEEK:
      return gst_event_new_seek (1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
          GST_SEEK_TYPE_SET, number, GST_SEEK_TYPE_NONE, 0);
    case TEST_EVENT_RECONFIGURE:
      return gst_event_new_reconfigure ();
    case TEST_EVENT_LATENCY:
      return gst_event_new_latency (number);
    case TEST_EVENT_STEP:
      return gst_event_new_step (GST_FORMAT_BUFFERS, 1, 1, TRUE, FALSE);
    default:
      return gst_event_new_navigation (gst_structure_new_empty ("mine"));
  }
}

static GstEvent *
draw_event (TestRandom * random, TestEvent first, guint n)
{
  const TestEvent which = first + test_random_below (random, n);
  const GstClockTime time = test_random_below (random, 6) * GST_SECOND;

  return test_scenario_event (which, time,
      test_random_below (random, 2) * GST_SECOND);
}

GstEvent *
test_scenario_downstream (TestRandom * random)
{
  return draw_event (random, 0, TEST_N_DOWNSTREAM);
}

GstEvent *
test_scenario_upstream (TestRandom * random)
{
  return draw_event (random, TEST_N_DOWNSTREAM,
      TEST_N_EVENTS - TEST_N_DOWNSTREAM);
}

void
test_scenario_send (GstHarness * h, GstEvent * event)
{
  if (GST_EVENT_IS_UPSTREAM (event))
    gst_harness_push_upstream_event (h, event);
  else
    gst_harness_push_event (h, event);
}

typedef struct
{
  const gchar *name;
  const gchar *values[7];
} Setting;

static const Setting histogram_settings[] = {
  {"bins", {"0", "16"}},
  {"grid", {"1x1", "1x1", "3x2"}},
  {"roi", {"", "1,1,5,5"}},
  {"channels", {"luma", "luma", "red", "green+blue", "luma+red+blue",
          "luma+red+green+blue", "luma+gradient"}},
  {"attach-meta", {"auto", "always", "never"}},
  {"joint", {"none", "previous"}},
};

static const Setting equalize_settings[] = {
  {"method", {"none", "equalize", "stretch", "gamma", "clahe"}},
  {"tiles", {"1x1", "2x2", "2x3", "8x8"}},
  {"strength", {"0", "1", "1"}},
  {"smoothing", {"0", "500000000", "1000000000"}},
};

static const Setting health_settings[] = {
  {"conditions", {"all", "all", "black+frozen", "flashing", "signal-loss"}},
  {"rules", {"", "black,duration=0,hold=0; frozen,duration=0",
          "dark,enter=0.5,leave=0.4; signal-loss,duration=100ms"}},
  {"ignore", {"", "all,x=0,y=0,width=0.5,height=0.5",
          "frozen,x=0,y=0,width=1,height=1"}},
  {"views", {"1", "1", "4"}},
  {"post-messages", {"true", "false"}},
};

/* Settings that do not change the size of output frames. */
static const Setting scope_settings[] = {
  {"scopes", {"none", "histogram", "waveform+vectorscope", "parade",
          "histogram+waveform+parade+vectorscope+false-color+zebra"}},
  {"position", {"top-left", "left", "bottom", "right"}},
  {"components", {"luma", "rgb", "yuv"}},
  {"mode", {"overlay", "stack", "parade"}},
  {"graticule", {"none", "green", "amber"}},
  {"persistence", {"0", "100000000", "2000000000"}},
  {"envelope", {"none", "instant", "peak", "instant+peak"}},
};

static const struct
{
  const gchar *element;
  const Setting *settings;
  guint n;
} elements[] = {
  {"videohistogram", histogram_settings, G_N_ELEMENTS (histogram_settings)},
  {"videoequalize", equalize_settings, G_N_ELEMENTS (equalize_settings)},
  {"videohealth", health_settings, G_N_ELEMENTS (health_settings)},
  {"videoscope", scope_settings, G_N_ELEMENTS (scope_settings)},
};

static void
set_drawn (GstElement * element, const Setting * setting, TestRandom * random)
{
  guint n = 0;

  while (n < G_N_ELEMENTS (setting->values) && setting->values[n])
    n++;
  gst_util_set_object_arg (G_OBJECT (element), setting->name,
      setting->values[test_random_below (random, n)]);
}

void
test_scenario_set (GstElement * element, const gchar * name,
    TestRandom * random)
{
  const gchar *element_name =
      GST_OBJECT_NAME (gst_element_get_factory (element));
  const Setting *settings;
  guint n, i, e;

  for (e = 0; !g_str_equal (elements[e].element, element_name); e++)
    g_assert (e + 1 < G_N_ELEMENTS (elements));
  settings = elements[e].settings;
  n = elements[e].n;

  if (!name) {
    set_drawn (element, &settings[test_random_below (random, n)], random);
    return;
  }
  for (i = 0; i < n; i++) {
    if (g_str_equal (settings[i].name, name))
      set_drawn (element, &settings[i], random);
  }
}
