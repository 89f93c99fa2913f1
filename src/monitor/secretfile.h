/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that hold passwords. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The only line of @path, which may be read by this user alone, or lies in the
 * folder that systemd keeps for credentials of this service. NULL with a reason
 * in @why, which never has anything of the contents; to be freed with
 * vhm_secret_free(). */
gchar *vhm_secret_file_read (const gchar * path, gchar ** why);

/* What is wrong with @path as a file that only this user may read; NULL if
 * nothing is. @risk instead, if a group may read it, as on systems that give
 * keys to a group of servers. Both are to be freed. */
gchar *vhm_secret_file_check (const gchar * path, gchar ** risk);

/* Overwrites it first. Takes NULL, too. */
void vhm_secret_free (gchar * secret);

G_END_DECLS
