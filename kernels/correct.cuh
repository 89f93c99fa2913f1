/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applies a curve, with the levels that kernels/curve.cu made, to a pixel of
 * any layout of samples. */
#pragma once

#include "share.cuh"

struct VhCorrectLoops
{
  const VhKernelEqualize & p;
  const bool constant;          /* the frame does not change */

  __device__ __forceinline__
  VhCorrectLoops (const VhKernelEqualize & p)
  : p (p),
    constant (__ldcg (&((const VhKernelFrameState *) p.state)
            ->state.constant) != 0)
  {
  }

  /* The level of @bin of a tile; there is one more level than bins. Bypasses
   * the cache of the multiprocessor: in a kernel that does not wait first, it
   * may still hold levels of the previous frame. */
  __device__ __forceinline__ uint32_t
  level (uint32_t tile, uint32_t bin) const
  {
    const uint32_t *levels = (const uint32_t *) p.levels +
        (uint64_t) tile * p.curve.bins;

    return bin < p.curve.bins ? __ldcg (levels + bin) :
        __ldcg (levels + bin - 1) + VH_LEVEL_ONE;
  }

  /* The result of a tile's curve for @code. */
  __device__ __forceinline__ uint32_t
  value (uint32_t tile, uint32_t code) const
  {
    if (p.curve.depth <= VH_CURVE_DEPTH)
      return vh_curve_value (&p.curve, code, level (tile, code), 0);
    const uint32_t bin = code >> (p.curve.depth - VH_CURVE_DEPTH);

    return vh_curve_value (&p.curve, code, level (tile, bin),
        level (tile, bin + 1));
  }

  __device__ __forceinline__ uint32_t
  blend (uint32_t code, uint32_t corrected) const
  {
    return p.curve.strength == VH_SHARE_ONE ? corrected :
        vh_curve_blend (code, corrected, p.curve.strength);
  }

  /* The result for @code at a pixel of the planes. */
  __device__ __forceinline__ uint32_t
  correct (uint32_t code, uint32_t x, uint32_t y) const
  {
    uint32_t left, right, upper, lower;
    float dx, dy;

    if (constant)
      return code;
    if (p.curve.method != VH_CURVE_CLAHE)
      return blend (code, value (0, code));
    dx = vh_curve_between (x - p.frame.x, p.x_inverse, p.curve.columns, &left,
        &right);
    dy = vh_curve_between (y - p.frame.y, p.y_inverse, p.curve.rows, &upper,
        &lower);
    upper *= p.curve.columns;
    lower *= p.curve.columns;
    return blend (code, vh_curve_interpolate (value (upper + left, code),
            value (upper + right, code), value (lower + left, code),
            value (lower + right, code), dx, dy));
  }

  /* Writes the sample of component @i at a pixel. The other bits of its word
   * come from the input frame. */
  __device__ __forceinline__ void
  store (uint32_t i, uint32_t x, uint32_t y, uint32_t code) const
  {
    const VhKernelComponent & in = p.frame.component[i], & out = p.out[i];
    const uint64_t row = y >> in.h_sub;
    const uint64_t column = (uint64_t) (x >> in.w_sub) * in.pixel_stride;
    const uint8_t *from = (const uint8_t *) in.data + row * in.stride + column;
    uint8_t *to = (uint8_t *) out.data + row * out.stride + column;
    const uint32_t bytes = in.sample_bytes;
    const uint32_t mask = ((1u << p.frame.depth) - 1) << in.shift;
    uint32_t word = 0;

    for (uint32_t k = 0; k < bytes && p.frame.depth < 8 * bytes; k++) {
      word |= (uint32_t) from[k] <<
          8 * (p.frame.big_endian ? bytes - 1 - k : k);
    }
    word = (word & ~mask) | code << in.shift;
    for (uint32_t k = 0; k < bytes; k++)
      to[k] = word >> 8 * (p.frame.big_endian ? bytes - 1 - k : k);
  }

  /* The factor for the difference of chroma from grey, for chroma that covers
   * @n pixels with these sums of luma. */
  __device__ __forceinline__ float
  chroma_gain (uint32_t before, uint32_t after, uint32_t n, uint32_t u,
      uint32_t v) const
  {
    const int32_t grey = 1 << (p.frame.depth - 1);
    const uint32_t difference = max (abs ((int32_t) u - grey),
        abs ((int32_t) v - grey));

    return vh_color_limit (vh_color_gain (&p.curve, before, after, n, p.black),
        difference, p.chroma_limit);
  }

  __device__ __forceinline__ uint32_t
  apply_chroma (uint32_t code, float gain) const
  {
    const uint32_t grey = 1u << (p.frame.depth - 1);

    return vh_color_apply (code, grey, gain, 2 * grey - 1);
  }

