/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The GPU of this process. Once it is lost, no part of the process can use it
 * any more: only another process can. */
#pragma once

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

/* Called once, in the main thread. @why is for people. */
typedef void (*VhmGpuLost) (gpointer data, const gchar * why);

/* Has decoders that leave frames on a GPU chosen before others, and the GPU, if
 * there is one, tried. To be called after gst_init(). */
void vhm_gpu_start (VhmGpuLost lost, gpointer data);

/* Returns FALSE if it is still being tried, and does not answer. */
gboolean vhm_gpu_stop (void);

/* Something failed, or does not go on, that a GPU may have a part in: it is
 * tried, in a thread. From any thread, at any time. */
void vhm_gpu_suspect (void);

/* From any thread. */
gboolean vhm_gpu_is_lost (void);

/* Whether what it makes decodes on hardware. */
gboolean vhm_gpu_is_decoder (GstElementFactory * factory);

G_END_DECLS
