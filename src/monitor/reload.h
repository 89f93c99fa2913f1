/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asks a running program to read its configuration again, and waits for the
 * answer, which a signal cannot give: by a socket that has the number of the
 * process in its name. Only the user of the program and root are answered. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _VhmReload VhmReload;

/* Reads it again. Returns what is wrong with it, to be freed, or NULL. */
typedef gchar *(*VhmReloadFunc) (gpointer data);

/* Listens; if it cannot, a warning says so, and returns NULL. */
VhmReload *vhm_reload_new (VhmReloadFunc func, gpointer data);
void vhm_reload_free (VhmReload * reload);

/* In another process: has @pid do it. Returns TRUE once it has. Sets @why to
 * what is wrong with the configuration, if that is it, or @error. */
gboolean vhm_reload_ask (gint pid, gchar ** why, GError ** error);

G_END_DECLS
