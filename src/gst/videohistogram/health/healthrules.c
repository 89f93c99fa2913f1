/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthrules.h"
#include "healthtime.h"
#include "core/error.h"
#include <gst/videohistogram/gstvideohistogram-enumtypes.h>

#include <math.h>
#include <string.h>

#define EXAMPLE "black,enter=0.98,leave=0.97,duration=2s,hold=0s; " \
    "dark,enter=0.9"

#define ALL "all"

static const gchar *const field_names[] = {
  "enter", "leave", "duration", "hold", "sensitivity", NULL
};

/* The fields of the entry for all conditions. */
static const gchar *const all_names[] = { "sensitivity", NULL };

/* Returns the rule of a condition at this sensitivity. */
static VhHealthRule
make_rule (const VhHealthCondition * condition,
    GstVideoHealthSensitivity sensitivity)
{
  VhHealthRule rule = condition->rule;

  if (sensitivity == GST_VIDEO_HEALTH_SENSITIVITY_MEDIUM)
    return rule;
  if (sensitivity == GST_VIDEO_HEALTH_SENSITIVITY_LOW) {
    rule.enter = condition->low.enter;
    rule.leave = condition->low.leave;
    rule.duration *= 2;
  } else {
    rule.enter = condition->high.enter;
    rule.leave = condition->high.leave;
    rule.duration /= 2;
  }
  return rule;
}

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
    vh_add_parse_error (error,
        "unknown condition \"%s\"; use one of %s", name, names->str);
  g_string_free (names, TRUE);
  return i < VH_HEALTH_N ? i : -1;
}

/* Quotes values without quotes or a type, so that they become strings as the
 * user wrote them: GStreamer would parse 3000000000 as an int, and make it
 * -1294967296. NULL if @text is not UTF-8. */
static gchar *
quote_values (const gchar * text)
{
  GRegex *value = g_regex_new ("=\\s*([-+.0-9][^,;\"\\\\]*?)\\s*(?=[,;]|$)", 0,
      0, NULL);
  gchar *quoted = g_regex_replace (value, text, -1, 0,
      "=(string)\"\\1\"", 0, NULL);

  g_regex_unref (value);
  return quoted;
}

/* The length of the entry at the start of @text, up to a `;` outside quotes. */
static gsize
find_end (const gchar * text)
{
  gboolean quoted = FALSE;
  gsize i;

  for (i = 0; text[i] && (quoted || text[i] != ';'); i++) {
    if (text[i] == '\\' && text[i + 1])
      i++;
    else if (text[i] == '"')
      quoted = !quoted;
  }
  return i;
}

static GstStructure *
parse_entry (const gchar * entry)
{
  GstStructure *s = NULL;
  gchar *quoted = quote_values (entry), *end = NULL;

  /* GStreamer logs a critical for an invalid name, and recurses for each
   * bracket until the stack overflows. Entries have no brackets. */
  if (quoted && g_ascii_isalpha (*quoted) && !strpbrk (quoted, "<{["))
    s = gst_structure_from_string (quoted, &end);
  if (s && end[strspn (end, " \t\r\n")])
    gst_clear_structure (&s);
  g_free (quoted);
  return s;
}

gboolean
vh_health_read_entry (const gchar * text, gsize * at, GstStructure ** entry,
    const gchar * what, const gchar * example, GError ** error)
{
  gsize length;
  gchar *piece;

  *entry = NULL;
  *at += strspn (text + *at, " \t\r\n;");
  length = find_end (text + *at);
  if (!length)
    return FALSE;
  piece = g_strndup (text + *at, length);
  *at += length;
  if (!g_utf8_validate (piece, -1, NULL))
    vh_add_parse_error (error, "the %s are not valid UTF-8", what);
  else if (!(*entry = parse_entry (piece)))
    vh_add_parse_error (error, "cannot read %s from \"%s\"; write them as in "
        "\"%s\"", what, piece, example);
  g_free (piece);
  return TRUE;
}

/* A value as the user wrote it. */
static gchar *
dup_text (const GValue * value)
{
  gchar *text = G_VALUE_HOLDS_STRING (value) ? g_value_dup_string (value) :
      gst_value_serialize (value);

  return text ? text : g_strdup ("nothing");
}

