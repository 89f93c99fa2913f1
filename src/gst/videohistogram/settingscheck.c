/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "settingscheck.h"
#include "gstvideohistogram.h"
#include "core/error.h"

/* The value of a field that is a number of any kind. */
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

static gboolean
is_choice (GType type, guint value)
{
  gpointer klass = g_type_class_ref (type);
  const gboolean valid = G_IS_FLAGS_CLASS (klass) ?
      (value & ~G_FLAGS_CLASS (klass)->mask) == 0 :
      g_enum_get_value (klass, value) != NULL;

  g_type_class_unref (klass);
  return valid;
}

/* NaN is outside of any limits. */
static gboolean
check_field (const guint8 * settings, const VhField * field, GError ** error)
{
  gconstpointer place = settings + field->offset;
  gdouble number;

  if (field->kind == VH_FIELD_CHOICE) {
    const guint value = *(const guint *) place;

    if (!is_choice (field->type (), value))
      g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "%s is %u, which is not a "
          "value of %s", field->name, value, g_type_name (field->type ()));
    return is_choice (field->type (), value);
  }

  number = read_number (place, field->kind);
  if (field->kind == VH_FIELD_TIME && number > 0
      && number < GST_VIDEO_HISTOGRAM_MIN_TIME) {
    g_set_error (error, VH_ERROR, VH_ERROR_SPEC, "%s is %.17g ns, but must be "
        "0, or from %" G_GUINT64_FORMAT " (1 ms) to %.17g ns, for example "
        "2000000000 for 2 seconds", field->name, number,
        GST_VIDEO_HISTOGRAM_MIN_TIME, field->most);
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
