/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Joint histograms of two values for each pixel, in bins x bins counters. A
 * block counts in a table of its own in shared memory, with two counters of 16
 * bits in each word: 128 KiB for 256 x 256. A block gets fewer than 2^16
 * pixels, so that no counter overflows. Words that are not 0 are added to those
 * of all blocks, both counters at once. Where no table fits, counting goes to
 * global memory.
 *
 * In a flat picture all lanes of a warp have the same pair and would contend
 * for its counter. So the first lane adds its pair for all lanes that have it
 * too. */
#include "slices.cuh"

/* A block's counters of pairs of bins. */
struct VhPairTable
{
  const VhJointParams & p;

  __device__ __forceinline__ uint32_t *
  words () const
  {
    return (uint32_t *) vh_shared;
  }

  __device__ __forceinline__ uint32_t
  n_words () const
  {
    return (p.frame.n_results + 1) / 2;
  }

  __device__ __forceinline__ void
  clear () const
  {
    if (p.packed)
      vh_clear_shared (n_words ());
  }

  __device__ __forceinline__ void
  add_count (uint32_t pair, uint32_t count) const
  {
    if (p.packed)
      atomicAdd (words () + pair / 2, pair % 2 ? count << 16 : count);
    else
      atomicAdd ((uint32_t *) p.frame.accumulators + pair, count);
  }

  /* Counts the pair of each lane that has one (@in). Must be called by all
   * lanes of a warp; the first lane has a pair if any has. */
  __device__ __forceinline__ void
  add (uint32_t pair, bool in) const
  {
    const uint32_t first = __shfl_sync (VH_ALL_LANES, pair, 0);
    const uint32_t same = __ballot_sync (VH_ALL_LANES, in && pair == first);

    if (in && pair != first)
      add_count (pair, 1);
    else if (in && vh_lane () == 0)
      add_count (pair, __popc (same));
  }

  /* Results for vh_add_slices(), in units of a word. */
  typedef uint2 Value;

  __device__ __forceinline__ uint32_t *
  accumulator (uint32_t unit) const
  {
    return (uint32_t *) p.frame.accumulators + 2 * unit;
  }

  /* Of an odd number of results the last word has a counter that stays 0. */
  __device__ __forceinline__ void
  add (uint32_t unit) const
  {
    const uint32_t word = words ()[unit];

    if (word) {
      atomicAdd ((unsigned long long *) accumulator (unit),
          (unsigned long long) (word >> 16) << 32 | (word & 0xffff));
    }
  }

  __device__ __forceinline__ bool
  is_pair (uint32_t unit) const
  {
    return 2 * unit + 1 < p.frame.n_results;
  }

  __device__ __forceinline__ Value
  take (uint32_t unit) const
  {
    if (is_pair (unit))
      return __ldcg ((const uint2 *) accumulator (unit));
    return make_uint2 (__ldcg (accumulator (unit)), 0);
  }

  __device__ __forceinline__ void
  put (uint32_t unit, const Value & count) const
  {
    if (is_pair (unit)) {
      *(uint2 *) accumulator (unit) = make_uint2 (0, 0);
      vh_deliver_pair (p.frame, 2 * (uint64_t) unit, count);
    } else {
      *accumulator (unit) = 0;
      vh_deliver (p.frame, 2 * (uint64_t) unit, count.x);
    }
  }

