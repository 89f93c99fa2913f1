/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* videohealth knows which decoded frames are damaged because data was lost
 * before the decoder, which does not say so itself. */
#include "common/suite.h"

#include <gst/check/gstcheck.h>
#include <gst/videohistogram/videohistogram.h>

#define FRAME_TIME (40 * GST_MSECOND)
#define DISCONT GST_BUFFER_FLAG_DISCONT
#define DELTA GST_BUFFER_FLAG_DELTA_UNIT

/* Distance of key frames. */
#define GOP 50

/* A decoder that makes a frame of each buffer, without its flags. */
typedef struct
{
  GstElement parent;
  GstPad *sink, *src;
} TestDecoder;

typedef GstElementClass TestDecoderClass;

GType test_decoder_get_type (void);

G_DEFINE_TYPE (TestDecoder, test_decoder, GST_TYPE_ELEMENT);

static GstFlowReturn
decode (G_GNUC_UNUSED GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstBuffer *frame = gst_buffer_new_allocate (NULL, 64 * 64, NULL);

  gst_buffer_memset (frame, 0, 128, 64 * 64);
  GST_BUFFER_PTS (frame) = GST_BUFFER_PTS (buffer);
  gst_buffer_unref (buffer);
  return gst_pad_push (((TestDecoder *) parent)->src, frame);
}

static gboolean
handle_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  TestDecoder *decoder = (TestDecoder *) parent;
  gboolean ok;
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
    return gst_pad_event_default (pad, parent, event);
  gst_event_unref (event);
  caps = gst_caps_from_string ("video/x-raw,format=GRAY8,width=64,height=64,"
      "framerate=25/1");
  ok = gst_pad_push_event (decoder->src, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  return ok;
}

static void
test_decoder_class_init (TestDecoderClass * klass)
{
  gst_element_class_set_static_metadata (klass, "Decoder",
      "Codec/Decoder/Video", "Decodes nothing", "Nobody");
}

static void
test_decoder_init (TestDecoder * decoder)
{
  decoder->sink = gst_pad_new ("sink", GST_PAD_SINK);
  gst_pad_set_chain_function (decoder->sink, decode);
  gst_pad_set_event_function (decoder->sink, handle_event);
  gst_element_add_pad (GST_ELEMENT (decoder), decoder->sink);
  decoder->src = gst_pad_new ("src", GST_PAD_SRC);
  gst_element_add_pad (GST_ELEMENT (decoder), decoder->src);
}

static GstElement *pipeline, *health;
static GstPad *source;
static gchar frames[2000];      /* of each frame: + whole, - damaged */
static guint n_frames;

static GstPadProbeReturn
note_frame (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info,
    G_GNUC_UNUSED gpointer data)
{
  frames[n_frames++] = GST_BUFFER_FLAG_IS_SET (GST_PAD_PROBE_INFO_BUFFER
      (info), GST_BUFFER_FLAG_CORRUPTED) ? '-' : '+';
  return GST_PAD_PROBE_OK;
}

static void
begin_segment (void)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_pad_push_event (source, gst_event_new_segment (&segment)));
}

/* The decoder is in a bin, with another element, as in decodebin. */
static void
setup (void)
{
  GstElement *bin, *sink;
  GstCaps *caps = gst_caps_new_empty_simple ("video/x-h264");
  GstPad *pad;

  gst_element_register (NULL, "testdecoder", GST_RANK_NONE,
      test_decoder_get_type ());
  pipeline = gst_pipeline_new (NULL);
  bin = gst_parse_bin_from_description ("testdecoder ! identity", TRUE, NULL);
  health = gst_element_factory_make ("videohealth", NULL);
  sink = gst_element_factory_make ("fakesink", NULL);
  gst_util_set_object_arg (G_OBJECT (health), "conditions", "corrupted");
  g_object_set (sink, "async", FALSE, NULL);
  gst_bin_add_many (GST_BIN (pipeline), bin, health, sink, NULL);
  fail_unless (gst_element_link_many (bin, health, sink, NULL));
  n_frames = 0;
  pad = gst_element_get_static_pad (health, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_frame, NULL, NULL);
  gst_object_unref (pad);

  source = gst_pad_new ("source", GST_PAD_SRC);
  pad = gst_element_get_static_pad (bin, "sink");
  fail_unless_equals_int (gst_pad_link (source, pad), GST_PAD_LINK_OK);
  gst_object_unref (pad);
  gst_pad_set_active (source, TRUE);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_pad_push_event (source, gst_event_new_stream_start ("test"));
  gst_pad_push_event (source, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  begin_segment ();
}

static void
teardown (void)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (source);
  gst_object_unref (pipeline);
}

