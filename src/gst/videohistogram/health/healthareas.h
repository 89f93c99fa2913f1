/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rectangles in the picture, and the cells and pixels that they touch. */
#pragma once

#include "core/layout.h"

G_BEGIN_DECLS

/* The maximum number of rectangles for each condition. */
#define VH_HEALTH_MAX_IGNORED 16

/* As shares of the picture, 0 to 1. */
typedef struct
{
  gdouble x, y, width, height;
} VhHealthArea;

typedef struct
{
  guint n;
  VhHealthArea area[VH_HEALTH_MAX_IGNORED];
} VhHealthAreas;

/* The cells of a grid of @columns x @rows that @areas touch, a bit each, row by
 * row; the grid has at most VH_HEALTH_CELLS. */
guint64 vh_health_areas_find_cells (const VhHealthAreas * areas, guint columns,
    guint rows);

/* The pixels that @areas touch. Returns how many @rects were set. */
guint vh_health_areas_find_pixels (const VhHealthAreas * areas, guint width,
    guint height, VhRect rects[VH_HEALTH_MAX_IGNORED]);

G_END_DECLS
