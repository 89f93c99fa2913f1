/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is kept, in a SQLite database that a thread of its own works on: the
 * caller never waits for a disk. All functions are for the main thread, and so
 * are the functions that they call back. What is asked for first is done
 * first, except that what is rendered lets writers pass for a while. */
#pragma once

#include "camera.h"
#include "database.h"

G_BEGIN_DECLS

typedef struct _VhmStore VhmStore;

/* A minute of a camera. */
typedef struct
{
  gint64 minute;                /* since 1970 */
  guint frames;                 /* that came in it */
  guint measured;               /* frames that the following is of */
  gdouble average, low, high;   /* of luma: mean, lowest p1, highest p99;
                                 * levels */
  GstVideoHealthConditions active;      /* at any time of it */
} VhmMinute;

/* What happened to all cameras. */
typedef struct
{
  gint64 time;                  /* µs since 1970 */
  gchar *text;                  /* for people */
  gboolean over;                /* it says that what was wrong is over */
} VhmNotice;

/* Opens or makes the database in the folder. One that is damaged is set aside,
 * with a message. NULL with an error if there can be none. */
VhmStore *vhm_store_new (const VhmStoreSettings * settings, GError ** error);

/* Waits until all has been done. FALSE if not all could be stored. */
gboolean vhm_store_free (VhmStore * store);

/* Why it cannot write at the moment, or NULL. */
const gchar *vhm_store_get_trouble (const VhmStore * store);

/* Called with @event once it is on the disk, with its number; or once without
 * one if it cannot be written now, and again when it was. */
typedef void (*VhmStored) (gpointer data, const VhmEvent * event);

/* Takes @event. */
void vhm_store_add_event (VhmStore * store, VhmEvent * event,
    VhmStored stored, gpointer data);
void vhm_store_add_minute (VhmStore * store, const gchar * camera,
    const VhmMinute * minute);
void vhm_store_add_notice (VhmStore * store, const VhmNotice * notice);
void vhm_store_set_reference (VhmStore * store, const gchar * camera,
    GBytes * jpeg, gint64 time);

/* @result is freed after the call; NULL with a reason in @why if there is
 * none. */
typedef void (*VhmAnswer) (gpointer data, gpointer result, const gchar * why);

/* A gboolean: whether there is room for it. */
void vhm_store_add_picture (VhmStore * store, guint64 number, GBytes * jpeg,
    VhmAnswer answer, gpointer data);

/* A VhmMemory. */
void vhm_store_recall (VhmStore * store, const gchar * camera,
    VhmAnswer answer, gpointer data);

/* Which events are asked for. */
typedef struct
{
  const gchar *camera;          /* or NULL: of all */
  guint64 after, before;        /* their numbers are between these */
  gint64 from, until;           /* they were found from and before these times;
                                 * µs since 1970 */
  guint limit;                  /* at most so many */
  gboolean newest;              /* the last ones of them, not the first */
} VhmEventFilter;

#define VHM_ALL_EVENTS { NULL, 0, G_MAXINT64, G_MININT64, G_MAXINT64, 1, FALSE }

/* Makes something else of a result, which stays the caller's, in the thread of
 * the store. To be freed with g_free(). */
typedef gpointer (*VhmRender) (gpointer result);

/* A GPtrArray of VhmEvent, in the order of their numbers, or what @render makes
 * of it, which may be NULL. */
void vhm_store_list_events (VhmStore * store, const VhmEventFilter * filter,
    VhmRender render, VhmAnswer answer, gpointer data);

/* What @render makes of a GArray of VhmMinute, from and before these
 * minutes. */
void vhm_store_list_minutes (VhmStore * store, const gchar * camera,
    gint64 from, gint64 before, VhmRender render, VhmAnswer answer,
    gpointer data);

/* A GPtrArray of VhmNotice, at most @limit of them, the newest one first. */
void vhm_store_list_notices (VhmStore * store, guint limit,
    VhmAnswer answer, gpointer data);

/* A GBytes with the JPEG picture of an event, or NULL. */
void vhm_store_get_picture (VhmStore * store, guint64 number,
    VhmAnswer answer, gpointer data);

/* The VhmEvent, or NULL if there is none. It is acknowledged now if it was not
 * or, without @acknowledged, not any more. */
void vhm_store_acknowledge (VhmStore * store, guint64 number,
    gboolean acknowledged, VhmAnswer answer, gpointer data);

/* For files that have other work to be done in the database. */

/* Runs in the thread of the store. Returns SQLite's code: DONE, or OK where
 * there is no result. Sets @result where it has one, for which there is a
 * function that frees it. It may run again, if it could not be committed. */
typedef int (*VhmStoreWork) (sqlite3 * db, gpointer request,
    gpointer * result);

/* Has @work done, which writes or only reads. Takes @request. @answer may be
 * NULL. */
void vhm_store_work (VhmStore * store, gboolean writes, VhmStoreWork work,
    gpointer request, GDestroyNotify free_request, GDestroyNotify free_result,
    VhmAnswer answer, gpointer data);

/* Of the table events, for vhm_store_read_events(). */
#define VHM_EVENT_COLUMNS "events.number, events.camera, events.condition, " \
    "events.active, events.topic_active, events.value, events.threshold, " \
    "events.time, events.since, events.reason, events.acknowledged, " \
    "EXISTS (SELECT 1 FROM pictures p WHERE p.number = events.number), " \
    "events.outage"
#define VHM_N_EVENT_COLUMNS 13

/* The event of the row that @statement is at, or NULL if it is of a later
 * version. */
VhmEvent *vhm_store_read_event (sqlite3_stmt * statement);

/* Appends what @statement, which is freed, finds; it may be NULL. */
int vhm_store_read_events (sqlite3 * db, sqlite3_stmt * statement,
    GPtrArray * events);

G_END_DECLS
