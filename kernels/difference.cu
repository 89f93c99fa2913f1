/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares a frame with a kept one, and copies it so that it can be kept too:
 * each sample is read once. */
#include "common.cuh"
#include "share.cuh"

#define VH_DIFFERENCE_VECTOR 16

/* Loads 16 bytes of a row from any address; only @n of them exist. */
static __device__ uint4
vh_load_bytes (const uint8_t * from, uint32_t n)
{
  uint32_t word[4] = { };

  for (uint32_t i = 0; i < n; i++)
    word[i / 4] |= (uint32_t) from[i] << (8 * (i % 4));
  return make_uint4 (word[0], word[1], word[2], word[3]);
}

/* Loads eight samples, each in a 32-bit word, as 16-bit words. Only @n of them
 * exist. */
static __device__ uint4
vh_load_words (const VhKernelRun & run, const uint8_t * from, uint32_t n)
{
  uint32_t word[4] = { };

  for (uint32_t i = 0; i < n; i++) {
    const uint8_t *bytes = from + (uint64_t) i * run.pixel_stride;
    const uint32_t whole =
        vh_load_bytes (bytes, sizeof (uint32_t)).x;

    word[i / 2] |= (whole >> run.shift & run.code_mask) << (16 * (i % 2));
  }
  return make_uint4 (word[0], word[1], word[2], word[3]);
}

/* Loads vector @x of row @y of the frame. */
static __device__ __forceinline__ uint4
vh_load_run (const VhKernelRun & run, uint32_t x, uint32_t y)
{
  const uint32_t at = x * VH_DIFFERENCE_VECTOR;
  const uint32_t n = min (run.row_bytes - at, VH_DIFFERENCE_VECTOR);
  const uint8_t *row = (const uint8_t *) run.data + y * run.stride;
  uint4 v;

  if (run.pixel_stride)
    return vh_load_words (run, row + at / 2 * run.pixel_stride, n / 2);
  if (run.aligned && n == VH_DIFFERENCE_VECTOR)
    v = __ldcs ((const uint4 *) (row + at));
  else
    v = vh_load_bytes (row + at, n);
  v.x &= run.mask[0];
  v.y &= run.mask[1];
  v.z &= run.mask[0];
  v.w &= run.mask[1];
  return v;
}

/* Makes the ignored bytes of @v equal to those of @kept. */
static __device__ void
vh_ignore (const VhKernelRun & run, uint32_t x, uint32_t y, uint4 * v,
    const uint4 & kept)
{
  const uint32_t first = x * VH_DIFFERENCE_VECTOR;
  uint32_t word[4] = { v->x, v->y, v->z, v->w };
  const uint32_t other[4] = { kept.x, kept.y, kept.z, kept.w };

  for (uint32_t i = 0; i < run.n_ignored; i++) {
    const VhKernelIgnored & rect = run.ignored[i];

    if (y - rect.y >= rect.rows || first + VH_DIFFERENCE_VECTOR <= rect.from
        || first >= rect.end)
      continue;
    for (uint32_t k = 0; k < VH_DIFFERENCE_VECTOR; k++) {
      const uint32_t mask = 0xffu << (8 * (k % 4));

      if (first + k >= rect.from && first + k < rect.end)
        word[k / 4] = (word[k / 4] & ~mask) | (other[k / 4] & mask);
    }
  }
  *v = make_uint4 (word[0], word[1], word[2], word[3]);
}

/* The sum of the differences between the two 16-bit words in @a and those in
 * @b. It includes the bits below a sample in its word: see vh_take_run(). */
static __device__ __forceinline__ uint32_t
vh_word_difference (const VhKernelRun & run, uint32_t a, uint32_t b)
{
  if (run.swap) {
    a = __byte_perm (a, 0, 0x2301);
    b = __byte_perm (b, 0, 0x2301);
  }
  return abs ((int32_t) (a & 0xffff) - (int32_t) (b & 0xffff)) +
      abs ((int32_t) (a >> 16) - (int32_t) (b >> 16));
}

static __device__ __forceinline__ uint32_t
vh_vector_difference (const VhKernelRun & run, const uint4 & a,
    const uint4 & b)
{
  if (run.sample_bytes == 1) {
    const uint32_t ones = 0x01010101;
    uint32_t sum = __dp4a (__vabsdiffu4 (a.x, b.x), ones, 0u);

    sum = __dp4a (__vabsdiffu4 (a.y, b.y), ones, sum);
    sum = __dp4a (__vabsdiffu4 (a.z, b.z), ones, sum);
    return __dp4a (__vabsdiffu4 (a.w, b.w), ones, sum);
  }
  return vh_word_difference (run, a.x, b.x) + vh_word_difference (run, a.y, b.y)
      + vh_word_difference (run, a.z, b.z) + vh_word_difference (run, a.w, b.w);
}

/* Returns this thread's sum of differences; processes four vectors of a run at
 * a time. */
static __device__ __forceinline__ uint64_t
vh_take_run (const VhKernelRun & run)
{
  const uint32_t in_flight = 4;
  VhPlace place (run.row_vectors, run.rows, vh_thread (), vh_threads ());
  uint64_t sum = 0;

  while (!place.done ()) {
    uint4 now[in_flight], kept[in_flight];
    uint32_t x[in_flight], y[in_flight], n = 0;

#pragma unroll
    for (uint32_t k = 0; k < in_flight; k++) {
      if (place.done ())
        continue;
      x[k] = place.x;
      y[k] = place.y;
      now[k] = vh_load_run (run, x[k], y[k]);
      if (run.kept)
        kept[k] = ((const uint4 *) run.kept)[y[k] * run.row_vectors + x[k]];
      n = k + 1;
      place.next ();
    }
#pragma unroll
    for (uint32_t k = 0; k < in_flight; k++) {
      if (k >= n)
        continue;
      ((uint4 *) run.copy)[y[k] * run.row_vectors + x[k]] = now[k];
      if (!run.kept)
        continue;
      if (run.n_ignored)
        vh_ignore (run, x[k], y[k], &now[k], kept[k]);
      sum += vh_vector_difference (run, now[k], kept[k]);
    }
  }
  return sum >> (run.pixel_stride ? 0 : run.shift);
}

/* Each result adds up 16 bits of the blocks' sums; the first result has the
 * lowest bits. A result has room for 65,536 blocks. */
extern "C" __global__ void
__launch_bounds__ (VH_THREADS)
vh_difference (const __grid_constant__ VhDifferenceParams p)
{
  __shared__ unsigned long long total;
  const uint32_t n_sums = 4;
  unsigned long long sum = 0;

  vh_let_next_begin ();
  vh_wait_for_previous ();
  if (threadIdx.x == 0)
    total = 0;
  __syncthreads ();
  for (uint32_t i = 0; i < p.n_runs; i++)
    sum += vh_take_run (p.run[i]);
  for (uint32_t i = VH_WARP / 2; i > 0; i /= 2)
    sum += __shfl_xor_sync (VH_ALL_LANES, sum, i);
  if (vh_lane () == 0 && sum)
    atomicAdd (&total, sum);
  __syncthreads ();
  if (p.frame.n_results && threadIdx.x < n_sums) {
    vh_add (p.frame, threadIdx.x,
        (uint32_t) (total >> (16 * threadIdx.x)) & 0xffff);
  }
}
