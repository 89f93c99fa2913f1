/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Says why a camera that was tried shows no picture. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Connects to @uri again to find out what GStreamer does not tell. Takes the
 * reason @why, and returns it or a better one, to be freed. */
gchar *vhm_probe_try_connection (const gchar * uri, gchar * why);

G_END_DECLS
