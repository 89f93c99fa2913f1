/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collects samples in tiles, which a block sorts. */
#pragma once

#include "../share.cuh"

/* Returns the sum over the block to all of its threads; @sums is
 * uint32_t[VH_WARP] of scratch. Has one barrier. */
static __device__ __forceinline__ uint32_t
vh_block_sum (uint32_t value, uint32_t * sums)
{
  value = vh_warp_sum (value);
  if (vh_lane () == 0)
    sums[vh_warp ()] = value;
  __syncthreads ();
  return vh_warp_sum (vh_lane () < blockDim.x / VH_WARP ? sums[vh_lane ()] : 0);
}

/* Puts bins into @keys until a tile is full, the same number from each thread,
 * and calls @sort with their number, which is smaller for the last tile. @keys
 * and @sums, as above, are in shared memory. */
template <class Samples, class Sort>
static __device__ __forceinline__ void
vh_each_tile (const Samples & samples, uint16_t * keys, uint32_t * sums,
    Sort sort)
{
  uint32_t turn = 0, n = 0;

  /* Missing samples always come last. */
  vh_each_round (samples, VH_KERNEL_SORT_KEYS,
      [&] (uint32_t bin, bool there) {
        if (there) {
          keys[turn * blockDim.x + threadIdx.x] = bin;
          n++;
        }
        turn++;
      },
      [&] {
        sort (vh_block_sum (n, sums));
        turn = n = 0;
        __syncthreads ();
      });
}
