/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Judges the frames of one pipeline. For its threads. */
#pragma once

#include "settings.h"

G_BEGIN_DECLS

/* A change of a condition of one pipeline. */
typedef struct
{
  GstVideoHealthCondition condition;
  gboolean active;
  gdouble value, threshold;
  gint64 since;                 /* µs since 1970 */
  gint64 time;                  /* when it was detected, µs since 1970 */
  gint64 active_since;          /* as in VhmEvent */
} VhmChange;

/* The state of all conditions at one time. */
typedef struct
{
  GstVideoHealthConditions judged, active;
  gdouble values[GST_VIDEO_HEALTH_N_CONDITIONS];        /* of judged ones */
  const gchar *unknown[GST_VIDEO_HEALTH_N_CONDITIONS];  /* why the others are
                                                         * not, static; or
                                                         * NULL */
  const gchar *details[GST_VIDEO_HEALTH_N_CONDITIONS];  /* where or how they
                                                         * show, likewise */
  guint held_back[GST_VIDEO_HEALTH_N_CONDITIONS];       /* the conditions that
                                                         * explain their
                                                         * values, a bit
                                                         * each */
  gint64 durations[GST_VIDEO_HEALTH_N_CONDITIONS];      /* how long they take to
                                                         * start, in µs; 0: as
                                                         * long as their rules
                                                         * say */
  gint64 holds[GST_VIDEO_HEALTH_N_CONDITIONS];  /* likewise, to end */
  gint64 pending[GST_VIDEO_HEALTH_N_CONDITIONS];        /* how long their values
                                                         * have been past enter,
                                                         * in µs; 0: they are
                                                         * not, or are active */
} VhmVerdict;

typedef struct _VhmHealthElement VhmHealthElement;

/* Called in a streaming thread, without locks. */
typedef void (*VhmChangeFunc) (gpointer data, const VhmChange * change);

/* The elements that the pipeline must contain, in the syntax of
 * gst_parse_launch(). */
const gchar *vhm_health_element_get_elements (void);

/* Judges the video that passes these elements in @bin. The file @learned
 * keeps the learned reference of the camera. */
VhmHealthElement *vhm_health_element_new (GstBin * bin,
    const VhmCameraSettings * camera, const gchar * learned,
    VhmChangeFunc func, gpointer data);

/* To be called after the pipeline has ended. */
void vhm_health_element_free (VhmHealthElement * health);

/* Whether @object, of any type, is the element that saves what is learned. */
gboolean vhm_health_element_is (const VhmHealthElement * health,
    gpointer object);

/* Judges all conditions of @camera, or those that key frames alone show. */
void vhm_health_element_set_key_frames (VhmHealthElement * health,
    const VhmCameraSettings * camera, gboolean key_frames);

/* Discards the learned reference: from now on the camera is meant to show
 * something else. */
void vhm_health_element_unlearn (VhmHealthElement * health);

void vhm_health_element_get_verdict (VhmHealthElement * health,
    VhmVerdict * verdict);

G_END_DECLS
