/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What operations that write frames have in common. The context must be
 * current. */
#pragma once

#include "session.h"

G_BEGIN_DECLS

/* Makes the stream of @out that on which it is written, by what @in has, which
 * may be the same. It waits for the work in flight on @in, and for @last, the
 * fence of the previous frame, or with NULL for what is on the session's
 * stream. From then on one fence stands for both frames, and is @last. */
CUresult vh_cuda_start_writing (VhCudaFrame * in, VhCudaFrame * out,
    VhCudaFence ** last);

/* Whether a kernel on the stream of @frame can read @counts where they were
 * made, as they are in @view: @n_values of a channel, or any number with 0. If
 * so, holds them there until the frame is done, and makes the stream wait for
 * them, with @result. */
gboolean vh_cuda_map_counts (VhCudaFrame * frame, VhCounts * counts,
    guint n_values, VhCountsDeviceView * view, CUresult * result);

G_END_DECLS
