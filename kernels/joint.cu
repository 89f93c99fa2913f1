/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts joint histograms of two values per pixel, in bins x bins counters. A
 * block counts in its own table in shared memory. If not all counters fit
 * there, they are split into windows; different blocks count these, and each
 * reads the whole frame. If lanes share a counter, the hardware combines
 * additions of 1 whose result is not used, so a flat picture takes no longer
 * than noise.
 *
 * Adding up the blocks' tables in global memory takes longer than counting.
 * Therefore four neighbouring counts are added at once, in 16 bits each, if
 * they are so small that the sums of all blocks fit. A block cannot have many
 * larger counts; they are added one by one elsewhere. */
#include "pairs.cuh"
#include "slices.cuh"

/* A block's counters of the pairs of its window, blockIdx.y. */
struct VhPairTable
{
  const VhJointParams & p;
  const uint32_t first;         /* first pair of the window */
  const uint32_t n;             /* number of pairs */

  __device__ __forceinline__
  VhPairTable (const VhJointParams & p)
  : p (p), first (blockIdx.y * p.frame.window),
    n (min (p.frame.window, p.frame.n_results - first))
  {
  }

  __device__ __forceinline__ void
  clear () const
  {
    vh_clear_shared (p.frame.window);
  }

  /* Puts pairs with the same second value, and pairs of two equal values, into
   * different banks. For that, the order within each 32 pairs is changed, but
   * every two neighbours stay together. */
  static __device__ __forceinline__ uint32_t
  place (uint32_t pair)
  {
    return pair ^ (pair >> 7 & 0x1e);
  }

  /* The same for two 16-bit pairs. */
  static __device__ __forceinline__ uint32_t
  places (uint32_t pairs)
  {
    return pairs ^ (pairs >> 7 & 0x1e001e);
  }

  /* Counts the pair at place @at of the window. Pairs of other windows go to
   * unused words after the window, up to one per lane, because a branch would
   * take longer. */
  __device__ __forceinline__ void
  count_at (uint32_t at) const
  {
    atomicAdd ((uint32_t *) vh_shared + min (at, p.frame.window + vh_lane ()),
        1u);
  }

  __device__ __forceinline__ void
  count (uint32_t pair) const
  {
    count_at (place (pair) - first);
  }

  /* Whether count_two() can be called. */
  __device__ __forceinline__ bool
  takes_two () const
  {
    return p.frame.bins == 256 && p.frame.window == 0x8000;
  }

  /* Counts two pairs of 8 bits each. Pairs of the other window have a different
   * upper bit. */
  __device__ __forceinline__ void
  count_two (uint32_t pairs) const
  {
    const uint32_t at = places (pairs) ^ (blockIdx.y ? 0x80008000 : 0);

    count_at (at & 0xffff);
    count_at (at >> 16);
  }

  /* Results for vh_add_slices(), in units of four. Results beyond the end in
   * the last unit are 0. */
  struct Value
  {
    uint2 few;
    uint4 many;
  };
  static const uint32_t in_flight = 4;

  __device__ __forceinline__ uint2 *
  few (uint32_t unit) const
  {
    return (uint2 *) p.few + first / 4 + unit;
  }

  __device__ __forceinline__ uint32_t *
  many (uint32_t unit) const
  {
    return (uint32_t *) p.frame.accumulators + first + 4 * unit;
  }

