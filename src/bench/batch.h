/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The time per frame if one launch counts many frames. */
#pragma once

#include "measure.h"

G_BEGIN_DECLS

typedef enum
{
  BENCH_BATCH_ONE,              /* one launch for all frames */
  BENCH_BATCH_EACH,             /* one launch for each frame */
  BENCH_BATCH_CUB,              /* likewise, with CUB */
  BENCH_BATCH_N_WAYS
} BenchBatchWay;

typedef struct
{
  BenchCase c;
  guint n;                      /* number of frames */
  BenchTime times[BENCH_BATCH_N_WAYS];  /* of one frame; their entrants are
                                         * NULL */
} BenchBatch;

/* Times @n frames of @size with @data, of 8-bit luma in the GPU's memory, and
 * checks the counts of each. @cub may be NULL. */
BenchBatch *bench_batch_measure (BenchArena * arena, const BenchEntrant * cub,
    const BenchSize * size, BenchData data, guint n, guint repeats);
void bench_batch_free (BenchBatch * batch);

/* The name of @way in tables. */
const gchar *bench_batch_way_name (BenchBatchWay way);

/* Prints a table in microseconds per frame. */
void bench_batches_report (const GPtrArray * batches);

/* The number of results with wrong counts, or without a time. A missing
 * time of CUB is not counted. */
guint bench_batches_count_bad (const GPtrArray * batches);

G_END_DECLS
