/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "healthareas.h"

#include <math.h>

/* Sums such as 0.7 + 0.3 may be off by this much. */
#define ROUNDING 1e-9

/* Whether [@from, @to) overlaps cell @i of @n. */
static gboolean
touches (gdouble from, gdouble to, guint i, guint n)
{
  return from * n < i + 1 - ROUNDING && to * n > i + ROUNDING;
}

guint64
vh_health_areas_find_cells (const VhHealthAreas * areas, guint columns,
    guint rows)
{
  guint64 cells = 0;
  guint i, column, row;

  for (i = 0; i < areas->n; i++) {
    const VhHealthArea *area = &areas->area[i];

    for (row = 0; row < rows; row++) {
      for (column = 0; column < columns; column++) {
        if (touches (area->x, area->x + area->width, column, columns)
            && touches (area->y, area->y + area->height, row, rows))
          cells |= G_GUINT64_CONSTANT (1) << (row * columns + column);
      }
    }
  }
  return cells;
}

static void
find_pixels (gdouble from, gdouble length, guint size, guint * start, guint * n)
{
  const guint end = fmin (ceil ((from + length) * size - ROUNDING), size);

  *start = fmin (floor (from * size + ROUNDING), end);
  *n = end - *start;
}

guint
vh_health_areas_find_pixels (const VhHealthAreas * areas, guint width,
    guint height, VhRect rects[VH_HEALTH_MAX_IGNORED])
{
  guint i;

  for (i = 0; i < areas->n; i++) {
    const VhHealthArea *area = &areas->area[i];
    guint x, y, columns, rows;

    find_pixels (area->x, area->width, width, &x, &columns);
    find_pixels (area->y, area->height, height, &y, &rows);
    rects[i] = (VhRect) { x, y, columns, rows };
  }
  return areas->n;
}
