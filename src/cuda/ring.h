/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "device.h"
#include "core/histogram-private.h"
#include "params.h"

G_BEGIN_DECLS

/* Frames whose memory is held for a kernel, at most. Decoders have few
 * surfaces. */
#define VH_CUDA_MAX_FRAMES 2

/* How long a kernel may be silent before it is late: two seconds. Tests on the
 * double set more, where it takes as long as the machine is busy. */
extern GstClockTime vh_cuda_late_after;

/* Where kernels leave their counts: a few slots, allocated once per caps, each
 * for one frame at a time. A ring lives for as long as somebody has a histogram
 * in it. Thread-safe. */
typedef struct _VhCudaRing VhCudaRing;

/* A ring for frames of @params, with so many bytes of @scratch for each kernel.
 * NULL with @result and @error (GST_VIDEO_HISTOGRAM_ERROR_DEVICE) set on
 * failure. Refers to @device, whose context must be current. Slots are cleared
 * in the order of @stream. */
VhCudaRing *vh_cuda_ring_new (VhCudaDevice * device,
    const VhKernelParams * params, gsize scratch, CUstream stream,
    CUresult * result, GError ** error);

VhCudaRing *vh_cuda_ring_ref (VhCudaRing * ring);
void vh_cuda_ring_unref (VhCudaRing * ring);

/* Bytes of scratch that each kernel has. */
gsize vh_cuda_ring_get_scratch (const VhCudaRing * ring);

/* A slot for a kernel on @stream, or -1 where as many frames as may be are
 * under way. What another stream may have yet to do to the slot comes first:
 * @may_follow lets @stream wait for that, where all slots have such. */
gint vh_cuda_ring_acquire (VhCudaRing * ring, CUstream stream,
    gboolean may_follow);

/* Fills what of @params says where the counts of @slot go. */
void vh_cuda_ring_set_params (VhCudaRing * ring, gint slot,
    VhKernelParams * params);

/* Says that a kernel with @params was launched on @stream: makes @histogram
 * complete once its counts are there, and holds @frame (or NULL) until then. */
void vh_cuda_ring_submitted (VhCudaRing * ring, gint slot,
    const VhKernelParams * params, CUstream stream, GstBuffer * frame,
    GstVideoHistogram * histogram);

/* Gives back @slot, for which nothing was enqueued. */
void vh_cuda_ring_release (VhCudaRing * ring, gint slot);

/* Gives back @slot, for which no kernel was launched. Operations on @stream may
 * still read @frame (or NULL): it is held until they are done. */
void vh_cuda_ring_cancel (VhCudaRing * ring, gint slot, CUstream stream,
    GstBuffer * frame);

typedef enum
{
  VH_CUDA_RING_READY,
  VH_CUDA_RING_COUNTED,         /* ready, and a frame was counted since that was
                                 * asked last */
  VH_CUDA_RING_LATE,            /* a kernel takes longer than anybody waits for;
                                 * it may end yet, and until then uses the
                                 * ring */
  VH_CUDA_RING_WORN,            /* slots had to be given up: the ring should be
                                 * replaced by a new one */
} VhCudaRingState;

VhCudaRingState vh_cuda_ring_check (VhCudaRing * ring);

/* Waits up to @timeout ns, and not at all for a kernel that is late, until
 * nothing is under way any more in @ring, nor of what there is now elsewhere on
 * its device: the driver waits for all of it when it frees memory, and a kernel
 * may never end. */
gboolean vh_cuda_ring_drain (VhCudaRing * ring, GstClockTime timeout);

/* Waits up to @timeout ns for what vh_cuda_ring_cancel() was told of last, of
 * @slot: READY when that is done, LATE when it is not, and WORN when it has
 * failed, or nobody will ever know. */
VhCudaRingState vh_cuda_ring_wait (VhCudaRing * ring, gint slot,
    GstClockTime timeout);

/* Leaves to @ring what kernels use that it has under way, once before it is
 * given back: @free is called with it, in the device's context, when the ring
 * is freed. */
void vh_cuda_ring_set_leftovers (VhCudaRing * ring, gpointer leftovers,
    GDestroyNotify free);

G_END_DECLS
