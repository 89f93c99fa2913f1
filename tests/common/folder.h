/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A folder for the files of a test. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns the path of @name in the folder, which the first call makes. The
 * path stays valid. */
const gchar *test_folder_path (const gchar * name);

/* Writes @text to the file @name. Returns its path. */
const gchar *test_folder_write (const gchar * name, const gchar * text);

/* Fails unless the file @path contains @text. */
void test_file_check (const gchar * path, const gchar * text);

/* Removes the folder, if there is one, with all in it. For teardown. */
void test_folder_remove (void);

G_END_DECLS
