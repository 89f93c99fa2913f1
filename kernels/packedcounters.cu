/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters of 16 bits, two per word of a block's shared memory, for more bins
 * than fit otherwise. An addition returns the old value; the thread that makes
 * a counter reach 2^15 moves these counts to global memory. A barrier every
 * 2^15 samples ensures that no counter exceeds 16 bits, however threads are
 * scheduled: at the barrier every counter that reached 2^15 has been moved, so
 * all are below that, and grow by at most 2^15 until the next barrier.
 *
 * Additions that return a value are serialised if they share a counter.
 * Therefore a warp has a leader, a sample that many of its lanes had recently:
 * lanes only count how often they see it, and the warp adds that number once.
 *
 * If the bins still do not fit, they are split into windows that different
 * blocks count. */
#include "slices.cuh"

/* Threads per block, so that they have enough registers. */
#define VH_PACKED_THREADS (VH_THREADS == 768 ? 768 : 1024)

#define VH_PACKED_FULL 0x8000u  /* a counter with this bit must be moved */
#define VH_PACKED_BOTH_FULL (VH_PACKED_FULL << 16 | VH_PACKED_FULL)
#define VH_PACKED_ROUND 32      /* samples per thread between barriers */
#define VH_PACKED_VECTORS 4     /* in flight */
#define VH_PACKED_FOLLOWERS 8   /* lanes that must share a leader for it to be
                                 * worth it */

static_assert (VH_PACKED_ROUND * VH_PACKED_THREADS <= VH_PACKED_FULL,
    "counters overflow");
static_assert (VH_PACKED_VECTORS * sizeof (uint4) <=
    VH_PACKED_ROUND * sizeof (uint16_t), "rounds are too long");

/* Two ways to compute a sample's bin from its word, relative to the first bin
 * of the block's window; is_inside() says whether the bin is in the window.
 * half: half the number of bins in the window, a power of two; mask: the bits
 * of the word that hold the sample. */

/* The word is the bin, one of 65,536. */
struct WholeWords
{
  static const bool all_inside = true;
  static const uint32_t half = 0x8000, mask = 0xffff;

  __device__ __forceinline__ uint32_t
  bin (uint32_t word) const
  {
    return word;
  }

  __device__ __forceinline__ bool
  is_inside (uint32_t) const
  {
    return true;
  }
};

/* The word is scaled so that the bin starts at bit 16: a 16-bit word times 2^16
 * has 32 bits. */
struct ScaledWords
{
  static const bool all_inside = false;
  uint32_t half, mask, factor, first;

  __device__ __forceinline__ uint32_t
  bin (uint32_t word) const
  {
    return ((word & mask) * factor >> 16) - first;
  }

  __device__ __forceinline__ bool
  is_inside (uint32_t bin) const
  {
    return bin < 2 * half;
  }
};

/* The counters of a block, and how it counts. */
template <class Bins>
struct PackedCounters
{
  const Bins bins;
  uint32_t *accumulators;       /* of the first bin of the window */

  /* Counters of the first half of the bins are in the lower halves of all
   * words, so that neighbours are in different banks. */
  __device__ __forceinline__ uint32_t *
  word (uint32_t bin) const
  {
    return (uint32_t *) vh_shared + (bin & (bins.half - 1));
  }

  __device__ __forceinline__ uint32_t
  one (uint32_t bin) const
  {
    return bin & bins.half ? 0x10000u : 1u;
  }

  /* Whether adding @n to the word made a counter full. */
  static __device__ __forceinline__ bool
  is_full (uint32_t before, uint32_t n)
  {
    return (before + n) & ~before & VH_PACKED_BOTH_FULL;
  }

  __device__ __forceinline__ void
  move (uint32_t bin) const
  {
#ifdef VH_PACKED_PAUSE
    /* Tests pause here, so that other threads get as far ahead as they can. */
    for (uint32_t i = 0; i < VH_PACKED_PAUSE; i++)
      __nanosleep (0);
#endif
    atomicSub (word (bin), one (bin) * VH_PACKED_FULL);
    vh_wait_for_previous ();
    atomicAdd (accumulators + bin, VH_PACKED_FULL);
  }

