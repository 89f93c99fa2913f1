/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "device.h"

G_BEGIN_DECLS

/* Allocates system memory that the GPU's copy engine reads directly.
 * Thread-safe. */
GstAllocator *vh_pinned_allocator_new (VhCudaDevice * device);

/* Whether @memory, or its parent memory, is from such an allocator of any
 * device. */
gboolean vh_is_pinned_memory (GstMemory * memory);

G_END_DECLS
