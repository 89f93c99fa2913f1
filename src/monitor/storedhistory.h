/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Minutes of cameras and notices in the store. */
#pragma once

#include "curve.h"
#include "store.h"
#include "whatif.h"

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

/* One minute of a camera. */
typedef struct
{
  gint64 minute;                /* since 1970 */
  guint frames;                 /* received in it */
  guint measured;               /* frames that the values below cover */
  gdouble average, low, high;   /* of luma: mean, lowest p1, highest p99;
                                 * levels */
  GstVideoHealthConditions active;      /* at any time of it */
} VhmMinute;

/* @limits: a record of limitrecord.h. */
void vhm_store_add_minute (VhmStore * store, const gchar * camera,
    const VhmMinute * minute, GBytes * limits);

/* The result is what @render makes of a GArray of VhmMinute, from @from on and
 * before @before. */
void vhm_store_list_minutes (VhmStore * store, const gchar * camera,
    gint64 from, gint64 before, VhmRender render, VhmAnswer answer,
    gpointer data);

/* Interval between two notes that the program runs, µs. Each costs a commit. */
#define VHM_RUNNING_INTERVAL (10 * G_TIME_SPAN_SECOND)

/* Time without a note that is more than a quick restart, µs: if the program was
 * killed, the last note was up to VHM_RUNNING_INTERVAL old, and the next start
 * may take as long. */
#define VHM_MIN_GAP (2 * VHM_RUNNING_INTERVAL)

/* Stores that the program runs at @time, in µs since 1970. There is no
 * result. */
void vhm_store_set_running (VhmStore * store, gint64 time, VhmAnswer answer,
    gpointer data);

/* The result is a gint64: when the program was last known to run, in µs since
 * 1970, or 0. */
void vhm_store_find_last_run (VhmStore * store, VhmAnswer answer,
    gpointer data);

/* Tries a rule on the minutes from @from on and before @before, and on @limits,
 * which the last of them has so far, or NULL. The result is a VhmWhatIf. */
void vhm_store_try_rule (VhmStore * store, const gchar * camera, gint64 from,
    gint64 before, GstVideoHealthCondition condition,
    const VhmThresholds * thresholds, GBytes * limits, VhmAnswer answer,
    gpointer data);

/* The course of a condition's value in the minutes from @from on and before
 * @before. The result is a VhmCurve. */
void vhm_store_read_curve (VhmStore * store, const gchar * camera, gint64 from,
    gint64 before, GstVideoHealthCondition condition, gboolean below,
    VhmAnswer answer, gpointer data);

/* What a notice is about. */
typedef enum
{
  VHM_NOTICE_CONFIGURATION,     /* whether the key file was reloaded */
  VHM_NOTICE_DATABASE,          /* whether events are stored */
  VHM_NOTICE_GPU,
  VHM_NOTICE_MACHINE,           /* whether it keeps up */
  VHM_NOTICE_PROGRAM,           /* when it did not run, or stood still */
} VhmNoticeKind;

/* The name in JSON. */
const gchar *vhm_notice_kind_get_name (VhmNoticeKind kind);

/* Something that concerns all cameras. */
typedef struct
{
  gint64 time;                  /* µs since 1970 */
  VhmNoticeKind kind;
  gchar *text;                  /* for everybody */
  gchar *detail;                /* more sentences for operators, or "" */
  gboolean over;                /* it says that a problem is over */
  gint64 since;                 /* since when, until @time, no camera was
                                 * watched, µs since 1970; or 0 */
} VhmNotice;

VhmNotice *vhm_notice_copy (const VhmNotice * notice);
void vhm_notice_free (VhmNotice * notice);

/* Stores the notice, or else waits until it can, and then answers without a
 * result. */
void vhm_store_add_notice (VhmStore * store, const VhmNotice * notice,
    VhmAnswer answer, gpointer data);

/* The result is a GPtrArray of VhmNotice: the last one about the machine, and
 * about the configuration, unless it says that a problem is over. */
void vhm_store_list_open_notices (VhmStore * store, VhmAnswer answer,
    gpointer data);

/* The result is a GPtrArray of VhmNotice, at most @limit of them, newest
 * first. */
void vhm_store_list_notices (VhmStore * store, guint limit,
    VhmAnswer answer, gpointer data);

G_END_DECLS
