/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "keyframes.h"

/* Belongs to one pad of a decoder; for its streaming thread. */
typedef struct
{
  VhmKeyFrames *key_frames;
  gboolean waiting;             /* data is held back */
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

/* Parsers, depayloaders and demuxers flag packets that refer to other frames,
 * and those that follow lost packets. */
static GstPadProbeReturn
on_packet (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  const GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Watch *watch = data;

  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT)
      && needs_all_frames (pad))
    watch->waiting = TRUE;
  if (!GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT))
    watch->waiting = FALSE;
  return watch->waiting ? hold_back (watch->key_frames) : GST_PAD_PROBE_OK;
}

/* Decoders flag frames that they had to guess. A stream with intra refresh has
 * no key frames: its picture is complete from the first frame without this
 * flag. */
static GstPadProbeReturn
on_frame (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Watch *watch = data;

  if (watch->waiting && GST_BUFFER_FLAG_IS_SET (GST_PAD_PROBE_INFO_BUFFER
          (info), GST_BUFFER_FLAG_CORRUPTED))
    return hold_back (watch->key_frames);
  watch->waiting = FALSE;
  /* The frame is still on its way downstream. */
  if (atomic_exchange (&watch->key_frames->since, 0))
    atomic_store (&watch->key_frames->last, g_get_monotonic_time ());
  return GST_PAD_PROBE_OK;
}

static void
add_probe (GstElement * element, const gchar * name,
    GstPadProbeCallback function, VhmKeyFrames * key_frames)
{
  GstPad *pad = gst_element_get_static_pad (element, name);
  Watch *watch;

  if (!pad)
    return;
  watch = g_new (Watch, 1);
  watch->key_frames = key_frames;
  watch->waiting = TRUE;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, function, watch, g_free);
  gst_object_unref (pad);
}

void
vhm_key_frames_watch (VhmKeyFrames * key_frames, GstElement * decoder)
{
  atomic_store (&key_frames->since, 0);
  add_probe (decoder, "sink", on_packet, key_frames);
  add_probe (decoder, "src", on_frame, key_frames);
}
