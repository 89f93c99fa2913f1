/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of counters with a column per lane, and code that counts 8-bit pixels
 * in them. Each counter of a block has a copy per lane, laid out as code * 32 +
 * lane, so that the lanes of a warp never conflict in a bank of shared memory,
 * whatever the picture. */
#pragma once

#include "common.cuh"

#define VH_CODES 256
#define VH_COLUMNS 32

/* The tables of a block: @n of them, each [code][32 columns]. A table belongs
 * to one channel, or to two channels with 16 columns each. In a shared table,
 * each half of a warp first counts one of the channels while the other half
 * counts the other; then they swap. */
template <int n>
struct VhTables
{
  static const int tables = n;

  /* Must be called by all @threads of the block. */
  static __device__ __forceinline__ void
  clear (uint32_t threads)
  {
    const uint32_t all = n * VH_CODES * VH_COLUMNS / 4;

#pragma unroll
    for (uint32_t first = 0; first < all; first += threads) {
      if (all % threads == 0 || first + threadIdx.x < all)
        vh_shared[first + threadIdx.x] = make_uint4 (0, 0, 0, 0);
    }
  }

  /* Byte offset of this lane's column. In a shared table, the other half of the
   * warp starts with the other channel, 64 bytes away. */
  static __device__ __forceinline__ uint32_t
  lane ()
  {
    return (threadIdx.x & (VH_COLUMNS - 1)) * 4;
  }

  /* Counts byte @i of @word in the column at @lane. The shift moves the code
   * above the bits of the column, which takes one shift and one three-input
   * logic operation. */
  template <int i>
  static __device__ __forceinline__ void
  add_byte (uint32_t word, uint32_t lane, int table)
  {
    const int up = 7;           /* log2 of the bytes of a code's columns */
    const int shift = 8 * i - up;
    const uint32_t code = shift < 0 ? word << -shift : word >> shift;
    const uint32_t offset = ((code & (0xffu << up)) | lane) +
        table * VH_CODES * VH_COLUMNS * 4;

    atomicAdd ((uint32_t *) ((char *) vh_shared + offset), 1u);
  }

  /* Adds up @columns columns from @first of table @table, and adds the sums to
   * those of the other blocks. Threads with neighbouring codes start in
   * different columns, which avoids bank conflicts. */
  template <int columns>
  static __device__ __forceinline__ void
  merge (const VhKernelParams & p, int table, int first, uint32_t channel,
      uint32_t cell)
  {
    const uint32_t *counters = (const uint32_t *) vh_shared +
        table * VH_CODES * VH_COLUMNS + first;
    const uint64_t result = vh_first_result (p, channel, cell);

    for (uint32_t code = threadIdx.x; code < VH_CODES; code += blockDim.x) {
      uint32_t sum = 0;

#pragma unroll
      for (uint32_t i = 0; i < columns; i++)
        sum += counters[code * VH_COLUMNS + ((i + code) & (columns - 1))];
      vh_add (p, result + code, sum);
    }
  }
};

static __device__ __forceinline__ uint32_t
vh_add_up (const uint4 & v)
{
  return v.x + v.y + v.z + v.w;
}

/* Adds up the columns of table @table, and calls @add with the counts of codes
 * 2 * pair and 2 * pair + 1, once for each pair; if two channels @share the
 * table, once for each pair and channel. Eight lanes read the 128 bytes of a
 * code. After they have exchanged sums once, even lanes add up the first code,
 * and odd lanes the second. */
