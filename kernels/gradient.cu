/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts how much luma differs from pixel to pixel in a row. The last pixel of
 * a row of the region has no pixel to its right. A gradient belongs to the cell
 * of its left pixel. */
#include "columns.cuh"
#include "copies.cuh"

/* Pixels that a thread processes at a time. */
#define VH_GRADIENT_VECTOR 16
#define VH_GRADIENT_WORDS 8
#define VH_GRADIENT_PIXELS 8

/* How many columns of @cell have a gradient. */
static __device__ __forceinline__ uint32_t
vh_gradient_columns (const VhKernelParams & p, const VhCell & cell)
{
  return cell.width > 0 && cell.x + cell.width == p.x + p.width ?
      cell.width - 1 : cell.width;
}

/* Up to 16 bytes that start at a multiple of 16 in a row, and the byte after
 * them. */
struct VhGradientVector
{
  uint4 bytes;
  uint32_t next;
  const uint8_t *from;          /* the bytes, if they must be read one by one;
                                 * otherwise NULL */
  uint32_t n;                   /* differences; 16 or 15 in a whole vector */
};

/* Loads vector @i of a row with @columns differences. */
static __device__ __forceinline__ VhGradientVector
vh_load_gradient (const uint8_t * row, uint32_t columns, uint32_t i)
{
  const uint32_t before = (uint32_t) (uintptr_t) row & 15;
  const int32_t begin = (int32_t) (i * VH_GRADIENT_VECTOR) - (int32_t) before;
  const uint32_t first = begin > 0 ? begin : 0;
  const uint32_t end = min (begin + VH_GRADIENT_VECTOR, (int32_t) columns);
  VhGradientVector vector = { };

  vector.n = end > first ? end - first : 0;
  /* There is a pixel after the last difference. */
  if (begin >= 0 && vector.n >= VH_GRADIENT_VECTOR - 1) {
    vector.bytes = __ldcs ((const uint4 *) (row + begin));
    if (vector.n == VH_GRADIENT_VECTOR)
      vector.next = row[end];
  } else {
    vector.from = row + first;
  }
  return vector;
}

static __device__ __forceinline__ void
vh_count_gradient (const VhGradientVector & vector, uint32_t lane)
{
  typedef VhBytes::T T;

  if (vector.from) {
    for (uint32_t i = 0; i < vector.n; i++) {
      T::add_byte<0> (abs ((int32_t) vector.from[i + 1] - vector.from[i]),
          lane, 0);
    }
  } else {
    const uint4 & v = vector.bytes;
    const uint32_t last = __vabsdiffu4 (v.w,
        __funnelshift_r (v.w, vector.next, 8));

    VhBytes::word (__vabsdiffu4 (v.x, __funnelshift_r (v.x, v.y, 8)), lane);
    VhBytes::word (__vabsdiffu4 (v.y, __funnelshift_r (v.y, v.z, 8)), lane);
    VhBytes::word (__vabsdiffu4 (v.z, __funnelshift_r (v.z, v.w, 8)), lane);
    T::add_byte<0> (last, lane, 0);
    T::add_byte<1> (last, lane, 0);
    T::add_byte<2> (last, lane, 0);
    if (vector.n == VH_GRADIENT_VECTOR)
      T::add_byte<3> (last, lane, 0);
  }
}

/* The positions of this block's vectors in a plane of bytes. */
struct VhGradientRows
{
  const uint8_t *data;
  uint64_t stride;
  uint32_t columns;
  VhPlace place;

  __device__ __forceinline__
  VhGradientRows (const VhKernelParams & p, const VhCell & cell)
  : data ((const uint8_t *) p.component[0].data +
      cell.y * p.component[0].stride + cell.x),
    stride (p.component[0].stride), columns (vh_gradient_columns (p, cell)),
    /* Rows may start anywhere in their first vector. */
    place ((columns + 15) / VH_GRADIENT_VECTOR + 1, cell.height, vh_thread (),
        vh_threads ())
  {
  }

  __device__ __forceinline__ VhGradientVector
  load () const
  {
    return vh_load_gradient (data + place.y * stride, columns, place.x);
  }
};

/* Counts a plane of bytes: blockIdx.z is a cell. Two loads are in flight, the
 * first ones while the table is cleared. */
