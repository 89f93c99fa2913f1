/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applies curves to pixels on the CPU, fast, with the same bytes as
 * vh_reference_correct(). */
#pragma once

#include "core/correction.h"
#include "loops.h"

G_BEGIN_DECLS

typedef struct _VhCpuApplier VhCpuApplier;

/* For frames of @layout. */
VhCpuApplier *vh_cpu_applier_new (const VhLayout * layout,
    const VhLoops * loops);
void vh_cpu_applier_free (VhCpuApplier * self);

/* Corrects @in by @levels[rows][columns][bins], and writes the result to @out.
 * Both are mapped, @out for writing. @out may be @in; otherwise
 * vh_frame_view_takes() must be TRUE for them, and everything that
 * vh_frame_view_copy() would write is written. FALSE with DEVICE if there is
 * not enough memory; then nothing was written. */
gboolean vh_cpu_applier_apply (VhCpuApplier * self,
    const VhFrameView * in, VhFrameView * out, const VhEqualizeJob * job,
    const guint32 * levels, GError ** error);

G_END_DECLS
