/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "resultqueue.h"

#include <gst/base/gstqueuearray.h>

/* How often the thread interrupts its wait for a pending histogram to see
 * whether the queue has changed. */
#define MAX_UNCHECKED_WAIT (20 * GST_MSECOND)

typedef struct
{
  GstVideoHistogram *histogram;
  gboolean due;
  gboolean discarded;           /* wait for it, but do not hand it over */
} Result;

struct _VhResultQueue
{
  gint refs;                    /* atomic: one for the owner and each thread */
  VhResultFunc func;
  gpointer user_data;

  GMutex lock;
  GCond changed;                /* a field that lock protects has changed */
  guint n_waiting;              /* threads that wait for changed; protected by
                                 * lock */
  GstQueueArray *results;       /* of Result, oldest first; protected by lock */
  guint64 n_gone;               /* results that left the queue; protected by
                                 * lock */
  GThread *runner;              /* the thread in func, or NULL; protected by
                                 * lock */
  GThread *thread;              /* the queue's own thread, or NULL; protected by
                                 * lock */
  gboolean flushing, ending;    /* protected by lock */
};

VhResultQueue *
vh_result_queue_new (VhResultFunc func, gpointer user_data)
{
  VhResultQueue *self = g_new0 (VhResultQueue, 1);

  self->refs = 1;
  self->func = func;
  self->user_data = user_data;
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->results = gst_queue_array_new_for_struct (sizeof (Result), 4);
  return self;
}

static void
unref (VhResultQueue * self)
{
  if (!g_atomic_int_dec_and_test (&self->refs))
    return;
  gst_queue_array_free (self->results);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self);
}

/* A thread that is in func has its own reference, so that it can return. */
void
vh_result_queue_free (VhResultQueue * queue)
{
  vh_result_queue_stop (queue, 0);
  unref (queue);
}

/* The functions below that do not take the lock are called with it held. */

static Result *
get_oldest (VhResultQueue * self)
{
  return gst_queue_array_is_empty (self->results) ? NULL :
      gst_queue_array_peek_head_struct (self->results);
}

/* Waits for a change until @end, in monotonic us, or forever if that is -1. */
static void
await_change (VhResultQueue * self, gint64 end)
{
  self->n_waiting++;
  if (end < 0)
    g_cond_wait (&self->changed, &self->lock);
  else
    g_cond_wait_until (&self->changed, &self->lock, end);
  self->n_waiting--;
}

/* Wakes waiting threads. Makes no system call if there are none, which
 * saves one per frame. */
static void
tell_change (VhResultQueue * self)
{
  if (self->n_waiting > 0)
    g_cond_broadcast (&self->changed);
}

/* Hands @result over, with the lock released meanwhile. */
static void
run_unlocked (VhResultQueue * self, Result result)
{
  self->n_gone++;
  self->runner = g_thread_self ();
  g_mutex_unlock (&self->lock);
  if (!result.discarded)
    self->func (self->user_data, result.histogram, result.due);
  gst_video_histogram_unref (result.histogram);
  g_mutex_lock (&self->lock);
  self->runner = NULL;
  tell_change (self);
}

static void
run_oldest (VhResultQueue * self)
{
  run_unlocked (self,
      *(Result *) gst_queue_array_pop_head_struct (self->results));
}

static gboolean
is_pending (GstVideoHistogram * histogram)
{
  return gst_video_histogram_get_state (histogram) ==
      GST_VIDEO_HISTOGRAM_STATE_PENDING;
}

/* Whether the CPU counted @histogram, which was then complete from the start.
 * Histograms of other devices do not count as immediate even if they are
 * complete: which thread hands them over must not depend on the speed of the
 * device. */
static gboolean
is_immediate (GstVideoHistogram * histogram)
{
  return g_str_equal (gst_video_histogram_get_backend (histogram), "cpu")
      && !is_pending (histogram);
}

/* Hands over the complete results at the front, if there is no thread for
 * that. */
static void
run_complete (VhResultQueue * self)
{
  Result *oldest;

  while (!self->thread && !self->runner && (oldest = get_oldest (self))
      && !is_pending (oldest->histogram))
    run_oldest (self);
}

/* Waits for the oldest histogram, at most @timeout ns, with the lock released
 * meanwhile. Returns whether it is still the oldest and can be handed over. */
static gboolean
wait_for_oldest (VhResultQueue * self, GstClockTime timeout)
{
  GstVideoHistogram *histogram =
      gst_video_histogram_ref (get_oldest (self)->histogram);
  gboolean ready;
  Result *oldest;

  g_mutex_unlock (&self->lock);
  gst_video_histogram_wait (histogram, timeout);
  g_mutex_lock (&self->lock);
  oldest = get_oldest (self);
  ready = oldest && oldest->histogram == histogram && !is_pending (histogram);
  gst_video_histogram_unref (histogram);
  return ready;
}

