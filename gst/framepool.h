/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* New frames for an element that cannot write into its input, because other
 * elements hold it too, or because the output has another size. */
#pragma once

#include "basetransform.h"
#include "effectmethods.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Used by the streaming thread. */
typedef struct
{
  VhBaseTransform *base;
  const VhEffectMethods *methods;
  gpointer object;              /* of @methods */

  GstBufferPool *pool;          /* active; NULL before the first frame */
  GstStructure *config;         /* as requested; NULL without a pool */
  gboolean unsure;              /* @config may be outdated */
  gsize min_size;               /* of the input frames, bytes */
} VhFramePool;

/* From now on the input frames have @info. */
void vh_frame_pool_configure (VhFramePool * self, const GstVideoInfo * info);

/* Processes @in. With @in_place, works in place if the frame is writable:
 * nothing else holds the buffer, and no element keeps its memory, as decoders
 * keep their surfaces. Otherwise writes into a new frame. Takes @in and returns
 * the result, or returns NULL with an error and leaves @in. */
GstBuffer *vh_frame_pool_process (VhFramePool * self, GstBuffer * in,
    gboolean in_place, GError ** error);

/* Returns an uninitialized frame of the caps that @base pushes, in the same
 * kind of memory as @in and with the times, flags and metas of @in, or NULL if
 * none can be allocated. */
GstBuffer *vh_frame_pool_new_frame (VhFramePool * self, GstBuffer * in);

/* Deactivates and drops the pool. */
void vh_frame_pool_drop (VhFramePool * self);

G_END_DECLS
