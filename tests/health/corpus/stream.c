/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stream.h"

#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <stdio.h>

/* Bits are flipped only after the headers and, in JPEG, the tables. */
#define HEADER 48
#define JPEG_HEADER 640

/* videohealth reports a loss after 5 s of real time. */
#define SILENCE (6 * G_USEC_PER_SEC)

struct _Stream
{
  StreamSettings settings;
  GstElement *pipeline, *source, *health, *coder;
  TestRandom random;
  guint bitrate;                /* or quality, without a fault */
  gboolean starved;
  GstBuffer *kept;              /* frame of a decoder that hangs */
  gdouble printed;              /* time of the values */
  FILE *raw;
};

/* Running time of @buffer at @pad, in s, or -1. */
static gdouble
time_of (GstPad * pad, GstBuffer * buffer)
{
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;
  guint64 time = GST_CLOCK_TIME_NONE;

  if (!event)
    return -1;
  gst_event_parse_segment (event, &segment);
  if (GST_BUFFER_PTS_IS_VALID (buffer))
    time = gst_segment_to_running_time (segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (buffer));
  gst_event_unref (event);
  return GST_CLOCK_TIME_IS_VALID (time) ? time / (gdouble) GST_SECOND : -1;
}

static gboolean
is_wrong (const Stream * stream, Stage stage, gdouble time)
{
  const StreamSettings *s = &stream->settings;

  return s->fault && s->fault->stage == stage && time >= s->from
      && time < s->to;
}

static gboolean
is_lost (Stream * stream, GstPad * pad, GstBuffer * buffer)
{
  const gdouble time = time_of (pad, buffer);

  return time < stream->settings.joined
      || (is_wrong (stream, STAGE_NETWORK, time)
      && random_share (&stream->random) < stream->settings.fault->numbers[0]);
}

/* Sends the event that a jitter buffer sends for a lost packet. */
static void
report_loss (GstPad * pad, GstBuffer * buffer)
{
  gst_pad_push_event (pad, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new ("GstRTPPacketLost", "timestamp", G_TYPE_UINT64,
              GST_BUFFER_PTS (buffer), "duration", G_TYPE_UINT64,
              (guint64) 0, "retry", G_TYPE_UINT, 0, NULL)));
}

static GstPadProbeReturn
lose_packets (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Stream *stream = data;
  GstBufferList *list;
  guint i;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

    if (!is_lost (stream, pad, buffer))
      return GST_PAD_PROBE_OK;
    report_loss (pad, buffer);
    return GST_PAD_PROBE_DROP;
  }
  list = gst_buffer_list_make_writable (GST_PAD_PROBE_INFO_BUFFER_LIST (info));
  for (i = 0; i < gst_buffer_list_length (list);) {
    GstBuffer *buffer = gst_buffer_list_get (list, i);

    if (is_lost (stream, pad, buffer)) {
      report_loss (pad, buffer);
      gst_buffer_list_remove (list, i, 1);
    } else {
      i++;
    }
  }
  GST_PAD_PROBE_INFO_DATA (info) = list;
  return GST_PAD_PROBE_OK;
}

static void
flip_bits (Stream * stream, GstBuffer * buffer)
{
  const gdouble share = stream->settings.fault->numbers[1];
  GstMapInfo map;
  gsize i;

  gst_buffer_map (buffer, &map, GST_MAP_READWRITE);
  for (i = map.size > 2 && map.data[0] == 0xff ? JPEG_HEADER : HEADER;
      i + 2 < map.size; i++) {
    if (random_share (&stream->random) < share)
      map.data[i] ^= 1 << test_random_below (&stream->random, 8);
  }
  gst_buffer_unmap (buffer, &map);
}

static GstPadProbeReturn
damage (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Stream *stream = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  if (is_wrong (stream, STAGE_NETWORK, time_of (pad, buffer))
      && stream->settings.fault->numbers[1] > 0) {
    buffer = gst_buffer_make_writable (buffer);
    GST_PAD_PROBE_INFO_DATA (info) = buffer;
    flip_bits (stream, buffer);
  }
  if (stream->settings.key_frames
      && GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT))
    return GST_PAD_PROBE_DROP;
  return GST_PAD_PROBE_OK;
}

/* A damaged header may give frames of another size, which readers of raw video
 * could not tell from the others. */
