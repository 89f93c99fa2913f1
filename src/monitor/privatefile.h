/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of the program that nobody else may read or replace. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Checks that only this user can reach what is in the folder @path. Returns why
 * not, for users, to be freed, or NULL. */
gchar *vhm_private_folder_check (const gchar * path);

/* Makes a file of an earlier version private, if there is one at @path. Returns
 * why that is not possible, for users, to be freed, or NULL. */
gchar *vhm_private_file_restrict (const gchar * path);

G_END_DECLS
