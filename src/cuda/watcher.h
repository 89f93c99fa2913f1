/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Looks at work in flight on GPUs from time to time, from one thread of the
 * process: finished work is released even if no further frame arrives. The
 * thread ends when there is nothing to look at for a while. If no thread can be
 * made, vh_cuda_watcher_look() does the work. exit() waits for what is in
 * flight, but not for long, and then nothing is looked at. Thread-safe. */

/* Looks without waiting. TRUE when there is nothing more to look at; then @data
 * is not used again. */
typedef gboolean (*VhCudaLook) (gpointer data);

void vh_cuda_watch (VhCudaLook look, gpointer data);

/* Looks at everything once, in the calling thread, which holds no lock. What
 * another thread looks at is waited for, as is everything if there is no thread
 * for it; but not for long. */
void vh_cuda_watcher_look (void);

G_END_DECLS
