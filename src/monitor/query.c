/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "query.h"

#include "answer.h"
#include "event.h"

#include <string.h>

const gchar *
vhm_query_get_text (GHashTable * query, const gchar * name)
{
  return query ? g_hash_table_lookup (query, name) : NULL;
}

/* Takes @what, which says what to send. */
static gboolean
refuse_value (SoupServerMessage * message, const gchar * name, gchar * what)
{
  gchar *why = g_strdup_printf ("Invalid value of parameter \"%s\": send %s.",
      name, what);

  vhm_answer_refuse (message, SOUP_STATUS_BAD_REQUEST, why);
  g_free (why);
  g_free (what);
  return FALSE;
}

gboolean
vhm_query_get_number (SoupServerMessage * message, GHashTable * query,
    const gchar * name, guint64 least, guint64 most, guint64 otherwise,
    guint64 * number)
{
  const gchar *text = vhm_query_get_text (query, name);

  *number = otherwise;
  return !text || g_ascii_string_to_unsigned (text, 10, least, most, number,
      NULL) || refuse_value (message, name, g_strdup_printf ("a whole "
          "number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT, least,
          most));
}

gboolean
vhm_query_get_word (SoupServerMessage * message, GHashTable * query,
    const gchar * name, const gchar * const *words, guint otherwise,
    guint * place)
{
  const gchar *text = vhm_query_get_text (query, name);
  gchar *all;

  *place = otherwise;
  if (!text)
    return TRUE;
  for (*place = 0; words[*place]; (*place)++)
    if (g_str_equal (words[*place], text))
      return TRUE;
  all = g_strjoinv (", ", (gchar **) words);
  refuse_value (message, name, g_strdup_printf ("one of: %s", all));
  g_free (all);
  return FALSE;
}

gboolean
vhm_query_get_folded_words (SoupServerMessage * message, GHashTable * query,
    const gchar * name, guint most, GPtrArray ** words)
{
  const gchar *text = vhm_query_get_text (query, name);
  gchar **parts;
  guint i;

  *words = NULL;
  if (!text)
    return TRUE;
  if (strlen (text) > most)
    return refuse_value (message, name, g_strdup_printf ("at most %u bytes",
            most));
  *words = g_ptr_array_new_with_free_func (g_free);
  parts = g_strsplit (text, " ", -1);
  for (i = 0; parts[i]; i++)
    g_ptr_array_add (*words, g_utf8_casefold (parts[i], -1));
  g_strfreev (parts);
  return TRUE;
}

GArray *
vhm_query_get_numbers (SoupServerMessage * message, GHashTable * query,
    const gchar * name, guint most)
{
  const gchar *text = vhm_query_get_text (query, name);
  gchar **parts = g_strsplit (text ? text : "", ",", most + 1);
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof (guint64));
  guint64 number;
  guint i;

  for (i = 0; parts[i] && g_ascii_string_to_unsigned (parts[i], 10, 1,
          G_MAXINT64, &number, NULL); i++)
    g_array_append_val (numbers, number);
  if (!numbers->len || parts[i] || numbers->len > most) {
    g_clear_pointer (&numbers, g_array_unref);
    refuse_value (message, name, g_strdup_printf ("1 to %u whole numbers "
            "above 0, separated by commas", most));
  }
  g_strfreev (parts);
  return numbers;
}

static gchar *
list_conditions (void)
{
  GString *text = g_string_new ("names of conditions, separated by \"/\"; "
      "there are: ");
  guint i;

  for (i = 0; i < GST_VIDEO_HEALTH_N_CONDITIONS; i++)
    g_string_append_printf (text, "%s%s", i ? ", " : "",
        gst_video_health_condition_get_name (i));
  return g_string_free (text, FALSE);
}

gboolean
vhm_query_get_conditions (SoupServerMessage * message, GHashTable * query,
    const gchar * name, GstVideoHealthConditions * conditions)
{
  GHashTable *names = vhm_query_get_names (query, name);
  gboolean known = TRUE;
  GHashTableIter iter;
  gpointer key;

  *conditions = names ? 0 : GST_VIDEO_HEALTH_CONDITIONS_ALL;
  if (!names)
    return TRUE;
  g_hash_table_iter_init (&iter, names);
  while (known && g_hash_table_iter_next (&iter, &key, NULL)) {
    const gint condition = vhm_condition_from_name (key);

    known = condition >= 0;
    if (known)
      *conditions |= 1u << condition;
  }
  g_hash_table_unref (names);
  return known || refuse_value (message, name, list_conditions ());
}

GHashTable *
vhm_query_split_names (const gchar * text)
{
  GHashTable *names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      NULL);
  gchar **parts = g_strsplit (text, "/", -1);
  guint i;

  if (!*text)
    g_hash_table_add (names, g_strdup (""));
  for (i = 0; parts[i]; i++)
    g_hash_table_add (names, g_strdup (parts[i]));
  g_strfreev (parts);
  return names;
}

GHashTable *
vhm_query_get_names (GHashTable * query, const gchar * name)
{
  const gchar *text = vhm_query_get_text (query, name);

  return text ? vhm_query_split_names (text) : NULL;
}
