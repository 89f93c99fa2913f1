/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Marks decoded frames that were made of incomplete data. Decoders conceal what
 * is missing and do not say so. But depayloaders, demuxers and parsers mark the
 * data after a loss as discontinuous, and it is known which data starts a key
 * frame: from the loss up to the next key frame, frames are damaged. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _VhDecoderWatch VhDecoderWatch;

/* Watches the decoder that @pad, a sink pad, gets its video from. Returns NULL
 * if the video comes from no decoder, or may come from several: an element on
 * the way has more than one input. If @watch, which may be NULL, already
 * watches that decoder, it is returned; otherwise it is freed. */
VhDecoderWatch *vh_decoder_watch_follow (VhDecoderWatch * watch, GstPad * pad);

/* Whether data was lost since the stream started. @watch may be NULL. */
gboolean vh_decoder_watch_has_lost (VhDecoderWatch * watch);

void vh_decoder_watch_free (VhDecoderWatch * watch);

G_END_DECLS
