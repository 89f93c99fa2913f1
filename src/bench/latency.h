/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The time that the host waits for counts. */
#pragma once

#include "measure.h"

G_BEGIN_DECLS

typedef struct
{
  BenchSize size;
  guint launches;
  gdouble submit_p50, submit_p99;       /* microseconds of the launch call */
  gdouble seen_p50, seen_p99;   /* from before the launch call until the host
                                 * has seen all counts */
  gchar *problem;               /* why there are no numbers, or what was wrong
                                 * with the counts; or NULL */
  BenchCounts counts;
} BenchLatency;

/* Launches one after the other, on frames of 8-bit luma in the GPU's memory.
 * The counts go to the host's memory, where the host polls for them all the
 * time. */
BenchLatency *bench_latency_measure (BenchArena * arena,
    const BenchSize * size);
void bench_latency_free (BenchLatency * latency);

G_END_DECLS
