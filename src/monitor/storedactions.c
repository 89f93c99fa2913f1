/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "storedactions.h"

#include "cleantext.h"
#include "event.h"

/* The newest ones of each role are kept, whatever clients do in a day: viewers,
 * who can only log in, must not push out what operators did. */
#define MAX_ACTIONS 100000

#define MAX_NOTE_BYTES 200

/* Finding the surplus takes as long as writing many actions, so it is only
 * deleted after so many of them. */
#define SURPLUS_ACTIONS 1000

VhmAction *
vhm_action_new (const VhmUser * user, const gchar * name,
    const gchar * camera, const gchar * condition)
{
  VhmAction *action = g_new0 (VhmAction, 1);

  action->time = g_get_real_time ();
  action->user = g_strdup (user->name);
  action->role = g_strdup (vhm_role_get_name (user->role));
  action->name = g_strdup (name);
  action->camera = g_strdup (camera);
  action->condition = g_strdup (condition);
  action->note = g_strdup ("");
  return action;
}

void
vhm_action_set_note (VhmAction * action, const gchar * note)
{
  g_free (action->note);
  action->note = g_strstrip (vhm_clean_text (note ? note : "", MAX_NOTE_BYTES,
          "…"));
}

void
vhm_action_free (VhmAction * action)
{
  g_free (action->user);
  g_free (action->role);
  g_free (action->name);
  g_free (action->camera);
  g_free (action->condition);
  g_free (action->note);
  g_free (action);
}

/* Adding */

static int
delete_surplus (sqlite3 * db)
{
  int code = SQLITE_DONE;
  VhmRole role;

  if (sqlite3_last_insert_rowid (db) % SURPLUS_ACTIONS)
    return SQLITE_DONE;
  for (role = 0; code == SQLITE_DONE && role < VHM_N_ROLES; role++)
    code = vhm_database_run (db, "DELETE FROM actions WHERE role = ?1 "
        "AND number <= (SELECT number FROM actions WHERE role = ?1 "
        "ORDER BY number DESC LIMIT 1 OFFSET ?2)", "si",
        vhm_role_get_name (role), (gint64) MAX_ACTIONS);
  return code;
}

static int
write_action (sqlite3 * db, gpointer request, G_GNUC_UNUSED gpointer * result)
{
  const VhmAction *action = request;
  const int code = vhm_database_run (db, "INSERT INTO actions "
      "(time, user, role, action, camera, condition, event, until, note) "
      "VALUES (?,?,?,?,?,?,?,?,?)", "isssssiis", action->time, action->user,
      action->role, action->name, action->camera, action->condition,
      (gint64) action->event, action->until, action->note);

  return code == SQLITE_DONE ? delete_surplus (db) : code;
}

int
vhm_store_write_event_action (sqlite3 * db, const VhmAction * action,
    guint64 event)
{
  const int code = vhm_database_run (db, "INSERT INTO actions "
      "(time, user, role, action, camera, condition, event, until, note) "
      "SELECT ?, ?, ?, ?, camera, condition, number, 0, ? FROM events "
      "WHERE number = ?", "issssi", action->time, action->user, action->role,
      action->name, action->note, (gint64) event);

  return code == SQLITE_DONE ? delete_surplus (db) : code;
}

int
vhm_store_write_acknowledgement (sqlite3 * db, const VhmAction * action,
    guint64 event)
{
  const int code = vhm_database_run (db, "UPDATE actions SET user = ?1, "
      "role = ?2, note = coalesce (nullif (?3, ''), note) "
      "WHERE action = ?4 AND user = '' AND number = "
      "(SELECT max (number) FROM actions WHERE event = ?5)", "ssssi",
      action->user, action->role, action->note, action->name, (gint64) event);

  return code != SQLITE_DONE || sqlite3_changes (db) ? code :
      vhm_store_write_event_action (db, action, event);
}

void
vhm_store_add_action (VhmStore * store, VhmAction * action)
{
  vhm_store_work (store, TRUE, write_action, action,
      (GDestroyNotify) vhm_action_free, NULL, NULL, NULL);
}

int
vhm_store_delete_actions (sqlite3 * db, gint64 minute)
{
  return vhm_database_run (db, "DELETE FROM actions WHERE time < "
      "min (?, (SELECT min (time) FROM actions) + ?)", "ii",
      minute * G_TIME_SPAN_MINUTE, (gint64) G_TIME_SPAN_DAY);
}

/* Listing */

static gchar *
get_text (sqlite3_stmt * row, int column)
{
  return g_strdup ((const gchar *) sqlite3_column_text (row, column));
}

static void
append_action (sqlite3_stmt * row, gpointer actions)
{
  VhmAction *action = g_new (VhmAction, 1);

  action->number = sqlite3_column_int64 (row, 0);
  action->time = sqlite3_column_int64 (row, 1);
  action->user = get_text (row, 2);
  action->role = get_text (row, 3);
  action->name = get_text (row, 4);
  action->camera = get_text (row, 5);
  action->condition = get_text (row, 6);
  action->event = sqlite3_column_int64 (row, 7);
  action->until = sqlite3_column_int64 (row, 8);
  action->note = get_text (row, 9);
  g_ptr_array_add (actions, action);
}

typedef struct
{
  gchar *camera;
  guint64 before;
  guint limit;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;

  g_free (request->camera);
  g_free (request);
}

