/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "camera.h"

#include <gst/app/gstappsink.h>
#include <string.h>

/* Clips may be longer than a test needs. */
#define MAX_FRAMES 300

/* The longest time for decoding a frame on a busy machine. */
#define MAX_DECODING_TIME (120 * GST_SECOND)

/* Maximum change, in code values, between the first frame of a fixed camera and
 * any other. Of clips that change more, one frame in the middle is used. */
#define MAX_CHANGE 12

static gsize
size_of (const Footage * footage)
{
  return (gsize) footage->width * footage->height * 3 / 2;
}

static void
add_sample (Footage * footage, GstSample * sample)
{
  GstVideoInfo info;
  GstVideoFrame frame;
  guint8 *to = footage->frames + footage->n_frames * size_of (footage);
  guint c;
  gint row;

  if (!gst_video_info_from_caps (&info, gst_sample_get_caps (sample))
      || !gst_video_frame_map (&frame, &info, gst_sample_get_buffer (sample),
          GST_MAP_READ))
    return;
  for (c = 0; c < 3; c++) {
    const gint width = GST_VIDEO_FRAME_COMP_WIDTH (&frame, c);

    for (row = 0; row < GST_VIDEO_FRAME_COMP_HEIGHT (&frame, c); row++) {
      memcpy (to, (guint8 *) GST_VIDEO_FRAME_COMP_DATA (&frame, c) +
          row * GST_VIDEO_FRAME_COMP_STRIDE (&frame, c), width);
      to += width;
    }
  }
  if (GST_VIDEO_INFO_FPS_N (&info) > 0)
    footage->fps = (gdouble) GST_VIDEO_INFO_FPS_N (&info)
        / GST_VIDEO_INFO_FPS_D (&info);
  footage->n_frames++;
  gst_video_frame_unmap (&frame);
}

static gboolean
stands_still (const Footage * footage)
{
  const gsize pixels = (gsize) footage->width * footage->height;
  guint i;
  gsize k;

  for (i = 1; i < footage->n_frames; i++) {
    const guint8 *frame = footage->frames + i * size_of (footage);
    guint64 sum = 0;

    for (k = 0; k < pixels; k++)
      sum += ABS (frame[k] - footage->frames[k]);
    if (sum > pixels * MAX_CHANGE)
      return FALSE;
  }
  return TRUE;
}

static void
keep_one (Footage * footage)
{
  memmove (footage->frames, footage->frames
      + footage->n_frames / 2 * size_of (footage), size_of (footage));
  footage->n_frames = 1;
}

Footage *
footage_load (const gchar * path, guint width, guint height)
{
  Footage *footage = g_new0 (Footage, 1);
  gchar *uri = gst_filename_to_uri (path, NULL);
  GError *error = NULL;
  GstElement *pipeline, *sink;
  GstSample *sample;
  gchar *text;

  footage->width = width;
  footage->height = height;
  footage->fps = 10;
  footage->frames = g_malloc (MAX_FRAMES * size_of (footage));
  text = g_strdup_printf ("uridecodebin uri=%s ! videoconvert ! videoscale "
      "add-borders=false ! video/x-raw,format=I420,width=%u,height=%u,"
      "pixel-aspect-ratio=1/1 ! appsink name=sink sync=false max-buffers=4",
      uri ? uri : "", width, height);
  pipeline = gst_parse_launch (text, &error);
  g_free (text);
  g_free (uri);
  if (!pipeline)
    g_error ("%s", error->message);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (footage->n_frames < MAX_FRAMES
      && (sample = gst_app_sink_try_pull_sample (GST_APP_SINK (sink),
              MAX_DECODING_TIME))) {
    add_sample (footage, sample);
    gst_sample_unref (sample);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  if (footage->n_frames == 0) {
    g_printerr ("judge: nothing in %s can be decoded\n", path);
    footage_free (footage);
    return NULL;
  }
  if (!stands_still (footage))
    keep_one (footage);
  return footage;
}

gboolean
footage_has_colors (const Footage * footage)
{
  const gsize size = size_of (footage);
  gsize i;

  for (i = 0; i < footage->n_frames * size; i++) {
    if (i % size >= size / 3 * 2 && ABS (footage->frames[i] - 128) > 1)
      return TRUE;
  }
  return FALSE;
}

void
footage_free (Footage * footage)
{
  g_free (footage->frames);
  g_free (footage);
}
