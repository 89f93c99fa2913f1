/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asks a running monitor to reload its configuration, and waits for the result,
 * which a signal cannot report. Uses a socket named after the process id. Only
 * the user of the program and root get an answer. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _VhmReload VhmReload;

/* Reloads the configuration, and returns FALSE if it has an error. Sets
 * @problems to errors and warnings, to be freed; "" if there are none. */
typedef gboolean (*VhmReloadFunc) (gpointer data, gchar ** problems);

/* Listens for requests. If it cannot, logs a warning and returns NULL. */
VhmReload *vhm_reload_new (VhmReloadFunc func, gpointer data);
void vhm_reload_free (VhmReload * reload);

/* For another process: makes @pid reload, and returns TRUE once it has.
 * Sets @problems as above, or, if there is no answer, to NULL and @error. */
gboolean vhm_reload_ask (gint pid, gchar ** problems, GError ** error);

G_END_DECLS
