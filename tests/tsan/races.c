/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For see-races.py: two threads touch a number, one after the other, with what
 * GLib and GStreamer have to guard it.
 *
 * races             writes the names of the guards
 * races NAME        one guard for both threads: no race
 * races NAME apart  a guard for each: a race */
#include <gst/gst.h>
#include <stdio.h>

/* The guards. The first thread uses [0], the second thread [apart]. */
static gint apart;
static GMutex mutexes[2];
static GRecMutex rec_mutexes[2];
static GRWLock rw_locks[2];
static gsize locations[2];
static GstBuffer *buffers[2];
static GObject *objects[2];
static GAsyncQueue *queues[2];
static gpointer boxes[2];
static GstBus *buses[2];
static GstElement *elements[2];

static GMutex lock;
static GCond changed;           /* signalled when something that lock protects
                                 * has changed */
static gboolean waiting, ready; /* protected by lock */

static gint first_is_done;      /* atomic */
static gint number;

/* see-races.py looks for this name. */
static void __attribute__ ((noinline))
touch (void)
{
  number++;
}

static void
on_free (gpointer data)
{
  (void) data;
  touch ();
}

static void
mutex_first (void)
{
  g_mutex_lock (&mutexes[0]);
  touch ();
  g_mutex_unlock (&mutexes[0]);
}

static void
mutex_second (void)
{
  g_mutex_lock (&mutexes[apart]);
  touch ();
  g_mutex_unlock (&mutexes[apart]);
}

static void
trylock_second (void)
{
  if (!g_mutex_trylock (&mutexes[apart]))
    g_assert_not_reached ();
  touch ();
  g_mutex_unlock (&mutexes[apart]);
}

static void
nested_first (void)
{
  g_mutex_lock (&mutexes[0]);
  g_mutex_lock (&mutexes[1]);
  g_mutex_unlock (&mutexes[1]);
  g_mutex_unlock (&mutexes[0]);
}

/* In the other order. */
static void
nested_second (void)
{
  g_mutex_lock (&mutexes[apart]);
  g_mutex_lock (&mutexes[!apart]);
  g_mutex_unlock (&mutexes[!apart]);
  g_mutex_unlock (&mutexes[apart]);
}

static void
clear_first (void)
{
  g_mutex_lock (&mutexes[0]);
  g_mutex_unlock (&mutexes[0]);
}

/* Clears the mutex after the first thread, whose end ThreadSanitizer does not
 * see; with @apart, while it is locked. */
static void
clear_second (void)
{
  if (apart)
    g_mutex_lock (&mutexes[0]);
  g_mutex_clear (&mutexes[0]);
}

static void
rec_mutex_first (void)
{
  g_rec_mutex_lock (&rec_mutexes[0]);
  touch ();
  g_rec_mutex_unlock (&rec_mutexes[0]);
}

static void
rec_mutex_second (void)
{
  g_rec_mutex_lock (&rec_mutexes[apart]);
  touch ();
  g_rec_mutex_unlock (&rec_mutexes[apart]);
}

static void
rw_lock_first (void)
{
  g_rw_lock_writer_lock (&rw_locks[0]);
  touch ();
  g_rw_lock_writer_unlock (&rw_locks[0]);
}

static void
rw_lock_second (void)
{
  g_rw_lock_reader_lock (&rw_locks[apart]);
  touch ();
  g_rw_lock_reader_unlock (&rw_locks[apart]);
}

/* Touches the number before it releases the lock or, with @apart, after. */
static void
cond_first (void)
{
  g_mutex_lock (&lock);
  while (!waiting)
    g_cond_wait (&changed, &lock);
  ready = TRUE;
  if (!apart)
    touch ();
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
  if (apart)
    touch ();
}

static void
cond_second (void)
{
  g_mutex_lock (&lock);
  waiting = TRUE;
  g_cond_broadcast (&changed);
  while (!ready)
    g_cond_wait (&changed, &lock);
  touch ();
  g_mutex_unlock (&lock);
}

