/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "outbox.h"

/* Parameters of a job for the store; each job uses some of them. */
typedef struct
{
  gchar *output;
  guint64 number;               /* of an event, or the id of a dead letter */
  guint64 done;                 /* the output is done with all events up to this
                                 * number */
  guint limit;
  gchar *text;                  /* a reason, topic or list of outputs */
  GPtrArray *topics;
} Request;

static Request *
request_new (const gchar * output, guint64 number)
{
  Request *request = g_new0 (Request, 1);

  request->output = g_strdup (output);
  request->number = number;
  return request;
}

static void
request_free (gpointer data)
{
  Request *request = data;

  g_free (request->output);
  g_free (request->text);
  g_clear_pointer (&request->topics, g_ptr_array_unref);
  g_free (request);
}

/* Progress of outputs */

static void
get_outbox (sqlite3_stmt * row, gpointer data)
{
  VhmOutbox *outbox = data;

  outbox->number = sqlite3_column_int64 (row, 0);
  outbox->queued = sqlite3_column_int64 (row, 1);
  outbox->dead = sqlite3_column_int64 (row, 2);
}

static int
open_outbox (sqlite3 * db, gpointer data, gpointer * result)
{
  const Request *request = data;
  const int code = vhm_database_run (db, "INSERT INTO outputs (output, number) "
      "SELECT ?1, ifnull ((SELECT max (number) FROM events), 0) "
      "WHERE NOT EXISTS (SELECT 1 FROM outputs WHERE output = ?1)", "s",
      request->output);

  *result = g_new0 (VhmOutbox, 1);
  return code != SQLITE_DONE ? code : vhm_database_read (db,
      vhm_database_prepare (db, "SELECT number,"
          "(SELECT count (*) FROM events"
          " WHERE number > outputs.number AND NOT quiet) +"
          "(SELECT count (*) FROM dead_letters"
          " WHERE output = ?1 AND queued = 1),"
          "(SELECT count (*) FROM dead_letters"
          " WHERE output = ?1 AND queued = 0) "
          "FROM outputs WHERE output = ?1", "s", request->output), get_outbox,
      *result);
}

void
vhm_outbox_open (VhmStore * store, const gchar * output, VhmAnswer answer,
    gpointer data)
{
  vhm_store_work (store, TRUE, open_outbox, request_new (output, 0),
      request_free, g_free, answer, data);
}

static int
list_outbox (sqlite3 * db, gpointer data, gpointer * result)
{
  const Request *request = data;
  GPtrArray *events = vhm_events_new ();
  int code = vhm_store_read_events (db, vhm_database_prepare (db, "SELECT "
          VHM_EVENT_COLUMNS " FROM events WHERE number IN "
          "(SELECT number FROM dead_letters WHERE output = ? AND queued = 1) "
          "ORDER BY number LIMIT ?", "si", request->output,
          (gint64) request->limit), events);

  if (code == SQLITE_DONE && events->len < request->limit)
    code = vhm_store_read_events (db, vhm_database_prepare (db, "SELECT "
            VHM_EVENT_COLUMNS " FROM events WHERE number > ? AND NOT quiet "
            "ORDER BY number LIMIT ?", "ii", (gint64) request->number,
            (gint64) (request->limit - events->len)), events);
  *result = events;
  return code;
}

void
vhm_outbox_list (VhmStore * store, const gchar * output, guint64 after,
    guint limit, VhmAnswer answer, gpointer data)
{
  Request *request = request_new (output, after);

  request->limit = limit;
  vhm_store_work (store, FALSE, list_outbox, request, request_free,
      (GDestroyNotify) g_ptr_array_unref, answer, data);
}

static int
note_progress (sqlite3 * db, const Request * request)
{
  return vhm_database_run (db, "INSERT INTO outputs (output, number) "
      "VALUES (?1, ?2) ON CONFLICT DO UPDATE SET "
      "number = max (number, excluded.number)", "si", request->output,
      (gint64) request->done);
}

