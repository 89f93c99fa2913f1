/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table per block in shared memory; few threads count many interleaved
 * samples each, with several loads in flight. */
#include "../share.cuh"

#define COARSENED_LOADS 4

extern "C" __global__ void
__launch_bounds__ (1024)
vh_coarsened_interleaved (const __grid_constant__ VhKernelParams p)
{
  const VhShare share (p);
  uint32_t *table = (uint32_t *) vh_shared;

  vh_clear (table, p.bins);
  vh_with_samples (p, share, [&] (auto samples) {
    VhPlace place (samples.width, samples.height, vh_thread (), vh_threads ());

    while (!place.done ()) {
      uint32_t bin[COARSENED_LOADS];
      bool there[COARSENED_LOADS];

#pragma unroll
      for (int i = 0; i < COARSENED_LOADS; i++, place.next ()) {
        there[i] = !place.done ();
        bin[i] = there[i] ? samples.bin (place.x, place.y) : 0;
      }
#pragma unroll
      for (int i = 0; i < COARSENED_LOADS; i++) {
        if (there[i])
          atomicAdd (table + bin[i], 1u);
      }
    }
  });
  vh_add_table (p, share, table);
  vh_deliver_all (p);
}
