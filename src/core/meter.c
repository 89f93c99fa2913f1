/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "meter.h"

VhCountsShape
vh_meter_shape (void)
{
  return (VhCountsShape) {
    .channels = 1,
    .bins = 2 * VH_SUMS,
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

void
vh_meter_set_sums (VhCounts * counts, const guint64 sums[VH_SUMS])
{
  guint32 *halves = vh_counts_storage (counts);
  guint i;

  for (i = 0; i < VH_SUMS; i++) {
    halves[2 * i] = sums[i];
    halves[2 * i + 1] = sums[i] >> 32;
  }
  vh_counts_complete (counts);
}
