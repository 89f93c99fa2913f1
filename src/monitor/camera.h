/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A camera and its current state: the model that all outputs show. Main thread
 * only. */
#pragma once

#include "event.h"
#include "attempt.h"
#include "mainstream.h"
#include "quiet.h"
#include "settings.h"
#include "limitrecord.h"

G_BEGIN_DECLS

/* Interval of work that is done about once a second, µs. Ticks come four times
 * a second, early or late: this interval is a little shorter than three of
 * them, so every third tick does the work. */
#define VHM_EACH_SECOND (G_TIME_SPAN_SECOND * 5 / 8)

/* Bins of the histograms on the page. */
#define VHM_CAMERA_BINS 64

typedef enum
{
  VHM_CAMERA_CONNECTING,        /* no frame yet */
  VHM_CAMERA_KEY_FRAME,         /* video arrives, but cannot be decoded before
                                 * the next key frame */
  VHM_CAMERA_UP,
  VHM_CAMERA_WAITING,           /* to be reconnected */
  VHM_CAMERA_HANGING,           /* its thread is stuck */
} VhmCameraState;

typedef struct
{
  gboolean judged;              /* value is valid */
  gboolean was_judged;          /* since the camera was added */
  const gchar *unknown;         /* why not, static; NULL if that is not known */
  const gchar *detail;          /* where or how it shows, likewise */
  GstVideoHealthConditions held_back;   /* by these active ones, which explain
                                         * its value: it does not start */
  gint64 duration;              /* µs past the threshold before it starts; 0:
                                 * as long as its rule says */
  gint64 hold;                  /* likewise, before it ends */
  gint64 pending_since;         /* since when the value has been past the
                                 * threshold, while it has not started; µs since
                                 * 1970, or 0 */
  gboolean active;
  gboolean unconfirmed;         /* active since before a time without video, or
                                 * in which nobody watched, and not seen to be
                                 * active since */
  gint64 last_seen;             /* if it is unconfirmed because there was no
                                 * video: when it was last seen to be active, µs
                                 * since 1970; or 0 */
  gboolean judged_active;       /* active by the latest frame: its event may
                                 * not be stored yet */
  gdouble value;                /* in the unit of the condition */
  gboolean limitless;           /* thresholds have no effect: the value only
                                 * says whether it is past them */
  gdouble entered;              /* the threshold that started it, if active;
                                 * NAN if none did */
  gboolean by_machine;          /* it started because this machine was too
                                 * busy */
  gchar *cause;                 /* why it started, or NULL; may be empty */
  gint64 since;                 /* µs since 1970; 0: has not changed yet */
  gint64 active_since;          /* as in its event */
  gint64 outage;                /* likewise */
  guint64 number;               /* of the event that started or ended it; 0:
                                 * none */
  gint64 acknowledged;          /* µs since 1970; 0: not yet */
  gchar *acknowledged_by;       /* user, or NULL if that is unknown */
  gchar *note;                  /* of the acknowledgement, or NULL */
  gboolean quiet;               /* as in its event */
  guint64 begun, ended;         /* how often, since the program started */
} VhmCondition;

typedef struct _VhmCamera VhmCamera;
struct _VhmCamera
{
  VhmCameraSettings *settings;

  VhmCameraState state;
  gchar *reason;                /* why it is not up, for users */
  gint64 state_since;           /* when it came up, or else its last frame, or
                                 * the start; µs since 1970 */
  gint64 retry_at;              /* monotonic µs, while waiting */
  guint64 reconnects;           /* attempts after the first one */

  gint64 added;                 /* when its stored state was known, µs since
                                 * 1970; 0: not yet */
  gint64 first_watched;         /* in this run or an earlier one, µs since
                                 * 1970 */
  GstVideoHealthConditions known;       /* judged since then, or stored */

