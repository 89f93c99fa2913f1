/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plan of a run: groups of cases, each printed as a table. */
#pragma once

#include "axes.h"

G_BEGIN_DECLS

typedef enum
{
  BENCH_COLUMNS_DATA,
  BENCH_COLUMNS_BINS,
} BenchColumns;

/* Cases that differ in one property. */
typedef struct
{
  gchar *title;
  BenchColumns columns;
  GArray *cases;                /* of BenchCase */
} BenchGroup;

typedef enum
{
  BENCH_SET_DEFAULT,
  BENCH_SET_QUICK,
  BENCH_SET_PAPERS,
} BenchSet;

/* Appends all combinations of the values of @axes to @plan, except those that
 * no format supports, and frames that should be read from the cache but do not
 * fit into it. */
void bench_plan_add (GPtrArray * plan, const BenchAxes * axes);

/* A plan: an array of BenchGroup. */
GPtrArray *bench_plan_new (BenchSet set);
GPtrArray *bench_plan_new_empty (void);

/* Makes a plan of all values of each axis; axes that are not NULL are limited
 * to the given values. */
gboolean bench_plan_all (GPtrArray ** plan, const gchar * data,
    const gchar * bins, const gchar * sizes, const gchar * channels,
    const gchar * depths, const gchar * from, GError ** error);

/* Removes cases that need a photograph. */
void bench_plan_remove_photos (GPtrArray * plan);

/* The total number of cases. */
guint bench_plan_count (const GPtrArray * plan);

/* The heading of a case's column. */
gchar *bench_group_column (const BenchGroup * group, const BenchCase * c);

G_END_DECLS
