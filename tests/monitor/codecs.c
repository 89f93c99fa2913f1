/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams of real coders of which only key frames are decoded. */
#include "common/suite.h"
#include "monitor/keyframes.h"

#include <gst/video/video.h>

#define GOP 20
#define FRAMES 110
#define PERIOD (40 * GST_MSECOND)

typedef struct
{
  const gchar *name;
  const gchar *coder, *decoder;
  guint key_frames;             /* of FRAMES */
} Codec;

/* With frames that are shown later than others, and with groups of pictures
 * that refer to the one before. */
static const Codec codecs[] = {
  {"H.264", "x264enc bframes=2 b-adapt=false key-int-max=20 ! "
        "video/x-h264,profile=main ! h264parse", "avdec_h264", 6},
  {"H.264 in slices, interlaced", "x264enc bframes=2 key-int-max=20 "
        "interlaced=true option-string=slices=4 ! h264parse", "avdec_h264", 6},
  {"H.265", "x265enc key-int-max=20 speed-preset=ultrafast option-string="
        "bframes=3:open-gop=1:scenecut=0:pools=none:log-level=none ! h265parse",
      "avdec_h265", 6},
  {"H.265, closed", "x265enc key-int-max=20 speed-preset=ultrafast "
        "option-string=bframes=3:open-gop=0:scenecut=0:pools=none:"
        "log-level=none ! h265parse", "avdec_h265", 6},
  {"MPEG-4", "avenc_mpeg4 gop-size=20 ! mpeg4videoparse", "avdec_mpeg4", 6},
  {"JPEG", "jpegenc ! jpegparse", "jpegdec", FRAMES},
};

typedef struct
{
  VhmKeyFrames key_frames;
  GArray *expected, *shown;     /* times of key frames, and of decoded ones */
  guint deltas;                 /* since the last key frame */
  guint late;                   /* key frames that the decoder kept */
  guint wrong;                  /* frames with errors, and other events */
} Check;

/* Sees packets before the probe that drops them. */
static GstPadProbeReturn
on_packet (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  const GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Check *check = data;

  if (!GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT)) {
    g_array_append_val (check->expected, GST_BUFFER_PTS (buffer));
    check->deltas = 0;
  } else if (++check->deltas == 2)
    check->late += check->shown->len != check->expected->len;
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_output (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Check *check = data;
  GstBuffer *buffer;

  if (info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
    check->wrong += gst_video_event_parse_still_frame (GST_PAD_PROBE_INFO_EVENT
        (info), NULL);
    return GST_PAD_PROBE_OK;
  }
  buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  g_array_append_val (check->shown, GST_BUFFER_PTS (buffer));
  check->wrong += GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_CORRUPTED);
  return GST_PAD_PROBE_OK;
}

static void
add_probe (GstElement * pipeline, const gchar * element, GstPadProbeType type,
    GstPadProbeCallback function, gpointer check)
{
  GstElement *owner = gst_bin_get_by_name (GST_BIN (pipeline), element);
  GstPad *pad = gst_element_get_static_pad (owner, "sink");

  gst_pad_add_probe (pad, type, function, check, NULL);
  gst_object_unref (pad);
  gst_object_unref (owner);
}

/* The coder of MPEG-4 leaves some without a time. */
static void
check_time (const Check * check, guint i)
{
  const GstClockTime *shown = (GstClockTime *) (gpointer) check->shown->data;
  const GstClockTime *expected =
      (GstClockTime *) (gpointer) check->expected->data;

  if (GST_CLOCK_TIME_IS_VALID (expected[i])) {
    assert_equals_uint64 (shown[i], expected[i]);
  } else {
    fail_unless (ABS (GST_CLOCK_DIFF (shown[0] + i * GOP * PERIOD, shown[i]))
        <= PERIOD, "frame %u is at %" GST_TIME_FORMAT " after the first", i,
        GST_TIME_ARGS (shown[i] - shown[0]));
  }
}

