/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "propertyparse.h"

/* Reads exactly @n whole numbers, each from its @min to @max, with @separator
 * between them. */
static gboolean
parse_numbers (const gchar * text, const gchar * separator, guint n,
    const guint64 * min, guint64 max, guint * numbers)
{
  gchar **parts = g_strsplit (text ? text : "", separator, -1);
  gboolean ok = g_strv_length (parts) == n;
  guint64 value;
  guint i;

  for (i = 0; ok && i < n; i++) {
    ok = g_ascii_string_to_unsigned (g_strstrip (parts[i]), 10, min[i], max,
        &value, NULL);
    if (ok)
      numbers[i] = value;
  }
  g_strfreev (parts);
  return ok;
}

/* `COLUMNSxROWS`, each 1 to @max; leaves both alone where it is not that. */
static gboolean
parse_cells (const gchar * text, guint max, guint * columns, guint * rows)
{
  const guint64 min[] = { 1, 1 };
  guint n[2];

  if (!parse_numbers (text, "x", 2, min, max, n))
    return FALSE;

  *columns = n[0];
  *rows = n[1];
  return TRUE;
}

gboolean
vh_parse_grid (const gchar * text, GstVideoHistogramSpec * spec)
{
  return parse_cells (text, GST_VIDEO_HISTOGRAM_MAX_GRID, &spec->columns,
      &spec->rows);
}

gboolean
vh_parse_roi (const gchar * text, GstVideoHistogramSpec * spec)
{
  const guint64 min[] = { 0, 0, 1, 1 };
  guint n[4] = { 0, };

  if (text && *text && !parse_numbers (text, ",", 4, min, G_MAXINT, n))
    return FALSE;

  spec->region_x = n[0];
  spec->region_y = n[1];
  spec->region_width = n[2];
  spec->region_height = n[3];
  return TRUE;
}

gboolean
vh_parse_tiles (const gchar * text, GstVideoEqualizerSettings * settings)
{
  return parse_cells (text, GST_VIDEO_EQUALIZER_MAX_TILES,
      &settings->tile_columns, &settings->tile_rows);
}

static gboolean
validate_nothing (GParamSpec * pspec, GValue * value)
{
  (void) pspec;
  (void) value;
  return FALSE;
}

gboolean
vh_param_uint_allows (GParamSpec * pspec, guint value)
{
  const GParamSpecUInt *range = G_PARAM_SPEC_UINT (pspec);

  return value >= range->minimum && value <= range->maximum;
}

static void
param_uint_class_init (gpointer klass, gpointer data)
{
  GParamSpecClass *param_class = klass;

  (void) data;
  param_class->value_type = G_TYPE_UINT;
  param_class->value_validate = validate_nothing;
}

GParamSpec *
vh_param_spec_uint (const gchar * name, const gchar * nick,
    const gchar * blurb, guint minimum, guint maximum, guint default_value,
    GParamFlags flags)
{
  static GType type = 0;
  GParamSpecUInt *pspec;

  if (g_once_init_enter (&type)) {
    GTypeInfo info = {
      .class_size = sizeof (GParamSpecClass),
      .class_init = param_uint_class_init,
      .instance_size = sizeof (GParamSpecUInt),
    };
    GType new_type = g_type_register_static (G_TYPE_PARAM_UINT,
        "GstVideoHistogramParamUInt", &info, 0);

    g_once_init_leave (&type, new_type);
  }
  pspec = g_param_spec_internal (type, name, nick, blurb, flags);
  pspec->minimum = minimum;
  pspec->maximum = maximum;
  pspec->default_value = default_value;
  return G_PARAM_SPEC (pspec);
}