static void
write_raw (Stream * stream, GstPad * pad, GstBuffer * buffer)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstVideoInfo info;
  GstVideoFrame frame;
  guint plane;
  gint row;

  gst_video_info_from_caps (&info, caps);
  gst_caps_unref (caps);
  if (GST_VIDEO_INFO_WIDTH (&info) != (gint) stream->settings.width
      || GST_VIDEO_INFO_HEIGHT (&info) != (gint) stream->settings.height)
    return;
  gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ);
  for (plane = 0; plane < 3; plane++) {
    for (row = 0; row < GST_VIDEO_FRAME_COMP_HEIGHT (&frame, plane); row++)
      fwrite ((guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, plane) + row
          * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, plane), 1,
          GST_VIDEO_FRAME_COMP_WIDTH (&frame, plane), stream->raw);
  }
  gst_video_frame_unmap (&frame);
}

static void
print_values (Stream * stream, gdouble time)
{
  GstStructure *values = NULL;
  gint i;

  g_object_get (stream->health, "values", &values, NULL);
  g_print ("values %.2f", time);
  for (i = 0; values && i < gst_structure_n_fields (values); i++) {
    const gchar *name = gst_structure_nth_field_name (values, i);
    const GValue *value = gst_structure_get_value (values, name);

    if (G_VALUE_HOLDS_DOUBLE (value))
      g_print (" %s=%.4f", name, g_value_get_double (value));
  }
  g_print ("\n");
  g_clear_pointer (&values, gst_structure_free);
}

/* Replaces @buffer by the first frame of the fault. */
static GstBuffer *
hang (Stream * stream, GstBuffer * buffer)
{
  GstBuffer *same;

  if (!stream->kept) {
    stream->kept = gst_buffer_ref (buffer);
    return buffer;
  }
  same = gst_buffer_copy (stream->kept);
  GST_BUFFER_PTS (same) = GST_BUFFER_PTS (buffer);
  GST_BUFFER_DURATION (same) = GST_BUFFER_DURATION (buffer);
  gst_buffer_unref (buffer);
  return same;
}

static GstPadProbeReturn
before_health (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Stream *stream = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  const gdouble time = time_of (pad, buffer);
  GstCaps *reference;

  if (is_wrong (stream, STAGE_DECODED, time))
    buffer = hang (stream, buffer);
  else
    gst_clear_buffer (&stream->kept);
  buffer = gst_buffer_make_writable (buffer);
  reference = gst_caps_new_empty_simple ("timestamp/x-unix");
  gst_buffer_add_reference_timestamp_meta (buffer, reference,
      (stream->settings.midnight + MAX (time, 0)) * GST_SECOND,
      GST_CLOCK_TIME_NONE);
  gst_caps_unref (reference);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  if (stream->raw)
    write_raw (stream, pad, buffer);
  if (stream->settings.values && time >= stream->printed + 1) {
    stream->printed = time;
    print_values (stream, time);
  }
  return GST_PAD_PROBE_OK;
}

/* Prints changes and errors. */
static GstBusSyncReply
take_message (G_GNUC_UNUSED GstBus * bus, GstMessage * message,
    G_GNUC_UNUSED gpointer data)
{
  const GstStructure *s = gst_message_get_structure (message);
  guint64 time;
  gboolean active;
  gdouble value;

  if (gst_message_has_name (message, "videohealth")
      && gst_structure_get (s, "running-time", G_TYPE_UINT64, &time,
          "active", G_TYPE_BOOLEAN, &active, "value", G_TYPE_DOUBLE, &value,
          NULL))
    g_print ("change %.2f %s %d %.4f\n", time / (gdouble) GST_SECOND,
        gst_structure_get_string (s, "condition"), active, value);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    g_printerr ("camera: %" GST_PTR_FORMAT "\n", s);
  return GST_BUS_PASS;
}

static void
add_probe (GstElement * pipeline, const gchar * element, const gchar * name,
    GstPadProbeType type, GstPadProbeCallback callback, gpointer data)
{
  GstElement *e = gst_bin_get_by_name (GST_BIN (pipeline), element);
  GstPad *pad = e ? gst_element_get_static_pad (e, name) : NULL;

  if (pad) {
    gst_pad_add_probe (pad, type, callback, data, NULL);
    gst_object_unref (pad);
  }
  g_clear_object (&e);
}

static GstCaps *
make_caps (const StreamSettings * settings)
{
  return gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, "I420",
      "width", G_TYPE_INT, settings->width, "height", G_TYPE_INT,
      settings->height, "framerate", GST_TYPE_FRACTION, settings->fps, 1, NULL);
}

/* In PLAYING, videohealth would report signal-loss on a slow machine, so it
 * stays in PAUSED unless the fault is a loss. */
