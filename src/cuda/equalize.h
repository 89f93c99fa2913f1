/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/correction.h"
#include "core/frameview.h"
#include "launch.h"
#include "ring.h"

G_BEGIN_DECLS

typedef struct _VhCudaCurves VhCudaCurves;

/* The longest that anybody waits for a frame: 0.8 seconds. Tests on the double
 * set more, where a kernel takes as long as the machine is busy. */
extern GstClockTime vh_cuda_equalize_timeout;

/* Correcting on a device: the curves of one stream of frames. */
typedef struct
{
  VhCudaRing *ring;             /* to see what is under way; NULL until it is
                                 * needed */
  VhCudaCurves *curves;         /* of the ring, which gives them back */
  gint slot;                    /* of a frame that may be under way, or -1 */
  gboolean fresh;               /* there is no frame before */
} VhCudaEqualizer;

/* A frame whose planes are on the device. */
typedef struct
{
  const VhFrameView *view;
  CUdeviceptr data[GST_VIDEO_MAX_PLANES];
  gsize stride[GST_VIDEO_MAX_PLANES];
} VhCudaFrame;

/* Loads the kernels, and makes the memory that curves like @curve need, where
 * it is not there, for frames on @stream. The context must be current.
 * FALSE with @result, and @error (GST_VIDEO_HISTOGRAM_ERROR_DEVICE), set on
 * failure. */
gboolean vh_cuda_equalizer_ensure (VhCudaEqualizer * self,
    VhCudaDevice * device, const VhCurveParams * curve, CUstream stream,
    CUresult * result, GError ** error);

/* Gives back what is on the device; what a kernel still uses after a while goes
 * when it can. The next frame is the first of a stream. */
void vh_cuda_equalizer_clear (VhCudaEqualizer * self);

/* Corrects @in into @out, which may be the same view, in the order of @stream,
 * as VhBackendClass has it; after what is on @in_stream, unless NULL. @params
 * are those of the backend. The context must be current. Where that failed, or
 * FALSE is returned, @out is not to be used; something may be under way all the
 * same, for which vh_cuda_equalizer_wait() waits. */
gboolean vh_cuda_equalizer_submit (VhCudaEqualizer * self,
    VhCudaDevice * device, const VhKernelParams * params,
    const VhCudaFrame * in, const VhCudaFrame * out,
    GstVideoHistogram * histogram, const VhEqualizeJob * job, CUstream stream,
    CUstream in_stream, CUresult * result, GError ** error);

/* The part of it that is kernels, by @counts that are there by then,
 * guint32[rows][columns][bins]; nobody can wait for it. */
CUresult vh_cuda_equalizer_enqueue (VhCudaEqualizer * self,
    VhCudaDevice * device, const VhKernelParams * params,
    const VhCudaFrame * in, const VhCudaFrame * out, CUdeviceptr counts,
    const VhEqualizeJob * job, CUstream stream);

/* Waits for the last frame, for as long as anybody does: READY when it is
 * done, LATE when it is not, WORN when a kernel has failed. The context must
 * not be current. */
VhCudaRingState vh_cuda_equalizer_wait (VhCudaEqualizer * self);

/* Holds @frame until the last frame is done, however long that takes. Takes
 * @frame. */
void vh_cuda_equalizer_hold (VhCudaEqualizer * self, GstBuffer * frame);

G_END_DECLS
