/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "folder.h"

#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>

static gchar *folder;

static const gchar *
intern_path (const gchar * parent, const gchar * name)
{
  gchar *path = g_build_filename (parent, name, NULL);
  const gchar *interned = g_intern_string (path);

  g_free (path);
  return interned;
}

const gchar *
test_folder_path (const gchar * name)
{
  if (!folder)
    folder = g_dir_make_tmp ("test-XXXXXX", NULL);
  return intern_path (folder, name);
}

const gchar *
test_folder_write (const gchar * name, const gchar * text)
{
  const gchar *path = test_folder_path (name);

  fail_unless (g_file_set_contents (path, text, -1, NULL));
  return path;
}

void
test_file_check (const gchar * path, const gchar * text)
{
  gchar *contents;

  fail_unless (g_file_get_contents (path, &contents, NULL, NULL));
  fail_unless_equals_string (contents, text);
  g_free (contents);
}

static void
remove_all (const gchar * path)
{
  GDir *dir = g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? NULL :
      g_dir_open (path, 0, NULL);
  const gchar *name;

  while (dir && (name = g_dir_read_name (dir)))
    remove_all (intern_path (path, name));
  g_clear_pointer (&dir, g_dir_close);
  fail_unless (g_remove (path) == 0, "%s cannot be removed", path);
}

void
test_folder_remove (void)
{
  if (folder)
    remove_all (folder);
  g_clear_pointer (&folder, g_free);
}
