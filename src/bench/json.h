/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results for programs. */
#pragma once

#include "batch.h"
#include "joint.h"
#include "latency.h"

G_BEGIN_DECLS

/* Writes @path anew. @gpu may be NULL. */
gboolean bench_json_write (const gchar * path, const BenchGpu * gpu,
    const GPtrArray * results, const GPtrArray * latencies,
    const GPtrArray * joints, const GPtrArray * batches, GError ** error);

G_END_DECLS
