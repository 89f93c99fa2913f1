/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures frames on the CPU. Luma: row by row, and each row zone by zone, with
 * all values computed at once while the pixels are in the nearest cache. The
 * sums of parts come from the sums of columns of a row of zones.
 * Chroma: from pairs of U and V, which take no longer to count than each by
 * itself. */
#include "meter.h"
#include "jointcounter.h"
#include "core/methods.h"
#include "core/error.h"
#include "lumarows.h"
#include "operation.h"

#include <string.h>

/* Pixels at a time; the next one is read too. */
#define RUN_PIXELS (VH_LUMA_PIXELS - 1)

/* The sum of so many 8-bit codes fits 16 bits. */
#define MAX_COLUMN_ROWS 257

typedef struct
{
  VhMeter parent;
  const VhLoops *loops;
  VhLumaRows rows;
  guint bins;
  guint8 *last;                 /* levels of the last frame, row by row */
  guint width, height;          /* of the last frame; 0: there is none */

  gpointer columns;             /* sums of columns: guint16 for 8 bits,
                                 * otherwise guint32; 0 between frames */
  guint starts[VH_PART_COLUMNS + 1];    /* of parts in the region */
  guint32 parts[VH_PARTS];      /* of the current frame */

  VhJointCounter *joint;        /* of chroma */

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
  g_free (self->columns);
  self->last = g_try_malloc ((gsize) GST_VIDEO_INFO_WIDTH (&layout->info) *
      GST_VIDEO_INFO_HEIGHT (&layout->info));
  self->columns = g_try_malloc0_n (GST_VIDEO_INFO_WIDTH (&layout->info),
      sizeof (guint32));
  if (self->last && self->columns)
    return self->joint->klass->configure (self->joint, layout, VH_CHROMA_BINS,
        VH_METHOD_AUTO, error);
  g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "not enough memory "
      "for luma of a frame");
  return FALSE;
}

/* Like the loop meter8, for more bits. */
static void
meter16 (Meter * self, VhLumaSums * sums, const guint16 * luma, gsize n,
    gsize n_gradients, guint32 * columns, guint8 * last, const guint8 * steps)
{
  const VhLoops *loops = self->loops;
  const guint depth = self->rows.layout.depth;

  loops->bins16 (self->indices, luma, n, self->bins, depth);
  loops->columns16 (columns, self->indices, n);
  self->rows.ops->gradient (self->gradients, luma, n_gradients);
  loops->bins16 (self->indices, self->gradients, n_gradients, self->bins,
      depth);
  sums->squares += loops->squares16 (self->indices, n_gradients);
  loops->bins8 (self->levels, self->gradients, n_gradients, 256, depth);
  sums->gradients += loops->gradients (self->levels, n_gradients);
  loops->bins8 (self->levels, luma, n, VH_STEP_LEVELS, depth);
  if (steps)
    loops->steps (sums, last, self->levels, n, steps);
  memcpy (last, self->levels, n);
}

/* The sums that need luminance. A device for which they are cheap has a loop
 * for them; here, counting in cells costs less. */
static void
add_luminance (Meter * self, gconstpointer luma, gsize n,
    const guint32 * luminance, guint64 * cell)
{
  const guint depth = self->rows.layout.depth;
  gsize i;

  for (i = 0; i < n; i++) {
    const guint code = depth == 8 ? ((const guint8 *) luma)[i] :
        ((const guint16 *) luma)[i];
    const guint64 bin = ((guint64) code * self->bins) >> depth;

    cell[VH_CELL_LUMA_SQUARES] += bin * bin;
    cell[VH_CELL_LUMINANCE] += luminance[bin];
  }
}

/* Adds the part of @zone that is in row @y. The picture starts at @region. */
static void
add_row (Meter * self, const VhFrameView * view, const VhRect * region,
    const VhRect * zone, guint y, const VhMetering * work, VhLumaSums * sums,
    guint64 * cell)
{
  const guint8 *steps = work->compared ? work->steps : NULL;
  const gsize right = region->x + region->width;
  gsize x, n;

  for (x = zone->x; x < (gsize) zone->x + zone->width; x += n) {
    const gsize column = x - region->x;
    guint8 *last = self->last + (gsize) (y - region->y) * region->width +
        column;
    gconstpointer luma;
    gsize n_read;

    n = MIN (zone->x + zone->width - x, RUN_PIXELS);
    n_read = MIN (n + 1, right - x);
    luma = vh_luma_rows_find (&self->rows, view, x, y, n_read);
    if (self->rows.layout.depth == 8)
      self->loops->meter8 (sums, luma, n, n_read - 1,
          (guint16 *) self->columns + column, last, steps);
    else
      meter16 (self, sums, luma, n, n_read - 1,
          (guint32 *) self->columns + column, last, steps);
    if (work->luminance)
      add_luminance (self, luma, n, work->luminance, cell);
  }
}

static guint64
add_columns (const Meter * self, guint from, guint n)
{
  const guint32 *columns = self->columns;
  guint64 sum = 0;
  guint i;

  if (self->rows.layout.depth == 8)
    return self->loops->sum16 ((const guint16 *) self->columns + from, n);
  for (i = from; i < from + n; i++)
    sum += columns[i];
  return sum;
}

