/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The surfaces of a decoder: a fixed number, in buffers without a pool,
 * read-only once they are decoded, and not written again before the last
 * reference to their memory is gone. NVDEC's buffers are like this from
 * GStreamer 1.24 on. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _TestSurfaces TestSurfaces;

/* @n surfaces with the memories of @n buffers of @pool, which is active and
 * gives buffers of one memory each. Thread-safe, as are all of these. */
TestSurfaces *test_surfaces_new (GstBufferPool * pool, guint n);

/* To be called when all surfaces have come back. */
void test_surfaces_free (TestSurfaces * self);

/* A buffer with a surface for the decoder to write, with a GstVideoMeta if
 * those of the pool had one. Waits until a surface is returned, but at most
 * @patience microseconds: then NULL. */
GstBuffer *test_surfaces_acquire (TestSurfaces * self, gint64 patience);

/* The decoder has written @buffer, which is read-only from now on. */
void test_surfaces_decoded (GstBuffer * buffer);

/* Unused surfaces. */
guint test_surfaces_free_count (TestSurfaces * self);

G_END_DECLS
