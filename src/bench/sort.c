/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sort.h"
#include "report.h"

#include <string.h>

#define BLOCK 1024              /* threads of all kernels */
#define MAX_LEVELS 4            /* of a scan: enough for 2^32 items */
#define RUNS 4

typedef struct
{
  BenchGpu *gpu;
  guint32 n, bits;              /* number of items, and bits of each */
  gsize next;                   /* first unused byte of memory */
  CUdeviceptr memory;
  CUdeviceptr items;
  CUdeviceptr keys[2];          /* items during sorting */
  CUdeviceptr flags, lengths, ends;
  CUdeviceptr segment_keys, segment_lengths;
  CUdeviceptr level_sums[MAX_LEVELS], level_begun[MAX_LEVELS];
  CUdeviceptr bins;
} Sort;

static guint
count_blocks (guint n)
{
  return (n - 1) / BLOCK + 1;
}

static gboolean
launch (Sort * self, BenchKernel kernel, guint n, void **arguments)
{
  return bench_gpu_launch (self->gpu, kernel, count_blocks (n), BLOCK,
      arguments);
}

/* Scans in place. @begun is 0 for a scan of a single segment. The sums of
 * blocks are scanned in the same way, and each result is added to the items of
 * the next block. */
static gboolean
scan (Sort * self, CUdeviceptr sums, CUdeviceptr begun, guint32 n, guint level)
{
  CUdeviceptr *block_sums = &self->level_sums[level];
  CUdeviceptr *block_begun = &self->level_begun[level];
  void *scanned[] = { &sums, &begun, block_sums, block_begun, &n };
  void *added[] = { &sums, &begun, block_sums, &n };

  return launch (self, BENCH_KERNEL_SCAN, n, scanned)
      && (count_blocks (n) == 1
      || (scan (self, *block_sums, *block_begun, count_blocks (n), level + 1)
          && launch (self, BENCH_KERNEL_SCAN_ADD, n, added)));
}

/* Sorts by one bit after the other, the lowest first. */
static gboolean
sort (Sort * self)
{
  CUdeviceptr from = self->items;
  guint32 bit;

  for (bit = 0; bit < self->bits; bit++) {
    CUdeviceptr *to = &self->keys[bit % 2];
    void *predicate[] = { &from, &self->flags, &self->n, &bit };
    void *split[] = { &from, &self->flags, to, &self->n, &bit };

    if (!launch (self, BENCH_KERNEL_SORT_BIT, self->n, predicate)
        || !scan (self, self->flags, 0, self->n, 0)
        || !launch (self, BENCH_KERNEL_SORT_SPLIT, self->n, split))
      return FALSE;
    from = *to;
  }
  return TRUE;
}

static gboolean
reduce (Sort * self)
{
  CUdeviceptr *keys = &self->keys[(self->bits - 1) % 2];
  CUdeviceptr segments = self->ends + (self->n - 1) * sizeof (guint32);
  void *split[] = { keys, &self->lengths, &self->flags, &self->ends, &self->n };
  void *compact[] = { keys, &self->lengths, &self->ends, &self->segment_keys,
    &self->segment_lengths, &self->n
  };
  void *place[] = { &self->segment_keys, &self->segment_lengths, &segments,
    &self->bins
  };

  return launch (self, BENCH_KERNEL_REDUCE_SEGMENTS, self->n, split)
      && scan (self, self->lengths, self->flags, self->n, 0)
      && scan (self, self->ends, 0, self->n, 0)
      && launch (self, BENCH_KERNEL_REDUCE_COMPACT, self->n, compact)
      && bench_gpu_check (self->gpu, self->gpu->driver->MemsetD8Async
      (self->bins, 0, sizeof (guint32) << self->bits, self->gpu->stream),
      "clearing bins")
      && launch (self, BENCH_KERNEL_REDUCE_PLACE, 1u << self->bits, place);
}

static gboolean
enqueue (gpointer job, G_GNUC_UNUSED guint k)
{
  return sort (job) && reduce (job);
}

