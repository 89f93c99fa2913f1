/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "keyframes.h"

#include "elementtype.h"

#include <gst/video/video.h>

/* How many key frames in a row may give no frame before the packets between
 * them are decoded, too: decoders may need the numbers of all frames where key
 * frames do not start a new count, as in open groups of pictures. */
#define MAX_UNDECODED 2

/* After so many key frames in a file, what lies between them is dropped before
 * it is queued: waking another thread for each packet costs more than a tenth
 * of what key frames cost. Files may know of fewer key frames than parsers
 * find, which has shown by then. */
#define MIN_COMPARED 8

/* Belongs to one pad of a decoder or of the queue before it; for its streaming
 * thread. */
typedef struct
{
  VhmKeyFrames *key_frames;
  guint keys;                   /* key frames that came to the queue */
  guint base;                   /* those that had come to the decoder before */
  gboolean waiting;             /* data is held back */
  gboolean only;                /* as in @key_frames, at the last key frame */
  gboolean undrained;           /* the decoder may keep the last key frame */
} Watch;

static void
add_probe (GstPad * pad, GstPadProbeType type, GstPadProbeCallback function,
    VhmKeyFrames * key_frames)
{
  Watch *watch = g_new0 (Watch, 1);

  watch->key_frames = key_frames;
  watch->waiting = TRUE;
  watch->only = atomic_load (&key_frames->only);
  gst_pad_add_probe (pad, type, function, watch, g_free);
}

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
drops_ever (VhmKeyFrames * key_frames)
{
  return atomic_load (&key_frames->only) || key_frames->changes;
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
drop (VhmKeyFrames * key_frames)
{
  atomic_store (&key_frames->dropped, g_get_monotonic_time ());
  return GST_PAD_PROBE_DROP;
}

/* The first packet after a key frame drains the decoder, so it passes. */
static GstPadProbeReturn
on_unqueued_packet (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info,
    gpointer data)
{
  Watch *watch = data;
  const gboolean first = watch->undrained;

  if (!GST_BUFFER_FLAG_IS_SET (GST_PAD_PROBE_INFO_BUFFER (info),
          GST_BUFFER_FLAG_DELTA_UNIT)) {
    const guint keys = atomic_load (&watch->key_frames->keys);

    if (!watch->keys++)
      watch->base = keys;
    watch->undrained = TRUE;
    /* The queue may have held one more at first. */
    watch->only = atomic_load (&watch->key_frames->only)
        && keys - watch->base <= watch->keys + 1;
    return GST_PAD_PROBE_OK;
  }
  watch->undrained = FALSE;
  return first || watch->keys <= MIN_COMPARED || !drops_deltas (watch) ?
      GST_PAD_PROBE_OK : drop (watch->key_frames);
}

/* The pad by which data comes into the queue before a decoder, or NULL: only
 * files have one. */
static GstPad *
find_queue (GstPad * sink)
{
  GstPad *pad = gst_object_ref (sink);
  gboolean found = FALSE;

  while (pad && !found) {
    GstPad *source = gst_pad_get_peer (pad);
    GstElement *element = source ? gst_pad_get_parent_element (source) : NULL;
    GstIterator *inner = element ? gst_pad_iterate_internal_links (source) :
        NULL;
    GValue value = G_VALUE_INIT;

    gst_clear_object (&pad);
    if (inner && gst_iterator_next (inner, &value) == GST_ITERATOR_OK) {
      pad = g_value_dup_object (&value);
      g_value_unset (&value);
    }
    found = pad && vhm_element_is (element, "multiqueue");
    g_clear_pointer (&inner, gst_iterator_free);
    gst_clear_object (&element);
    gst_clear_object (&source);
  }
  return pad;
}

static void
watch_queue (GstPad * sink, VhmKeyFrames * key_frames)
{
  GstPad *pad = find_queue (sink);

  if (!pad)
    return;
  add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_unqueued_packet, key_frames);
  gst_object_unref (pad);
}

static GstPadProbeReturn
drop_delta (GstPad * pad, Watch * watch)
{
  if (watch->waiting)
    return hold_back (watch->key_frames);
  if (watch->undrained)
    drain (pad, watch);
  return drop (watch->key_frames);
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
    if (!atomic_fetch_add (&watch->key_frames->keys, 1)
        && drops_ever (watch->key_frames))
      watch_queue (pad, watch->key_frames);
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

void
vhm_key_frames_watch (VhmKeyFrames * key_frames, GstElement * decoder)
{
  GstPad *sink = gst_element_get_static_pad (decoder, "sink");
  GstPad *src = gst_element_get_static_pad (decoder, "src");

  atomic_store (&key_frames->since, 0);
  atomic_store (&key_frames->undecoded, 0);
  atomic_store (&key_frames->keys, 0);
  if (sink)
    add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER, on_packet, key_frames);
  if (src)
    add_probe (src, GST_PAD_PROBE_TYPE_BUFFER, on_frame, key_frames);
  if (src && drops_ever (key_frames))
    add_probe (src, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_event, key_frames);
  gst_clear_object (&sink);
  gst_clear_object (&src);
  /* More threads than one only wait for key frames. */
  if (drops_ever (key_frames) && !key_frames->changes
      && g_object_class_find_property (G_OBJECT_GET_CLASS (decoder),
          "max-threads"))
    g_object_set (decoder, "max-threads", 1, NULL);
}
