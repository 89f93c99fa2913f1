/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "device.h"
#include "core/counts.h"
#include "core/frameview.h"
#include "core/methods.h"
#include "params.h"

G_BEGIN_DECLS

/* A kernel and how it is started. */
typedef struct
{
  VhCudaKernel kernel;
  guint grid[3];
  guint threads;                /* per block */
  gsize shared;                 /* bytes of dynamic shared memory */
  gsize scratch;                /* bytes of device memory that params.scratch
                                 * must have */
  guint pixel_bytes, vector_bytes;      /* of the kernels that take frames as
                                         * VhKernelFrame has them; else 0 */
  gboolean complete;            /* nothing that comes before on the stream
                                 * writes the frame, so that reading it may
                                 * begin before that has ended */
} VhCudaLaunch;

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

/* The kernel that counts such a frame by @method, and what of @params it reads
 * besides. Where @method cannot, and for AUTO, it is that of the method that is
 * fastest; where it cannot, @problem (unless NULL) is set to a sentence that
 * says why and names one that can. AUTO needs no scratch. The kernel may have
 * to be loaded. Whether the frame is complete is left to say. */
VhCudaLaunch vh_cuda_choose_launch (const VhCudaDevice * device,
    const VhLayout * layout, guint method,
    VhKernelParams * params, gchar ** problem);

/* Launches that kernel with @params, in the order of @stream, on which all has
 * to be in that order: what it reads is what was there when everything before
 * had ended, or, of a frame that is complete, is there now. The context must be
 * current. */
CUresult vh_cuda_launch (const VhCudaDevice * device,
    const VhCudaLaunch * launch, const VhKernelParams * params,
    CUstream stream);

/* Launches @launch with @arguments in the order of @stream. Where its kernel
 * @waits by itself for the launch before, it may begin earlier, on GPUs that
 * can do that. The context must be current. */
CUresult vh_cuda_launch_kernel (const VhCudaDevice * device,
    const VhCudaLaunch * launch, gboolean waits, void **arguments,
    CUstream stream);

/* A sentence that says that @method cannot count such frames, why in a clause,
 * and which can. */
gchar *vh_cuda_describe_problem (const VhCudaDevice * device,
    const VhLayout * layout, guint method,
    const VhKernelParams * params, const gchar * why);

G_END_DECLS
