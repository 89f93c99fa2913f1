/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pinned.h"
#include "cache.h"
#include "devicetable.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_SIZE 4096
#define MEMORY_TYPE "VideoHistogramPinned"

typedef struct
{
  GstMemory memory;
  guint8 *data;
  VhCudaDevice *device;         /* NULL for sub-memories and ordinary memory */
  VhCudaPinned *block;          /* likewise */
  gboolean pinned;              /* FALSE: ordinary memory, for lack of pinned
                                 * memory */
} PinnedMemory;

typedef struct
{
  GstAllocator parent;
  VhCudaDevice *device;
} VhPinnedAllocator;

typedef GstAllocatorClass VhPinnedAllocatorClass;

static GType vh_pinned_allocator_get_type (void);
G_DEFINE_TYPE (VhPinnedAllocator, vh_pinned_allocator, GST_TYPE_ALLOCATOR);

static VhCudaPinned *
take_block (VhCudaDevice * device, gsize size)
{
  VhCudaPinned *block = NULL;
  CUresult result;

  if (vh_cuda_device_push (device) == CUDA_SUCCESS) {
    block = vh_cuda_pinned_take (device, size, &result);
    vh_cuda_device_pop (device);
  }
  return block;
}

/* If the driver has no pinned memory, callers get ordinary memory, because
 * video must not stop for the analysis. Both start on a page, which satisfies
 * any requested alignment. */
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
  memory->block = take_block (self->device, MAX (max_size, 1));
  if (memory->block) {
    memory->data = memory->block->data;
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

/* While kernels read a block, they hold its buffer, so it is not freed. */
static void
pinned_free (G_GNUC_UNUSED GstAllocator * allocator, GstMemory * memory)
{
  PinnedMemory *self = (PinnedMemory *) memory;

  if (self->device) {
    vh_cuda_pinned_give (self->device, self->block);
    vh_cuda_device_unref (self->device);
  } else if (!memory->parent) {
    free (self->data);
  }
  g_free (self);
}

static gpointer
pinned_map (GstMemory * memory, G_GNUC_UNUSED gsize max_size,
    G_GNUC_UNUSED GstMapFlags flags)
{
  return ((PinnedMemory *) memory)->data;
}

static void
pinned_unmap (G_GNUC_UNUSED GstMemory * memory)
{
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
