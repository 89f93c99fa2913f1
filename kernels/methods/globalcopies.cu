/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table per block in global memory, for any number of bins. If a cell has
 * only one block, that needs no table: it counts directly into the sums. */
#include "../share.cuh"

extern "C" __global__ void
__launch_bounds__ (1024)
vh_global_copies (const __grid_constant__ VhKernelParams p)
{
  const VhShare share (p);
  const bool alone = gridDim.x == 1;
  uint32_t *table = alone ? share.accumulators :
      (uint32_t *) vh_scratch (p, blockIdx.x);

  if (!alone)
    vh_clear (table, p.bins);
  vh_with_samples (p, share, [&] (auto samples) {
    vh_each_interleaved (samples, [&] (uint32_t bin) {
      atomicAdd (table + bin, 1u);
    });
  });
  if (!alone)
    vh_add_table (p, share, table);
  vh_deliver_all (p);
}
