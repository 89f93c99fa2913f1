/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "store.h"

#include "mainthread.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define FILE_NAME "monitor.db"

/* Interval between write retries, and between checks that the file exists,
 * µs. */
#define RETRY_INTERVAL G_TIME_SPAN_SECOND

/* Interval between deletions of old minutes, µs. */
#define CLEANING_INTERVAL G_TIME_SPAN_HOUR

/* How long writers, such as events, may overtake rendering, which takes longer;
 * µs. */
#define MAX_OVERTAKING_TIME G_TIME_SPAN_SECOND

/* Maximum number of jobs in a commit, which costs the same for one job as for
 * many. */
#define MAX_JOBS_IN_COMMIT 256

typedef struct _Job Job;

/* Works on the database, in the thread of the store. Returns SQLITE_DONE or an
 * error of SQLite; a job that writes may also return SQLITE_OK. */
typedef int (*Work) (VhmStore * store, Job * job);

struct _Job
{
  Work work;
  gboolean writes;

  /* what it works on; each kind of job uses some of it */
  VhmEvent *event;
  gchar *camera, *text;
  guint64 number;
  gint64 from, before;
  guint limit;
  gboolean acknowledged, over;
  VhmEventFilter filter;        /* with its camera above */
  GBytes *bytes;
  VhmMinute minute;
  VhmStoreWork other;           /* of vhm_store_work() */
  gpointer request;
  GDestroyNotify free_request;

  VhmRender render;
  gint64 due;                   /* monotonic µs: the order of jobs */

  VhmStored stored;
  VhmAnswer answer;
  gpointer result;
  GDestroyNotify free_result;
  gchar *why;
  gpointer data;
};

struct _VhmStore
{
  gchar *path;
  int folder;                   /* locked; -1 if it could not be opened */
  guint64 max_picture_bytes;
  guint days;
  GThread *thread;
  GAsyncQueue *jobs;

  /* its thread only */
  sqlite3 *db;                  /* NULL while it cannot be opened */
  GQueue unwritten;             /* of Job */
  guint64 picture_bytes;
  gint64 cleaned;               /* monotonic µs when old minutes were deleted;
                                 * 0: not yet */
  gboolean failing;
  gint64 tried;                 /* monotonic µs of the last attempt to write */
  gint64 last;                  /* numbers of events continue above this in a
                                 * file that is opened later */

  gchar *trouble;               /* main thread only */
};

/* Marks the end of the queue. */
static Job end_of_jobs;

static Job *
job_new (Work work, gboolean writes)
{
  Job *job = g_new0 (Job, 1);

  job->work = work;
  job->writes = writes;
  return job;
}

static void
job_free (gpointer data)
{
  Job *job = data;

  g_clear_pointer (&job->event, vhm_event_free);
  g_free (job->camera);
  g_free (job->text);
  g_clear_pointer (&job->bytes, g_bytes_unref);
  if (job->request)
    job->free_request (job->request);
  if (job->result)
    job->free_result (job->result);
  g_free (job->why);
  g_free (job);
}

static void
finish (gpointer object, gpointer data)
{
  Job *job = object;

  (void) data;
  if (job->stored)
    job->stored (job->data, job->event);
  if (job->answer)
    job->answer (job->data, job->result, job->why);
}

/* Takes @job. */
static void
finish_in_main_thread (Job * job)
{
  vhm_main_thread_call (finish, job, job_free, NULL, NULL);
}

static gint
compare_due (gconstpointer a, gconstpointer b, gpointer data)
{
  const gint64 first = ((const Job *) a)->due;
  const gint64 second = ((const Job *) b)->due;

  (void) data;
  return (first > second) - (first < second);
}

/* Takes @job. */
static void
push (VhmStore * store, Job * job)
{
  job->due = g_get_monotonic_time () + (job->render ? MAX_OVERTAKING_TIME : 0);
  g_async_queue_push_sorted (store->jobs, job, compare_due, NULL);
}

