/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/gstvideohistogram.h>
#include <gst/videohistogram/gstvideojointhistogram.h>
#include "core/counts.h"

G_BEGIN_DECLS

/* A histogram of what @info says, counted by @backend (a static string), whose
 * counts are pending. NULL where there is no memory for so many. */
GstVideoHistogram *vh_histogram_new (const GstVideoHistogramInfo * info,
    const gchar * backend);

/* The counts that @info describes. */
VhCountsShape vh_histogram_shape (const GstVideoHistogramInfo * info);

VhCounts *vh_histogram_counts (GstVideoHistogram * histogram);

/* Says which joint histogram goes with it; before anybody else has it. */
void vh_histogram_set_joint (GstVideoHistogram * histogram,
    GstVideoJointHistogram * joint);

/* A joint histogram of @n_a x @n_b bins, of @pixels that @backend (a static
 * string) counts. Its counts are of one channel and so many bins, [a][b], and
 * pending. */
GstVideoJointHistogram *vh_joint_histogram_new (GstVideoHistogramJoint kind,
    guint n_a, guint n_b, guint64 pixels, const gchar * backend);

VhCounts *vh_joint_histogram_counts (GstVideoJointHistogram * joint);

G_END_DECLS
