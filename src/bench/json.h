/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results as JSON. */
#pragma once

#include "batch.h"
#include "joint.h"
#include "latency.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Add members to an object: a string or NULL, an integer, a number or NAN. NULL
 * and NAN become null. */
void bench_json_string (JsonBuilder * json, const gchar * name,
    const gchar * value);
void bench_json_int (JsonBuilder * json, const gchar * name, gint64 value);
void bench_json_number (JsonBuilder * json, const gchar * name, gdouble value);

/* Writes @path, replacing the file. */
gboolean bench_json_save (JsonBuilder * json, const gchar * path,
    GError ** error);

/* Lists of results. */
typedef struct
{
  GPtrArray *results, *latencies, *joints, *batches;
  GPtrArray *warps;             /* BenchWarps */
} BenchLists;

/* Writes all results to @path. @papers says whether they are of a run with
 * --papers. @gpu and @photo may be NULL. */
gboolean bench_json_write (const gchar * path, const BenchGpu * gpu,
    const BenchPhoto * photo, gboolean papers, const BenchLists * lists,
    GError ** error);

G_END_DECLS
