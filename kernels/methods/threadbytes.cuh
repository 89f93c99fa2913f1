/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table of bytes per thread in shared memory, in one of three layouts.
 * Threads never share a counter; the layouts differ in bank conflicts. Before a
 * byte can overflow, the block adds the bytes up: a thread always adds the same
 * four bins, in registers. */
#pragma once

#include "../share.cuh"

#define VH_OWN_BINS 4           /* bins that a thread adds up */

/* Adds the four bytes of @word to four 16-bit sums, two per word. */
static __device__ __forceinline__ void
vh_add_bytes (uint32_t word, uint32_t & even, uint32_t & odd)
{
  even += word & 0xff00ff;
  odd += word >> 8 & 0xff00ff;
}

/* Moves the counts in one word of each thread, for four bins, to @sums. The
 * word of thread i is at @first + i * @step. Adds up all threads, starting with
 * thread @start and wrapping around. */
static __device__ __forceinline__ void
vh_take_words (uint32_t * first, uint32_t step, uint32_t start,
    uint32_t sums[VH_OWN_BINS])
{
  uint32_t even = 0, odd = 0;   /* 64 * 255 < 2^16 */

  for (uint32_t i = 0; i < VH_KERNEL_BYTE_THREADS; i++) {
    uint32_t *word = first + (start + i) % VH_KERNEL_BYTE_THREADS * step;

    vh_add_bytes (*word, even, odd);
    *word = 0;
  }
  sums[0] += even & 0xffff;
  sums[1] += odd & 0xffff;
  sums[2] += even >> 16;
  sums[3] += odd >> 16;
}

template <class Bytes>
static __device__ __forceinline__ void
vh_count_in_bytes (const VhKernelParams & p)
{
  const VhShare share (p);
  const Bytes bytes (p.bins);
  uint32_t sums[VH_OWN_BINS] = {0, 0, 0, 0};

  vh_clear (bytes.table, bytes.all_words ());
  vh_with_samples (p, share, [&] (auto samples) {
    vh_each_round (samples, UINT8_MAX,
        [&] (uint32_t bin, bool there) {
          if (there)
            bytes.add (bin);
        },
        [&] {
          __syncthreads ();
          bytes.take (sums);
          __syncthreads ();
        });
  });
#pragma unroll
  for (uint32_t i = 0; i < VH_OWN_BINS; i++) {
    if (sums[i])
      atomicAdd (share.accumulators + bytes.bin (i), sums[i]);
  }
  vh_deliver_all (p);
}
