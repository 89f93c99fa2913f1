/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The surfaces of a decoder: a fixed number, in buffers without a pool,
 * read-only once decoded, and reused only after the last reference to their
 * memory is gone. NVDEC's buffers are like this from GStreamer 1.24 on. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _TestSurfaces TestSurfaces;

/* @n surfaces with the memories of @n buffers of @pool, which is active and
 * gives buffers with one memory each. All functions are thread-safe. */
TestSurfaces *test_surfaces_new (GstBufferPool * pool, guint n);

/* Call when all surfaces have been returned. */
void test_surfaces_free (TestSurfaces * self);

/* A buffer with a surface for the decoder to write, with a GstVideoMeta if
 * those of the pool had one. Waits up to @max_wait microseconds for a surface,
 * then returns NULL. */
GstBuffer *test_surfaces_acquire (TestSurfaces * self, gint64 max_wait);

/* The decoder has written @buffer, which becomes read-only. */
void test_surfaces_decoded (GstBuffer * buffer);

/* Unused surfaces. */
guint test_surfaces_free_count (TestSurfaces * self);

G_END_DECLS
