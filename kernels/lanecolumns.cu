/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts in a column per lane, for 8-bit samples. They are read in 16-byte
 * vectors, and the pixels left at the ends of a row one by one. */
#include "columns.cuh"
#include "vectors.cuh"

/* Counts the cell of this block. */
template <class Source>
static __device__ __forceinline__ void
count_cell (const VhKernelParams & p, const VhKernelComponent & c,
    const VhCell & cell)
{
  const uint32_t lane = Source::T::lane ();
  /* The host has set c.data to the first byte of a pixel even if the component
   * is a later byte of it: see takes_pairs() and takes_packed4() in
   * src/cuda/choose.c. */
  const uint8_t *data = (const uint8_t *) c.data +
      (uint64_t) cell.y * c.stride + cell.x * Source::pixel_bytes;

  vh_begin (p);
  vh_each_vector<Source::pixel_bytes, Source::vector_words> (data, c.stride,
      cell.width, cell.height,
      [] {
        Source::T::clear (blockDim.x);
        __syncthreads ();
      },
      [&] (const uint4 * v) {
        Source::vector (p, v, lane);
      },
      [&] (const uint8_t * pixel) {
        Source::pixel (p, pixel, lane);
      });
  vh_wait_for_previous ();
  __syncthreads ();
}

/* Counts planes of 8-bit samples: blockIdx.y is the index of a counted channel,
 * blockIdx.z a cell. Each channel equals a component. */
extern "C" __global__ void
__launch_bounds__ (VH_THREADS, 2)
vh_lane_columns_planes (const __grid_constant__ VhKernelParams p)
{
  const VhCell cell = vh_cell (p, blockIdx.z);
  uint32_t channel = 0, n = blockIdx.y;

  while (!(p.channels & (1u << channel)) || n-- > 0)
    channel++;

  count_cell<VhBytes> (p, p.component[channel == 0 ? 0 : channel - 1], cell);
  VhBytes::T::merge<VH_COLUMNS> (p, 0, 0, channel, cell.index);
}

/* Luma of packed 4:2:2. */
extern "C" __global__ void
__launch_bounds__ (VH_THREADS, 2)
vh_lane_columns_pairs (const __grid_constant__ VhKernelParams p)
{
  const VhCell cell = vh_cell (p, blockIdx.z);

  count_cell<VhPairs> (p, p.component[0], cell);
  VhPairs::T::merge<VH_COLUMNS> (p, 0, 0, 0, cell.index);
}

/* Packed pixels with three components. */
template <class Source>
static __device__ __forceinline__ void
count_packed (const VhKernelParams & p)
{
  const VhCell cell = vh_cell (p, blockIdx.z);

  count_cell<Source> (p, p.component[0], cell);
  Source::P::merge (p, cell.index);
}

extern "C" __global__ void
__launch_bounds__ (VH_THREADS, 2)
vh_lane_columns_packed4_luma (const __grid_constant__ VhKernelParams p)
{
  count_packed<VhPacked4<VH_WANT_LUMA>> (p);
}

extern "C" __global__ void
__launch_bounds__ (VH_THREADS, 2)
vh_lane_columns_packed4_rgb (const __grid_constant__ VhKernelParams p)
{
  count_packed<VhPacked4<VH_WANT_COMPONENTS>> (p);
}

extern "C" __global__ void
__launch_bounds__ (VH_THREADS, 2)
vh_lane_columns_packed4_both (const __grid_constant__ VhKernelParams p)
{
  count_packed<VhPacked4<VH_WANT_BOTH>> (p);
}

extern "C" __global__ void
__launch_bounds__ (VH_THREADS < 768 ? VH_THREADS : 768, 2)
vh_lane_columns_packed3_luma (const __grid_constant__ VhKernelParams p)
{
  count_packed<VhPacked3<VH_WANT_LUMA>> (p);
}

extern "C" __global__ void
__launch_bounds__ (VH_THREADS < 768 ? VH_THREADS : 768, 2)
vh_lane_columns_packed3_rgb (const __grid_constant__ VhKernelParams p)
{
  count_packed<VhPacked3<VH_WANT_COMPONENTS>> (p);
}

extern "C" __global__ void
__launch_bounds__ (VH_THREADS < 768 ? VH_THREADS : 768, 2)
vh_lane_columns_packed3_both (const __grid_constant__ VhKernelParams p)
{
  count_packed<VhPacked3<VH_WANT_BOTH>> (p);
}
