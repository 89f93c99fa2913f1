/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times of rules as text: a number and a unit, such as `2s` or `500ms`. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Reads the value @text of @field. Returns NULL, or what is wrong with it, to
 * be freed; @time is unchanged then. */
gchar *vh_health_time_parse (const gchar * text, const gchar * field,
    GstClockTime * time);

/* @time as vh_health_time_parse() reads it back. */
gchar *vh_health_time_print (GstClockTime time);

G_END_DECLS
