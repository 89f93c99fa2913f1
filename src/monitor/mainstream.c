/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mainstream.h"

#include "bus.h"
#include "elementtype.h"
#include "failure.h"
#include "keyframes.h"
#include "mainthread.h"
#include "source.h"
#include "threads.h"

#include <stdatomic.h>

/* Messages to the thread of the connection, on its bus. */
#define STOP "vhm-stop"
#define FRAME "vhm-frame"

/* Connections to main streams at once, of all cameras. */
#define MAX_CONNECTIONS 4

/* µs: for how long the sub-stream has to do after the main stream failed. */
#define RETRY_INTERVAL (30 * G_TIME_SPAN_SECOND)

/* µs: how long a picture is kept. */
#define MAX_PICTURE_AGE (3 * G_TIME_SPAN_SECOND)

typedef struct
{
  VhmCameraSettings *camera;
  VhmMainStream *stream;        /* main thread only; NULL once freed */
  GstBus *bus;
  VhmKeyFrames key_frames;
  atomic_bool taken;            /* a frame was */
} Connection;

struct _VhmMainStream
{
  VhmCameraSettings *camera;
  Connection *connection;       /* or NULL */
  VhmPicture picture;
  gchar *trouble;
  gint64 failed;                /* monotonic µs; 0: the last one did not */
};

static atomic_uint n_threads;

static void
clear_connection (gpointer data)
{
  Connection *connection = data;

  vhm_group_unref (connection->camera);
  gst_object_unref (connection->bus);
}

static void
connection_unref (gpointer connection)
{
  g_atomic_rc_box_release_full (connection, clear_connection);
}

/* Streaming threads */

static GstPadProbeReturn
on_frame (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Connection *connection = data;
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstSample *sample;

  if (!caps || atomic_exchange (&connection->taken, TRUE)) {
    gst_clear_caps (&caps);
    return GST_PAD_PROBE_DROP;
  }
  sample = gst_sample_new (GST_PAD_PROBE_INFO_BUFFER (info), caps, NULL, NULL);
  gst_bus_post (connection->bus, gst_message_new_application (NULL,
          gst_structure_new (FRAME, "sample", GST_TYPE_SAMPLE, sample, NULL)));
  gst_sample_unref (sample);
  gst_caps_unref (caps);
  return GST_PAD_PROBE_DROP;
}

static void
on_element_added (G_GNUC_UNUSED GstBin * pipeline, GstBin * bin,
    GstElement * element, Connection * connection)
{
  if (vhm_element_is_decoder (element)
      && !vhm_element_is_decoder (GST_ELEMENT (bin)))
    vhm_key_frames_watch (&connection->key_frames, element);
}

/* The thread of the connection */

/* Decodes on the CPU: for one frame, a decoder of a GPU takes more time and
 * memory than it saves. */