static void
push (guint n, guint flags)
{
  GstBuffer *buffer = gst_buffer_new ();

  GST_BUFFER_PTS (buffer) = n * FRAME_TIME;
  GST_BUFFER_FLAG_SET (buffer, flags);
  fail_unless_equals_int (gst_pad_push (source, buffer), GST_FLOW_OK);
}

/* Pushes the frames from @first on, with a loss before @lost. */
static void
push_stream (guint first, guint end, guint lost, gboolean key_frames)
{
  guint i;

  for (i = first; i < end; i++)
    push (i, (i == lost || i == first ? DISCONT : 0)
        | (i % GOP == 0 && (key_frames || i == 0) ? 0 : DELTA));
}

/* Checks that the frames from @from up to @to are damaged, and no others. */
static void
check_damaged (guint from, guint to)
{
  guint i;

  for (i = 0; i < n_frames; i++)
    fail_unless_equals_int (frames[i], i >= from && i < to ? '-' : '+');
}

static gdouble
get_value (void)
{
  GstStructure *values = NULL;
  gdouble value = -1;

  g_object_get (health, "values", &values, NULL);
  gst_structure_get_double (values, "corrupted", &value);
  gst_structure_free (values);
  return value;
}

GST_START_TEST (test_whole)
{
  push_stream (0, 500, 500, TRUE);
  check_damaged (0, 0);
  fail_unless_equals_float (get_value (), 0);
}

GST_END_TEST;

/* A loss damages frames up to the next key frame. */
GST_START_TEST (test_loss)
{
  push_stream (0, 500, 320, TRUE);
  check_damaged (320, 350);
  fail_unless (get_value () > 0);
}

GST_END_TEST;

/* A damaged key frame damages those after it. */
GST_START_TEST (test_loss_of_key_frame)
{
  push_stream (0, 500, 300, TRUE);
  check_damaged (300, 350);
}

GST_END_TEST;

/* With intra refresh no key frame tells when the picture is whole again. */
GST_START_TEST (test_no_key_frames)
{
  push_stream (0, 500, 320, FALSE);
  check_damaged (320, 320 + 5 * 25);
}

GST_END_TEST;

/* After a seek, nothing was lost. */
GST_START_TEST (test_seek)
{
  push_stream (0, 120, 500, TRUE);
  gst_pad_push_event (source, gst_event_new_flush_start ());
  gst_pad_push_event (source, gst_event_new_flush_stop (TRUE));
  begin_segment ();
  push_stream (220, 300, 500, TRUE);
  check_damaged (0, 0);
  fail_unless_equals_float (get_value (), 0);
}

GST_END_TEST;

/* One loss is no alarm; a loss in each second is one, also from the start
 * on. */
GST_START_TEST (test_alarm)
{
  GstVideoHealthConditions active;
  guint i;

  push_stream (0, 500, 320, FALSE);
  g_object_get (health, "active", &active, NULL);
  fail_unless_equals_int (active, 0);
  for (i = 500; i < 1000; i++)
    push (i, i % 25 ? DELTA : DELTA | DISCONT);
  g_object_get (health, "active", &active, NULL);
  fail_unless_equals_int (active, GST_VIDEO_HEALTH_CONDITIONS_CORRUPTED);
}

GST_END_TEST;

/* Frames that are damaged from the first one on are judged if it is known that
 * data was lost, and not if a decoder only had no key frame yet. */
GST_START_TEST (test_from_start)
{
  guint i;

  push (0, DISCONT);
  for (i = 1; i < 500; i++)
    push (i, i % 25 == 1 ? DELTA | DISCONT : DELTA);
  check_damaged (1, 500);
  fail_unless (get_value () > 0.9);
}

GST_END_TEST;

/* Not every decoder names its codec. After any of them, a picture that does not
 * change may be that of a live camera, until a key frame must have come. */
GST_START_TEST (test_frozen)
{
  GstVideoHealthConditions active;

  gst_util_set_object_arg (G_OBJECT (health), "conditions", "frozen");
  push_stream (0, 1500, 1500, TRUE);
  g_object_get (health, "active", &active, NULL);
  fail_unless_equals_int (active, 0);
  push_stream (1500, 1700, 1700, TRUE);
  g_object_get (health, "active", &active, NULL);
  fail_unless_equals_int (active, GST_VIDEO_HEALTH_CONDITIONS_FROZEN);
}

GST_END_TEST;

static Suite *
decoder_watch_suite (void)
{
  Suite *s = suite_create ("decoderwatch");
  TCase *tc = tcase_create ("decoderwatch");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, test_whole);
  tcase_add_test (tc, test_loss);
  tcase_add_test (tc, test_loss_of_key_frame);
  tcase_add_test (tc, test_no_key_frames);
  tcase_add_test (tc, test_seek);
  tcase_add_test (tc, test_alarm);
  tcase_add_test (tc, test_from_start);
  tcase_add_test (tc, test_frozen);
  return s;
}

GST_CHECK_MAIN (decoder_watch);
