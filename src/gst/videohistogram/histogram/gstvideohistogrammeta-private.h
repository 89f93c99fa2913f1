/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tells whether a buffer still has the pixels that the histogram in its meta
 * was counted from. */
#pragma once

#include "core/frameview.h"
#include "gst/videohistogram/gstvideohistogrammeta.h"

G_BEGIN_DECLS

/* Notes in @meta that its histogram was counted from the picture of @view, with
 * the planes that the view has. */
void vh_meta_set_measured (GstVideoHistogramMeta * meta,
    const VhFrameView * view);

/* Whether the histogram of @meta was counted from the picture of @view: whether
 * @planes (a bit each, all in the view) are where the counted planes were.
 * Cannot tell whether they were written since. */
gboolean vh_meta_is_measured (const GstVideoHistogramMeta * meta,
    const VhFrameView * view, guint planes);

/* Forgets which pixels the histograms on @buffer were counted from, because the
 * pixels have changed. */
void vh_metas_forget_measured (GstBuffer * buffer);

G_END_DECLS
