/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The caps of elements that take frames in system and in CUDA memory, and let
 * them leave with the caps that they came with. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Of both pads. */
GstCaps *vh_video_caps_template (void);

/* What one pad takes where the other has @caps: the same, but for memories that
 * cannot be read; of that what @filter has, if not NULL. */
GstCaps *vh_video_caps_transform (GstCaps * caps, GstCaps * filter);

G_END_DECLS
