/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Correcting on the CPU: the curves of a stream of frames, and what they do to
 * pixels. */
#pragma once

#include "core/correction.h"
#include "loops.h"

G_BEGIN_DECLS

typedef struct _VhCpuEqualizer VhCpuEqualizer;

/* For a stream of frames of @layout, corrected by @loops, that begins. */
VhCpuEqualizer *vh_cpu_equalizer_new (const VhLayout * layout,
    const VhLoops * loops);
void vh_cpu_equalizer_free (VhCpuEqualizer * self);

/* Makes the curves of the next frame, of which @histogram, complete and in the
 * bins and tiles of @job, has counted luma. FALSE with ERROR_DEVICE where there
 * are no counts, or there is no memory: the curves are then those of before. */
gboolean vh_cpu_equalizer_advance (VhCpuEqualizer * self,
    GstVideoHistogram * histogram, const VhEqualizeJob * job, GError ** error);

/* Corrects that frame, @in, into @out, which may be @in: as
 * vh_cpu_corrector_correct() does, or not at all where all of it is one code
 * value. */
gboolean vh_cpu_equalizer_correct (VhCpuEqualizer * self,
    const VhFrameView * in, VhFrameView * out, const VhEqualizeJob * job,
    GError ** error);

/* Whether that frame is all of one code value, which stays. */
gboolean vh_cpu_equalizer_is_constant (VhCpuEqualizer * self);

/* The curves, [rows][columns][bins], as kernels/curve.h has levels; NULL before
 * the first frame. */
const guint32 *vh_cpu_equalizer_get_levels (VhCpuEqualizer * self);

G_END_DECLS
