/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times of rules as text: a number and a unit, such as `2s` or `500ms`. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Parses the value @text of @field. Returns NULL, or the problem as text to
 * free; then @time is unchanged. */
gchar *vh_health_time_parse (const gchar * text, const gchar * field,
    GstClockTime * time);

/* Returns @time as text that vh_health_time_parse() reads back. */
gchar *vh_health_time_print (GstClockTime time);

G_END_DECLS