  /* Corrects three components of RGB, in any order, so that their luma becomes
   * @corrected; @correct corrects a code. */
  template <class Correct>
  __device__ __forceinline__ void
  correct_color (uint32_t luma, uint32_t corrected, uint32_t rgb[3],
      Correct correct) const
  {
    if (p.color == VH_COLOR_CHANNELS) {
      for (uint32_t i = 0; i < 3; i++)
        rgb[i] = correct (rgb[i]);
    } else {
      vh_color_rgb (rgb, p.color == VH_COLOR_KEEP, luma, corrected, p.black,
          p.white, (1u << p.frame.depth) - 1);
    }
  }

  __device__ __forceinline__ void
  pixel (uint32_t x, uint32_t y) const
  {
    uint32_t value[VH_KERNEL_CHANNELS];

    vh_load_pixel (p.frame, 0xf, x, y, value);
    correct_color (value[0], correct (value[0], x, y), value + 1,
        [&] (uint32_t code) {
          return correct (code, x, y);
        });
    for (uint32_t i = 0; i < 3; i++)
      store (i, x, y, value[1 + i]);
  }

  /* Whether chroma follows luma. */
  __device__ __forceinline__ bool
  is_colored () const
  {
    return p.frame.model == VH_KERNEL_YUV && p.color != VH_COLOR_KEEP;
  }

  /* The lanes that process a block together: one per pixel, up to 4. */
  __device__ __forceinline__ uint32_t
  lanes () const
  {
    const VhKernelComponent & u = p.frame.component[1];

    return is_colored () ? 1u << min (u.w_sub + u.h_sub, 2u) : 1;
  }

  /* Corrects the pixels of the picture that a chroma sample covers, and that
   * sample; or one pixel if chroma stays. */
  __device__ __forceinline__ void
  luma_block (uint32_t block_x, uint32_t block_y, uint32_t lane,
      uint32_t n_lanes) const
  {
    const bool colored = is_colored ();
    const uint32_t w_sub = colored ? p.frame.component[1].w_sub : 0;
    const uint32_t h_sub = colored ? p.frame.component[1].h_sub : 0;
    const uint32_t left = max (block_x << w_sub, p.frame.x);
    const uint32_t top = max (block_y << h_sub, p.frame.y);
    const uint32_t right = min ((block_x + 1) << w_sub,
        p.frame.x + p.frame.width);
    const uint32_t bottom = min ((block_y + 1) << h_sub,
        p.frame.y + p.frame.height);
    uint32_t before = 0, after = 0, u = 0, v = 0;

    if (colored) {
      u = vh_load_sample (p.frame, p.frame.component[1], left, top);
      v = vh_load_sample (p.frame, p.frame.component[2], left, top);
    }
    for (uint32_t i = lane; i < 1u << (w_sub + h_sub); i += n_lanes) {
      const uint32_t x = (block_x << w_sub) + (i & ((1u << w_sub) - 1));
      const uint32_t y = (block_y << h_sub) + (i >> w_sub);

      if (x >= left && x < right && y >= top && y < bottom) {
        const uint32_t code = vh_load_sample (p.frame, p.frame.component[0], x,
            y);
        const uint32_t corrected = correct (code, x, y);

        store (0, x, y, corrected);
        before += code;
        after += corrected;
      }
    }
    if (colored) {
      const uint32_t group = ((1u << n_lanes) - 1) << (vh_lane () - lane);

      for (uint32_t i = 1; i < n_lanes; i *= 2) {
        before += __shfl_xor_sync (group, before, i);
        after += __shfl_xor_sync (group, after, i);
      }
      if (lane == 0 && !stays (block_x, block_y, w_sub, h_sub)) {
        const float gain = constant ? 1.0f : chroma_gain (before, after,
            (right - left) * (bottom - top), u, v);

        store (1, left, top, apply_chroma (u, gain));
        store (2, left, top, apply_chroma (v, gain));
      }
    }
  }

  /* Whether the chroma sample of a block also covers pixels that must not
   * change. */
  __device__ __forceinline__ bool
  stays (uint32_t block_x, uint32_t block_y, uint32_t w_sub,
      uint32_t h_sub) const
  {
    const VhKernelParams & f = p.frame;

    return p.edges != 0
        && ((p.edges & VH_EDGE_LEFT && block_x << w_sub < f.x)
        || (p.edges & VH_EDGE_TOP && block_y << h_sub < f.y)
        || (p.edges & VH_EDGE_RIGHT && (block_x + 1) << w_sub > f.x + f.width)
        || (p.edges & VH_EDGE_BOTTOM
            && (block_y + 1) << h_sub > f.y + f.height));
  }

  /* Must be called by lanes () neighbouring threads, each with its own
   * @lane. */
  __device__ __forceinline__ void
  block (uint32_t x, uint32_t y, uint32_t lane, uint32_t n_lanes) const
  {
    if (p.frame.model == VH_KERNEL_RGB)
      pixel (x, y);
    else
      luma_block (x, y, lane, n_lanes);
  }
};
