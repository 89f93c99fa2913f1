/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a GstVideoHistogramSpec means for frames. */
#pragma once

#include <gst/videohistogram/gstvideohistogramspec.h>
#include "core/device.h"

G_BEGIN_DECLS

/* Fills in the numbers of @spec that depend on @layout, and checks all of them.
 * FALSE with the error SPEC. */
gboolean vh_spec_complete (GstVideoHistogramSpec * spec,
    const VhLayout * layout, GError ** error);

/* Clips the region @wanted to a picture of @picture's size; a width or height
 * of 0 extends to the edge. FALSE if the region lies outside the picture. */
gboolean vh_cut_region (const VhRect * wanted, const VhRect * picture,
    VhRect * region);

/* How a frame with @picture is measured; FALSE if the region lies outside the
 * picture. */
gboolean vh_spec_describe (const GstVideoHistogramSpec * spec,
    const VhLayout * layout, const VhRect * picture,
    GstVideoHistogramInfo * info);

/* The pixels of the region in frames of @layout without a crop meta; 0 if the
 * region lies outside the picture. */
gsize vh_spec_pixels (const GstVideoHistogramSpec * spec,
    const VhLayout * layout);

/* What is counted for a complete @spec. */
VhCountSpec vh_spec_counted (const GstVideoHistogramSpec * spec);

G_END_DECLS
