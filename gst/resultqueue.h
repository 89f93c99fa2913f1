/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

/* Hands over histograms once they are no longer pending, in the order in which
 * they were pushed. One that the CPU has counted, with none before it, is
 * handed over at once by the thread that pushes it; the others by a thread of
 * the queue, which is made when it is needed, however soon they are complete:
 * what an application may do in a handler does not depend on that. If no thread
 * can be made, the next push() or drain() hands them over.
 *
 * Thread-safe, except for free(). The function that gets the histograms may
 * call all of these functions: none of them waits for itself. */
typedef struct _VhResultQueue VhResultQueue;

/* Gets each histogram, complete or failed, with the data it was pushed with.
 * Called without locks, by one thread at a time. */
typedef void (*VhResultFunc) (gpointer user_data, GstVideoHistogram * histogram,
    gboolean due);

VhResultQueue *vh_result_queue_new (VhResultFunc func, gpointer user_data);
void vh_result_queue_free (VhResultQueue * queue);

/* Takes @histogram. */
void vh_result_queue_push (VhResultQueue * queue, GstVideoHistogram * histogram,
    gboolean due);

/* Waits until all have been handed over, as long as there is progress: ends
 * once no histogram has become complete for @patience ns, not counting the time
 * that the function takes. Ends at once in a flush, and once the queue ends. */
void vh_result_queue_drain (VhResultQueue * queue, GstClockTime patience);

/* A flush. Its end discards everything that has not been handed over, and waits
 * until the function has returned, unless it is the caller or the queue ends:
 * nothing of before a flush comes after it. It waits for @patience ns at most,
 * since the function may itself wait for the flush. */
void vh_result_queue_begin_flush (VhResultQueue * queue);
void vh_result_queue_end_flush (VhResultQueue * queue, GstClockTime patience);

/* Whether stop() is about to come, maybe from the function, and nothing but it
 * is to wait. */
void vh_result_queue_set_ending (VhResultQueue * queue, gboolean ending);

/* Discards everything, waits until the function has returned, unless it is the
 * caller, and ends the queue's thread until there is more to do. It waits for
 * pending histograms, so that no frame stays held for them, but at most
 * @patience ns without progress. */
void vh_result_queue_stop (VhResultQueue * queue, GstClockTime patience);

G_END_DECLS
