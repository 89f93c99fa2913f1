/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several copies of each counter in a block's shared memory, next to each
 * other, as many as fit; a lane uses its own. */
#pragma once

#include "slices.cuh"

/* UpperBits and Scaled find the counter of a sample: offset() returns the
 * counter's offset in the table, in bytes. @word may hold the words of several
 * samples; the word of this sample starts at bit @at. */

static __device__ __forceinline__ uint32_t
log2_of (uint32_t n)
{
  return 31 - __clz (n);
}

/* Bits of an offset that select the copy of a counter. */
static __device__ __forceinline__ uint32_t
copy_bits (const VhKernelParams & p)
{
  return log2_of (p.copies * sizeof (uint32_t));
}

static __device__ __forceinline__ uint32_t
copy_offset (const VhKernelParams & p)
{
  return (threadIdx.x & (p.copies - 1)) * sizeof (uint32_t);
}

/* Bins that are the upper bits of a sample. The rotation moves these above
 * the bits of the copy, which takes one shift and one three-input logic
 * operation. */
struct UpperBits
{
  uint32_t turn, mask, copy;

  __device__ __forceinline__
  UpperBits (const VhKernelParams & p, const VhKernelComponent & c)
  : turn (c.shift + p.depth - log2_of (p.bins) - copy_bits (p)),
    mask ((p.bins - 1) << copy_bits (p)), copy (copy_offset (p))
  {
  }

  __device__ __forceinline__ uint32_t
  offset (uint32_t word, uint32_t at) const
  {
    return (__funnelshift_r (word, word, turn + at) & mask) | copy;
  }
};

/* Any number of bins up to the number of code values: the word is scaled so
 * that the bin starts at bit 16. A 16-bit word times 2^16 has 32 bits. */
struct Scaled
{
  uint32_t sample_mask, factor, down, mask, copy;

  __device__ __forceinline__
  Scaled (const VhKernelParams & p, const VhKernelComponent & c)
  : sample_mask (((1u << p.depth) - 1) << c.shift),
    factor (p.bins << (16 - p.depth - c.shift)), down (16 - copy_bits (p)),
    mask (~0u << copy_bits (p)), copy (copy_offset (p))
  {
  }

  __device__ __forceinline__ uint32_t
  offset (uint32_t word, uint32_t at) const
  {
    return ((((word >> at) & sample_mask) * factor >> down) & mask) | copy;
  }
};

/* The results of a channel in a cell, for vh_add(), vh_add_pair() or, one by
 * one, vh_add_slices(). */
struct Copies
{
  const VhKernelParams & p;
  const uint32_t *table;        /* [bin][copy] */
  uint64_t first;               /* index of the first result */
  uint32_t *accumulators;

  typedef uint32_t Value;
  static const uint32_t in_flight = 4;

  /* The sum of the copies. Lanes with neighbouring bins start in different
   * copies, which avoids bank conflicts. */
  __device__ __forceinline__ uint32_t
  count (uint32_t bin) const
  {
    const uint32_t start = bin * p.copies / VH_WARP;
    uint32_t sum = 0;

    for (uint32_t i = 0; i < p.copies; i++)
      sum += table[bin * p.copies + ((start + i) & (p.copies - 1))];
    return sum;
  }

  __device__ __forceinline__ void
  add (uint32_t bin) const
  {
    const uint32_t n = count (bin);

    if (n)
      atomicAdd (accumulators + bin, n);
  }

  __device__ __forceinline__ Value
  take (uint32_t bin) const
  {
    return __ldcg (accumulators + bin);
  }

  __device__ __forceinline__ void
  put (uint32_t bin, Value n) const
  {
    accumulators[bin] = 0;
    vh_deliver (p, first + bin, n);
  }
};

/* The same for vh_add_slices(), in units of two neighbours that share 8
 * bytes. */
struct PairsOfCopies
{
  const Copies copies;

  typedef uint2 Value;
  static const uint32_t in_flight = 2;

  __device__ __forceinline__ unsigned long long *
  accumulator (uint32_t unit) const
  {
    return (unsigned long long *) (copies.accumulators + 2 * unit);
  }

  __device__ __forceinline__ void
  add (uint32_t unit) const
  {
    const uint32_t even = copies.count (2 * unit);
    const uint32_t odd = copies.count (2 * unit + 1);

    if (even | odd)
      atomicAdd (accumulator (unit), (unsigned long long) odd << 32 | even);
  }

  __device__ __forceinline__ Value
  take (uint32_t unit) const
  {
    return __ldcg ((const uint2 *) accumulator (unit));
  }

  __device__ __forceinline__ void
  put (uint32_t unit, const Value & n) const
  {
    *accumulator (unit) = 0;
    vh_deliver_pair (copies.p, copies.first + 2 * unit, n);
  }
};

/* Adds @table to the sums of all blocks. First waits for the previous launch,
 * which may still be using these sums. */
static __device__ __forceinline__ void
add_copies (const VhKernelParams & p, const VhShare & share,
    const uint32_t * table)
{
  const Copies copies = {p, table,
    vh_first_result (p, share.channel, share.cell.index), share.accumulators};

  vh_wait_for_previous ();
  if (p.merge == VH_MERGE_PAIRS) {
    __syncthreads ();
    for (uint32_t first = 0; first < p.bins; first += blockDim.x) {
      const uint32_t bin = first + threadIdx.x;
      const uint32_t count = bin < p.bins ? copies.count (bin) : 0;
      const uint32_t next = __shfl_down_sync (VH_ALL_LANES, count, 1);

      if (bin < p.bins && bin % 2 == 0)
        vh_add_pair (p, copies.first + bin, make_uint2 (count, next));
    }
  } else if (p.merge == VH_MERGE_ARRIVALS) {
    __syncthreads ();
    for (uint32_t bin = threadIdx.x; bin < p.bins; bin += blockDim.x)
      vh_add (p, copies.first + bin, copies.count (bin));
  } else if (p.bins % 2 == 0) {
    vh_add_slices (PairsOfCopies {copies}, p.bins / 2,
        share.accumulators + p.n_results);
  } else {
    vh_add_slices (copies, p.bins, share.accumulators + p.n_results);
  }
}