  const gchar *decoder;         /* name of the decoder element, or NULL */
  gboolean hardware;            /* whether @decoder is a hardware decoder */
  gchar *gpu_trouble;           /* why it is decoded on the CPU although the GPU
                                 * was asked to decode it, or NULL */
  guint gpu_beside;             /* cameras that the GPU decoded when it refused
                                 * this one; 0: that is not why */
  gint64 gpu_refused;           /* when, monotonic µs */
  VhmDecode decode;             /* which frames are decoded and judged */
  guint64 relieved;             /* with decode=auto: the number of the relief
                                 * that has it judged by key frames; 0: it is
                                 * not, because of load */

  guint64 frames;               /* received in all attempts */
  guint64 analysed, dropped, skipped;   /* of those frames */
  gint64 last_frame;            /* µs since 1970; 0: none yet */
  gboolean machine_busy;        /* this machine is, or has just been, too busy
                                 * for the cameras: set by the fleet */
  gboolean has_video;           /* has sent frames since it was added, and is
                                 * not lost since */

  /* of the latest measured frame; NULL and 0 before the first one */
  GstVideoHistogram *histogram; /* of luma */
  GstVideoHistogram *colors;    /* of red, green and blue, of the same frame or
                                 * an earlier one */
  gint64 measured;              /* µs since 1970 */

  /* The latest ones. All but VHM_PICTURE_480 are only made for those who ask,
   * and kept for some seconds. */
  VhmPicture pictures[VHM_N_PICTURE_SIZES];
  VhmMainStream *main_stream;   /* for full pictures if the sub-stream is
                                 * judged, or NULL */
  GBytes *reference;            /* picture without active conditions, or NULL */
  gint64 reference_time;        /* likewise */

  VhmQuiet *quiet;
  VhmCondition conditions[GST_VIDEO_HEALTH_N_CONDITIONS];
  const VhmLimitRecord *limits; /* of the current minute; NULL: none */
  VhmThresholds thresholds[GST_VIDEO_HEALTH_N_CONDITIONS];      /* by its
                                                                 * rules */

  struct _VhmCameraPrivate *priv;
};

/* The state of a camera that the database keeps. */
typedef struct
{
  GPtrArray *events;            /* of VhmEvent: the last one of each
                                 * condition */
  GPtrArray *snoozes;           /* of VhmStoredSnooze */
  GBytes *reference;            /* or NULL */
  gint64 reference_time;
  GBytes *last;                 /* picture of the active loss, or NULL */
  gint64 first_watched;         /* µs since 1970; 0: it is new */
} VhmCameraRecord;

/* Callbacks from the camera to its fleet. */
typedef struct
{
  /* Takes @event, which takes effect with vhm_camera_apply(). */
  void (*event) (gpointer data, VhmCamera * camera, VhmEvent * event);
  /* The picture for the event with this number; NULL if there will be none. */
  void (*picture) (gpointer data, VhmCamera * camera, guint64 number,
      GBytes * jpeg);
  void (*measured) (gpointer data, VhmCamera * camera);
  /* The reference picture has changed. */
  void (*reference) (gpointer data, VhmCamera * camera);
  /* A snooze, as in quiet.h, that was to last until @until is over. */
  void (*snooze_over) (gpointer data, VhmCamera * camera, guint snooze,
      gint64 until);
} VhmCameraHandler;

/* Keeps what is learned of the camera in the file @learned. Takes @left, which
 * vhm_camera_free() of an earlier camera with this name returned, or NULL. */
VhmCamera *vhm_camera_new (VhmCameraSettings * settings,
    const gchar * learned, GPtrArray * left, const VhmCameraHandler * handler,
    gpointer data);

/* Frees the camera at once; its threads end when they can. Returns those that
 * are left, as an array of VhmAttempt. */
GPtrArray *vhm_camera_free (VhmCamera * camera);

/* Takes over the values of live keys, the only ones that may differ. */
void vhm_camera_set_settings (VhmCamera * camera,
    VhmCameraSettings * settings);

