/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts red, green and blue of 8-bit YUV 4:2:0 in a column per lane: the
 * chroma of two rows is read once, and its contribution to each colour is
 * computed once for the four pixels that share it. */
#include "columns.cuh"

/* Pixels per row that a thread processes at a time, in two rows. */
#define VH_YUV_PIXELS 8

/* Two rows of luma, and the chroma that they share: interleaved U and V. */
struct VhYuvPixels
{
  uint2 luma[2];
  uint2 chroma;
  uint32_t rows;                /* 1 if the second is below the region */
};

/* Interleaves the bytes of @a and @b. */
static __device__ __forceinline__ uint2
vh_interleave (uint32_t a, uint32_t b)
{
  return make_uint2 (__byte_perm (a, b, 0x5140), __byte_perm (a, b, 0x7362));
}

/* Loads the pixels with number @n: numbers go along rows, in groups of 8
 * columns and two rows. */
static __device__ __forceinline__ VhYuvPixels
vh_load_yuv (const VhKernelParams & p, uint32_t n)
{
  const uint32_t columns = p.width / VH_YUV_PIXELS;
  const uint32_t row = n / columns, column = n - row * columns;
  const VhKernelComponent & y = p.component[0];
  const VhKernelComponent & u = p.component[1];
  const VhKernelComponent & v = p.component[2];
  const uint8_t *luma = (const uint8_t *) y.data +
      (uint64_t) (p.y + 2 * row) * y.stride + p.x + VH_YUV_PIXELS * column;
  const uint64_t chroma = (uint64_t) (p.y / 2 + row) * u.stride +
      (p.x + VH_YUV_PIXELS * column) / 2 * u.pixel_stride;
  VhYuvPixels pixels;

  pixels.rows = min (p.height - 2 * row, 2u);
  pixels.luma[0] = __ldcs ((const uint2 *) luma);
  pixels.luma[1] = pixels.rows > 1 ?
      __ldcs ((const uint2 *) (luma + y.stride)) : make_uint2 (0, 0);
  if (u.pixel_stride == 1) {
    pixels.chroma = vh_interleave (
        __ldcs ((const uint32_t *) (u.data + chroma)),
        __ldcs ((const uint32_t *) (v.data + chroma)));
  } else if (u.data < v.data) {
    pixels.chroma = __ldcs ((const uint2 *) (u.data + chroma));
  } else {
    const uint2 vu = __ldcs ((const uint2 *) (v.data + chroma));

    pixels.chroma = make_uint2 (__byte_perm (vu.x, 0, 0x2301),
        __byte_perm (vu.y, 0, 0x2301));
  }
  return pixels;
}

/* Colours of a pixel in fixed point with 16 fractional bits, or the
 * contribution of chroma to them. */
struct VhFixedColors
{
  int32_t red, green, blue;
};

/* Tables as for packed pixels. */
template <VhWanted wanted>
struct VhYuvPacked
{
  typedef VhPacked<wanted> P;

  static __device__ __forceinline__ uint32_t
  code (int32_t value)
  {
    return __vimin_s32_relu (value >> 16, 255);
  }

  static __device__ __forceinline__ void
  clear ()
  {
    P::T::clear (blockDim.x);
  }

  static __device__ __forceinline__ void
  count (const VhFixedColors & colors, uint32_t luma)
  {
    P::count_values (code (colors.red) | code (colors.green) << 8 |
        code (colors.blue) << 16, luma, P::T::lane ());
  }

  static __device__ __forceinline__ void
  merge (const VhKernelParams & p)
  {
    P::merge (p, 0);
  }
};

/* Two tables of 64 KiB, each with rows of 32 columns for one channel and 32 for
 * another. A row has 256 bytes, so that the byte of a code within its word,
 * moved to the second lowest byte, is the offset of its row. */
template <VhWanted wanted>
struct VhYuvWide
{
  static const uint32_t table = VH_CODES * 2 * VH_COLUMNS;      /* words */

  static __device__ __forceinline__ void
  clear ()
  {
    for (uint32_t i = threadIdx.x; i < 2 * table / 4; i += blockDim.x)
      vh_shared[i] = make_uint4 (0, 0, 0, 0);
  }

  /* Counts byte @i of @word for channel @n: the other bytes of the address come
   * from the lane. */
  template <int i>
  static __device__ __forceinline__ void
  add_byte (uint32_t word, uint32_t n)
  {
    const uint32_t lane = threadIdx.x % VH_COLUMNS * 4;
    const uint32_t place = __byte_perm (word, lane, 0x5504 | i << 4);

    atomicAdd ((uint32_t *) ((char *) vh_shared + place) + n / 2 * table +
        n % 2 * VH_COLUMNS, 1u);
  }

