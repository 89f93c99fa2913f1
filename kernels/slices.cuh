/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Delivers many results in the same launch. The results of a channel in a cell
 * are cut into slices, each with its own ticket. A warp adds a slice of its
 * block's counts to those of the other blocks and draws a ticket; the warp that
 * draws the last one delivers the slice. No warp waits, and many deliver. */
#pragma once

#include "share.cuh"

#define VH_SLICES 32            /* at most one per warp of a block */

/* Sets @n counters of the block in shared memory to zero, rounded up to 16
 * bytes. */
static __device__ __forceinline__ void
vh_clear_shared (uint32_t n)
{
  for (uint32_t i = threadIdx.x; i < (n + 3) / 4; i += blockDim.x)
    vh_shared[i] = make_uint4 (0, 0, 0, 0);
  __syncthreads ();
}

/* Whether the calling warp is the last of gridDim.x blocks at @ticket. If so,
 * it sees what the others added, and leaves zero for the next launch. */
static __device__ __forceinline__ bool
vh_draw_last (uint32_t * ticket)
{
  bool last = false;

  __syncwarp ();
  if (vh_lane () == 0) {
    __threadfence ();
    last = atomicInc (ticket, gridDim.x - 1) == gridDim.x - 1;
    __threadfence ();
  }
  last = __shfl_sync (VH_ALL_LANES, last, 0);
  __syncwarp ();
  return last;
}

/* Adds the block's counts of @n units of @results, with one or more results
 * each, to those of the other blocks, and delivers them. All gridDim.x
 * blocks must call it, with all threads. They share @tickets, one per slice,
 * zero before and after. add() adds a unit. Once a slice is complete, take()
 * reads and clears its units, in_flight of them at a time, and put()
 * delivers them. */
template <class Results>
static __device__ __forceinline__ void
vh_add_slices (const Results & results, uint32_t n, uint32_t * tickets)
{
  const uint32_t width = VH_WARP * VH_SLICES;
  const uint32_t steps = (n + width - 1) / width;
  const uint32_t slices = (n + VH_WARP * steps - 1) / (VH_WARP * steps);
  const uint32_t in_flight = Results::in_flight;

  __syncthreads ();
  for (uint32_t s = vh_warp (); s < slices; s += blockDim.x / VH_WARP) {
    /* Blocks start in different places, to avoid contention. */
    const uint32_t slice = (s + blockIdx.x) % slices;
    const uint32_t first = slice * steps * VH_WARP + vh_lane ();
    uint32_t step = blockIdx.x % steps;

    for (uint32_t i = 0; i < steps; i++) {
      if (first + step * VH_WARP < n)
        results.add (first + step * VH_WARP);
      step = step + 1 < steps ? step + 1 : 0;
    }
    if (!vh_draw_last (tickets + slice))
      continue;
    for (step = 0; step < steps; step += in_flight) {
      typename Results::Value value[in_flight];

#pragma unroll
      for (uint32_t i = 0; i < in_flight; i++) {
        if (step + i < steps && first + (step + i) * VH_WARP < n)
          value[i] = results.take (first + (step + i) * VH_WARP);
      }
#pragma unroll
      for (uint32_t i = 0; i < in_flight; i++) {
        if (step + i < steps && first + (step + i) * VH_WARP < n)
          results.put (first + (step + i) * VH_WARP, value[i]);
      }
    }
  }
}
