/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rules.h"

#include <string.h>

/* Returns strings: the name of the condition, then its fields. */
static GPtrArray *
split_rule (const gchar * text)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func (g_free);
  gchar **words = g_strsplit (text, ",", -1);
  guint i;

  for (i = 0; words[i]; i++)
    g_ptr_array_add (parts, g_strstrip (words[i]));
  g_free (words);
  return parts;
}

static gsize
get_key_length (const gchar * field)
{
  return strcspn (field, " \t=");
}

static gboolean
has_key (const gchar * field, const gchar * of)
{
  const gsize length = get_key_length (field);

  return length == get_key_length (of) && !strncmp (field, of, length);
}

/* Takes @field. */
static void
set_field (GPtrArray * rule, gchar * field)
{
  guint i;

  for (i = 1; i < rule->len; i++)
    if (has_key (g_ptr_array_index (rule, i), field)) {
      g_free (rule->pdata[i]);
      rule->pdata[i] = field;
      return;
    }
  g_ptr_array_add (rule, field);
}

static GPtrArray *
find_rule (const GPtrArray * rules, const gchar * condition)
{
  guint i;

  for (i = 0; i < rules->len; i++) {
    GPtrArray *rule = g_ptr_array_index (rules, i);

    if (g_str_equal (g_ptr_array_index (rule, 0), condition))
      return rule;
  }
  return NULL;
}

static void
add_rules (GPtrArray * rules, const gchar * text)
{
  gchar **texts = g_strsplit (text, ";", -1);
  guint i, j;

  for (i = 0; texts[i]; i++) {
    GPtrArray *rule = split_rule (texts[i]), *before;

    if (rule->len && *(gchar *) g_ptr_array_index (rule, 0)) {
      before = find_rule (rules, g_ptr_array_index (rule, 0));
      if (!before)
        g_ptr_array_add (rules, g_ptr_array_ref (rule));
      for (j = 1; before && j < rule->len; j++)
        set_field (before, g_strdup (g_ptr_array_index (rule, j)));
    }
    g_ptr_array_unref (rule);
  }
  g_strfreev (texts);
}

gchar *
vhm_rules_refine (const gchar * base, const gchar * rules)
{
  GPtrArray *all =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  GString *text = g_string_new (NULL);
  guint i, j;

  if (base)
    add_rules (all, base);
  add_rules (all, rules);
  for (i = 0; i < all->len; i++) {
    const GPtrArray *rule = g_ptr_array_index (all, i);

    for (j = 0; j < rule->len; j++)
      g_string_append_printf (text, "%s%s", j ? "," : i ? ";" : "",
          (const gchar *) g_ptr_array_index (rule, j));
  }
  g_ptr_array_unref (all);
  return g_string_free (text, FALSE);
}
