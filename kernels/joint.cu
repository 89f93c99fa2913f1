/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Joint histograms of two values for each pixel, in bins x bins counters. A
 * block counts in a table of its own in shared memory, with two counters of 16
 * bits in each word: 128 KiB for 256 x 256. It gets less than 2^16 pixels, so
 * that none overflows, and most of its counters stay 0: only the others are
 * added to those of all blocks. Where no table fits, counting goes to global
 * memory. */
#include "share.cuh"

/* A block's counters of pairs of bins. */
struct VhPairTable
{
  const VhJointParams & p;

  __device__ __forceinline__
  VhPairTable (const VhJointParams & p)
  : p (p)
  {
  }

  __device__ __forceinline__ uint32_t *
  words () const
  {
    return (uint32_t *) vh_shared;
  }

  __device__ __forceinline__ void
  clear () const
  {
    if (p.packed)
      vh_clear (words (), (p.frame.n_results + 1) / 2);
  }

  __device__ __forceinline__ void
  add (uint32_t pair) const
  {
    if (p.packed)
      atomicAdd (words () + pair / 2, pair % 2 ? 1u << 16 : 1u);
    else
      atomicAdd ((uint32_t *) p.frame.accumulators + pair, 1u);
  }

  /* Adds the table to what all blocks have. */
  __device__ __forceinline__ void
  merge () const
  {
    uint32_t *accumulators = (uint32_t *) p.frame.accumulators;

    __syncthreads ();
    if (!p.packed)
      return;
    for (uint32_t i = threadIdx.x; i < (p.frame.n_results + 1) / 2;
        i += blockDim.x) {
      const uint32_t word = words ()[i];

      if (word & 0xffff)
        atomicAdd (accumulators + 2 * i, word & 0xffff);
      if (word >> 16)
        atomicAdd (accumulators + 2 * i + 1, word >> 16);
    }
  }
};

/* U and V of a chroma sample. */
struct VhChroma
{
  const VhJointParams & p;

  __device__ __forceinline__ uint32_t
  pair (uint32_t x, uint32_t y) const
  {
    const uint32_t u = vh_load_sample (p.frame, p.frame.component[1],
        p.frame.x + x, p.frame.y + y);
    const uint32_t v = vh_load_sample (p.frame, p.frame.component[2],
        p.frame.x + x, p.frame.y + y);

    return vh_bin (p.frame, u) * p.frame.bins + vh_bin (p.frame, v);
  }
};

/* Luma of a frame, which is kept in bins where that is wanted. */
struct VhLumaBins
{
  const VhJointParams & p;

  __device__ __forceinline__ uint64_t
  place (uint32_t x, uint32_t y) const
  {
    return (uint64_t) y * p.frame.width + x;
  }

  __device__ __forceinline__ uint32_t
  bin (uint32_t x, uint32_t y) const
  {
    uint32_t value[VH_KERNEL_CHANNELS];

    vh_load_pixel (p.frame, 1, p.frame.x + x, p.frame.y + y, value);
    return vh_bin (p.frame, value[0]);
  }

  __device__ __forceinline__ void
  keep (uint32_t x, uint32_t y, uint32_t bin) const
  {
    ((uint8_t *) p.keep)[place (x, y)] = bin;
  }

  /* What is kept may take the place of what it is counted against: a thread has
   * both of a pixel. */
  __device__ __forceinline__ uint32_t
  pair (uint32_t x, uint32_t y) const
  {
    const uint32_t a = ((const uint8_t *) p.against)[place (x, y)];
    const uint32_t b = bin (x, y);

    if (p.keep)
      keep (x, y, b);
    return a * p.frame.bins + b;
  }
};

/* Neighbouring threads take neighbouring pixels, and so they do of blocks: a
 * block has at most as many as its threads have turns. */
template <class Visit>
static __device__ __forceinline__ void
vh_each_pair (const VhJointParams & p, Visit visit)
{
  for (VhPlace place (p.frame.width, p.frame.height, vh_thread (),
          vh_threads ()); !place.done (); place.next ())
    visit (place.x, place.y);
}

template <class Pairs>
static __device__ __forceinline__ void
vh_count_pairs (const VhJointParams & p, const Pairs & pairs)
{
  const VhPairTable table (p);

  table.clear ();
  vh_each_pair (p, [&] (uint32_t x, uint32_t y) {
    table.add (pairs.pair (x, y));
  });
  table.merge ();
  vh_deliver_all (p.frame);
}

extern "C" __global__ void
__launch_bounds__ (1024)
vh_joint_chroma (const __grid_constant__ VhJointParams p)
{
  vh_count_pairs (p, VhChroma {p});
}

extern "C" __global__ void
__launch_bounds__ (1024)
vh_joint_luma (const __grid_constant__ VhJointParams p)
{
  vh_count_pairs (p, VhLumaBins {p});
}

/* Only keeps luma, for the next frame. */
extern "C" __global__ void
__launch_bounds__ (1024)
vh_joint_keep (const __grid_constant__ VhJointParams p)
{
  const VhLumaBins luma {p};

  vh_each_pair (p, [&] (uint32_t x, uint32_t y) {
    luma.keep (x, y, luma.bin (x, y));
  });
}