template <uint32_t threads, bool share, class Add>
static __device__ __forceinline__ void
vh_merge_columns (uint32_t table, Add add)
{
  const uint32_t lanes = VH_COLUMNS / 4, all = VH_CODES / 2 * lanes;
  const uint32_t warp = 0xffffffff;
  const uint4 *rows = vh_shared + table * VH_CODES * lanes;

#pragma unroll
  for (uint32_t first = 0; first < all; first += threads) {
    const uint32_t i = first + threadIdx.x;
    const uint32_t pair = i / lanes, lane = i % lanes;

    if (all % threads != 0 && i >= all)
      break;

    const uint32_t even = vh_add_up (rows[2 * pair * lanes + lane]);
    const uint32_t odd = vh_add_up (rows[(2 * pair + 1) * lanes + lane]);
    uint32_t sum = lane & 1 ? odd : even, other;

    sum += __shfl_xor_sync (warp, lane & 1 ? even : odd, 1);
    sum += __shfl_xor_sync (warp, sum, 2);
    if (!share)
      sum += __shfl_xor_sync (warp, sum, 4);
    other = __shfl_xor_sync (warp, sum, 1);
    if (lane % (share ? 4 : 8) == 0)
      add (lane / 4, pair, sum, other);
  }
}

/* Sources: layouts of pixels in memory. Each counts a vector of 16-byte words,
 * or a single pixel. For packed pixels, parameters may have any type with
 * @byte_shift and @byte_weight. */

/* One 8-bit sample after the other. */
struct VhBytes
{
  static const uint32_t pixel_bytes = 1, vector_words = 1;
  typedef VhTables<1> T;

  static __device__ __forceinline__ void
  word (uint32_t w, uint32_t lane)
  {
    T::add_byte<0> (w, lane, 0);
    T::add_byte<1> (w, lane, 0);
    T::add_byte<2> (w, lane, 0);
    T::add_byte<3> (w, lane, 0);
  }

  template <class Params>
  static __device__ __forceinline__ void
  vector (const Params &, const uint4 * v, uint32_t lane)
  {
    word (v->x, lane);
    word (v->y, lane);
    word (v->z, lane);
    word (v->w, lane);
  }

  template <class Params>
  static __device__ __forceinline__ void
  pixel (const Params &, const uint8_t * data, uint32_t lane)
  {
    T::add_byte<0> (*data, lane, 0);
  }
};

/* Luma of packed 4:2:2: every other byte. */
struct VhPairs
{
  static const uint32_t pixel_bytes = 2, vector_words = 1;
  typedef VhTables<1> T;

  template <class Params>
  static __device__ __forceinline__ void
  word (const Params & p, uint32_t w, uint32_t lane)
  {
    w >>= p.byte_shift;
    T::add_byte<0> (w, lane, 0);
    T::add_byte<2> (w, lane, 0);
  }

  template <class Params>
  static __device__ __forceinline__ void
  vector (const Params & p, const uint4 * v, uint32_t lane)
  {
    word (p, v->x, lane);
    word (p, v->y, lane);
    word (p, v->z, lane);
    word (p, v->w, lane);
  }

  template <class Params>
  static __device__ __forceinline__ void
  pixel (const Params & p, const uint8_t * data, uint32_t lane)
  {
    T::add_byte<0> (data[p.byte_shift / 8], lane, 0);
  }
};

/* What to count in packed pixels with three components. */
enum VhWanted
{
  VH_WANT_LUMA,                 /* of RGB */
  VH_WANT_COMPONENTS,           /* each of the three */
  VH_WANT_BOTH
};

/* Components are counted in the order of their bytes; merging assigns them to
 * their channels, and the weights of luma are in that order. Table 0 is shared
 * by the first two, table 1 by the third and luma. */
template <VhWanted wanted>
struct VhPacked
{
  typedef VhTables<wanted == VH_WANT_LUMA ? 1 : 2> T;

  /* The components are the low three bytes of @w. */
  template <class Params>
  static __device__ __forceinline__ void
  count (const Params & p, uint32_t w, uint32_t lane)
  {
    uint32_t luma = 0;

    if (wanted != VH_WANT_COMPONENTS) {
      luma = (p.byte_weight[0] * (w & 0xff) +
          p.byte_weight[1] * ((w >> 8) & 0xff) +
          p.byte_weight[2] * ((w >> 16) & 0xff) + 32768) >> 16;
    }
    count_values (w, luma, lane);
  }

