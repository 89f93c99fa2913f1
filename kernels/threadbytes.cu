/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table of bytes per thread in shared memory, in one of three layouts. No
 * thread ever meets another; what differs is which banks they meet in. Before a
 * byte can overflow the block adds them up: a thread always the same four bins,
 * in registers. */
#include "share.cuh"

#define VH_OWN_BINS 4           /* that a thread adds up */

/* The four bytes of @word, two and two, each pair added to 16 bits of their
 * own. */
static __device__ __forceinline__ void
vh_add_bytes (uint32_t word, uint32_t & even, uint32_t & odd)
{
  even += word & 0xff00ff;
  odd += word >> 8 & 0xff00ff;
}

/* Moves the counts in one word of each thread, of four bins, to @sums. Thread i
 * has it at @first + i * @step; the first one taken is that of @start. */
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

/* Row after row: the bytes of a thread lie together. */
struct VhRowBytes
{
  uint32_t *table;
  uint32_t words;               /* of a thread */
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

/* Column after column: the bytes of a bin lie together. */
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

  /* The words of two neighbouring bins fill the 32 banks. So that no lanes
   * meet, those of every two bins begin with another word. */
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

/* Columns of words, each with the bytes of four bins of one thread. */
struct VhPackedBytes
{
  uint32_t *table;
  uint32_t words;               /* of a thread */

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

  /* Each thread goes along a row, so all must begin at another word. */
  __device__ __forceinline__ void
  take (uint32_t sums[VH_OWN_BINS]) const
  {
    if (threadIdx.x < words) {
      vh_take_words (table + threadIdx.x * VH_KERNEL_BYTE_THREADS, 1,
          threadIdx.x, sums);
    }
  }
};

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

extern "C" __global__ void
__launch_bounds__ (VH_KERNEL_BYTE_THREADS)
vh_thread_bytes_row (const __grid_constant__ VhKernelParams p)
{
  vh_count_in_bytes<VhRowBytes> (p);
}

extern "C" __global__ void
__launch_bounds__ (VH_KERNEL_BYTE_THREADS)
vh_thread_bytes_column (const __grid_constant__ VhKernelParams p)
{
  vh_count_in_bytes<VhColumnBytes> (p);
}

extern "C" __global__ void
__launch_bounds__ (VH_KERNEL_BYTE_THREADS)
vh_thread_bytes_packed (const __grid_constant__ VhKernelParams p)
{
  vh_count_in_bytes<VhPackedBytes> (p);
}
