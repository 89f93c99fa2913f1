/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every sample is one atomic addition to the table in global memory. */
#include "../share.cuh"

extern "C" __global__ void
__launch_bounds__ (1024)
vh_global_atomics (const __grid_constant__ VhKernelParams p)
{
  const VhShare share (p);

  vh_with_samples (p, share, [&] (auto samples) {
    vh_each_interleaved (samples, [&] (uint32_t bin) {
      atomicAdd (share.accumulators + bin, 1u);
    });
  });
  vh_deliver_all (p);
}