static gboolean
parse_double (const gchar * text, gdouble * number)
{
  gchar *end;

  *number = g_ascii_strtod (text, &end);
  return end != text && !*end;
}

/* Converts a number of any type. */
static gboolean
to_double (const GValue * value, gdouble * number)
{
  GValue as_double = G_VALUE_INIT;
  gboolean ok;

  if (G_VALUE_HOLDS_STRING (value))
    return parse_double (g_value_get_string (value), number);
  /* GLib would also convert values that are not numbers. */
  if (G_VALUE_HOLDS_BOOLEAN (value))
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
    gchar *text = dup_text (value);

    vh_add_parse_error (error, "%s: %s is %s, not a number from 0 to %.15g",
        gst_structure_get_name (s), field, text, max);
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
  const GValue *value = gst_structure_get_value (s, field);
  gchar *text, *problem;

  if (!value)
    return TRUE;
  text = dup_text (value);
  problem = vh_health_time_parse (text, field, time);
  if (problem)
    vh_add_parse_error (error, "%s: %s", gst_structure_get_name (s), problem);
  g_free (text);
  if (!problem)
    return TRUE;
  g_free (problem);
  return FALSE;
}

/* A threshold in seconds may also be written as a time. */
static gboolean
read_threshold (const GstStructure * s, const VhHealthCondition * condition,
    const gchar * field, gdouble * threshold, GError ** error)
{
  const gchar *text = gst_structure_get_string (s, field);
  GstClockTime time;
  gdouble number;
  gchar *problem;

  if (text && g_str_equal (condition->unit, "s")
      && !parse_double (text, &number)) {
    problem = vh_health_time_parse (text, field, &time);
    g_free (problem);
    if (!problem) {
      *threshold = (gdouble) time / GST_SECOND;
      return TRUE;
    }
  }
  return vh_health_read_number (s, field, condition->max, threshold, error);
}

static gboolean
check_fields (const GstStructure * s, const gchar * const *names,
    const gchar * allowed, GError ** error)
{
  gboolean ok = TRUE;
  gint i;

  for (i = 0; i < gst_structure_n_fields (s); i++) {
    const gchar *name = gst_structure_nth_field_name (s, i);

    if (!g_strv_contains (names, name)) {
      vh_add_parse_error (error, "%s: unknown field \"%s\"; use %s",
          gst_structure_get_name (s), name, allowed);
      ok = FALSE;
    }
  }
  return ok;
}

static gboolean
read_sensitivity (const GstStructure * s,
    GstVideoHealthSensitivity * sensitivity, GError ** error)
{
  const GValue *value = gst_structure_get_value (s, "sensitivity");
  GEnumClass *type;
  const GEnumValue *found;
  gchar *text;

  if (!value)
    return TRUE;
  text = dup_text (value);
  type = g_type_class_ref (GST_TYPE_VIDEO_HEALTH_SENSITIVITY);
  found = g_enum_get_value_by_nick (type, text);
  if (found)
    *sensitivity = found->value;
  else
    vh_add_parse_error (error, "%s: sensitivity is %s, not low, medium or high",
        gst_structure_get_name (s), text);
  g_type_class_unref (type);
  g_free (text);
  return found != NULL;
}

static gboolean
is_in_order (const VhHealthCondition * condition, const VhHealthRule * rule)
{
  return condition->below ? rule->leave > rule->enter :
      rule->leave < rule->enter;
}

/* A number that does not go with the other threshold of a sensitivity goes with
 * the default, so that no sensitivity makes a rule invalid. */
static void
fit_thresholds (const GstStructure * s, const VhHealthCondition * condition,
    VhHealthRule * rule)
{
  if (is_in_order (condition, rule))
    return;
  if (!gst_structure_has_field (s, "enter"))
    rule->enter = condition->rule.enter;
  if (!gst_structure_has_field (s, "leave"))
    rule->leave = condition->rule.leave;
}

/* Reads the rule of a condition. @usual: the sensitivity of conditions that do
 * not say theirs. Numbers take precedence over both. */
