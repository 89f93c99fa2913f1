/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several copies of each counter in a block's shared memory, next to each
 * other, as many as fit; a lane uses its own. Samples in planes are read in
 * vectors, with one channel per block. Channels of other layouts, and those
 * that are computed, are read pixel by pixel, all channels of a pixel at once
 * if there is room. If not even one copy fits, counting goes to global
 * memory. */
#include "slices.cuh"

/* Where a sample is counted: offset() is that of its counter in the table, in
 * bytes. @at is the number of bits of @word below the sample's own word. */

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

/* Bins are the upper bits of a sample. The rotation moves these above the bits
 * of the copy, which takes one shift and one three-input logic operation. */
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

/* Any number of bins up to that of code values: scaled so that the bin starts
 * at bit 16. A word of 16 bits times 2^16 has 32 bits. */
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

/* The results of a channel in a cell, for vh_add(), for vh_add_pair(), or for
 * vh_add_slices() one by one. */
struct Copies
{
  const VhKernelParams & p;
  const uint32_t *table;        /* [bin][copy] */
  uint64_t first;               /* result */
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

/* The same for vh_add_slices() in units of two neighbours, where both share 8
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

/* Adds @table to the sums of the other blocks, which the previous launch may
 * still be using. */
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

template <class Sample, class Counter>
static __device__ __forceinline__ void
count_plane (const VhKernelParams & p, const VhShare & share,
    const VhKernelComponent & c, const Counter counter)
{
  const uint32_t bytes = sizeof (Sample);
  auto count = [&] (uint32_t word, uint32_t at) {
    atomicAdd ((uint32_t *) ((char *) vh_shared + counter.offset (word, at)),
        1u);
  };

  vh_each_vector<bytes, 1> ((const uint8_t *) c.data + share.cell.y * c.stride +
      share.cell.x * bytes, c.stride, share.cell.width, share.cell.height,
      [&] {
        vh_clear_shared (p.bins * p.copies);
      },
      [&] (const uint4 * v) {
        const uint32_t word[4] = {v->x, v->y, v->z, v->w};

#pragma unroll
        for (uint32_t i = 0; i < 16; i += bytes)
          count (word[i / 4], 8 * (i % 4));
      },
      [&] (const uint8_t * sample) {
        count (*(const Sample *) sample, 0);
      });
}

/* Samples in planes: blockIdx.y is a channel among those counted, blockIdx.z a
 * cell. Channels are components as they are. */
template <class Sample>
static __device__ __forceinline__ void
count_share (const VhKernelParams & p)
{
  const VhShare share (p);
  const VhKernelComponent & c =
      p.component[share.channel == 0 ? 0 : share.channel - 1];

  vh_begin (p);
  if ((p.bins & (p.bins - 1)) == 0)
    count_plane<Sample> (p, share, c, UpperBits (p, c));
  else
    count_plane<Sample> (p, share, c, Scaled (p, c));
  add_copies (p, share, (const uint32_t *) vh_shared);
}

extern "C" __global__ void
__launch_bounds__ (VH_THREADS, 2)
vh_replicated_bytes (const __grid_constant__ VhKernelParams p)
{
  count_share<uint8_t> (p);
}

extern "C" __global__ void
__launch_bounds__ (VH_THREADS, 2)
vh_replicated_words (const __grid_constant__ VhKernelParams p)
{
  count_share<uint16_t> (p);
}

/* Any pixels, in turns: blockIdx.z is a cell, and unless one block counts all
 * channels, blockIdx.y is the channel. */
extern "C" __global__ void
__launch_bounds__ (1024, 1)
vh_replicated_pixels (const __grid_constant__ VhKernelParams p)
{
  VhShare share (p);
  const uint32_t channels = gridDim.y > 1 ? 1u << share.channel : p.channels;
  const uint32_t copy = threadIdx.x & (p.copies - 1);
  uint32_t *table = (uint32_t *) vh_shared;

  vh_begin (p);
  if (p.copies == 0)
    vh_wait_for_previous ();
  vh_clear_shared (__popc (channels) * p.bins * p.copies);
  for (VhPlace place (share.cell.width, share.cell.height, vh_thread (),
          vh_threads ()); !place.done (); place.next ()) {
    uint32_t value[VH_KERNEL_CHANNELS], index = 0;

    vh_load_pixel (p, channels, share.cell.x + place.x, share.cell.y + place.y,
        value);
#pragma unroll
    for (uint32_t c = 0; c < VH_KERNEL_CHANNELS; c++) {
      if (channels & (1u << c)) {
        const uint32_t bin = vh_bin (p, value[c]);

        if (p.copies) {
          atomicAdd (table + (index * p.bins + bin) * p.copies + copy, 1u);
        } else {
          atomicAdd (vh_accumulators (p, c, share.cell.index) + bin, 1u);
        }
        index++;
      }
    }
  }

  for (uint32_t c = 0; c < VH_KERNEL_CHANNELS; c++) {
    if (channels & (1u << c)) {
      share.channel = c;
      share.accumulators = vh_accumulators (p, c, share.cell.index);
      add_copies (p, share, table);
      table += p.bins * p.copies;
    }
  }
}
