/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "propertytable.h"

#include <gst/videohistogram/videohistogram.h>
#include <math.h>
#include <string.h>

static GQuark
row_quark (void)
{
  return g_quark_from_static_string ("VhProperty");
}

static const VhProperty *
get_row (GParamSpec * pspec)
{
  return g_param_spec_get_qdata (pspec, row_quark ());
}

/* Fields */

static gsize
get_size (GType type)
{
  switch (type) {
    case G_TYPE_UINT64:
      return sizeof (guint64);
    case G_TYPE_DOUBLE:
      return sizeof (gdouble);
    case G_TYPE_STRING:
    case G_TYPE_BOXED:
      return sizeof (gpointer);
    default:
      return sizeof (gint);
  }
}

static void
read_field (const VhProperty * row, gconstpointer field, GValue * value)
{
  switch (row->type) {
    case G_TYPE_BOOLEAN:
      g_value_set_boolean (value, *(const gboolean *) field);
      break;
    case G_TYPE_INT:
      g_value_set_int (value, *(const gint *) field);
      break;
    case G_TYPE_UINT:
      g_value_set_uint (value, *(const guint *) field);
      break;
    case G_TYPE_UINT64:
      g_value_set_uint64 (value, *(const guint64 *) field);
      break;
    case G_TYPE_DOUBLE:
      g_value_set_double (value, *(const gdouble *) field);
      break;
    case G_TYPE_STRING:
      g_value_set_string (value, *(const gchar * const *) field);
      break;
    case G_TYPE_ENUM:
      g_value_set_enum (value, *(const gint *) field);
      break;
    case G_TYPE_FLAGS:
      g_value_set_flags (value, *(const guint *) field);
      break;
    default:
      g_value_set_boxed (value, *(const gconstpointer *) field);
      break;
  }
}

/* Returns whether the field has another value than before. */
static gboolean
write_field (const VhProperty * row, gpointer field, const GValue * value)
{
  const gchar *text;
  guint64 before = 0;

  memcpy (&before, field, row->size);

  switch (row->type) {
    case G_TYPE_BOOLEAN:
      *(gboolean *) field = g_value_get_boolean (value);
      break;
    case G_TYPE_INT:
      *(gint *) field = g_value_get_int (value);
      break;
    case G_TYPE_UINT:
      *(guint *) field = g_value_get_uint (value);
      break;
    case G_TYPE_UINT64:
      *(guint64 *) field = g_value_get_uint64 (value);
      break;
    case G_TYPE_DOUBLE:
      *(gdouble *) field = g_value_get_double (value);
      break;
    case G_TYPE_STRING:
      text = g_value_get_string (value);
      g_free (*(gchar **) field);
      *(gchar **) field = g_strdup (text ? text : row->text);
      return TRUE;
    case G_TYPE_ENUM:
      *(gint *) field = g_value_get_enum (value);
      break;
    case G_TYPE_FLAGS:
      *(guint *) field = g_value_get_flags (value);
      break;
    default:
      g_assert_not_reached ();
  }
  return memcmp (&before, field, row->size) != 0;
}

static void
set_default (const VhProperty * row, gpointer field)
{
  switch (row->type) {
    case G_TYPE_UINT64:
      *(guint64 *) field = row->value;
      break;
    case G_TYPE_DOUBLE:
      *(gdouble *) field = row->value;
      break;
    case G_TYPE_STRING:
      *(gchar **) field = g_strdup (row->text);
      break;
    case G_TYPE_BOXED:
      *(gpointer *) field = NULL;
      break;
    default:
      *(gint *) field = row->value;
      break;
  }
}

/* Setting and getting */

static void
refuse (gpointer instance, const VhProperty * row, const gchar * value,
    const GError * error)
{
  gchar **lines = g_strsplit (error ? error->message : row->allowed, "\n", -1);
  gchar *reason = g_strjoinv ("; ", lines);

  g_warning ("%s: %s=%s is not allowed and was not set: %s%s",
      GST_OBJECT_NAME (instance), row->name, value,
      error ? "" : "it must be ", reason);
  g_free (reason);
  g_strfreev (lines);
}

/* Refuses values that GParamSpec lets pass. */
static gboolean
is_allowed (gpointer instance, const VhProperty * row, const GValue * value)
{
  if (row->type == G_TYPE_DOUBLE && isnan (g_value_get_double (value))) {
    g_warning ("%s: %s=nan is not allowed and was not set: it must be a number",
        GST_OBJECT_NAME (instance), row->name);
    return FALSE;
  }
  if (row->type == G_TYPE_FLAGS && row->allowed
      && g_value_get_flags (value) == 0) {
    refuse (instance, row, "0", NULL);
    return FALSE;
  }
  if (row->type == G_TYPE_UINT64 && g_value_get_uint64 (value) != 0
      && g_value_get_uint64 (value) < GST_VIDEO_HISTOGRAM_MIN_TIME) {
    g_warning ("%s: %s=%" G_GUINT64_FORMAT " is not allowed and was not set: "
        "it must be a number of nanoseconds: 0, or at least %" G_GUINT64_FORMAT
        " (1 ms), for example 2000000000 for 2 seconds",
        GST_OBJECT_NAME (instance), row->name, g_value_get_uint64 (value),
        GST_VIDEO_HISTOGRAM_MIN_TIME);
    return FALSE;
  }
  return TRUE;
}