static int
note_done (sqlite3 * db, gpointer data, G_GNUC_UNUSED gpointer * result)
{
  const Request *request = data;
  const int code = vhm_database_run (db, "DELETE FROM dead_letters "
      "WHERE output = ? AND number = ? AND queued = 1", "si", request->output,
      (gint64) request->number);

  return code == SQLITE_DONE ? note_progress (db, request) : code;
}

void
vhm_outbox_done (VhmStore * store, const gchar * output, guint64 number,
    VhmAnswer answer, gpointer data)
{
  Request *request = request_new (output, number);

  request->done = number;
  vhm_store_work (store, TRUE, note_done, request, request_free, NULL, answer,
      data);
}

static int
note_given_up (sqlite3 * db, gpointer data, G_GNUC_UNUSED gpointer * result)
{
  const Request *request = data;
  /* The event may be missing, because the database was replaced. */
  const int code = vhm_database_run (db, "INSERT INTO dead_letters "
      "(output, number, time, reason) SELECT ?1, number, ?3, ?4 FROM events "
      "WHERE number = ?2 ON CONFLICT DO UPDATE SET time = excluded.time,"
      "reason = excluded.reason, queued = 0", "siis", request->output,
      (gint64) request->number, g_get_real_time (), request->text);

  return code == SQLITE_DONE ? note_progress (db, request) : code;
}

void
vhm_outbox_give_up (VhmStore * store, const gchar * output, guint64 number,
    guint64 done, const gchar * reason, VhmAnswer answer, gpointer data)
{
  Request *request = request_new (output, number);

  request->done = done;
  request->text = g_strdup (reason);
  vhm_store_work (store, TRUE, note_given_up, request, request_free, NULL,
      answer, data);
}

/* Dead letters */

static void
dead_letter_free (gpointer data)
{
  VhmDeadLetter *letter = data;

  g_free (letter->output);
  g_free (letter->reason);
  vhm_event_free (letter->event);
  g_free (letter);
}

static void
append_dead_letter (sqlite3_stmt * row, gpointer letters)
{
  VhmEvent *event = vhm_store_read_event (row);
  VhmDeadLetter *letter;

  if (!event)
    return;
  letter = g_new (VhmDeadLetter, 1);
  letter->event = event;
  letter->id = sqlite3_column_int64 (row, VHM_N_EVENT_COLUMNS);
  letter->output = g_strdup ((const gchar *)
      sqlite3_column_text (row, VHM_N_EVENT_COLUMNS + 1));
  letter->time = sqlite3_column_int64 (row, VHM_N_EVENT_COLUMNS + 2);
  letter->reason = g_strdup ((const gchar *)
      sqlite3_column_text (row, VHM_N_EVENT_COLUMNS + 3));
  letter->queued = sqlite3_column_int (row, VHM_N_EVENT_COLUMNS + 4);
  g_ptr_array_add (letters, letter);
}

static int
list_dead (sqlite3 * db, gpointer data, gpointer * result)
{
  const Request *request = data;

  *result = g_ptr_array_new_with_free_func (dead_letter_free);
  return vhm_database_read (db, vhm_database_prepare (db, "SELECT "
          VHM_EVENT_COLUMNS ", d.id, d.output, d.time, d.reason, d.queued "
          "FROM dead_letters d JOIN events ON events.number = d.number "
          "WHERE d.id > ? ORDER BY d.id LIMIT ?", "ii",
          (gint64) request->number, (gint64) request->limit),
      append_dead_letter, *result);
}

void
vhm_outbox_list_dead (VhmStore * store, guint64 after, guint limit,
    VhmAnswer answer, gpointer data)
{
  Request *request = request_new (NULL, after);

  request->limit = limit;
  vhm_store_work (store, FALSE, list_dead, request, request_free,
      (GDestroyNotify) g_ptr_array_unref, answer, data);
}

/* Runs @sql, where ?1 is the id and ?2 the outputs. Sets @result to the number
 * of changed rows. */
static int
change_dead (sqlite3 * db, const gchar * sql, const Request * request,
    gpointer * result)
{
  guint64 *count = g_new0 (guint64, 1);
  const int code = vhm_database_run (db, sql, "is", (gint64) request->number,
      request->text);

  if (code == SQLITE_DONE)
    *count = sqlite3_changes (db);
  *result = count;
  return code;
}

