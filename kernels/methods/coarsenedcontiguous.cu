/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table per block in shared memory; each thread counts one run of
 * neighbouring samples. */
#include "../share.cuh"

extern "C" __global__ void
__launch_bounds__ (1024)
vh_coarsened_contiguous (const __grid_constant__ VhKernelParams p)
{
  const VhShare share (p);
  uint32_t *table = (uint32_t *) vh_shared;

  vh_clear (table, p.bins);
  vh_with_samples (p, share, [&] (auto samples) {
    vh_each_contiguous (samples, [&] (uint32_t bin) {
      atomicAdd (table + bin, 1u);
    });
  });
  vh_add_table (p, share, table);
  vh_deliver_all (p);
}
