/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A block sorts a tile of bins with CUB. Then equal bins are adjacent, and the
 * length of each run is added at once. */
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>

#include "tiles.cuh"

#define KEYS VH_KERNEL_SORT_KEYS
#define THREADS VH_KERNEL_SORT_THREADS

/* Old and new releases of CUB name these differently. */
struct VhDiffer
{
  __device__ __forceinline__ bool
  operator () (uint32_t a, uint32_t b) const
  {
    return a != b;
  }
};

struct VhGreater
{
  __device__ __forceinline__ uint32_t
  operator () (uint32_t a, uint32_t b) const
  {
    return a > b ? a : b;
  }
};

typedef cub::BlockRadixSort<uint16_t, THREADS, KEYS> VhSort;
typedef cub::BlockDiscontinuity<uint16_t, THREADS> VhRuns;
typedef cub::BlockScan<uint32_t, THREADS> VhScan;

/* In shared memory, after the keys of a tile. */
union VhSortStorage
{
  VhSort::TempStorage sort;
  VhRuns::TempStorage runs;
  VhScan::TempStorage scan;
};

static_assert (sizeof (VhSortStorage) <= VH_KERNEL_SORT_STORAGE,
    "the launch has less shared memory");

/* Sorts @n keys of @bits bits and adds the length of each run. */
static __device__ __attribute__ ((noinline)) void
vh_sort_and_count (const uint16_t * keys, uint32_t n, uint32_t bits,
    VhSortStorage & storage, uint32_t * accumulators)
{
  uint16_t key[KEYS];
  uint32_t start[KEYS];
  bool head[KEYS], tail[KEYS];

  /* The padding of a tile sorts after everything else, and does not count as a
   * run. */
#pragma unroll
  for (uint32_t i = 0; i < KEYS; i++) {
    const uint32_t at = i * THREADS + threadIdx.x;

    key[i] = at < n ? keys[at] : (1u << bits) - 1;
  }
  VhSort (storage.sort).Sort (key, 0, bits);
  __syncthreads ();
  VhRuns (storage.runs).FlagHeadsAndTails (head, tail, key, VhDiffer ());
  __syncthreads ();

  /* The last head so far is the start of the run. */
#pragma unroll
  for (uint32_t i = 0; i < KEYS; i++)
    start[i] = head[i] ? threadIdx.x * KEYS + i : 0;
  VhScan (storage.scan).InclusiveScan (start, start, VhGreater ());
#pragma unroll
  for (uint32_t i = 0; i < KEYS; i++) {
    const uint32_t end = threadIdx.x * KEYS + i + 1;

    if (end == n || (end < n && tail[i]))
      atomicAdd (accumulators + key[i], end - start[i]);
  }
}

extern "C" __global__ void
__launch_bounds__ (THREADS)
vh_block_sort (const __grid_constant__ VhKernelParams p)
{
  const VhShare share (p);
  const uint32_t bits = max (1, VH_WARP - __clz (p.bins - 1));
  uint16_t *keys = (uint16_t *) vh_shared;
  uint32_t *sums = (uint32_t *) (keys + THREADS * KEYS);
  VhSortStorage *storage = (VhSortStorage *) (sums + VH_WARP);

  vh_with_samples (p, share, [&] (auto samples) {
    vh_each_tile (samples, keys, sums, [&] (uint32_t n) {
      vh_sort_and_count (keys, n, bits, *storage, share.accumulators);
    });
  });
  vh_deliver_all (p);
}
