/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "watcher.h"
#include "debug.h"

#include <stdlib.h>

/* The time between two looks: the minimum while something ends at each look,
 * increasing while nothing does. The consumer of a result mostly finds out
 * earlier that the work has ended. */
#define MIN_POLL_INTERVAL G_TIME_SPAN_MILLISECOND
#define MAX_POLL_INTERVAL (32 * G_TIME_SPAN_MILLISECOND)

/* With nothing to watch, the thread stays for a while before it ends, so that
 * video at any usual frame rate does not start it for each frame. */
#define IDLE_EVERY (4 * G_TIME_SPAN_MILLISECOND)
#define IDLE_FOR G_TIME_SPAN_SECOND

/* How long vh_cuda_watcher_look() waits while other threads look at items,
 * which may take long because it releases memory. Also how long it keeps
 * looking itself if there is no thread. */
#define MAX_LOOK_TIME (50 * G_TIME_SPAN_MILLISECOND)

/* How long exit() waits for work in flight. */
#define MAX_EXIT_TIME G_TIME_SPAN_SECOND

typedef struct
{
  VhCudaLook look;
  gpointer data;
} Item;

static GMutex lock;
static GCond looked;            /* a look has ended */
static guint n_looks;           /* looks in progress; protected by lock */
static GArray *items;           /* of Item, protected by lock; NULL: none, or
                                 * all are being looked at */
static guint n_items;           /* including those being looked at; protected by
                                 * lock */
static gboolean has_thread;     /* protected by lock */
static gboolean exits;          /* the process is exiting; protected by lock */

/* Looks at all items, and puts back those still in flight. Items that arrive
 * meanwhile are left to the next look. Returns how many there were, and sets
 * how many of them have @ended. */
static guint
look_at_all (guint * ended)
{
  GArray *mine;
  guint n, i;

  *ended = 0;
  g_mutex_lock (&lock);
  mine = exits ? NULL : g_steal_pointer (&items);
  n_looks += mine != NULL;
  g_mutex_unlock (&lock);
  if (!mine)
    return 0;
  n = mine->len;
  for (i = 0; i < mine->len;) {
    const Item *item = &g_array_index (mine, Item, i);

    if (item->look (item->data))
      g_array_remove_index_fast (mine, i);
    else
      i++;
  }
  *ended = n - mine->len;

  g_mutex_lock (&lock);
  n_items -= *ended;
  if (items)
    g_array_append_vals (items, mine->data, mine->len);
  else
    items = g_steal_pointer (&mine);
  n_looks--;
  g_cond_broadcast (&looked);
  g_mutex_unlock (&lock);
  if (mine)
    g_array_unref (mine);
  return n;
}

/* Whether the thread should end because nothing was added for a while. */
static gboolean
end_thread (void)
{
  gboolean ends;

  g_mutex_lock (&lock);
  ends = n_items == 0;
  if (ends) {
    has_thread = FALSE;
    g_clear_pointer (&items, g_array_unref);
  }
  g_mutex_unlock (&lock);
  return ends;
}

static gpointer
watch (G_GNUC_UNUSED gpointer unused)
{
  gint64 busy = g_get_monotonic_time ();
  gint64 pause = MIN_POLL_INTERVAL;
  guint n, ended;

  do {
    n = look_at_all (&ended);
    if (n > 0)
      busy = g_get_monotonic_time ();
    pause = ended > 0 ? MIN_POLL_INTERVAL : MIN (2 * pause, MAX_POLL_INTERVAL);
    g_usleep (n > ended ? pause : IDLE_EVERY);
  } while (n > 0 || g_get_monotonic_time () - busy < IDLE_FOR
      || !end_thread ());
  return NULL;
}

/* Called when the process exits: frames are released now or never, because
 * destructors of libraries are about to remove what that needs. */
static void
stop_looking (void)
{
  const gint64 end = g_get_monotonic_time () + MAX_EXIT_TIME;

  g_mutex_lock (&lock);
  while (n_items > 0 && has_thread
      && g_cond_wait_until (&looked, &lock, end));
  exits = TRUE;
  while (n_looks > 0 && g_cond_wait_until (&looked, &lock, end));
  g_mutex_unlock (&lock);
}

/* Called with the lock. */
static void
ensure_thread (void)
{
  static gboolean is_registered;
  GThread *thread;

  if (has_thread || exits)
    return;
  if (!is_registered)
    is_registered = atexit (stop_looking) == 0;
  /* Linux limits names to 15 characters. */
  thread = g_thread_try_new ("videohisto-gpu", watch, NULL, NULL);
  has_thread = thread != NULL;
  if (thread)
    g_thread_unref (thread);
  else
    GST_WARNING ("cannot start a thread that watches the GPU");
}

void
vh_cuda_watch (VhCudaLook look, gpointer data)
{
  const Item item = { look, data };

  g_mutex_lock (&lock);
  if (!items)
    items = g_array_new (FALSE, FALSE, sizeof (Item));
  g_array_append_val (items, item);
  n_items++;
  ensure_thread ();
  g_mutex_unlock (&lock);
}

void
vh_cuda_watcher_look (void)
{
  const gint64 end = g_get_monotonic_time () + MAX_LOOK_TIME;
  gboolean again;
  guint ended;

  g_mutex_lock (&lock);
  while (n_looks > 0 && g_cond_wait_until (&looked, &lock, end));
  g_mutex_unlock (&lock);
  do {
    look_at_all (&ended);
    g_mutex_lock (&lock);
    if (n_items > 0)
      ensure_thread ();
    again = n_items > 0 && !has_thread && !exits
        && g_get_monotonic_time () < end;
    g_mutex_unlock (&lock);
    if (again)
      g_usleep (MIN_POLL_INTERVAL);
  } while (again);
}
