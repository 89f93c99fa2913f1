/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread that calls a function of an element at regular intervals. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  GstElement *element;
  const gchar *name;            /* of the thread */
  void (*func) (GstElement * element);
  GTimeSpan interval;           /* us */

  GMutex lock;                  /* not held while the function runs */
  GCond changed;                /* a field that lock protects has changed */
  GThread *thread;              /* or NULL; not owned, only compared */
  gboolean awaited;             /* the thread that waits for this one drops the
                                 * reference to the element */
} VhTicker;

void vh_ticker_init (VhTicker * self, GstElement * element,
    const gchar * name, void (*func) (GstElement * element),
    GTimeSpan interval);
void vh_ticker_clear (VhTicker * self);

void vh_ticker_start (VhTicker * self);

/* Stops the thread, which then no longer calls the function. If the function is
 * running and is not the caller, waits for it until @end, in monotonic us. */
void vh_ticker_stop (VhTicker * self, gint64 end);

/* Called by the function: whether the thread has not been stopped. */
gboolean vh_ticker_is_running (VhTicker * self);

G_END_DECLS
