/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The SQLite database: its file, its tables, its versions. For one thread at a
 * time. */
#pragma once

#include <glib.h>
#include <sqlite3.h>

G_BEGIN_DECLS

#define VHM_DATABASE_ERROR (vhm_database_error_quark ())
GQuark vhm_database_error_quark (void);

/* Opens or creates @path. A damaged database is renamed, with its new name in a
 * warning, and a new one created. A database of a later version is an error. */
sqlite3 *vhm_database_open (const gchar * path, GError ** error);

/* The same, but events get numbers above @last. */
sqlite3 *vhm_database_open_above (const gchar * path, gint64 last,
    GError ** error);

/* How long to wait while others lock the database: 5 s if @patient, as after
 * opening, or 0.1 s. */
void vhm_database_set_busy_timeout (sqlite3 * db, gboolean patient);

/* Whether the file that @db has open is no longer at its path, because it was
 * deleted or replaced. */
gboolean vhm_database_has_moved (sqlite3 * db);

/* The highest number that an event in it ever had; 0 without one. */
gint64 vhm_database_get_last_number (sqlite3 * db);

/* Whether SQLite's @code means that the file is damaged. */
gboolean vhm_database_is_damage (int code);

/* Closes @db, renames its file as vhm_database_open() does, and opens a new
 * one. */
sqlite3 *vhm_database_replace (sqlite3 * db, const gchar * path,
    GError ** error);

/* Runs a statement to its end with the arguments in @format: i for gint64, d
 * for gdouble, s for const gchar *, b for GBytes *, which must not be NULL.
 * Returns SQLite's code. */
int vhm_database_run (sqlite3 * db, const gchar * sql, const gchar * format,
    ...);

/* Prepares and binds the same way, for sqlite3_step() and sqlite3_finalize().
 * NULL on an error. */
sqlite3_stmt *vhm_database_prepare (sqlite3 * db, const gchar * sql,
    const gchar * format, ...);

/* Passes each row of @statement, which is freed and may be NULL, to @read_row.
 * Returns SQLite's code. */
typedef void (*VhmReadRow) (sqlite3_stmt * row, gpointer data);
int vhm_database_read (sqlite3 * db, sqlite3_stmt * statement,
    VhmReadRow read_row, gpointer data);

/* The number that @sql selects, or 0. Sets SQLite's @code unless it is NULL. */
gint64 vhm_database_get_number (sqlite3 * db, const gchar * sql, int *code);

/* The blob in @column of the current row, or NULL if there is none. */
GBytes *vhm_database_get_blob (sqlite3_stmt * statement, int column);

G_END_DECLS
