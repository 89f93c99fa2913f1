/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "meter.h"

VhCountsShape
vh_meter_shape (void)
{
  return (VhCountsShape) {
    .channels = 1,
    .bins = VH_ZONE_VALUES,
    .columns = VH_ZONE_COLUMNS,
    .rows = VH_ZONE_ROWS,
  };
}

const guint32 *
vh_meter_zone (VhCounts * counts, guint column, guint row)
{
  return vh_counts_cell (counts, 0, column, row);
}
