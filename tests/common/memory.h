/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memories that detect misuse. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* A copy of @data, of @size bytes and not one more: the page behind the last
 * byte, or with @front the one before the first, cannot be touched. @flags are
 * those of the memory. */
GstMemory *test_memory_guarded (gconstpointer data, gsize size, gboolean front,
    GstMemoryFlags flags);

/* A buffer of one such memory. */
GstBuffer *test_buffer_guarded (gconstpointer data, gsize size);

/* A memory that says it has @size bytes and fails to map. */
GstMemory *test_memory_unmappable (gsize size);

/* One that says it has @size bytes, and maps none. */
GstMemory *test_memory_of_nothing (gsize size);

G_END_DECLS
