/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The SQLite database: its file, its tables, its versions. For one thread at a
 * time. */
#pragma once

#include <glib.h>
#include <sqlite3.h>

G_BEGIN_DECLS

#define VHM_DATABASE_ERROR (vhm_database_error_quark ())
GQuark vhm_database_error_quark (void);

/* Opens @path, or makes it. One that is damaged is renamed, with its name in a
 * message, and a new one begun. A database of a later version is an error. */
sqlite3 *vhm_database_open (const gchar * path, GError ** error);

/* The same, where events get numbers above @last. */
sqlite3 *vhm_database_open_above (const gchar * path, gint64 last,
    GError ** error);

/* Whether it waits longer for others that have it locked: 5 s, as it does once
 * it is open, or 0.1 s. */
void vhm_database_set_patience (sqlite3 * db, gboolean patient);

/* Whether the file that @db has open is not at its path any more: it was
 * deleted, or another one took its place. */
gboolean vhm_database_has_moved (sqlite3 * db);

/* The highest number that an event in it ever had; 0 where none had. */
gint64 vhm_database_get_last_number (sqlite3 * db);

/* Whether @code of SQLite says that the file itself is bad. */
gboolean vhm_database_is_damage (int code);

/* Closes @db, sets its file aside as vhm_database_open() does, and opens a new
 * one. */
sqlite3 *vhm_database_replace (sqlite3 * db, const gchar * path,
    GError ** error);

/* Binds @format: i for gint64, d for gdouble, s for const gchar *, b for
 * GBytes *, which may be NULL. Runs the statement to its end. Returns SQLite's
 * code. */
int vhm_database_run (sqlite3 * db, const gchar * sql, const gchar * format,
    ...);

/* The same, without running it: for sqlite3_step() and sqlite3_finalize(). NULL
 * if it cannot be prepared. */
sqlite3_stmt *vhm_database_prepare (sqlite3 * db, const gchar * sql,
    const gchar * format, ...);

/* A blob of a row that is being read, or NULL if it is none. */
GBytes *vhm_database_get_blob (sqlite3_stmt * statement, int column);

G_END_DECLS
