/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A block sorts a tile of bins in shared memory, one bit at a time: keys with a
 * 0 go before keys with a 1, and otherwise keep their order. Then equal bins
 * are adjacent, and the length of each run is added at once. */
#include "tiles.cuh"

/* A tile of @n keys. A warp has VH_KERNEL_SORT_KEYS rows of it, and a lane has
 * a key of each row. There is room for another key in front of the first,
 * because the compiler may load the key before index 0 ahead of the check for
 * that index: nvcc 13.0 does so. */
struct VhTile
{
  uint16_t *keys, *starts;
  uint32_t *sums;               /* of each warp */
  uint32_t n;

  /* The position of the thread's @i th key. */
  __device__ __forceinline__ uint32_t
  place (uint32_t i) const
  {
    return (vh_warp () * VH_KERNEL_SORT_KEYS + i) * VH_WARP + vh_lane ();
  }

  /* Scans the flags of the threads' keys: sets @before to how many are set
   * before each. Returns the total. Within a warp the values are single bits,
   * so a vote is enough. The sums of the warps are then scanned in steps of
   * doubling distance. Has one barrier. */
  __device__ __forceinline__ uint32_t
  scan (const bool flags[VH_KERNEL_SORT_KEYS],
      uint32_t before[VH_KERNEL_SORT_KEYS]) const
  {
    const uint32_t lane = vh_lane ();
    uint32_t sum = 0, others;

#pragma unroll
    for (uint32_t i = 0; i < VH_KERNEL_SORT_KEYS; i++) {
      const uint32_t votes = __ballot_sync (VH_ALL_LANES, flags[i]);

      before[i] = sum + __popc (votes & ((1u << lane) - 1));
      sum += __popc (votes);
    }
    if (lane == 0)
      sums[vh_warp ()] = sum;
    __syncthreads ();

    sum = lane < blockDim.x / VH_WARP ? sums[lane] : 0;
    for (uint32_t distance = 1; distance < VH_WARP; distance *= 2) {
      others = __shfl_up_sync (VH_ALL_LANES, sum, distance);
      if (lane >= distance)
        sum += others;
    }
    others = __shfl_sync (VH_ALL_LANES, sum, vh_warp () - 1);
    if (vh_warp () > 0) {
#pragma unroll
      for (uint32_t i = 0; i < VH_KERNEL_SORT_KEYS; i++)
        before[i] += others;
    }
    return __shfl_sync (VH_ALL_LANES, sum, VH_WARP - 1);
  }

  /* Keys with a 0 at @bit go to the front, those with a 1 to the back. */
  __device__ __forceinline__ void
  split (uint32_t bit) const
  {
    uint32_t key[VH_KERNEL_SORT_KEYS], before[VH_KERNEL_SORT_KEYS], ones;
    bool flags[VH_KERNEL_SORT_KEYS];

#pragma unroll
    for (uint32_t i = 0; i < VH_KERNEL_SORT_KEYS; i++) {
      key[i] = place (i) < n ? keys[place (i)] : 0;
      flags[i] = key[i] >> bit & 1;
    }
    ones = scan (flags, before);
#pragma unroll
    for (uint32_t i = 0; i < VH_KERNEL_SORT_KEYS; i++) {
      if (place (i) < n) {
        keys[flags[i] ? n - ones + before[i] : place (i) - before[i]] =
            key[i];
      }
    }
    __syncthreads ();
  }

  /* Collects the positions where runs start, and adds the length of each
   * run. */
  __device__ __forceinline__ void
  add_runs (uint32_t * accumulators) const
  {
    uint32_t before[VH_KERNEL_SORT_KEYS], runs;
    bool flags[VH_KERNEL_SORT_KEYS];

#pragma unroll
    for (uint32_t i = 0; i < VH_KERNEL_SORT_KEYS; i++) {
      const uint32_t at = place (i);

      flags[i] = at < n && (at == 0 || keys[at] != keys[(int) at - 1]);
    }
    runs = scan (flags, before);
#pragma unroll
    for (uint32_t i = 0; i < VH_KERNEL_SORT_KEYS; i++) {
      if (flags[i])
        starts[before[i]] = place (i);
    }
    __syncthreads ();

    for (uint32_t run = threadIdx.x; run < runs; run += blockDim.x) {
      const uint32_t start = starts[run];
      const uint32_t end = run + 1 < runs ? starts[run + 1] : n;

      atomicAdd (accumulators + keys[start], end - start);
    }
  }
};

static __device__ __attribute__ ((noinline)) void
vh_sort_and_count (VhTile tile, uint32_t bits, uint32_t * accumulators)
{
  for (uint32_t bit = 0; bit < bits; bit++)
    tile.split (bit);
  tile.add_runs (accumulators);
}

extern "C" __global__ void
__launch_bounds__ (VH_KERNEL_SORT_THREADS, 2)
vh_radix_sort (const __grid_constant__ VhKernelParams p)
{
  const VhShare share (p);
  const uint32_t bits = VH_WARP - __clz (p.bins - 1);
  const uint32_t size = VH_KERNEL_SORT_THREADS * VH_KERNEL_SORT_KEYS;
  uint16_t *keys = (uint16_t *) (vh_shared + 1);
  uint32_t *sums = (uint32_t *) (keys + 2 * size);

  vh_with_samples (p, share, [&] (auto samples) {
    vh_each_tile (samples, keys, sums, [&] (uint32_t n) {
      vh_sort_and_count ({keys, keys + size, sums + VH_WARP, n}, bits,
          share.accumulators);
    });
  });
  vh_deliver_all (p);
}
