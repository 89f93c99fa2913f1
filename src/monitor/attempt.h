/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One attempt to watch a camera: a pipeline, and a thread that builds, starts,
 * monitors and ends it. Whatever gets stuck there only blocks that thread. */
#pragma once

#include "healthelement.h"
#include "picture.h"

G_BEGIN_DECLS

typedef struct _VhmAttempt VhmAttempt;

/* What was measured at one time. */
typedef struct
{
  GstVideoHistogram *histogram; /* luma */
  GstVideoHistogram *colors;    /* red, green and blue; NULL if there are no new
                                 * ones */
  gint64 time;                  /* arrival of its frame, µs since 1970 */
  VhmVerdict verdict;
  guint64 analysed, dropped, skipped;   /* frames, of this attempt */
} VhmSample;

/* Called in the main thread, and never after vhm_attempt_mute(). */
typedef struct
{
  void (*sample) (gpointer data, const VhmSample * sample);
  void (*change) (gpointer data, const VhmChange * change);
  void (*picture) (gpointer data, VhmPictureSize size,
      const VhmPicture * picture);
  /* Or NULL. An element was added to the pipeline, such as a video decoder.
   * Called in any thread, even after vhm_attempt_mute(), until @ended. */
  void (*element) (gpointer data, GstElement * element, gboolean decodes);
  /* The thread is about to end. @why is for users, without secrets. */
  void (*ended) (gpointer data, const gchar * why);
  gboolean has_no_keys;         /* there is no key file yet, so @why names no
                                 * keys of it */
} VhmAttemptHandler;

/* Starts an attempt. @software: uses no hardware decoder. The file @learned
 * keeps the learned reference of the camera. */
VhmAttempt *vhm_attempt_new (const VhmCameraSettings * camera,
    gboolean software, const gchar * learned,
    const VhmAttemptHandler * handler, gpointer data);

/* Asks the attempt to end, without waiting. */
void vhm_attempt_stop (VhmAttempt * attempt);

/* Stops the attempt, and calls its handler no more. */
void vhm_attempt_mute (VhmAttempt * attempt);

/* Mutes the attempt and drops the reference; the attempt lives until its thread
 * ends. */
void vhm_attempt_forget (VhmAttempt * attempt);

/* Removes the ended attempts from @attempts. Its free function must be
 * vhm_attempt_forget(). */
void vhm_attempt_forget_ended (GPtrArray * attempts);

/* The number of frames that came, and when the last one came, in the time of
 * g_get_monotonic_time() and in µs since 1970; 0 without one. */
guint64 vhm_attempt_get_frames (VhmAttempt * attempt, gint64 * monotonic,
    gint64 * real);

/* When a frame last came to be judged late, or after a loss of frames or data,
 * and when lost data last damaged a frame, in µs since 1970; or 0. */
gint64 vhm_attempt_get_behind (VhmAttempt * attempt, gint64 * damaged);

/* When video last came, in the time of g_get_monotonic_time(): a frame, or what
 * was dropped between two key frames. What waits until its pipeline may be
 * built, or its decoder created, counts as video. */
gint64 vhm_attempt_get_arrival (VhmAttempt * attempt);

/* Changes which frames are decoded, from the next key frame on. For cameras
 * with decode=auto. */
void vhm_attempt_set_decode (VhmAttempt * attempt, VhmDecode decode);

/* Whether less would be decoded by key frames alone. */
gboolean vhm_attempt_has_delta_frames (VhmAttempt * attempt);

/* Which frames are decoded: all of them also if key frames alone cannot be. */
VhmDecode vhm_attempt_get_decode (VhmAttempt * attempt);

/* Since when packets of video come, but no frame that decodes completely, in
 * the time of g_get_monotonic_time(); 0 if frames come, or nothing does. Sets
 * @last to when such a packet came last, or 0. */
gint64 vhm_attempt_get_key_frame_wait (VhmAttempt * attempt, gint64 * last);

/* Requests a picture of the next frame. */
void vhm_attempt_want_picture (VhmAttempt * attempt, VhmPictureSize size);

/* Discards the learned reference. */
void vhm_attempt_unlearn (VhmAttempt * attempt);

/* The name of the decoder, and whether it is a hardware decoder; NULL before
 * one was added. */
const gchar *vhm_attempt_get_decoder (VhmAttempt * attempt,
    gboolean * hardware);

/* Whether the attempt ended because a hardware decoder failed. */
gboolean vhm_attempt_has_decoder_failed (VhmAttempt * attempt);

/* Why the GPU does not decode, as vhm_decoder_describe_trouble(). */
gchar *vhm_attempt_describe_gpu_trouble (VhmAttempt * attempt,
    const gchar * why, guint * beside);

/* The number of threads now, including those of forgotten attempts. */
guint vhm_attempt_count_threads (void);

G_END_DECLS
