/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "frames.h"
#include "memory.h"

G_BEGIN_DECLS

/* The maximum number of frames from system memory on the device at once. */
#define VH_CUDA_UPLOADS 2

/* Room for a frame on the device, and memory that it is first copied to if the
 * copy engine cannot read it in place. */
typedef struct _VhCudaStaging VhCudaStaging;

/* Uploads frames from system memory to the device; zero at first. */
typedef struct
{
  VhCudaStaging *staging[VH_CUDA_UPLOADS];
} VhCudaUpload;

/* Makes room for uploads of @size bytes; with @pinned, also the memory to copy
 * them to first. The context must be current. */
CUresult vh_cuda_upload_prepare (VhCudaUpload * self, VhCudaStream * stream,
    gsize size, gboolean pinned);

/* The bytes of an upload of @planes (a bit each) of frames of @layout. */
gsize vh_cuda_upload_size (const VhLayout * layout, guint planes);

/* Whether the copy engine reads the planes of @view in place. */
gboolean vh_cuda_upload_is_pinned (const VhFrameView * view);

/* Enqueues the upload of a mapped frame on @stream, and fills @planes. The room
 * is in use until @fence has ended. The context must be current. */
CUresult vh_cuda_upload_frame (VhCudaUpload * self, VhCudaStream * stream,
    VhCudaFence * fence, VhCudaPlanes * planes);

/* Releases everything. */
void vh_cuda_upload_clear (VhCudaUpload * self);

G_END_DECLS
