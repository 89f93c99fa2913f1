/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Polls work in flight on GPUs from one thread of the process, so that finished
 * work is released even if no further frame arrives. The thread ends when there
 * was nothing to watch for a while. If the thread cannot start,
 * vh_cuda_watcher_look() does the work. exit() waits briefly for work in
 * flight; after that nothing is watched. Thread-safe. */

/* Looks without waiting. TRUE when there is nothing left to watch; then @data
 * is not used again. */
typedef gboolean (*VhCudaLook) (gpointer data);

void vh_cuda_watch (VhCudaLook look, gpointer data);

/* Looks at everything once, in the calling thread, which must hold no lock.
 * Waits briefly for items that another thread is looking at, or for all items
 * if the thread could not start. */
void vh_cuda_watcher_look (void);

G_END_DECLS
