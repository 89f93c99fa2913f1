/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cleantext.h"

#include <string.h>

gchar *
vhm_clean_text (const gchar * text, gsize size, const gchar * end)
{
  gchar *valid = g_utf8_make_valid (text, -1);
  GString *clean = g_string_new (NULL);
  const gchar *p, *next;

  for (p = valid; *p; p = next) {
    next = g_utf8_next_char (p);
    if (!g_unichar_isprint (g_utf8_get_char (p)))
      continue;
    if (clean->len + (next - p) > size - strlen (end)) {
      g_string_append (clean, end);
      break;
    }
    g_string_append_len (clean, p, next - p);
  }
  g_free (valid);
  return g_string_free (clean, FALSE);
}
