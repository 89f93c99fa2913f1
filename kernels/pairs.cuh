/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two values of each pixel for joint histograms, and what all kernels do
 * with them. */
#pragma once

#include "samples.cuh"

/* Vector @n of a plane. */
static __device__ __forceinline__ uint4
vh_pair_vector (uint64_t data, uint64_t stride, const VhJointParams & p,
    uint32_t n)
{
  const uint32_t y = n / p.row_vectors;

  return ((const uint4 *) (data + y * stride))[n - y * p.row_vectors];
}

/* Sixteen samples of each of two planes. */
struct VhTwoVectors
{
  uint4 a, b;
};

/* U and V of a chroma sample, or of a pixel of RGB. */
struct VhChroma
{
  const VhJointParams & p;

  __device__ __forceinline__ uint32_t
  pair (uint32_t x, uint32_t y) const
  {
    if (p.frame.model == VH_KERNEL_RGB)
      return pair_of_rgb (p.frame.x + x, p.frame.y + y);

    const uint32_t u = vh_load_sample (p.frame, p.frame.component[1],
        p.frame.x + x, p.frame.y + y);
    const uint32_t v = vh_load_sample (p.frame, p.frame.component[2],
        p.frame.x + x, p.frame.y + y);

    return vh_bin (p.frame, u) * p.frame.bins + vh_bin (p.frame, v);
  }

  __device__ __forceinline__ uint32_t
  pair_of_rgb (uint32_t x, uint32_t y) const
  {
    const VhKernelComponent *c = p.frame.component;
    const uint32_t r = vh_load_sample (p.frame, c[0], x, y);
    const uint32_t g = vh_load_sample (p.frame, c[1], x, y);
    const uint32_t b = vh_load_sample (p.frame, c[2], x, y);

    return vh_bin (p.frame, vh_scope_chroma (&p.colors, 0, r, g, b)) *
        p.frame.bins + vh_bin (p.frame, vh_scope_chroma (&p.colors, 1, r, g,
            b));
  }

  /* The bin of the first value, for kernels that read bytes. */
  __device__ __forceinline__ uint32_t
  first_bin (uint32_t u) const
  {
    return vh_bin (p.frame, u);
  }

  __device__ __forceinline__ void
  keep (uint64_t, const uint4 &) const
  {
  }
};

/* Luma of a frame, and of the frame to count it against; keeps the bins of the
 * former if requested. */
struct VhLumaBins
{
  const VhJointParams & p;

  __device__ __forceinline__ uint64_t
  place (uint32_t x, uint32_t y) const
  {
    return (uint64_t) y * p.frame.width + x;
  }

  __device__ __forceinline__ uint32_t
  bin (uint32_t x, uint32_t y) const
  {
    uint32_t value[VH_KERNEL_CHANNELS];

    vh_load_pixel (p.frame, 1, p.frame.x + x, p.frame.y + y, value);
    return vh_bin (p.frame, value[0]);
  }

  __device__ __forceinline__ void
  keep (uint32_t x, uint32_t y, uint32_t bin) const
  {
    ((uint8_t *) p.keep)[place (x, y)] = bin;
  }

  /* If the same block counts all pairs, the kept luma may overwrite the luma
   * that it is counted against, because a thread has both values of a pixel. */
  __device__ __forceinline__ uint32_t
  pair (uint32_t x, uint32_t y) const
  {
    const uint32_t a = ((const uint8_t *) p.against)[place (x, y)];
    const uint32_t b = bin (x, y);

    if (p.keep && blockIdx.y == 0)
      keep (x, y, b);
    return a * p.frame.bins + b;
  }

  __device__ __forceinline__ uint32_t
  first_bin (uint32_t a) const
  {
    return a;
  }

  /* Keeps the bins of vector @n of the plane, where rows are whole vectors. */
  __device__ __forceinline__ void
  keep (uint64_t n, const uint4 & bins) const
  {
    if (p.keep && blockIdx.y == 0)
      ((uint4 *) p.keep)[n] = bins;
  }
};

/* Presents pairs as samples of one value, so that methods for one value can
 * count them. */
template <class Pairs>
struct VhPairSamples
{
  const Pairs pairs;
  const uint32_t width, height;

  __device__ __forceinline__
  VhPairSamples (const VhJointParams & p)
  : pairs {p}, width (p.frame.width), height (p.frame.height)
  {
  }

  __device__ __forceinline__ uint32_t
  bin (uint32_t x, uint32_t y) const
  {
    return pairs.pair (x, y);
  }
};
