/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts in a column per lane, for whole frames that take so little time to
 * read that everything else dominates. The host therefore computes where the
 * vectors of a frame are, in a few words that a block reads from one cache
 * line; there is no grid of cells; and blocks merge once, in words of two
 * counters. One launch can count several planes. */
#include "columns.cuh"

/* Adds the counts of two codes to those of the other blocks; the last block
 * delivers them. Each channel has separate words. */
static __device__ __forceinline__ void
add_pair (const VhKernelFrame & f, uint32_t channel, uint32_t pair,
    uint32_t even, uint32_t odd)
{
  uint2 count = make_uint2 (even, odd);

  if (vh_add_two<VH_KERNEL_FRAME_BITS> (f.accumulators + channel *
          VH_KERNEL_FRAME_WORDS * sizeof (unsigned long long), pair, f.blocks,
          &count))
    vh_deliver_two (f, channel * VH_CODES / 2 + pair, count);
}

/* Calls @pixel for the pixels outside vectors: a few at the ends of each
 * row. */
template <class Source, uint32_t threads, class Pixel>
static __device__ __forceinline__ void
each_end (const VhKernelFrame & f, Pixel pixel)
{
  const uint32_t head = f.head / Source::pixel_bytes;
  const uint32_t ends = head + f.tail / Source::pixel_bytes;
  const uint32_t vector_bytes = Source::vector_words * 16;

  for (uint32_t i = blockIdx.x * threads + threadIdx.x; i < f.rows * ends;
      i += f.blocks * threads) {
    const uint32_t y = i / ends, end = i - y * ends;
    const uint8_t *row = (const uint8_t *) f.data + (uint64_t) y * f.stride;

    pixel (end < head ? row - (head - end) * Source::pixel_bytes :
        row + f.row_vectors * vector_bytes + (end - head) *
        Source::pixel_bytes);
  }
}

/* Counts this block's share of frame @f in its tables, and waits for the
 * previous launch, whose blocks may still be merging. Threads take vectors in
 * turns, with @under_way in flight; the first ones are loaded while the tables
 * are cleared. Each vector is read once, so the innermost cache need not keep
 * it.
 *
 * A frame marked as complete was complete when the host requested the launch.
 * There is then nothing to wait for, and no cache has old data of a buffer that
 * a pool reused. Any other frame may be the work of the previous launch. */
template <class Source, uint32_t threads, uint32_t under_way, class Params>
static __device__ __forceinline__ void
count_frame (const VhKernelFrame & f, const Params & p)
{
  const uint32_t words = Source::vector_words;
  const uint32_t lane = Source::T::lane ();
  const uint32_t step = f.blocks * threads;
  uint4 v[under_way][words];
  uint32_t i = blockIdx.x * threads + threadIdx.x;
  auto load = [&] {
#pragma unroll
    for (uint32_t k = 0; k < under_way; k++) {
      const uint32_t n = i + k * step;

      if (n < f.vectors) {
        const uint32_t y = __umulhi (n, f.row_inverse);
        const uint4 *at = (const uint4 *) (f.data + (uint64_t) y * f.stride) +
            (n - y * f.row_vectors) * words;

#pragma unroll
        for (uint32_t j = 0; j < words; j++)
          v[k][j] = __ldcg (at + j);
      }
    }
  };

  vh_let_next_begin ();
  if (!f.complete)
    vh_wait_for_previous ();
  load ();
  Source::T::clear (threads);
  __syncthreads ();
  while (true) {
#pragma unroll
    for (uint32_t k = 0; k < under_way; k++) {
      if (i + k * step < f.vectors)
        Source::vector (p, v[k], lane);
    }
    i += under_way * step;
    if (i >= f.vectors)
      break;
    load ();
  }
  if (f.head + f.tail > 0) {
    each_end<Source, threads> (f, [&] (const uint8_t * pixel) {
          Source::pixel (p, pixel, lane);
        });
  }
  vh_wait_for_previous ();
  __syncthreads ();
}

