/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference of videoequalize's method match, from a file. */
#pragma once

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

/* Counts luma of the picture at @where, a path or a file URI, or of the first
 * one if there are several; or reads counts of luma that are stored there as
 * messages of videohistogram. Takes at most VH_REFERENCE_TIMEOUT. Returns NULL
 * with an error that says in a clause what is wrong with the file. */
GstVideoHistogram *vh_reference_file_load (const gchar * where,
    GError ** error);

#define VH_REFERENCE_TIMEOUT (5 * GST_SECOND)

G_END_DECLS