  /* The same with known luma. */
  static __device__ __forceinline__ void
  count_values (uint32_t w, uint32_t luma, uint32_t lane)
  {
    const bool upper = lane >= 64;

    if (wanted == VH_WANT_LUMA) {
      T::template add_byte<0> (luma, lane, 0);
      return;
    }

    {
      const uint32_t pair = __byte_perm (w, 0, upper ? 0x4401 : 0x4410);

      T::template add_byte<0> (pair, lane, 0);
      T::template add_byte<1> (pair, lane ^ 64, 0);
    }
    if (wanted == VH_WANT_COMPONENTS) {
      T::template add_byte<2> (w, lane, 1);
    } else {
      const uint32_t third = (w >> 16) & 0xff;

      T::template add_byte<0> (upper ? luma : third, lane, 1);
      T::template add_byte<0> (upper ? third : luma, lane ^ 64, 1);
    }
  }

  static __device__ __forceinline__ void
  merge_component (const VhKernelParams & p, int i, uint32_t cell)
  {
    const uint32_t channel = p.bytes_reversed ? 3 - i : 1 + i;

    if (!(p.channels & (1u << channel)))
      return;
    if (i == 2 && wanted == VH_WANT_COMPONENTS)
      T::template merge<VH_COLUMNS> (p, 1, 0, channel, cell);
    else
      T::template merge<VH_COLUMNS / 2> (p, i / 2, i == 1 ? VH_COLUMNS / 2 : 0,
          channel, cell);
  }

  static __device__ __forceinline__ void
  merge (const VhKernelParams & p, uint32_t cell)
  {
    if constexpr (wanted == VH_WANT_LUMA) {
      T::template merge<VH_COLUMNS> (p, 0, 0, 0, cell);
    } else {
      for (int i = 0; i < 3; i++)
        merge_component (p, i, cell);
      if (wanted == VH_WANT_BOTH)
        T::template merge<VH_COLUMNS / 2> (p, 1, VH_COLUMNS / 2, 0, cell);
    }
  }
};

/* Pixels of four bytes, three of which are components. */
template <VhWanted wanted>
struct VhPacked4 : VhPacked<wanted>
{
  static const uint32_t pixel_bytes = 4, vector_words = 1;
  typedef VhPacked<wanted> P;

  template <class Params>
  static __device__ __forceinline__ void
  vector (const Params & p, const uint4 * v, uint32_t lane)
  {
    P::count (p, v->x >> p.byte_shift, lane);
    P::count (p, v->y >> p.byte_shift, lane);
    P::count (p, v->z >> p.byte_shift, lane);
    P::count (p, v->w >> p.byte_shift, lane);
  }

  template <class Params>
  static __device__ __forceinline__ void
  pixel (const Params & p, const uint8_t * data, uint32_t lane)
  {
    P::count (p, *(const uint32_t *) data >> p.byte_shift, lane);
  }
};

/* Pixels of three bytes: 16 pixels in three words of 16 bytes. */
template <VhWanted wanted>
struct VhPacked3 : VhPacked<wanted>
{
  static const uint32_t pixel_bytes = 3, vector_words = 3;
  typedef VhPacked<wanted> P;

  /* Four pixels in three words of 4 bytes. */
  template <class Params>
  static __device__ __forceinline__ void
  words (const Params & p, uint32_t a, uint32_t b, uint32_t c,
      uint32_t lane)
  {
    P::count (p, a, lane);
    P::count (p, (a >> 24) | (b << 8), lane);
    P::count (p, (b >> 16) | (c << 16), lane);
    P::count (p, c >> 8, lane);
  }

  template <class Params>
  static __device__ __forceinline__ void
  vector (const Params & p, const uint4 * v, uint32_t lane)
  {
    words (p, v[0].x, v[0].y, v[0].z, lane);
    words (p, v[0].w, v[1].x, v[1].y, lane);
    words (p, v[1].z, v[1].w, v[2].x, lane);
    words (p, v[2].y, v[2].z, v[2].w, lane);
  }

  template <class Params>
  static __device__ __forceinline__ void
  pixel (const Params & p, const uint8_t * data, uint32_t lane)
  {
    P::count (p, data[0] | data[1] << 8 | data[2] << 16, lane);
  }
};