static void
check_codec (const Codec * codec)
{
  gchar *text = g_strdup_printf ("videotestsrc num-buffers=%u pattern=ball ! "
      "video/x-raw,format=I420,width=320,height=240,framerate=25/1 ! %s ! "
      "%s name=decoder ! fakesink name=sink", FRAMES, codec->coder,
      codec->decoder);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (text, &error), *decoder;
  Check check = {.key_frames.only = TRUE };
  GstMessage *message;
  GstBus *bus;
  guint i;

  if (error)
    g_error ("%s: %s", codec->name, error->message);
  check.expected = g_array_new (FALSE, FALSE, sizeof (GstClockTime));
  check.shown = g_array_new (FALSE, FALSE, sizeof (GstClockTime));
  decoder = gst_bin_get_by_name (GST_BIN (pipeline), "decoder");
  add_probe (pipeline, "decoder", GST_PAD_PROBE_TYPE_BUFFER, on_packet, &check);
  vhm_key_frames_watch (&check.key_frames, decoder);
  add_probe (pipeline, "sink", GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_output, &check);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  bus = gst_element_get_bus (pipeline);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  assert_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_print ("%s: %u key frames, %u shown, %u late\n", codec->name,
      check.expected->len, check.shown->len, check.late);
  assert_equals_int (check.expected->len, codec->key_frames);
  assert_equals_int (check.shown->len, check.expected->len);
  for (i = 0; i < check.shown->len; i++)
    check_time (&check, i);
  assert_equals_int (check.late, 0);
  assert_equals_int (check.wrong, 0);
  fail_if (atomic_load (&check.key_frames.useless));
  fail_unless (atomic_load (&check.key_frames.since) == 0);
  fail_unless (codec->key_frames == FRAMES
      || atomic_load (&check.key_frames.dropped) > 0);
  gst_object_unref (decoder);
  gst_object_unref (pipeline);
  gst_object_unref (bus);
  g_array_unref (check.shown);
  g_array_unref (check.expected);
  g_free (text);
}

/* Each key frame is decoded, at once and with its time, and nothing else. */
GST_START_TEST (test_codecs)
{
  check_codec (&codecs[__i__]);
}

GST_END_TEST;

/* Frames that come out while all are decoded, and while key frames are. */
typedef struct
{
  VhmKeyFrames key_frames;
  guint sent, groups;           /* packets, and key frames */
  guint shown, wrong;
} Change;

/* The second and third group of pictures are judged by key frames. */
static GstPadProbeReturn
on_changing_packet (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info,
    gpointer data)
{
  Change *change = data;

  if (!GST_BUFFER_FLAG_IS_SET (GST_PAD_PROBE_INFO_BUFFER (info),
          GST_BUFFER_FLAG_DELTA_UNIT))
    change->groups++;
  /* In the middle of a group, it takes effect with the next one. */
  if (++change->sent == GOP / 2)
    atomic_store (&change->key_frames.only, TRUE);
  else if (change->sent == 5 * GOP / 2)
    atomic_store (&change->key_frames.only, FALSE);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_changing_frame (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info,
    gpointer data)
{
  Change *change = data;

  change->shown++;
  change->wrong += GST_BUFFER_FLAG_IS_SET (GST_PAD_PROBE_INFO_BUFFER (info),
      GST_BUFFER_FLAG_CORRUPTED);
  return GST_PAD_PROBE_OK;
}

/* A camera goes over to key frames and back while it runs: no frame is lost but
 * those between key frames. */
GST_START_TEST (test_change)
{
  GstElement *pipeline = gst_parse_launch ("videotestsrc num-buffers=110 "
      "pattern=ball ! video/x-raw,width=320,height=240,framerate=25/1 ! "
      "x264enc bframes=2 b-adapt=false key-int-max=20 ! "
      "video/x-h264,profile=main ! h264parse ! avdec_h264 name=decoder ! "
      "fakesink name=sink", NULL);
  GstElement *decoder = gst_bin_get_by_name (GST_BIN (pipeline), "decoder");
  Change change = {.key_frames.changes = TRUE };
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  add_probe (pipeline, "decoder", GST_PAD_PROBE_TYPE_BUFFER,
      on_changing_packet, &change);
  vhm_key_frames_watch (&change.key_frames, decoder);
  add_probe (pipeline, "sink", GST_PAD_PROBE_TYPE_BUFFER, on_changing_frame,
      &change);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  assert_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  assert_equals_int (change.groups, 6);
  assert_equals_int (change.shown, FRAMES - 2 * (GOP - 1));
  assert_equals_int (change.wrong, 0);
  fail_unless (atomic_load (&change.key_frames.deltas));
  fail_if (atomic_load (&change.key_frames.useless));
  gst_object_unref (decoder);
  gst_object_unref (pipeline);
  gst_object_unref (bus);
}

GST_END_TEST;

TEST_SUITE (codecs, NULL, NULL)
{
  tcase_add_test (tc, test_change);
  tcase_add_loop_test (tc, test_codecs, 0, G_N_ELEMENTS (codecs));
}
