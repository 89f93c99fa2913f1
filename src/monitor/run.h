/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One attempt at a camera: a pipeline, with a thread of its own that makes it,
 * starts it, listens to it and ends it. Whatever hangs there hangs in that
 * thread. */
#pragma once

#include "change.h"
#include "settings.h"

G_BEGIN_DECLS

typedef struct _VhmRun VhmRun;

/* What was measured at one time. */
typedef struct
{
  GstVideoHistogram *histogram; /* luma */
  GstVideoHistogram *colors;    /* red, green and blue, or NULL if there are no
                                 * new ones */
  gint64 time;                  /* µs since 1970 that its frame came at */
  VhmVerdict verdict;
  guint64 analysed, dropped, skipped;   /* frames, of this attempt */
} VhmSample;

/* All called in the main thread, and never after vhm_run_mute(). */
typedef struct
{
  void (*sample) (gpointer data, const VhmSample * sample);
  void (*change) (gpointer data, const VhmChange * change);
  void (*picture) (gpointer data, GBytes * jpeg, gint64 time);
  /* The thread is about to end. @why is for people, without secrets. */
  void (*ended) (gpointer data, const gchar * why);
} VhmRunHandler;

/* Begins at once. @software: no decoder on hardware is used. What is learned of
 * the camera is kept in the file @learned. */
VhmRun *vhm_run_new (const VhmCameraSettings * camera, gboolean software,
    const gchar * learned, const VhmRunHandler * handler, gpointer data);

/* Asks it to end, and waits for nothing. */
void vhm_run_stop (VhmRun * run);

/* Has it end without telling its handler anything any more. */
void vhm_run_mute (VhmRun * run);

/* The same, and gives up the reference; it goes on until its thread has
 * ended. */
void vhm_run_forget (VhmRun * run);

/* Forgets those of @runs, whose free function is vhm_run_forget(), that have
 * ended. */
void vhm_run_forget_ended (GPtrArray * runs);

/* Frames that came, and when the last one did, in the time of
 * g_get_monotonic_time() and in µs since 1970; 0 if there was none. */
guint64 vhm_run_get_frames (VhmRun * run, gint64 * monotonic, gint64 * real);

/* Since when packets of video come, but no frame that decodes whole, in the
 * time of g_get_monotonic_time(); 0 if frames come, or nothing does. Sets @last
 * to when that was so last, or 0. */
gint64 vhm_run_get_key_frame_wait (VhmRun * run, gint64 * last);

/* Has the next frame made a picture. */
void vhm_run_want_picture (VhmRun * run);

/* Has what was learned of the camera forgotten. */
void vhm_run_unlearn (VhmRun * run);

/* What decodes, or NULL if nothing does yet, and whether that is hardware. */
const gchar *vhm_run_get_decoder (VhmRun * run, gboolean * hardware);

/* Whether it ended because of a decoder on hardware. */
gboolean vhm_run_has_decoder_failed (VhmRun * run);

/* Threads that there are now, forgotten ones too. */
guint vhm_run_count_threads (void);

/* Runs that have ended without what they learned being saved. */
guint vhm_run_count_unsaved (void);

G_END_DECLS
