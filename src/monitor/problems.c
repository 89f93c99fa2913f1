/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "problems.h"

#include <string.h>

VhmProblems *
vhm_problems_new (void)
{
  VhmProblems *problems = g_new0 (VhmProblems, 1);

  problems->lines = g_ptr_array_new_with_free_func (g_free);
  problems->numbers = g_array_new (FALSE, FALSE, sizeof (guint));
  return problems;
}

void
vhm_problems_free (VhmProblems * problems)
{
  g_ptr_array_unref (problems->lines);
  g_array_unref (problems->numbers);
  g_free (problems);
}

/* Problems quote names and values, with which a terminal must do nothing. To be
 * freed. */
static gchar *
escape_control_characters (const gchar * text)
{
  GString *escaped = g_string_new (NULL);

  while (*text) {
    const gunichar c = g_utf8_get_char_validated (text, -1);

    if (g_unichar_isprint (c)) {
      g_string_append_unichar (escaped, c);
      text = g_utf8_next_char (text);
    } else
      g_string_append_printf (escaped, "\\x%02x", (guint8) *text++);
  }
  return g_string_free (escaped, FALSE);
}

static void G_GNUC_PRINTF (5, 0)
add (VhmProblems * problems, const gchar * file, guint line,
    const gchar * what, const gchar * format, va_list args)
{
  GString *text = g_string_new (file);
  guint i = problems->numbers->len;
  gchar *escaped;

  if (line)
    g_string_append_printf (text, ":%u", line);
  g_string_append_printf (text, ": %s", what);
  g_string_append_vprintf (text, format, args);
  escaped = escape_control_characters (text->str);
  g_string_free (text, TRUE);
  if (g_ptr_array_find_with_equal_func (problems->lines, escaped, g_str_equal,
          NULL)) {
    g_free (escaped);
    return;
  }
  /* Problems without a line stay last, in the order in which they are found. */
  while (line && i > 0 && (!g_array_index (problems->numbers, guint, i - 1)
          || g_array_index (problems->numbers, guint, i - 1) > line))
    i--;
  g_array_insert_val (problems->numbers, i, line);
  g_ptr_array_insert (problems->lines, i, escaped);
}

void
vhm_problems_error (VhmProblems * problems, const gchar * file, guint line,
    const gchar * format, ...)
{
  va_list args;

  va_start (args, format);
  add (problems, file, line, "", format, args);
  va_end (args);
  problems->errors++;
}

void
vhm_problems_warn (VhmProblems * problems, const gchar * file, guint line,
    const gchar * format, ...)
{
  va_list args;

  va_start (args, format);
  add (problems, file, line, "warning: ", format, args);
  va_end (args);
}

gchar *
vhm_problems_describe (const VhmProblems * problems)
{
  GString *text = g_string_new (NULL);
  guint i;

  for (i = 0; i < problems->lines->len; i++)
    g_string_append_printf (text, "%s%s", i ? "\n" : "",
        (const gchar *) g_ptr_array_index (problems->lines, i));
  return g_string_free (text, FALSE);
}

void
vhm_problems_print (const VhmProblems * problems)
{
  guint i;

  for (i = 0; i < problems->lines->len; i++)
    g_printerr ("%s\n", (gchar *) g_ptr_array_index (problems->lines, i));
}

/* The edit distance: insertions, deletions and substitutions. */
static guint
edit_distance (const gchar * a, const gchar * b)
{
  const gsize length = strlen (b);
  guint *row = g_new (guint, length + 1);
  guint i, j, result;

  for (j = 0; j <= length; j++)
    row[j] = j;
  for (i = 1; a[i - 1]; i++) {
    guint diagonal = row[0];

    row[0] = i;
    for (j = 1; j <= length; j++) {
      const guint changed = diagonal + (a[i - 1] != b[j - 1]);

      diagonal = row[j];
      row[j] = MIN (MIN (row[j], row[j - 1]) + 1, changed);
    }
  }
  result = row[length];
  g_free (row);
  return result;
}

const gchar *
vhm_nearest_name (const gchar * name, const gchar * const *names)
{
  /* Names that differ in more than half of their letters are not similar. */
  guint best = strlen (name) / 2 + 1;
  const gchar *nearest = NULL;

  if (strlen (name) > 64)
    return NULL;
  for (; *names; names++) {
    const guint d = edit_distance (name, *names);

    if (d < best) {
      best = d;
      nearest = *names;
    }
  }
  return nearest;
}
