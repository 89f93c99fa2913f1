/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launch.h"

G_BEGIN_DECLS

/* Frames as kernels/framecolumns.cu takes them: one for each plane that is
 * counted, or one of packed pixels. */
#define VH_CUDA_FRAME_PLANES 3

/* Whether frames with @params can be taken so, with pixels and vectors of so
 * many bytes. */
gboolean vh_cuda_frames_fit (const VhKernelParams * params, guint pixel_bytes,
    guint vector_bytes);

/* Fills @frames for @launch, whose kernel takes them: up to
 * VH_CUDA_FRAME_PLANES for planes, and else one. Returns how many there are. */
guint vh_cuda_frames_init (VhKernelFrame * frames, const VhCudaLaunch * launch,
    const VhKernelParams * params);

G_END_DECLS
