/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "picture.h"

#include "bus.h"

#include <gst/video/video.h>

/* A picture of 480 pixels fills a tile if eight by eight cover a screen of 3840
 * pixels. Small pictures are for phones, on which each byte counts. */
static const struct
{
  guint max_width, max_height;
  guint quality;                /* of jpegenc */
  const gchar *scope;           /* as in the property scopes; or NULL */
} sizes[VHM_N_PICTURE_SIZES] = {
  [VHM_PICTURE_160] = {160, 16 * 160, 65},
  [VHM_PICTURE_320] = {320, 16 * 320, 75},
  [VHM_PICTURE_480] = {480, 16 * 480, 80},
  [VHM_PICTURE_640] = {640, 16 * 640, 80},
  [VHM_PICTURE_FULL] = {8192, 8192, 85},
  [VHM_PICTURE_HISTOGRAM] = {640, 360, 90, "histogram"},
  [VHM_PICTURE_WAVEFORM] = {640, 360, 90, "waveform"},
  [VHM_PICTURE_VECTORSCOPE] = {480, 480, 90, "vectorscope"},
};

/* Uses all pixels of the frame: otherwise, small pictures of large frames are
 * jagged and flicker. */
#define SCALER "videoscale method=bilinear2"

#define MAX_ENCODING_TIME (2 * GST_SECOND)

struct _VhmPictureEncoder
{
  VhmPictureSize limits;
  guint width;                  /* of the pictures, in pixels */
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
  const gchar *scope = sizes[encoder->limits].scope;
  gchar *description = g_strdup_printf ("appsrc name=source format=time "
      "is-live=true ! %s %s%s ! capsfilter name=size ! videoconvert ! "
      "jpegenc quality=%u ! appsink name=sink sync=false max-buffers=2 "
      "drop=true", cuda ? "cudadownload !" : "",
      scope ? "videoscope layout=only scopes=" : SCALER,
      scope ? scope : "", sizes[encoder->limits].quality);
  GstElement *pipeline = gst_parse_launch_full (description, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, NULL);
  GstBus *bus;

  g_free (description);
  if (!pipeline)
    return FALSE;
  bus = gst_element_get_bus (pipeline);
  vhm_bus_serve (bus);
  gst_object_unref (bus);
  encoder->cuda = cuda;
  encoder->pipeline = pipeline;
  encoder->source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  encoder->size = gst_bin_get_by_name (GST_BIN (pipeline), "size");
  encoder->sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  return TRUE;
}

void
vhm_picture_set (VhmPicture * picture, const VhmPicture * with)
{
  static const VhmPicture none = { NULL, 0, 0, 0 };

  if (with)
    g_bytes_ref (with->jpeg);
  g_clear_pointer (&picture->jpeg, g_bytes_unref);
  *picture = with ? *with : none;
}


/* Reads the start of frame (ITU-T T.81, B.2.2). Returns 0 if there is none. */
static guint
get_jpeg_width (GBytes * jpeg)
{
  gsize size, at = 2;
  const guint8 *data = g_bytes_get_data (jpeg, &size);

  while (at + 9 < size && data[at] == 0xff) {
    const guint8 kind = data[at + 1];

    /* Tables have the codes C4, C8 and CC. */
    if (kind == 0xc0 || (kind > 0xc0 && kind <= 0xcf && kind & 3))
      return GST_READ_UINT16_BE (data + at + 7);
    at += 2 + GST_READ_UINT16_BE (data + at + 2);
  }
  return 0;
}

void
vhm_picture_restore (VhmPicture * picture, GBytes * jpeg, gint64 time)
{
  const VhmPicture stored = { jpeg, time, g_get_monotonic_time (),
    get_jpeg_width (jpeg)
  };

  vhm_picture_set (picture, &stored);
}

VhmPictureEncoder *
vhm_picture_encoder_new (VhmPictureSize size)
{
  VhmPictureEncoder *encoder = g_new0 (VhmPictureEncoder, 1);

  encoder->limits = size;
  return encoder;
}

void
vhm_picture_encoder_free (VhmPictureEncoder * encoder)
{
  close_pipeline (encoder);
  gst_clear_caps (&encoder->caps);
  g_free (encoder);
}

void
vhm_picture_encoder_rest (VhmPictureEncoder * encoder)
{
  if (encoder->pipeline)
    gst_element_set_state (encoder->pipeline, GST_STATE_READY);
}

/* The size of a scope, or the frame's display size with square pixels. NULL if
 * the frame has none. */
static GstCaps *
find_size (VhmPictureEncoder * encoder, const GstCaps * caps)
{
  const guint max_width = sizes[encoder->limits].max_width;
  guint numerator, denominator, height = sizes[encoder->limits].max_height;
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, caps)
      || !gst_video_calculate_display_ratio (&numerator, &denominator,
          info.width, info.height, info.par_n, info.par_d, 1, 1))
    return NULL;
  encoder->width = max_width;
  /* videoscope leaves the shape of pixels as it is. */
  if (sizes[encoder->limits].scope)
    return gst_caps_new_simple ("video/x-raw", "width", G_TYPE_INT, max_width,
        "height", G_TYPE_INT, height, NULL);
  encoder->width = MIN (max_width, (guint) info.width);
  height = MIN (height, gst_util_uint64_scale_int_round (encoder->width,
          denominator, numerator));
  return gst_caps_new_simple ("video/x-raw", "width", G_TYPE_INT,
      encoder->width, "height", G_TYPE_INT, MAX (height, 1),
      "pixel-aspect-ratio", GST_TYPE_FRACTION, 1, 1, NULL);
}

static gboolean
set_size (VhmPictureEncoder * encoder, GstCaps * caps)
{
  GstCaps *size;
  gboolean cuda;

  if (encoder->caps && gst_caps_is_equal (encoder->caps, caps))
    return TRUE;
  size = find_size (encoder, caps);
  if (!size)
    return FALSE;
  cuda = gst_caps_features_contains (gst_caps_get_features (caps, 0),
      "memory:CUDAMemory");
  if (encoder->pipeline && encoder->cuda != cuda)
    close_pipeline (encoder);
  if (!encoder->pipeline && !open_pipeline (encoder, cuda)) {
    gst_caps_unref (size);
    return FALSE;
  }
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
vhm_picture_encoder_encode (VhmPictureEncoder * encoder, GstSample * sample,
    guint * width)
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
  *width = encoder->width;
  return g_bytes_new_take (data, size);
}
