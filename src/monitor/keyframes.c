/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "keyframes.h"

#include <gst/video/video.h>

/* How many key frames in a row may give no frame before the packets between
 * them are decoded, too: decoders may need the numbers of all frames where key
 * frames do not start a new count, as in open groups of pictures. */
#define MAX_UNDECODED 2

/* Belongs to one pad of a decoder; for its streaming thread. */
typedef struct
{
  VhmKeyFrames *key_frames;
  gboolean waiting;             /* data is held back */
  gboolean only;                /* as in @key_frames, at the last key frame */
  gboolean undrained;           /* the decoder may keep the last key frame */
} Watch;

static GstPadProbeReturn
hold_back (VhmKeyFrames * key_frames)
{
  const gint64 now = g_get_monotonic_time ();

  if (!atomic_load (&key_frames->since))
    atomic_store (&key_frames->since, now);
  atomic_store (&key_frames->last, now);
  return GST_PAD_PROBE_DROP;
}

/* Whether decoders replace lost reference frames with grey. Other decoders use
 * an earlier frame instead. */
static gboolean
needs_all_frames (GstPad * pad)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  const gboolean needs = caps && gst_structure_has_name
      (gst_caps_get_structure (caps, 0), "video/x-h265");

  gst_clear_caps (&caps);
  return needs;
}

static gboolean
drops_deltas (const Watch * watch)
{
  return watch->only && !atomic_load (&watch->key_frames->useless);
}

/* A decoder keeps a frame for as long as later ones may have to be shown before
 * it. None of those comes, so the frame would come out with the next key frame
 * or the one after it. */
static void
drain (GstPad * pad, Watch * watch)
{
  watch->undrained = FALSE;
  gst_pad_send_event (pad, gst_video_event_new_still_frame (TRUE));
  if (atomic_load (&watch->key_frames->undecoded) < MAX_UNDECODED)
    return;
  GST_WARNING_OBJECT (pad, "no frame from %u key frames: decoding all frames",
      MAX_UNDECODED);
  atomic_store (&watch->key_frames->useless, TRUE);
  watch->waiting = TRUE;
}

static GstPadProbeReturn
drop_delta (GstPad * pad, Watch * watch)
{
  if (watch->waiting)
    return hold_back (watch->key_frames);
  if (watch->undrained)
    drain (pad, watch);
  atomic_store (&watch->key_frames->dropped, g_get_monotonic_time ());
  return GST_PAD_PROBE_DROP;
}

/* Parsers, depayloaders and demuxers flag packets that refer to other frames,
 * and those that follow lost packets. */
static GstPadProbeReturn
on_packet (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  const GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Watch *watch = data;

  if (!GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT)) {
    watch->waiting = FALSE;
    watch->undrained = TRUE;
    watch->only = atomic_load (&watch->key_frames->only);
    atomic_fetch_add (&watch->key_frames->undecoded, 1);
    return GST_PAD_PROBE_OK;
  }
  atomic_store (&watch->key_frames->deltas, TRUE);
  if (drops_deltas (watch))
    return drop_delta (pad, watch);
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT)
      && needs_all_frames (pad))
    watch->waiting = TRUE;
  return watch->waiting ? hold_back (watch->key_frames) : GST_PAD_PROBE_OK;
}

/* Marks the first frame after lost data was held back, so that the time without
 * frames counts as damaged. */
static void
mark_corrupted (GstPadProbeInfo * info)
{
  GstBuffer *buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER
      (info));

  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_CORRUPTED);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
}

/* Decoders flag frames that they had to guess. A stream with intra refresh has
 * no key frames: its picture is complete from the first frame without this
 * flag. */
static GstPadProbeReturn
on_frame (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Watch *watch = data;
  const gboolean first = watch->waiting;

  atomic_store (&watch->key_frames->undecoded, 0);
  if (watch->waiting && GST_BUFFER_FLAG_IS_SET (GST_PAD_PROBE_INFO_BUFFER
          (info), GST_BUFFER_FLAG_CORRUPTED))
    return hold_back (watch->key_frames);
  watch->waiting = FALSE;
  /* The frame is still on its way downstream. */
  if (atomic_exchange (&watch->key_frames->since, 0)) {
    atomic_store (&watch->key_frames->last, g_get_monotonic_time ());
    if (!first)
      mark_corrupted (info);
  }
  return GST_PAD_PROBE_OK;
}

/* Only the decoder is to know of the end of each key frame. */
static GstPadProbeReturn
on_event (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info,
    G_GNUC_UNUSED gpointer data)
{
  return gst_video_event_parse_still_frame (GST_PAD_PROBE_INFO_EVENT (info),
      NULL) ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

static void
add_probe (GstElement * element, const gchar * name, GstPadProbeType type,
    GstPadProbeCallback function, VhmKeyFrames * key_frames)
{
  GstPad *pad = gst_element_get_static_pad (element, name);
  Watch *watch;

  if (!pad)
    return;
  watch = g_new0 (Watch, 1);
  watch->key_frames = key_frames;
  watch->waiting = TRUE;
  watch->only = atomic_load (&key_frames->only);
  gst_pad_add_probe (pad, type, function, watch, g_free);
  gst_object_unref (pad);
}

void
vhm_key_frames_watch (VhmKeyFrames * key_frames, GstElement * decoder)
{
  atomic_store (&key_frames->since, 0);
  atomic_store (&key_frames->undecoded, 0);
  add_probe (decoder, "sink", GST_PAD_PROBE_TYPE_BUFFER, on_packet,
      key_frames);
  add_probe (decoder, "src", GST_PAD_PROBE_TYPE_BUFFER, on_frame, key_frames);
  if (!atomic_load (&key_frames->only) && !key_frames->changes)
    return;
  add_probe (decoder, "src", GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_event,
      key_frames);
  /* More threads than one only wait for key frames. */
  if (!key_frames->changes
      && g_object_class_find_property (G_OBJECT_GET_CLASS (decoder),
          "max-threads"))
    g_object_set (decoder, "max-threads", 1, NULL);
}
