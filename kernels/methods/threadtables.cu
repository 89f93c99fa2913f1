/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table per thread in global memory, with a few bits of each counter in
 * shared memory: every sample is counted there, and overflows go to the table.
 * Threads never share a counter. At the end the block adds up its tables. */
#include "../pairs.cuh"
#include "../share.cuh"

/* The counters of one thread. */
struct VhThreadTable
{
  uint32_t *packed;             /* of the block: words of packed counters,
                                 * thread after thread */
  uint32_t *table;              /* of the block: counters, likewise */
  uint32_t bits;                /* of a packed counter, a power of two */
  uint32_t shift;               /* log2 of the counters in a word */
  uint32_t words;               /* of packed counters of a thread */

  __device__ __forceinline__
  VhThreadTable (const VhKernelParams & p, uint32_t n)
  : packed ((uint32_t *) vh_shared), table ((uint32_t *) vh_scratch (p,
            blockIdx.x)), bits (p.counter_bits), shift (__ffs (32 / bits) - 1),
    words (((n - 1) >> shift) + 1)
  {
  }

  /* Bits of a word below the counter of @bin. */
  __device__ __forceinline__ uint32_t
  below (uint32_t bin) const
  {
    return (bin & ((1u << shift) - 1)) * bits;
  }

  __device__ __forceinline__ void
  add (uint32_t bin) const
  {
    uint32_t *word = packed + (bin >> shift) * blockDim.x + threadIdx.x;
    const uint32_t full = ((1u << bits) - 1) << below (bin);
    const uint32_t before = *word;

    if ((before & full) == full) {
      *word = before & ~full;
      table[bin * blockDim.x + threadIdx.x] += 1u << bits;
    } else {
      *word = before + (1u << below (bin));
    }
  }

  /* The count of @thread for @bin. */
  __device__ __forceinline__ uint32_t
  count (uint32_t bin, uint32_t thread) const
  {
    return table[bin * blockDim.x + thread] +
        (packed[(bin >> shift) * blockDim.x + thread] >> below (bin) &
            ((1u << bits) - 1));
  }
};

/* Calls @each with the thread's counters of @n bins, and then adds up their
 * counts. */
template <class Each>
static __device__ __forceinline__ void
vh_count_in_thread_tables (const VhKernelParams & p, uint32_t n,
    uint32_t * accumulators, Each each)
{
  const VhThreadTable counters (p, n);

  vh_clear (counters.table, n * blockDim.x);
  vh_clear (counters.packed, counters.words * blockDim.x);
  each (counters);
  __syncthreads ();
  for (uint32_t bin = vh_warp (); bin < n; bin += blockDim.x / VH_WARP) {
    uint32_t sum = 0;

    for (uint32_t i = vh_lane (); i < blockDim.x; i += VH_WARP)
      sum += counters.count (bin, i);
    /* Most bins of most blocks are empty. */
    if (!__any_sync (VH_ALL_LANES, sum))
      continue;
    sum = vh_warp_sum (sum);
    if (vh_lane () == 0)
      atomicAdd (accumulators + bin, sum);
  }
  vh_deliver_all (p);
}

extern "C" __global__ void
__launch_bounds__ (256)
vh_thread_tables (const __grid_constant__ VhKernelParams p)
{
  const VhShare share (p);

  vh_count_in_thread_tables (p, p.bins, share.accumulators,
      [&] (const VhThreadTable & counters) {
        vh_with_samples (p, share, [&] (auto samples) {
          vh_each_interleaved (samples, [&] (uint32_t bin) {
            counters.add (bin);
          });
        });
      });
}

template <class Pairs>
static __device__ __forceinline__ void
vh_count_pairs_in_thread_tables (const VhJointParams & p)
{
  vh_count_in_thread_tables (p.frame, p.frame.n_results,
      (uint32_t *) p.frame.accumulators,
      [&] (const VhThreadTable & counters) {
        vh_each_interleaved (VhPairSamples<Pairs> (p), [&] (uint32_t pair) {
          counters.add (pair);
        });
      });
}

extern "C" __global__ void
__launch_bounds__ (256)
vh_thread_tables_chroma (const __grid_constant__ VhJointParams p)
{
  vh_count_pairs_in_thread_tables<VhChroma> (p);
}

extern "C" __global__ void
__launch_bounds__ (256)
vh_thread_tables_luma (const __grid_constant__ VhJointParams p)
{
  vh_count_pairs_in_thread_tables<VhLumaBins> (p);
}
