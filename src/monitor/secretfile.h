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

/* Overwrites it first. Takes NULL, too. */
void vhm_secret_free (gchar * secret);

G_END_DECLS
