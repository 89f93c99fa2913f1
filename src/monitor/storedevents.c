/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "storedevents.h"

#include "storedactions.h"

#include <math.h>

/* Rows */

GPtrArray *
vhm_events_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) vhm_event_free);
}

VhmEvent *
vhm_store_read_event (sqlite3_stmt * row)
{
  const gint condition =
      vhm_condition_from_name ((const gchar *) sqlite3_column_text (row, 2));
  VhmEvent *event;

  /* A later version may have more conditions. */
  if (condition < 0)
    return NULL;
  event = vhm_event_new ((const gchar *) sqlite3_column_text (row, 1),
      condition);
  event->number = sqlite3_column_int64 (row, 0);
  event->active = sqlite3_column_int (row, 3);
  event->topic_active = sqlite3_column_int (row, 4);
  event->value = sqlite3_column_double (row, 5);
  event->threshold = sqlite3_column_double (row, 6);
  if (event->threshold == 0)
    event->threshold = NAN;
  event->time = sqlite3_column_int64 (row, 7);
  event->since = sqlite3_column_int64 (row, 8);
  g_free (event->reason);
  event->reason = g_strdup ((const gchar *) sqlite3_column_text (row, 9));
  event->acknowledged = sqlite3_column_int64 (row, 10);
  event->has_picture = sqlite3_column_int (row, 11);
  event->outage = sqlite3_column_int64 (row, 12);
  g_free (event->acknowledged_by);
  event->acknowledged_by =
      g_strdup ((const gchar *) sqlite3_column_text (row, 13));
  event->quiet = sqlite3_column_int (row, 14);
  event->active_since = sqlite3_column_int64 (row, 15);
  event->reference = sqlite3_column_int64 (row, 16);
  g_free (event->note);
  event->note = g_strdup ((const gchar *) sqlite3_column_text (row, 17));
  return event;
}

static void
append_event (sqlite3_stmt * row, gpointer events)
{
  VhmEvent *event = vhm_store_read_event (row);

  if (event)
    g_ptr_array_add (events, event);
}

int
vhm_store_read_events (sqlite3 * db, sqlite3_stmt * statement,
    GPtrArray * events)
{
  return vhm_database_read (db, statement, append_event, events);
}

/* Adding */

static int
write_event (sqlite3 * db, gpointer request, G_GNUC_UNUSED gpointer * result)
{
  VhmEvent *event = request;
  const int code = vhm_database_run (db,
      "INSERT INTO events (camera, condition, active, topic_active, value,"
      "threshold, time, since, reason, outage, quiet, active_since) "
      "VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", "ssiiddiisiii", event->camera,
      gst_video_health_condition_get_name (event->condition),
      (gint64) event->active, (gint64) event->topic_active, event->value,
      isnan (event->threshold) ? 0 : event->threshold, event->time,
      event->since, event->reason,
      event->outage, (gint64) event->quiet, event->active_since);

  if (code == SQLITE_DONE)
    event->number = sqlite3_last_insert_rowid (db);
  return code;
}

/* A copy without a number, once: states do not depend on the database. */
static gpointer
announce_event (gpointer request)
{
  VhmEvent *event = request, *copy;

  if (event->told)
    return NULL;
  copy = vhm_event_copy (event);
  copy->number = 0;
  event->told = TRUE;
  return copy;
}

void
vhm_store_add_event (VhmStore * store, VhmEvent * event, VhmAnswer answer,
    gpointer data)
{
  vhm_store_keep (store, write_event, event, (GDestroyNotify) vhm_event_free,
      announce_event, answer, data);
}

/* Pictures */

typedef struct
{
  guint64 number;
  GBytes *jpeg;
  VhmRetention *retention;
} Picture;

static void
picture_free (gpointer data)
{
  Picture *picture = data;

  g_bytes_unref (picture->jpeg);
  g_free (picture);
}

