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
 * its word. */
void vh_reference_write (const VhFrameView * view, guint c, guint x, guint y,
    guint32 code);

/* The value of @channel of pixel @x, @y of the planes. Of any but the gradient,
 * which is of two pixels. */
guint64 vh_reference_value (const VhFrameView * view, guint channel, guint x,
    guint y);

/* Adds the pixels of @region (in pixels of the planes) of the mapped @view to
 * @counts, one sample at a time: this defines the counts, which every device
 * must equal. */
void vh_reference_count (const VhFrameView * view, const VhRect * region,
    VhCounts * counts);

/* Counts U against V of the chroma samples that the pixels of @region take, or
 * of the pixels of RGB, into @counts[bins * bins], [U][V]. */
void vh_reference_count_chroma (const VhFrameView * view,
    const VhRect * region, guint bins, guint32 * counts);

/* Counts luma of @a against luma of @b, in regions of the same size, in the
 * same way: [a][b]. */
void vh_reference_count_frames (const VhFrameView * a,
    const VhRect * region_a, const VhFrameView * b, const VhRect * region_b,
    guint bins, guint32 * counts);

/* Measures @region of @view in @bins of luma, and with @before what has changed
 * by @steps (see VhMetering) since @region_before of it, of the same size.
 * Fills @zones, as vh_meter_zone() has them, row by row. */
void vh_reference_measure (const VhFrameView * view, const VhRect * region,
    const VhFrameView * before, const VhRect * region_before, guint bins,
    const guint8 steps[VH_STEP_LEVELS],
    guint32 zones[VH_ZONES][VH_ZONE_VALUES]);

/* Corrects the region of @job in @view, which is mapped for writing, by
 * @levels[rows][columns][bins], as @job says. */
void vh_reference_correct (const VhFrameView * view,
    const VhEqualizeJob * job, const guint32 * levels);

G_END_DECLS
