/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "healthignore.h"
#include "core/error.h"

#include <string.h>

/* Those that are judged by pixels or cells of one frame alone. */
static const GstVideoHealthCondition conditions[] = {
  GST_VIDEO_HEALTH_CONDITION_BLACK, GST_VIDEO_HEALTH_CONDITION_DARK,
  GST_VIDEO_HEALTH_CONDITION_BRIGHT, GST_VIDEO_HEALTH_CONDITION_LOW_CONTRAST,
  GST_VIDEO_HEALTH_CONDITION_FROZEN,
};

static const gchar *const fields[] = { "x", "y", "width", "height", NULL };

#define EXAMPLE "\"frozen,x=0,y=0,width=320,height=40; " \
    "bright,x=600,y=0,width=40,height=40\""

static gboolean
read_condition (const gchar * name, GstVideoHealthCondition * condition,
    GError ** error)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (conditions); i++) {
    *condition = conditions[i];
    if (g_str_equal (gst_video_health_condition_get_name (*condition), name))
      return TRUE;
  }
  vh_set_parse_error (error, "nothing can be ignored for \"%s\", but for "
      "black, dark, bright, low-contrast and frozen", name);
  return FALSE;
}

static gboolean
read_rect (const GstStructure * s, VhRect * rect, GError ** error)
{
  gint number[4];
  gint i;

  for (i = 0; i < gst_structure_n_fields (s); i++) {
    if (!g_strv_contains (fields, gst_structure_nth_field_name (s, i))) {
      vh_set_parse_error (error, "%s: there is no \"%s\"; there are x, y, "
          "width and height", gst_structure_get_name (s),
          gst_structure_nth_field_name (s, i));
      return FALSE;
    }
  }
  for (i = 0; i < 4; i++) {
    if (!gst_structure_get_int (s, fields[i], &number[i])
        || number[i] < (i < 2 ? 0 : 1)) {
      vh_set_parse_error (error, "%s: %s has to be a number of pixels, %d or "
          "more", gst_structure_get_name (s), fields[i], i < 2 ? 0 : 1);
      return FALSE;
    }
  }
  *rect = (VhRect) {
    .x = number[0],
    .y = number[1],
    .width = number[2],
    .height = number[3],
  };
  return TRUE;
}

gboolean
vh_health_ignored_parse (VhHealthIgnored * ignored, const gchar * text,
    GError ** error)
{
  VhHealthIgnored read = { 0, };
  gboolean ok = TRUE;

  if (text && !g_utf8_validate (text, -1, NULL)) {
    vh_set_parse_error (error, "the rectangles are no UTF-8");
    return FALSE;
  }
  while (ok && text && *(text += strspn (text, " \t\r\n;"))) {
    gchar *end = NULL;
    GstStructure *s = gst_structure_from_string (text, &end);

    if (!s || end == text) {
      vh_set_parse_error (error, "cannot read rectangles from \"%s\" on: they "
          "look like " EXAMPLE, text);
      ok = FALSE;
    } else if (read.n == VH_HEALTH_MAX_IGNORED) {
      vh_set_parse_error (error, "there are more than %d rectangles",
          VH_HEALTH_MAX_IGNORED);
      ok = FALSE;
    } else {
      ok = read_condition (gst_structure_get_name (s),
          &read.of[read.n].condition, error)
          && read_rect (s, &read.of[read.n].rect, error);
      read.n++;
    }
    gst_clear_structure (&s);
    text = end;
  }
  if (ok)
    *ignored = read;
  return ok;
}

guint
vh_health_ignored_get (const VhHealthIgnored * ignored,
    GstVideoHealthCondition condition, VhRect rects[VH_HEALTH_MAX_IGNORED])
{
  guint n = 0, i;

  for (i = 0; i < ignored->n; i++) {
    if (ignored->of[i].condition == condition)
      rects[n++] = ignored->of[i].rect;
  }
  return n;
}

/* Whether some of @length pixels from @from on, of a picture, are in cell @cell
 * of @cells, into which @size pixels from @origin on are divided. */
static gboolean
is_touched (guint64 from, guint64 length, guint64 origin, guint64 size,
    guint cell, guint cells)
{
  const guint64 first = origin + (cell * size + cells - 1) / cells;
  const guint64 end = origin + ((cell + 1) * size + cells - 1) / cells;

  return from < end && from + length > first;
}

gboolean
vh_health_ignored_touches (const VhHealthIgnored * ignored,
    GstVideoHealthCondition condition, const GstVideoHistogramInfo * info,
    guint column, guint row)
{
  guint i;

  for (i = 0; i < ignored->n; i++) {
    const VhRect *rect = &ignored->of[i].rect;

    if (ignored->of[i].condition == condition
        && is_touched (rect->x, rect->width, info->region_x,
            info->region_width, column, info->columns)
        && is_touched (rect->y, rect->height, info->region_y,
            info->region_height, row, info->rows))
      return TRUE;
  }
  return FALSE;
}
