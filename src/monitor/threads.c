/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE             /* default attributes of threads */
#include "threads.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Bytes. Threads of a thousand cameras reserve gigabytes with the usual 8 MiB;
 * decoders and elements need less than a tenth of this. */
#define STACK_SIZE (1024 * 1024)

/* What must be left before a pipeline starts. Some elements end the process if
 * they cannot create a thread. */
#define SPARE_THREADS 24
/* For each of those that start: areas of memory, and bytes. */
#define SPARE_AREAS 64
#define SPARE_BYTES (32 * 1024 * 1024)
/* Not all of them need that much at the same time. */
#define MAX_STARTING 16
/* For so long, memory that was found for many is not looked for again, µs: each
 * look keeps threads that need memory waiting. */
#define MAX_ROOM_AGE (G_TIME_SPAN_SECOND / 2)

/* How often tasks that got no thread are looked at, µs. */
#define POLL_INTERVAL 20000

/* On a machine that is too busy, a thread without this gets 68 times as much of
 * a processor. With 10, for nine times as much, requests took three times as
 * long as with 19. */
#define NICE 19

#define BUS "vhm-bus"

/* A task that got no thread. */
typedef struct
{
  GstTaskPoolFunction function;
  GstTask *task;
} Job;

static GAsyncQueue *unstarted;  /* of Job */
static atomic_uint n_starting;  /* pipelines that have reserved room */

static gpointer
run_job (gpointer data)
{
  const Job job = *(Job *) data;

  g_free (data);
  vhm_threads_give_way ();
  job.function (job.task);
  return NULL;
}

/* Whoever stops a task waits until its function has run, which returns at once
 * then. */
static gpointer
end_tasks (G_GNUC_UNUSED gpointer data)
{
  while (TRUE) {
    Job *job = g_async_queue_pop (unstarted);

    if (gst_task_get_state (job->task) == GST_TASK_STOPPED)
      run_job (job);
    else {
      g_async_queue_push (unstarted, job);
      g_usleep (POLL_INTERVAL);
    }
  }
  return NULL;
}

/* In Linux, this is of one thread. */
void
vhm_threads_give_way (void)
{
  setpriority (PRIO_PROCESS, gettid (), NICE);
}

gboolean
vhm_threads_run (const gchar * name, GThreadFunc function, gpointer data,
    GError ** error)
{
  GError *failure = NULL;
  GThread *thread = g_thread_try_new (name, function, data, &failure);

  if (thread) {
    g_thread_unref (thread);
    return TRUE;
  }
  g_set_error (error, G_THREAD_ERROR, G_THREAD_ERROR_AGAIN, "cannot create "
      "another thread: %s: raise the limit with TasksMax= in the systemd unit, "
      "or with ulimit -Hu, or watch fewer cameras", failure->message);
  g_error_free (failure);
  return FALSE;
}

/* The pool */

G_DECLARE_FINAL_TYPE (VhmTaskPool, vhm_task_pool, VHM, TASK_POOL, GstTaskPool);

struct _VhmTaskPool
{
  GstTaskPool parent;
};

G_DEFINE_TYPE (VhmTaskPool, vhm_task_pool, GST_TYPE_TASK_POOL);

static void
prepare (G_GNUC_UNUSED GstTaskPool * pool, G_GNUC_UNUSED GError ** error)
{
}

static void
cleanup (G_GNUC_UNUSED GstTaskPool * pool)
{
}

static void
post_failure (GstTask * task, GError * failure)
{
  GstBus *bus = g_weak_ref_get (g_object_get_data (G_OBJECT (task), BUS));

  if (bus) {
    gst_bus_post (bus, gst_message_new_error (NULL, failure, NULL));
    gst_object_unref (bus);
  }
}

/* Always succeeds: GStreamer waits forever for a task that could not be
 * pushed. */
static gpointer
push (G_GNUC_UNUSED GstTaskPool * pool, GstTaskPoolFunction function,
    gpointer task, G_GNUC_UNUSED GError ** error)
{
  Job *job = g_new (Job, 1);
  GError *failure = NULL;

  job->function = function;
  job->task = task;
  if (vhm_threads_run ("task", run_job, job, &failure))
    return NULL;
  post_failure (task, failure);
  g_error_free (failure);
  g_async_queue_push (unstarted, job);
  return NULL;
}

static void
join (G_GNUC_UNUSED GstTaskPool * pool, G_GNUC_UNUSED gpointer id)
{
}

static void
vhm_task_pool_init (G_GNUC_UNUSED VhmTaskPool * pool)
{
}

static void
vhm_task_pool_class_init (VhmTaskPoolClass * klass)
{
  GstTaskPoolClass *pool_class = GST_TASK_POOL_CLASS (klass);

  pool_class->prepare = prepare;
  pool_class->cleanup = cleanup;
  pool_class->push = push;
  pool_class->join = join;
}

static GstTaskPool *
get_pool (void)
{
  static GstTaskPool *pool;

  if (g_once_init_enter (&pool))
    g_once_init_leave (&pool, g_object_ref_sink (g_object_new
            (vhm_task_pool_get_type (), NULL)));
  return pool;
}

static void
free_weak_ref (gpointer data)
{
  g_weak_ref_clear (data);
  g_free (data);
}

/* Messages that nobody has read keep elements, whose tasks must not keep the
 * bus in turn. */
