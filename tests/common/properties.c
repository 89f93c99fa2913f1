/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "properties.h"

#include <gst/base/gstbasetransform.h>
#include <gst/check/gstcheck.h>

#define FLAGS (G_PARAM_WRITABLE | GST_PARAM_CONTROLLABLE | \
    GST_PARAM_MUTABLE_READY | GST_PARAM_MUTABLE_PLAYING)

/* The nicks of flags, from the lowest bit. */
static gchar *
join_nicks (const GValue * value)
{
  GFlagsClass *klass = g_type_class_ref (G_VALUE_TYPE (value));
  const guint flags = g_value_get_flags (value);
  GString *nicks = g_string_new (NULL);
  guint i;

  for (i = 0; i < klass->n_values; i++) {
    const GFlagsValue *row = &klass->values[i];

    if (flags ? row->value && (flags & row->value) == row->value : !row->value)
      g_string_append_printf (nicks, "%s%s", nicks->len ? "+" : "",
          row->value_nick);
  }
  g_type_class_unref (klass);
  return g_string_free (nicks, FALSE);
}

void
test_property_check (GstElement * element, const gchar * name,
    const gchar * expected)
{
  GValue value = G_VALUE_INIT;
  gchar *text;

  g_object_get_property (G_OBJECT (element), name, &value);
  if (G_VALUE_HOLDS_STRING (&value))
    text = g_value_dup_string (&value);
  else if (G_VALUE_HOLDS_DOUBLE (&value))
    text = g_strdup_printf ("%g", g_value_get_double (&value));
  else if (G_VALUE_HOLDS_FLAGS (&value))
    text = join_nicks (&value);
  else if (G_VALUE_HOLDS_BOXED (&value))
    text = g_value_get_boxed (&value) ? g_strdup ("something") : NULL;
  else
    text = gst_value_serialize (&value);
  fail_unless (g_strcmp0 (text, expected) == 0, "%s is '%s', not '%s'", name,
      text, expected);
  g_free (text);
  g_value_unset (&value);
}

void
test_properties_check (GstElement * element, const TestProperty * properties,
    guint n)
{
  GObjectClass *klass = G_OBJECT_GET_CLASS (element);
  guint i, n_all, own = 0;
  GParamSpec **all;

  for (i = 0; i < n; i++) {
    const gchar *name = properties[i].name;
    GParamSpec *pspec = g_object_class_find_property (klass, name);

    fail_unless (pspec != NULL, "no property %s", name);
    fail_unless_equals_string (g_type_name (pspec->value_type),
        properties[i].type);
    fail_unless (pspec->flags & G_PARAM_READABLE, "%s", name);
    fail_unless ((pspec->flags & FLAGS) == properties[i].flags, "%s has the "
        "flags 0x%x, not 0x%x", name, pspec->flags & FLAGS,
        properties[i].flags);
    fail_unless (strlen (g_param_spec_get_blurb (pspec)) > 20, "%s", name);
    test_property_check (element, name, properties[i].value);
    if (properties[i].other) {
      gst_util_set_object_arg (G_OBJECT (element), name, properties[i].other);
      test_property_check (element, name, properties[i].other);
    }
  }
  all = g_object_class_list_properties (klass, &n_all);
  for (i = 0; i < n_all; i++)
    own += all[i]->owner_type != GST_TYPE_OBJECT
        && all[i]->owner_type != GST_TYPE_BASE_TRANSFORM;
  fail_unless_equals_int (own, n);
  g_free (all);
}

void
test_nicks_check (const gchar * type, const gchar * expected)
{
  gpointer klass = g_type_class_ref (g_type_from_name (type));
  GString *nicks = g_string_new (NULL);
  guint i;

  for (i = 0; G_IS_ENUM_CLASS (klass)
      && i < G_ENUM_CLASS (klass)->n_values; i++)
    g_string_append_printf (nicks, "%s%s", i ? " " : "",
        G_ENUM_CLASS (klass)->values[i].value_nick);
  for (i = 0; G_IS_FLAGS_CLASS (klass)
      && i < G_FLAGS_CLASS (klass)->n_values; i++)
    g_string_append_printf (nicks, "%s%s", i ? " " : "",
        G_FLAGS_CLASS (klass)->values[i].value_nick);
  fail_unless_equals_string (nicks->str, expected);
  g_string_free (nicks, TRUE);
  g_type_class_unref (klass);
}
