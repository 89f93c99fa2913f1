/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "counts.h"

/* How long a waiting thread spins before it sleeps: most counts of a GPU are
 * ready by then. */
#define SPIN_TIME (50 * GST_USECOND)
#define MAX_SLEEP_USEC 1000

struct _VhCounts
{
  gint refcount;                /* atomic */
  gint state;                   /* VhCountsState, atomic */
  VhCountsShape shape;

  GMutex lock;
  const VhPendingFuncs *funcs;  /* or NULL; protected by lock */
  gpointer job;                 /* protected by lock */
  guint side;                   /* of a table to be transposed, or 0 */

  gsize length;                 /* counters */
  guint32 storage[];            /* length */
};

VhCounts *
vh_counts_new (const VhCountsShape * shape)
{
  const gsize length = (gsize) __builtin_popcount (shape->channels) *
      shape->rows * shape->columns * shape->bins;
  VhCounts *counts =
      g_try_malloc0 (sizeof (VhCounts) + length * sizeof (guint32));

  if (!counts)
    return NULL;
  counts->refcount = 1;
  counts->state = VH_COUNTS_PENDING;
  counts->shape = *shape;
  counts->length = length;
  g_mutex_init (&counts->lock);
  return counts;
}

VhCounts *
vh_counts_ref (VhCounts * counts)
{
  g_atomic_int_inc (&counts->refcount);
  return counts;
}

void
vh_counts_unref (VhCounts * counts)
{
  if (!g_atomic_int_dec_and_test (&counts->refcount))
    return;
  if (counts->funcs)
    counts->funcs->release (counts->job);
  g_mutex_clear (&counts->lock);
  g_free (counts);
}

gboolean
vh_counts_renew (VhCounts * counts)
{
  if (g_atomic_int_get (&counts->refcount) > 1 || counts->funcs)
    return FALSE;
  memset (counts->storage, 0, counts->length * sizeof (*counts->storage));
  g_atomic_int_set (&counts->state, VH_COUNTS_PENDING);
  return TRUE;
}

const VhCountsShape *
vh_counts_shape (const VhCounts * counts)
{
  return &counts->shape;
}

guint32 *
vh_counts_storage (VhCounts * counts)
{
  return counts->storage;
}

gsize
vh_counts_length (const VhCounts * counts)
{
  return counts->length;
}

guint32 *
vh_counts_cell (VhCounts * counts, guint channel, guint column, guint row)
{
  const VhCountsShape *shape = &counts->shape;
  const guint bit = 1u << channel;
  gsize place;

  if (!(shape->channels & bit))
    return NULL;
  place = __builtin_popcount (shape->channels & (bit - 1));
  return counts->storage + ((place * shape->rows + row) * shape->columns +
      column) * shape->bins;
}

void
vh_counts_set_pending (VhCounts * counts, const VhPendingFuncs * funcs,
    gpointer job)
{
  g_mutex_lock (&counts->lock);
  counts->funcs = funcs;
  counts->job = job;
  g_mutex_unlock (&counts->lock);
}

/* The atomic exchange publishes the counters to threads that see the new
 * state. */
static void
end_pending (VhCounts * counts, VhCountsState state)
{
  g_atomic_int_compare_and_exchange (&counts->state, VH_COUNTS_PENDING, state);
}

void
vh_counts_transpose (VhCounts * counts, guint side)
{
  counts->side = side;
}

static void
transpose (VhCounts * counts)
{
  const gsize side = counts->side;
  guint32 *table = counts->storage, count;
  gsize a, b;

  for (a = 0; a < side; a++) {
    for (b = a + 1; b < side; b++) {
      count = table[a * side + b];
      table[a * side + b] = table[b * side + a];
      table[b * side + a] = count;
    }
  }
}

void
vh_counts_complete (VhCounts * counts)
{
  if (counts->side > 0)
    transpose (counts);
  end_pending (counts, VH_COUNTS_COMPLETE);
}

void
vh_counts_fail (VhCounts * counts)
{
  end_pending (counts, VH_COUNTS_FAILED);
}

/* If the lock is taken, another thread is already polling. */
VhCountsState
vh_counts_poll (VhCounts * counts)
{
  if (g_atomic_int_get (&counts->state) == VH_COUNTS_PENDING
      && g_mutex_trylock (&counts->lock)) {
    if (counts->funcs
        && g_atomic_int_get (&counts->state) == VH_COUNTS_PENDING)
      counts->funcs->poll (counts->job, counts);
    g_mutex_unlock (&counts->lock);
  }
  return g_atomic_int_get (&counts->state);
}

gboolean
vh_counts_wait (VhCounts * counts, GstClockTime timeout)
{
  VhCountsState state = vh_counts_poll (counts);
  GstClockTime start, elapsed;
  gulong sleep_usec = 20;

  if (state != VH_COUNTS_PENDING)
    return state == VH_COUNTS_COMPLETE;

  start = gst_util_get_timestamp ();
  do {
    elapsed = gst_util_get_timestamp () - start;
    if (elapsed < SPIN_TIME) {
      g_thread_yield ();
    } else {
      g_usleep (sleep_usec);
      sleep_usec = MIN (sleep_usec * 2, MAX_SLEEP_USEC);
    }
    state = vh_counts_poll (counts);
  } while (state == VH_COUNTS_PENDING
      && (timeout == GST_CLOCK_TIME_NONE || elapsed < timeout));
  return state == VH_COUNTS_COMPLETE;
}

gboolean
vh_counts_map_device (VhCounts * counts, VhCountsDeviceView * view)
{
  gboolean mapped = FALSE;

  g_mutex_lock (&counts->lock);
  if (counts->funcs && counts->funcs->map_device)
    mapped = counts->funcs->map_device (counts->job, view);
  g_mutex_unlock (&counts->lock);
  return mapped;
}

/* Takes no lock, because a thread that polls these counts may hold it during
 * this call. That is safe: @funcs and @job do not change while the counters are
 * mapped. */
void
vh_counts_unmap_device (VhCounts * counts)
{
  counts->funcs->unmap_device (counts->job);
}
