/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "storedhistory.h"

#include "storedactions.h"

/* Interval between deletions of old minutes, µs. */
#define CLEANING_INTERVAL G_TIME_SPAN_HOUR

/* A minute to add, or the period of those to list or to try a rule on. */
typedef struct
{
  gchar *camera;
  VhmMinute minute;
  GBytes *limits;
  VhmRetention *retention;
  gint64 from, before;
  GstVideoHealthCondition condition;
  VhmThresholds thresholds;
  gboolean below;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;

  g_free (request->camera);
  g_clear_pointer (&request->limits, g_bytes_unref);
  g_free (request);
}

/* Deletes what is too old by at most a day at a time, and rarely: the clock may
 * be wrong by years for a while, which must not delete everything. */
static int
delete_old (sqlite3 * db, VhmRetention * retention, gint64 minute)
{
  const gint64 now = g_get_monotonic_time ();
  const gint64 first = minute - retention->days * G_GINT64_CONSTANT (1440);
  int code;

  if (retention->cleaned && now - retention->cleaned < CLEANING_INTERVAL)
    return SQLITE_DONE;
  retention->cleaned = now;
  code = vhm_database_run (db, "DELETE FROM minutes WHERE minute < "
      "min (?, (SELECT min (minute) FROM minutes) + 1440)", "i", first);
  return code == SQLITE_DONE ? vhm_store_delete_actions (db, first) : code;
}

static int
write_minute (sqlite3 * db, gpointer data, G_GNUC_UNUSED gpointer * result)
{
  const Request *request = data;
  const VhmMinute *minute = &request->minute;
  /* After a restart, adds to the minute that is stored already. */
  int code = vhm_database_run (db, "INSERT INTO minutes AS m "
      "(camera, minute, frames, measured, average, low, high, active, limits) "
      "VALUES (?,?,?,?,?,?,?,?,coalesce(?,x'')) ON CONFLICT DO UPDATE SET "
      "frames = m.frames + excluded.frames,"
      "measured = m.measured + excluded.measured,"
      "average = (m.average * m.measured + excluded.average *"
      " excluded.measured) / max (1, m.measured + excluded.measured),"
      "low = CASE WHEN m.measured = 0 THEN excluded.low"
      " WHEN excluded.measured = 0 THEN m.low"
      " ELSE min (m.low, excluded.low) END,"
      "high = CASE WHEN m.measured = 0 THEN excluded.high"
      " WHEN excluded.measured = 0 THEN m.high"
      " ELSE max (m.high, excluded.high) END,"
      "active = m.active | excluded.active,"
      "limits = CAST(m.limits || excluded.limits AS BLOB)", "siiidddib",
      request->camera,
      minute->minute, (gint64) minute->frames, (gint64) minute->measured,
      minute->average, minute->low, minute->high, (gint64) minute->active,
      request->limits);

  return code == SQLITE_DONE ? delete_old (db, request->retention,
      minute->minute) : code;
}

void
vhm_store_add_minute (VhmStore * store, const gchar * camera,
    const VhmMinute * minute, GBytes * limits)
{
  const Request request = { g_strdup (camera), *minute,
    g_bytes_ref (limits), vhm_store_get_retention (store)
  };

  vhm_store_work (store, TRUE, write_minute, g_memdup2 (&request,
          sizeof request), request_free, NULL, NULL, NULL);
}

static void
append_minute (sqlite3_stmt * row, gpointer minutes)
{
  const VhmMinute minute = { sqlite3_column_int64 (row, 0),
    sqlite3_column_int (row, 1), sqlite3_column_int (row, 2),
    sqlite3_column_double (row, 3), sqlite3_column_double (row, 4),
    sqlite3_column_double (row, 5), sqlite3_column_int (row, 6)
  };

  g_array_append_val ((GArray *) minutes, minute);
}

static int
list_minutes (sqlite3 * db, gpointer data, gpointer * result)
{
  const Request *request = data;

  *result = g_array_new (FALSE, FALSE, sizeof (VhmMinute));
  return vhm_database_read (db, vhm_database_prepare (db,
          "SELECT minute, frames, measured, average, low, high, active "
          "FROM minutes WHERE camera = ? AND minute >= ? AND minute < ? "
          "ORDER BY minute", "sii", request->camera, request->from,
          request->before), append_minute, *result);
}

