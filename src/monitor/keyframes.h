/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Holds back video until the first frame that decodes completely. A stream that
 * is joined between two key frames lacks the frames that later ones refer to:
 * decoders replace them with grey, on which only moving parts appear. Decoders
 * of H.265 do the same after lost packets.
 *
 * For cameras that are judged by key frames, also drops everything else before
 * the decoder. */
#pragma once

#include <gst/gst.h>

#include <stdatomic.h>

G_BEGIN_DECLS

/* For all threads; initially zero. Lives as long as the pipeline. */
typedef struct
{
  atomic_bool only;             /* decode nothing else, from the next key frame
                                 * on */
  gboolean changes;             /* @only may change; set before there is a
                                 * decoder */
  atomic_bool deltas;           /* there are packets between key frames */
  atomic_bool useless;          /* several gave no frame, so all is decoded */
  atomic_uint undecoded;        /* since the last frame, with @only */
  atomic_uint keys;             /* key frames that came to the decoder */
  _Atomic gint64 dropped;       /* monotonic µs of the last packet that was
                                 * dropped because of @only */
  _Atomic gint64 since;         /* monotonic µs of the first packet or frame
                                 * that was held back, after a decoder was added
                                 * or packets were lost; 0: nothing was, or
                                 * complete frames come again */
  _Atomic gint64 last;          /* monotonic µs of the last packet or frame that
                                 * was held back, or of the first complete frame
                                 * after it */
} VhmKeyFrames;

/* To be called for each video decoder before it gets data. */
void vhm_key_frames_watch (VhmKeyFrames * key_frames, GstElement * decoder);

G_END_DECLS