static void
cond_until_second (void)
{
  g_mutex_lock (&lock);
  waiting = TRUE;
  g_cond_broadcast (&changed);
  while (!ready) {
    g_cond_wait_until (&changed, &lock,
        g_get_monotonic_time () + G_TIME_SPAN_SECOND);
  }
  touch ();
  g_mutex_unlock (&lock);
}

static void
once_first (void)
{
  if (g_once_init_enter (&locations[0])) {
    touch ();
    g_once_init_leave (&locations[0], 1);
  }
}

static void
once_second (void)
{
  if (g_once_init_enter (&locations[apart]))
    g_once_init_leave (&locations[apart], 1);
  touch ();
}

/* Calls the function that the macro hides. */
static void
once_call_second (void)
{
  if ((g_once_init_enter) (&locations[apart]))
    g_once_init_leave (&locations[apart], 1);
  touch ();
}

static void
mini_object_first (void)
{
  touch ();
  gst_buffer_unref (buffers[0]);
}

/* The last reference. */
static void
mini_object_second (void)
{
  gst_buffer_unref (buffers[apart]);
}

static void
is_writable_second (void)
{
  if (gst_buffer_is_writable (buffers[apart]))
    touch ();
}

static void
make_writable_first (void)
{
  touch ();
  gst_buffer_unref (gst_buffer_make_writable (buffers[0]));
}

static void
make_writable_second (void)
{
  GstBuffer *buffer = gst_buffer_make_writable (buffers[apart]);

  touch ();
  gst_buffer_unref (buffer);
}

static void
object_first (void)
{
  touch ();
  g_object_unref (objects[0]);
}

static void
object_second (void)
{
  g_object_unref (objects[apart]);
}

static void
queue_first (void)
{
  touch ();
  g_async_queue_push (queues[0], &number);
}

static gint
compare_nothing (gconstpointer a, gconstpointer b, gpointer data)
{
  (void) a;
  (void) b;
  (void) data;
  return 0;
}

static void
queue_sorted_first (void)
{
  touch ();
  g_async_queue_push_sorted (queues[0], &number, compare_nothing, NULL);
}

static void
queue_second (void)
{
  g_async_queue_try_pop (queues[apart]);
  touch ();
}

static void
queue_timeout_second (void)
{
  g_async_queue_timeout_pop (queues[apart], 1);
  touch ();
}

static void
queue_pop_second (void)
{
  g_async_queue_pop (queues[apart]);
  touch ();
}

static void
box_first (void)
{
  touch ();
  g_atomic_rc_box_release_full (boxes[0], on_free);
}

/* The last reference. */
static void
box_second (void)
{
  g_atomic_rc_box_release_full (boxes[apart], on_free);
}

static gboolean
touch_when_idle (gpointer data)
{
  (void) data;
  touch ();
  return G_SOURCE_REMOVE;
}

/* Touches the number before it adds the source or, with @apart, after. */
static void
idle_first (void)
{
  if (!apart)
    touch ();
  g_idle_add_full (G_PRIORITY_DEFAULT, touch_when_idle, NULL, NULL);
  if (apart)
    touch ();
}

static void
idle_second (void)
{
  while (!g_main_context_iteration (NULL, FALSE));
}

static gboolean
do_nothing (gpointer data)
{
  (void) data;
  return G_SOURCE_REMOVE;
}

static void
idle_free_first (void)
{
  if (!apart)
    touch ();
  g_idle_add_full (G_PRIORITY_DEFAULT, do_nothing, &number, on_free);
  if (apart)
    touch ();
}

static void
bus_first (void)
{
  touch ();
  gst_bus_post (buses[0], gst_message_new_latency (NULL));
}

static void
bus_second (void)
{
  gst_message_unref (gst_bus_timed_pop (buses[apart], GST_CLOCK_TIME_NONE));
  touch ();
}

static void
element_first (void)
{
  touch ();
  gst_element_post_message (elements[0], gst_message_new_latency (NULL));
}

static void
thread_first (void)
{
}

static gpointer
touch_in_thread (gpointer data)
{
  (void) data;
  touch ();
  return NULL;
}