void
vhm_store_list_minutes (VhmStore * store, const gchar * camera, gint64 from,
    gint64 before, VhmRender render, VhmAnswer answer, gpointer data)
{
  const Request request = {.camera = g_strdup (camera),.from = from,
    .before = before
  };

  vhm_store_render (store, list_minutes, g_memdup2 (&request, sizeof request),
      request_free, (GDestroyNotify) g_array_unref, render, answer, data);
}

static void
take_time (sqlite3_stmt * row, gpointer time)
{
  *(gint64 *) time = sqlite3_column_int64 (row, 0);
}

static int
find_last_run (sqlite3 * db, G_GNUC_UNUSED gpointer data, gpointer * result)
{
  *result = g_new0 (gint64, 1);
  /* An event after the last note shows that the program still ran. A clock that
   * was set back leaves events of the future. */
  return vhm_database_read (db, vhm_database_prepare (db,
          "SELECT ifnull ((SELECT max (e.time) FROM events e WHERE e.time "
          "BETWEEN running.time AND running.time + ?), running.time) "
          "FROM running", "i", (gint64) VHM_MIN_GAP), take_time, *result);
}

void
vhm_store_find_last_run (VhmStore * store, VhmAnswer answer, gpointer data)
{
  vhm_store_work (store, FALSE, find_last_run, NULL, NULL, g_free, answer,
      data);
}

static int
write_running (sqlite3 * db, gpointer time,
    G_GNUC_UNUSED gpointer * result)
{
  return vhm_database_run (db, "UPDATE running SET time = ?", "i",
      *(gint64 *) time);
}

void
vhm_store_set_running (VhmStore * store, gint64 time, VhmAnswer answer,
    gpointer data)
{
  vhm_store_work (store, TRUE, write_running, g_memdup2 (&time,
          sizeof time), g_free, NULL, answer, data);
}

/* Rules */

static void
try_minute (sqlite3_stmt * row, gpointer what_if)
{
  vhm_what_if_add (what_if, sqlite3_column_int64 (row, 0),
      sqlite3_column_blob (row, 1), sqlite3_column_bytes (row, 1));
}

static int
read_limits (sqlite3 * db, const Request * request, VhmReadRow take,
    gpointer data)
{
  return vhm_database_read (db, vhm_database_prepare (db,
          "SELECT minute, limits FROM minutes WHERE camera = ? "
          "AND minute >= ? AND minute < ? ORDER BY minute", "sii",
          request->camera, request->from, request->before), take, data);
}

static int
try_rule (sqlite3 * db, gpointer data, gpointer * result)
{
  const Request *request = data;

  int code;

  *result = vhm_what_if_new (request->condition, &request->thresholds);
  code = read_limits (db, request, try_minute, *result);
  if (request->limits) {
    gsize size;
    const guint8 *limits = g_bytes_get_data (request->limits, &size);

    vhm_what_if_add (*result, request->before - 1, limits, size);
  }
  return code;
}

void
vhm_store_try_rule (VhmStore * store, const gchar * camera, gint64 from,
    gint64 before, GstVideoHealthCondition condition,
    const VhmThresholds * thresholds, GBytes * limits, VhmAnswer answer,
    gpointer data)
{
  const Request request = {.camera = g_strdup (camera),.from = from,
    .before = before,.condition = condition,.thresholds = *thresholds,
    .limits = limits ? g_bytes_ref (limits) : NULL
  };

  vhm_store_work (store, FALSE, try_rule, g_memdup2 (&request, sizeof request),
      request_free, vhm_what_if_free, answer, data);
}

/* Values */

static void
add_to_curve (sqlite3_stmt * row, gpointer curve)
{
  vhm_curve_add (curve, sqlite3_column_int64 (row, 0),
      sqlite3_column_blob (row, 1), sqlite3_column_bytes (row, 1));
}

static int
read_curve (sqlite3 * db, gpointer data, gpointer * result)
{
  const Request *request = data;

  *result = vhm_curve_new (request->condition, request->below,
      request->before - request->from);
  return read_limits (db, request, add_to_curve, *result);
}

void
vhm_store_read_curve (VhmStore * store, const gchar * camera, gint64 from,
    gint64 before, GstVideoHealthCondition condition, gboolean below,
    VhmAnswer answer, gpointer data)
{
  const Request request = {.camera = g_strdup (camera),.from = from,
    .before = before,.condition = condition,.below = below
  };

  vhm_store_work (store, FALSE, read_curve, g_memdup2 (&request,
          sizeof request), request_free, vhm_curve_free, answer, data);
}