/* Adds the sums of columns to the parts of @row, and clears them. */
static void
add_parts (Meter * self, guint row)
{
  guint32 *parts = self->parts + row * VH_PART_COLUMNS;
  guint i;

  for (i = 0; i < VH_PART_COLUMNS; i++) {
    parts[i] += add_columns (self, self->starts[i],
        self->starts[i + 1] - self->starts[i]);
  }
  memset (self->columns, 0, self->starts[VH_PART_COLUMNS] *
      (self->rows.layout.depth == 8 ? sizeof (guint16) : sizeof (guint32)));
}

/* Measures the zones of one row of zones. */
static void
measure_zones (Meter * self, const VhFrameView * view, const VhRect * region,
    const VhMetering * work, guint row, guint64 sums[VH_SUMS])
{
  guint64 *cells = sums + VH_SUM_CELLS + (gsize) row / VH_ZONES_OF_CELL *
      VH_ZONE_COLUMNS * VH_CELL_SUMS;
  VhLumaSums luma[VH_ZONE_COLUMNS] = { {0,} };
  VhRect zones[VH_ZONE_COLUMNS];
  guint column, y;

  for (column = 0; column < VH_ZONE_COLUMNS; column++) {
    zones[column] = vh_grid_cell (region, VH_ZONE_COLUMNS, VH_ZONE_ROWS,
        column, row);
  }
  for (y = zones[0].y; y < zones[0].y + zones[0].height; y++) {
    for (column = 0; column < VH_ZONE_COLUMNS; column++) {
      add_row (self, view, region, &zones[column], y, work, &luma[column],
          cells + column * VH_CELL_SUMS);
    }
    if ((y - zones[0].y) % MAX_COLUMN_ROWS == MAX_COLUMN_ROWS - 1)
      add_parts (self, row);
  }
  add_parts (self, row);
  for (column = 0; column < VH_ZONE_COLUMNS; column++) {
    guint64 *cell = cells + column * VH_CELL_SUMS;

    cell[VH_CELL_GRADIENT_SQUARES] += luma[column].squares;
    cell[VH_CELL_GRADIENTS] += luma[column].gradients;
    cell[VH_CELL_RISEN] += luma[column].risen;
    cell[VH_CELL_FALLEN] += luma[column].fallen;
    cell[VH_CELL_CHANGE_SQUARES] += luma[column].changes;
  }
}

static void
add_pairs (VhCounts * counts, guint64 sums[VH_SUMS])
{
  const guint32 *pairs = vh_counts_storage (counts);
  guint u, v;

  for (u = 0; u < VH_CHROMA_BINS; u++) {
    for (v = 0; v < VH_CHROMA_BINS; v++) {
      const guint n = pairs[u * VH_CHROMA_BINS + v];

      sums[VH_SUM_U + u] += n;
      sums[VH_SUM_V + v] += n;
      if (MIN (u, v) >= VH_NEUTRAL_FIRST && MAX (u, v) <= VH_NEUTRAL_LAST)
        sums[VH_SUM_NEUTRAL] += n;
    }
  }
}

/* FALSE if there is not enough memory. */
static gboolean
measure_chroma (Meter * self, VhFrame * frame, const VhRect * region,
    guint64 sums[VH_SUMS])
{
  const VhCountsShape shape = {
    .channels = 1,
    .bins = VH_CHROMA_BINS * VH_CHROMA_BINS,
    .columns = 1,
    .rows = 1,
  };
  VhJoint work = {
    .bins = VH_CHROMA_BINS,
    .chroma = TRUE,
    .counts = vh_counts_new (&shape),
  };

  if (!work.counts)
    return FALSE;
  self->joint->klass->submit (self->joint, frame, region, &work, NULL);
  add_pairs (work.counts, sums);
  vh_counts_unref (work.counts);
  return TRUE;
}

/* Prepares the sums of parts. */
static void
start_parts (Meter * self, const VhRect * region)
{
  guint i;

  memset (self->parts, 0, sizeof (self->parts));
  for (i = 0; i < VH_PART_COLUMNS; i++) {
    self->starts[i] = vh_grid_cell (region, VH_PART_COLUMNS, 1, i, 0).x -
        region->x;
  }
  self->starts[VH_PART_COLUMNS] = region->width;
}

static gboolean
meter_submit (VhMeter * meter, VhFrame * frame, const VhRect * region,
    VhMetering * work, G_GNUC_UNUSED GError ** error)
{
  Meter *self = (Meter *) meter;
  guint64 sums[VH_SUMS] = { 0, };
  guint row;

  work->compared = work->follows && self->width == region->width
      && self->height == region->height;
  start_parts (self, region);
  for (row = 0; work->luma && row < VH_ZONE_ROWS; row++)
    measure_zones (self, frame->view, region, work, row, sums);
  self->width = work->luma ? region->width : 0;
  self->height = work->luma ? region->height : 0;
  if (!work->chroma || measure_chroma (self, frame, region, sums))
    vh_meter_set_sums (work->counts, sums, self->parts);
  else
    vh_counts_fail (work->counts);
  return TRUE;
}

static void
meter_close (VhMeter * meter)
{
  Meter *self = (Meter *) meter;

  g_free (self->last);
  g_free (self->columns);
  self->joint->klass->close (self->joint);
  g_free (self);
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
  self->joint = vh_cpu_joint_counter_new (device);
  return &self->parent;
}