/* Reserves @n words. The returned address is only valid once memory is
 * allocated. */
static CUdeviceptr
take (Sort * self, gsize n)
{
  const CUdeviceptr at = self->memory + self->next;

  self->next += GST_ROUND_UP_N (n * sizeof (guint32), 256);
  return at;
}

static void
place (Sort * self)
{
  guint n = self->n;
  guint level;

  self->next = 0;
  self->items = take (self, n);
  self->keys[0] = take (self, n);
  self->keys[1] = take (self, n);
  self->flags = take (self, n);
  self->lengths = take (self, n);
  self->ends = take (self, n);
  self->segment_keys = take (self, n);
  self->segment_lengths = take (self, n);
  for (level = 0; level < MAX_LEVELS; level++) {
    n = count_blocks (n);
    self->level_sums[level] = take (self, n);
    self->level_begun[level] = take (self, n);
  }
  self->bins = take (self, 1u << self->bits);
}

/* Returns the microseconds, negative if the GPU failed, and the number of wrong
 * bins in @wrong. */
static gdouble
measure (Sort * self, const guint32 * items, guint repeats, guint * wrong)
{
  const guint n_bins = 1u << self->bits;
  GArray *values = g_array_new (FALSE, FALSE, sizeof (gdouble));
  guint32 *expected = g_new0 (guint32, n_bins);
  guint32 *counts = g_new0 (guint32, n_bins);
  BenchTime time = { NULL, };
  BenchReplay replay;
  guint i;

  for (i = 0; i < self->n; i++)
    expected[items[i]]++;
  bench_replay_init (&replay, self->gpu, enqueue, self, RUNS);
  bench_replay_enqueue (&replay, self->gpu);
  for (i = 0; i < repeats && !self->gpu->failure; i++) {
    const gdouble us = bench_replay_time (&replay, self->gpu);

    g_array_append_val (values, us);
  }
  bench_gpu_check (self->gpu, self->gpu->MemcpyDtoH (counts, self->bins,
          n_bins * sizeof (guint32)), "downloading counts");
  for (i = 0; i < n_bins; i++)
    *wrong += counts[i] != expected[i];
  bench_time_set (&time, values, replay.n);
  bench_replay_free (&replay, self->gpu);
  g_array_unref (values);
  g_free (expected);
  g_free (counts);
  return time.median;
}

/* Items are the remainders of their index, as in AMS 148, or random. */
static gboolean
report (BenchGpu * gpu, guint32 n, guint32 bits, gboolean remainders,
    guint repeats)
{
  Sort self = {.gpu = gpu,.n = n,.bits = bits };
  GRand *random = g_rand_new_with_seed (1);
  guint32 *items = g_new (guint32, n);
  guint wrong = 0, i;
  gdouble us;

  for (i = 0; i < n; i++) {
    items[i] = (remainders ? i : g_rand_int (random)) & ((1u << bits) - 1);
  }
  place (&self);
  self.memory = bench_gpu_alloc (gpu, self.next);
  place (&self);
  if (self.memory && bench_gpu_upload (gpu, self.items, items,
          n * sizeof (guint32), "uploading items")) {
    us = measure (&self, items, repeats, &wrong);
    if (!gpu->failure) {
      g_print ("%8u items, %3u bins, %-10s", n, 1u << bits,
          remainders ? "remainders" : "uniform");
      bench_print_number (us);
      if (wrong > 0)
        g_print ("   WRONG COUNTS in %u bins", wrong);
      g_print ("\n");
    }
  }
  bench_gpu_release (gpu, self.memory);
  g_rand_free (random);
  g_free (items);
  return wrong == 0 && self.memory && !gpu->failure;
}

gboolean
bench_sort_report (BenchGpu * gpu, guint items, guint repeats)
{
  gboolean right;

  g_print ("\nReeves: sort, then reduce by key, without an atomic; every step "
      "over the whole input\n%-35s %11s\n", "", "us");
  right = report (gpu, 65536, 4, TRUE, repeats);
  return report (gpu, items, 8, FALSE, repeats) && right;
}
