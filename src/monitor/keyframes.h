/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Holds back what a decoder makes of a stream before the first frame that
 * decodes whole. A stream that is joined between two key frames lacks the
 * frames that the others refer to: decoders put grey in their place, on which
 * only what moves appears. Decoders of H.265 do so after lost packets, too. */
#pragma once

#include <gst/gst.h>

#include <stdatomic.h>

G_BEGIN_DECLS

/* For all threads; zero to begin with. Lives as long as the pipeline. */
typedef struct
{
  _Atomic gint64 since;         /* monotonic µs of the first packet or frame
                                 * that was held back since the last decoder
                                 * was added or packets were lost; 0: none, or
                                 * whole frames come */
  _Atomic gint64 last;          /* likewise, of the last one, or of the first
                                 * whole frame after that */
} VhmKeyFrames;

/* To be called with each video decoder, before data reaches it. */
void vhm_key_frames_watch (VhmKeyFrames * key_frames, GstElement * decoder);

G_END_DECLS