/* Counts a plane of 8-bit samples. */
template <uint32_t under_way>
static __device__ __forceinline__ void
count_plane (const VhKernelFrame & f)
{
  count_frame<VhBytes, VH_THREADS, under_way> (f, f);
  vh_merge_columns<VH_THREADS, false> (0,
      [&] (uint32_t, uint32_t pair, uint32_t even, uint32_t odd) {
        add_pair (f, 0, pair, even, odd);
      });
}

extern "C" __global__ void
__launch_bounds__ (VH_THREADS, 2)
vh_frame_columns_plane (const __grid_constant__ VhKernelFrame f)
{
  count_plane<1> (f);
}

/* Counts one of several planes: blockIdx.y says which. Some may have fewer
 * blocks than others. */
template <class Frames>
static __device__ __forceinline__ void
count_planes (const Frames & p)
{
  const VhKernelFrame & f = p.frame[blockIdx.y];

  if (blockIdx.x < f.blocks)
    count_plane<2> (f);
}

extern "C" __global__ void
__launch_bounds__ (VH_THREADS, 2)
vh_frame_columns_planes (const __grid_constant__ VhKernelPlanes p)
{
  count_planes (p);
}

/* Counts planes of many frames. Has its own type of parameters, which is much
 * larger: a launch transfers all of its parameters, even unused ones. */
extern "C" __global__ void
__launch_bounds__ (VH_THREADS, 2)
vh_frame_columns_batch (const __grid_constant__ VhKernelFrames p)
{
  count_planes (p);
}

/* Luma of packed 4:2:2. */
extern "C" __global__ void
__launch_bounds__ (VH_THREADS, 2)
vh_frame_columns_pairs (const __grid_constant__ VhKernelPackedFrame p)
{
  count_frame<VhPairs, VH_THREADS, 1> (p.frame, p);
  vh_merge_columns<VH_THREADS, false> (0,
      [&] (uint32_t, uint32_t pair, uint32_t even, uint32_t odd) {
        add_pair (p.frame, 0, pair, even, odd);
      });
}

/* Packed pixels with three components. Table 0 holds the first two of them,
 * table 1 the third, alone or with luma, as in VhPacked. */
template <template <VhWanted> class Source, VhWanted wanted, uint32_t threads,
    uint32_t under_way>
static __device__ __forceinline__ void
count_packed_frame (const VhKernelPackedFrame & p)
{
  const uint32_t first_of_table = 2;
  uint32_t table = 0;
  auto add = [&] (uint32_t half, uint32_t pair, uint32_t even, uint32_t odd) {
    const uint32_t channel = wanted == VH_WANT_LUMA ? 0 :
        p.place[table * first_of_table + half];

    if (channel != VH_KERNEL_NOT_COUNTED)
      add_pair (p.frame, channel, pair, even, odd);
  };

  count_frame<Source<wanted>, threads, under_way> (p.frame, p);
  vh_merge_columns<threads, wanted != VH_WANT_LUMA> (0, add);
  if (wanted != VH_WANT_LUMA) {
    table = 1;
    vh_merge_columns<threads, wanted == VH_WANT_BOTH> (1, add);
  }
}

#define PACKED_FRAME_KERNEL(name, source, wanted, threads, under_way) \
  extern "C" __global__ void \
  __launch_bounds__ (threads, 2) \
  vh_frame_columns_##name (const __grid_constant__ VhKernelPackedFrame p) \
  { \
    count_packed_frame<source, wanted, threads, under_way> (p); \
  }

PACKED_FRAME_KERNEL (packed4_luma, VhPacked4, VH_WANT_LUMA, VH_THREADS, 2)
PACKED_FRAME_KERNEL (packed4_rgb, VhPacked4, VH_WANT_COMPONENTS, VH_THREADS, 2)
PACKED_FRAME_KERNEL (packed4_both, VhPacked4, VH_WANT_BOTH, VH_THREADS, 2)
PACKED_FRAME_KERNEL (packed3_luma, VhPacked3, VH_WANT_LUMA, VH_THREADS, 1)
PACKED_FRAME_KERNEL (packed3_rgb, VhPacked3, VH_WANT_COMPONENTS, VH_THREADS, 1)
PACKED_FRAME_KERNEL (packed3_both, VhPacked3, VH_WANT_BOTH, VH_THREADS, 1)
