/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asks a running monitor to reload its configuration, and waits for the result,
 * which a signal cannot report. Uses a socket named after the process id. Only
 * the user of the program and root get an answer. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _VhmReload VhmReload;

/* Reloads the configuration. Returns the problems, to be freed, or NULL. */
typedef gchar *(*VhmReloadFunc) (gpointer data);

/* Listens for requests. If it cannot, logs a warning and returns NULL. */
VhmReload *vhm_reload_new (VhmReloadFunc func, gpointer data);
void vhm_reload_free (VhmReload * reload);

/* For another process: makes @pid reload, and returns TRUE once it has.
 * Otherwise sets @why to the problems of the configuration, or else @error. */
gboolean vhm_reload_ask (gint pid, gchar ** why, GError ** error);

G_END_DECLS
