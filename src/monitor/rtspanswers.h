/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bounds what an RTSP server may send besides video. rtspsrc reads answers
 * whole, however long their headers and bodies are, and does not show its
 * connection: the kernel says how many bytes came over it. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Bytes that are not RTP: before the first RTP, or over UDP at any time; and
 * where RTP comes over the same connection, bytes between two packets for a
 * decoder, since some of them may be RTP that nobody has read yet. */
#define VHM_MAX_RTSP_ANSWER_BYTES (1024 * 1024)
#define VHM_MAX_BYTES_BESIDE_RTP (16 * 1024 * 1024)

/* Answers to requests that keep a session alive may go on forever, B/s. */
#define VHM_ANSWER_BYTES_PER_SECOND (16 * 1024)

/* Streams of a camera, and senders in each: video, sound, metadata. */
#define VHM_MAX_RTSP_STREAMS 16

typedef struct _VhmRtspAnswers VhmRtspAnswers;

/* Whether @element is an rtspsrc, and whether it is what manages the RTP of
 * one. */
gboolean vhm_rtsp_answers_is_source (GstElement * element);
gboolean vhm_rtsp_answers_is_manager (GstElement * element);

/* Watches the connections of @rtsp. Errors are posted by @source. */
VhmRtspAnswers *vhm_rtsp_answers_new (GstElement * rtsp, GstElement * source);
void vhm_rtsp_answers_unref (VhmRtspAnswers * answers);

/* From streaming threads: @size bytes of RTP have come; a decoder got a
 * packet. */
void vhm_rtsp_answers_note_data (VhmRtspAnswers * answers, gsize size);
void vhm_rtsp_answers_note_progress (VhmRtspAnswers * answers);

G_END_DECLS
