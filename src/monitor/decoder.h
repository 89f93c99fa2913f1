/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The decoder of an attempt. A GPU may have no room for another one, or fail:
 * the CPU then decodes, and the reason is kept. */
#pragma once

#include <gst/gst.h>
#include <stdatomic.h>

G_BEGIN_DECLS

typedef struct
{
  GstElementFactory *_Atomic factory;   /* the last one, or NULL */
  GstElementFactory *_Atomic refused;   /* a hardware decoder that gave no
                                         * frame, or NULL */
  atomic_uint beside;           /* attempts that the GPU decoded then */
  atomic_bool hardware;         /* whether @factory is a hardware decoder */
  atomic_bool failed;           /* it was one, and ended the attempt */
  atomic_bool counted;          /* among those that the GPU decodes */
  atomic_bool creating;         /* others wait until it has been created */
  _Atomic gint64 waited;        /* when it last waited for others, monotonic µs;
                                 * or 0 */
} VhmDecoder;

/* The number of cameras. With more of them than processors, decoders of
 * attempts that start later have one thread each: more would only wait. */
void vhm_decoder_set_cameras (guint n);

/* Whether the GPU decodes so many fewer attempts than @beside, when it had no
 * room for another one, that one can return. */
gboolean vhm_decoder_has_room (guint beside);

/* To be called for each uridecodebin: has it take no hardware decoder while the
 * GPU is known to have no room, since an attempt that is refused has to start
 * again. */
void vhm_decoder_choose (VhmDecoder * decoder, GstElement * bin);

/* From any thread: a decoder was added to the pipeline. */
void vhm_decoder_add (VhmDecoder * decoder, GstElement * element);

/* After all other probes for buffers: has a hardware decoder wait with its
 * first buffer until others have been created. */
void vhm_decoder_queue (VhmDecoder * decoder, GstElement * element);

/* From a streaming thread: it gave a frame. */
void vhm_decoder_note_frame (VhmDecoder * decoder);

/* An error of the pipeline, which may be the GPU's fault. */
void vhm_decoder_note_error (VhmDecoder * decoder, GstMessage * message);

/* After the pipeline has ended. */
void vhm_decoder_end (VhmDecoder * decoder);

/* The name of the decoder; NULL before one was added. */
const gchar *vhm_decoder_get_name (VhmDecoder * decoder);

/* Why the GPU does not decode, although it was asked to, for users; to be
 * freed. NULL if it was not asked, or does. @why: the reason why the attempt
 * ended, or NULL. Sets @beside to the number of cameras for which it had room,
 * or 0 if that is not why. */
gchar *vhm_decoder_describe_trouble (VhmDecoder * decoder, const gchar * why,
    guint * beside);

G_END_DECLS
