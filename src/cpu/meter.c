/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures luma on the CPU: row by row, and each row zone by zone, with all
 * values computed at once while the pixels are in the nearest cache. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "meter.h"
#include "core/error.h"
#include "lumarows.h"
#include "operation.h"

#include <string.h>

/* Pixels at a time; the next one is read too. */
#define RUN_PIXELS (VH_LUMA_PIXELS - 1)

typedef struct
{
  VhMeter parent;
  const VhLoops *loops;
  VhLumaRows rows;
  guint bins;
  guint8 *last;                 /* levels of the last frame, row by row */
  guint width, height;          /* of the last frame; 0: there is none */

  guint8 levels[VH_LUMA_PIXELS];
  guint16 gradients[VH_LUMA_PIXELS], indices[VH_LUMA_PIXELS];
} Meter;

static gboolean
meter_configure (VhMeter * meter, const VhLayout * layout, guint bins,
    GError ** error)
{
  Meter *self = (Meter *) meter;

  vh_luma_rows_init (&self->rows, layout, self->loops);
  self->bins = bins;
  self->width = self->height = 0;
  g_free (self->last);
  self->last = g_try_malloc ((gsize) GST_VIDEO_INFO_WIDTH (&layout->info) *
      GST_VIDEO_INFO_HEIGHT (&layout->info));
  if (self->last)
    return TRUE;
  g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "not enough memory "
      "for luma of a frame");
  return FALSE;
}

/* Like the loop meter8, for more bits. */
static void
meter16 (Meter * self, VhLumaSums * sums, const guint16 * luma, gsize n,
    gsize n_gradients, guint8 * last, const guint8 * steps)
{
  const VhLoops *loops = self->loops;
  const guint depth = self->rows.layout.depth;

  loops->bins16 (self->indices, luma, n, self->bins, depth);
  sums->luma += loops->sum16 (self->indices, n);
  self->rows.ops->gradient (self->gradients, luma, n_gradients);
  loops->bins16 (self->indices, self->gradients, n_gradients, self->bins,
      depth);
  sums->squares += loops->squares16 (self->indices, n_gradients);
  loops->bins8 (self->levels, luma, n, VH_STEP_LEVELS, depth);
  if (steps)
    loops->steps (sums, last, self->levels, n, steps);
  memcpy (last, self->levels, n);
}

/* Adds the part of @zone that is in row @y. The picture starts at @region. */
static void
add_row (Meter * self, const VhFrameView * view, const VhRect * region,
    const VhRect * zone, guint y, const guint8 * steps, VhLumaSums * sums)
{
  const gsize right = region->x + region->width;
  gsize x, n;

  for (x = zone->x; x < (gsize) zone->x + zone->width; x += n) {
    guint8 *last = self->last + (gsize) (y - region->y) * region->width +
        (x - region->x);
    gconstpointer luma;
    gsize n_read;

    n = MIN (zone->x + zone->width - x, RUN_PIXELS);
    n_read = MIN (n + 1, right - x);
    luma = vh_luma_rows_find (&self->rows, view, x, y, n_read);
    if (self->rows.layout.depth == 8)
      self->loops->meter8 (sums, luma, n, n_read - 1, last, steps);
    else
      meter16 (self, sums, luma, n, n_read - 1, last, steps);
  }
}

static void
set_zone (guint32 * zone, const VhLumaSums * sums)
{
  zone[VH_ZONE_LUMA] = sums->luma;
  zone[VH_ZONE_LUMA_HIGH] = sums->luma >> 32;
  zone[VH_ZONE_SQUARES] = sums->squares;
  zone[VH_ZONE_SQUARES_HIGH] = sums->squares >> 32;
  zone[VH_ZONE_RISEN] = sums->risen;
  zone[VH_ZONE_FALLEN] = sums->fallen;
}

static gboolean
meter_submit (VhMeter * meter, VhFrame * frame, const VhRect * region,
    VhMetering * work, G_GNUC_UNUSED GError ** error)
{
  Meter *self = (Meter *) meter;
  guint column, row, y;

  work->compared = work->follows && self->width == region->width
      && self->height == region->height;
  for (row = 0; row < VH_ZONE_ROWS; row++) {
    VhLumaSums sums[VH_ZONE_COLUMNS] = { {0,} };
    VhRect zones[VH_ZONE_COLUMNS];

    for (column = 0; column < VH_ZONE_COLUMNS; column++) {
      zones[column] = vh_grid_cell (region, VH_ZONE_COLUMNS, VH_ZONE_ROWS,
          column, row);
    }
    for (y = zones[0].y; y < zones[0].y + zones[0].height; y++) {
      for (column = 0; column < VH_ZONE_COLUMNS; column++) {
        add_row (self, frame->view, region, &zones[column], y, work->compared ?
            work->steps : NULL, &sums[column]);
      }
    }
    for (column = 0; column < VH_ZONE_COLUMNS; column++)
      set_zone (vh_counts_cell (work->counts, 0, column, row), &sums[column]);
  }
  self->width = region->width;
  self->height = region->height;
  vh_counts_complete (work->counts);
  return TRUE;
}

static void
meter_close (VhMeter * meter)
{
  g_free (((Meter *) meter)->last);
  g_free (meter);
}

static const VhMeterClass meter_class = {
  .configure = meter_configure,
  .submit = meter_submit,
  .close = meter_close,
};

VhMeter *
vh_cpu_meter_new (VhDevice * device)
{
  Meter *self = g_new0 (Meter, 1);

  self->parent.klass = &meter_class;
  self->loops = vh_cpu_loops (device);
  return &self->parent;
}