  __device__ __forceinline__ void
  add (uint32_t unit) const
  {
    const uint32_t pair = first + 4 * unit;
    const uint2 *table = (const uint2 *) vh_shared;
    const uint2 a = table[(place (pair) - first) / 2];
    const uint2 b = table[(place (pair + 2) - first) / 2];
    const uint32_t counts[4] = {a.x, a.y, b.x, b.y};
    uint32_t small[4];

#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      small[i] = counts[i];
      if (counts[i] > p.most_of_few) {
        atomicAdd (many (unit) + i, counts[i]);
        small[i] = 0;
      }
    }
    if (small[0] | small[1] | small[2] | small[3]) {
      atomicAdd ((unsigned long long *) few (unit),
          (unsigned long long) (small[3] << 16 | small[2]) << 32 |
          (small[1] << 16 | small[0]));
    }
  }

  __device__ __forceinline__ Value
  take (uint32_t unit) const
  {
    return {__ldcg (few (unit)), __ldcg ((const uint4 *) many (unit))};
  }

  __device__ __forceinline__ void
  put (uint32_t unit, const Value & value) const
  {
    const uint2 & f = value.few;
    const uint4 & m = value.many;
    const uint64_t result = first + 4 * unit;
    const uint32_t counts[4] = {
      (f.x & 0xffff) + m.x, (f.x >> 16) + m.y,
      (f.y & 0xffff) + m.z, (f.y >> 16) + m.w
    };

    if (f.x | f.y)
      *few (unit) = make_uint2 (0, 0);
    if (m.x | m.y | m.z | m.w)
      *(uint4 *) many (unit) = make_uint4 (0, 0, 0, 0);
    if (4 * unit + 4 <= n) {
      vh_deliver_pair (p.frame, result, make_uint2 (counts[0], counts[1]));
      vh_deliver_pair (p.frame, result + 2, make_uint2 (counts[2], counts[3]));
    } else {
#pragma unroll
      for (uint32_t i = 0; i < 3; i++) {
        if (4 * unit + i < n)
          vh_deliver (p.frame, result + i, counts[i]);
      }
    }
  }

  /* Adds the table to the sums of all blocks, and delivers them. */
  __device__ __forceinline__ void
  merge () const
  {
    vh_wait_for_previous ();
    vh_add_slices (*this, (n + 3) / 4,
        (uint32_t *) p.tickets + blockIdx.y * VH_SLICES);
  }
};

/* Converts four bytes to their bins. */
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

/* Processes the vectors of this block: loads each with @load, and calls @count
 * with it. A few loads are in flight together, the first ones while @ready
 * prepares the table. Blocks have runs of neighbouring vectors. */
template <class Ready, class Load, class Count>
static __device__ __forceinline__ void
vh_each_of_block (uint32_t vectors, Ready ready, Load load, Count count)
{
  typedef decltype (load (vectors)) Vector;

  const uint32_t at_once = 64 / sizeof (Vector);
  const uint32_t first = (uint32_t) ((uint64_t) vectors * blockIdx.x /
      gridDim.x);
  const uint32_t end = (uint32_t) ((uint64_t) vectors * (blockIdx.x + 1) /
      gridDim.x);
  Vector vector[at_once];
  uint32_t n = first + threadIdx.x;

  const auto take = [&] {
#pragma unroll
    for (uint32_t i = 0; i < at_once; i++) {
      if (n + i * blockDim.x < end)
        vector[i] = load (n + i * blockDim.x);
    }
  };

  take ();
  ready ();
  while (n < end) {
#pragma unroll
    for (uint32_t i = 0; i < at_once; i++) {
      if (n + i * blockDim.x < end)
        count (vector[i], n + i * blockDim.x);
    }
    n += at_once * blockDim.x;
    take ();
  }
}

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
      [&] (const VhTwoVectors & v, uint32_t n) {
        const uint4 bins = vh_bins_of_vector (p, v.b);
        const uint32_t a[4] = {v.a.x, v.a.y, v.a.z, v.a.w};
        const uint32_t b[4] = {bins.x, bins.y, bins.z, bins.w};

        pairs.keep (n, bins);
#pragma unroll
        for (uint32_t i = 0; i < 4; i++) {
          if (table.takes_two ()) {
            table.count_two (__byte_perm (b[i], a[i], 0x5140));
            table.count_two (__byte_perm (b[i], a[i], 0x7362));
            continue;
          }
#pragma unroll
          for (uint32_t k = 0; k < 4; k++) {
            table.count (pairs.first_bin ((a[i] >> 8 * k) & 0xff) *
                p.frame.bins + ((b[i] >> 8 * k) & 0xff));
          }
        }
      });
}

