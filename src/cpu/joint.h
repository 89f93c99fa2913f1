/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/frameview.h"
#include "core/joint.h"
#include "loops.h"

G_BEGIN_DECLS

/* Counts joint histograms on the CPU. Used by one thread at a time. */
typedef struct _VhCpuJoint VhCpuJoint;

/* For frames of @layout and @bins x @bins. */
VhCpuJoint *vh_cpu_joint_new (const VhLayout * layout,
    const VhLoops * loops, guint bins);
void vh_cpu_joint_free (VhCpuJoint * joint);

/* Does with @region of @view, which is mapped, what @work says. Lumas are those
 * of vh_cpu_luma_new(). */
void vh_cpu_joint_submit (VhCpuJoint * joint, const VhFrameView * view,
    const VhRect * region, VhJoint * work);

/* Memory for luma of @pixels, or NULL. */
VhLuma *vh_cpu_luma_new (gconstpointer maker, gsize pixels);

G_END_DECLS