/* Rows */

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
  event->time = sqlite3_column_int64 (row, 7);
  event->since = sqlite3_column_int64 (row, 8);
  g_free (event->reason);
  event->reason = g_strdup ((const gchar *) sqlite3_column_text (row, 9));
  event->acknowledged = sqlite3_column_int64 (row, 10);
  event->has_picture = sqlite3_column_int (row, 11);
  event->outage = sqlite3_column_int64 (row, 12);
  return event;
}

int
vhm_store_read_events (sqlite3 * db, sqlite3_stmt * statement,
    GPtrArray * events)
{
  int code = statement ? SQLITE_ROW : sqlite3_errcode (db);

  while (code == SQLITE_ROW) {
    code = sqlite3_step (statement);
    if (code == SQLITE_ROW) {
      VhmEvent *event = vhm_store_read_event (statement);

      if (event)
        g_ptr_array_add (events, event);
    }
  }
  sqlite3_finalize (statement);
  return code;
}

static GPtrArray *
new_events (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) vhm_event_free);
}

/* Writing */

static int
write_event (VhmStore * store, Job * job)
{
  VhmEvent *event = job->event;
  const int code = vhm_database_run (store->db,
      "INSERT INTO events (camera, condition, active, topic_active, value,"
      "threshold, time, since, reason, outage) VALUES (?,?,?,?,?,?,?,?,?,?)",
      "ssiiddiisi", event->camera,
      gst_video_health_condition_get_name (event->condition),
      (gint64) event->active, (gint64) event->topic_active, event->value,
      event->threshold, event->time, event->since, event->reason,
      event->outage);

  if (code == SQLITE_DONE)
    event->number = sqlite3_last_insert_rowid (store->db);
  return code;
}

static guint64
count_picture_bytes (VhmStore * store)
{
  sqlite3_stmt *statement = vhm_database_prepare (store->db,
      "SELECT ifnull (sum (length (jpeg)), 0) FROM pictures", "");
  guint64 bytes = 0;

  if (statement && sqlite3_step (statement) == SQLITE_ROW)
    bytes = sqlite3_column_int64 (statement, 0);
  sqlite3_finalize (statement);
  return bytes;
}

/* Deletes the oldest pictures until there is room. */
static int
delete_pictures (VhmStore * store)
{
  int code = SQLITE_DONE;

  while (code == SQLITE_DONE
      && store->picture_bytes > store->max_picture_bytes) {
    code = vhm_database_run (store->db, "DELETE FROM pictures WHERE number IN "
        "(SELECT number FROM pictures ORDER BY number LIMIT 16)", "");
    store->picture_bytes = count_picture_bytes (store);
  }
  return code;
}

static gboolean
has_picture (VhmStore * store, guint64 number)
{
  sqlite3_stmt *row = vhm_database_prepare (store->db,
      "SELECT 1 FROM pictures WHERE number = ?", "i", (gint64) number);
  const gboolean has = row && sqlite3_step (row) == SQLITE_ROW;

  sqlite3_finalize (row);
  return has;
}

static int
write_picture (VhmStore * store, Job * job)
{
  gboolean *kept;
  int code = vhm_database_run (store->db,
      "INSERT OR REPLACE INTO pictures (number, jpeg) "
      "SELECT number, ?2 FROM events WHERE number = ?1", "ib",
      (gint64) job->number, job->bytes);

  if (code != SQLITE_DONE)
    return code;
  store->picture_bytes += g_bytes_get_size (job->bytes);
  code = delete_pictures (store);
  g_clear_pointer (&job->result, g_free);
  kept = g_new (gboolean, 1);
  *kept = has_picture (store, job->number);
  job->result = kept;
  job->free_result = g_free;
  return code;
}

/* Deletes old minutes by at most a day at a time, and rarely: the clock may be
 * wrong by years for a while, which must not delete everything. */
static int
delete_minutes (VhmStore * store, gint64 minute)
{
  const gint64 now = g_get_monotonic_time ();

  if (store->cleaned && now - store->cleaned < CLEANING_INTERVAL)
    return SQLITE_DONE;
  store->cleaned = now;
  return vhm_database_run (store->db, "DELETE FROM minutes WHERE minute < "
      "min (?, (SELECT min (minute) FROM minutes) + 1440)", "i",
      minute - store->days * G_GINT64_CONSTANT (1440));
}

