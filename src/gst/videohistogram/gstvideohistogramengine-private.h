/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several histograms of each frame, which is brought to its device once. */
#pragma once

#include "gstvideohistogramengine.h"

G_BEGIN_DECLS

#define VH_ENGINE_MAX_PARTS 2

/* As gst_video_histogram_engine_configure(), for @n histograms of each frame,
 * at most VH_ENGINE_MAX_PARTS. */
gboolean vh_engine_configure (GstVideoHistogramEngine * engine, GstCaps * caps,
    const GstVideoHistogramSpec * specs, guint n, GError ** error);

/* As gst_video_histogram_engine_submit(), for all histograms, in the order of
 * their specs. @histograms are set if it returns TRUE. The meta has the
 * first. */
gboolean vh_engine_submit (GstVideoHistogramEngine * engine,
    GstBuffer * buffer, const GstSegment * segment, gboolean attach_meta,
    GstVideoHistogram ** histograms, GError ** error);

G_END_DECLS
