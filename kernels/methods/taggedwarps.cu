/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table per warp in shared memory, without atomics: a counter is marked with
 * the lane that wrote it last. A lane that does not find its own mark was
 * overwritten, and tries again. If the bins do not fit, they are counted in
 * windows, with a pass over the samples for each. */
#include "../pairs.cuh"
#include "../share.cuh"

/* Bits of a counter below the mark. Tests use fewer, so that counters fill
 * up. */
#ifndef VH_TAGGED_BITS
#define VH_TAGGED_BITS 27
#endif
#define VH_TAGGED_COUNT ((1u << VH_TAGGED_BITS) - 1)

/* Samples of a thread between two merges: so few that the samples of all lanes
 * of a warp, in one counter, stay below the mark. */
#define VH_TAGGED_SAMPLES (VH_TAGGED_COUNT / VH_WARP)

/* Adds 1 to @counter for the lanes with a @pending sample. Must be called by
 * all lanes of the warp: they stay together, so that no lane writes before all
 * have read, and no lane reads back before all have written. Each time, one of
 * the lanes that share a counter succeeds. */
static __device__ __forceinline__ void
vh_add_tagged (volatile uint32_t * counter, bool pending)
{
  const uint32_t tag = vh_lane () << VH_TAGGED_BITS;

  while (__any_sync (VH_ALL_LANES, pending)) {
    const uint32_t tagged =
        pending ? tag | ((*counter & VH_TAGGED_COUNT) + 1) : 0;

    __syncwarp ();
    if (pending)
      *counter = tagged;
    __syncwarp ();
    pending = pending && *counter != tagged;
  }
}

/* Adds the warps' counts, which start at bin @first, to the sums of all blocks,
 * and clears them. */
static __device__ __forceinline__ void
vh_merge_window (const VhKernelParams & p, uint32_t * accumulators,
    uint32_t * tables, uint32_t first)
{
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < p.window; i += blockDim.x) {
    uint32_t sum = 0;

    for (uint32_t warp = 0; warp < p.tables; warp++) {
      sum += tables[warp * p.window + i] & VH_TAGGED_COUNT;
      tables[warp * p.window + i] = 0;
    }
    if (sum)
      atomicAdd (accumulators + first + i, sum);
  }
  __syncthreads ();
}

/* Counts the block's share of @samples in @n bins. */
template <class Samples>
static __device__ __forceinline__ void
vh_count_tagged (const VhKernelParams & p, const Samples & samples, uint32_t n,
    uint32_t * accumulators)
{
  uint32_t *tables = (uint32_t *) vh_shared;
  uint32_t *own = tables + vh_warp () * p.window;

  vh_clear (tables, p.tables * p.window);
  for (uint32_t first = 0; first < n; first += p.window) {
    vh_each_round (samples, VH_TAGGED_SAMPLES,
        [&] (uint32_t bin, bool there) {
          const uint32_t i = bin - first;

          there = there && i < p.window;
          vh_add_tagged (own + (there ? i : 0), there);
        },
        [&] {
          vh_merge_window (p, accumulators, tables, first);
        });
  }
}

extern "C" __global__ void
__launch_bounds__ (1024)
vh_tagged_warps (const __grid_constant__ VhKernelParams p)
{
  const VhShare share (p);

  vh_with_samples (p, share, [&] (auto samples) {
    vh_count_tagged (p, samples, p.bins, share.accumulators);
  });
  vh_deliver_all (p);
}

template <class Pairs>
static __device__ __forceinline__ void
vh_count_tagged_pairs (const VhJointParams & p)
{
  vh_count_tagged (p.frame, VhPairSamples<Pairs> (p), p.frame.n_results,
      (uint32_t *) p.frame.accumulators);
  vh_deliver_all (p.frame);
}

extern "C" __global__ void
__launch_bounds__ (1024)
vh_tagged_warps_chroma (const __grid_constant__ VhJointParams p)
{
  vh_count_tagged_pairs<VhChroma> (p);
}

extern "C" __global__ void
__launch_bounds__ (1024)
vh_tagged_warps_luma (const __grid_constant__ VhJointParams p)
{
  vh_count_tagged_pairs<VhLumaBins> (p);
}
