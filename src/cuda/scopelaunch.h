/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/scope.h"
#include "launch.h"
#include "upload.h"

#include "scopeparams.h"

G_BEGIN_DECLS

/* A trace on the device. */
typedef struct
{
  CUdeviceptr counts, shown, light, peaks;      /* as in VhKernelTable */
  guint before;                 /* VH_SHOWN_NOTHING ... */
  gboolean forget;              /* forget its peaks */
  gboolean counted;             /* in this frame, so it is drawn */
} VhCudaTrace;

/* Counts on the device that come from a counter. */
typedef struct
{
  CUdeviceptr counts;           /* uint32_t[channel][n_values], or 0 */
  guint channels;               /* a bit each */
  guint n_values;               /* bins, or code values: see
                                 * VhCountsDeviceView */
  guint bins;
} VhCudaScopeCounts;

/* A plan on the device, and the traces. */
typedef struct
{
  const VhScopePlan *plan;
  VhKernelParams params;        /* what does not change from frame to frame */
  CUdeviceptr brightness;       /* guint8[traces][VH_SCOPE_STEPS] */
  CUdeviceptr behind;           /* guint32[n_graticules]: see VhKernelPanel */
  CUdeviceptr of_code;          /* guint8[1 << depth] */
  VhCudaTrace trace[VH_SCOPE_MAX_TRACES];
} VhCudaScopeState;

/* Loads the kernels. The context must be current, here and below. */
CUresult vh_cuda_scope_load (VhCudaDevice * device);

/* Returns the bytes of memory that @trace needs, and sets where its parts are,
 * starting at @address. */
gsize vh_cuda_scope_trace_size (const VhScopeTrace * trace);
void vh_cuda_scope_trace_place (VhCudaTrace * self, const VhScopeTrace * trace,
    CUdeviceptr address);

/* Counts @in, and updates what is shown from that and from the other counts.
 * Sets which traces were counted. Works in the order of @stream, like all
 * functions below. */
CUresult vh_cuda_scope_count (VhCudaDevice * device, VhCudaScopeState * state,
    const VhCudaPlanes * in, const VhCudaScopeCounts * histogram,
    const VhCudaScopeCounts * chroma, gfloat decay, CUstream stream);

/* Fills @out with black and the picture of @in. */
CUresult vh_cuda_scope_place (VhCudaDevice * device,
    const VhCudaScopeState * state, const VhCudaPlanes * in,
    const VhCudaPlanes * out, CUstream stream);

/* Applies the look to the picture of @in at its place in @out, and draws the
 * panels. */
CUresult vh_cuda_scope_draw (VhCudaDevice * device,
    const VhCudaScopeState * state, const VhCudaPlanes * in,
    const VhCudaPlanes * out, CUstream stream);

G_END_DECLS
