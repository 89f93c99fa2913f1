/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table per warp in shared memory, 16 bytes of samples at a time: as many
 * warps as there is room for. */
#include "../share.cuh"

extern "C" __global__ void
__launch_bounds__ (512, 2)
vh_warp_tables (const __grid_constant__ VhKernelParams p)
{
  const VhShare share (p);
  uint32_t *tables = (uint32_t *) vh_shared;
  uint32_t *own = tables + vh_warp () * p.bins;

  vh_clear (tables, p.tables * p.bins);
  vh_with_samples (p, share, [&] (auto samples) {
    samples.vectors ([&] (uint32_t bin) {
      atomicAdd (own + bin, 1u);
    });
  });
  __syncthreads ();
  for (uint32_t bin = threadIdx.x; bin < p.bins; bin += blockDim.x) {
    uint32_t sum = 0;

    for (uint32_t warp = 0; warp < p.tables; warp++)
      sum += tables[warp * p.bins + bin];
    if (sum)
      atomicAdd (share.accumulators + bin, sum);
  }
  vh_deliver_all (p);
}
