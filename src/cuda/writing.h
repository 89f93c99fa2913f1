/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared code of operations that write frames. The context must be current. */
#pragma once

#include "session.h"

G_BEGIN_DECLS

/* Prepares to write @out from @in, which may be the same, on the stream of
 * @out. The stream waits for the work in flight on @in, and for @last, the
 * fence of the previous frame, or, if that is NULL, for the work on the
 * session's stream. From then on one fence stands for both frames, and becomes
 * @last. */
CUresult vh_cuda_start_writing (VhCudaFrame * in, VhCudaFrame * out,
    VhCudaFence ** last);

/* Whether a kernel on the stream of @frame can read @counts where they were
 * made, as @view describes, with @n_values per channel (0: any number). If so,
 * holds them there until the frame is done, and makes the stream wait for them,
 * with @result. */
gboolean vh_cuda_map_counts (VhCudaFrame * frame, VhCounts * counts,
    guint n_values, VhCountsDeviceView * view, CUresult * result);

G_END_DECLS