static GstElement *
build_pipeline (Connection * connection, GError ** error)
{
  GstElement *pipeline = gst_parse_launch_full ("queue name=queue "
      "max-size-buffers=1 leaky=downstream ! fakesink sync=false", NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
  GstElement *source, *queue;
  GstPad *pad;

  if (!pipeline)
    return NULL;
  gst_object_ref_sink (pipeline);
  gst_element_set_bus (pipeline, connection->bus);
  g_signal_connect (pipeline, "deep-element-added",
      G_CALLBACK (on_element_added), connection);
  source = vhm_source_new (connection->camera, connection->camera->uri, TRUE,
      error);
  if (!source) {
    gst_object_unref (pipeline);
    return NULL;
  }
  gst_bin_add (GST_BIN (pipeline), source);
  queue = gst_bin_get_by_name (GST_BIN (pipeline), "queue");
  vhm_source_link (source, queue);
  pad = gst_element_get_static_pad (queue, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, connection,
      NULL);
  gst_object_unref (pad);
  gst_object_unref (queue);
  return pipeline;
}

/* To be freed. */
static gchar *
explain_error (const Connection * connection, GstMessage * message)
{
  gchar *missing = NULL;
  const VhmFailure failure = { connection->camera->uri, connection->camera,
    FALSE, TRUE, connection->bus, &missing
  };
  gchar *text = vhm_failure_explain (&failure, message);

  g_free (missing);
  return text;
}

/* Waits for a frame. Returns NULL and sets @why, to be freed, if none comes. */
static GstSample *
wait_for_frame (Connection * connection, gchar ** why)
{
  const gint64 end = g_get_monotonic_time () + VHM_MAX_MAIN_STREAM_TIME;
  GstSample *sample = NULL;

  while (!sample && !*why) {
    const gint64 left = end - g_get_monotonic_time ();
    GstMessage *message = gst_bus_timed_pop_filtered (connection->bus,
        MAX (left, 0) * 1000, GST_MESSAGE_APPLICATION | GST_MESSAGE_ERROR
        | GST_MESSAGE_EOS);
    const GstStructure *structure = message ?
        gst_message_get_structure (message) : NULL;

    if (!message)
      *why = g_strdup_printf ("no picture within %d seconds",
          (gint) (VHM_MAX_MAIN_STREAM_TIME / G_TIME_SPAN_SECOND));
    else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      *why = explain_error (connection, message);
    else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
      *why = g_strdup ("it ends before the first picture");
    else if (gst_structure_has_name (structure, STOP))
      *why = g_strdup ("stopped");
    else
      gst_structure_get (structure, "sample", GST_TYPE_SAMPLE, &sample, NULL);
    g_clear_pointer (&message, gst_message_unref);
  }
  return sample;
}

typedef struct
{
  VhmPicture picture;
  gchar *why;                   /* there is no picture, or NULL */
} Result;

static void
result_free (gpointer data)
{
  Result *result = data;

  vhm_picture_set (&result->picture, NULL);
  g_free (result->why);
  g_free (result);
}

static void
encode (Result * result, GstSample * sample)
{
  VhmPictureEncoder *encoder = vhm_picture_encoder_new (VHM_PICTURE_FULL);

  result->picture.time = g_get_real_time ();
  result->picture.arrival = g_get_monotonic_time ();
  result->picture.jpeg = vhm_picture_encoder_encode (encoder, sample,
      &result->picture.width);
  if (!result->picture.jpeg)
    result->why = g_strdup ("the picture cannot be encoded");
  vhm_picture_encoder_free (encoder);
}

/* Logs when the main stream starts to fail, and when it works again. */
static void
note_trouble (VhmMainStream * stream, const gchar * why)
{
  const gchar *name = stream->camera->name;

  if (why && g_strcmp0 (why, stream->trouble))
    g_message ("camera %s: no full picture of the main stream: %s; full "
        "pictures are of the sub-stream", name, why);
  else if (!why && stream->trouble)
    g_message ("camera %s: full pictures are of the main stream again", name);
  g_free (stream->trouble);
  stream->trouble = g_strdup (why);
  stream->failed = why ? g_get_monotonic_time () : 0;
}

static void
deliver (gpointer object, gpointer contents)
{
  Connection *connection = object;
  VhmMainStream *stream = connection->stream;
  const Result *result = contents;

  if (!stream)
    return;
  if (result->picture.jpeg)
    vhm_picture_set (&stream->picture, &result->picture);
  note_trouble (stream, result->why);
  stream->connection = NULL;
  connection_unref (connection);
}

static gpointer
connection_thread (gpointer data)
{
  Connection *connection = data;
  Result *result = g_new0 (Result, 1);
  GError *error = NULL;
  GstElement *pipeline = build_pipeline (connection, &error);
  GstSample *sample = NULL;

  if (!pipeline) {
    result->why = g_strdup (error->message);
    g_error_free (error);
  } else {
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    sample = wait_for_frame (connection, &result->why);
  }
  if (sample)
    encode (result, sample);
  g_clear_pointer (&sample, gst_sample_unref);
  if (pipeline)
    gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_clear_object (&pipeline);
  gst_bus_set_flushing (connection->bus, TRUE);
  vhm_main_thread_call (deliver, g_atomic_rc_box_acquire (connection),
      connection_unref, result, result_free);
  atomic_fetch_sub (&n_threads, 1);
  connection_unref (connection);
  return NULL;
}

/* The main thread */

VhmMainStream *
vhm_main_stream_new (VhmCameraSettings * camera)
{
  VhmMainStream *stream = g_new0 (VhmMainStream, 1);

  stream->camera = vhm_group_ref (camera);
  return stream;
}

void
vhm_main_stream_free (VhmMainStream * stream)
{
  Connection *connection = stream->connection;

  if (connection) {
    connection->stream = NULL;
    gst_bus_post (connection->bus, gst_message_new_application (NULL,
            gst_structure_new_empty (STOP)));
    connection_unref (connection);
  }
  vhm_picture_set (&stream->picture, NULL);
  vhm_group_unref (stream->camera);
  g_free (stream->trouble);
  g_free (stream);
}

static gboolean
has_failed (const VhmMainStream * stream)
{
  return stream->failed
      && g_get_monotonic_time () - stream->failed < RETRY_INTERVAL;
}

void
vhm_main_stream_want_picture (VhmMainStream * stream)
{
  Connection *connection;
  GError *error = NULL;

  if (stream->connection || has_failed (stream)
      || atomic_load (&n_threads) >= MAX_CONNECTIONS)
    return;
  connection = g_atomic_rc_box_new0 (Connection);
  connection->camera = vhm_group_ref (stream->camera);
  connection->stream = stream;
  connection->bus = gst_bus_new ();
  vhm_bus_serve (connection->bus);
  connection->key_frames.only = TRUE;
  atomic_fetch_add (&n_threads, 1);
  if (vhm_threads_run ("main-stream", connection_thread,
          g_atomic_rc_box_acquire (connection), &error)) {
    stream->connection = connection;
    return;
  }
  atomic_fetch_sub (&n_threads, 1);
  note_trouble (stream, error->message);
  g_error_free (error);
  connection_unref (connection);
  connection_unref (connection);
}

void
vhm_main_stream_tick (VhmMainStream * stream)
{
  if (g_get_monotonic_time () - stream->picture.arrival > MAX_PICTURE_AGE)
    vhm_picture_set (&stream->picture, NULL);
}

const VhmPicture *
vhm_main_stream_get_picture (const VhmMainStream * stream)
{
  return has_failed (stream) ? NULL : &stream->picture;
}

const gchar *
vhm_main_stream_get_trouble (const VhmMainStream * stream)
{
  return stream->trouble ? stream->trouble : "";
}

guint
vhm_main_stream_count_threads (void)
{
  return atomic_load (&n_threads);
}
