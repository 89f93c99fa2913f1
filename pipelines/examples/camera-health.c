/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Judges the frames of a pipeline by their histograms, and prints when a
 * condition begins and ends. The video is a test picture that goes black for
 * four seconds.
 *
 *   cc camera-health.c -o camera-health \
 *       $(pkg-config --cflags --libs gstreamer-videohistogram-1.0)
 */
#include <gst/gst.h>
#include <gst/videohistogram/videohistogram.h>

/* Called in a streaming thread for each frame, in order. */
static void
on_histogram (GstElement * element, GstVideoHistogram * histogram,
    GstVideoHealth * health)
{
  GstVideoHealthChange change;
  gchar *description;

  (void) element;
  gst_video_health_add_histogram (health, histogram);
  gst_video_health_judge (health,
      gst_video_histogram_get_info (histogram)->running_time,
      GST_CLOCK_TIME_NONE);
  while (gst_video_health_next_change (health, &change)) {
    description = gst_video_health_describe (health, change.condition);
    g_print ("%.2f s: %s %s. %s\n", (gdouble) change.since / GST_SECOND,
        gst_video_health_condition_get_words (change.condition),
        change.active ? "begins" : "ends", description);
    if (change.active)
      g_print ("%s.\n",
          gst_video_health_condition_get_advice (change.condition));
    g_free (description);
  }
}

static GstPadProbeReturn
on_source_buffer (GstPad * pad, GstPadProbeInfo * info, gpointer source)
{
  const guint64 seconds =
      GST_BUFFER_PTS (gst_pad_probe_info_get_buffer (info)) / GST_SECOND;

  (void) pad;
  gst_util_set_object_arg (source, "pattern",
      seconds >= 2 && seconds < 6 ? "black" : "smpte");
  return GST_PAD_PROBE_OK;
}

int
main (int argc, char *argv[])
{
  GstElement *pipeline, *source, *counter;
  GstVideoHealth *health;
  GstMessage *message;
  GError *error = NULL;
  gboolean ok;
  GstPad *pad;
  GstBus *bus;

  gst_init (&argc, &argv);
  pipeline = gst_parse_launch ("videotestsrc num-buffers=200 name=source "
      "! video/x-raw,format=NV12,width=320,height=240,framerate=25/1 "
      "! videohistogram name=histogram channels=luma+gradient grid=8x8 "
      "joint=chroma interval=0 post-messages=false ! fakesink", &error);
  if (!pipeline) {
    g_printerr ("%s\n", error->message);
    return 1;
  }

  health = gst_video_health_new ();
  gst_video_health_set_conditions (health, GST_VIDEO_HEALTH_CONDITIONS_BLACK |
      GST_VIDEO_HEALTH_CONDITIONS_BRIGHT |
      GST_VIDEO_HEALTH_CONDITIONS_MONOCHROME);
  if (!gst_video_health_set_rules (health, "black,duration=1s", &error))
    g_error ("%s", error->message);

  source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  counter = gst_bin_get_by_name (GST_BIN (pipeline), "histogram");
  pad = gst_element_get_static_pad (source, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_source_buffer, source,
      NULL);
  g_signal_connect (counter, "histogram", G_CALLBACK (on_histogram), health);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);

  bus = gst_element_get_bus (pipeline);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  ok = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
  gst_element_set_state (pipeline, GST_STATE_NULL);

  gst_message_unref (message);
  gst_object_unref (bus);
  gst_object_unref (pad);
  gst_object_unref (counter);
  gst_object_unref (source);
  gst_object_unref (pipeline);
  g_object_unref (health);
  return ok ? 0 : 1;
}
