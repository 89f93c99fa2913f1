/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "driver.h"
#include "core/counts.h"
#include "core/frameview.h"
#include "params.h"

G_BEGIN_DECLS

/* Where the planes of a frame are on the device. */
typedef struct
{
  const VhFrameView *view;
  CUdeviceptr data[GST_VIDEO_MAX_PLANES];
  gsize stride[GST_VIDEO_MAX_PLANES];
} VhCudaPlanes;

/* The maximum number of results that a frame with these parameters can have
 * with any kernel. */
gsize vh_cuda_max_results (const VhKernelParams * params);

/* Whether there are accumulators for groups of blocks. */
gboolean vh_cuda_has_groups (gsize max_results);

/* Bytes of accumulators for up to @max_results results. */
gsize vh_cuda_accumulator_size (gsize max_results);

/* Fills the part of @params that depends on the caps and on what is counted. */
void vh_cuda_params_init (VhKernelParams * params, const VhLayout * layout,
    const VhCountsShape * shape);

/* Fills the part that depends on one frame. @region is in pixels of the
 * planes. */
void vh_cuda_params_set_frame (VhKernelParams * params,
    const VhCudaPlanes * planes, const VhRect * region);

/* Fills @frames with the positions of a frame's vectors, for the kernels of
 * kernels/framecolumns.cu. If pixels are single bytes, each counted channel is
 * a plane with a frame of its own; otherwise there is one frame for all. Pixels
 * and vectors have the given numbers of bytes. Returns the number of frames; 0
 * if those kernels cannot count them. */
guint vh_cuda_place_frames (VhKernelFrame frames[VH_KERNEL_PLANES],
    const VhKernelParams * params, guint pixel_bytes, guint vector_bytes);

G_END_DECLS
