/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tells ThreadSanitizer about the synchronisation of GLib and GStreamer, which
 * it cannot see: their libraries are not built with it, and the locks of GLib
 * are futexes. A program that links this calls the functions below instead of
 * those of the libraries; so do the libraries, except for internal calls.
 *
 * GRecMutex, GRWLock and GThread need nothing here: they use pthread_mutex_t
 * and the like, which ThreadSanitizer knows. This file is not instrumented. */
#include <dlfcn.h>
#include <gst/gst.h>
#include <sanitizer/tsan_interface.h>

#undef g_once_init_enter
#undef g_once_init_leave

/* The libraries must find the functions below. */
#pragma GCC visibility push(default)

/* The library's own function. Several threads may look it up at the same time;
 * all get the same result. */
#define REAL(name) ({ \
  static __typeof__ (&name) real; \
  if (!real) \
    real = (__typeof__ (&name)) dlsym (RTLD_NEXT, #name); \
  real; \
})

const gchar *__tsan_default_options (void);

/* The libraries' own memory accesses are not checked, because ThreadSanitizer
 * does not see the atomic operations that order them. The first report ends the
 * program: some test programs end with _exit(), which would hide
 * ThreadSanitizer's exit status. */
const gchar *
__tsan_default_options (void)
{
  return "ignore_noninstrumented_modules=1:halt_on_error=1:"
      "second_deadlock_stack=1";
}

/* Mutexes */

void
g_mutex_lock (GMutex * mutex)
{
  __tsan_mutex_pre_lock (mutex, 0);
  REAL (g_mutex_lock) (mutex);
  __tsan_mutex_post_lock (mutex, 0, 0);
}

gboolean
g_mutex_trylock (GMutex * mutex)
{
  gboolean locked;

  __tsan_mutex_pre_lock (mutex, __tsan_mutex_try_lock);
  locked = REAL (g_mutex_trylock) (mutex);
  __tsan_mutex_post_lock (mutex, locked ? __tsan_mutex_try_lock :
      __tsan_mutex_try_lock | __tsan_mutex_try_lock_failed, 0);
  return locked;
}

void
g_mutex_unlock (GMutex * mutex)
{
  __tsan_mutex_pre_unlock (mutex, 0);
  REAL (g_mutex_unlock) (mutex);
  __tsan_mutex_post_unlock (mutex, 0);
}

/* The other threads are done with the mutex, but ThreadSanitizer may not know:
 * the caller may know it from a count that a library changes in an internal
 * call or a macro. */
void
g_mutex_clear (GMutex * mutex)
{
  __tsan_acquire (mutex);
  __tsan_mutex_destroy (mutex, 0);
  REAL (g_mutex_clear) (mutex);
}

/* The functions of GCond unlock and lock the mutex inside GLib, which
 * ThreadSanitizer does not see. */

void
g_cond_wait (GCond * cond, GMutex * mutex)
{
  __tsan_mutex_pre_unlock (mutex, 0);
  __tsan_mutex_post_unlock (mutex, 0);
  REAL (g_cond_wait) (cond, mutex);
  __tsan_mutex_pre_lock (mutex, 0);
  __tsan_mutex_post_lock (mutex, 0, 0);
}

gboolean
g_cond_wait_until (GCond * cond, GMutex * mutex, gint64 end_time)
{
  gboolean in_time;

  __tsan_mutex_pre_unlock (mutex, 0);
  __tsan_mutex_post_unlock (mutex, 0);
  in_time = REAL (g_cond_wait_until) (cond, mutex, end_time);
  __tsan_mutex_pre_lock (mutex, 0);
  __tsan_mutex_post_lock (mutex, 0, 0);
  return in_time;
}

/* One-time initialization. Programs use the macros of the same names, whose
 * atomic read of the location ThreadSanitizer sees. The release below makes
 * what was initialized before it visible after such a read. */

gboolean
g_once_init_enter (volatile void *location)
{
  const gboolean first = REAL (g_once_init_enter) (location);

  __tsan_acquire ((void *) location);
  return first;
}

void
g_once_init_leave (volatile void *location, gsize result)
{
  __tsan_release ((void *) location);
  REAL (g_once_init_leave) (location, result);
}

/* Reference counts: accesses through a reference come before those through the
 * last one. */

/* Drops a reference as the libraries do, unless it is the last; returns whether
 * it did. The library drops the last one and frees the object, which must come
 * after all other references are dropped. Does not handle toggle references,
 * which nothing here uses. */