static void
count_picture_bytes (sqlite3 * db, VhmRetention * retention)
{
  retention->picture_bytes = vhm_database_get_number (db,
      "SELECT ifnull (sum (length (jpeg)), 0) FROM "
      "(SELECT jpeg FROM pictures UNION ALL SELECT jpeg FROM past_references)",
      NULL);
  retention->counted = TRUE;
}

/* Deletes the oldest pictures, and references that no picture has any more,
 * until there is room. */
static int
delete_pictures (sqlite3 * db, VhmRetention * retention)
{
  int code = SQLITE_DONE;

  while (code == SQLITE_DONE
      && retention->picture_bytes > retention->max_picture_bytes) {
    code = vhm_database_run (db, "DELETE FROM pictures WHERE number IN "
        "(SELECT number FROM pictures ORDER BY number LIMIT 16)", "");
    if (code == SQLITE_DONE)
      code = vhm_database_run (db, "DELETE FROM past_references WHERE NOT "
          "EXISTS (SELECT 1 FROM pictures WHERE reference = id)", "");
    count_picture_bytes (db, retention);
  }
  return code;
}

static void
get_time (sqlite3_stmt * row, gpointer result)
{
  const gint64 time = sqlite3_column_int64 (row, 0);

  *(gint64 **) result = g_memdup2 (&time, sizeof time);
}

/* Keeps the reference that the camera of the event has now. */
static int
keep_reference (sqlite3 * db, guint64 number, VhmRetention * retention)
{
  const int code = vhm_database_run (db,
      "INSERT OR IGNORE INTO past_references (camera, time, jpeg) "
      "SELECT camera, time, jpeg FROM reference "
      "WHERE camera = (SELECT camera FROM events WHERE number = ?)", "i",
      (gint64) number);

  if (code == SQLITE_DONE && sqlite3_changes (db))
    retention->picture_bytes += vhm_database_get_number (db,
        "SELECT length (jpeg) FROM past_references "
        "WHERE id = last_insert_rowid ()", NULL);
  return code;
}

static int
write_picture (sqlite3 * db, gpointer request, gpointer * result)
{
  const Picture *picture = request;
  VhmRetention *retention = picture->retention;
  int code = keep_reference (db, picture->number, retention);

  if (code == SQLITE_DONE)
    code = vhm_database_run (db,
        "INSERT OR REPLACE INTO pictures (number, jpeg, reference) "
        "SELECT number, ?2, (SELECT id FROM past_references "
        "JOIN reference USING (camera, time) "
        "WHERE reference.camera = events.camera) "
        "FROM events WHERE number = ?1", "ib", (gint64) picture->number,
        picture->jpeg);
  if (code != SQLITE_DONE)
    return code;
  if (retention->counted)
    retention->picture_bytes += g_bytes_get_size (picture->jpeg);
  else
    count_picture_bytes (db, retention);
  code = delete_pictures (db, retention);
  return code != SQLITE_DONE ? code : vhm_database_read (db,
      vhm_database_prepare (db, "SELECT r.time FROM pictures p "
          "LEFT JOIN past_references r ON r.id = p.reference "
          "WHERE p.number = ?", "i", (gint64) picture->number), get_time,
      result);
}

void
vhm_store_add_picture (VhmStore * store, guint64 number, GBytes * jpeg,
    VhmAnswer answer, gpointer data)
{
  const Picture picture = { number, g_bytes_ref (jpeg),
    vhm_store_get_retention (store)
  };

  vhm_store_work (store, TRUE, write_picture, g_memdup2 (&picture,
          sizeof picture), picture_free, g_free, answer, data);
}

static void
stored_picture_free (gpointer data)
{
  VhmStoredPicture *picture = data;

  g_bytes_unref (picture->jpeg);
  g_free (picture);
}

static void
get_picture (sqlite3_stmt * row, gpointer result)
{
  GBytes *jpeg = vhm_database_get_blob (row, 0);
  VhmStoredPicture *picture;

  /* It is empty. */
  if (!jpeg)
    return;
  picture = g_new (VhmStoredPicture, 1);
  picture->jpeg = jpeg;
  picture->time = sqlite3_column_int64 (row, 1);
  *(VhmStoredPicture **) result = picture;
}

