/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether the pixels of a buffer are still those that the histogram in its meta
 * was counted from. */
#pragma once

#include "core/frameview.h"
#include "gstvideohistogrammeta.h"

G_BEGIN_DECLS

/* Notes in @meta that its histogram is of the picture of @view, with the planes
 * that the view has. */
void vh_meta_set_measured (GstVideoHistogramMeta * meta,
    const VhFrameView * view);

/* Whether the histogram of @meta is of the picture of @view, as far as @planes
 * (a bit each, of those that the view has) tell: they lie where the counted
 * planes lay. Whether they were written since is unknown. */
gboolean vh_meta_is_measured (const GstVideoHistogramMeta * meta,
    const VhFrameView * view, guint planes);

/* Notes that it is no longer known what the histogram is of. */
void vh_meta_forget_measured (GstVideoHistogramMeta * meta);

/* The same of all histograms on @buffer, whose pixels have changed. */
void vh_metas_forget_measured (GstBuffer * buffer);

G_END_DECLS