/* Starts watching, with the stored state. */
void vhm_camera_begin (VhmCamera * camera, const VhmCameraRecord * record);

/* To be called several times a second. */
void vhm_camera_tick (VhmCamera * camera);

/* Says that the program has stood still for @pause µs until now, which says
 * nothing about the camera. */
void vhm_camera_forgive (VhmCamera * camera, gint64 pause);

/* Says that nobody has watched the camera until now: what is active may have
 * ended meanwhile. @until: now, in µs since 1970, or 0 at the start, when the
 * clock may not be right yet. @is_gap: for so long that events say so. */
void vhm_camera_note_unwatched (VhmCamera * camera, gint64 until,
    gboolean is_gap);

/* Updates the state to what @event says. */
void vhm_camera_apply (VhmCamera * camera, const VhmEvent * event);

/* @event was acknowledged, or is no longer. */
void vhm_camera_apply_acknowledgement (VhmCamera * camera,
    const VhmEvent * event);

/* Somebody is viewing the picture: makes a new one each second for a while. */
void vhm_camera_look (VhmCamera * camera);

/* Requests a picture of this size, unless one was requested within a second. */
void vhm_camera_want_picture (VhmCamera * camera, VhmPictureSize size);

/* The picture that answers a request for one of this size, which its caller
 * makes with vhm_camera_want_snapshot(): a full one is of the main stream, even
 * if the sub-stream is judged. */
const VhmPicture *vhm_camera_get_snapshot (const VhmCamera * camera,
    VhmPictureSize size);
void vhm_camera_want_snapshot (VhmCamera * camera, VhmPictureSize size);

/* How long such a picture may take to come, µs. */
gint64 vhm_camera_get_snapshot_time (const VhmCamera * camera,
    VhmPictureSize size);

/* For cameras with decode=auto: decodes key frames only from now on, or, with
 * 0, all frames again. */
void vhm_camera_relieve (VhmCamera * camera, guint64 relief);

/* Whether that would spare work. */
gboolean vhm_camera_can_be_relieved (const VhmCamera * camera);

/* Relearns the reference, after the scene was changed on purpose. Returns FALSE
 * if no pipeline is up that could learn it now. */
gboolean vhm_camera_unlearn (VhmCamera * camera);

/* The rule of @condition, with the times that it really takes to start, and to
 * end. */
VhmThresholds vhm_camera_get_rule (const VhmCamera * camera,
    GstVideoHealthCondition condition);

/* Frames per second since the first one of this attempt; 0 without one. */
gdouble vhm_camera_get_rate (const VhmCamera * camera);

/* As vhm_attempt_get_behind(); 0 without an attempt. While this machine is why
 * no video comes, that is now. */
gint64 vhm_camera_get_behind (const VhmCamera * camera, gint64 * damaged);

/* The GPU is lost: reconnects at once if it decodes this camera. */
void vhm_camera_leave_gpu (VhmCamera * camera);

/* Reconnects a camera that the GPU refused, so that the GPU decodes it. */
void vhm_camera_return_to_gpu (VhmCamera * camera);

/* Whether its conditions have been judged, apart from those that cannot be: the
 * view has been learned if any condition needs that. */
gboolean vhm_camera_is_judged (const VhmCamera * camera);

/* The worst of the active conditions that are not quiet or unconfirmed. A
 * camera without a picture is lost once an attempt to connect has failed, or
 * takes long. */
GstVideoHealthSeverity vhm_camera_get_severity (const VhmCamera * camera);

/* The active conditions. */
GstVideoHealthConditions vhm_camera_get_active (const VhmCamera * camera);

/* Those of them that are unconfirmed. */
GstVideoHealthConditions vhm_camera_get_unconfirmed (const VhmCamera * camera);

const gchar *vhm_camera_state_get_name (VhmCameraState state);

G_END_DECLS
