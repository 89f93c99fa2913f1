/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ticker.h"

void
vh_ticker_init (VhTicker * self, GstElement * element,
    const gchar * name, void (*func) (GstElement * element),
    GTimeSpan interval)
{
  self->element = element;
  self->name = name;
  self->func = func;
  self->interval = interval;
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
}

void
vh_ticker_clear (VhTicker * self)
{
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
}

/* Ends once it is no longer the ticker's thread. If a thread waits for the end,
 * that thread drops the reference to the element, so that no reference outlives
 * the stop. */
static gpointer
tick (gpointer data)
{
  VhTicker *self = data;
  GstElement *const element = self->element;
  GThread *const me = g_thread_self ();
  gboolean awaited;

  g_mutex_lock (&self->lock);
  while (self->thread == me) {
    const gint64 next = g_get_monotonic_time () + self->interval;

    while (self->thread == me
        && g_cond_wait_until (&self->changed, &self->lock, next));
    if (self->thread == me) {
      g_mutex_unlock (&self->lock);
      self->func (element);
      g_mutex_lock (&self->lock);
    }
  }
  awaited = self->awaited;
  self->awaited = FALSE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  if (!awaited)
    gst_object_unref (element);
  return NULL;
}

void
vh_ticker_start (VhTicker * self)
{
  g_mutex_lock (&self->lock);
  gst_object_ref (self->element);
  self->thread = g_thread_try_new (self->name, tick, self, NULL);
  if (self->thread)
    g_thread_unref (self->thread);
  else
    gst_object_unref (self->element);
  g_mutex_unlock (&self->lock);
}

void
vh_ticker_stop (VhTicker * self, gint64 end)
{
  gboolean awaited;

  g_mutex_lock (&self->lock);
  awaited = self->thread && self->thread != g_thread_self ();
  self->awaited = awaited;
  self->thread = NULL;
  g_cond_broadcast (&self->changed);
  while (self->awaited
      && g_cond_wait_until (&self->changed, &self->lock, end));
  awaited = awaited && !self->awaited;
  self->awaited = FALSE;
  g_mutex_unlock (&self->lock);
  if (awaited)
    gst_object_unref (self->element);
}

gboolean
vh_ticker_is_running (VhTicker * self)
{
  gboolean running;

  g_mutex_lock (&self->lock);
  running = self->thread == g_thread_self ();
  g_mutex_unlock (&self->lock);
  return running;
}