static gboolean
unref_shared (gpointer object, gint * refcount)
{
  gint n = g_atomic_int_get (refcount);

  __tsan_release (object);
  while (n > 1) {
    if (__atomic_compare_exchange_n (refcount, &n, n - 1, TRUE,
            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      return TRUE;
  }
  __tsan_acquire (object);
  return FALSE;
}

void
gst_mini_object_unref (GstMiniObject * object)
{
  if (!unref_shared (object, &object->refcount))
    REAL (gst_mini_object_unref) (object);
}

void
g_object_unref (gpointer object)
{
  GObject *self = object;

  if (!unref_shared (self, (gint *) & self->ref_count))
    REAL (g_object_unref) (self);
}

/* The reference count of a box is hidden, so unref_shared() cannot be used.
 * Instead clear_last() acquires the box: the library calls it in the thread
 * that drops the last reference, before it frees the box. */
static __thread GDestroyNotify clear_box;

static void
clear_last (gpointer box)
{
  GDestroyNotify clear = clear_box;

  __tsan_acquire (box);
  clear (box);
}

void
g_atomic_rc_box_release_full (gpointer box, GDestroyNotify clear)
{
  __tsan_release (box);
  clear_box = clear;
  REAL (g_atomic_rc_box_release_full) (box, clear_last);
}

/* A writer has the only reference. */
gboolean
gst_mini_object_is_writable (const GstMiniObject * object)
{
  const gboolean writable = REAL (gst_mini_object_is_writable) (object);

  if (writable)
    __tsan_acquire ((gpointer) object);
  return writable;
}

GstMiniObject *
gst_mini_object_make_writable (GstMiniObject * object)
{
  GstMiniObject *copy;

  if (gst_mini_object_is_writable (object))
    return object;
  copy = gst_mini_object_copy (object);
  gst_mini_object_unref (object);
  return copy;
}

/* Queues */

void
g_async_queue_push (GAsyncQueue * queue, gpointer data)
{
  __tsan_release (queue);
  REAL (g_async_queue_push) (queue, data);
}

/* @function reads what other threads have pushed. */
void
g_async_queue_push_sorted (GAsyncQueue * queue, gpointer data,
    GCompareDataFunc function, gpointer user_data)
{
  __tsan_acquire (queue);
  __tsan_release (queue);
  REAL (g_async_queue_push_sorted) (queue, data, function, user_data);
}

gpointer
g_async_queue_try_pop (GAsyncQueue * queue)
{
  gpointer data = REAL (g_async_queue_try_pop) (queue);

  __tsan_acquire (queue);
  return data;
}

gpointer
g_async_queue_timeout_pop (GAsyncQueue * queue, guint64 timeout)
{
  gpointer data = REAL (g_async_queue_timeout_pop) (queue, timeout);

  __tsan_acquire (queue);
  return data;
}

gpointer
g_async_queue_pop (GAsyncQueue * queue)
{
  gpointer data = REAL (g_async_queue_pop) (queue);

  __tsan_acquire (queue);
  return data;
}

/* Work for another thread */

typedef struct
{
  GSourceFunc function;
  gpointer data;
  GDestroyNotify notify;
} Idle;

static gboolean
run_idle (gpointer data)
{
  const Idle *idle = data;

  __tsan_acquire (data);
  return idle->function (idle->data);
}

static void
free_idle (gpointer data)
{
  const Idle *idle = data;

  __tsan_acquire (data);
  if (idle->notify)
    idle->notify (idle->data);
  g_free (data);
}

guint
g_idle_add_full (gint priority, GSourceFunc function, gpointer data,
    GDestroyNotify notify)
{
  Idle *idle = g_new (Idle, 1);

  idle->function = function;
  idle->data = data;
  idle->notify = notify;
  __tsan_release (idle);
  return REAL (g_idle_add_full) (priority, run_idle, idle, free_idle);
}

/* Messages */

gboolean
gst_bus_post (GstBus * bus, GstMessage * message)
{
  __tsan_release (message);
  return REAL (gst_bus_post) (bus, message);
}

gboolean
gst_element_post_message (GstElement * element, GstMessage * message)
{
  __tsan_release (message);
  return REAL (gst_element_post_message) (element, message);
}

GstMessage *
gst_bus_timed_pop (GstBus * bus, GstClockTime timeout)
{
  GstMessage *message = REAL (gst_bus_timed_pop) (bus, timeout);

  if (message)
    __tsan_acquire (message);
  return message;
}
