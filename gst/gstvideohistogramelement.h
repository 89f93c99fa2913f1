/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "analyser.h"

G_BEGIN_DECLS

#define GST_TYPE_VIDEO_HISTOGRAM_ELEMENT \
    (gst_video_histogram_element_get_type ())
G_DECLARE_FINAL_TYPE (GstVideoHistogramElement, gst_video_histogram_element,
    GST, VIDEO_HISTOGRAM_ELEMENT, VhAnalyser)

GST_ELEMENT_REGISTER_DECLARE (videohistogram)

G_END_DECLS