extern "C" __global__ void
__launch_bounds__ (VH_THREADS)
vh_gradient_bytes (const __grid_constant__ VhKernelParams p)
{
  const VhCell cell = vh_cell (p, blockIdx.z);
  const uint32_t lane = VhBytes::T::lane ();
  VhGradientRows rows (p, cell);
  VhGradientVector vector = { }, next = { };

  vh_begin (p);
  if (!rows.place.done ())
    vector = rows.load ();
  VhBytes::T::clear (blockDim.x);
  __syncthreads ();
  while (!rows.place.done ()) {
    rows.place.next ();
    if (!rows.place.done ())
      next = rows.load ();
    vh_count_gradient (vector, lane);
    vector = next;
  }
  vh_wait_for_previous ();
  __syncthreads ();
  VhBytes::T::merge<VH_COLUMNS> (p, 0, 0, 0, cell.index);
}

/* Counts a frame with one cell; blocks have VH_THREADS and merge in pairs. Only
 * the first vector is loaded in advance, because more would take registers from
 * the next launch. */
extern "C" __global__ void
__launch_bounds__ (VH_THREADS, 2)
vh_gradient_frame (const __grid_constant__ VhKernelParams p)
{
  const uint32_t lane = VhBytes::T::lane ();
  VhGradientRows rows (p, vh_cell (p, 0));
  VhGradientVector vector = { };

  vh_begin (p);
  if (!rows.place.done ())
    vector = rows.load ();
  VhBytes::T::clear (VH_THREADS);
  __syncthreads ();
  while (!rows.place.done ()) {
    vh_count_gradient (vector, lane);
    rows.place.next ();
    if (!rows.place.done ())
      vector = rows.load ();
  }
  vh_wait_for_previous ();
  __syncthreads ();
  vh_merge_columns<VH_THREADS, false> (0,
      [&] (uint32_t, uint32_t pair, uint32_t even, uint32_t odd) {
        vh_add_pair (p, 2 * pair, make_uint2 (even, odd));
      });
}

/* Like VhGradientVector: up to eight words that start at a multiple of 16 bytes
 * in a row, and the word after them. */
struct VhGradientWords
{
  uint4 words;
  uint32_t next;
  const uint16_t *from;
  uint32_t n;                   /* differences; 8 or 7 in a whole vector */
};

static __device__ __forceinline__ VhGradientWords
vh_load_gradient_words (const uint16_t * row, uint32_t columns, uint32_t i)
{
  const uint32_t before = ((uint32_t) (uintptr_t) row & 15) / 2;
  const int32_t begin = (int32_t) (i * VH_GRADIENT_WORDS) - (int32_t) before;
  const uint32_t first = begin > 0 ? begin : 0;
  const uint32_t end = min (begin + VH_GRADIENT_WORDS, (int32_t) columns);
  VhGradientWords vector = { };

  vector.n = end > first ? end - first : 0;
  /* There is a pixel after the last difference. */
  if (begin >= 0 && vector.n >= VH_GRADIENT_WORDS - 1) {
    vector.words = __ldcs ((const uint4 *) (row + begin));
    if (vector.n == VH_GRADIENT_WORDS)
      vector.next = row[end];
  } else {
    vector.from = row + first;
  }
  return vector;
}

/* Counts the difference between the first sample in @words and the second and,
 * if @both, between the second and the sample in the lower half of @next. Words
 * have 16 bits; bits that do not belong to samples are 0. Maximum minus minimum
 * is never negative, so one subtraction does both halves. */
template <bool both, class Counter>
static __device__ __forceinline__ void
vh_count_word_gradients (uint32_t words, uint32_t next, const Counter & counter)
{
  const uint32_t other = __funnelshift_r (words, next, 16);
  const uint32_t gradients =
      __vmaxu2 (words, other) - __vminu2 (words, other);
  char *table = (char *) vh_shared;

  atomicAdd ((uint32_t *) (table + counter.offset (gradients, 0)), 1u);
  if (both)
    atomicAdd ((uint32_t *) (table + counter.offset (gradients, 16)), 1u);
}

template <class Counter>
static __device__ __forceinline__ void
vh_count_gradient_vector (const VhGradientWords & vector, uint32_t mask,
    const Counter & counter)
{
  if (vector.from) {
    for (uint32_t i = 0; i < vector.n; i++) {
      vh_count_word_gradients<false> ((vector.from[i] & mask) |
          (vector.from[i + 1] & mask) << 16, 0, counter);
    }
  } else {
    const uint32_t masks = mask | mask << 16;
    const uint32_t x = vector.words.x & masks, y = vector.words.y & masks;
    const uint32_t z = vector.words.z & masks, w = vector.words.w & masks;

    vh_count_word_gradients<true> (x, y, counter);
    vh_count_word_gradients<true> (y, z, counter);
    vh_count_word_gradients<true> (z, w, counter);
    vh_count_word_gradients<false> (w, 0, counter);
    if (vector.n == VH_GRADIENT_WORDS)
      vh_count_word_gradients<false> (w >> 16 | (vector.next & mask) << 16, 0,
          counter);
  }
}

