/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files with secrets. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Reads the only line of @path, which must be private to this user or lie in
 * the folder that systemd provides for credentials of this service. Free it
 * with vhm_secret_free(). On an error returns NULL and sets @why, which never
 * quotes the contents. */
gchar *vhm_secret_file_read (const gchar * path, gchar ** why);

/* Divides what such a file has, user:password. Returns FALSE, and sets nothing,
 * if that is not what it has. Free @password with vhm_secret_free(). */
gboolean vhm_secret_divide (const gchar * secret, gchar ** user,
    gchar ** password);

/* Checks that only this user can read @path. Returns the error, or NULL. If a
 * group can read it, as on systems that share keys with a group of servers,
 * sets @risk instead. Both are to be freed. */
gchar *vhm_secret_file_check (const gchar * path, gchar ** risk);

/* Overwrites the secret, then frees it. It may be NULL. */
void vhm_secret_free (gchar * secret);

G_END_DECLS
