/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "propertyparse.h"

#include <math.h>

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
vh_parse_correction_roi (const gchar * text,
    GstVideoEqualizerSettings * settings)
{
  GstVideoHistogramSpec spec;

  if (!vh_parse_roi (text, &spec))
    return FALSE;

  settings->region_x = spec.region_x;
  settings->region_y = spec.region_y;
  settings->region_width = spec.region_width;
  settings->region_height = spec.region_height;
  return TRUE;
}

gboolean
vh_parse_tiles (const gchar * text, GstVideoEqualizerSettings * settings)
{
  return parse_cells (text, GST_VIDEO_EQUALIZER_MAX_TILES,
      &settings->tile_columns, &settings->tile_rows);
}

gboolean
vh_property_takes (gpointer object, GParamSpec * pspec, gdouble number)
{
  if (!isnan (number))
    return TRUE;
  g_warning ("%s: %s=nan is not allowed and was not set: it must be a number",
      GST_OBJECT_NAME (object), g_param_spec_get_name (pspec));
  return FALSE;
}

gboolean
vh_property_takes_time (gpointer object, GParamSpec * pspec, GstClockTime time)
{
  if (time == 0 || time >= GST_VIDEO_HISTOGRAM_MIN_TIME)
    return TRUE;
  g_warning ("%s: %s=%" G_GUINT64_FORMAT " is not allowed and was not set: it "
      "must be a number of nanoseconds: 0, or at least %" G_GUINT64_FORMAT
      " (1 ms), for example 2000000000 for 2 seconds", GST_OBJECT_NAME (object),
      g_param_spec_get_name (pspec), time, GST_VIDEO_HISTOGRAM_MIN_TIME);
  return FALSE;
}