static void
start (Stream * stream)
{
  const Fault *fault = stream->settings.fault;

  if (!fault || fault->stage != STAGE_DECODED || !fault->numbers[0]) {
    gst_element_set_locked_state (stream->health, TRUE);
    gst_element_set_state (stream->health, GST_STATE_PAUSED);
  }
  gst_element_set_state (stream->pipeline, GST_STATE_PLAYING);
}

Stream *
stream_new (const StreamSettings * settings)
{
  Stream *stream = g_new0 (Stream, 1);
  GstCaps *caps = make_caps (settings);
  GError *error = NULL;
  gchar *text;
  GstBus *bus;

  stream->settings = *settings;
  stream->random = test_random_new (settings->seed);
  text = g_strdup_printf ("appsrc name=source format=time block=true "
      "max-buffers=2 ! %s ! videohealth name=health backend=cpu overload=wait "
      "views=%u %s ! fakesink sync=false async=false", settings->coder,
      settings->fault && settings->fault->views ? settings->fault->views : 1,
      settings->health ? settings->health : "");
  stream->pipeline = gst_parse_launch (text, &error);
  if (!stream->pipeline || error)
    g_error ("%s: %s", text, error->message);
  g_free (text);
  stream->source = gst_bin_get_by_name (GST_BIN (stream->pipeline), "source");
  stream->health = gst_bin_get_by_name (GST_BIN (stream->pipeline), "health");
  stream->coder = gst_bin_get_by_name (GST_BIN (stream->pipeline), "coder");
  g_object_set (stream->source, "caps", caps, NULL);
  gst_caps_unref (caps);
  if (settings->raw && !(stream->raw = fopen (settings->raw, "wb")))
    g_error ("%s cannot be written", settings->raw);
  add_probe (stream->pipeline, "network", "src", GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_BUFFER_LIST, lose_packets, stream);
  add_probe (stream->pipeline, "coder", "src", GST_PAD_PROBE_TYPE_BUFFER,
      damage, stream);
  add_probe (stream->pipeline, "health", "sink", GST_PAD_PROBE_TYPE_BUFFER,
      before_health, stream);
  bus = gst_element_get_bus (stream->pipeline);
  gst_bus_set_sync_handler (bus, take_message, stream, NULL);
  gst_object_unref (bus);
  start (stream);
  return stream;
}

/* Lowers the bitrate of the coder, or restores it. */
static void
starve (Stream * stream, gboolean starved)
{
  const gchar *name;
  GObject *coder = G_OBJECT (stream->coder);

  if (!coder || starved == stream->starved)
    return;
  stream->starved = starved;
  name = g_object_class_find_property (G_OBJECT_GET_CLASS (coder), "bitrate") ?
      "bitrate" : "quality";
  if (starved) {
    g_object_get (coder, name, &stream->bitrate, NULL);
    g_object_set (coder, name, MAX ((guint) (stream->bitrate
                * stream->settings.fault->numbers[0]), 1), NULL);
  } else {
    g_object_set (coder, name, stream->bitrate, NULL);
  }
}

void
stream_push (Stream * stream, GstBuffer * frame, gdouble time)
{
  const Fault *fault = stream->settings.fault;

  if (is_wrong (stream, STAGE_DECODED, time) && fault->numbers[0]) {
    if (time < stream->settings.from + 1.0 / stream->settings.fps)
      g_usleep (SILENCE);
    gst_buffer_unref (frame);
    return;
  }
  if (stream->coder)
    starve (stream, is_wrong (stream, STAGE_CODER, time));
  GST_BUFFER_PTS (frame) = time * GST_SECOND + 0.5;
  GST_BUFFER_DURATION (frame) = GST_SECOND / stream->settings.fps;
  if (gst_app_src_push_buffer (GST_APP_SRC (stream->source), frame)
      != GST_FLOW_OK)
    g_error ("the stream ended");
}

void
stream_end (Stream * stream)
{
  GstBus *bus = gst_element_get_bus (stream->pipeline);
  GstMessage *message;

  gst_app_src_end_of_stream (GST_APP_SRC (stream->source));
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_element_set_locked_state (stream->health, FALSE);
  gst_element_set_state (stream->pipeline, GST_STATE_NULL);
  if (stream->raw)
    fclose (stream->raw);
  gst_clear_buffer (&stream->kept);
  gst_clear_object (&stream->coder);
  gst_object_unref (stream->health);
  gst_object_unref (stream->source);
  gst_object_unref (stream->pipeline);
  g_free (stream);
}
