/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns @text, which somebody on the network may have written, without
 * characters that are not printed, and at most @size bytes long; @end replaces
 * the end of a longer one. To be freed. */
gchar *vhm_clean_text (const gchar * text, gsize size, const gchar * end);

G_END_DECLS
