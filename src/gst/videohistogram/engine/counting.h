/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The task that counts histograms. */
#pragma once

#include "processor.h"

G_BEGIN_DECLS

typedef struct
{
  VhTask parent;
  VhCountSpec spec;
  gboolean cells_measured;      /* see VhMeasuring */
} VhCounting;

VhCounting *vh_counting_new (void);

/* Sets what to count from now on. */
void vh_counting_set (VhCounting * self, const VhCountSpec * spec);

/* Says whether cells are measured. */
void vh_counting_set_measured (VhCounting * self, gboolean cells_measured);

/* What is counted on the device at @where, which is ready: only the whole where
 * cells are measured. */
VhCountSpec vh_counting_get_spec (const VhCounting * self, VhWhere where);

/* Counts @region of @frame, which is on the device at @where, into new counts
 * of the spec's shape. NULL with FRAME, OVERLOAD or DEVICE. */
VhCounts *vh_counting_count (VhCounting * self, VhWhere where, VhFrame * frame,
    const VhRect * region, GError ** error);

/* Returns zeroed counts; NULL with OVERLOAD. */
VhCounts *vh_counting_new_counts (const VhCountsShape * shape, GError ** error);

G_END_DECLS
