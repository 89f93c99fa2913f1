/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "meter.h"

#include <string.h>

VhCountsShape
vh_meter_shape (void)
{
  return (VhCountsShape) {
    .channels = 1,
    .bins = 2 * VH_SUMS + VH_PARTS,
    .columns = 1,
    .rows = 1,
  };
}

guint64
vh_meter_sum (VhCounts * counts, guint sum)
{
  const guint32 *halves = vh_counts_storage (counts) + 2 * sum;

  return (guint64) halves[1] << 32 | halves[0];
}

guint64
vh_meter_cell_sum (VhCounts * counts, guint cell, guint sum)
{
  return vh_meter_sum (counts, VH_SUM_CELLS + cell * VH_CELL_SUMS + sum);
}

const guint32 *
vh_meter_parts (VhCounts * counts)
{
  return vh_counts_storage (counts) + 2 * VH_SUMS;
}

guint64
vh_meter_add_parts (const guint32 parts[VH_PARTS], guint column, guint row,
    guint columns, guint rows)
{
  guint64 sum = 0;
  guint x, y;

  for (y = row; y < row + rows; y++) {
    for (x = column; x < column + columns; x++)
      sum += parts[y * VH_PART_COLUMNS + x];
  }
  return sum;
}

void
vh_meter_set_sums (VhCounts * counts, const guint64 sums[VH_SUMS],
    const guint32 parts[VH_PARTS])
{
  guint32 *halves = vh_counts_storage (counts);
  guint i;

  for (i = 0; i < VH_SUMS; i++) {
    halves[2 * i] = sums[i];
    halves[2 * i + 1] = sums[i] >> 32;
  }
  memcpy (halves + 2 * VH_SUMS, parts, VH_PARTS * sizeof (*parts));
  vh_counts_complete (counts);
}
