/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events in the store, with their pictures. */
#pragma once

#include "event.h"
#include "store.h"
#include "user.h"

G_BEGIN_DECLS

/* Takes @event. The result is the event with its number, once it is on disk. If
 * it cannot be written now, @answer gets it without a number first, and again
 * with one later. */
void vhm_store_add_event (VhmStore * store, VhmEvent * event, VhmAnswer answer,
    gpointer data);

/* Keeps the reference picture of the camera with it. The result is a gint64:
 * the time of that reference, 0 without one; or NULL if the picture was not
 * kept. */
void vhm_store_add_picture (VhmStore * store, guint64 number, GBytes * jpeg,
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

/* The result is a GPtrArray of VhmEvent, in the order of their numbers, or what
 * @render, which may be NULL, makes of it. */
void vhm_store_list_events (VhmStore * store, const VhmEventFilter * filter,
    VhmRender render, VhmAnswer answer, gpointer data);

typedef struct
{
  GBytes *jpeg;
  gint64 time;                  /* µs since 1970; 0: the time of the event */
} VhmStoredPicture;

/* The result is the VhmStoredPicture of an event, or the one of the reference
 * of its time, or NULL. */
void vhm_store_get_picture (VhmStore * store, guint64 number,
    VhmAnswer answer, gpointer data);
void vhm_store_get_past_reference (VhmStore * store, guint64 number,
    VhmAnswer answer, gpointer data);

/* Acknowledges the event if it is not acknowledged yet; with FALSE in
 * @acknowledged, undoes that. Records the change as an action of @user. The
 * result is the VhmEvent, or NULL if it does not exist. */
void vhm_store_acknowledge (VhmStore * store, guint64 number,
    gboolean acknowledged, const VhmUser * user, const gchar * note,
    VhmAnswer answer, gpointer data);

/* Likewise with several @numbers, an array of guint64, which it takes. The
 * result is a GPtrArray of the VhmEvent that it changed. */
void vhm_store_acknowledge_all (VhmStore * store, GArray * numbers,
    gboolean acknowledged, const VhmUser * user, const gchar * note,
    VhmAnswer answer, gpointer data);

/* Columns of the table events, for the functions below. */
#define VHM_EVENT_COLUMNS "events.number, events.camera, events.condition, " \
    "events.active, events.topic_active, events.value, events.threshold, " \
    "events.time, events.since, events.reason, events.acknowledged, " \
    "EXISTS (SELECT 1 FROM pictures p WHERE p.number = events.number), " \
    "events.outage, events.acknowledged_by, events.quiet, " \
    "events.active_since, (SELECT r.time FROM pictures p " \
    "JOIN past_references r ON r.id = p.reference " \
    "WHERE p.number = events.number), events.note"
#define VHM_N_EVENT_COLUMNS 18

/* The event in the current row of @statement, or NULL if a later version has
 * written it. */
VhmEvent *vhm_store_read_event (sqlite3_stmt * statement);

/* Appends the events of @statement, which is freed and may be NULL. */
int vhm_store_read_events (sqlite3 * db, sqlite3_stmt * statement,
    GPtrArray * events);

/* An array for events. */
GPtrArray *vhm_events_new (void);

G_END_DECLS
