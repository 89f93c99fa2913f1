/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table per block in shared memory. A thread processes neighbouring samples,
 * and as long as they are in the same bin only counts them in a register: one
 * addition to the table for the whole run. */
#include "../share.cuh"

/* The current run of a thread. It continues from one vector to the next. */
struct VhRun
{
  uint32_t *table;
  uint32_t bin, length;

  __device__ __forceinline__
  VhRun (uint32_t * table)
  : table (table), bin (0), length (0)
  {
  }

  __device__ __forceinline__ void
  end ()
  {
    if (length > 0)
      atomicAdd (table + bin, length);
    length = 0;
  }

  __device__ __forceinline__ void
  add (uint32_t next)
  {
    if (next != bin) {
      end ();
      bin = next;
    }
    length++;
  }
};

template <class Samples, class Count>
static __device__ __forceinline__ void
vh_each_neighbour (const Samples & samples, Count count)
{
  samples.vectors (count);
}

/* Without vectors, each thread has its own chunk of neighbouring samples. */
template <class Count>
static __device__ __forceinline__ void
vh_each_neighbour (const VhAnySamples & samples, Count count)
{
  vh_each_contiguous (samples, count);
}

extern "C" __global__ void
__launch_bounds__ (1024)
vh_run_aggregation (const __grid_constant__ VhKernelParams p)
{
  const VhShare share (p);
  uint32_t *table = (uint32_t *) vh_shared;
  VhRun run (table);

  vh_clear (table, p.bins);
  vh_with_samples (p, share, [&] (auto samples) {
    vh_each_neighbour (samples, [&] (uint32_t bin) {
      run.add (bin);
    });
  });
  run.end ();
  vh_add_table (p, share, table);
  vh_deliver_all (p);
}
