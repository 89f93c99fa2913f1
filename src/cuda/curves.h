/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "correctlaunch.h"
#include "memory.h"

G_BEGIN_DECLS

/* The curves of one stream of frames on a device. Used by one thread at a
 * time, with the context current. */
typedef struct _VhCudaCurves VhCudaCurves;

/* Loads the kernels, and allocates the memory that curves like @curve need, in
 * the order of @stream. On failure returns NULL, with the driver's error in
 * @result. */
VhCudaCurves *vh_cuda_curves_new (VhCudaStream * stream,
    const VhCurveParams * curve, CUresult * result);

/* Frees @curves (or NULL) after @last (or NULL), the fence of the last enqueued
 * work. */
void vh_cuda_curves_free (VhCudaCurves * curves, VhCudaFence * last);

/* Whether there is room for curves like @curve. */
gboolean vh_cuda_curves_fit (const VhCudaCurves * curves,
    const VhCurveParams * curve);

/* Says that the next frame is the first of a stream. */
void vh_cuda_curves_forget (VhCudaCurves * curves);

/* Uploads counts of the host, [rows][columns][bins] of @curve, to @counts, in
 * the order of @stream. */
CUresult vh_cuda_curves_upload_counts (VhCudaCurves * curves,
    const VhCurveParams * curve, const guint32 * cells, CUdeviceptr * counts,
    CUstream stream);

/* Makes the curves of the next frame from @counts,
 * guint32[rows][columns][bins], which are complete in the order of @stream, and
 * applies them to @in to write @out, which may be the same. The frames of a
 * stream must be enqueued one after the other, each ordered after the previous
 * one. */
CUresult vh_cuda_curves_enqueue (VhCudaCurves * curves,
    const VhKernelParams * params, const VhCudaPlanes * in,
    const VhCudaPlanes * out, CUdeviceptr counts, const VhEqualizeJob * job,
    CUstream stream);

G_END_DECLS
