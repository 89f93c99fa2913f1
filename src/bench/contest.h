/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs one entrant on one case, and checks its counts. */
#pragma once

#include "data.h"
#include "entrants.h"

G_BEGIN_DECLS

/* Memory for the counts of the last BENCH_SLOTS runs. */
typedef struct
{
  CUdeviceptr memory;           /* accumulators and tickets, then counts */
  CUdeviceptr never;            /* where the read-only pass would write, but in
                                 * practice never does */
  guint64 *host;                /* mapped into the GPU's address space */
  CUdeviceptr host_address;
} BenchSlots;

/* Memory and data that all entrants of a case share. */
typedef struct
{
  BenchGpu *gpu;                /* or NULL */
  BenchFrames *frames;
  BenchSlots slots;
  guint bins;
  guint n_frames;               /* frames used in turn */
  VhKernelParams params;
  gsize max_results;            /* of this case */
  guint32 *expected[BENCH_SLOTS];       /* of each frame, [n_channels][bins] */
  CUdeviceptr scratch;
  gsize scratch_size;
} BenchArena;

/* @gpu is NULL to run on the CPU only. */
BenchArena *bench_arena_new (BenchGpu * gpu, BenchFrames * frames);
void bench_arena_free (BenchArena * arena);

/* Prepares it for the current frames. */
gboolean bench_arena_set_case (BenchArena * arena, const BenchCase * c);

/* Provides at least @size bytes of zeroed scratch memory. No run that uses the
 * previous scratch may still be active. */
gboolean bench_arena_reserve (BenchArena * arena, gsize size);

typedef struct
{
  BenchArena *arena;
  const BenchEntrant *entrant;
  gsize scratch_size;           /* bytes of scratch that it needs */
  CUdeviceptr scratch;          /* set it before the first run */
  guint n_values;               /* of METHOD: results per channel */
  VhCudaKernel kernel;          /* of METHOD */
  BenchPeerFrame frame;         /* of PEER */
  const gchar *why;             /* of PEER: error message of a failed run */
  GstVideoHistogramEngine *engine;      /* of CPU */
} BenchContest;

/* Returns FALSE with @problem set if the entrant cannot count this case. */
gboolean bench_contest_init (BenchContest * contest, BenchArena * arena,
    const BenchEntrant * entrant, gchar ** problem);
void bench_contest_clear (BenchContest * contest);

/* Enqueues one run, as a BenchEnqueue. Run @k counts frame @k into slot @k,
 * modulo the number of frames and of slots. Runs count down to 0, so the last
 * ones keep their results. */
gboolean bench_contest_enqueue (gpointer contest, guint k);

/* Counts frame @k on the CPU. Returns NULL with @problem set on failure. */
GstVideoHistogram *bench_contest_count (BenchContest * contest, guint k,
    gchar ** problem);

/* Fills the slots with values that no count can have. */
gboolean bench_contest_poison (BenchContest * contest);

/* Whether the counts of the last @n runs are right; if not, and unless the GPU
 * failed, @difference says what is wrong. */
gboolean bench_contest_check (BenchContest * contest, guint n,
    gchar ** difference);
gboolean bench_contest_check_histogram (BenchContest * contest, guint k,
    GstVideoHistogram * histogram, gchar ** difference);

/* For an entrant whose counts go to the host: waits for those of run @k,
 * without yielding the CPU. FALSE if they do not arrive. */
gboolean bench_contest_see (const BenchContest * contest, guint k);

/* Whether the result is right; TRUE also if the expected counts are unknown. */
gboolean bench_contest_check_seen (BenchContest * contest, guint k,
    gchar ** difference);

/* Clears the memory after an entrant with wrong counts. */
gboolean bench_arena_wipe (BenchArena * arena);

G_END_DECLS
