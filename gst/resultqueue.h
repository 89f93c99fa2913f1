/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

/* Hands over histograms once they are no longer pending, in the order in which
 * they were pushed. The thread that pushes a histogram hands it over at once if
 * the CPU counted it and the queue is empty. A thread of the queue, created
 * when it is needed, hands over all others, however soon they are complete: so
 * what an application may do in a handler does not depend on the speed of a
 * device. If no thread can be created, the next push() or drain() hands them
 * over.
 *
 * Thread-safe, except for free(). The function that gets the histograms may
 * call all of these functions: they do not wait for their own caller. */
typedef struct _VhResultQueue VhResultQueue;

/* Gets each histogram, complete or failed, with the @due it was pushed with.
 * Called without locks, by one thread at a time. */
typedef void (*VhResultFunc) (gpointer user_data, GstVideoHistogram * histogram,
    gboolean due);

VhResultQueue *vh_result_queue_new (VhResultFunc func, gpointer user_data);
void vh_result_queue_free (VhResultQueue * queue);

/* Takes @histogram. */
void vh_result_queue_push (VhResultQueue * queue, GstVideoHistogram * histogram,
    gboolean due);

/* Waits until all histograms have been handed over, as long as there is
 * progress: gives up when none was handed over for @max_wait ns, not counting
 * the time that the function takes. Returns at once during a flush, and once
 * the queue is ending. */
void vh_result_queue_drain (VhResultQueue * queue, GstClockTime max_wait);

/* A flush. Its end discards everything that has not been handed over, and
 * waits until the function has returned: no earlier result comes after a
 * flush. It does not wait if the function is the caller or the queue is
 * ending. It waits for @max_wait ns at most, because the function may itself
 * wait for the flush. */
void vh_result_queue_begin_flush (VhResultQueue * queue);
void vh_result_queue_end_flush (VhResultQueue * queue, GstClockTime max_wait);

/* Sets whether stop() will be called soon, maybe by the function. If so, no
 * other call waits. */
void vh_result_queue_set_ending (VhResultQueue * queue, gboolean ending);

/* Discards everything, waits until the function has returned (unless it is the
 * caller), and ends the queue's thread, which a later push() starts again. Also
 * waits for pending histograms, so that they hold no frames afterwards, but at
 * most @max_wait ns without progress. */
void vh_result_queue_stop (VhResultQueue * queue, GstClockTime max_wait);

G_END_DECLS
