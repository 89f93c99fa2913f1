/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

/* The allowed values of the string properties, for messages to the user. */
#define VH_GRID_ALLOWED "COLUMNSxROWS, each from 1 to " \
    G_STRINGIFY (GST_VIDEO_HISTOGRAM_MAX_GRID) ", for example 4x3"
#define VH_ROI_ALLOWED "X,Y,WIDTH,HEIGHT in pixels, with width and height " \
    "at least 1, for example 0,0,640,360, or empty for the whole picture"
#define VH_TILES_ALLOWED "COLUMNSxROWS, each from 1 to " \
    G_STRINGIFY (GST_VIDEO_EQUALIZER_MAX_TILES) ", for example 8x8"

/* Read the @text of a property into the fields of @settings, which is a
 * GstVideoHistogramSpec or, for the last two, GstVideoEqualizerSettings: see
 * VhProperty. Return FALSE, with all fields unchanged, if @text is not an
 * allowed value. */
gboolean vh_parse_grid (const gchar * text, gpointer settings);
gboolean vh_parse_roi (const gchar * text, gpointer settings);
gboolean vh_parse_tiles (const gchar * text, gpointer settings);
gboolean vh_parse_correction_roi (const gchar * text, gpointer settings);

G_END_DECLS