  /* Adds the table to what all blocks have, and delivers. */
  __device__ __forceinline__ void
  merge () const
  {
    if (p.packed) {
      vh_add_slices (p.frame, *this, n_words (),
          (uint32_t *) p.frame.accumulators);
    } else {
      vh_deliver_all (p.frame);
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

  /* Of bytes. */
  __device__ __forceinline__ uint32_t
  first_bin (uint32_t u) const
  {
    return vh_bin (p.frame, u);
  }

  __device__ __forceinline__ void
  keep (uint64_t, const uint4 &) const
  {
  }
};

/* Luma of a frame, which is kept in bins if requested. */
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

  /* The kept luma may overwrite what it is counted against: a thread has both
   * values of a pixel. */
  __device__ __forceinline__ uint32_t
  pair (uint32_t x, uint32_t y) const
  {
    const uint32_t a = ((const uint8_t *) p.against)[place (x, y)];
    const uint32_t b = bin (x, y);

    if (p.keep)
      keep (x, y, b);
    return a * p.frame.bins + b;
  }

  __device__ __forceinline__ uint32_t
  first_bin (uint32_t a) const
  {
    return a;
  }

  /* The bins of vector @n of the plane, in which rows are whole vectors. */
  __device__ __forceinline__ void
  keep (uint64_t n, const uint4 & bins) const
  {
    if (p.keep)
      ((uint4 *) p.keep)[n] = bins;
  }
};

/* Byte @i of a vector. */
static __device__ __forceinline__ uint32_t
vh_byte (const uint4 & v, uint32_t i)
{
  const uint32_t word = i < 4 ? v.x : i < 8 ? v.y : i < 12 ? v.z : v.w;

  return (word >> (8 * (i % 4))) & 0xff;
}

/* Four bytes that become their bins. */
static __device__ __forceinline__ uint32_t
vh_bins_of_word (const VhJointParams & p, uint32_t word)
{
  uint32_t bins = 0;

#pragma unroll
  for (uint32_t i = 0; i < 4; i++)
    bins |= vh_bin (p.frame, (word >> (8 * i)) & 0xff) << (8 * i);
  return bins;
}

static __device__ __forceinline__ uint4
vh_bins_of_vector (const VhJointParams & p, const uint4 & v)
{
  if (p.frame.bins == 256)
    return v;
  return make_uint4 (vh_bins_of_word (p, v.x), vh_bins_of_word (p, v.y),
      vh_bins_of_word (p, v.z), vh_bins_of_word (p, v.w));
}

/* Goes over the vectors of this block, in rounds of all its threads: @load
 * loads one, and @count is called with it and with whether there was one for
 * this thread. The next load is in flight while one vector is counted, and the
 * first while @ready prepares the table. Blocks have runs of neighbouring
 * vectors, all of the same length but one. */
template <class Ready, class Load, class Count>
static __device__ __forceinline__ void
vh_each_of_block (uint32_t vectors, Ready ready, Load load, Count count)
{
  const uint32_t first = (uint32_t) ((uint64_t) vectors * blockIdx.x /
      gridDim.x);
  const uint32_t end = (uint32_t) ((uint64_t) vectors * (blockIdx.x + 1) /
      gridDim.x);
  uint32_t n = first + threadIdx.x;
  decltype (load (n)) vector = { }, next = { };

  if (n < end)
    vector = load (n);
  ready ();
  for (uint32_t turn = first; turn < end; turn += blockDim.x) {
    if (n + blockDim.x < end)
      next = load (n + blockDim.x);
    count (vector, n, n < end);
    vector = next;
    n += blockDim.x;
  }
}

static __device__ __forceinline__ uint4
vh_pair_vector (uint64_t data, uint64_t stride, const VhJointParams & p,
    uint32_t n)
{
  const uint32_t y = n / p.row_vectors;

  return ((const uint4 *) (data + y * stride))[n - y * p.row_vectors];
}

/* Sixteen samples of each of two planes. */
struct VhTwoVectors
{
  uint4 a, b;
};

/* Counts the pairs of two planes of bytes. */
template <class Pairs>
static __device__ __forceinline__ void
vh_count_planes (const VhJointParams & p, const Pairs & pairs,
    const VhPairTable & table)
{
  vh_each_of_block (p.row_vectors * p.frame.height,
      [&] { table.clear (); },
      [&] (uint32_t n) {
        return VhTwoVectors {vh_pair_vector (p.a, p.a_stride, p, n),
          vh_pair_vector (p.b, p.b_stride, p, n)};
      },
      [&] (const VhTwoVectors & v, uint32_t n, bool in) {
        const uint4 b = vh_bins_of_vector (p, v.b);

        if (in)
          pairs.keep (n, b);
#pragma unroll
        for (uint32_t i = 0; i < 16; i++) {
          table.add (pairs.first_bin (vh_byte (v.a, i)) * p.frame.bins +
              vh_byte (b, i), in);
        }
      });
}

/* Counts the pairs of one plane of interleaved bytes. */
static __device__ __forceinline__ void
vh_count_interleaved (const VhJointParams & p, const VhPairTable & table)
{
  const uint32_t swap = p.samples == VH_PAIRS_SWAPPED;

  vh_each_of_block (p.row_vectors * p.frame.height,
      [&] { table.clear (); },
      [&] (uint32_t n) {
        return vh_pair_vector (p.a, p.a_stride, p, n);
      },
      [&] (const uint4 & vector, uint32_t, bool in) {
        const uint4 v = vh_bins_of_vector (p, vector);

#pragma unroll
        for (uint32_t i = 0; i < 16; i += 2) {
          const uint32_t first = vh_byte (v, i), second = vh_byte (v, i + 1);

          table.add (swap ? second * p.frame.bins + first :
              first * p.frame.bins + second, in);
        }
      });
}

/* Any other pairs. Neighbouring threads take neighbouring pixels, across blocks
 * too: a block has at most as many pixels as its threads have turns. */
template <class Pairs>
static __device__ __forceinline__ void
vh_count_pixels (const VhJointParams & p, const Pairs & pairs,
    const VhPairTable & table)
{
  VhPlace place (p.frame.width, p.frame.height, vh_thread (), vh_threads ());

  table.clear ();
  while (__any_sync (VH_ALL_LANES, !place.done ())) {
    const bool in = !place.done ();

    table.add (in ? pairs.pair (place.x, place.y) : 0, in);
    if (in)
      place.next ();
  }
}

extern "C" __global__ void
__launch_bounds__ (1024)
vh_joint_chroma (const __grid_constant__ VhJointParams p)
{
  const VhPairTable table = {p};

  if (p.samples == VH_PAIRS_PLANES)
    vh_count_planes (p, VhChroma {p}, table);
  else if (p.samples != VH_PAIRS_ANY)
    vh_count_interleaved (p, table);
  else
    vh_count_pixels (p, VhChroma {p}, table);
  table.merge ();
}

extern "C" __global__ void
__launch_bounds__ (1024)
vh_joint_luma (const __grid_constant__ VhJointParams p)
{
  const VhPairTable table = {p};

  if (p.samples == VH_PAIRS_PLANES)
    vh_count_planes (p, VhLumaBins {p}, table);
  else
    vh_count_pixels (p, VhLumaBins {p}, table);
  table.merge ();
}

/* Keeps luma for the next frame, and counts nothing. */
extern "C" __global__ void
__launch_bounds__ (1024)
vh_joint_keep (const __grid_constant__ VhJointParams p)
{
  const VhLumaBins luma {p};

  if (p.samples == VH_PAIRS_PLANES) {
    vh_each_of_block (p.row_vectors * p.frame.height,
        [] {},
        [&] (uint32_t n) {
          return vh_pair_vector (p.b, p.b_stride, p, n);
        },
        [&] (const uint4 & v, uint32_t n, bool in) {
          if (in)
            luma.keep (n, vh_bins_of_vector (p, v));
        });
    return;
  }
  for (VhPlace place (p.frame.width, p.frame.height, vh_thread (),
          vh_threads ()); !place.done (); place.next ())
    luma.keep (place.x, place.y, luma.bin (place.x, place.y));
}
