/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A byte per bin and thread in shared memory, for few bins: threads never share
 * a counter. Before a byte can overflow, the block adds them up. */
#include "../share.cuh"

/* Where a thread's byte is in the row of a bin: the bytes of a warp's lanes are
 * in different words, and so in different banks; four warps share the words. */
static __device__ __forceinline__ uint32_t
vh_place_in_row ()
{
  return (threadIdx.x & ~127u) | (threadIdx.x & 31) << 2 |
      (threadIdx.x >> 5 & 3);
}

/* Moves the counts of the threads to @sums. Warps take bins in turns. */
static __device__ __forceinline__ void
vh_merge_bytes (const VhKernelParams & p, uint32_t * rows, uint32_t * sums)
{
  const uint32_t words = blockDim.x / 4;

  __syncthreads ();
  for (uint32_t bin = vh_warp (); bin < p.bins; bin += blockDim.x / VH_WARP) {
    uint32_t sum = 0;

    for (uint32_t i = vh_lane (); i < words; i += VH_WARP) {
      sum = __dp4a (rows[bin * words + i], 0x01010101u, sum);
      rows[bin * words + i] = 0;
    }
    sum = vh_warp_sum (sum);
    if (vh_lane () == 0)
      sums[bin] += sum;
  }
  __syncthreads ();
}

extern "C" __global__ void
__launch_bounds__ (256)
vh_byte_counters (const __grid_constant__ VhKernelParams p)
{
  const VhShare share (p);
  uint32_t *rows = (uint32_t *) vh_shared;
  uint32_t *sums = rows + p.bins * blockDim.x / 4;
  uint8_t *own = (uint8_t *) rows + vh_place_in_row ();

  vh_clear (rows, p.bins * (blockDim.x / 4 + 1));
  vh_with_samples (p, share, [&] (auto samples) {
    vh_each_round (samples, UINT8_MAX,
        [&] (uint32_t bin, bool there) {
          if (there)
            own[bin * blockDim.x]++;
        },
        [&] {
          vh_merge_bytes (p, rows, sums);
        });
  });
  vh_add_table (p, share, sums);
  vh_deliver_all (p);
}
