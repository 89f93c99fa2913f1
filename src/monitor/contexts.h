/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One CUDA context for all pipelines: each one of its own would take hundreds
 * of MB of the GPU. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Elements that post on @bus get the context that others have. From any
 * thread. */
void vhm_contexts_share (GstBus * bus);

/* Gives it up, once there are no pipelines any more. */
void vhm_contexts_clear (void);

G_END_DECLS
