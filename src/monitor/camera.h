/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A camera and what is known of it: the model that all outputs show. Used in
 * the main thread only. */
#pragma once

#include "event.h"
#include "run.h"
#include "settings.h"
#include "thresholds.h"

G_BEGIN_DECLS

/* What is to be done once a second, or a little more often, is done by ticks,
 * four a second, which come early or late: once this has passed, in µs, and so
 * by every third one. */
#define VHM_EACH_SECOND (G_TIME_SPAN_SECOND * 5 / 8)

/* Bins of the histograms that are shown. */
#define VHM_CAMERA_BINS 64

typedef enum
{
  VHM_CAMERA_CONNECTING,        /* no frame yet */
  VHM_CAMERA_KEY_FRAME,         /* video comes, which nothing can be made of
                                 * before the next key frame */
  VHM_CAMERA_UP,
  VHM_CAMERA_WAITING,           /* to be tried again */
  VHM_CAMERA_HANGING,           /* its thread does not come back */
} VhmCameraState;

typedef struct
{
  gboolean judged;              /* value is known */
  gboolean active;
  gdouble value;                /* in the unit of the condition */
  gint64 since;                 /* µs since 1970; 0: always */
  guint64 number;               /* of the event that made it so; 0: none */
  gint64 acknowledged;          /* µs since 1970; 0: not yet */
  guint64 begun, ended;         /* how often, since the program started */
} VhmCondition;

typedef struct _VhmCamera VhmCamera;
struct _VhmCamera
{
  VhmCameraSettings *settings;

  VhmCameraState state;
  gchar *reason;                /* why it is not up, for people */
  gint64 state_since;           /* µs since 1970 */
  gint64 retry_at;              /* monotonic µs, while it waits */
  guint64 reconnects;           /* attempts after the first one */

  const gchar *decoder;         /* the element that decodes, or NULL */
  gboolean hardware;            /* that is what it is */

  guint64 frames;               /* that came, in all attempts */
  guint64 analysed, dropped, skipped;   /* of these */
  gint64 last_frame;            /* µs since 1970; 0: none yet */

  /* of the latest frame that was measured; NULL and 0 before the first one */
  GstVideoHistogram *histogram; /* of luma */
  GstVideoHistogram *colors;    /* of red, green and blue, of that frame or of
                                 * an earlier one */
  gint64 measured;              /* µs since 1970 */

  GBytes *picture;              /* JPEG, or NULL */
  gint64 picture_time;          /* µs since 1970 that its frame came at */
  GBytes *reference;            /* the picture while all was well, or NULL */
  gint64 reference_time;        /* likewise */

  VhmCondition conditions[GST_VIDEO_HEALTH_N_CONDITIONS];
  VhmThresholds thresholds[GST_VIDEO_HEALTH_N_CONDITIONS];      /* by its
                                                                 * rules */

  struct _VhmCameraPrivate *priv;
};

/* What is kept of a camera while the program does not run. */
typedef struct
{
  GPtrArray *events;            /* of VhmEvent: the last of each condition */
  GBytes *reference;            /* or NULL */
  gint64 reference_time;
} VhmMemory;

/* What the camera tells its fleet. */
typedef struct
{
  /* Takes @event, which is not so until vhm_camera_apply(). */
  void (*event) (gpointer data, VhmCamera * camera, VhmEvent * event);
  /* The picture that goes with the event of this number; NULL if none will
   * come. */
  void (*picture) (gpointer data, VhmCamera * camera, guint64 number,
      GBytes * jpeg);
  void (*measured) (gpointer data, VhmCamera * camera);
  /* The reference picture is another one. */
  void (*reference) (gpointer data, VhmCamera * camera);
} VhmCameraHandler;

/* What is learned of it is kept in the file @learned. Takes @left, what
 * vhm_camera_free() of the one before it returned, or NULL. */
VhmCamera *vhm_camera_new (VhmCameraSettings * settings,
    const gchar * learned, GPtrArray * left, const VhmCameraHandler * handler,
    gpointer data);

/* Forgets it at once; its threads end when they can. Returns these, of
 * VhmRun. */
GPtrArray *vhm_camera_free (VhmCamera * camera);

/* Begins, with what is remembered of it. */
void vhm_camera_begin (VhmCamera * camera, const VhmMemory * memory);

/* To be called several times a second. */
void vhm_camera_tick (VhmCamera * camera);

/* From now on it is as @event says. */
void vhm_camera_apply (VhmCamera * camera, const VhmEvent * event);

/* Somebody looks at the picture: it is made anew each second for a while. */
void vhm_camera_look (VhmCamera * camera);

/* What it shows from now on is what it is meant to show. Returns FALSE if there
 * is no pipeline that could learn it now. */
gboolean vhm_camera_unlearn (VhmCamera * camera);

/* Frames in a second, since the first one of this attempt; 0 without one. */
gdouble vhm_camera_get_rate (const VhmCamera * camera);

/* The GPU is lost: a pipeline that it decodes for begins anew, at once. */
void vhm_camera_leave_gpu (VhmCamera * camera);

/* The conditions that are active. */
GstVideoHealthConditions vhm_camera_get_active (const VhmCamera * camera);

const gchar *vhm_camera_state_get_name (VhmCameraState state);

G_END_DECLS
