/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Red, green and blue of 8-bit YUV 4:2:0, in a column per lane: the chroma of
 * two rows is read once, and what it adds to each colour is computed once for
 * the four pixels that share it. */
#include "columns.cuh"

/* Pixels of a row that a thread takes at a time, of two rows. */
#define VH_YUV_PIXELS 8

/* Two rows of luma, and the chroma between them: U and V in turns. */
struct VhYuvPixels
{
  uint2 luma[2];
  uint2 chroma;
  uint32_t rows;                /* 1 where the second is below the region */
};

/* The lower 8 bits of both 16-bit halves of @a and @b, in turns. */
static __device__ __forceinline__ uint2
vh_interleave (uint32_t a, uint32_t b)
{
  return make_uint2 (__byte_perm (a, b, 0x5140), __byte_perm (a, b, 0x7362));
}

/* The pixels of number @n: 8 columns after the other, then two rows. */
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

/* A code value of 8 bits from one in fixed point. */
static __device__ __forceinline__ uint32_t
vh_code_of_fixed (const VhKernelParams & p, int32_t value)
{
  return min (max (value >> p.yuv_shift, 0), 255);
}

/* What chroma adds to the colours of a pixel, in fixed point. */
struct VhChromaTerms
{
  int32_t red, green, blue;
};

/* Luma is byte @i of @word. */
template <VhWanted wanted>
static __device__ __forceinline__ void
vh_count_yuv_pixel (const VhKernelParams & p, uint32_t word, uint32_t i,
    const VhChromaTerms & terms, uint32_t lane)
{
  const uint32_t y = (word >> (8 * i)) & 0xff;
  const int32_t luma = (int32_t) y * p.y_scale;
  const uint32_t red = vh_code_of_fixed (p, luma + terms.red);
  const uint32_t green = vh_code_of_fixed (p, luma + terms.green);
  const uint32_t blue = vh_code_of_fixed (p, luma + terms.blue);

  VhPacked<wanted>::count_values (red | green << 8 | blue << 16, y, lane);
}

template <VhWanted wanted>
static __device__ __forceinline__ void
vh_count_yuv (const VhKernelParams & p, const VhYuvPixels & pixels,
    uint32_t lane)
{
  /* 8 bits and coefficients of 16 need no more than 32. */
  const int32_t black = (1 << (p.yuv_shift - 1)) - p.y_offset * p.y_scale;
  const uint32_t chroma[2] = {pixels.chroma.x, pixels.chroma.y};

#pragma unroll
  for (uint32_t k = 0; k < 4; k++) {
    const uint32_t uv = chroma[k / 2] >> (16 * (k % 2));
    const int32_t u = (int32_t) (uv & 0xff) - p.c_offset;
    const int32_t v = (int32_t) (uv >> 8 & 0xff) - p.c_offset;
    const VhChromaTerms terms = {
      black + v * p.rv, black + u * p.gu + v * p.gv, black + u * p.bu
    };

#pragma unroll
    for (uint32_t row = 0; row < 2; row++) {
      const uint32_t word = k < 2 ? pixels.luma[row].x : pixels.luma[row].y;

      if (row < pixels.rows) {
        vh_count_yuv_pixel<wanted> (p, word, 2 * (k % 2), terms, lane);
        vh_count_yuv_pixel<wanted> (p, word, 2 * (k % 2) + 1, terms, lane);
      }
    }
  }
}

/* The frame, in one cell. The next load is in flight while one is counted, and
 * the first while the tables are cleared. */
template <VhWanted wanted>
static __device__ __forceinline__ void
vh_count_yuv_frame (const VhKernelParams & p)
{
  typedef typename VhPacked<wanted>::T T;
  const uint32_t all = p.width / VH_YUV_PIXELS * ((p.height + 1) / 2);
  const uint32_t threads = gridDim.x * blockDim.x;
  const uint32_t lane = T::lane ();
  uint32_t n = blockIdx.x * blockDim.x + threadIdx.x;
  VhYuvPixels pixels = { }, next = { };

  vh_begin (p);
  if (n < all)
    pixels = vh_load_yuv (p, n);
  T::clear (blockDim.x);
  __syncthreads ();
  for (; n < all; n += threads) {
    if (n + threads < all)
      next = vh_load_yuv (p, n + threads);
    vh_count_yuv<wanted> (p, pixels, lane);
    pixels = next;
  }
  vh_wait_for_previous ();
  __syncthreads ();
  VhPacked<wanted>::merge (p, 0);
}

extern "C" __global__ void
__launch_bounds__ (VH_THREADS)
vh_yuv_columns_rgb (const __grid_constant__ VhKernelParams p)
{
  vh_count_yuv_frame<VH_WANT_COMPONENTS> (p);
}

extern "C" __global__ void
__launch_bounds__ (VH_THREADS)
vh_yuv_columns_both (const __grid_constant__ VhKernelParams p)
{
  vh_count_yuv_frame<VH_WANT_BOTH> (p);
}
