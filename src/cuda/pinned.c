/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "pinned.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_SIZE 4096
#define MEMORY_TYPE "VideoHistogramPinned"

/* Memories that may wait to be freed, for as long as frames are under way. */
#define MAX_DEFERRED 8

typedef struct
{
  GstMemory memory;
  guint8 *data;
  VhCudaDevice *device;         /* NULL where data is not to be freed by it */
  gboolean pinned;              /* or ordinary memory, for want of pinned one */
} PinnedMemory;

typedef struct
{
  GstAllocator parent;
  VhCudaDevice *device;
  gint deferred;                /* atomic: memories that were freed while frames
                                 * were under way */
} VhPinnedAllocator;

typedef GstAllocatorClass VhPinnedAllocatorClass;

static GType vh_pinned_allocator_get_type (void);
G_DEFINE_TYPE (VhPinnedAllocator, vh_pinned_allocator, GST_TYPE_ALLOCATOR);

static gboolean
is_device_used (VhCudaDevice * device)
{
  return g_atomic_int_get (&device->running) > 0;
}

static void *
alloc_pinned (VhPinnedAllocator * self, gsize size)
{
  VhCudaDevice *device = self->device;
  void *data = NULL;

  /* A kernel may never end: who allocates for each frame shall not fill all
   * memory meanwhile. */
  if (!is_device_used (device))
    g_atomic_int_set (&self->deferred, 0);
  else if (g_atomic_int_get (&self->deferred) >= MAX_DEFERRED)
    return NULL;

  if (vh_cuda_device_push (device) == CUDA_SUCCESS) {
    if (device->driver->MemHostAlloc (&data, size, CU_MEMHOSTALLOC_PORTABLE)
        != CUDA_SUCCESS)
      data = NULL;
    vh_cuda_device_pop (device);
  }
  return data;
}

/* Where the driver has no pinned memory, ordinary memory does for whoever
 * asked: no video stops for want of an analysis. Both begin on a page, aligned
 * enough for whatever is asked for. */
static GstMemory *
pinned_alloc (GstAllocator * allocator, gsize size,
    GstAllocationParams * params)
{
  VhPinnedAllocator *self = (VhPinnedAllocator *) allocator;
  PinnedMemory *memory;
  gsize max_size;

  if (!g_size_checked_add (&max_size, size, params->prefix)
      || !g_size_checked_add (&max_size, max_size, params->padding))
    return NULL;

  memory = g_new0 (PinnedMemory, 1);
  memory->data = alloc_pinned (self, MAX (max_size, 1));
  if (memory->data) {
    memory->pinned = TRUE;
    memory->device = vh_cuda_device_ref (self->device);
  } else if (posix_memalign ((void **) &memory->data, PAGE_SIZE,
          MAX (max_size, 1)) != 0) {
    g_free (memory);
    return NULL;
  }

  gst_memory_init (GST_MEMORY_CAST (memory), params->flags, allocator, NULL,
      max_size, params->align, params->prefix, size);
  if (params->flags & GST_MEMORY_FLAG_ZERO_PREFIXED)
    memset (memory->data, 0, params->prefix);
  if (params->flags & GST_MEMORY_FLAG_ZERO_PADDED)
    memset (memory->data + params->prefix + size, 0, params->padding);
  return GST_MEMORY_CAST (memory);
}

static void
pinned_free (GstAllocator * allocator, GstMemory * memory)
{
  PinnedMemory *self = (PinnedMemory *) memory;

  if (self->device) {
    if (is_device_used (self->device))
      g_atomic_int_inc (&((VhPinnedAllocator *) allocator)->deferred);
    vh_cuda_device_free_host (self->device, self->data);
    vh_cuda_device_unref (self->device);
  } else if (!memory->parent) {
    free (self->data);
  }
  g_free (self);
}

static gpointer
pinned_map (GstMemory * memory, gsize max_size, GstMapFlags flags)
{
  (void) max_size;
  (void) flags;
  return ((PinnedMemory *) memory)->data;
}

static void
pinned_unmap (GstMemory * memory)
{
  (void) memory;
}

static GstMemory *
pinned_share (GstMemory * memory, gssize offset, gssize size)
{
  GstMemory *parent = memory->parent ? memory->parent : memory;
  PinnedMemory *share = g_new0 (PinnedMemory, 1);

  if (size == -1)
    size = memory->size - offset;
  share->data = ((PinnedMemory *) memory)->data;
  share->pinned = ((PinnedMemory *) memory)->pinned;
  gst_memory_init (GST_MEMORY_CAST (share),
      GST_MINI_OBJECT_FLAGS (parent) | GST_MINI_OBJECT_FLAG_LOCK_READONLY,
      memory->allocator, parent, memory->maxsize, memory->align,
      memory->offset + offset, size);
  return GST_MEMORY_CAST (share);
}

static void
vh_pinned_allocator_finalize (GObject * object)
{
  vh_cuda_device_unref (((VhPinnedAllocator *) object)->device);
  G_OBJECT_CLASS (vh_pinned_allocator_parent_class)->finalize (object);
}

static void
vh_pinned_allocator_class_init (VhPinnedAllocatorClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize = vh_pinned_allocator_finalize;
  klass->alloc = pinned_alloc;
  klass->free = pinned_free;
}

static void
vh_pinned_allocator_init (VhPinnedAllocator * self)
{
  GstAllocator *allocator = GST_ALLOCATOR_CAST (self);

  allocator->mem_type = MEMORY_TYPE;
  allocator->mem_map = pinned_map;
  allocator->mem_unmap = pinned_unmap;
  allocator->mem_share = pinned_share;
}

GstAllocator *
vh_pinned_allocator_new (VhCudaDevice * device)
{
  VhPinnedAllocator *self =
      g_object_new (vh_pinned_allocator_get_type (), NULL);

  gst_object_ref_sink (self);
  self->device = vh_cuda_device_ref (device);
  return GST_ALLOCATOR_CAST (self);
}

gboolean
vh_is_pinned_memory (GstMemory * memory)
{
  return gst_memory_is_type (memory, MEMORY_TYPE)
      && ((PinnedMemory *) memory)->pinned;
}
