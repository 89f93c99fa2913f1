/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times all entrants on one case. */
#pragma once

#include "contest.h"
#include "plan.h"

G_BEGIN_DECLS

typedef enum
{
  BENCH_COUNTS_NONE,            /* it does not count, or was excluded */
  BENCH_COUNTS_EXACT,
  BENCH_COUNTS_WRONG,
} BenchCounts;

typedef struct
{
  const BenchEntrant *entrant;
  gchar *problem;               /* why it was excluded, or what is wrong with
                                 * its counts; or NULL */
  BenchCounts counts;
  guint repeats;                /* 0: not timed */
  guint runs;                   /* in each repeat */
  gboolean one_by_one;          /* several runs that are not in a graph */
  gdouble median, least, most;  /* microseconds of one run */
  VhCudaKernel kernel;          /* of a method */
} BenchTime;

typedef struct
{
  BenchCase c;
  gchar *text;                  /* description of the case */
  guint width, height;
  guint64 bytes, pixels;        /* read per run */
  GArray *times;                /* of BenchTime */
  gchar *failure;               /* why nothing was measured, or NULL */
} BenchResult;

typedef struct
{
  guint max_repeats;
  guint budget;                 /* microseconds for each entrant of a case, but
                                 * there are at least three repeats */
} BenchEffort;

/* Keeps the GPU busy with frames of @c for a while, so that its clocks rise. */
void bench_warm_up (BenchArena * arena, const BenchCase * c);

BenchResult *bench_measure (BenchArena * arena, const GPtrArray * entrants,
    const BenchCase * c, const BenchEffort * effort);
void bench_result_free (BenchResult * result);

/* NULL if the entrant was excluded or not timed. */
const BenchTime *bench_result_find (const BenchResult * result,
    const gchar * name);

/* The fastest method, or NULL. */
const BenchTime *bench_result_best (const BenchResult * result);

/* The method whose kernel auto chooses, or NULL if it is not known. */
const BenchTime *bench_result_chosen (const BenchResult * result);

/* How much longer auto takes than the best method, as a fraction of the best;
 * NAN if one of them is missing. */
gdouble bench_result_behind (const BenchResult * result);

gdouble bench_result_gbs (const BenchResult * result, const BenchTime * time);

/* Speed relative to the read-only pass; NAN if that is missing. */
gdouble bench_result_share (const BenchResult * result, const BenchTime * time);

/* Sorts numbers in ascending order. */
void bench_sort (GArray * values);

/* Sets the median and the range from @values, the microseconds of one run in
 * each repeat. Sorts @values. */
void bench_time_set (BenchTime * time, GArray * values, guint runs);

G_END_DECLS
