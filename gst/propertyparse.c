/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "propertyparse.h"

/* Reads exactly @n integers, separated by @separator. Each must be from its
 * @min to @max. */
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

/* Reads `COLUMNSxROWS`, each from 1 to @max. Returns FALSE, with both
 * unchanged, for anything else. */
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
vh_parse_grid (const gchar * text, gpointer settings)
{
  GstVideoHistogramSpec *spec = settings;

  return parse_cells (text, GST_VIDEO_HISTOGRAM_MAX_GRID, &spec->columns,
      &spec->rows);
}

gboolean
vh_parse_roi (const gchar * text, gpointer settings)
{
  GstVideoHistogramSpec *spec = settings;
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
vh_parse_correction_roi (const gchar * text, gpointer settings)
{
  GstVideoEqualizerSettings *correction = settings;
  GstVideoHistogramSpec spec;

  if (!vh_parse_roi (text, &spec))
    return FALSE;

  correction->region_x = spec.region_x;
  correction->region_y = spec.region_y;
  correction->region_width = spec.region_width;
  correction->region_height = spec.region_height;
  return TRUE;
}

gboolean
vh_parse_tiles (const gchar * text, gpointer settings)
{
  GstVideoEqualizerSettings *correction = settings;

  return parse_cells (text, GST_VIDEO_EQUALIZER_MAX_TILES,
      &correction->tile_columns, &correction->tile_rows);
}
