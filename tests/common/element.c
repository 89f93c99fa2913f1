/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "element.h"

#include <gst/check/gstcheck.h>
#include <gst/video/video.h>

static void
init (TestElement * self, const gchar * factory, const gchar * caps,
    const gchar * property, va_list properties)
{
  self->element = gst_element_factory_make (factory, NULL);
  /* For programs without libcheck, too. */
  if (!self->element)
    g_error ("the plugin is not in GST_PLUGIN_PATH");
  gst_object_ref_sink (self->element);
  self->bus = gst_bus_new ();
  gst_element_set_bus (self->element, self->bus);

  for (; property; property = va_arg (properties, const gchar *))
      gst_util_set_object_arg (G_OBJECT (self->element), property,
        va_arg (properties, const gchar *));

  self->h = gst_harness_new_with_element (self->element, "sink", "src");
  if (caps)
    gst_harness_set_src_caps_str (self->h, caps);
}

void
test_element_init (TestElement * self, const gchar * caps,
    const gchar * property, ...)
{
  va_list properties;

  va_start (properties, property);
  init (self, "videohistogram", caps, property, properties);
  va_end (properties);
}

void
test_element_init_equalize (TestElement * self, const gchar * caps,
    const gchar * property, ...)
{
  va_list properties;

  va_start (properties, property);
  init (self, "videoequalize", caps, property, properties);
  va_end (properties);
}

void
test_element_clear (TestElement * self)
{
  gst_harness_teardown (self->h);
  gst_element_set_bus (self->element, NULL);
  gst_object_unref (self->element);
  gst_object_unref (self->bus);
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
