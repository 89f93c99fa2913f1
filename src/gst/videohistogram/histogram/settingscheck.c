/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "settingscheck.h"
#include "core/error.h"

/* Reads a field that is a number of any kind. */
static gdouble
read_number (gconstpointer field, VhFieldKind kind)
{
  switch (kind) {
    case VH_FIELD_COUNT:
      return *(const guint *) field;
    case VH_FIELD_TIME:
      return *(const GstClockTime *) field;
    default:
      return *(const gdouble *) field;
  }
}

/* More values than this are not listed. */
#define MAX_LISTED 32

static void
append_choice (GString * list, guint i, const gchar * nick)
{
  g_string_append_printf (list, "%s%s", i > 0 ? ", " : "", nick);
}

/* Lists the allowed values of an enum or flags. */
static gchar *
list_choices (gpointer klass)
{
  const gboolean flags = G_IS_FLAGS_CLASS (klass);
  const guint n = flags ? G_FLAGS_CLASS (klass)->n_values :
      G_ENUM_CLASS (klass)->n_values;
  GString *list = g_string_new (flags ? "a combination of " : "one of ");
  guint i;

  if (n > MAX_LISTED) {
    g_string_printf (list, "a value of %s",
        g_type_name (G_TYPE_FROM_CLASS (klass)));
    return g_string_free (list, FALSE);
  }
  for (i = 0; i < n; i++) {
    append_choice (list, i, flags ? G_FLAGS_CLASS (klass)->values[i].value_nick
        : G_ENUM_CLASS (klass)->values[i].value_nick);
  }
  return g_string_free (list, FALSE);
}

gboolean
vh_check_choice (const gchar * name, GType type, guint value, GError ** error)
{
  gpointer klass = g_type_class_ref (type);
  const gboolean flags = G_IS_FLAGS_CLASS (klass);
  const gboolean valid = flags ?
      (value & ~G_FLAGS_CLASS (klass)->mask) == 0 :
      g_enum_get_value (klass, value) != NULL;

  if (!valid) {
    gchar *allowed = list_choices (klass);

    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, flags ? "%s is 0x%x, but must "
        "be %s" : "%s is %d, but must be %s", name, value, allowed);
    g_free (allowed);
  }
  g_type_class_unref (klass);
  return valid;
}

gboolean
vh_check_device_id (gint cuda_device_id, GError ** error)
{
  if (cuda_device_id >= -1)
    return TRUE;
  g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "cuda-device-id is %d, but must "
      "be the number of a device, from 0, or -1 for any", cuda_device_id);
  return FALSE;
}

/* NaN is outside any limits. */
static gboolean
check_field (const guint8 * settings, const VhField * field, GError ** error)
{
  gconstpointer place = settings + field->offset;
  gdouble number;

  if (field->kind == VH_FIELD_CHOICE)
    return vh_check_choice (field->name, field->type (),
        *(const guint *) place, error);

  number = read_number (place, field->kind);
  if (field->kind == VH_FIELD_TIME && number > 0
      && number < VH_MIN_TIME) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "%s is %.17g ns, but must be "
        "0, or from %" G_GUINT64_FORMAT " (1 ms) to %.17g ns, for example "
        "2000000000 for 2 seconds", field->name, number,
        VH_MIN_TIME, field->most);
    return FALSE;
  }
  if (number >= field->least && number <= field->most)
    return TRUE;
  g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "%s is %.17g, but must be from "
      "%.17g to %.17g%s", field->name, number, field->least, field->most,
      field->kind == VH_FIELD_TIME ? " ns" : "");
  return FALSE;
}

gboolean
vh_check_settings (gconstpointer settings, const VhField * fields,
    guint n_fields, GError ** error)
{
  guint i;

  for (i = 0; i < n_fields; i++) {
    if (!check_field (settings, &fields[i], error))
      return FALSE;
  }
  return TRUE;
}
