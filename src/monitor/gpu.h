/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The GPU of this process. Once it is lost, this process cannot use it again;
 * only a new one can. */
#pragma once

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

/* Called once, in the main thread. @why is for users. */
typedef void (*VhmGpuLost) (gpointer data, const gchar * why);

/* Prefers decoders that leave frames on a GPU, and tests the GPU if there is
 * one. To be called after gst_init(). */
void vhm_gpu_start (VhmGpuLost lost, gpointer data);

/* Returns FALSE if a test is still running, because the GPU does not answer. */
gboolean vhm_gpu_stop (void);

/* To be called when something that may involve a GPU failed or is stuck: tests
 * the GPU in a thread. From any thread, at any time. */
void vhm_gpu_suspect (void);

/* From any thread. */
gboolean vhm_gpu_is_lost (void);

/* Whether its elements are hardware decoders. */
gboolean vhm_gpu_is_decoder (GstElementFactory * factory);

G_END_DECLS
