/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "store.h"

#include "mainthread.h"
#include "privatefile.h"

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

/* How long writers, such as events, may overtake rendering, which takes longer;
 * µs. */
#define MAX_OVERTAKING_TIME G_TIME_SPAN_SECOND

/* Maximum number of jobs in a commit, which costs the same for one job as for
 * many. */
#define MAX_JOBS_IN_COMMIT 256

typedef struct
{
  VhmStoreWork work;
  gpointer request;
  GDestroyNotify free_request;
  VhmAnswer answer;
  gpointer data;
  GDestroyNotify free_result;

  gboolean writes;
  VhmAnnounce announce;         /* of a request that must not be dropped */
  VhmRender render;
  gint64 due;                   /* monotonic µs: the order of jobs */
  gpointer result;
  gchar *why;
} Job;

struct _VhmStore
{
  gchar *path;
  int folder;                   /* locked; -1 if it could not be opened */
  GThread *thread;
  GAsyncQueue *jobs;

  /* its thread only */
  sqlite3 *db;                  /* NULL while it cannot be opened */
  GQueue unwritten;             /* of Job */
  VhmRetention retention;
  gboolean failing;
  gint64 tried;                 /* monotonic µs of the last attempt to write */
  gint64 last;                  /* numbers of events continue above this in a
                                 * file that is opened later */

  gchar *trouble;               /* main thread only */
};

/* Marks the end of the queue. */
static Job end_of_jobs;

static void
job_free (gpointer data)
{
  Job *job = data;

  if (job->free_request)
    job->free_request (job->request);
  if (job->result)
    job->free_result (job->result);
  g_free (job->why);
  g_free (job);
}

static void
answer_job (gpointer object, G_GNUC_UNUSED gpointer data)
{
  Job *job = object;

  if (job->answer)
    job->answer (job->data, job->announce ? job->request : job->result,
        job->why);
}

/* Takes @job. */
static void
answer_in_main_thread (Job * job)
{
  vhm_main_thread_call (answer_job, job, job_free, NULL, NULL);
}

static gint
compare_due (gconstpointer a, gconstpointer b, G_GNUC_UNUSED gpointer data)
{
  const gint64 first = ((const Job *) a)->due;
  const gint64 second = ((const Job *) b)->due;

  return (first > second) - (first < second);
}

static void
push_job (VhmStore * store, Job template)
{
  Job *job = g_memdup2 (&template, sizeof template);

  job->due = g_get_monotonic_time () + (job->render ? MAX_OVERTAKING_TIME : 0);
  g_async_queue_push_sorted (store->jobs, job, compare_due, NULL);
}

/* The thread */

/* A job may run again if it could not be committed. */
static int
run_job (VhmStore * store, Job * job)
{
  if (job->result)
    job->free_result (g_steal_pointer (&job->result));
  return job->work (store->db, job->request, &job->result);
}

static void
set_trouble (gpointer object, gpointer why)
{
  VhmStore *store = object;

  g_free (store->trouble);
  store->trouble = g_strdup (why);
}