static int
write_minute (VhmStore * store, Job * job)
{
  const VhmMinute *minute = &job->minute;
  /* After a restart, adds to the minute that is stored already. */
  int code = vhm_database_run (store->db, "INSERT INTO minutes AS m "
      "(camera, minute, frames, measured, average, low, high, active) "
      "VALUES (?,?,?,?,?,?,?,?) ON CONFLICT DO UPDATE SET "
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
      "active = m.active | excluded.active", "siiidddi", job->camera,
      minute->minute, (gint64) minute->frames, (gint64) minute->measured,
      minute->average, minute->low, minute->high, (gint64) minute->active);

  return code == SQLITE_DONE ? delete_minutes (store, minute->minute) : code;
}

static int
write_notice (VhmStore * store, Job * job)
{
  return vhm_database_run (store->db,
      "INSERT INTO notices (time, text, over) VALUES (?, ?, ?)", "isi",
      job->from, job->text, (gint64) job->over);
}

static int
write_reference (VhmStore * store, Job * job)
{
  return vhm_database_run (store->db, "INSERT OR REPLACE INTO reference "
      "(camera, time, jpeg) VALUES (?,?,?)", "sib", job->camera, job->from,
      job->bytes);
}

static int
read_event (VhmStore * store, Job * job, GPtrArray * events)
{
  return vhm_store_read_events (store->db, vhm_database_prepare (store->db,
          "SELECT " VHM_EVENT_COLUMNS " FROM events WHERE number = ?", "i",
          (gint64) job->number), events);
}

static int
acknowledge (VhmStore * store, Job * job)
{
  GPtrArray *events = new_events ();
  int code = job->acknowledged ?
      vhm_database_run (store->db, "UPDATE events SET acknowledged = ? "
      "WHERE number = ? AND acknowledged = 0", "ii", g_get_real_time (),
      (gint64) job->number) :
      vhm_database_run (store->db, "UPDATE events SET acknowledged = 0 "
      "WHERE number = ?", "i", (gint64) job->number);

  if (code == SQLITE_DONE)
    code = read_event (store, job, events);
  if (events->len)
    job->result = vhm_event_copy (g_ptr_array_index (events, 0));
  job->free_result = (GDestroyNotify) vhm_event_free;
  g_ptr_array_unref (events);
  return code;
}

/* Reading */

static void
memory_free (gpointer data)
{
  VhmCameraRecord *record = data;

  g_ptr_array_unref (record->events);
  g_clear_pointer (&record->reference, g_bytes_unref);
  g_free (record);
}

static int
recall (VhmStore * store, Job * job)
{
  VhmCameraRecord *record = g_new0 (VhmCameraRecord, 1);
  sqlite3_stmt *row;
  int code;

  record->events = new_events ();
  job->result = record;
  job->free_result = memory_free;
  code = vhm_store_read_events (store->db, vhm_database_prepare (store->db,
          "SELECT " VHM_EVENT_COLUMNS " FROM events WHERE number IN "
          "(SELECT max (number) FROM events WHERE camera = ? "
          "GROUP BY condition)", "s", job->camera), record->events);
  if (code != SQLITE_DONE)
    return code;

  row = vhm_database_prepare (store->db,
      "SELECT time, jpeg FROM reference WHERE camera = ?", "s", job->camera);
  if (row && sqlite3_step (row) == SQLITE_ROW) {
    record->reference_time = sqlite3_column_int64 (row, 0);
    record->reference = vhm_database_get_blob (row, 1);
  }
  sqlite3_finalize (row);
  return SQLITE_DONE;
}

#define CHOSEN "(?1 = '' OR camera = ?1) AND number > ?2 AND number < ?3 " \
    "AND time >= ?4 AND time < ?5"

static int
list_events (VhmStore * store, Job * job)
{
  const VhmEventFilter *filter = &job->filter;
  GPtrArray *events = new_events ();

  job->result = events;
  job->free_result = (GDestroyNotify) g_ptr_array_unref;
  return vhm_store_read_events (store->db, vhm_database_prepare (store->db,
          filter->newest ? "SELECT * FROM (SELECT " VHM_EVENT_COLUMNS
          " FROM events WHERE " CHOSEN " ORDER BY number DESC LIMIT ?6) "
          "ORDER BY 1" : "SELECT " VHM_EVENT_COLUMNS " FROM events WHERE "
          CHOSEN " ORDER BY number LIMIT ?6", "siiiii", job->camera,
          (gint64) filter->after, (gint64) filter->before, filter->from,
          filter->until, (gint64) filter->limit), events);
}

