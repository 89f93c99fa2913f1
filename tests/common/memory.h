/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memories that detect misuse. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Copies @size bytes of @data. The page after the last byte or, with @front,
 * before the first byte cannot be accessed. @flags are the memory's flags. */
GstMemory *test_memory_guarded (gconstpointer data, gsize size, gboolean front,
    GstMemoryFlags flags);

/* A buffer with one such memory. */
GstBuffer *test_buffer_guarded (gconstpointer data, gsize size);

/* A memory that claims @size bytes and fails to map. */
GstMemory *test_memory_unmappable (gsize size);

/* A memory that claims @size bytes and maps to none. */
GstMemory *test_memory_of_nothing (gsize size);

G_END_DECLS
