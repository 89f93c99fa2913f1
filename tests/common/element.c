/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "element.h"

#include "env.h"

#include <gst/check/gstcheck.h>
#include <gst/video/video.h>
#include <string.h>

/* How long to wait for pipelines. */
#define MAX_WAIT (TEST_MAX_WAIT * GST_SECOND)

void
test_element_init_factory (TestElement * self, const gchar * factory,
    const gchar * caps, const gchar * property, ...)
{
  va_list properties;

  self->element = gst_element_factory_make (factory, NULL);
  /* g_error() also works in programs without libcheck. */
  if (!self->element)
    g_error ("the plugin is not in GST_PLUGIN_PATH");
  gst_object_ref_sink (self->element);
  self->bus = gst_bus_new ();
  gst_element_set_bus (self->element, self->bus);

  va_start (properties, property);
  for (; property; property = va_arg (properties, const gchar *))
      gst_util_set_object_arg (G_OBJECT (self->element), property,
        va_arg (properties, const gchar *));
  va_end (properties);

  self->h = gst_harness_new_with_element (self->element, "sink", "src");
  if (caps)
    gst_harness_set_src_caps_str (self->h, caps);
}

void
test_element_clear (TestElement * self)
{
  if (!self->h)
    return;
  gst_harness_teardown (self->h);
  gst_element_set_bus (self->element, NULL);
  gst_object_unref (self->element);
  gst_object_unref (self->bus);
  self->h = NULL;
}

GstBuffer *
test_element_pass (TestElement * self, GstBuffer * buffer)
{
  GstBuffer *out;

  fail_unless_equals_int (gst_harness_push (self->h, buffer), GST_FLOW_OK);
  out = gst_harness_try_pull (self->h);
  fail_unless (out != NULL, "a buffer was lost");
  return out;
}

void
test_element_push (TestElement * self, GstBuffer * buffer)
{
  gst_buffer_unref (test_element_pass (self, buffer));
}

void
test_element_forget_events (TestElement * self)
{
  GstEvent *event;

  while ((event = gst_harness_try_pull_event (self->h)))
    gst_event_unref (event);
  while ((event = gst_harness_try_pull_upstream_event (self->h)))
    gst_event_unref (event);
}

void
test_element_forget_output (TestElement * self)
{
  test_element_forget_events (self);
  gst_bus_set_flushing (self->bus, TRUE);
  gst_bus_set_flushing (self->bus, FALSE);
}

guint64
test_element_get_count (TestElement * self, const gchar * name)
{
  guint64 count;

  g_object_get (self->element, name, &count, NULL);
  return count;
}

void
test_element_begin (TestElement * self, const gchar * caps)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (self->h, gst_event_new_stream_start ("stream"));
  if (caps)
    gst_harness_set_src_caps_str (self->h, caps);
  gst_harness_push_event (self->h, gst_event_new_segment (&segment));
}

void
test_element_flush (TestElement * self)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (self->h, gst_event_new_flush_start ());
  gst_harness_push_event (self->h, gst_event_new_flush_stop (TRUE));
  gst_harness_push_event (self->h, gst_event_new_segment (&segment));
}

void
test_element_restart (TestElement * self, const gchar * caps)
{
  gst_element_set_state (self->element, GST_STATE_READY);
  gst_element_set_state (self->element, GST_STATE_PLAYING);
  test_element_begin (self, caps);
}

guint
test_element_count_messages (TestElement * self, GstMessageType types)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (self->bus, types))) {
    gst_message_unref (message);
    n++;
  }
  return n;
}

/* Returns the text of the next message on @bus; @type is warning or error. */
static gchar *
pop_text (GstBus * bus, GstMessageType type)
{
  GstMessage *message = gst_bus_pop_filtered (bus, type);
  GError *error;
  gchar *text;

  if (!message)
    return NULL;
  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  text = g_strdup (error->message);
  g_error_free (error);
  gst_message_unref (message);
  return text;
}

void
test_element_expect (TestElement * self, GstMessageType type,
    const gchar * part)
{
  gchar *text = pop_text (self->bus, type);

  fail_unless (text != NULL, "nothing was said of %s", part);
  fail_unless (strstr (text, part) != NULL, "%s", text);
  g_free (text);
}

gchar *
test_bus_pop_warning (GstBus * bus)
{
  return pop_text (bus, GST_MESSAGE_WARNING);
}

gchar *
test_element_dup_string (TestElement * self, const gchar * name)
{
  gchar *text;

  g_object_get (self->element, name, &text, NULL);
  return text;
}

void
test_element_check_string (TestElement * self, const gchar * name,
    const gchar * value)
{
  gchar *text = test_element_dup_string (self, name);

  fail_unless_equals_string (text, value);
  g_free (text);
}

GstMessage *
test_element_pop_result (TestElement * self)
{
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (self->bus, GST_MESSAGE_ELEMENT))) {
    if (gst_message_has_name (message, "videohistogram"))
      return message;
    gst_message_unref (message);
  }
  return NULL;
}

guint
test_element_count_results (TestElement * self)
{
  GstMessage *message;
  guint n = 0;

  while ((message = test_element_pop_result (self))) {
    gst_message_unref (message);
    n++;
  }
  return n;
}

GstBuffer *
test_gray_buffer (guint width, guint height, guint8 value, GstClockTime pts)
{
  GstVideoInfo info;
  GstBuffer *buffer;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_GRAY8, width, height);
  buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_buffer_memset (buffer, 0, value, info.size);
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  return buffer;
}

GstBuffer *
test_flat_buffer (GstCaps * caps, guint8 value)
{
  GstVideoInfo info;
  GstBuffer *buffer;

  fail_unless (gst_video_info_from_caps (&info, caps));
  buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_buffer_memset (buffer, 0, value, info.size);
  return buffer;
}

GstCaps *
test_caps (const gchar * format, guint width, guint height)
{
  return gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, format,
      "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, "framerate",
      GST_TYPE_FRACTION, 25, 1, NULL);
}

GstElement *
test_pipeline_run (const gchar * launch)
{
  GstElement *pipeline = gst_parse_launch (launch, NULL);

  test_pipeline_play_to_end (pipeline);
  return pipeline;
}

void
test_pipeline_play_to_end (GstElement * pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, MAX_WAIT,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS,
      "no end: %" GST_PTR_FORMAT, message);
  gst_message_unref (message);
  gst_object_unref (bus);
}

void
test_pipeline_stop (GstElement * pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

void
test_pipeline_tap (GstElement * pipeline, const gchar * element,
    const gchar * pad, GstPadProbeCallback probe, gpointer data)
{
  GstElement *e = gst_bin_get_by_name (GST_BIN (pipeline), element);
  GstPad *p = gst_element_get_static_pad (e, pad);

  gst_pad_add_probe (p, GST_PAD_PROBE_TYPE_BUFFER, probe, data, NULL);
  gst_object_unref (p);
  gst_object_unref (e);
}
