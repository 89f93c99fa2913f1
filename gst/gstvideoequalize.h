/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstvideohistogramfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_VIDEO_EQUALIZE (gst_video_equalize_get_type ())
G_DECLARE_FINAL_TYPE (GstVideoEqualize, gst_video_equalize, GST,
    VIDEO_EQUALIZE, GstVideoHistogramFilter)

GST_ELEMENT_REGISTER_DECLARE (videoequalize)

G_END_DECLS