/* Notices */

VhmNotice *
vhm_notice_copy (const VhmNotice * notice)
{
  VhmNotice *copy = g_memdup2 (notice, sizeof *notice);

  copy->text = g_strdup (notice->text);
  copy->detail = g_strdup (notice->detail);
  return copy;
}

void
vhm_notice_free (VhmNotice * notice)
{
  g_free (notice->text);
  g_free (notice->detail);
  g_free (notice);
}

/* Also stored. */
static const gchar *const kinds[] = {
  [VHM_NOTICE_CONFIGURATION] = "configuration",
  [VHM_NOTICE_DATABASE] = "database",
  [VHM_NOTICE_GPU] = "gpu",
  [VHM_NOTICE_MACHINE] = "machine",
  [VHM_NOTICE_PROGRAM] = "program",
};

const gchar *
vhm_notice_kind_get_name (VhmNoticeKind kind)
{
  return kinds[kind];
}

static VhmNoticeKind
find_kind (const gchar * name)
{
  VhmNoticeKind kind = 0;

  while (kind + 1 < G_N_ELEMENTS (kinds) && !g_str_equal (name, kinds[kind]))
    kind++;
  return kind;
}

static int
write_notice (sqlite3 * db, gpointer request, G_GNUC_UNUSED gpointer * result)
{
  const VhmNotice *notice = request;

  return vhm_database_run (db,
      "INSERT INTO notices (time, kind, text, detail, over, since) "
      "VALUES (?, ?, ?, ?, ?, ?)", "isssii", notice->time,
      kinds[notice->kind], notice->text, notice->detail,
      (gint64) notice->over, notice->since);
}

/* Others have the notice without the store. */
static gpointer
announce_nothing (G_GNUC_UNUSED gpointer request)
{
  return NULL;
}

void
vhm_store_add_notice (VhmStore * store, const VhmNotice * notice,
    VhmAnswer answer, gpointer data)
{
  vhm_store_keep (store, write_notice, vhm_notice_copy (notice),
      (GDestroyNotify) vhm_notice_free, announce_nothing, answer, data);
}

static void
append_notice (sqlite3_stmt * row, gpointer notices)
{
  VhmNotice *notice = g_new (VhmNotice, 1);

  notice->time = sqlite3_column_int64 (row, 0);
  notice->kind = find_kind ((const gchar *) sqlite3_column_text (row, 1));
  notice->text = g_strdup ((const gchar *) sqlite3_column_text (row, 2));
  notice->detail = g_strdup ((const gchar *) sqlite3_column_text (row, 3));
  notice->over = sqlite3_column_int (row, 4);
  notice->since = sqlite3_column_int64 (row, 5);
  g_ptr_array_add (notices, notice);
}

static GPtrArray *
make_notices (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) vhm_notice_free);
}

static int
list_open_notices (sqlite3 * db, G_GNUC_UNUSED gpointer request,
    gpointer * result)
{
  *result = make_notices ();
  return vhm_database_read (db, vhm_database_prepare (db,
          "SELECT time, kind, text, detail, over, since FROM notices "
          "WHERE number IN (SELECT max (number) FROM notices "
          "WHERE kind IN (?, ?) GROUP BY kind) AND NOT over ORDER BY number",
          "ss", kinds[VHM_NOTICE_MACHINE], kinds[VHM_NOTICE_CONFIGURATION]),
      append_notice, *result);
}

void
vhm_store_list_open_notices (VhmStore * store, VhmAnswer answer, gpointer data)
{
  vhm_store_work (store, FALSE, list_open_notices, NULL, NULL,
      (GDestroyNotify) g_ptr_array_unref, answer, data);
}

static int
list_notices (sqlite3 * db, gpointer request, gpointer * result)
{
  *result = make_notices ();
  return vhm_database_read (db, vhm_database_prepare (db,
          "SELECT time, kind, text, detail, over, since FROM notices "
          "ORDER BY number DESC LIMIT ?", "i",
          (gint64) GPOINTER_TO_UINT (request)), append_notice, *result);
}

void
vhm_store_list_notices (VhmStore * store, guint limit, VhmAnswer answer,
    gpointer data)
{
  vhm_store_work (store, FALSE, list_notices, GUINT_TO_POINTER (limit), NULL,
      (GDestroyNotify) g_ptr_array_unref, answer, data);
}
