/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times all entrants of a case against each other. */
#pragma once

#include "contest.h"
#include "plan.h"

G_BEGIN_DECLS

typedef enum
{
  BENCH_COUNTS_NONE,            /* it counts nothing, or took no part */
  BENCH_COUNTS_EXACT,
  BENCH_COUNTS_WRONG,
} BenchCounts;

typedef struct
{
  const BenchEntrant *entrant;
  gchar *problem;               /* why it took no part, or what was wrong of its
                                 * counts; or NULL */
  BenchCounts counts;
  guint repeats;                /* 0: not timed */
  guint runs;                   /* of each repeat */
  gboolean one_by_one;          /* there are several runs, but no graph of
                                 * them */
  gdouble median, least, most;  /* microseconds of one run */
  VhCudaKernel kernel;          /* of a method */
} BenchTime;

typedef struct
{
  BenchCase c;
  gchar *text;                  /* that describes it */
  guint width, height;
  guint64 bytes, pixels;        /* that are read */
  GArray *times;                /* of BenchTime */
  gchar *failure;               /* why nothing was measured, or NULL */
} BenchResult;

typedef struct
{
  guint max_repeats;
  guint budget;                 /* microseconds for each entrant of a case, but
                                 * for at least three repeats */
} BenchEffort;

/* Keeps the GPU busy with frames of @c for a while, for its clocks to rise. */
void bench_warm_up (BenchArena * arena, const BenchCase * c);

BenchResult *bench_measure (BenchArena * arena, const GPtrArray * entrants,
    const BenchCase * c, const BenchEffort * effort);
void bench_result_free (BenchResult * result);

/* NULL if it took no part or was not timed. */
const BenchTime *bench_result_find (const BenchResult * result,
    const gchar * name);

/* The fastest of the methods, or NULL. */
const BenchTime *bench_result_best (const BenchResult * result);

/* The method whose kernel auto takes, NULL if that is not known. */
const BenchTime *bench_result_chosen (const BenchResult * result);

/* How much longer than the best method auto takes, as a share of the best; NAN
 * if one of them is missing. */
gdouble bench_result_behind (const BenchResult * result);

gdouble bench_result_gbs (const BenchResult * result, const BenchTime * time);

/* Share of the speed of the read-only pass; NAN if that is missing. */
gdouble bench_result_share (const BenchResult * result, const BenchTime * time);

/* Sorts numbers, the least first. */
void bench_sort (GArray * values);

/* Sets the median and the range of @values, microseconds of one run each, which
 * are sorted. */
void bench_time_set (BenchTime * time, GArray * values, guint runs);

G_END_DECLS