/* True if the output of a row is one of those in ?2 */
#define IS_THERE "instr (?2, '/' || output || '/')"

/* Takes @outputs. The text of the request has slashes around each name, which
 * cannot contain them. */
static Request *
change_new (guint64 id, GPtrArray * outputs)
{
  Request *request = request_new (NULL, id);
  GString *text = g_string_new ("/");
  guint i;

  for (i = 0; i < outputs->len; i++)
    g_string_append_printf (text, "%s/",
        (const gchar *) g_ptr_array_index (outputs, i));
  g_ptr_array_unref (outputs);
  request->text = g_string_free (text, FALSE);
  return request;
}

static int
requeue_dead (sqlite3 * db, gpointer data, gpointer * result)
{
  return change_dead (db, "UPDATE dead_letters SET queued = 1 "
      "WHERE queued = 0 AND ?1 IN (0, id) AND " IS_THERE, data, result);
}

void
vhm_outbox_requeue (VhmStore * store, guint64 id, GPtrArray * outputs,
    VhmAnswer answer, gpointer data)
{
  vhm_store_work (store, TRUE, requeue_dead, change_new (id, outputs),
      request_free, g_free, answer, data);
}

static int
discard_dead (sqlite3 * db, gpointer data, gpointer * result)
{
  return change_dead (db, "DELETE FROM dead_letters "
      "WHERE ?1 IN (0, id) AND (queued = 0 OR NOT " IS_THERE ")", data,
      result);
}

void
vhm_outbox_discard (VhmStore * store, guint64 id, GPtrArray * outputs,
    VhmAnswer answer, gpointer data)
{
  vhm_store_work (store, TRUE, discard_dead, change_new (id, outputs),
      request_free, g_free, answer, data);
}

/* Topics that a broker may have retained */

static void
append_topic (sqlite3_stmt * row, gpointer topics)
{
  g_ptr_array_add (topics, g_strdup ((const gchar *)
          sqlite3_column_text (row, 0)));
}

static int
list_topics (sqlite3 * db, G_GNUC_UNUSED gpointer request, gpointer * result)
{
  *result = g_ptr_array_new_with_free_func (g_free);
  return vhm_database_read (db, vhm_database_prepare (db,
          "SELECT topic FROM retained ORDER BY topic", ""), append_topic,
      *result);
}

void
vhm_outbox_list_topics (VhmStore * store, VhmAnswer answer, gpointer data)
{
  vhm_store_work (store, FALSE, list_topics, NULL, NULL,
      (GDestroyNotify) g_ptr_array_unref, answer, data);
}

static int
keep_topics (sqlite3 * db, gpointer data, G_GNUC_UNUSED gpointer * result)
{
  const Request *request = data;
  int code = SQLITE_DONE;
  guint i;

  for (i = 0; i < request->topics->len && code == SQLITE_DONE; i++)
    code = vhm_database_run (db,
        "INSERT OR IGNORE INTO retained (topic) VALUES (?)", "s",
        g_ptr_array_index (request->topics, i));
  return code;
}

void
vhm_outbox_keep_topics (VhmStore * store, GPtrArray * topics,
    VhmAnswer answer, gpointer data)
{
  Request *request = request_new (NULL, 0);

  request->topics = topics;
  vhm_store_work (store, TRUE, keep_topics, request, request_free, NULL,
      answer, data);
}

static int
forget_topic (sqlite3 * db, gpointer data, G_GNUC_UNUSED gpointer * result)
{
  const Request *request = data;

  return vhm_database_run (db, "DELETE FROM retained WHERE topic = ?", "s",
      request->text);
}

void
vhm_outbox_forget_topic (VhmStore * store, const gchar * topic)
{
  Request *request = request_new (NULL, 0);

  request->text = g_strdup (topic);
  vhm_store_work (store, TRUE, forget_topic, request, request_free, NULL,
      NULL, NULL);
}
