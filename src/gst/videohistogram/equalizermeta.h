/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histograms attached to the frames that are corrected. */
#pragma once

#include <gst/videohistogram/gstvideohistogram.h>
#include "core/frameview.h"
#include "devices/devices.h"

G_BEGIN_DECLS

/* A reference to the histogram attached to the frame of @view that equals
 * @wanted except for its times, and that a corrector at @where can use; NULL if
 * none fits, or none is ready. */
GstVideoHistogram *vh_equalizer_find_histogram (const VhFrameView * view,
    VhWhere where, const GstVideoHistogramInfo * wanted);

G_END_DECLS