/* @why is NULL once it works again. Everybody may see it, but no folder. */
static void
show_trouble (VhmStore * store, const gchar * why)
{
  GString *text = why ? g_string_new (why) : NULL;

  if (text)
    g_string_replace (text, store->path, FILE_NAME, 0);
  store->failing = why != NULL;
  vhm_main_thread_call (set_trouble, store, NULL,
      text ? g_string_free (text, FALSE) : NULL, g_free);
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

/* Announces what must not be dropped, and cannot be written yet. */
static void
announce_unwritten (VhmStore * store)
{
  GList *l;

  for (l = store->unwritten.head; l; l = l->next) {
    const Job *job = l->data;
    gpointer announced = job->announce ? job->announce (job->request) : NULL;
    Job *copy;

    if (!announced)
      continue;
    copy = g_new0 (Job, 1);
    copy->result = announced;
    copy->free_result = job->free_request;
    copy->answer = job->answer;
    copy->data = job->data;
    answer_in_main_thread (copy);
  }
}

/* Drops all other jobs: they are not worth keeping until the disk works
 * again. */
static void
drop_unwritten (VhmStore * store)
{
  GList *l, *next;

  for (l = store->unwritten.head; l; l = next) {
    Job *job = l->data;

    next = l->next;
    if (job->announce)
      continue;
    job->why = g_strdup ("cannot write to the database now");
    if (job->result)
      job->free_result (g_steal_pointer (&job->result));
    g_queue_delete_link (&store->unwritten, l);
    answer_in_main_thread (job);
  }
}

static int
write_jobs (VhmStore * store)
{
  int code = sqlite3_exec (store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
  GList *l;

  for (l = store->unwritten.head; l && (code == SQLITE_OK
          || code == SQLITE_DONE); l = l->next)
    code = run_job (store, l->data);
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
reopen_database (VhmStore * store, GError ** error)
{
  store->db = vhm_database_open_above (store->path, store->last, error);
  if (!store->db)
    return FALSE;
  store->retention.counted = FALSE;
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
  /* So that everyone sees it: the next write ends it. */
  store->tried = g_get_monotonic_time ();
  store->last = MAX (store->last, vhm_database_get_last_number (store->db));
  sqlite3_close_v2 (g_steal_pointer (&store->db));
  if (reopen_database (store, &error)) {
    vhm_database_run (store->db, "INSERT INTO notices (time, kind, text) "
        "VALUES (?, 'database', 'T' || substr (?, 2))", "is",
        g_get_real_time (), lost);
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
  if (!store->db && !reopen_database (store, &error)) {
    code = SQLITE_CANTOPEN;
    why = g_strdup (error->message);
    g_error_free (error);
  } else {
    vhm_database_set_busy_timeout (store->db, patient);
    code = write_jobs (store);
    why = g_strdup (sqlite3_errmsg (store->db));
  }
  store->tried = g_get_monotonic_time ();
  if (code == SQLITE_OK) {
    Job *job;

    while ((job = g_queue_pop_head (&store->unwritten)))
      answer_in_main_thread (job);
    report_trouble (store, NULL);
  } else {
    if (store->db)
      sqlite3_exec (store->db, "ROLLBACK", NULL, NULL, NULL);
    report_trouble (store, why);
    if (store->db && vhm_database_is_damage (code))
      replace_database (store);
    announce_unwritten (store);
    drop_unwritten (store);
  }
  g_free (why);
}

static void
render_result (Job * job)
{
  gpointer rendered = job->render (job->result);

  job->free_result (job->result);
  job->result = rendered;
  job->free_result = g_free;
}

/* Reads in one transaction: outside of one, each statement locks the file
 * again. */
static int
read_database (VhmStore * store, Job * job)
{
  int code = sqlite3_exec (store->db, "BEGIN", NULL, NULL, NULL);

  if (code == SQLITE_OK)
    code = run_job (store, job);
  if (code != SQLITE_DONE)
    job->why = g_strdup (sqlite3_errmsg (store->db));
  sqlite3_exec (store->db, "ROLLBACK", NULL, NULL, NULL);
  return code;
}

/* Takes @job. */
static void
run_reader (VhmStore * store, Job * job)
{
  const int code = store->db ? read_database (store, job) : SQLITE_CANTOPEN;

  if (code != SQLITE_DONE) {
    if (job->result)
      job->free_result (g_steal_pointer (&job->result));
    if (!job->why)
      job->why = g_strdup (sqlite3_errstr (code));
    g_warning ("%s: cannot read the database: %s", store->path, job->why);
    if (store->db && vhm_database_is_damage (code))
      replace_database (store);
  } else if (job->render)
    render_result (job);
  answer_in_main_thread (job);
}

/* Whether to write now. After a failure, a retry before each read would delay
 * the reads. */
static gboolean
may_write (const VhmStore * store)
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
    if (job == &end_of_jobs || may_write (store))
      write_unwritten (store, job == &end_of_jobs || !store->failing);
    else
      announce_unwritten (store);
    if (job && job != &end_of_jobs)
      run_reader (store, job);
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
  gchar *why;

  *folder = -1;
  if (g_mkdir_with_parents (path, 0700) || g_access (path, W_OK))
    return refuse_folder (path, g_strerror (errno), error);
  why = vhm_private_folder_check (path);
  if (why) {
    refuse_folder (path, why, error);
    g_free (why);
    return FALSE;
  }
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
  store->retention.max_picture_bytes =
      settings->pictures * G_GUINT64_CONSTANT (1000000);
  store->retention.days = settings->days;
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

VhmRetention *
vhm_store_get_retention (VhmStore * store)
{
  return &store->retention;
}

void
vhm_store_work (VhmStore * store, gboolean writes, VhmStoreWork work,
    gpointer request, GDestroyNotify free_request, GDestroyNotify free_result,
    VhmAnswer answer, gpointer data)
{
  push_job (store, (Job) {
      work, request, free_request, answer, data, free_result,
      .writes = writes});
}

void
vhm_store_render (VhmStore * store, VhmStoreWork work, gpointer request,
    GDestroyNotify free_request, GDestroyNotify free_result, VhmRender render,
    VhmAnswer answer, gpointer data)
{
  push_job (store, (Job) {
      work, request, free_request, answer, data, free_result,
      .render = render});
}

void
vhm_store_keep (VhmStore * store, VhmStoreWork work, gpointer request,
    GDestroyNotify free_request, VhmAnnounce announce, VhmAnswer answer,
    gpointer data)
{
  push_job (store, (Job) {
      work, request, free_request, answer, data, NULL,
      .writes = TRUE,.announce = announce});
}
