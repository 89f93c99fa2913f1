/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The papers' own tables, beside what was measured here. */
#pragma once

#include "measure.h"
#include "data.h"
#include "measure.h"

G_BEGIN_DECLS

/* Throughput by the warps of a block; NAN where a kernel cannot have so
 * many. */
typedef struct
{
  const gchar *method, *data;
  guint warps;
  gdouble gbs;
} BenchWarps;

/* @results are of BENCH_SET_PAPERS; @photo may be NULL. What depends on more
 * than a case has is measured here, with those of @entrants that it takes, and
 * appended to @warps. FALSE if something of that is wrong. */
gboolean bench_papers_report (BenchArena * arena, const GPtrArray * entrants,
    const GPtrArray * results, const BenchPhoto * photo, GPtrArray * warps);

/* The listings of the notes that are no methods of counting; those that sort,
 * also with so many @items. FALSE if something is wrong. */
gboolean bench_notes_report (BenchGpu * gpu, guint items, guint repeats);

G_END_DECLS
