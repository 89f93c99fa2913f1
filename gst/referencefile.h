/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference histogram for videoequalize's method match, from a file. */
#pragma once

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

/* Counts luma of the picture at @where, which is a path or a file URI, or of
 * the first frame of a video; or reads counts of luma stored there as messages
 * of videohistogram. Takes at most VH_REFERENCE_TIMEOUT. Returns NULL on error,
 * with a message that is a clause without a full stop. */
GstVideoHistogram *vh_reference_file_load (const gchar * where,
    GError ** error);

#define VH_REFERENCE_TIMEOUT (5 * GST_SECOND)

G_END_DECLS