static void
thread_second (void)
{
  GThread *thread;

  touch ();
  thread = g_thread_new ("touch", touch_in_thread, NULL);
  if (apart)
    touch ();
  g_thread_join (thread);
  touch ();
}

static const struct
{
  const gchar *name;
  void (*first) (void);
  void (*second) (void);
  gboolean at_once;
} guards[] = {
  {"mutex", mutex_first, mutex_second, FALSE},
  {"trylock", mutex_first, trylock_second, FALSE},
  {"nested", nested_first, nested_second, FALSE},
  {"clear", clear_first, clear_second, FALSE},
  {"rec-mutex", rec_mutex_first, rec_mutex_second, FALSE},
  {"rw-lock", rw_lock_first, rw_lock_second, FALSE},
  {"cond", cond_first, cond_second, TRUE},
  {"cond-until", cond_first, cond_until_second, TRUE},
  {"once", once_first, once_second, FALSE},
  {"once-call", once_first, once_call_second, FALSE},
  {"mini-object", mini_object_first, mini_object_second, FALSE},
  {"is-writable", mini_object_first, is_writable_second, FALSE},
  {"make-writable", make_writable_first, make_writable_second, FALSE},
  {"object", object_first, object_second, FALSE},
  {"queue", queue_first, queue_second, FALSE},
  {"queue-sorted", queue_sorted_first, queue_second, FALSE},
  {"queue-timeout", queue_first, queue_timeout_second, FALSE},
  {"queue-pop", queue_first, queue_pop_second, FALSE},
  {"box", box_first, box_second, FALSE},
  {"idle", idle_first, idle_second, FALSE},
  {"idle-free", idle_free_first, idle_second, FALSE},
  {"bus", bus_first, bus_second, FALSE},
  {"element", element_first, bus_second, FALSE},
  {"thread", thread_first, thread_second, FALSE},
};

static guint guard;

/* The threads run one after the other, but ThreadSanitizer does not see in
 * which order, so its reports do not depend on timing. */

static gpointer
run_first (gpointer data)
{
  (void) data;
  guards[guard].first ();
  __atomic_store_n (&first_is_done, TRUE, __ATOMIC_RELAXED);
  return NULL;
}

static gpointer
run_second (gpointer data)
{
  (void) data;
  while (!guards[guard].at_once
      && !__atomic_load_n (&first_is_done, __ATOMIC_RELAXED))
    g_usleep (100);
  guards[guard].second ();
  return NULL;
}

/* Two references to the first of the objects, one to the second. */
static void
make_objects (void)
{
  guint i;

  for (i = 0; i < 2; i++) {
    buffers[i] = gst_buffer_new_wrapped_full (0, g_malloc (1), 1, 0, 1, NULL,
        on_free);
    objects[i] = g_object_new (G_TYPE_OBJECT, NULL);
    g_object_set_data_full (objects[i], "data", &number, on_free);
    queues[i] = g_async_queue_new ();
    boxes[i] = g_atomic_rc_box_alloc (1);
    buses[i] = gst_bus_new ();
    elements[i] = gst_pipeline_new (NULL);
    gst_element_set_bus (elements[i], buses[i]);
  }
  gst_buffer_ref (buffers[0]);
  g_object_ref (objects[0]);
  g_atomic_rc_box_acquire (boxes[0]);
  /* What the second thread takes with @apart is pushed before it starts. */
  g_async_queue_push (queues[1], &number);
  gst_bus_post (buses[1], gst_message_new_latency (NULL));
}

int
main (int argc, char **argv)
{
  GThread *first, *second;
  guint i;

  gst_init (NULL, NULL);
  if (argc == 1) {
    for (i = 0; i < G_N_ELEMENTS (guards); i++)
      printf ("%s\n", guards[i].name);
    return 0;
  }

  while (g_strcmp0 (guards[guard].name, argv[1]) != 0) {
    if (++guard == G_N_ELEMENTS (guards))
      return 2;
  }
  apart = argc > 2;
  make_objects ();
  first = g_thread_new ("first", run_first, NULL);
  second = g_thread_new ("second", run_second, NULL);
  g_thread_join (first);
  g_thread_join (second);
  return 0;
}