static gboolean
read_rule (const GstStructure * s, const VhHealthCondition * condition,
    GstVideoHealthSensitivity usual, VhHealthRule * rule, GError ** error)
{
  gboolean ok = check_fields (s, field_names, "enter, leave, duration, hold "
      "or sensitivity", error);
  gboolean has_thresholds;

  ok &= read_sensitivity (s, &usual, error);
  *rule = make_rule (condition, usual);
  has_thresholds = read_threshold (s, condition, "enter", &rule->enter, error);
  has_thresholds &= read_threshold (s, condition, "leave", &rule->leave, error);
  ok &= read_time (s, "duration", &rule->duration, error);
  ok &= read_time (s, "hold", &rule->hold, error);
  fit_thresholds (s, condition, rule);
  if (!has_thresholds || is_in_order (condition, rule))
    return ok && has_thresholds;
  vh_add_parse_error (error,
      "%s: leave is %.15g, but must be %s enter, which is %.15g",
      condition->name, rule->leave, condition->below ? "above" : "below",
      rule->enter);
  return FALSE;
}

/* Reads the next entry of rules, as vh_health_read_entry(). */
static gboolean
next_rule (const gchar * text, gsize * at, GstStructure ** s, GError ** error)
{
  return vh_health_read_entry (text ? text : "", at, s, "rules", EXAMPLE,
      error);
}

/* Starts from the rules at the sensitivity of the entry for all conditions,
 * wherever it is in @text. */
static GstVideoHealthSensitivity
find_usual (const gchar * text, VhHealthRules * rules)
{
  GstVideoHealthSensitivity usual = GST_VIDEO_HEALTH_SENSITIVITY_MEDIUM;
  GError *ignored = NULL;
  GstStructure *s;
  gsize at = 0;
  guint i;

  while (next_rule (text, &at, &s, &ignored)) {
    if (s && gst_structure_has_name (s, ALL))
      read_sensitivity (s, &usual, &ignored);
    gst_clear_structure (&s);
  }
  g_clear_error (&ignored);
  for (i = 0; i < VH_HEALTH_N; i++)
    rules->of[i] = make_rule (&vh_health_conditions[i], usual);
  return usual;
}

static gboolean
check_all (const GstStructure * s, GError ** error)
{
  GstVideoHealthSensitivity sensitivity;
  const gboolean ok = check_fields (s, all_names, "sensitivity for all, and "
      "other fields for one condition", error);

  return read_sensitivity (s, &sensitivity, error) && ok;
}

gboolean
vh_health_rules_parse (VhHealthRules * rules, const gchar * text,
    GError ** error)
{
  gboolean seen[VH_HEALTH_N + 1] = { FALSE, };
  VhHealthRules read;
  const GstVideoHealthSensitivity usual = find_usual (text, &read);
  GstStructure *s;
  gboolean ok = TRUE;
  gsize at = 0;

  while (next_rule (text, &at, &s, error)) {
    const gboolean all = s && gst_structure_has_name (s, ALL);
    const gint c = all ? VH_HEALTH_N : s ?
        vh_health_find_condition (gst_structure_get_name (s), error) : -1;

    ok &= c >= 0;
    if (c >= 0 && seen[c]) {
      vh_add_parse_error (error, "two rules for %s; keep one",
          gst_structure_get_name (s));
      ok = FALSE;
    } else if (c >= 0) {
      ok &= all ? check_all (s, error) : read_rule (s,
          &vh_health_conditions[c], usual, &read.of[c], error);
      seen[c] = TRUE;
    }
    gst_clear_structure (&s);
  }
  if (ok)
    *rules = read;
  return ok;
}

/* Appends the shortest text that reads back as the same number. */
static void
append_number (GString * text, const gchar * field, gdouble number)
{
  gchar buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (buffer, sizeof (buffer), "%.15g", number);
  if (g_ascii_strtod (buffer, NULL) != number)
    g_ascii_dtostr (buffer, sizeof (buffer), number);
  g_string_append_printf (text, ",%s=%s", field, buffer);
}

static void
append_time (GString * text, const gchar * field, GstClockTime time)
{
  gchar *printed = vh_health_time_print (time);

  g_string_append_printf (text, ",%s=%s", field, printed);
  g_free (printed);
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
    append_time (text, "duration", rule->duration);
    append_time (text, "hold", rule->hold);
  }
  return g_string_free (text, FALSE);
}
