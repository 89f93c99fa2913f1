/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/gstvideohistogram.h>

G_BEGIN_DECLS

/* The version that vh_histogram_serialize() writes. Any change needs a new
 * version: older ones stay readable, newer ones are refused. */
#define VH_SERIALIZE_VERSION 1

/* Convert names of backends to numbers and back; 0 is any other backend. */
guint32 vh_backend_to_word (const gchar * backend);
const gchar *vh_backend_from_word (guint32 word);

/* How many bytes @histogram needs; 0 if it cannot be written, because counting
 * failed or its format is unknown. Waits for a pending histogram. */
gsize vh_histogram_serialized_size (GstVideoHistogram * histogram);

/* Writes vh_histogram_serialized_size() bytes to @data. Must not be called if
 * that is 0. */
void vh_histogram_serialize (GstVideoHistogram * histogram, guint8 * data);

/* Returns the histogram in @data, or NULL if the bytes are not valid. They may
 * come from anywhere: nothing in them is trusted. */
GstVideoHistogram *vh_histogram_deserialize (const guint8 * data, gsize size,
    guint8 version);

/* Returns @word if it is a value of the enum @type. Values that this GStreamer
 * does not know, for example because a newer one wrote them, become 0, which is
 * "unknown" in the enums of formats and colorimetry. */
gint vh_known_value (GType type, guint32 word);

G_END_DECLS
