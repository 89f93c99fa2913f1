/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The curves that correct the frames of one stream, one after the other. */
#pragma once

#include "core/correction.h"
#include "core/counts.h"

G_BEGIN_DECLS

typedef struct _VhCpuCurves VhCpuCurves;

/* Makes the curves of a new stream. */
VhCpuCurves *vh_cpu_curves_new (void);
void vh_cpu_curves_free (VhCpuCurves * self);

/* The next frame is the first of a stream. */
void vh_cpu_curves_reset (VhCpuCurves * self);

/* Makes the curves of the next frame from @counts of its luma, in the bins and
 * tiles of @job; waits for the counts. FALSE with DEVICE if counting failed or
 * there is not enough memory; then the curves are unchanged. */
gboolean vh_cpu_curves_advance (VhCpuCurves * self, VhCounts * counts,
    const VhEqualizeJob * job, GError ** error);

/* Whether that frame has a single code value, which is left unchanged. */
gboolean vh_cpu_curves_is_constant (VhCpuCurves * self);

/* The curves, [rows][columns][bins], as levels of kernels/curve.h; NULL before
 * the first frame. */
const guint32 *vh_cpu_curves_get_levels (VhCpuCurves * self);

G_END_DECLS
