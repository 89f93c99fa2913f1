/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long a frame takes if one launch counts many. */
#pragma once

#include "measure.h"

G_BEGIN_DECLS

typedef enum
{
  BENCH_BATCH_ONE,              /* one launch for all */
  BENCH_BATCH_EACH,             /* one for each frame */
  BENCH_BATCH_CUB,              /* the same, by CUB */
  BENCH_BATCH_N_WAYS
} BenchBatchWay;

typedef struct
{
  BenchCase c;
  guint n;                      /* frames */
  BenchTime times[BENCH_BATCH_N_WAYS];  /* of one frame; their entrants are
                                         * NULL */
} BenchBatch;

/* Times @n frames of @size with @data, of 8-bit luma in the GPU's memory, and
 * checks the counts of each. @cub may be NULL. */
BenchBatch *bench_batch_measure (BenchArena * arena, const BenchEntrant * cub,
    const BenchSize * size, BenchData data, guint n, guint repeats);
void bench_batch_free (BenchBatch * batch);

/* The name of @way. */
const gchar *bench_batch_way_name (BenchBatchWay way);

/* Microseconds of a frame. */
void bench_batches_report (const GPtrArray * batches);

/* How many are wrong, or could not be measured but should have been. */
guint bench_batches_count_bad (const GPtrArray * batches);

G_END_DECLS
