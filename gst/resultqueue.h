/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

/* Hands over histograms once they are no longer pending, in the order in which
 * they were pushed. One that is complete when it is pushed, with none before
 * it, is handed over at once by the thread that pushes it; the others by a
 * thread of the queue, which is made when it is needed. Where no thread can be
 * made, they are handed over by the next push() or by drain().
 *
 * Thread-safe, but for free(). All functions may be called by the function that
 * gets the histograms: none of them waits for itself. */
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

/* Waits until all have been handed over, for as long as there is progress: ends
 * once no histogram has become complete for @patience ns. The time that the
 * function takes does not count. Ends at once while the queue is flushing. */
void vh_result_queue_drain (VhResultQueue * queue, GstClockTime patience);

/* While @flushing, nobody waits in drain(). */
void vh_result_queue_set_flushing (VhResultQueue * queue, gboolean flushing);

/* What has not been handed over yet is not handed over any more. */
void vh_result_queue_discard (VhResultQueue * queue);

/* Discards all, waits until the function has returned, unless that is what
 * calls, and ends the queue's thread until there is more to do. What is pending
 * is waited for until it is complete, so that no frame stays held for it, but
 * not longer than @patience ns without progress. */
void vh_result_queue_stop (VhResultQueue * queue, GstClockTime patience);

G_END_DECLS
