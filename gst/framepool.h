/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* New frames, for an element that cannot write into those that come: they are
 * held by others as well, or have another size than those that it pushes. */
#pragma once

#include "gstvideohistogramfilter.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Zeroed at first; used by the streaming thread. */
typedef struct
{
  GstBufferPool *pool;          /* active; NULL before the first frame */
  GstStructure *config;         /* that was requested; NULL without a pool */
  gboolean unsure;              /* caps, or downstream's wishes, have changed */
  gsize least_size;             /* of the frames that come, bytes */
} VhFramePool;

/* Works on the frame of @in and writes it into @out, which may be the same. */
typedef gboolean (*VhFrameFunc) (GstVideoHistogramFilter * filter,
    GstBuffer * in, GstBuffer * out, GError ** error);

/* Whether @error is about the frame, and not about where it is. */
gboolean vh_is_frame_error (const GError * error);

/* The frames that come are of @info from now on. */
void vh_frame_pool_configure (VhFramePool * self, const GstVideoInfo * info);

/* Has @func work on @in: if @in_place, where it is, if the frame may be changed
 * there, that is, nothing else holds it, and nothing keeps its memory for its
 * own use, as decoders do with their surfaces; otherwise into a new frame.
 * Takes @in and returns the result, or returns NULL with an error and leaves
 * @in. */
GstBuffer *vh_frame_pool_process (VhFramePool * self,
    GstVideoHistogramFilter * filter, GstBuffer * in, gboolean in_place,
    VhFrameFunc func, GError ** error);

/* An empty frame of the caps that @filter pushes, in memory like that of @in,
 * with its times, flags and metas; NULL if there is none. */
GstBuffer *vh_frame_pool_new_frame (VhFramePool * self,
    GstVideoHistogramFilter * filter, GstBuffer * in);

/* Deactivates and forgets the pool. */
void vh_frame_pool_drop (VhFramePool * self);

G_END_DECLS
