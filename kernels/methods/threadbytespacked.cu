/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table of bytes per thread, in columns of words. */
#include "threadbytes.cuh"

/* Columns of words, each with the bytes of four bins of one thread. */
struct VhPackedBytes
{
  uint32_t *table;
  uint32_t words;               /* per thread */

  __device__ __forceinline__
  VhPackedBytes (uint32_t bins)
  : table ((uint32_t *) vh_shared), words ((bins + 3) / 4)
  {
  }

  __device__ __forceinline__ uint32_t
  all_words () const
  {
    return words * VH_KERNEL_BYTE_THREADS;
  }

  __device__ __forceinline__ void
  add (uint32_t bin) const
  {
    table[bin / 4 * VH_KERNEL_BYTE_THREADS + threadIdx.x] +=
        1u << 8 * (bin % 4);
  }

  __device__ __forceinline__ uint32_t
  bin (uint32_t i) const
  {
    return threadIdx.x * VH_OWN_BINS + i;
  }

  /* Each thread adds up a row. To avoid bank conflicts, each starts at a
   * different word. */
  __device__ __forceinline__ void
  take (uint32_t sums[VH_OWN_BINS]) const
  {
    if (threadIdx.x < words) {
      vh_take_words (table + threadIdx.x * VH_KERNEL_BYTE_THREADS, 1,
          threadIdx.x, sums);
    }
  }
};

extern "C" __global__ void
__launch_bounds__ (VH_KERNEL_BYTE_THREADS)
vh_thread_bytes_packed (const __grid_constant__ VhKernelParams p)
{
  vh_count_in_bytes<VhPackedBytes> (p);
}