  __device__ __forceinline__ void
  add (uint32_t bin, uint32_t samples) const
  {
    const uint32_t n = one (bin) * samples;

    if (bins.is_inside (bin) && is_full (atomicAdd (word (bin), n), n))
      move (bin);
  }

  /* Adds 1 if @wanted, without a branch; returns the previous value of the
   * word, or 0. */
  __device__ __forceinline__ uint32_t
  add_if (uint32_t bin, bool wanted) const
  {
    uint32_t before = 0;

#ifdef VH_DOUBLE_SHIM
    if (wanted)
      before = atomicAdd (word (bin), one (bin));
#else
    asm volatile ("{\n\t"
        ".reg .pred wanted;\n\t"
        "setp.ne.u32 wanted, %3, 0;\n\t"
        "@wanted atom.shared.add.u32 %0, [%1], %2;\n\t"
        "}"
        : "+r" (before)
        : "r" ((uint32_t) __cvta_generic_to_shared (word (bin))),
          "r" (one (bin)), "r" ((uint32_t) wanted)
        : "memory");
#endif
    return before;
  }
};

/* A warp's leader, and how often this lane has seen it since the warp last
 * added those counts. */
struct PackedLeader
{
  uint32_t word, seen;
  bool followed;                /* some lane has seen it; all lanes agree */

  __device__ __forceinline__
  PackedLeader ()
  : word (~0u), seen (0), followed (false)
  {
  }

  /* Adds the counts of all lanes. Must be called by all of them. */
  template <class Bins>
  __device__ __forceinline__ void
  flush (const PackedCounters<Bins> & counters)
  {
    if (followed) {
      const uint32_t all_seen = vh_warp_sum (seen);

      if (vh_lane () == 0)
        counters.add (counters.bins.bin (word), all_seen);
      seen = 0;
      followed = false;
    }
  }

  /* Whether enough lanes with a sample (@there) have the leader (@mine) to
   * follow it. Otherwise the first lane's sample becomes the next leader. Must
   * be called by all lanes. */
  template <class Bins>
  __device__ __forceinline__ bool
  is_followed (const PackedCounters<Bins> & counters, uint32_t mine, bool there)
  {
    if (__popc (__ballot_sync (VH_ALL_LANES, there && mine == word)) >=
        VH_PACKED_FOLLOWERS) {
      followed = true;
      return true;
    }
    flush (counters);
    word = __shfl_sync (VH_ALL_LANES, mine, 0);
    return false;
  }
};

/* Sample @i of eight. */
static __device__ __forceinline__ uint32_t
sample_of (const uint32_t word[4], uint32_t i)
{
  return i % 2 ? word[i / 2] >> 16 : word[i / 2] & 0xffff;
}

/* Counts eight samples; with @follow, samples that equal the leader are only
 * counted in a register. */
template <bool follow, class Bins>
static __device__ __forceinline__ void
count_packed_words (const PackedCounters<Bins> & counters,
    PackedLeader & leader, const uint32_t word[4])
{
  const uint32_t samples = 8;
  const uint32_t nearly_full = VH_PACKED_BOTH_FULL >> 1;
  const Bins & bins = counters.bins;
  uint32_t before[samples], any = 0;

#pragma unroll
  for (uint32_t i = 0; i < samples; i++) {
    const uint32_t sample = sample_of (word, i), bin = bins.bin (sample);

    if (follow) {
      const bool follows = (sample & bins.mask) == leader.word;

      leader.seen += follows;
      before[i] = counters.add_if (bin, !follows && bins.is_inside (bin));
    } else if (Bins::all_inside) {
      before[i] = atomicAdd (counters.word (bin), counters.one (bin));
    } else {
      before[i] = counters.add_if (bin, bins.is_inside (bin));
    }
    any |= before[i];
  }
  /* Adding 1 can only fill a counter that was nearly full. */
  if (any & nearly_full) {
#pragma unroll
    for (uint32_t i = 0; i < samples; i++) {
      const uint32_t bin = bins.bin (sample_of (word, i));

      if (counters.is_full (before[i], counters.one (bin)))
        counters.move (bin);
    }
  }
}