static int
list_minutes (VhmStore * store, Job * job)
{
  GArray *minutes = g_array_new (FALSE, FALSE, sizeof (VhmMinute));
  sqlite3_stmt *row = vhm_database_prepare (store->db,
      "SELECT minute, frames, measured, average, low, high, active "
      "FROM minutes WHERE camera = ? AND minute >= ? AND minute < ? "
      "ORDER BY minute", "sii", job->camera, job->from, job->before);
  int code = row ? SQLITE_ROW : sqlite3_errcode (store->db);

  job->result = minutes;
  job->free_result = (GDestroyNotify) g_array_unref;
  while (code == SQLITE_ROW) {
    code = sqlite3_step (row);
    if (code == SQLITE_ROW) {
      const VhmMinute minute = { sqlite3_column_int64 (row, 0),
        sqlite3_column_int (row, 1), sqlite3_column_int (row, 2),
        sqlite3_column_double (row, 3), sqlite3_column_double (row, 4),
        sqlite3_column_double (row, 5), sqlite3_column_int (row, 6)
      };

      g_array_append_val (minutes, minute);
    }
  }
  sqlite3_finalize (row);
  return code;
}

static void
notice_free (gpointer data)
{
  VhmNotice *notice = data;

  g_free (notice->text);
  g_free (notice);
}

static int
list_notices (VhmStore * store, Job * job)
{
  GPtrArray *notices = g_ptr_array_new_with_free_func (notice_free);
  sqlite3_stmt *row = vhm_database_prepare (store->db,
      "SELECT time, text, over FROM notices ORDER BY number DESC LIMIT ?", "i",
      (gint64) job->limit);
  int code = row ? SQLITE_ROW : sqlite3_errcode (store->db);

  job->result = notices;
  job->free_result = (GDestroyNotify) g_ptr_array_unref;
  while (code == SQLITE_ROW) {
    code = sqlite3_step (row);
    if (code == SQLITE_ROW) {
      VhmNotice *notice = g_new (VhmNotice, 1);

      notice->time = sqlite3_column_int64 (row, 0);
      notice->text = g_strdup ((const gchar *) sqlite3_column_text (row, 1));
      notice->over = sqlite3_column_int (row, 2);
      g_ptr_array_add (notices, notice);
    }
  }
  sqlite3_finalize (row);
  return code;
}

static int
read_picture (VhmStore * store, Job * job)
{
  sqlite3_stmt *row = vhm_database_prepare (store->db,
      "SELECT jpeg FROM pictures WHERE number = ?", "i", (gint64) job->number);

  if (row && sqlite3_step (row) == SQLITE_ROW)
    job->result = vhm_database_get_blob (row, 0);
  job->free_result = (GDestroyNotify) g_bytes_unref;
  sqlite3_finalize (row);
  return row ? SQLITE_DONE : sqlite3_errcode (store->db);
}

static int
do_other (VhmStore * store, Job * job)
{
  if (job->result)
    job->free_result (g_steal_pointer (&job->result));
  return job->other (store->db, job->request, &job->result);
}

/* The thread */

static void
set_trouble (gpointer object, gpointer why)
{
  VhmStore *store = object;

  g_free (store->trouble);
  store->trouble = g_strdup (why);
}

/* @why is NULL once it works again. */
static void
show_trouble (VhmStore * store, const gchar * why)
{
  store->failing = why != NULL;
  vhm_main_thread_call (set_trouble, store, NULL, g_strdup (why), g_free);
}

static void
report_trouble (VhmStore * store, const gchar * why)
{
  if (!why && !store->failing)
    return;
  if (why && !store->failing)
    g_warning ("%s: cannot write to the database: %s", store->path, why);
  else if (!why)
    g_message ("%s: can write to the database again", store->path);
  show_trouble (store, why);
}