/* Counts the pairs of one plane of interleaved bytes. */
static __device__ __forceinline__ void
vh_count_interleaved (const VhJointParams & p, const VhPairTable & table)
{
  const bool swap = p.samples == VH_PAIRS_SWAPPED;

  vh_each_of_block (p.row_vectors * p.frame.height,
      [&] { table.clear (); },
      [&] (uint32_t n) {
        return vh_pair_vector (p.a, p.a_stride, p, n);
      },
      [&] (const uint4 & vector, uint32_t) {
        const uint4 v = vh_bins_of_vector (p, vector);
        const uint32_t word[4] = {v.x, v.y, v.z, v.w};

#pragma unroll
        for (uint32_t i = 0; i < 4; i++) {
          /* Puts the first value above the second. */
          const uint32_t two = __byte_perm (word[i], 0, swap ? 0x3210 : 0x2301);

          if (table.takes_two ()) {
            table.count_two (two);
            continue;
          }
          table.count ((two >> 8 & 0xff) * p.frame.bins + (two & 0xff));
          table.count ((two >> 24) * p.frame.bins + (two >> 16 & 0xff));
        }
      });
}

/* Counts the pairs of one plane of interleaved words. */
static __device__ __forceinline__ void
vh_count_words (const VhJointParams & p, const VhPairTable & table)
{
  const bool swap = p.samples == VH_PAIRS_SWAPPED_WORDS;
  const uint32_t shift = p.frame.component[1].shift;
  const uint32_t mask = (1u << p.frame.depth) - 1;

  vh_each_of_block (p.row_vectors * p.frame.height,
      [&] { table.clear (); },
      [&] (uint32_t n) {
        return vh_pair_vector (p.a, p.a_stride, p, n);
      },
      [&] (const uint4 & v, uint32_t) {
        const uint32_t word[4] = {v.x, v.y, v.z, v.w};

#pragma unroll
        for (uint32_t i = 0; i < 4; i++) {
          const uint32_t two = swap ? __byte_perm (word[i], 0, 0x1032) :
              word[i];
          const uint32_t a = vh_bin (p.frame, two >> shift & mask);
          const uint32_t b = vh_bin (p.frame, two >> (16 + shift) & mask);

          table.count (a * p.frame.bins + b);
        }
      });
}

/* Counts any other pairs. Neighbouring threads process neighbouring pixels,
 * also across blocks. */
template <class Pairs>
static __device__ __forceinline__ void
vh_count_pixels (const VhJointParams & p, const Pairs & pairs,
    const VhPairTable & table)
{
  table.clear ();
  for (VhPlace place (p.frame.width, p.frame.height, vh_thread (),
          vh_threads ()); !place.done (); place.next ())
    table.count (pairs.pair (place.x, place.y));
}

extern "C" __global__ void
__launch_bounds__ (1024)
vh_joint_chroma (const __grid_constant__ VhJointParams p)
{
  const VhPairTable table (p);

  vh_begin (p.frame);
  if (p.samples == VH_PAIRS_PLANES)
    vh_count_planes (p, VhChroma {p}, table);
  else if (p.samples >= VH_PAIRS_WORDS)
    vh_count_words (p, table);
  else if (p.samples != VH_PAIRS_ANY)
    vh_count_interleaved (p, table);
  else
    vh_count_pixels (p, VhChroma {p}, table);
  table.merge ();
}

/* Waits first, because the luma to count against may be the work of the
 * previous launch. */
extern "C" __global__ void
__launch_bounds__ (1024)
vh_joint_luma (const __grid_constant__ VhJointParams p)
{
  const VhPairTable table (p);

  vh_let_next_begin ();
  vh_wait_for_previous ();
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

  vh_let_next_begin ();
  vh_wait_for_previous ();
  if (p.samples == VH_PAIRS_PLANES) {
    vh_each_of_block (p.row_vectors * p.frame.height,
        [] {},
        [&] (uint32_t n) {
          return vh_pair_vector (p.b, p.b_stride, p, n);
        },
        [&] (const uint4 & v, uint32_t n) {
          luma.keep (n, vh_bins_of_vector (p, v));
        });
    return;
  }
  for (VhPlace place (p.frame.width, p.frame.height, vh_thread (),
          vh_threads ()); !place.done (); place.next ())
    luma.keep (place.x, place.y, luma.bin (place.x, place.y));
}
