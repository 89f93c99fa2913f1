/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One attempt to watch a camera: a pipeline, and a thread that builds, starts,
 * monitors and ends it. Whatever gets stuck there only blocks that thread. */
#pragma once

#include "change.h"
#include "settings.h"

G_BEGIN_DECLS

typedef struct _VhmRun VhmRun;

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

/* Called in the main thread, and never after vhm_run_mute(). */
typedef struct
{
  void (*sample) (gpointer data, const VhmSample * sample);
  void (*change) (gpointer data, const VhmChange * change);
  void (*picture) (gpointer data, GBytes * jpeg, gint64 time);
  /* The thread is about to end. @why is for users, without secrets. */
  void (*ended) (gpointer data, const gchar * why);
} VhmRunHandler;

/* Starts a run. @software: uses no hardware decoder. The file @learned
 * keeps the learned reference of the camera. */
VhmRun *vhm_run_new (const VhmCameraSettings * camera, gboolean software,
    const gchar * learned, const VhmRunHandler * handler, gpointer data);

/* Asks the run to end, without waiting. */
void vhm_run_stop (VhmRun * run);

/* Stops the run, and calls its handler no more. */
void vhm_run_mute (VhmRun * run);

/* Mutes the run and drops the reference; the run lives until its thread
 * ends. */
void vhm_run_forget (VhmRun * run);

/* Removes the ended runs from @runs. Its free function must be
 * vhm_run_forget(). */
void vhm_run_forget_ended (GPtrArray * runs);

/* The number of frames that came, and when the last one came, in the time of
 * g_get_monotonic_time() and in µs since 1970; 0 without one. */
guint64 vhm_run_get_frames (VhmRun * run, gint64 * monotonic, gint64 * real);

/* Since when packets of video come, but no frame that decodes completely, in
 * the time of g_get_monotonic_time(); 0 if frames come, or nothing does. Sets
 * @last to when such a packet came last, or 0. */
gint64 vhm_run_get_key_frame_wait (VhmRun * run, gint64 * last);

/* Requests a picture of the next frame. */
void vhm_run_want_picture (VhmRun * run);

/* Discards the learned reference. */
void vhm_run_unlearn (VhmRun * run);

/* The name of the decoder, or NULL if there is none yet, and whether it is a
 * hardware decoder. */
const gchar *vhm_run_get_decoder (VhmRun * run, gboolean * hardware);

/* Whether the run ended because a hardware decoder failed. */
gboolean vhm_run_has_decoder_failed (VhmRun * run);

/* The number of threads now, including those of forgotten runs. */
guint vhm_run_count_threads (void);

/* The number of runs that ended without saving what they had learned. */
guint vhm_run_count_unsaved (void);

G_END_DECLS
