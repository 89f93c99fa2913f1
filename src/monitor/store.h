/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stores everything in a SQLite database, in a thread of its own: callers never
 * wait for a disk. All functions and their callbacks are for the main thread.
 * Requests are handled in order, except that rendering lets writers pass for a
 * while. */
#pragma once

#include "database.h"
#include "settingsserver.h"

G_BEGIN_DECLS

typedef struct _VhmStore VhmStore;

/* Opens or creates the database in the folder. A damaged one is renamed, with a
 * warning. NULL with an error if that fails. */
VhmStore *vhm_store_new (const VhmStoreSettings * settings, GError ** error);

/* Waits until everything is done. Returns FALSE if something could not be
 * stored. */
gboolean vhm_store_free (VhmStore * store);

/* Why it cannot write now, or NULL. */
const gchar *vhm_store_get_trouble (const VhmStore * store);

/* What is kept for how long, for requests: in the thread of the store. */
typedef struct
{
  guint64 max_picture_bytes;
  guint64 picture_bytes;        /* of all pictures, once @counted */
  gboolean counted;
  guint days;                   /* how long minutes and actions are kept */
  gint64 cleaned;               /* monotonic µs when old ones were deleted;
                                 * 0: not yet */
} VhmRetention;

VhmRetention *vhm_store_get_retention (VhmStore * store);

/* Requests. Each subject has its own: storedevents.h, storedcameras.h,
 * storedhistory.h, outbox.h. */

/* Runs in the thread of the store. Returns SQLITE_DONE or an error of SQLite;
 * work that writes may also return SQLITE_OK. Sets @result, which free_result
 * of the request frees. It may run again if it could not be committed. */
typedef int (*VhmStoreWork) (sqlite3 * db, gpointer request,
    gpointer * result);

/* Called by the main loop, so not after that has ended: @data may then be freed
 * before the store is. @result is freed after the call. On an error it is NULL,
 * and @why is the reason. */
typedef void (*VhmAnswer) (gpointer data, gpointer result, const gchar * why);

/* Runs @work, which writes or only reads. Takes @request. @answer may be
 * NULL. */
void vhm_store_work (VhmStore * store, gboolean writes, VhmStoreWork work,
    gpointer request, GDestroyNotify free_request, GDestroyNotify free_result,
    VhmAnswer answer, gpointer data);

/* Converts a result, which stays the caller's, in the thread of the store. To
 * be freed with g_free(). */
typedef gpointer (*VhmRender) (gpointer result);

/* Runs @work, which only reads, for what @render, which may be NULL, makes of
 * its result. */
void vhm_store_render (VhmStore * store, VhmStoreWork work, gpointer request,
    GDestroyNotify free_request, GDestroyNotify free_result, VhmRender render,
    VhmAnswer answer, gpointer data);

/* Returns what to answer, to be freed like @request, before it is written; NULL
 * for nothing. In the thread of the store. */
typedef gpointer (*VhmAnnounce) (gpointer request);

/* Runs @work, which writes. While it cannot be committed, the request waits,
 * and @answer gets what @announce returns. In the end it gets the request. */
void vhm_store_keep (VhmStore * store, VhmStoreWork work, gpointer request,
    GDestroyNotify free_request, VhmAnnounce announce, VhmAnswer answer,
    gpointer data);

G_END_DECLS
