/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sort, then reduce by key: a histogram of a whole input without an atomic,
 * step by step as in AMS 148 (see docs/algorithms.md). Every kernel has a
 * thread for each item. */
#include <stddef.h>
#include <stdint.h>

#define BLOCK 1024              /* as in sort.c */

static __device__ __forceinline__ uint32_t
item ()
{
  return blockIdx.x * BLOCK + threadIdx.x;
}

/* The state of a scan at an item: the sum since the start of the segment, and
 * whether a segment has started. */
struct Scanned
{
  uint32_t sum;
  uint32_t begun;
};

static __device__ __forceinline__ Scanned
combine (const Scanned & left, const Scanned & right)
{
  return {right.begun ? right.sum : left.sum + right.sum,
    left.begun | right.begun};
}

/* The inclusive scan of Hillis and Steele within each block, in place: in each
 * step, an item adds the one at a certain distance to its left, and the
 * distance doubles. @begun is 1 where a segment starts, so that each segment is
 * summed separately; afterwards it is also 1 where a segment started earlier in
 * the block. The last item of each block is the sum of the block. */
extern "C" __global__ void
__launch_bounds__ (BLOCK)
vh_bench_scan (uint32_t * sums, uint32_t * begun, uint32_t * block_sums,
    uint32_t * block_begun, uint32_t n)
{
  __shared__ Scanned scanned[2][BLOCK];
  const uint32_t i = item (), t = threadIdx.x;
  uint32_t from = 0;

  scanned[0][t].sum = i < n ? sums[i] : 0;
  scanned[0][t].begun = begun && i < n ? begun[i] : 0;
  __syncthreads ();
  for (uint32_t distance = 1; distance < BLOCK; distance *= 2) {
    const Scanned own = scanned[from][t];

    scanned[1 - from][t] = t >= distance ?
        combine (scanned[from][t - distance], own) : own;
    from = 1 - from;
    __syncthreads ();
  }
  if (i < n) {
    sums[i] = scanned[from][t].sum;
    if (begun)
      begun[i] = scanned[from][t].begun;
  }
  if (t == BLOCK - 1) {
    block_sums[blockIdx.x] = scanned[from][t].sum;
    block_begun[blockIdx.x] = scanned[from][t].begun;
  }
}

/* Adds the sum of all earlier blocks, from the scan of their sums, to the items
 * of each block before its first segment start. */
extern "C" __global__ void
__launch_bounds__ (BLOCK)
vh_bench_scan_add (uint32_t * sums, const uint32_t * begun,
    const uint32_t * block_sums, uint32_t n)
{
  const uint32_t i = item ();

  if (i < n && blockIdx.x > 0 && !(begun && begun[i]))
    sums[i] += block_sums[blockIdx.x - 1];
}

/* The predicate of the radix sort. */
extern "C" __global__ void
__launch_bounds__ (BLOCK)
vh_bench_sort_bit (const uint32_t * keys, uint32_t * ones, uint32_t n,
    uint32_t bit)
{
  const uint32_t i = item ();

  if (i < n)
    ones[i] = keys[i] >> bit & 1;
}

/* Moves keys with a 0 to the front and those with a 1 to the back, and keeps
 * their order otherwise. @ones has been scanned. */
extern "C" __global__ void
__launch_bounds__ (BLOCK)
vh_bench_sort_split (const uint32_t * keys, const uint32_t * ones,
    uint32_t * sorted, uint32_t n, uint32_t bit)
{
  const uint32_t i = item ();

  if (i < n) {
    const uint32_t zeros = n - ones[n - 1];

    sorted[keys[i] >> bit & 1 ? zeros + ones[i] - 1 : i - ones[i]] = keys[i];
  }
}

/* Finds segments of equal keys: marks where each starts and ends, and sets a 1
 * for each key, so that a segmented scan gives the length of the segment so
 * far. */
extern "C" __global__ void
__launch_bounds__ (BLOCK)
vh_bench_reduce_segments (const uint32_t * keys, uint32_t * lengths,
    uint32_t * begun, uint32_t * ends, uint32_t n)
{
  const uint32_t i = item ();

  if (i < n) {
    lengths[i] = 1;
    begun[i] = i == 0 || keys[i] != keys[i - 1];
    ends[i] = i == n - 1 || keys[i] != keys[i + 1];
  }
}

/* Stores the key and the length of each segment, from its last item. The
 * scanned @ends gives the position to store them at. */
extern "C" __global__ void
__launch_bounds__ (BLOCK)
vh_bench_reduce_compact (const uint32_t * keys, const uint32_t * lengths,
    const uint32_t * ends, uint32_t * segment_keys, uint32_t * segment_lengths,
    uint32_t n)
{
  const uint32_t i = item ();

  if (i < n && (i == n - 1 || keys[i] != keys[i + 1])) {
    segment_keys[ends[i] - 1] = keys[i];
    segment_lengths[ends[i] - 1] = lengths[i];
  }
}

/* The lengths are the counts. Bins without keys must be zero before. No two
 * segments have the same key. */
extern "C" __global__ void
__launch_bounds__ (BLOCK)
vh_bench_reduce_place (const uint32_t * segment_keys,
    const uint32_t * segment_lengths, const uint32_t * segments,
    uint32_t * bins)
{
  const uint32_t i = item ();

  if (i < *segments)
    bins[segment_keys[i]] = segment_lengths[i];
}
