/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct
{
  guint8 *pages;
  gsize size;
} Mapping;

static void
mapping_free (gpointer data)
{
  Mapping *mapping = data;

  munmap (mapping->pages, mapping->size);
  g_free (mapping);
}

GstMemory *
test_memory_guarded (gconstpointer data, gsize size, gboolean front,
    GstMemoryFlags flags)
{
  const gsize page = sysconf (_SC_PAGESIZE);
  const gsize body = (size + page - 1) / page * page;
  Mapping *mapping = g_new (Mapping, 1);
  guint8 *bytes;

  mapping->size = body + page;
  mapping->pages = mmap (NULL, mapping->size, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  g_assert (mapping->pages != MAP_FAILED);

  bytes = mapping->pages + (front ? page : body - size);
  if (size > 0)
    memcpy (bytes, data, size);
  g_assert (mprotect (mapping->pages + (front ? 0 : body), page,
          PROT_NONE) == 0);
  return gst_memory_new_wrapped (flags, bytes, size, 0, size, mapping,
      mapping_free);
}

GstBuffer *
test_buffer_guarded (gconstpointer data, gsize size)
{
  GstBuffer *buffer = gst_buffer_new ();

  gst_buffer_append_memory (buffer, test_memory_guarded (data, size, FALSE, 0));
  return buffer;
}

typedef struct
{
  GstAllocator parent;
} TestUnmappable;

typedef struct
{
  GstAllocatorClass parent_class;
} TestUnmappableClass;

static GType test_unmappable_get_type (void);
G_DEFINE_TYPE (TestUnmappable, test_unmappable, GST_TYPE_ALLOCATOR);

/* Reports another size than GStreamer put into @info, or fails. */
static gpointer
test_unmappable_map (GstMemory * memory, GstMapInfo * info,
    G_GNUC_UNUSED gsize maxsize)
{
  static guint8 nothing;

  if (memory->align == 0)
    return NULL;
  info->size = 0;
  return &nothing;
}

static void
test_unmappable_unmap (G_GNUC_UNUSED GstMemory * memory,
    G_GNUC_UNUSED GstMapInfo * info)
{
}

static void
test_unmappable_free (G_GNUC_UNUSED GstAllocator * allocator,
    GstMemory * memory)
{
  g_free (memory);
}

static void
test_unmappable_class_init (TestUnmappableClass * klass)
{
  GST_ALLOCATOR_CLASS (klass)->free = test_unmappable_free;
}

static void
test_unmappable_init (TestUnmappable * self)
{
  GstAllocator *allocator = GST_ALLOCATOR (self);

  allocator->mem_type = "unmappable";
  allocator->mem_map_full = test_unmappable_map;
  allocator->mem_unmap_full = test_unmappable_unmap;
  GST_OBJECT_FLAG_SET (allocator, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

/* Makes a memory that fails to map if @align is 0, and otherwise maps to no
 * bytes. */
static GstMemory *
new_unmappable (gsize size, gsize align)
{
  GstAllocator *allocator = g_object_new (test_unmappable_get_type (), NULL);
  GstMemory *memory = g_new0 (GstMemory, 1);

  gst_object_ref_sink (allocator);
  gst_memory_init (memory, GST_MEMORY_FLAG_NO_SHARE, allocator, NULL, size,
      align, 0, size);
  gst_object_unref (allocator);
  return memory;
}

GstMemory *
test_memory_unmappable (gsize size)
{
  return new_unmappable (size, 0);
}

GstMemory *
test_memory_of_nothing (gsize size)
{
  return new_unmappable (size, 1);
}
