/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels that only the benchmark has: for making test data and for comparison
 * with the methods. */
#include "pattern.h"

#include <stddef.h>

extern "C" __global__ void
vh_bench_empty ()
{
}

/* Keeps the GPU busy while the host enqueues the launches to time: about 20
 * microseconds a turn. */
extern "C" __global__ void
vh_bench_delay (uint32_t turns)
{
  for (uint32_t i = 0; i < turns; i++)
    __nanosleep (20000);
}

/* Each block takes every n-th row, where n is the number of blocks. */
extern "C" __global__ void
__launch_bounds__ (256)
vh_bench_fill (const __grid_constant__ BenchPattern p)
{
  const uint64_t rows = (uint64_t) p.frames * p.rows;

  for (uint64_t row = blockIdx.x; row < rows; row += gridDim.x)
    bench_pattern_fill (&p, row / p.rows, row % p.rows, threadIdx.x,
        blockDim.x);
}

static __device__ __forceinline__ uint32_t
mix (const uint4 & v)
{
  return v.x ^ v.y ^ v.z ^ v.w;
}

/* Reads everything, and uses it just enough for the compiler to keep the loads:
 * two vectors of 16 bytes in flight per thread. If rows have gaps, reads
 * @per_row vectors of each row. */
extern "C" __global__ void
__launch_bounds__ (1024, 2)
vh_bench_read (const uint8_t * data, size_t vectors, size_t per_row,
    size_t stride, uint32_t * never)
{
  const size_t threads = (size_t) gridDim.x * blockDim.x;
  const uint4 *one = (const uint4 *) data;
  size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t sum = 0;

  if (per_row == 0) {
    for (; i + threads < vectors; i += 2 * threads) {
      const uint4 a = __ldcs (one + i), b = __ldcs (one + i + threads);

      sum ^= mix (a) ^ mix (b);
    }
    if (i < vectors)
      sum ^= mix (__ldcs (one + i));
  } else {
    const uint32_t row = (uint32_t) per_row;
#define AT(i) ((const uint4 *) (data + (uint32_t) (i) / row * stride) + \
    (uint32_t) (i) % row)

    for (; i + threads < vectors; i += 2 * threads) {
      const uint4 a = __ldcs (AT (i)), b = __ldcs (AT (i + threads));

      sum ^= mix (a) ^ mix (b);
    }
    if (i < vectors)
      sum ^= mix (__ldcs (AT (i)));
  }
  if (sum == 0x9e3779b9)
    *never = sum;
}

/* The listing in AMS 148 (see docs/algorithms.md) that gives wrong counts: many
 * threads increment bins of global memory without an atomic. The read and the
 * write are separate so that the compiler keeps both; in the listing they are
 * one expression. */
extern "C" __global__ void
vh_bench_racy (volatile uint32_t * bins, const uint32_t * items,
    uint32_t n_items, uint32_t n_bins)
{
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < n_items) {
    const uint32_t bin = items[i] % n_bins;
    const uint32_t count = bins[bin];

    bins[bin] = count + 1;
  }
}
