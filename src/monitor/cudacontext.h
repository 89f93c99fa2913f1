/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One CUDA context for all pipelines: one for each would take hundreds of MB of
 * GPU memory. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Gives an element that asks for it with @message the shared context. From any
 * thread. */
void vhm_cuda_context_share (GstMessage * message);

/* Releases the context, after the last pipeline. */
void vhm_cuda_context_clear (void);

G_END_DECLS
