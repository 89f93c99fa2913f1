/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Embeds the element videohistogram and reads its results in two ways: from the
 * message on the bus, and from the meta on the buffers.
 *
 *   cc read-histogram.c -o read-histogram \
 *       $(pkg-config --cflags --libs gstreamer-videohistogram-1.0)
 */
#include <gst/gst.h>
#include <gst/videohistogram/videohistogram.h>

/* Called in a streaming thread for every frame that reaches the sink. */
static GstPadProbeReturn
on_buffer (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  GstBuffer *buffer = gst_pad_probe_info_get_buffer (info);
  GstVideoHistogramMeta *meta = gst_buffer_get_video_histogram_meta (buffer);
  GstVideoHistogramStatistics red;
  const guint32 *counts;
  guint n_bins;

  (void) pad;
  (void) user_data;
  if (!meta)
    return GST_PAD_PROBE_OK;

  /* Waits until the histogram is complete. NULL if counting failed. */
  counts = gst_video_histogram_get_counts (meta->histogram,
      GST_VIDEO_HISTOGRAM_CHANNEL_LUMA, &n_bins);
  if (counts && gst_video_histogram_get_statistics (meta->histogram,
          GST_VIDEO_HISTOGRAM_CHANNEL_RED, &red)) {
    g_print ("meta: %u of %" G_GUINT64_FORMAT " pixels in the middle of %u "
        "bins, mean of red %.3f\n", counts[n_bins / 2],
        gst_video_histogram_get_pixels (meta->histogram), n_bins, red.average);
  }
  return GST_PAD_PROBE_OK;
}

static void
on_element_message (GstMessage * message)
{
  const GstStructure *s = gst_message_get_structure (message);
  const GValue *counts;
  gdouble mean, p99;
  guint64 time;

  if (!gst_structure_has_name (s, "videohistogram"))
    return;

  counts = gst_structure_get_value (s, "luma");
  gst_structure_get (s, "running-time", G_TYPE_UINT64, &time,
      "luma-average", G_TYPE_DOUBLE, &mean,
      "luma-p99", G_TYPE_DOUBLE, &p99, NULL);
  g_print ("message: %" GST_TIME_FORMAT " luma mean %.3f, p99 %.3f, %u bins\n",
      GST_TIME_ARGS (time), mean, p99, gst_value_array_get_size (counts));
}

int
main (int argc, char *argv[])
{
  GstElement *pipeline, *sink;
  GstMessage *message;
  GstMessageType type = GST_MESSAGE_UNKNOWN;
  GError *error = NULL;
  GstPad *pad;
  GstBus *bus;

  gst_init (&argc, &argv);
  pipeline = gst_parse_launch ("videotestsrc num-buffers=30 "
      "! video/x-raw,format=NV12,width=640,height=360 ! videohistogram "
      "channels=luma+red attach-meta=always interval=500000000 "
      "! fakesink name=sink", &error);
  if (!pipeline) {
    g_printerr ("%s\n", error->message);
    return 1;
  }

  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, NULL, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);

  bus = gst_element_get_bus (pipeline);
  while (type != GST_MESSAGE_EOS && type != GST_MESSAGE_ERROR) {
    message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
        GST_MESSAGE_ELEMENT | GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    type = GST_MESSAGE_TYPE (message);
    if (type == GST_MESSAGE_ELEMENT)
      on_element_message (message);
    gst_message_unref (message);
  }

  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pad);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  return type == GST_MESSAGE_EOS ? 0 : 1;
}