template <class Counter>
static __device__ __forceinline__ void
vh_count_gradient_words (const VhKernelParams & p, const VhCell & cell,
    const Counter counter)
{
  const VhKernelComponent & c = p.component[0];
  const uint32_t mask = ((1u << p.depth) - 1) << c.shift;
  const uint32_t columns = vh_gradient_columns (p, cell);
  /* Rows may start anywhere in their first vector. */
  const uint32_t per_row = (columns + VH_GRADIENT_WORDS - 1) /
      VH_GRADIENT_WORDS + 1;
  const uint8_t *data = (const uint8_t *) c.data + cell.y * c.stride +
      (uint64_t) cell.x * sizeof (uint16_t);
  VhPlace place (per_row, cell.height, vh_thread (), vh_threads ());
  VhGradientWords vector = { }, next = { };
  auto load = [&] {
    return vh_load_gradient_words ((const uint16_t *) (data +
            place.y * c.stride), columns, place.x);
  };

  if (!place.done ())
    vector = load ();
  vh_clear_shared (p.bins * p.copies);
  while (!place.done ()) {
    place.next ();
    if (!place.done ())
      next = load ();
    vh_count_gradient_vector (vector, mask, counter);
    vector = next;
  }
}

/* Counts a plane of 16-bit words. */
extern "C" __global__ void
__launch_bounds__ (VH_THREADS, 2)
vh_gradient_words (const __grid_constant__ VhKernelParams p)
{
  const VhShare share (p);

  vh_begin (p);
  if ((p.bins & (p.bins - 1)) == 0) {
    vh_count_gradient_words (p, share.cell, UpperBits (p, p.component[0]));
  } else {
    vh_count_gradient_words (p, share.cell, Scaled (p, p.component[0]));
  }
  add_copies (p, share, (const uint32_t *) vh_shared);
}

/* Calls @count with the bin of each gradient of this thread's share. */
template <class Count>
static __device__ __forceinline__ void
vh_each_gradient (const VhKernelParams & p, const VhCell & cell, Count count)
{
  const uint32_t columns = vh_gradient_columns (p, cell);
  const uint32_t per_row = (columns + VH_GRADIENT_PIXELS - 1) /
      VH_GRADIENT_PIXELS;

  for (VhPlace place (per_row, cell.height, vh_thread (), vh_threads ());
      !place.done (); place.next ()) {
    const uint32_t first = place.x * VH_GRADIENT_PIXELS;
    const uint32_t end = min (first + VH_GRADIENT_PIXELS, columns);
    uint32_t left[VH_KERNEL_CHANNELS], right[VH_KERNEL_CHANNELS];

    vh_load_pixel (p, 1, cell.x + first, cell.y + place.y, left);
    for (uint32_t x = first; x < end; x++) {
      vh_load_pixel (p, 1, cell.x + x + 1, cell.y + place.y, right);
      count (vh_bin (p, abs ((int32_t) right[0] - (int32_t) left[0])));
      left[0] = right[0];
    }
  }
}

/* Counts any pixels: in a table per block in shared memory if it fits,
 * otherwise in the sums of all blocks. */
extern "C" __global__ void
__launch_bounds__ (VH_THREADS)
vh_gradient_pixels (const __grid_constant__ VhKernelParams p)
{
  const VhCell cell = vh_cell (p, blockIdx.z);
  uint32_t *sums = vh_accumulators (p, 0, cell.index);

  vh_begin (p);
  if (p.copies > 0) {
    uint32_t *table = (uint32_t *) vh_shared;

    vh_clear (table, p.bins);
    vh_each_gradient (p, cell, [&] (uint32_t bin) {
      atomicAdd ((uint32_t *) vh_shared + bin, 1u);
    });
    vh_wait_for_previous ();
    __syncthreads ();
    for (uint32_t i = threadIdx.x; i < p.bins; i += blockDim.x) {
      if (table[i])
        atomicAdd (sums + i, table[i]);
    }
  } else {
    vh_wait_for_previous ();
    vh_each_gradient (p, cell, [&] (uint32_t bin) {
      atomicAdd (sums + bin, 1u);
    });
  }
  vh_deliver_all (p);
}
