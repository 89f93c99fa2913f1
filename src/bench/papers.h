/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of the papers listed in docs/algorithms.md, beside our own
 * measurements. */
#pragma once

#include "measure.h"
#include "data.h"
#include "measure.h"

G_BEGIN_DECLS

/* Throughput by warps per block; NAN if a kernel cannot have that many. */
typedef struct
{
  const gchar *method, *data;
  guint warps;
  gdouble gbs;
} BenchWarps;

/* Prints the tables. @results are of BENCH_SET_PAPERS; @photo may be NULL.
 * Measurements by warps per block are not part of @results: they are made here
 * with those of @entrants that they need, and appended to @warps. Returns FALSE
 * if a count is wrong. */
gboolean bench_papers_report (BenchArena * arena, const GPtrArray * entrants,
    const GPtrArray * results, const BenchPhoto * photo, GPtrArray * warps);

/* Runs the listings of AMS 148 (see docs/algorithms.md) that are not methods
 * of counting; sorting also with @items items. Returns FALSE if a result is
 * wrong. */
gboolean bench_notes_report (BenchGpu * gpu, guint items, guint repeats);

G_END_DECLS
