/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "keylines.h"

#include <string.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static void
key_line_free (gpointer data)
{
  VhmKeyLine *line = data;

  g_free (line->group);
  g_free (line->key);
  g_free (line->value);
  g_free (line);
}

typedef struct
{
  const gchar *path;
  VhmProblems *problems;
  GPtrArray *lines;
  GHashTable *seen;             /* "group" or "group\nkey" -> its line */
  gchar *group;
} Reader;

/* Whether @name, to be freed, is new. */
static gboolean
note (Reader * reader, gchar * name, guint number)
{
  const guint before =
      GPOINTER_TO_UINT (g_hash_table_lookup (reader->seen, name));

  if (before) {
    const gchar *key = strchr (name, '\n');

    vhm_problems_error (reader->problems, reader->path, number,
        "%s%s%s is there already, in line %u: remove one of them",
        key ? "" : "[", key ? key + 1 : name, key ? "" : "]", before);
    g_free (name);
    return FALSE;
  }
  g_hash_table_insert (reader->seen, name, GUINT_TO_POINTER (number));
  return TRUE;
}

static void
append (Reader * reader, guint number, gchar * key, gchar * value)
{
  VhmKeyLine *line = g_new (VhmKeyLine, 1);

  line->line = number;
  line->group = g_strdup (reader->group);
  line->key = key;
  line->value = value;
  g_ptr_array_add (reader->lines, line);
}

static void
read_group (Reader * reader, const gchar * text, guint number)
{
  const gsize length = strlen (text);

  g_clear_pointer (&reader->group, g_free);
  if (length < 3 || text[length - 1] != ']') {
    vhm_problems_error (reader->problems, reader->path, number,
        "\"%s\" is not a [group] header: write its name in brackets, such as "
        "[camera door]", text);
    /* What follows belongs to it, and is not to be blamed. */
    reader->group = g_strdup ("");
    return;
  }
  reader->group = g_strndup (text + 1, length - 2);
  if (note (reader, g_strdup (reader->group), number))
    append (reader, number, NULL, NULL);
}

static void
read_key (Reader * reader, const gchar * text, guint number)
{
  const gchar *equals = strchr (text, '=');
  gchar *key, *value;

  if (!equals || equals == text) {
    vhm_problems_error (reader->problems, reader->path, number,
        "\"%s\" is neither [group] nor key=value; a comment begins with #",
        text);
    return;
  }
  key = g_strchomp (g_strndup (text, equals - text));
  value = g_strstrip (g_strdup (equals + 1));
  if (!reader->group)
    vhm_problems_error (reader->problems, reader->path, number,
        "%s is outside of a group: put it below one, such as [camera door]",
        key);
  else if (*reader->group && note (reader,
          g_strconcat (reader->group, "\n", key, NULL), number)) {
    append (reader, number, key, value);
    return;
  }
  g_free (key);
  g_free (value);
}

GPtrArray *
vhm_key_lines_read (const gchar * path, VhmProblems * problems)
{
  Reader reader = { path, problems };
  GError *error = NULL;
  gchar *text, **lines;
  gsize length;
  guint i;

  if (!g_file_get_contents (path, &text, &length, &error)) {
    vhm_problems_error (problems, path, 0, "%s", error->message);
    g_error_free (error);
    return NULL;
  }
  if (!g_utf8_validate_len (text, length, NULL)) {
    vhm_problems_error (problems, path, 0,
        "it is not valid UTF-8: save the file as UTF-8");
    g_free (text);
    return NULL;
  }

  reader.lines = g_ptr_array_new_with_free_func (key_line_free);
  reader.seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  /* Some editors begin files so. */
  lines = g_strsplit (g_str_has_prefix (text, BYTE_ORDER_MARK) ?
      text + strlen (BYTE_ORDER_MARK) : text, "\n", -1);
  for (i = 0; lines[i]; i++) {
    const gchar *line = g_strstrip (lines[i]);

    if (*line == '[')
      read_group (&reader, line, i + 1);
    else if (*line && *line != '#')
      read_key (&reader, line, i + 1);
  }
  g_strfreev (lines);
  g_free (text);
  g_free (reader.group);
  g_hash_table_unref (reader.seen);
  return reader.lines;
}
