/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthignored.h"
#include "healthrules.h"
#include "core/error.h"

#include <string.h>

/* Sums such as 0.7 + 0.3 may be slightly too large. */
#define EDGE (1 + 1e-9)

#define ALL "all"

#define EXAMPLE "bright,x=0.8,y=0,width=0.2,height=0.2; " \
    "all,x=0,y=0.9,width=0.3,height=0.1"

static const gchar *const field_names[] = {
  "x", "y", "width", "height", NULL
};

static gboolean
check_fields (const GstStructure * s, GError ** error)
{
  const gchar *name = gst_structure_get_name (s);
  gboolean ok = TRUE;
  gint i;

  for (i = 0; i < gst_structure_n_fields (s); i++) {
    const gchar *field = gst_structure_nth_field_name (s, i);

    if (!g_strv_contains (field_names, field)) {
      vh_add_parse_error (error, "%s: unknown field \"%s\"; use x, y, width "
          "and height", name, field);
      ok = FALSE;
    }
  }
  for (i = 0; field_names[i]; i++) {
    if (!gst_structure_has_field (s, field_names[i])) {
      vh_add_parse_error (error, "%s: %s is missing; a rectangle needs x, y, "
          "width and height, as shares of the picture", name, field_names[i]);
      ok = FALSE;
    }
  }
  return ok;
}

static gboolean
read_area (const GstStructure * s, VhHealthArea * area, GError ** error)
{
  gdouble *const numbers[] = {
    &area->x, &area->y, &area->width, &area->height
  };
  gboolean ok = check_fields (s, error);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (numbers); i++)
    ok &= vh_health_read_number (s, field_names[i], 1, numbers[i], error);
  if (!ok)
    return FALSE;
  if (area->width > 0 && area->height > 0
      && area->x + area->width <= EDGE
      && area->y + area->height <= EDGE)
    return TRUE;
  vh_add_parse_error (error, "%s: width and height must be above 0, and x + "
      "width and y + height at most 1", gst_structure_get_name (s));
  return FALSE;
}

static gboolean
add_area (VhHealthIgnored * ignored, guint condition, const VhHealthArea * area,
    GError ** error)
{
  VhHealthAreas *areas = &ignored->of[condition];

  if (areas->n == VH_HEALTH_MAX_IGNORED) {
    vh_add_parse_error (error, "%s has more than %u rectangles",
        vh_health_conditions[condition].name, VH_HEALTH_MAX_IGNORED);
    return FALSE;
  }
  areas->area[areas->n++] = *area;
  return TRUE;
}

static gboolean
add_to_all (VhHealthIgnored * ignored, const VhHealthArea * area,
    GError ** error)
{
  guint i;

  for (i = 0; i < VH_HEALTH_N; i++) {
    if (!vh_health_conditions[i].whole
        && !add_area (ignored, i, area, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_entry (const GstStructure * s, VhHealthIgnored * ignored, GError ** error)
{
  const gchar *name = gst_structure_get_name (s);
  VhHealthArea area;
  gint c;

  if (g_str_equal (name, ALL))
    return read_area (s, &area, error) && add_to_all (ignored, &area, error);
  c = vh_health_find_condition (name, error);
  if (c < 0)
    return FALSE;
  if (vh_health_conditions[c].whole) {
    vh_add_parse_error (error, "%s cannot ignore rectangles: %s", name,
        vh_health_conditions[c].whole);
    return FALSE;
  }
  return read_area (s, &area, error) && add_area (ignored, c, &area, error);
}

gboolean
vh_health_ignored_parse (VhHealthIgnored * ignored, const gchar * text,
    GError ** error)
{
  VhHealthIgnored read = { 0, };
  GstStructure *s;
  gboolean ok = TRUE;
  gsize at = 0;

  while (vh_health_read_entry (text ? text : "", &at, &s, "rectangles",
          EXAMPLE, error)) {
    ok &= s && read_entry (s, &read, error);
    gst_clear_structure (&s);
  }
  if (ok)
    *ignored = read;
  return ok;
}