static int
read_picture (sqlite3 * db, gpointer request, gpointer * result)
{
  return vhm_database_read (db, vhm_database_prepare (db,
          "SELECT jpeg, 0 FROM pictures WHERE number = ?", "i",
          *(gint64 *) request), get_picture, result);
}

static int
read_past_reference (sqlite3 * db, gpointer request, gpointer * result)
{
  return vhm_database_read (db, vhm_database_prepare (db,
          "SELECT r.jpeg, r.time FROM pictures p JOIN past_references r "
          "ON r.id = p.reference WHERE p.number = ?", "i",
          *(gint64 *) request), get_picture, result);
}

void
vhm_store_get_picture (VhmStore * store, guint64 number, VhmAnswer answer,
    gpointer data)
{
  vhm_store_work (store, FALSE, read_picture, g_memdup2 (&number,
          sizeof number), g_free, stored_picture_free, answer, data);
}

void
vhm_store_get_past_reference (VhmStore * store, guint64 number,
    VhmAnswer answer, gpointer data)
{
  vhm_store_work (store, FALSE, read_past_reference, g_memdup2 (&number,
          sizeof number), g_free, stored_picture_free, answer, data);
}

/* Listing */

static void
filter_free (gpointer data)
{
  VhmEventFilter *filter = data;

  g_free ((gchar *) filter->camera);
  g_free (filter);
}

/* The events of a period up to this, µs, are found by their times, and then
 * sorted by their numbers: in that order, newer events would come first. */
#define MAX_SORTED_PERIOD (32 * G_TIME_SPAN_DAY)

static const gchar *
choose_index (const VhmEventFilter * filter)
{
  if (filter->from > G_MININT64
      && filter->until <= filter->from + MAX_SORTED_PERIOD)
    return "INDEXED BY events_by_time";
  return *filter->camera ? "INDEXED BY events_of_camera" : "NOT INDEXED";
}

/* Finds the numbers first: for a period, the index has them without the rest
 * of the events. */
static int
list_events (sqlite3 * db, gpointer request, gpointer * result)
{
  const VhmEventFilter *filter = request;
  gchar *sql = g_strdup_printf ("SELECT " VHM_EVENT_COLUMNS
      " FROM events WHERE number IN (SELECT number FROM events %s WHERE %s "
      "AND number > ?2 AND number < ?3 AND time >= ?4 AND time < ?5 "
      "ORDER BY number %s LIMIT ?6) ORDER BY number",
      choose_index (filter), *filter->camera ? "camera = ?1" : "?1 = ''",
      filter->newest ? "DESC" : "ASC");
  int code;

  *result = vhm_events_new ();
  code = vhm_store_read_events (db, vhm_database_prepare (db, sql,
          "siiiii", filter->camera, (gint64) filter->after,
          (gint64) filter->before, filter->from, filter->until,
          (gint64) filter->limit), *result);
  g_free (sql);
  return code;
}

void
vhm_store_list_events (VhmStore * store, const VhmEventFilter * filter,
    VhmRender render, VhmAnswer answer, gpointer data)
{
  VhmEventFilter *request = g_memdup2 (filter, sizeof *filter);

  request->camera = g_strdup (filter->camera ? filter->camera : "");
  vhm_store_render (store, list_events, request, filter_free,
      (GDestroyNotify) g_ptr_array_unref, render, answer, data);
}

/* Acknowledging */

typedef struct
{
  GArray *numbers;              /* of guint64 */
  gboolean acknowledged;
  VhmAction *action;
} Acknowledgement;

static void
acknowledgement_free (gpointer data)
{
  Acknowledgement *request = data;

  g_array_unref (request->numbers);
  vhm_action_free (request->action);
  g_free (request);
}

