/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "figures.h"

#include <stdio.h>

static const gchar *
get_test (void)
{
  const gchar *name = g_getenv ("TEST_NAME");

  if (!name)
    name = g_get_prgname ();
  if (!name)
    return "unknown";
  return g_str_has_prefix (name, "test-") ? name + strlen ("test-") : name;
}

void
test_figure (const gchar * name, const gchar * format, ...)
{
  const gchar *folder = g_getenv ("TEST_FIGURES");
  gchar *value, *file, *path;
  va_list arguments;
  FILE *stream;

  va_start (arguments, format);
  value = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_print ("figure: %s: %s\n", name, value);
  if (folder) {
    file = g_strconcat (get_test (), ".tsv", NULL);
    path = g_build_filename (folder, file, NULL);
    stream = fopen (path, "a");
    if (!stream)
      g_error ("cannot write to %s: set TEST_FIGURES to a folder", path);
    fprintf (stream, "%s\t%s\n", name, value);
    fclose (stream);
    g_free (path);
    g_free (file);
  }
  g_free (value);
}