static void
remember_bus (GstTask * task, GstBus * bus)
{
  GWeakRef *weak = g_new (GWeakRef, 1);

  g_weak_ref_init (weak, bus);
  g_object_set_data_full (G_OBJECT (task), BUS, weak, free_weak_ref);
}

void
vhm_threads_adopt (GstBus * bus, GstMessage * message)
{
  GstStreamStatusType type;
  const GValue *object;
  GstElement *owner;
  GstTask *task;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_STREAM_STATUS)
    return;
  gst_message_parse_stream_status (message, &type, &owner);
  object = gst_message_get_stream_status_object (message);
  if (type != GST_STREAM_STATUS_TYPE_CREATE || !object
      || !G_VALUE_HOLDS (object, GST_TYPE_TASK))
    return;
  task = g_value_get_object (object);
  remember_bus (task, bus);
  gst_task_set_pool (task, get_pool ());
}

/* Room for another pipeline */

typedef struct
{
  GMutex lock;
  GCond change;
  gboolean ended;
  guint threads;                /* that wait */
} Gate;

static gpointer
wait_at (gpointer data)
{
  Gate *gate = data;

  g_mutex_lock (&gate->lock);
  while (!gate->ended)
    g_cond_wait (&gate->change, &gate->lock);
  gate->threads--;
  g_cond_broadcast (&gate->change);
  g_mutex_unlock (&gate->lock);
  return NULL;
}

static gboolean
have_threads (GError ** error)
{
  Gate gate = {.threads = 0 };
  gboolean have = TRUE;
  guint i;

  g_mutex_init (&gate.lock);
  g_cond_init (&gate.change);
  g_mutex_lock (&gate.lock);
  for (i = 0; i < SPARE_THREADS && have; i++) {
    have = vhm_threads_run ("spare", wait_at, &gate, error);
    gate.threads += have;
  }
  gate.ended = TRUE;
  g_cond_broadcast (&gate.change);
  while (gate.threads)
    g_cond_wait (&gate.change, &gate.lock);
  g_mutex_unlock (&gate.lock);
  g_cond_clear (&gate.change);
  g_mutex_clear (&gate.lock);
  return have;
}

static gboolean
have_bytes (guint pipelines, GError ** error)
{
  const gsize size = (gsize) pipelines * SPARE_BYTES;
  void *memory = mmap (NULL, size, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (memory != MAP_FAILED) {
    munmap (memory, size);
    return TRUE;
  }
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOMEM, "no memory for another "
      "camera: raise the limit with MemoryMax= and LimitAS= in the systemd "
      "unit, or with ulimit -Hv, or watch fewer cameras");
  return FALSE;
}

/* Each page with another protection than its neighbours is an area. */
static gboolean
have_areas (guint pipelines, GError ** error)
{
  const gsize page = sysconf (_SC_PAGESIZE);
  const guint areas = pipelines * SPARE_AREAS;
  const gsize size = page * areas;
  guint8 *memory = mmap (NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
      -1, 0);
  gboolean have = memory != MAP_FAILED;
  guint i;

  for (i = 0; i < areas && have; i += 2)
    have = !mprotect (memory + i * page, page, PROT_READ);
  if (memory != MAP_FAILED)
    munmap (memory, size);
  if (!have)
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOMEM, "no areas of memory "
        "left for another camera: raise vm.max_map_count with sysctl, or "
        "watch fewer cameras");
  return have;
}

gboolean
vhm_threads_reserve (GError ** error)
{
  static GMutex lock;
  static guint n_found;         /* pipelines that there is memory for */
  static gint64 found;          /* when, monotonic µs */
  gint64 now;
  gboolean have;

  /* One at a time: what one tries is not there for another one. */
  g_mutex_lock (&lock);
  now = g_get_monotonic_time ();
  if (n_found == 0 || now - found > MAX_ROOM_AGE) {
    n_found = MIN (atomic_load (&n_starting) + 1, MAX_STARTING);
    found = now;
    if (!have_bytes (n_found, error) || !have_areas (n_found, error))
      n_found = 0;
  }
  have = n_found > 0 && have_threads (error);
  if (have) {
    n_found--;
    atomic_fetch_add (&n_starting, 1);
  }
  g_mutex_unlock (&lock);
  return have;
}

void
vhm_threads_release (void)
{
  atomic_fetch_sub (&n_starting, 1);
}

static void
do_nothing (G_GNUC_UNUSED gpointer job, G_GNUC_UNUSED gpointer data)
{
}

/* GLib has all threads that pools share run with the priority of the thread
 * that made the first pool. Threads that give way may need more of them, and
 * must not give them a higher one. */
static gpointer
make_first_pool (G_GNUC_UNUSED gpointer data)
{
  vhm_threads_give_way ();
  g_thread_pool_free (g_thread_pool_new (do_nothing, NULL, 1, FALSE, NULL),
      FALSE, TRUE);
  return NULL;
}

void
vhm_threads_start (void)
{
  pthread_attr_t attributes;

  if (!pthread_getattr_default_np (&attributes)) {
    pthread_attr_setstacksize (&attributes, STACK_SIZE);
    pthread_setattr_default_np (&attributes);
    pthread_attr_destroy (&attributes);
  }
  g_thread_join (g_thread_new ("first-pool", make_first_pool, NULL));
  unstarted = g_async_queue_new ();
  g_thread_unref (g_thread_new ("unstarted", end_tasks, NULL));
}
