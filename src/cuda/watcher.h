/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Looks at what is under way on GPUs, now and then, from one thread of the
 * process: whatever is done goes back though no further frame comes. The thread
 * ends by itself when there is nothing to look at for a while. Where none can
 * be made, vh_cuda_watcher_look() does the work. Thread-safe. */

/* Looks without waiting. TRUE when there is nothing more to look at; @data is
 * not used again then. */
typedef gboolean (*VhCudaLook) (gpointer data);

void vh_cuda_watch (VhCudaLook look, gpointer data);

/* Looks at everything once, in the calling thread, which holds no lock. */
void vh_cuda_watcher_look (void);

G_END_DECLS
