/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stores everything in a SQLite database, in a thread of its own: callers never
 * wait for a disk. All functions and their callbacks are for the main thread.
 * Requests are handled in order, except that rendering lets writers pass for a
 * while. */
#pragma once

#include "camera.h"
#include "database.h"

G_BEGIN_DECLS

typedef struct _VhmStore VhmStore;

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

/* Something that concerns all cameras. */
typedef struct
{
  gint64 time;                  /* µs since 1970 */
  gchar *text;                  /* for users */
  gboolean over;                /* it says that a problem is over */
} VhmNotice;

/* Opens or creates the database in the folder. A damaged one is renamed, with a
 * warning. NULL with an error if that fails. */
VhmStore *vhm_store_new (const VhmStoreSettings * settings, GError ** error);

/* Waits until everything is done. Returns FALSE if something could not be
 * stored. */
gboolean vhm_store_free (VhmStore * store);

/* Why it cannot write now, or NULL. */
const gchar *vhm_store_get_trouble (const VhmStore * store);

/* Called with @event and its number once it is on disk. If it cannot be written
 * now, it is called without a number first, and again with one later. */
typedef void (*VhmStored) (gpointer data, const VhmEvent * event);

/* Takes @event. */
void vhm_store_add_event (VhmStore * store, VhmEvent * event,
    VhmStored stored, gpointer data);
void vhm_store_add_minute (VhmStore * store, const gchar * camera,
    const VhmMinute * minute);
void vhm_store_add_notice (VhmStore * store, const VhmNotice * notice);
void vhm_store_set_reference (VhmStore * store, const gchar * camera,
    GBytes * jpeg, gint64 time);

/* @result is freed after the call. On an error it is NULL, and @why is the
 * reason. */
typedef void (*VhmAnswer) (gpointer data, gpointer result, const gchar * why);

/* The result is a gboolean: whether the picture was kept. */
void vhm_store_add_picture (VhmStore * store, guint64 number, GBytes * jpeg,
    VhmAnswer answer, gpointer data);

/* The result is a VhmCameraRecord. */
void vhm_store_get_camera (VhmStore * store, const gchar * camera,
    VhmAnswer answer, gpointer data);

/* Which events to list. */
typedef struct
{
  const gchar *camera;          /* or NULL for all */
  guint64 after, before;        /* numbers between these, excluding both */
  gint64 from, until;           /* detected at or after @from, and before
                                 * @until; µs since 1970 */
  guint limit;                  /* the maximum number of events */
  gboolean newest;              /* the last ones of them, not the first */
} VhmEventFilter;

#define VHM_ALL_EVENTS { NULL, 0, G_MAXINT64, G_MININT64, G_MAXINT64, 1, FALSE }

/* Converts a result, which stays the caller's, in the thread of the store. To
 * be freed with g_free(). */
typedef gpointer (*VhmRender) (gpointer result);

/* The result is a GPtrArray of VhmEvent, in the order of their numbers, or what
 * @render, which may be NULL, makes of it. */
void vhm_store_list_events (VhmStore * store, const VhmEventFilter * filter,
    VhmRender render, VhmAnswer answer, gpointer data);

/* The result is what @render makes of a GArray of VhmMinute, from @from on and
 * before @before. */
void vhm_store_list_minutes (VhmStore * store, const gchar * camera,
    gint64 from, gint64 before, VhmRender render, VhmAnswer answer,
    gpointer data);

/* The result is a GPtrArray of VhmNotice, at most @limit of them, newest
 * first. */
void vhm_store_list_notices (VhmStore * store, guint limit,
    VhmAnswer answer, gpointer data);

/* The result is a GBytes with the JPEG picture of an event, or NULL. */
void vhm_store_get_picture (VhmStore * store, guint64 number,
    VhmAnswer answer, gpointer data);

/* Acknowledges the event if it is not acknowledged yet; with FALSE in
 * @acknowledged, undoes that. The result is the VhmEvent, or NULL if it does
 * not exist. */
void vhm_store_acknowledge (VhmStore * store, guint64 number,
    gboolean acknowledged, VhmAnswer answer, gpointer data);

/* For modules that run their own SQL statements. */

/* Runs in the thread of the store. Returns SQLITE_DONE or an error of SQLite;
 * work that writes may also return SQLITE_OK. Sets @result, which free_result
 * of vhm_store_work() frees. It may run again if it could not be committed. */
typedef int (*VhmStoreWork) (sqlite3 * db, gpointer request,
    gpointer * result);

/* Runs @work, which writes or only reads. Takes @request. @answer may be
 * NULL. */
void vhm_store_work (VhmStore * store, gboolean writes, VhmStoreWork work,
    gpointer request, GDestroyNotify free_request, GDestroyNotify free_result,
    VhmAnswer answer, gpointer data);

/* Columns of the table events, for vhm_store_read_events(). */
#define VHM_EVENT_COLUMNS "events.number, events.camera, events.condition, " \
    "events.active, events.topic_active, events.value, events.threshold, " \
    "events.time, events.since, events.reason, events.acknowledged, " \
    "EXISTS (SELECT 1 FROM pictures p WHERE p.number = events.number), " \
    "events.outage"
#define VHM_N_EVENT_COLUMNS 13

/* The event in the current row of @statement, or NULL if a later version has
 * written it. */
VhmEvent *vhm_store_read_event (sqlite3_stmt * statement);

/* Appends the events of @statement, which is freed and may be NULL. */
int vhm_store_read_events (sqlite3 * db, sqlite3_stmt * statement,
    GPtrArray * events);

G_END_DECLS
