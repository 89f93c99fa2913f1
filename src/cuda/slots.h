/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/counts.h"
#include "memory.h"
#include "params.h"

G_BEGIN_DECLS

/* Where kernels leave their counts: a few slots, each for one frame at a time.
 * They live while kernels write there, or while counts with a copy on the
 * device exist. Thread-safe, except that only one thread may acquire and
 * submit. */
typedef struct _VhCudaSlots VhCudaSlots;
typedef struct _VhCudaSlot VhCudaSlot;

/* Makes slots for up to @max_results results and @scratch bytes of scratch per
 * kernel, cleared in the order of @stream. The context must be current. On
 * failure returns NULL, with the driver's error in @result. */
VhCudaSlots *vh_cuda_slots_new (VhCudaStream * stream, gsize max_results,
    gsize scratch, GstClockTime late_after, CUresult * result);

/* The caller must not acquire slots any more. */
void vh_cuda_slots_unref (VhCudaSlots * slots);

/* Whether @slots (or NULL) exist for use in the order of @stream. */
gboolean vh_cuda_slots_are_on (const VhCudaSlots * slots,
    const VhCudaStream * stream);

/* Whether there is room for @max_results and @scratch. */
gboolean vh_cuda_slots_fit (const VhCudaSlots * slots, gsize max_results,
    gsize scratch);

/* Bytes of scratch that each kernel has. */
gsize vh_cuda_slots_get_scratch (const VhCudaSlots * slots);

/* Returns a slot for a kernel on @stream, or NULL if all are in use. If all
 * slots still have work on other streams, @may_follow lets @stream wait for it.
 * The context must be current. */
VhCudaSlot *vh_cuda_slots_acquire (VhCudaSlots * slots, CUstream stream,
    gboolean may_follow);

/* Fills the part of @params that says where the counts of @slot go. */
void vh_cuda_slot_set_params (VhCudaSlot * slot, VhKernelParams * params);

/* Declares that a kernel with @params was launched, covered by @fence, which
 * will complete or fail @counts. If host_counts of @params is 0, they can only
 * be mapped in the order of its work, and fail for threads that wait for
 * them. */
void vh_cuda_slot_submitted (VhCudaSlot * slot, const VhKernelParams * params,
    VhCudaFence * fence, VhCounts * counts);

/* Declares that work was enqueued that may use @slot but makes no counts;
 * @fence covers it. */
void vh_cuda_slot_cancel (VhCudaSlot * slot, VhCudaFence * fence);

/* Clears the scratch of @slot on @stream unless the last kernel left it in
 * @layout, a positive number that the caller chooses. The context must be
 * current. */
CUresult vh_cuda_slot_prepare_scratch (VhCudaSlot * slot, guint layout,
    CUstream stream);

G_END_DECLS
