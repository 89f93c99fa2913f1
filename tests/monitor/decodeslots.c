/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many threads decode at a time. */
#include "common/suite.h"
#include "monitor/decodeslots.h"
#include "monitor/load.h"

#include <gst/video/video.h>
#include <math.h>
#include <stdatomic.h>

#define PACKETS 20
#define DECODING_TIME 2000      /* µs */

static atomic_int n_decoding, n_decoded, most;
static atomic_bool hangs;       /* decoders that start now */
static atomic_bool ended;       /* those that hang may go on */

/* A decoder that takes some time, and counts those that decode. */
G_DECLARE_FINAL_TYPE (TestDecoder, test_decoder, TEST, DECODER,
    GstVideoDecoder);

struct _TestDecoder
{
  GstVideoDecoder parent;
};

G_DEFINE_TYPE (TestDecoder, test_decoder, GST_TYPE_VIDEO_DECODER);

static GstFlowReturn
handle_frame (GstVideoDecoder * decoder, GstVideoCodecFrame * frame)
{
  const gboolean hang = atomic_load (&hangs);
  const int n = atomic_fetch_add (&n_decoding, 1) + 1;

  while (n > atomic_load (&most))
    atomic_store (&most, n);
  while (hang && !atomic_load (&ended))
    g_usleep (DECODING_TIME);
  g_usleep (DECODING_TIME);
  atomic_fetch_sub (&n_decoding, 1);
  atomic_fetch_add (&n_decoded, 1);
  frame->output_buffer = gst_buffer_new_allocate (NULL, 16 * 16, NULL);
  return gst_video_decoder_finish_frame (decoder, frame);
}

static gboolean
set_format (GstVideoDecoder * decoder, GstVideoCodecState * state)
{
  gst_video_codec_state_unref (gst_video_decoder_set_output_state (decoder,
          GST_VIDEO_FORMAT_GRAY8, 16, 16, state));
  return TRUE;
}

static void
test_decoder_init (G_GNUC_UNUSED TestDecoder * decoder)
{
}

static void
test_decoder_class_init (TestDecoderClass * klass)
{
  static GstStaticPadTemplate sink = GST_STATIC_PAD_TEMPLATE ("sink",
      GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-test"));
  static GstStaticPadTemplate src = GST_STATIC_PAD_TEMPLATE ("src",
      GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw"));
  GstElementClass *element = GST_ELEMENT_CLASS (klass);

  gst_element_class_add_static_pad_template (element, &sink);
  gst_element_class_add_static_pad_template (element, &src);
  GST_VIDEO_DECODER_CLASS (klass)->handle_frame = handle_frame;
  GST_VIDEO_DECODER_CLASS (klass)->set_format = set_format;
}

/* A pipeline with as many packets as asked for, which come at once. Its frames
 * wait for their times, a second apart, if @sync. */
static GstElement *
start (guint packets, gboolean sync)
{
  gchar *text = g_strdup_printf ("fakesrc name=source num-buffers=%u "
      "sizetype=fixed sizemax=1 format=time do-timestamp=false ! capsfilter "
      "name=filter caps=video/x-test ! identity name=before ! fakesink "
      "name=sink sync=%s async=false", packets, sync ? "true" : "false");
  GstElement *pipeline = gst_parse_launch (text, NULL);
  GstElement *before = gst_bin_get_by_name (GST_BIN (pipeline), "before");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstElement *decoder = g_object_new (test_decoder_get_type (), NULL);

  g_free (text);
  g_object_set (before, "datarate", 1, NULL);
  gst_bin_add (GST_BIN (pipeline), decoder);
  gst_element_unlink (before, sink);
  fail_unless (gst_element_link_many (before, decoder, sink, NULL));
  vhm_decode_slots_use (decoder);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_object_unref (before);
  gst_object_unref (sink);
  return pipeline;
}

static void
finish (GstElement * pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

static guint
count_slots (void)
{
  return ceil (2 * vhm_load_get_processors ());
}

GST_START_TEST (test_limit)
{
  const guint n_slots = count_slots (), n = 4 * n_slots;
  GstElement **pipelines = g_new (GstElement *, n);
  guint i;

  atomic_store (&most, 0);
  vhm_decode_slots_measure_wait ();
  for (i = 0; i < n; i++)
    pipelines[i] = start (PACKETS, FALSE);
  for (i = 0; i < n; i++)
    finish (pipelines[i]);
  fail_unless_equals_int (atomic_load (&most), n_slots);
  fail_unless (vhm_decode_slots_measure_wait () > 0.2);
  fail_unless_equals_float (vhm_decode_slots_measure_wait (), 0);
  g_free (pipelines);
}

GST_END_TEST;

/* Decodes in one more pipeline while @others wait or hang. Returns how long it
 * waited, as a share. Frees @others. */
static gdouble
decode_beside (GstElement ** others, guint n)
{
  gdouble wait;
  guint i;

  vhm_decode_slots_measure_wait ();
  finish (start (PACKETS, FALSE));
  wait = vhm_decode_slots_measure_wait ();
  atomic_store (&ended, TRUE);
  for (i = 0; i < n; i++)
    finish (others[i]);
  g_free (others);
  return wait;
}

/* Frames that wait for their time keep no decoder waiting. */
GST_START_TEST (test_sync)
{
  const guint n = count_slots ();
  GstElement **pipelines = g_new (GstElement *, n);
  guint i;

  atomic_store (&n_decoded, 0);
  for (i = 0; i < n; i++)
    pipelines[i] = start (3, TRUE);
  while (atomic_load (&n_decoded) < (int) (2 * n))
    g_usleep (DECODING_TIME);
  /* Until the last one waits. */
  g_usleep (G_TIME_SPAN_SECOND / 10);
  fail_unless_equals_float (decode_beside (pipelines, n), 0);
}

GST_END_TEST;

/* Decoders that hang keep others waiting for only a while. */
GST_START_TEST (test_stuck)
{
  const guint n = count_slots ();
  GstElement **pipelines = g_new (GstElement *, n);
  guint i;

  atomic_store (&ended, FALSE);
  atomic_store (&hangs, TRUE);
  for (i = 0; i < n; i++)
    pipelines[i] = start (1, FALSE);
  while (atomic_load (&n_decoding) < (int) n)
    g_usleep (DECODING_TIME);
  atomic_store (&hangs, FALSE);
  fail_unless (decode_beside (pipelines, n) > 0);
}

GST_END_TEST;

TEST_SUITE (decodeslots, NULL, NULL)
{
  tcase_add_test (tc, test_limit);
  tcase_add_test (tc, test_sync);
  tcase_add_test (tc, test_stuck);
}