/* Reports events that cannot be stored yet: states do not depend on the
 * database. */
static void
tell_unwritten (VhmStore * store)
{
  GList *l;

  for (l = store->unwritten.head; l; l = l->next) {
    Job *job = l->data, *copy;

    if (!job->stored || job->event->told)
      continue;
    copy = job_new (NULL, FALSE);
    copy->event = vhm_event_copy (job->event);
    copy->event->number = 0;
    job->event->told = TRUE;
    copy->stored = job->stored;
    copy->data = job->data;
    finish_in_main_thread (copy);
  }
}

/* Drops all jobs except events: only those are worth keeping until the disk
 * works again. */
static void
drop_unwritten (VhmStore * store)
{
  GList *l, *next;

  for (l = store->unwritten.head; l; l = next) {
    Job *job = l->data;

    next = l->next;
    if (job->stored)
      continue;
    job->why = g_strdup ("cannot write to the database now");
    g_queue_delete_link (&store->unwritten, l);
    finish_in_main_thread (job);
  }
}

static int
write_all (VhmStore * store)
{
  int code = sqlite3_exec (store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
  GList *l;

  for (l = store->unwritten.head; l && (code == SQLITE_OK
          || code == SQLITE_DONE); l = l->next)
    code = ((Job *) l->data)->work (store, l->data);
  if (code == SQLITE_OK || code == SQLITE_DONE)
    code = sqlite3_exec (store->db, "COMMIT", NULL, NULL, NULL);
  return code;
}

static void
replace_database (VhmStore * store)
{
  GError *error = NULL;

  store->db = vhm_database_replace (store->db, store->path, &error);
  if (!store->db) {
    g_warning ("%s", error->message);
    g_error_free (error);
  }
}

/* Opens the file that is at the path now. */
static gboolean
open_again (VhmStore * store, GError ** error)
{
  store->db = vhm_database_open_above (store->path, store->last, error);
  if (!store->db)
    return FALSE;
  store->picture_bytes = count_picture_bytes (store);
  return TRUE;
}

/* Reopens the database if its file was deleted or replaced: what would be
 * written to the open file would be lost when the program ends. */
static void
follow_file (VhmStore * store)
{
  static const gchar lost[] = "the database file was deleted or replaced while "
      "the program ran: earlier events are missing";
  GError *error = NULL;

  if (!store->db || !vhm_database_has_moved (store->db))
    return;
  g_warning ("%s: %s; using the existing database, or creating one",
      store->path, lost);
  show_trouble (store, lost);
  store->last = MAX (store->last, vhm_database_get_last_number (store->db));
  sqlite3_close_v2 (g_steal_pointer (&store->db));
  if (open_again (store, &error)) {
    vhm_database_run (store->db, "INSERT INTO notices (time, text) "
        "VALUES (?, 'T' || substr (?, 2))", "is", g_get_real_time (), lost);
  } else {
    g_warning ("%s", error->message);
    g_error_free (error);
  }
}

/* Commits all waiting jobs, or none of them. @patient: waits longer while
 * others lock the database. */
static void
write_unwritten (VhmStore * store, gboolean patient)
{
  GError *error = NULL;
  gchar *why;
  int code;

  if (!store->unwritten.head)
    return;
  if (!store->db && !open_again (store, &error)) {
    code = SQLITE_CANTOPEN;
    why = g_strdup (error->message);
    g_error_free (error);
  } else {
    vhm_database_set_patience (store->db, patient);
    code = write_all (store);
    why = g_strdup (sqlite3_errmsg (store->db));
  }
  store->tried = g_get_monotonic_time ();
  if (code == SQLITE_OK) {
    Job *job;

    while ((job = g_queue_pop_head (&store->unwritten)))
      finish_in_main_thread (job);
    report_trouble (store, NULL);
  } else {
    if (store->db)
      sqlite3_exec (store->db, "ROLLBACK", NULL, NULL, NULL);
    report_trouble (store, why);
    if (store->db && vhm_database_is_damage (code))
      replace_database (store);
    tell_unwritten (store);
    drop_unwritten (store);
  }
  g_free (why);
}

static void
render (Job * job)
{
  gpointer rendered = job->render (job->result);

  job->free_result (job->result);
  job->result = rendered;
  job->free_result = g_free;
}

/* Takes @job. */
static void
read_for (VhmStore * store, Job * job)
{
  const int code = store->db ? job->work (store, job) : SQLITE_CANTOPEN;

  if (code != SQLITE_DONE) {
    if (job->result)
      job->free_result (g_steal_pointer (&job->result));
    job->why = g_strdup (store->db ? sqlite3_errmsg (store->db)
        : sqlite3_errstr (code));
    g_warning ("%s: cannot read the database: %s", store->path, job->why);
    if (store->db && vhm_database_is_damage (code))
      replace_database (store);
  } else if (job->render)
    render (job);
  finish_in_main_thread (job);
}

/* Whether to write now. After a failure, a retry before each read would delay
 * the reads. */
static gboolean
is_to_write (const VhmStore * store)
{
  return !store->failing
      || g_get_monotonic_time () - store->tried >= RETRY_INTERVAL;
}

static gpointer
store_thread (gpointer data)
{
  VhmStore *store = data;
  Job *job = NULL;

  while (job != &end_of_jobs) {
    job = g_async_queue_timeout_pop (store->jobs, RETRY_INTERVAL);
    while (job && job != &end_of_jobs && job->writes) {
      g_queue_push_tail (&store->unwritten, job);
      job = store->unwritten.length < MAX_JOBS_IN_COMMIT ?
          g_async_queue_try_pop (store->jobs) : NULL;
    }
    follow_file (store);
    if (job == &end_of_jobs || is_to_write (store))
      write_unwritten (store, job == &end_of_jobs || !store->failing);
    else
      tell_unwritten (store);
    if (job && job != &end_of_jobs)
      read_for (store, job);
  }
  if (store->unwritten.head)
    g_warning ("%s: could not write %u changes to the database", store->path,
        store->unwritten.length);
  return GUINT_TO_POINTER (store->unwritten.length);
}

/* The main thread */

static gboolean
refuse_folder (const gchar * path, const gchar * why, GError ** error)
{
  g_set_error (error, VHM_DATABASE_ERROR, SQLITE_CANTOPEN,
      "cannot use %s: %s: set another folder with directory=FOLDER in [store], "
      "or --directory=FOLDER", path, why);
  return FALSE;
}

/* Locks the folder for this process. With two processes, each would report
 * conditions that only the other has judged. The lock ends with the process,
 * however that ends. Some file systems have no locks. */
static gboolean
take_folder (const gchar * path, int *folder, GError ** error)
{
  *folder = -1;
  if (g_mkdir_with_parents (path, 0700) || g_access (path, W_OK))
    return refuse_folder (path, g_strerror (errno), error);
  *folder = g_open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (*folder >= 0 && flock (*folder, LOCK_EX | LOCK_NB)
      && errno == EWOULDBLOCK) {
    close (*folder);
    return refuse_folder (path, "another videohistogram-monitor is using it",
        error);
  }
  return TRUE;
}

static void
leave_folder (int folder)
{
  if (folder >= 0)
    close (folder);
}

VhmStore *
vhm_store_new (const VhmStoreSettings * settings, GError ** error)
{
  gchar *path;
  VhmStore *store;
  sqlite3 *db;
  int folder;

  if (!take_folder (settings->directory, &folder, error))
    return NULL;
  path = g_build_filename (settings->directory, FILE_NAME, NULL);
  db = vhm_database_open (path, error);
  if (!db) {
    leave_folder (folder);
    g_free (path);
    return NULL;
  }
  store = g_new0 (VhmStore, 1);
  store->path = path;
  store->folder = folder;
  store->db = db;
  store->max_picture_bytes = settings->pictures * G_GUINT64_CONSTANT (1000000);
  store->days = settings->days;
  store->picture_bytes = count_picture_bytes (store);
  store->jobs = g_async_queue_new ();
  g_queue_init (&store->unwritten);
  store->thread = g_thread_new ("store", store_thread, store);
  return store;
}

gboolean
vhm_store_free (VhmStore * store)
{
  gboolean all;

  g_async_queue_push (store->jobs, &end_of_jobs);
  all = !g_thread_join (store->thread);
  g_queue_clear_full (&store->unwritten, job_free);
  g_async_queue_unref (store->jobs);
  sqlite3_close_v2 (store->db);
  leave_folder (store->folder);
  g_free (store->path);
  g_free (store->trouble);
  g_free (store);
  return all;
}

const gchar *
vhm_store_get_trouble (const VhmStore * store)
{
  return store->trouble;
}

void
vhm_store_add_event (VhmStore * store, VhmEvent * event, VhmStored stored,
    gpointer data)
{
  Job *job = job_new (write_event, TRUE);

  job->event = event;
  job->stored = stored;
  job->data = data;
  push (store, job);
}

void
vhm_store_add_minute (VhmStore * store, const gchar * camera,
    const VhmMinute * minute)
{
  Job *job = job_new (write_minute, TRUE);

  job->camera = g_strdup (camera);
  job->minute = *minute;
  push (store, job);
}

void
vhm_store_add_notice (VhmStore * store, const VhmNotice * notice)
{
  Job *job = job_new (write_notice, TRUE);

  job->from = notice->time;
  job->text = g_strdup (notice->text);
  job->over = notice->over;
  push (store, job);
}

void
vhm_store_set_reference (VhmStore * store, const gchar * camera,
    GBytes * jpeg, gint64 time)
{
  Job *job = job_new (write_reference, TRUE);

  job->camera = g_strdup (camera);
  job->bytes = g_bytes_ref (jpeg);
  job->from = time;
  push (store, job);
}

/* Takes @job. */
static void
ask (VhmStore * store, Job * job, VhmAnswer answer, gpointer data)
{
  job->answer = answer;
  job->data = data;
  push (store, job);
}

void
vhm_store_add_picture (VhmStore * store, guint64 number, GBytes * jpeg,
    VhmAnswer answer, gpointer data)
{
  Job *job = job_new (write_picture, TRUE);

  job->number = number;
  job->bytes = g_bytes_ref (jpeg);
  ask (store, job, answer, data);
}

void
vhm_store_get_camera (VhmStore * store, const gchar * camera, VhmAnswer answer,
    gpointer data)
{
  Job *job = job_new (recall, FALSE);

  job->camera = g_strdup (camera);
  ask (store, job, answer, data);
}

void
vhm_store_list_events (VhmStore * store, const VhmEventFilter * filter,
    VhmRender render, VhmAnswer answer, gpointer data)
{
  Job *job = job_new (list_events, FALSE);

  job->render = render;

  job->filter = *filter;
  job->camera = g_strdup (filter->camera ? filter->camera : "");
  ask (store, job, answer, data);
}

void
vhm_store_list_minutes (VhmStore * store, const gchar * camera, gint64 from,
    gint64 before, VhmRender render, VhmAnswer answer, gpointer data)
{
  Job *job = job_new (list_minutes, FALSE);

  job->render = render;

  job->camera = g_strdup (camera);
  job->from = from;
  job->before = before;
  ask (store, job, answer, data);
}

void
vhm_store_list_notices (VhmStore * store, guint limit, VhmAnswer answer,
    gpointer data)
{
  Job *job = job_new (list_notices, FALSE);

  job->limit = limit;
  ask (store, job, answer, data);
}

void
vhm_store_get_picture (VhmStore * store, guint64 number, VhmAnswer answer,
    gpointer data)
{
  Job *job = job_new (read_picture, FALSE);

  job->number = number;
  ask (store, job, answer, data);
}

void
vhm_store_acknowledge (VhmStore * store, guint64 number,
    gboolean acknowledged, VhmAnswer answer, gpointer data)
{
  Job *job = job_new (acknowledge, TRUE);

  job->acknowledged = acknowledged;
  job->number = number;
  ask (store, job, answer, data);
}

void
vhm_store_work (VhmStore * store, gboolean writes, VhmStoreWork work,
    gpointer request, GDestroyNotify free_request, GDestroyNotify free_result,
    VhmAnswer answer, gpointer data)
{
  Job *job = job_new (do_other, writes);

  job->other = work;
  job->request = request;
  job->free_request = free_request;
  job->free_result = free_result;
  ask (store, job, answer, data);
}
