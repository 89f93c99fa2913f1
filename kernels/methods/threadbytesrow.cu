/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table of bytes per thread, row after row. */
#include "threadbytes.cuh"

/* Row after row: the bytes of a thread are adjacent. */
struct VhRowBytes
{
  uint32_t *table;
  uint32_t words;               /* per thread */
  uint8_t *own;

  __device__ __forceinline__
  VhRowBytes (uint32_t bins)
  : table ((uint32_t *) vh_shared), words ((bins + 3) / 4),
    own ((uint8_t *) (table + threadIdx.x * words))
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
    own[bin]++;
  }

  /* The @i th of the bins that this thread adds up. */
  __device__ __forceinline__ uint32_t
  bin (uint32_t i) const
  {
    return threadIdx.x * VH_OWN_BINS + i;
  }

  __device__ __forceinline__ void
  take (uint32_t sums[VH_OWN_BINS]) const
  {
    if (threadIdx.x < words)
      vh_take_words (table + threadIdx.x, words, 0, sums);
  }
};

extern "C" __global__ void
__launch_bounds__ (VH_KERNEL_BYTE_THREADS)
vh_thread_bytes_row (const __grid_constant__ VhKernelParams p)
{
  vh_count_in_bytes<VhRowBytes> (p);
}
