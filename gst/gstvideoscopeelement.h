/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "effect.h"

G_BEGIN_DECLS

/* The element videoscope. GstVideoScope does the drawing, also for programs. */
#define GST_TYPE_VIDEO_SCOPE_ELEMENT (gst_video_scope_element_get_type ())
G_DECLARE_FINAL_TYPE (GstVideoScopeElement, gst_video_scope_element, GST,
    VIDEO_SCOPE_ELEMENT, VhEffect)

GST_ELEMENT_REGISTER_DECLARE (videoscope)

G_END_DECLS