/* Ends once it is no longer the queue's thread. */
static gpointer
thread_func (gpointer data)
{
  VhResultQueue *self = data;
  GThread *const me = g_thread_self ();

  g_mutex_lock (&self->lock);
  while (self->thread == me) {
    if (self->runner || !get_oldest (self))
      await_change (self, -1);
    else if (wait_for_oldest (self, MAX_UNCHECKED_WAIT) && self->thread == me
        && !self->runner)
      run_oldest (self);
  }
  g_mutex_unlock (&self->lock);
  unref (self);
  return NULL;
}

/* If no thread can be created, the next result tries again. */
static void
ensure_thread (VhResultQueue * self)
{
  if (self->thread)
    return;
  g_atomic_int_inc (&self->refs);
  self->thread = g_thread_try_new ("videohistogram", thread_func, self, NULL);
  if (!self->thread)
    unref (self);
}

void
vh_result_queue_push (VhResultQueue * queue, GstVideoHistogram * histogram,
    gboolean due)
{
  Result result = {.histogram = histogram,.due = due };
  gboolean awaited;

  g_mutex_lock (&queue->lock);
  if (!queue->runner && !get_oldest (queue) && is_immediate (histogram)) {
    run_unlocked (queue, result);
  } else {
    gst_queue_array_push_tail_struct (queue->results, &result);
    ensure_thread (queue);
    run_complete (queue);
  }
  awaited = queue->n_waiting > 0;
  g_mutex_unlock (&queue->lock);
  /* Wakes threads after the unlock: otherwise they would only wake to wait for
   * the lock. */
  if (awaited)
    g_cond_broadcast (&queue->changed);
}

/* Whether there is anything for drain() to wait for. */
static gboolean
is_busy (VhResultQueue * self)
{
  return !self->flushing && !self->ending
      && self->runner != g_thread_self ()
      && (self->runner || get_oldest (self));
}

void
vh_result_queue_drain (VhResultQueue * queue, GstClockTime max_wait)
{
  gint64 now = g_get_monotonic_time (), end = now + max_wait / GST_USECOND;
  guint64 n_gone;

  g_mutex_lock (&queue->lock);
  run_complete (queue);
  n_gone = queue->n_gone;
  while (is_busy (queue) && now < end) {
    await_change (queue,
        queue->thread ? end : MIN (now + G_TIME_SPAN_MILLISECOND, end));
    run_complete (queue);
    now = g_get_monotonic_time ();
    if (queue->runner || queue->n_gone != n_gone)
      end = now + max_wait / GST_USECOND;
    n_gone = queue->n_gone;
  }
  g_mutex_unlock (&queue->lock);
}

/* Marks all results as discarded. They are still polled, because a device may
 * hold frames until a thread notices that it is done with them. */
static void
discard (VhResultQueue * self)
{
  guint i;

  for (i = 0; i < gst_queue_array_get_length (self->results); i++) {
    Result *result = gst_queue_array_peek_nth_struct (self->results, i);

    result->discarded = TRUE;
  }
}

void
vh_result_queue_begin_flush (VhResultQueue * queue)
{
  g_mutex_lock (&queue->lock);
  queue->flushing = TRUE;
  tell_change (queue);
  g_mutex_unlock (&queue->lock);
}

/* The caller holds stream locks, which the function may need to change states
 * or to seek: so this waits with a limit. */
void
vh_result_queue_end_flush (VhResultQueue * queue, GstClockTime max_wait)
{
  const gint64 end = g_get_monotonic_time () + max_wait / GST_USECOND;
  GThread *const me = g_thread_self ();

  g_mutex_lock (&queue->lock);
  discard (queue);
  while (queue->runner && queue->runner != me && !queue->ending
      && g_get_monotonic_time () < end)
    await_change (queue, end);
  queue->flushing = FALSE;
  g_mutex_unlock (&queue->lock);
}

void
vh_result_queue_set_ending (VhResultQueue * queue, gboolean ending)
{
  g_mutex_lock (&queue->lock);
  queue->ending = ending;
  tell_change (queue);
  g_mutex_unlock (&queue->lock);
}

/* Waits for pending histograms as long as there is progress, then drops
 * them. */
static void
settle (VhResultQueue * self, GstClockTime max_wait)
{
  Result *oldest;

  while ((oldest = get_oldest (self))) {
    if (is_pending (oldest->histogram) && max_wait > 0
        && !wait_for_oldest (self, max_wait))
      max_wait = 0;
    if (get_oldest (self)) {
      gst_video_histogram_unref (((Result *)
              gst_queue_array_pop_head_struct (self->results))->histogram);
    }
  }
}

/* If func calls this in the queue's thread, it does not wait for the thread,
 * which ends when func returns. */
void
vh_result_queue_stop (VhResultQueue * queue, GstClockTime max_wait)
{
  GThread *const me = g_thread_self ();
  GThread *thread;

  g_mutex_lock (&queue->lock);
  discard (queue);
  thread = g_steal_pointer (&queue->thread);
  tell_change (queue);
  while (queue->runner && queue->runner != me)
    await_change (queue, -1);
  g_mutex_unlock (&queue->lock);

  if (thread && thread != me)
    g_thread_join (thread);
  else if (thread)
    g_thread_unref (thread);

  g_mutex_lock (&queue->lock);
  settle (queue, max_wait);
  g_mutex_unlock (&queue->lock);
}
