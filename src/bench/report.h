/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results for the terminal. */
#pragma once

#include "latency.h"

G_BEGIN_DECLS

/* A group's table: a row for each entrant, a column for each of its @n
 * results. @details adds a table for each case, with the range of the times. */
void bench_report_group (const BenchGroup * group, BenchResult * const *results,
    guint n, gboolean details);

/* Prints a table of an array of BenchLatency. */
void bench_report_latencies (const GPtrArray * latencies);

/* Prints what follows from all @results: where auto is furthest behind, and
 * which counts were wrong. */
void bench_report_summary (const GPtrArray * results,
    const GPtrArray * latencies);

/* How many counts were wrong, and how many cases were not measured because
 * something failed. */
guint bench_count_wrong (const GPtrArray * results,
    const GPtrArray * latencies);
guint bench_count_failures (const GPtrArray * results,
    const GPtrArray * latencies);

/* The result whose auto is furthest behind the best method, or NULL. */
const BenchResult *bench_find_worst (const GPtrArray * results);

/* Prints a number in 8 columns, with three significant digits. */
void bench_print_number (gdouble value);

G_END_DECLS
