/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "resultqueue.h"

#include <gst/base/gstqueuearray.h>

/* How often the thread looks up from a histogram that stays pending. */
#define LOOK_UP (20 * GST_MSECOND)

typedef struct
{
  GstVideoHistogram *histogram;
  gboolean due;
  gboolean discarded;           /* to be waited for, and then forgotten */
} Result;

struct _VhResultQueue
{
  VhResultFunc func;
  gpointer user_data;

  GMutex lock;
  GCond changed;                /* what is protected by lock */
  GstQueueArray *results;       /* of Result, oldest first; protected by lock */
  gboolean running;             /* func, for the one before the oldest;
                                 * protected by lock */
  GThread *thread;              /* NULL until it is needed; protected by lock */
  gboolean quit;                /* thread; protected by lock */
};

VhResultQueue *
vh_result_queue_new (VhResultFunc func, gpointer user_data)
{
  VhResultQueue *self = g_new0 (VhResultQueue, 1);

  self->func = func;
  self->user_data = user_data;
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->results = gst_queue_array_new_for_struct (sizeof (Result), 4);
  return self;
}

void
vh_result_queue_free (VhResultQueue * queue)
{
  vh_result_queue_stop (queue);
  gst_queue_array_free (queue->results);
  g_mutex_clear (&queue->lock);
  g_cond_clear (&queue->changed);
  g_free (queue);
}

/* Calls func, with the lock held on entry and on return. */
static void
run_unlocked (VhResultQueue * self, Result result)
{
  self->running = TRUE;
  g_mutex_unlock (&self->lock);
  if (!result.discarded)
    self->func (self->user_data, result.histogram, result.due);
  gst_video_histogram_unref (result.histogram);
  g_mutex_lock (&self->lock);
  self->running = FALSE;
  g_cond_broadcast (&self->changed);
}

static gboolean
is_pending (GstVideoHistogram * histogram)
{
  return gst_video_histogram_get_state (histogram) ==
      GST_VIDEO_HISTOGRAM_STATE_PENDING;
}

/* Takes those from the front that are complete, where there is no thread for
 * that. To be called with the lock. */
static void
run_complete (VhResultQueue * self)
{
  while (!self->thread && !self->running
      && !gst_queue_array_is_empty (self->results)
      && !is_pending (((Result *)
              gst_queue_array_peek_head_struct (self->results))->histogram)) {
    run_unlocked (self,
        *(Result *) gst_queue_array_pop_head_struct (self->results));
  }
}

static gpointer
thread_func (gpointer data)
{
  VhResultQueue *self = data;

  g_mutex_lock (&self->lock);
  while (!self->quit) {
    GstVideoHistogram *oldest;

    if (self->running || gst_queue_array_is_empty (self->results)) {
      g_cond_wait (&self->changed, &self->lock);
      continue;
    }

    oldest = gst_video_histogram_ref (((Result *)
            gst_queue_array_peek_head_struct (self->results))->histogram);
    g_mutex_unlock (&self->lock);
    gst_video_histogram_wait (oldest, LOOK_UP);
    g_mutex_lock (&self->lock);

    if (!is_pending (oldest)) {
      run_unlocked (self,
          *(Result *) gst_queue_array_pop_head_struct (self->results));
    }
    gst_video_histogram_unref (oldest);
  }
  g_mutex_unlock (&self->lock);
  return NULL;
}

void
vh_result_queue_push (VhResultQueue * queue, GstVideoHistogram * histogram,
    gboolean due)
{
  Result result = {.histogram = histogram,.due = due };

  g_mutex_lock (&queue->lock);
  if (!queue->running && gst_queue_array_is_empty (queue->results)
      && !is_pending (histogram)) {
    run_unlocked (queue, result);
  } else {
    gst_queue_array_push_tail_struct (queue->results, &result);
    /* Where no thread can be made, this is looked at with the next one. */
    if (!queue->thread) {
      queue->thread =
          g_thread_try_new ("videohistogram", thread_func, queue, NULL);
    }
    run_complete (queue);
    g_cond_broadcast (&queue->changed);
  }
  g_mutex_unlock (&queue->lock);
}

void
vh_result_queue_drain (VhResultQueue * queue, GstClockTime timeout)
{
  gint64 now = g_get_monotonic_time ();
  const gint64 end = now + timeout / GST_USECOND;

  g_mutex_lock (&queue->lock);
  run_complete (queue);
  while (now < end
      && (queue->running || !gst_queue_array_is_empty (queue->results))) {
    g_cond_wait_until (&queue->changed, &queue->lock,
        queue->thread ? end : MIN (now + G_TIME_SPAN_MILLISECOND, end));
    run_complete (queue);
    now = g_get_monotonic_time ();
  }
  g_mutex_unlock (&queue->lock);
}

/* They are still looked at, for whoever counts may hold frames until they are
 * seen to be complete. */
void
vh_result_queue_discard (VhResultQueue * queue)
{
  guint i;

  g_mutex_lock (&queue->lock);
  for (i = 0; i < gst_queue_array_get_length (queue->results); i++) {
    Result *result = gst_queue_array_peek_nth_struct (queue->results, i);

    result->discarded = TRUE;
  }
  g_mutex_unlock (&queue->lock);
}

static void
clear (VhResultQueue * self)
{
  g_mutex_lock (&self->lock);
  while (!gst_queue_array_is_empty (self->results)) {
    Result *result = gst_queue_array_pop_head_struct (self->results);

    gst_video_histogram_unref (result->histogram);
  }
  self->quit = FALSE;
  g_mutex_unlock (&self->lock);
}

void
vh_result_queue_stop (VhResultQueue * queue)
{
  GThread *thread;

  g_mutex_lock (&queue->lock);
  queue->quit = TRUE;
  thread = queue->thread;
  queue->thread = NULL;
  g_cond_broadcast (&queue->changed);
  g_mutex_unlock (&queue->lock);

  if (thread)
    g_thread_join (thread);
  clear (queue);
}
