/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "keylines.h"

#include <string.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

#define KEY_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_ "
#define MAX_KEY_BYTES 32

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
  GHashTable *groups;           /* name -> line of its header */
  GHashTable *keys;             /* of the current group: name -> line */
  gchar *group;
} Reader;

/* Returns the line where @name was seen before; or 0, and records @number. */
static guint
note_name (GHashTable * seen, const gchar * name, guint number)
{
  const guint before = GPOINTER_TO_UINT (g_hash_table_lookup (seen, name));

  if (!before)
    g_hash_table_insert (seen, g_strdup (name), GUINT_TO_POINTER (number));
  return before;
}

static VhmKeyLine *
append_line (Reader * reader, guint number, const gchar * key,
    const gchar * value)
{
  VhmKeyLine *line = g_new0 (VhmKeyLine, 1);

  line->line = number;
  line->group = g_strdup (reader->group);
  line->key = g_strdup (key);
  line->value = g_strdup (value);
  g_ptr_array_add (reader->lines, line);
  return line;
}

/* Whether @key can be a name. Otherwise it is not quoted in errors: a secret in
 * base64 ends with =, too. */
static gboolean
is_name (const gchar * key)
{
  const gsize length = strlen (key);

  return length > 0 && length <= MAX_KEY_BYTES
      && strspn (key, KEY_LETTERS) == length;
}

/* Keys below a faulty header still belong to the group that it seems to
 * mean. */
static void
read_group (Reader * reader, const gchar * text, guint number)
{
  const gsize length = strlen (text);
  const gboolean closed = length > 2 && text[length - 1] == ']';
  guint before = 0;

  g_free (reader->group);
  reader->group = g_strstrip (g_strndup (text + 1, closed ? length - 2
          : strcspn (text + 1, "]")));
  g_hash_table_remove_all (reader->keys);
  if (closed)
    before = note_name (reader->groups, reader->group, number);
  if (!closed)
    vhm_problems_error (reader->problems, reader->path, number,
        "not a [group] header: put only the name in brackets, such as "
        "[camera door]");
  else if (before)
    vhm_problems_error (reader->problems, reader->path, number,
        "[%s] is already defined on line %u: remove one of them",
        reader->group, before);
  append_line (reader, number, NULL, NULL)->refused = !closed || before;
}

static void
read_key (Reader * reader, const gchar * text, guint number)
{
  gchar **parts = g_strsplit (text, "=", 2);
  gchar *key = g_strchomp (parts[0]);
  gchar *value = parts[1] ? g_strstrip (parts[1]) : NULL;
  guint before;

  if (!value || !is_name (key))
    vhm_problems_error (reader->problems, reader->path, number,
        "line is neither [group] nor key=value: comments start with #");
  else if (!reader->group)
    vhm_problems_error (reader->problems, reader->path, number,
        "%s is outside of a group: move it below a header such as "
        "[camera door]",
        key);
  else {
    before = note_name (reader->keys, key, number);
    if (before)
      vhm_problems_error (reader->problems, reader->path, number,
          "[%s] %s is already set on line %u: remove one of them",
          reader->group, key, before);
    append_line (reader, number, key, value);
  }
  g_strfreev (parts);
}

/* @begin has @length bytes. */
static void
read_line (Reader * reader, const gchar * begin, gsize length, guint number)
{
  gchar *copy, *line;

  if (!g_utf8_validate_len (begin, length, NULL)) {
    vhm_problems_error (reader->problems, reader->path, number,
        "not valid UTF-8: save the file as UTF-8");
    return;
  }
  copy = g_strndup (begin, length);
  line = g_strstrip (copy);
  if (*line == '[')
    read_group (reader, line, number);
  else if (*line && *line != '#')
    read_key (reader, line, number);
  g_free (copy);
}

GPtrArray *
vhm_key_lines_read (const gchar * path, VhmProblems * problems)
{
  Reader reader = { path, problems };
  GError *error = NULL;
  const gchar *line, *end;
  gsize length, left;
  gchar *text;
  guint n = 1;

  if (!g_file_get_contents (path, &text, &length, &error)) {
    /* GLib's message repeats the path before the reason. */
    line = g_strrstr (error->message, ": ");
    vhm_problems_error (problems, path, 0, "cannot read the file: %s",
        line ? line + strlen (": ") : error->message);
    g_error_free (error);
    return NULL;
  }
  /* Some editors save UTF-16, which has NUL bytes. */
  if (memchr (text, '\0', length)) {
    vhm_problems_error (problems, path, 0,
        "not valid UTF-8: save the file as UTF-8");
    g_free (text);
    return NULL;
  }

  reader.lines = g_ptr_array_new_with_free_func (key_line_free);
  reader.groups = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  reader.keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  /* Some editors start files with a byte order mark. */
  line = text + (g_str_has_prefix (text, BYTE_ORDER_MARK) ?
      strlen (BYTE_ORDER_MARK) : 0);
  for (left = text + length - line; left; line = end, n++) {
    end = memchr (line, '\n', left);
    end = end ? end + 1 : line + left;
    read_line (&reader, line, end - line, n);
    left -= end - line;
  }
  g_free (text);
  g_free (reader.group);
  g_hash_table_unref (reader.groups);
  g_hash_table_unref (reader.keys);
  return reader.lines;
}

const VhmKeyLine *
vhm_key_lines_find (const GPtrArray * lines, guint group, const gchar * key)
{
  const gchar *header = NULL;
  guint i;

  for (i = 0; lines && group && i < lines->len; i++) {
    const VhmKeyLine *line = g_ptr_array_index (lines, i);

    if (line->line == group)
      header = line->group;
    else if (header && line->key && g_str_equal (line->group, header)
        && g_str_equal (line->key, key))
      return line;
  }
  return NULL;
}