template <class Bins>
static __device__ __forceinline__ void
count_packed_plane (const VhShare & share, const VhKernelComponent & c,
    const PackedCounters<Bins> counters)
{
  const Bins & bins = counters.bins;
  PackedLeader leader;

  vh_each_vector_round<sizeof (uint16_t), VH_PACKED_VECTORS> (
      (const uint8_t *) c.data + share.cell.y * c.stride +
      share.cell.x * sizeof (uint16_t), c.stride, share.cell.width,
      share.cell.height,
      [&] {
        vh_clear_shared (bins.half);
      },
      [&] (const uint4 & v, bool there) {
        const uint32_t word[4] = {v.x, v.y, v.z, v.w};

        if (leader.is_followed (counters, v.x & bins.mask, there)) {
          if (there)
            count_packed_words<true> (counters, leader, word);
        } else if (there) {
          count_packed_words<false> (counters, leader, word);
        }
      },
      [&] (const uint8_t * sample) {
        counters.add (bins.bin (*(const uint16_t *) sample), 1);
      },
      [&] {
        leader.flush (counters);
        __syncthreads ();
      });
}

/* Counts samples of any kind, one at a time. */
template <class Samples>
static __device__ __forceinline__ void
count_packed_samples (const Samples & samples,
    const PackedCounters<ScaledWords> counters)
{
  PackedLeader leader;

  vh_clear_shared (counters.bins.half);
  vh_each_round (samples, VH_PACKED_ROUND,
      [&] (uint32_t bin, bool there) {
        if (leader.is_followed (counters, bin, there)) {
          if (bin == leader.word)
            leader.seen += there;
          else if (there)
            counters.add (counters.bins.bin (bin), 1);
        } else if (there) {
          counters.add (counters.bins.bin (bin), 1);
        }
      },
      [&] {
        leader.flush (counters);
        __syncthreads ();
      });
}

/* The results of a block's window, for vh_add_slices() in units of two words:
 * two neighbours in the lower half of the bins, and two in the upper half.
 * Results that share 8 bytes are added, read and delivered at once. */
struct PackedResults
{
  const VhKernelParams & p;
  uint64_t first;
  uint32_t *accumulators;       /* of the first */
  uint32_t n, half;
  bool paired;

  struct Value
  {
    uint2 lower, upper;
  };
  static const uint32_t in_flight = 4;

  __device__ __forceinline__ void
  add_neighbours (uint32_t bin, uint32_t a, uint32_t b) const
  {
    if (paired) {
      if (a | b)
        atomicAdd ((unsigned long long *) (accumulators + bin),
            (unsigned long long) b << 32 | a);
    } else {
      if (a)
        atomicAdd (accumulators + bin, a);
      if (b)
        atomicAdd (accumulators + bin + 1, b);
    }
  }

  __device__ __forceinline__ void
  add (uint32_t unit) const
  {
    const uint2 word = ((const uint2 *) vh_shared)[unit];

    add_neighbours (2 * unit, word.x & 0xffff, word.y & 0xffff);
    add_neighbours (half + 2 * unit, word.x >> 16, word.y >> 16);
  }

  __device__ __forceinline__ uint2
  take_neighbours (uint32_t bin) const
  {
    uint2 count = make_uint2 (0, 0);

    if (paired && bin < n)
      return __ldcg ((const uint2 *) (accumulators + bin));
    if (bin < n)
      count.x = __ldcg (accumulators + bin);
    if (bin + 1 < n)
      count.y = __ldcg (accumulators + bin + 1);
    return count;
  }

