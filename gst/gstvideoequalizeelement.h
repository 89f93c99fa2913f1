/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "effect.h"

G_BEGIN_DECLS

#define GST_TYPE_VIDEO_EQUALIZE_ELEMENT (gst_video_equalize_element_get_type ())
G_DECLARE_FINAL_TYPE (GstVideoEqualizeElement, gst_video_equalize_element, GST,
    VIDEO_EQUALIZE_ELEMENT, VhEffect)

GST_ELEMENT_REGISTER_DECLARE (videoequalize)

G_END_DECLS