static Acknowledgement *
acknowledgement_new (GArray * numbers, gboolean acknowledged,
    const VhmUser * user, const gchar * note)
{
  Acknowledgement *request = g_new (Acknowledgement, 1);

  request->numbers = numbers;
  request->acknowledged = acknowledged;
  request->action = vhm_action_new (user, acknowledged ?
      VHM_ACTION_ACKNOWLEDGE : VHM_ACTION_UNACKNOWLEDGE, "", "");
  vhm_action_set_note (request->action, note);
  return request;
}

/* Changes the event unless it is as wanted, and records that. The name of an
 * acknowledgement without one may follow: its time and note stay, and it is
 * recorded once. */
static int
change_event (sqlite3 * db, const Acknowledgement * request, guint64 number,
    gboolean * changed)
{
  const int code = request->acknowledged ?
      vhm_database_run (db, "UPDATE events SET "
      "acknowledged = coalesce (nullif (acknowledged, 0), ?1), "
      "acknowledged_by = ?2, note = coalesce (nullif (?3, ''), note) "
      "WHERE number = ?4 AND (acknowledged = 0 "
      "OR (acknowledged_by = '' AND ?2 != ''))", "issi", request->action->time,
      request->action->user, request->action->note, (gint64) number) :
      vhm_database_run (db, "UPDATE events SET "
      "acknowledged = 0, acknowledged_by = '', note = '' WHERE number = ? "
      "AND acknowledged != 0", "i", (gint64) number);

  *changed = code == SQLITE_DONE && sqlite3_changes (db);
  if (!*changed)
    return code;
  return request->acknowledged ?
      vhm_store_write_acknowledgement (db, request->action, number) :
      vhm_store_write_event_action (db, request->action, number);
}

static int
add_event (sqlite3 * db, guint64 number, GPtrArray * events)
{
  return vhm_store_read_events (db, vhm_database_prepare (db, "SELECT "
          VHM_EVENT_COLUMNS " FROM events WHERE number = ?", "i",
          (gint64) number), events);
}

static int
acknowledge_event (sqlite3 * db, gpointer data, gpointer * result)
{
  const Acknowledgement *request = data;
  const guint64 number = g_array_index (request->numbers, guint64, 0);
  GPtrArray *events = vhm_events_new ();
  gboolean changed;
  int code = change_event (db, request, number, &changed);

  if (code == SQLITE_DONE)
    code = add_event (db, number, events);
  if (events->len)
    *result = g_ptr_array_steal_index (events, 0);
  g_ptr_array_unref (events);
  return code;
}

void
vhm_store_acknowledge (VhmStore * store, guint64 number,
    gboolean acknowledged, const VhmUser * user, const gchar * note,
    VhmAnswer answer, gpointer data)
{
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof number);

  g_array_append_val (numbers, number);
  vhm_store_work (store, TRUE, acknowledge_event,
      acknowledgement_new (numbers, acknowledged, user, note),
      acknowledgement_free, (GDestroyNotify) vhm_event_free, answer, data);
}

static int
acknowledge_events (sqlite3 * db, gpointer data, gpointer * result)
{
  const Acknowledgement *request = data;
  GPtrArray *events = vhm_events_new ();
  int code = SQLITE_DONE;
  guint i;

  *result = events;
  for (i = 0; code == SQLITE_DONE && i < request->numbers->len; i++) {
    const guint64 number = g_array_index (request->numbers, guint64, i);
    gboolean changed;

    code = change_event (db, request, number, &changed);
    if (code == SQLITE_DONE && changed)
      code = add_event (db, number, events);
  }
  return code;
}

void
vhm_store_acknowledge_all (VhmStore * store, GArray * numbers,
    gboolean acknowledged, const VhmUser * user, const gchar * note,
    VhmAnswer answer, gpointer data)
{
  vhm_store_work (store, TRUE, acknowledge_events,
      acknowledgement_new (numbers, acknowledged, user, note),
      acknowledgement_free, (GDestroyNotify) g_ptr_array_unref, answer, data);
}
