/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "core/correction.h"
#include "core/frameview.h"
#include "core/counts.h"
#include "core/meter.h"

G_BEGIN_DECLS

/* The code value of the sample of component @c at column @x and row @y of its
 * own samples. */
gint64 vh_reference_read (const VhFrameView * view, guint c, guint x, guint y);

/* Writes @code where vh_reference_read() reads, and leaves the other bits of
 * its word unchanged. */
void vh_reference_write (const VhFrameView * view, guint c, guint x, guint y,
    guint32 code);

/* The value of @channel at pixel @x, @y of the planes. Not for the gradient,
 * which needs two pixels. */
guint64 vh_reference_value (const VhFrameView * view, guint channel, guint x,
    guint y);

/* Adds the pixels of @region (in pixels of the planes) of the mapped @view to
 * @counts, one sample at a time. This defines the counts: every device must
 * give the same. */
void vh_reference_count (const VhFrameView * view, const VhRect * region,
    VhCounts * counts);

/* Counts U against V into @counts[bins * bins], [U][V]: of the chroma samples
 * that the pixels of @region use, or of the pixels of RGB. */
void vh_reference_count_chroma (const VhFrameView * view,
    const VhRect * region, guint bins, guint32 * counts);

/* Counts the luma of @a against the luma of @b in the same way, [a][b]; both
 * regions have the same size. */
void vh_reference_count_frames (const VhFrameView * a,
    const VhRect * region_a, const VhFrameView * b, const VhRect * region_b,
    guint bins, guint32 * counts);

/* Adds the luma of @region of @view to @sums, in @bins; with @luminance (of
 * each bin), also what needs it. */
void vh_reference_measure (const VhFrameView * view, const VhRect * region,
    guint bins, const guint32 * luminance, guint64 sums[VH_SUMS],
    guint32 parts[VH_PARTS]);

/* Adds its changes by @steps (see VhMetering) since @region_before of @before,
 * which has the same size. */
void vh_reference_measure_steps (const VhFrameView * view,
    const VhRect * region, const VhFrameView * before,
    const VhRect * region_before, const guint8 steps[VH_STEP_LEVELS],
    guint64 sums[VH_SUMS]);

/* Adds its chroma. */
void vh_reference_measure_chroma (const VhFrameView * view,
    const VhRect * region, guint64 sums[VH_SUMS]);

/* Corrects the region of @job in @view by @levels[rows][columns][bins], as @job
 * says. @view is mapped for writing. */
void vh_reference_correct (const VhFrameView * view,
    const VhEqualizeJob * job, const guint32 * levels);

G_END_DECLS
