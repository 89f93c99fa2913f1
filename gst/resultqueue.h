/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

/* Brings histograms to whoever wants them once they are no longer pending, in
 * the order in which they were pushed. One that is complete when it is pushed,
 * with none before it, goes on at once in the same thread; others by a thread
 * of the queue's own, which is there once it is needed. Where none can be made
 * they go on when the next one is pushed, or in drain(). Thread-safe, but for
 * stop() and free(). */
typedef struct _VhResultQueue VhResultQueue;

/* Gets each histogram, complete or failed, and what was said of it when it was
 * pushed. Called without locks, by one thread at a time. */
typedef void (*VhResultFunc) (gpointer user_data, GstVideoHistogram * histogram,
    gboolean due);

VhResultQueue *vh_result_queue_new (VhResultFunc func, gpointer user_data);
void vh_result_queue_free (VhResultQueue * queue);

/* Takes @histogram. */
void vh_result_queue_push (VhResultQueue * queue, GstVideoHistogram * histogram,
    gboolean due);

/* Waits until all have gone on, @timeout ns at most. */
void vh_result_queue_drain (VhResultQueue * queue, GstClockTime timeout);

/* Has those that have not gone on not go on. */
void vh_result_queue_discard (VhResultQueue * queue);

/* Forgets all, and ends the queue's thread until there is more to do. */
void vh_result_queue_stop (VhResultQueue * queue);

G_END_DECLS