/* An index finds those of a camera, if the condition is simple. */
#define ACTIONS(which) "SELECT number, time, user, role, action, camera, " \
    "condition, event, until, note FROM actions WHERE " which \
    " AND number < ?2 ORDER BY number DESC LIMIT ?3"

static int
list_actions (sqlite3 * db, gpointer data, gpointer * result)
{
  const Request *request = data;

  *result =
      g_ptr_array_new_with_free_func ((GDestroyNotify) vhm_action_free);
  return vhm_database_read (db, vhm_database_prepare (db,
          *request->camera ? ACTIONS ("camera = ?1") : ACTIONS ("?1 = ''"),
          "sii", request->camera, (gint64) request->before,
          (gint64) request->limit), append_action, *result);
}

void
vhm_store_list_actions (VhmStore * store, const gchar * camera,
    guint64 before, guint limit, VhmAnswer answer, gpointer data)
{
  const Request request = { g_strdup (camera ? camera : ""), before, limit };

  vhm_store_work (store, FALSE, list_actions, g_memdup2 (&request,
          sizeof request), request_free, (GDestroyNotify) g_ptr_array_unref,
      answer, data);
}

/* Snoozes */

static int
delete_snooze (sqlite3 * db, gpointer request, G_GNUC_UNUSED gpointer * result)
{
  const VhmAction *action = request;

  return vhm_database_run (db, "DELETE FROM snoozes WHERE camera = ? "
      "AND condition = ?", "ss", action->camera, action->condition);
}

static int
write_snooze (sqlite3 * db, gpointer request, gpointer * result)
{
  const VhmAction *action = request;
  const int code = !action->until ? delete_snooze (db, request, result) :
      vhm_database_run (db, "INSERT OR REPLACE INTO snoozes "
      "(camera, condition, until, user, note) VALUES (?,?,?,?,?)", "ssiss",
      action->camera, action->condition, action->until, action->user,
      action->note);

  return code == SQLITE_DONE ? write_action (db, request, result) : code;
}

void
vhm_store_set_snooze (VhmStore * store, VhmAction * action, VhmAnswer answer,
    gpointer data)
{
  vhm_store_work (store, TRUE, write_snooze, action,
      (GDestroyNotify) vhm_action_free, NULL, answer, data);
}

static int
end_snooze (sqlite3 * db, gpointer request, G_GNUC_UNUSED gpointer * result)
{
  const VhmAction *action = request;

  return vhm_database_run (db, "DELETE FROM snoozes WHERE camera = ? "
      "AND condition = ? AND until = ?", "ssi", action->camera,
      action->condition, action->until);
}

void
vhm_store_end_snooze (VhmStore * store, const gchar * camera,
    const gchar * condition, gint64 until)
{
  VhmAction *action = g_new0 (VhmAction, 1);

  action->camera = g_strdup (camera);
  action->condition = g_strdup (condition);
  action->until = until;
  vhm_store_work (store, TRUE, end_snooze, action,
      (GDestroyNotify) vhm_action_free, NULL, NULL, NULL);
}

static void
append_name (sqlite3_stmt * row, gpointer names)
{
  g_ptr_array_add (names, get_text (row, 0));
}

static int
list_snoozed (sqlite3 * db, G_GNUC_UNUSED gpointer request, gpointer * result)
{
  *result = g_ptr_array_new_with_free_func (g_free);
  return vhm_database_read (db, vhm_database_prepare (db,
          "SELECT DISTINCT camera FROM snoozes", ""), append_name, *result);
}

void
vhm_store_list_snoozed (VhmStore * store, VhmAnswer answer, gpointer data)
{
  vhm_store_work (store, FALSE, list_snoozed, NULL, NULL,
      (GDestroyNotify) g_ptr_array_unref, answer, data);
}

static int
forget_snoozes (sqlite3 * db, gpointer camera, G_GNUC_UNUSED gpointer * result)
{
  return vhm_database_run (db, "DELETE FROM snoozes WHERE camera = ?", "s",
      camera);
}

void
vhm_store_forget_snoozes (VhmStore * store, const gchar * camera)
{
  vhm_store_work (store, TRUE, forget_snoozes, g_strdup (camera), g_free, NULL,
      NULL, NULL);
}

void
vhm_stored_snooze_free (VhmStoredSnooze * snooze)
{
  g_free (snooze->by);
  g_free (snooze->note);
  g_free (snooze);
}

static void
append_snooze (sqlite3_stmt * row, gpointer snoozes)
{
  const gchar *name = (const gchar *) sqlite3_column_text (row, 0);
  const gint condition = *name ? vhm_condition_from_name (name)
      : (gint) VHM_WHOLE_CAMERA;
  VhmStoredSnooze *snooze;

  /* A later version may have more conditions. */
  if (condition < 0)
    return;
  snooze = g_new (VhmStoredSnooze, 1);
  snooze->snooze = condition;
  snooze->until = sqlite3_column_int64 (row, 1);
  snooze->by = get_text (row, 2);
  snooze->note = get_text (row, 3);
  g_ptr_array_add (snoozes, snooze);
}

int
vhm_store_read_snoozes (sqlite3 * db, const gchar * camera,
    GPtrArray * snoozes)
{
  return vhm_database_read (db, vhm_database_prepare (db, "SELECT condition,"
          "until, user, note FROM snoozes WHERE camera = ?", "s", camera),
      append_snooze, snoozes);
}
