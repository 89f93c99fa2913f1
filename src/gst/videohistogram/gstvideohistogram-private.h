/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/gstvideohistogram.h>
#include "core/counts.h"

G_BEGIN_DECLS

/* A histogram of what @info says, counted by @backend (a static string), whose
 * counts are pending. NULL where there is no memory for so many. */
GstVideoHistogram *vh_histogram_new (const GstVideoHistogramInfo * info,
    const gchar * backend);

/* The counts that @info describes. */
VhCountsShape vh_histogram_shape (const GstVideoHistogramInfo * info);

VhCounts *vh_histogram_counts (GstVideoHistogram * histogram);

/* Has @object go with the histogram, which takes a reference, and is not
 * complete before @counts are no longer pending; before others have it. */
void vh_histogram_attach (GstVideoHistogram * histogram,
    GstMiniObject * object, VhCounts * counts);

/* What goes with it, or NULL. */
GstMiniObject *vh_histogram_get_attached (GstVideoHistogram * histogram);

G_END_DECLS
