/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "keyframes.h"

static GstPadProbeReturn
hold_back (VhmKeyFrames * key_frames)
{
  const gint64 now = g_get_monotonic_time ();

  if (!atomic_load (&key_frames->since))
    atomic_store (&key_frames->since, now);
  atomic_store (&key_frames->last, now);
  return GST_PAD_PROBE_DROP;
}

/* Parsers, depayloaders and demuxers mark what refers to other frames. */
static GstPadProbeReturn
on_packet (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  (void) pad;
  if (GST_BUFFER_FLAG_IS_SET (GST_PAD_PROBE_INFO_BUFFER (info),
          GST_BUFFER_FLAG_DELTA_UNIT))
    return hold_back (data);
  return GST_PAD_PROBE_REMOVE;
}

/* Decoders mark what they had to guess: frames before one from which on a
 * stream that has no key frames, but refreshes parts of each, is whole. */
static GstPadProbeReturn
on_frame (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  VhmKeyFrames *key_frames = data;

  (void) pad;
  if (GST_BUFFER_FLAG_IS_SET (GST_PAD_PROBE_INFO_BUFFER (info),
          GST_BUFFER_FLAG_CORRUPTED))
    return hold_back (key_frames);
  /* It is still on its way to who waits for it. */
  if (atomic_exchange (&key_frames->since, 0))
    atomic_store (&key_frames->last, g_get_monotonic_time ());
  return GST_PAD_PROBE_REMOVE;
}

static void
add_probe (GstElement * element, const gchar * name,
    GstPadProbeCallback function, gpointer data)
{
  GstPad *pad = gst_element_get_static_pad (element, name);

  if (!pad)
    return;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, function, data, NULL);
  gst_object_unref (pad);
}

void
vhm_key_frames_watch (VhmKeyFrames * key_frames, GstElement * decoder)
{
  atomic_store (&key_frames->since, 0);
  add_probe (decoder, "sink", on_packet, key_frames);
  add_probe (decoder, "src", on_frame, key_frames);
}
