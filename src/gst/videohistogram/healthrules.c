/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "healthrules.h"
#include "core/error.h"

#include <math.h>

static const gchar *const field_names[] = {
  "enter", "leave", "duration", "hold", NULL
};

void
vh_health_rules_init (VhHealthRules * rules)
{
  guint i;

  for (i = 0; i < VH_HEALTH_N; i++)
    rules->of[i] = vh_health_conditions[i].rule;
}

gint
vh_health_find_condition (const gchar * name, GError ** error)
{
  GString *names = g_string_new (NULL);
  gint i;

  for (i = 0; i < VH_HEALTH_N; i++) {
    if (g_str_equal (vh_health_conditions[i].name, name))
      break;
    g_string_append_printf (names, "%s%s", i ? ", " : "",
        vh_health_conditions[i].name);
  }
  if (i == VH_HEALTH_N)
    vh_set_parse_error (error,
        "there is no condition \"%s\"; there are %s", name,
        names->str);
  g_string_free (names, TRUE);
  return i < VH_HEALTH_N ? i : -1;
}

gchar *
vh_health_type_numbers (const gchar * text)
{
  GRegex *number = g_regex_new ("=\\s*(?=[-+.0-9])", 0, 0, NULL);
  gchar *typed = g_regex_replace_literal (number, text, -1, 0, "=(double)", 0,
      NULL);

  g_regex_unref (number);
  return typed;
}

GstStructure *
vh_health_read_entry (gchar ** rest)
{
  GstStructure *s = NULL;
  gchar *end = NULL;

  if (g_ascii_isalpha (**rest))
    s = gst_structure_from_string (*rest, &end);
  if (s && end == *rest)
    gst_clear_structure (&s);
  if (s)
    *rest = end;
  return s;
}

/* A number of any type. */
static gboolean
to_double (const GValue * value, gdouble * number)
{
  GValue as_double = G_VALUE_INIT;
  gboolean ok;

  /* GLib also makes numbers of other things than numbers. */
  if (G_VALUE_HOLDS_BOOLEAN (value) || G_VALUE_HOLDS_STRING (value))
    return FALSE;
  g_value_init (&as_double, G_TYPE_DOUBLE);
  ok = g_value_transform (value, &as_double);
  *number = ok ? g_value_get_double (&as_double) : 0;
  g_value_unset (&as_double);
  return ok;
}

gboolean
vh_health_read_number (const GstStructure * s, const gchar * field,
    gdouble max, gdouble * number, GError ** error)
{
  const GValue *value = gst_structure_get_value (s, field);
  gdouble read;

  if (!value)
    return TRUE;
  if (!to_double (value, &read) || !(read >= 0 && read <= max)) {
    gchar *text = gst_value_serialize (value);

    vh_set_parse_error (error, "%s: %s is %s, not a number from 0 to %.15g",
        gst_structure_get_name (s), field, text ? text : "nothing", max);
    g_free (text);
    return FALSE;
  }
  *number = read;
  return TRUE;
}

static gboolean
read_time (const GstStructure * s, const gchar * field, GstClockTime * time,
    GError ** error)
{
  gdouble number = *time;

  if (!vh_health_read_number (s, field, VH_HEALTH_MAX_TIME, &number, error))
    return FALSE;
  *time = round (number);
  return TRUE;
}

static gboolean
check_fields (const GstStructure * s, GError ** error)
{
  gint i;

  for (i = 0; i < gst_structure_n_fields (s); i++) {
    const gchar *name = gst_structure_nth_field_name (s, i);

    if (!g_strv_contains (field_names, name)) {
      vh_set_parse_error (error,
          "%s: there is no \"%s\"; there are enter, leave, "
          "duration and hold", gst_structure_get_name (s), name);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
read_rule (const GstStructure * s, const VhHealthCondition * condition,
    VhHealthRule * rule, GError ** error)
{
  if (!check_fields (s, error)
      || !vh_health_read_number (s, "enter", condition->max, &rule->enter,
          error)
      || !vh_health_read_number (s, "leave", condition->max, &rule->leave,
          error)
      || !read_time (s, "duration", &rule->duration, error)
      || !read_time (s, "hold", &rule->hold, error))
    return FALSE;
  if (condition->below ? rule->leave > rule->enter : rule->leave < rule->enter)
    return TRUE;
  vh_set_parse_error (error,
      "%s: leave is %.15g, and has to be %s enter, which is "
      "%.15g", condition->name, rule->leave, condition->below ? "above" :
      "below", rule->enter);
  return FALSE;
}

gboolean
vh_health_rules_parse (VhHealthRules * rules, const gchar * text,
    GError ** error)
{
  gchar *typed, *rest;
  gboolean seen[VH_HEALTH_N] = { FALSE, };
  VhHealthRules read;
  gboolean ok = TRUE;

  vh_health_rules_init (&read);
  typed = rest = vh_health_type_numbers (text ? text : "");
  if (!typed) {
    vh_set_parse_error (error, "the rules are no UTF-8");
    return FALSE;
  }
  while (ok) {
    GstStructure *s;
    gint c;

    rest += strspn (rest, " \t\r\n;");
    if (!*rest)
      break;
    s = vh_health_read_entry (&rest);
    if (!s) {
      vh_set_parse_error (error,
          "cannot read rules from \"%s\" on: they look like "
          "\"black,enter=0.98,leave=0.97,duration=2000000000,hold=0; "
          "dark,enter=0.9\"", rest);
      ok = FALSE;
      break;
    }
    c = vh_health_find_condition (gst_structure_get_name (s), error);
    if (c >= 0 && seen[c])
      vh_set_parse_error (error, "there are two rules for %s",
          vh_health_conditions[c].name);
    ok = c >= 0 && !seen[c] && read_rule (s, &vh_health_conditions[c],
        &read.of[c], error);
    if (ok)
      seen[c] = TRUE;
    gst_structure_free (s);
  }
  g_free (typed);
  if (ok)
    *rules = read;
  return ok;
}

/* As short as it can be and still be read back as the same. */
static void
append_number (GString * text, const gchar * field, gdouble number)
{
  gchar buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (buffer, sizeof (buffer), "%.15g", number);
  if (g_ascii_strtod (buffer, NULL) != number)
    g_ascii_dtostr (buffer, sizeof (buffer), number);
  g_string_append_printf (text, ",%s=%s", field, buffer);
}

gchar *
vh_health_rules_print (const VhHealthRules * rules)
{
  GString *text = g_string_new (NULL);
  guint i;

  for (i = 0; i < VH_HEALTH_N; i++) {
    const VhHealthRule *rule = &rules->of[i];

    g_string_append_printf (text, "%s%s", i ? "; " : "",
        vh_health_conditions[i].name);
    append_number (text, "enter", rule->enter);
    append_number (text, "leave", rule->leave);
    g_string_append_printf (text, ",duration=%" G_GUINT64_FORMAT ",hold=%"
        G_GUINT64_FORMAT, rule->duration, rule->hold);
  }
  return g_string_free (text, FALSE);
}
