/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "picture.h"

#include "cudacontext.h"

#include <gst/video/video.h>

/* The width of a tile if eight by eight fill a screen of 3840 pixels. */
#define MAX_WIDTH 480

#define MAX_ENCODING_TIME (2 * GST_SECOND)

struct _VhmPictureEncoder
{
  GstElement *pipeline;
  gboolean cuda;                /* takes frames in GPU memory */
  GstElement *source, *size, *sink;
  GstCaps *caps;                /* of the previous frame */
};

static void
close_pipeline (VhmPictureEncoder * encoder)
{
  if (!encoder->pipeline)
    return;
  gst_element_set_state (encoder->pipeline, GST_STATE_NULL);
  gst_clear_object (&encoder->source);
  gst_clear_object (&encoder->size);
  gst_clear_object (&encoder->sink);
  gst_clear_object (&encoder->pipeline);
}

static gboolean
open_pipeline (VhmPictureEncoder * encoder, gboolean cuda)
{
  gchar *description = g_strdup_printf ("appsrc name=source format=time "
      "is-live=true ! %s videoscale ! capsfilter name=size ! videoconvert ! "
      "jpegenc quality=80 ! appsink name=sink sync=false max-buffers=2 "
      "drop=true", cuda ? "cudadownload !" : "");
  GstElement *pipeline = gst_parse_launch_full (description, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, NULL);
  GstBus *bus;

  g_free (description);
  if (!pipeline)
    return FALSE;
  bus = gst_element_get_bus (pipeline);
  vhm_cuda_context_share (bus);
  gst_object_unref (bus);
  encoder->cuda = cuda;
  encoder->pipeline = pipeline;
  encoder->source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  encoder->size = gst_bin_get_by_name (GST_BIN (pipeline), "size");
  encoder->sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  return TRUE;
}

VhmPictureEncoder *
vhm_picture_encoder_new (void)
{
  return g_new0 (VhmPictureEncoder, 1);
}

void
vhm_picture_encoder_free (VhmPictureEncoder * encoder)
{
  close_pipeline (encoder);
  gst_clear_caps (&encoder->caps);
  g_free (encoder);
}

/* Sets the size of the picture to the frame's display size, with square
 * pixels. */
static gboolean
set_size (VhmPictureEncoder * encoder, GstCaps * caps)
{
  GstVideoInfo info;
  guint numerator, denominator, width, height;
  GstCaps *size;
  gboolean cuda;

  if (encoder->caps && gst_caps_is_equal (encoder->caps, caps))
    return TRUE;
  if (!gst_video_info_from_caps (&info, caps)
      || !gst_video_calculate_display_ratio (&numerator, &denominator,
          info.width, info.height, info.par_n, info.par_d, 1, 1))
    return FALSE;
  cuda = gst_caps_features_contains (gst_caps_get_features (caps, 0),
      "memory:CUDAMemory");
  if (encoder->pipeline && encoder->cuda != cuda)
    close_pipeline (encoder);
  if (!encoder->pipeline && !open_pipeline (encoder, cuda))
    return FALSE;
  width = MIN (MAX_WIDTH, info.width);
  height = gst_util_uint64_scale_int_round (width, denominator, numerator);
  size = gst_caps_new_simple ("video/x-raw", "width", G_TYPE_INT, width,
      "height", G_TYPE_INT, CLAMP (height, 1, 16 * MAX_WIDTH),
      "pixel-aspect-ratio", GST_TYPE_FRACTION, 1, 1, NULL);
  /* Elements that were negotiated for another size would fail with this one. */
  gst_element_set_state (encoder->pipeline, GST_STATE_NULL);
  g_object_set (encoder->size, "caps", size, NULL);
  gst_caps_unref (size);
  gst_caps_replace (&encoder->caps, caps);
  return TRUE;
}

static void
discard_samples (VhmPictureEncoder * encoder)
{
  GstSample *old;

  do {
    old = NULL;
    g_signal_emit_by_name (encoder->sink, "try-pull-sample",
        (GstClockTime) 0, &old);
    if (old)
      gst_sample_unref (old);
  } while (old);
}

GBytes *
vhm_picture_encoder_encode (VhmPictureEncoder * encoder, GstSample * sample)
{
  GstSample *encoded = NULL;
  GstBuffer *buffer;
  GstFlowReturn flow;
  gpointer data;
  gsize size;

  if (!set_size (encoder, gst_sample_get_caps (sample)))
    return NULL;
  gst_element_set_state (encoder->pipeline, GST_STATE_PLAYING);
  /* A late picture of an earlier frame must not be taken for this one. */
  discard_samples (encoder);
  g_signal_emit_by_name (encoder->source, "push-sample", sample, &flow);
  if (flow == GST_FLOW_OK)
    g_signal_emit_by_name (encoder->sink, "try-pull-sample", MAX_ENCODING_TIME,
        &encoded);
  if (!encoded) {
    gst_element_set_state (encoder->pipeline, GST_STATE_NULL);
    return NULL;
  }
  buffer = gst_sample_get_buffer (encoded);
  gst_buffer_extract_dup (buffer, 0, -1, &data, &size);
  gst_sample_unref (encoded);
  return g_bytes_new_take (data, size);
}
