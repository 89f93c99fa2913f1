/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results for programs. */
#pragma once

#include "batch.h"
#include "joint.h"
#include "latency.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Members of an object: a string or NULL, an integer, a number or NAN, for
 * which JSON has null. */
void bench_json_string (JsonBuilder * json, const gchar * name,
    const gchar * value);
void bench_json_int (JsonBuilder * json, const gchar * name, gint64 value);
void bench_json_number (JsonBuilder * json, const gchar * name, gdouble value);

/* Writes @path anew. */
gboolean bench_json_save (JsonBuilder * json, const gchar * path,
    GError ** error);

/* Lists of what was measured. */
typedef struct
{
  GPtrArray *results, *latencies, *joints, *batches;
  GPtrArray *warps;             /* BenchWarps */
} BenchLists;

/* All that was measured into @path; @papers: of those. @gpu and @photo may be
 * NULL. */
gboolean bench_json_write (const gchar * path, const BenchGpu * gpu,
    const BenchPhoto * photo, gboolean papers, const BenchLists * lists,
    GError ** error);

G_END_DECLS
