/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "driver.h"
#include "core/counts.h"
#include "core/frameview.h"
#include "params.h"

G_BEGIN_DECLS

/* The most results that a frame with these params can have, whatever the
 * kernel. */
gsize vh_cuda_max_results (const VhKernelParams * params);

/* Whether there are accumulators for blocks to meet in groups. */
gboolean vh_cuda_has_groups (gsize max_results);

/* Bytes of accumulators for up to @max_results results. */
gsize vh_cuda_accumulator_size (gsize max_results);

/* Fills what of @params follows from the caps and from what is counted. */
void vh_cuda_params_init (VhKernelParams * params, const VhLayout * layout,
    const VhCountsShape * shape);

/* Fills what follows from one frame: @data is the device address of each plane
 * that @view has, @stride its stride. @region is in pixels of the planes. */
void vh_cuda_params_set_frame (VhKernelParams * params,
    const VhFrameView * view, const VhRect * region,
    const CUdeviceptr data[GST_VIDEO_MAX_PLANES],
    const gsize stride[GST_VIDEO_MAX_PLANES]);

/* Fills @frames with where the vectors of a frame lie, for the kernels of
 * kernels/framecolumns.cu. Where pixels are single bytes, each channel that is
 * counted has a plane, and so a frame; else there is one for all. Pixels and
 * vectors have so many bytes. Returns how many frames there are, 0 where those
 * kernels cannot count them. */
guint vh_cuda_place_frames (VhKernelFrame frames[VH_KERNEL_PLANES],
    const VhKernelParams * params, guint pixel_bytes, guint vector_bytes);

G_END_DECLS
