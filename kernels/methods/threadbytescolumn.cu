/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table of bytes per thread, column after column. */
#include "threadbytes.cuh"

/* Column after column: the bytes of a bin are adjacent. */
struct VhColumnBytes
{
  uint32_t *table;
  uint32_t bins;
  uint8_t *own;

  __device__ __forceinline__
  VhColumnBytes (uint32_t bins)
  : table ((uint32_t *) vh_shared), bins (bins),
    own ((uint8_t *) table + threadIdx.x)
  {
  }

  __device__ __forceinline__ uint32_t
  all_words () const
  {
    return bins * (VH_KERNEL_BYTE_THREADS / 4);
  }

  __device__ __forceinline__ void
  add (uint32_t bin) const
  {
    own[bin * VH_KERNEL_BYTE_THREADS]++;
  }

  __device__ __forceinline__ uint32_t
  bin (uint32_t i) const
  {
    return i * VH_KERNEL_BYTE_THREADS + threadIdx.x;
  }

  /* The words of two neighbouring bins fill the 32 banks. To avoid conflicts
   * between lanes, each pair of bins starts with a different
   * word. */
  __device__ __forceinline__ void
  take (uint32_t sums[VH_OWN_BINS]) const
  {
#pragma unroll
    for (uint32_t b = 0; b < VH_OWN_BINS; b++) {
      uint32_t even = 0, odd = 0;

      if (bin (b) >= bins)
        break;
      for (uint32_t i = 0; i < VH_KERNEL_BYTE_THREADS / 4; i++) {
        uint32_t *word = table + bin (b) * (VH_KERNEL_BYTE_THREADS / 4) +
            (i + threadIdx.x / 2) % (VH_KERNEL_BYTE_THREADS / 4);

        vh_add_bytes (*word, even, odd);
        *word = 0;
      }
      even += odd;
      sums[b] += (even & 0xffff) + (even >> 16);
    }
  }
};

extern "C" __global__ void
__launch_bounds__ (VH_KERNEL_BYTE_THREADS)
vh_thread_bytes_column (const __grid_constant__ VhKernelParams p)
{
  vh_count_in_bytes<VhColumnBytes> (p);
}