  static __device__ __forceinline__ void
  add_fixed (int32_t value, uint32_t n)
  {
    add_byte<2> (__vimin_s32_relu (value, (1 << 24) - 1), n);
  }

  static __device__ __forceinline__ void
  count (const VhFixedColors & colors, uint32_t luma)
  {
    add_fixed (colors.red, 1);
    add_fixed (colors.green, 2);
    add_fixed (colors.blue, 3);
    if (wanted == VH_WANT_BOTH)
      add_byte<0> (luma, 0);
  }

  static __device__ __forceinline__ void
  merge (const VhKernelParams & p)
  {
    const uint32_t *counters = (const uint32_t *) vh_shared;

    for (uint32_t i = threadIdx.x; i < VH_KERNEL_CHANNELS * VH_CODES;
        i += blockDim.x) {
      const uint32_t channel = i / VH_CODES, code = i % VH_CODES;
      const uint32_t *row = counters + channel / 2 * table +
          (2 * code + channel % 2) * VH_COLUMNS;
      uint32_t sum = 0;

      if (!(p.channels & (1u << channel)))
        continue;
#pragma unroll
      for (uint32_t k = 0; k < VH_COLUMNS; k++)
        sum += row[(k + code) % VH_COLUMNS];
      vh_add (p, vh_first_result (p, channel, 0) + code, sum);
    }
  }
};

template <class Tables, uint32_t rows>
static __device__ __forceinline__ void
vh_count_yuv (const VhKernelParams & p, const VhYuvPixels & pixels)
{
  /* 8-bit codes and 16-bit coefficients fit 32-bit arithmetic. */
  const int32_t black = (1 << 15) - p.y_offset * p.y_scale;
  const uint32_t chroma[2] = {pixels.chroma.x, pixels.chroma.y};

#pragma unroll
  for (uint32_t k = 0; k < 4; k++) {
    const uint32_t uv = chroma[k / 2] >> (16 * (k % 2));
    const int32_t u = (int32_t) (uv & 0xff) - p.c_offset;
    const int32_t v = (int32_t) (uv >> 8 & 0xff) - p.c_offset;
    const VhFixedColors terms = {
      black + v * p.rv, black + u * p.gu + v * p.gv, black + u * p.bu
    };

#pragma unroll
    for (uint32_t i = 0; i < 2 * rows; i++) {
      const uint2 row = pixels.luma[i / 2];
      const uint32_t word = k < 2 ? row.x : row.y;
      const uint32_t luma = word >> (16 * (k % 2) + 8 * (i % 2)) & 0xff;
      const int32_t y = (int32_t) luma * p.y_scale;

      Tables::count ({y + terms.red, y + terms.green, y + terms.blue}, luma);
    }
  }
}

/* Counts the frame in one cell. The next load is in flight while one is
 * counted, and the first one while the tables are cleared. */
template <class Tables>
static __device__ __forceinline__ void
vh_count_yuv_frame (const VhKernelParams & p)
{
  const uint32_t all = p.width / VH_YUV_PIXELS * ((p.height + 1) / 2);
  const uint32_t threads = gridDim.x * blockDim.x;
  uint32_t n = blockIdx.x * blockDim.x + threadIdx.x;
  VhYuvPixels pixels = { }, next = { };

  vh_begin (p);
  if (n < all)
    pixels = vh_load_yuv (p, n);
  Tables::clear ();
  __syncthreads ();
  for (; n < all; n += threads) {
    if (n + threads < all)
      next = vh_load_yuv (p, n + threads);
    if (pixels.rows == 2)
      vh_count_yuv<Tables, 2> (p, pixels);
    else
      vh_count_yuv<Tables, 1> (p, pixels);
    pixels = next;
  }
  vh_wait_for_previous ();
  __syncthreads ();
  Tables::merge (p);
}

extern "C" __global__ void
__launch_bounds__ (VH_THREADS)
vh_yuv_columns_rgb (const __grid_constant__ VhKernelParams p)
{
  vh_count_yuv_frame<VhYuvPacked<VH_WANT_COMPONENTS>> (p);
}

extern "C" __global__ void
__launch_bounds__ (VH_THREADS)
vh_yuv_columns_both (const __grid_constant__ VhKernelParams p)
{
  vh_count_yuv_frame<VhYuvPacked<VH_WANT_BOTH>> (p);
}

extern "C" __global__ void
__launch_bounds__ (VH_THREADS)
vh_yuv_columns_wide_rgb (const __grid_constant__ VhKernelParams p)
{
  vh_count_yuv_frame<VhYuvWide<VH_WANT_COMPONENTS>> (p);
}

extern "C" __global__ void
__launch_bounds__ (VH_THREADS)
vh_yuv_columns_wide_both (const __grid_constant__ VhKernelParams p)
{
  vh_count_yuv_frame<VhYuvWide<VH_WANT_BOTH>> (p);
}