  __device__ __forceinline__ Value
  take (uint32_t unit) const
  {
    return {take_neighbours (2 * unit), take_neighbours (half + 2 * unit)};
  }

  __device__ __forceinline__ void
  put_neighbours (uint32_t bin, uint2 count) const
  {
    const uint64_t index = first + bin;

    if (paired && bin < n) {
      *(uint2 *) (accumulators + bin) = make_uint2 (0, 0);
      vh_deliver_pair (p, index, count);
      return;
    }
    for (uint32_t i = 0; i < 2 && bin + i < n; i++) {
      accumulators[bin + i] = 0;
      vh_deliver (p, index + i, i ? count.y : count.x);
    }
  }

  __device__ __forceinline__ void
  put (uint32_t unit, const Value & value) const
  {
    put_neighbours (2 * unit, value.lower);
    put_neighbours (half + 2 * unit, value.upper);
  }
};

/* What a block counts: blockIdx.y is a window of the bins of a channel,
 * blockIdx.z a cell. */
struct PackedShare
{
  const uint32_t windows;
  const uint32_t first;         /* the first bin */
  const VhShare share;
  uint32_t *const accumulators; /* of the first bin */

  __device__ __forceinline__
  PackedShare (const VhKernelParams & p)
  : windows ((p.bins - 1) / p.window + 1),
    first (blockIdx.y % windows * p.window), share (p, blockIdx.y / windows),
    accumulators (share.accumulators + first)
  {
  }

  __device__ __forceinline__ const VhKernelComponent &
  component (const VhKernelParams & p) const
  {
    return p.component[share.channel == 0 ? 0 : share.channel - 1];
  }

  __device__ __forceinline__ void
  add_results (const VhKernelParams & p) const
  {
    const uint64_t result =
        vh_first_result (p, share.channel, share.cell.index) + first;
    const uint32_t n = min (p.window, p.bins - first), half = p.window / 2;
    const PackedResults results = {p, result, accumulators, n, half,
      (result | n) % 2 == 0};

    vh_wait_for_previous ();
    vh_add_slices (results, (min (n, half) + 1) / 2,
        accumulators + p.n_results);
  }
};

/* Counts samples in planes of words, where each word is its bin. */
extern "C" __global__ void
__launch_bounds__ (VH_PACKED_THREADS, 1)
vh_packed_counters_whole (const __grid_constant__ VhKernelParams p)
{
  const PackedShare block (p);
  const PackedCounters<WholeWords> counters = {{}, block.accumulators};

  vh_begin (p);
  count_packed_plane (block.share, block.component (p), counters);
  block.add_results (p);
}

/* Counts samples in planes of words. */
extern "C" __global__ void
__launch_bounds__ (VH_PACKED_THREADS, 1)
vh_packed_counters_words (const __grid_constant__ VhKernelParams p)
{
  const PackedShare block (p);
  const VhKernelComponent & c = block.component (p);
  const PackedCounters<ScaledWords> counters = {{p.window / 2,
        ((1u << p.depth) - 1) << c.shift, p.bins << (16 - p.depth - c.shift),
      block.first}, block.accumulators};

  vh_begin (p);
  count_packed_plane (block.share, c, counters);
  block.add_results (p);
}

/* Counts any other samples; their words are the bins. */
extern "C" __global__ void
__launch_bounds__ (VH_PACKED_THREADS, 1)
vh_packed_counters_pixels (const __grid_constant__ VhKernelParams p)
{
  const PackedShare block (p);
  const PackedCounters<ScaledWords> counters = {{p.window / 2, 0xffff, 1u << 16,
      block.first}, block.accumulators};

  vh_begin (p);
  if (p.samples == VH_KERNEL_BYTES)
    count_packed_samples (VhByteSamples (p, block.share.cell,
            block.component (p)), counters);
  else
    count_packed_samples (VhAnySamples (p, block.share.cell,
            block.share.channel), counters);
  block.add_results (p);
}
