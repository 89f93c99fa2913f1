/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* New frames, for an element that cannot write into those that come: they are
 * held by others as well, or have another size than those that it pushes. */
#pragma once

#include "gstvideohistogramfilter.h"

G_BEGIN_DECLS

/* Zeroed at first; used by the streaming thread. */
typedef struct
{
  GstBufferPool *pool;          /* active; NULL before the first frame */
  GstStructure *config;         /* that was requested; NULL without a pool */
  gboolean unsure;              /* caps, or downstream's wishes, have changed */
} VhFramePool;

/* Whether @buffer's frame may be changed in place: nothing else holds it, and
 * nothing keeps its memory for its own use, as decoders do with their
 * surfaces. */
gboolean vh_frame_is_writable (GstBuffer * buffer);

/* An empty frame of the caps that @filter pushes, in memory like that of @in,
 * with its times, flags and metas; NULL if there is none. */
GstBuffer *vh_frame_pool_new_frame (VhFramePool * self,
    GstVideoHistogramFilter * filter, GstBuffer * in);

/* Deactivates and forgets the pool. */
void vh_frame_pool_drop (VhFramePool * self);

G_END_DECLS