gboolean
vh_property_store (gpointer instance, const VhProperty * row,
    const GValue * value)
{
  const gchar *text =
      row->type == G_TYPE_STRING ? g_value_get_string (value) : NULL;
  GError *error = NULL;
  gboolean ok = is_allowed (instance, row, value);

  if (!ok)
    return FALSE;
  if (row->apply)
    ok = row->apply (instance, text ? text : "", &error);

  GST_OBJECT_LOCK (instance);
  if (row->parse)
    ok = row->parse (text, G_STRUCT_MEMBER_P (instance, row->parsed));
  if (ok && write_field (row, G_STRUCT_MEMBER_P (instance, row->offset), value)
      && row->changed)
    row->changed (instance);
  GST_OBJECT_UNLOCK (instance);

  if (!ok)
    refuse (instance, row, text ? text : "(null)", error);
  g_clear_error (&error);
  return ok;
}

static void
set_property (GObject * object, guint prop_id, const GValue * value,
    GParamSpec * pspec)
{
  const VhProperty *row = get_row (pspec);

  (void) prop_id;
  if (row->set)
    row->set (object, row, value);
  else
    vh_property_store (object, row, value);
}

static void
get_property (GObject * object, guint prop_id, GValue * value,
    GParamSpec * pspec)
{
  const VhProperty *row = get_row (pspec);

  (void) prop_id;
  if (row->get) {
    row->get (object, value);
    return;
  }
  GST_OBJECT_LOCK (object);
  read_field (row, G_STRUCT_MEMBER_P (object, row->offset), value);
  GST_OBJECT_UNLOCK (object);
}

/* Tables */

static GParamFlags
get_flags (const VhProperty * row)
{
  GParamFlags flags = row->flags | G_PARAM_STATIC_STRINGS;

  if (flags & G_PARAM_READABLE)
    return flags;
  flags |= G_PARAM_READWRITE;
  return flags & GST_PARAM_MUTABLE_READY ? flags :
      flags | GST_PARAM_MUTABLE_PLAYING;
}

/* @field has the default. */
static GParamSpec *
new_pspec (const VhProperty * row, gconstpointer field)
{
  const gchar *name = row->name, *nick = row->nick, *blurb = row->blurb;
  const GParamFlags flags = get_flags (row);
  const GType type = row->get_type ? row->get_type () : row->type;
  const gdouble low = row->minimum, high = row->maximum;

  switch (row->type) {
    case G_TYPE_BOOLEAN:
      return g_param_spec_boolean (name, nick, blurb, *(gboolean *) field,
          flags);
    case G_TYPE_INT:
      return g_param_spec_int (name, nick, blurb, low,
          high != 0 ? high : G_MAXINT, *(gint *) field, flags);
    case G_TYPE_UINT:
      return g_param_spec_uint (name, nick, blurb, low,
          high != 0 ? high : G_MAXUINT, *(guint *) field, flags);
    case G_TYPE_UINT64:
      return g_param_spec_uint64 (name, nick, blurb, low,
          high != 0 ? (guint64) high : G_MAXUINT64, *(guint64 *) field, flags);
    case G_TYPE_DOUBLE:
      return g_param_spec_double (name, nick, blurb, low,
          high != 0 ? high : G_MAXDOUBLE, *(gdouble *) field, flags);
    case G_TYPE_STRING:
      return g_param_spec_string (name, nick, blurb, *(gchar **) field, flags);
    case G_TYPE_ENUM:
      return g_param_spec_enum (name, nick, blurb, type, *(gint *) field,
          flags);
    case G_TYPE_FLAGS:
      return g_param_spec_flags (name, nick, blurb, type, *(guint *) field,
          flags);
    default:
      return g_param_spec_boxed (name, nick, blurb, type, flags);
  }
}

void
vh_property_table_install (const VhPropertyTable * table, gpointer object_class)
{
  GObjectClass *klass = object_class;
  gpointer defaults;
  GTypeQuery query;
  guint i;

  klass->set_property = set_property;
  klass->get_property = get_property;
  g_type_query (G_TYPE_FROM_CLASS (klass), &query);
  defaults = g_malloc0 (query.instance_size);
  vh_property_table_init (table, defaults);
  for (i = 0; i < table->n_rows; i++) {
    const VhProperty *row = &table->rows[i];
    guint64 unstored = 0;
    gpointer field = row->size > 0 ?
        G_STRUCT_MEMBER_P (defaults, row->offset) : &unstored;
    GParamSpec *pspec;

    g_assert (row->size == 0 || row->size == get_size (row->type));
    if (row->size == 0)
      set_default (row, field);
    pspec = new_pspec (row, field);
    g_param_spec_set_qdata (pspec, row_quark (), (gpointer) row);
    g_object_class_install_property (klass, i + 1, pspec);
    if (row->size == 0 && row->type == G_TYPE_STRING)
      g_free (*(gchar **) field);
  }
  vh_property_table_clear (table, defaults);
  g_free (defaults);
}

void
vh_property_table_init (const VhPropertyTable * table, gpointer instance)
{
  guint i;

  for (i = 0; i < table->n_rows; i++) {
    if (table->rows[i].size > 0)
      set_default (&table->rows[i],
          G_STRUCT_MEMBER_P (instance, table->rows[i].offset));
  }
  if (table->set_defaults)
    table->set_defaults (instance);
}

void
vh_property_table_clear (const VhPropertyTable * table, gpointer instance)
{
  guint i;

  for (i = 0; i < table->n_rows; i++) {
    if (table->rows[i].size > 0 && table->rows[i].type == G_TYPE_STRING)
      g_free (G_STRUCT_MEMBER (gchar *, instance, table->rows[i].offset));
  }
}
