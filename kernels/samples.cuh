/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The value of any channel at any pixel, of any layout of samples. */
#pragma once

#include "common.cuh"

/* The code value of the sample of component @c for pixel (@x, @y) of the
 * planes. */
static __device__ __forceinline__ uint32_t
vh_load_sample (const VhKernelParams & p, const VhKernelComponent & c,
    uint32_t x, uint32_t y)
{
  const uint8_t *data = (const uint8_t *) c.data +
      (uint64_t) (y >> c.h_sub) * c.stride +
      (uint64_t) (x >> c.w_sub) * c.pixel_stride;
  uint32_t word;

  if (c.sample_bytes == 1)
    word = *data;
  else if (c.sample_bytes == 4)
    word = data[0] | data[1] << 8 | data[2] << 16 | (uint32_t) data[3] << 24;
  else if (((uint32_t) (uintptr_t) data & 1) == 0)
    word = *(const uint16_t *) data;
  else
    word = data[0] | data[1] << 8;

  if (p.big_endian)
    word = ((word & 0xff) << 8) | (word >> 8);
  return (word >> c.shift) & ((1u << p.depth) - 1);
}

static __device__ __forceinline__ uint32_t
vh_clamp_code (int64_t value, uint32_t depth)
{
  const int64_t max = (1 << depth) - 1;

  return (uint32_t) (value < 0 ? 0 : value > max ? max : value);
}

/* Values of the given @channels at one pixel. */
static __device__ __forceinline__ void
vh_load_pixel (const VhKernelParams & p, uint32_t channels, uint32_t x,
    uint32_t y, uint32_t value[VH_KERNEL_CHANNELS])
{
  const uint32_t rgb = channels >> 1;

  if (p.model == VH_KERNEL_RGB) {
#pragma unroll
    for (uint32_t i = 0; i < 3; i++) {
      if ((rgb & (1u << i)) || (channels & 1))
        value[1 + i] = vh_load_sample (p, p.component[i], x, y);
    }
    if (channels & 1) {
      value[0] = (p.weight[0] * value[1] + p.weight[1] * value[2] +
          p.weight[2] * value[3] + 32768) >> 16;
    }
  } else {
    value[0] = vh_load_sample (p, p.component[0], x, y);
    if (rgb) {
      const int64_t half = (int64_t) 1 << (p.yuv_shift - 1);
      const int64_t luma = (int64_t) ((int32_t) value[0] - p.y_offset) *
          p.y_scale + half;
      int64_t u = 0, v = 0;

      if (p.model == VH_KERNEL_YUV) {
        u = (int32_t) vh_load_sample (p, p.component[1], x, y) - p.c_offset;
        v = (int32_t) vh_load_sample (p, p.component[2], x, y) - p.c_offset;
      }
      value[1] = vh_clamp_code ((luma + v * p.rv) >> p.yuv_shift, p.depth);
      value[2] = vh_clamp_code ((luma + u * p.gu + v * p.gv) >> p.yuv_shift,
          p.depth);
      value[3] = vh_clamp_code ((luma + u * p.bu) >> p.yuv_shift, p.depth);
    }
  }
}

/* The accumulators of one channel in one cell. */
static __device__ __forceinline__ uint32_t *
vh_accumulators (const VhKernelParams & p, uint32_t channel, uint32_t cell)
{
  return (uint32_t *) p.accumulators + vh_first_result (p, channel, cell);
}
