/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "analyser.h"

G_BEGIN_DECLS

#define GST_TYPE_VIDEO_HEALTH_ELEMENT (gst_video_health_element_get_type ())
G_DECLARE_FINAL_TYPE (GstVideoHealthElement, gst_video_health_element,
    GST, VIDEO_HEALTH_ELEMENT, VhAnalyser)

GST_ELEMENT_REGISTER_DECLARE (videohealth)

G_END_DECLS
