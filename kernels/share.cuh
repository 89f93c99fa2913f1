/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the published methods have in common: a block has one channel of one
 * cell, and processes its share of the samples in one of a few orders. A
 * method's own file only has the code that counts these samples. */
#pragma once

#include "samples.cuh"
#include "vectors.cuh"

/* Three layouts of a channel's samples. bin() is the bin of the pixel at (x, y)
 * of the cell; vectors() processes a block's share 16 bytes at a time and calls
 * @count with @n bins of a thread. */

/* Adjacent bytes. */
struct VhByteSamples
{
  const VhKernelParams & p;
  const uint8_t *data;
  uint64_t stride;
  uint32_t width, height;

  __device__ __forceinline__
  VhByteSamples (const VhKernelParams & p, const VhCell & cell,
      const VhKernelComponent & c)
  : p (p), data ((const uint8_t *) c.data + cell.y * c.stride + cell.x),
    stride (c.stride), width (cell.width), height (cell.height)
  {
  }

  __device__ __forceinline__ uint32_t
  bin (uint32_t x, uint32_t y) const
  {
    return vh_bin (p, data[y * stride + x]);
  }

  template <class Count>
  __device__ __forceinline__ void
  vectors (Count count) const
  {
    vh_each_vector<1, 1> (data, stride, width, height,
        [] {},
        [&] (const uint4 * v) {
          const uint32_t word[4] = {v->x, v->y, v->z, v->w};

#pragma unroll
          for (int i = 0; i < 16; i++)
            count (vh_bin (p, (word[i / 4] >> (8 * (i % 4))) & 0xff));
        },
        [&] (const uint8_t * sample) {
          count (vh_bin (p, *sample));
        });
  }
};

/* Adjacent, aligned 16-bit words. */
struct VhWordSamples
{
  const VhKernelParams & p;
  const uint16_t *data;
  uint64_t stride;
  uint32_t width, height, shift, mask;

  __device__ __forceinline__
  VhWordSamples (const VhKernelParams & p, const VhCell & cell,
      const VhKernelComponent & c)
  : p (p), data ((const uint16_t *) (c.data + cell.y * c.stride) + cell.x),
    stride (c.stride), width (cell.width), height (cell.height),
    shift (c.shift), mask ((1u << p.depth) - 1)
  {
  }

  __device__ __forceinline__ uint32_t
  word_bin (uint32_t word) const
  {
    return vh_bin (p, (word >> shift) & mask);
  }

  __device__ __forceinline__ uint32_t
  bin (uint32_t x, uint32_t y) const
  {
    return word_bin (*(const uint16_t *) ((const uint8_t *) (data + x) +
            y * stride));
  }

  template <class Count>
  __device__ __forceinline__ void
  vectors (Count count) const
  {
    vh_each_vector<2, 1> ((const uint8_t *) data, stride, width, height,
        [] {},
        [&] (const uint4 * v) {
          const uint32_t word[4] = {v->x, v->y, v->z, v->w};

#pragma unroll
          for (int i = 0; i < 8; i++)
            count (word_bin ((word[i / 2] >> (16 * (i % 2))) & 0xffff));
        },
        [&] (const uint8_t * sample) {
          count (word_bin (*(const uint16_t *) sample));
        });
  }
};

/* The position of a thread in the pixels of a cell, row by row. */
struct VhPlace
{
  uint32_t width, height, x, y;
  uint32_t step_x, step_y;

  /* Starts at pixel @first and advances by @step pixels at a time. */
  __device__ __forceinline__
  VhPlace (uint32_t width, uint32_t height, uint32_t first, uint32_t step)
  : width (width), height (height)
  {
    if (width == 0) {
      this->height = x = y = step_x = step_y = 0;
      return;
    }
    y = first / width;
    x = first - y * width;
    step_y = step / width;
    step_x = step - step_y * width;
  }

  __device__ __forceinline__ bool
  done () const
  {
    return y >= height;
  }

  __device__ __forceinline__ void
  next ()
  {
    y += step_y;
    x += step_x;
    if (x >= width) {
      x -= width;
      y++;
    }
  }
};

static __device__ __forceinline__ uint32_t
vh_thread ()
{
  return blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ __forceinline__ uint32_t
vh_threads ()
{
  return gridDim.x * blockDim.x;
}

#define VH_WARP 32              /* lanes of a warp */
#define VH_ALL_LANES 0xffffffff

static __device__ __forceinline__ uint32_t
vh_lane ()
{
  return threadIdx.x % VH_WARP;
}

/* Number of the warp in its block. */
static __device__ __forceinline__ uint32_t
vh_warp ()
{
  return threadIdx.x / VH_WARP;
}

/* The sum over all lanes, returned to each of them. */
static __device__ __forceinline__ uint32_t
vh_warp_sum (uint32_t value)
{
  for (uint32_t i = VH_WARP / 2; i > 0; i /= 2)
    value += __shfl_xor_sync (VH_ALL_LANES, value, i);
  return value;
}

/* Neighbouring threads process neighbouring samples, so that a warp reads whole
 * cache lines; then all advance by the number of threads. */
template <class Samples, class Count>
static __device__ __forceinline__ void
vh_each_interleaved (const Samples & samples, Count count)
{
  for (VhPlace place (samples.width, samples.height, vh_thread (),
          vh_threads ()); !place.done (); place.next ())
    count (samples.bin (place.x, place.y));
}

/* Each thread processes one run of neighbouring samples. */
template <class Samples, class Count>
static __device__ __forceinline__ void
vh_each_contiguous (const Samples & samples, Count count)
{
  const uint32_t pixels = samples.width * samples.height;
  const uint32_t chunk = (pixels + vh_threads () - 1) / vh_threads ();
  const uint32_t first = min (vh_thread () * chunk, pixels);
  VhPlace place (samples.width, samples.height, first, 1);

  for (uint32_t n = min (chunk, pixels - first); n > 0; n--, place.next ())
    count (samples.bin (place.x, place.y));
}

/* Interleaved, in rounds of @n samples per thread. All threads of a block stay
 * together: each round ends with @after, and a thread without samples left
 * still calls @count, with false. */
template <class Samples, class Count, class After>
static __device__ __forceinline__ void
vh_each_round (const Samples & samples, uint32_t n, Count count, After after)
{
  const uint32_t pixels = samples.width * samples.height;
  const uint32_t turns = (pixels + vh_threads () - 1) / vh_threads ();
  VhPlace place (samples.width, samples.height, vh_thread (), vh_threads ());

  for (uint32_t turn = 0; turn < turns; turn += n) {
    for (uint32_t i = min (n, turns - turn); i > 0; i--, place.next ()) {
      const bool there = !place.done ();

      count (there ? samples.bin (place.x, place.y) : 0, there);
    }
    after ();
  }
}

/* Any channel, computed from the pixel. */
struct VhAnySamples
{
  const VhKernelParams & p;
  uint32_t x0, y0, width, height, channel;

  __device__ __forceinline__
  VhAnySamples (const VhKernelParams & p, const VhCell & cell, uint32_t channel)
  : p (p), x0 (cell.x), y0 (cell.y), width (cell.width), height (cell.height),
    channel (channel)
  {
  }

  __device__ __forceinline__ uint32_t
  bin (uint32_t x, uint32_t y) const
  {
    uint32_t value[VH_KERNEL_CHANNELS];

    vh_load_pixel (p, 1u << channel, x0 + x, y0 + y, value);
#pragma unroll
    for (uint32_t i = 1; i < VH_KERNEL_CHANNELS; i++) {
      if (channel == i)
        value[0] = value[i];
    }
    return vh_bin (p, value[0]);
  }

  template <class Count>
  __device__ __forceinline__ void
  vectors (Count count) const
  {
    vh_each_interleaved (*this, count);
  }
};

/* What this block counts. */
struct VhShare
{
  VhCell cell;
  uint32_t channel;
  uint32_t *accumulators;       /* uint32_t[bins], of all blocks of the cell */

  /* @n: the index of the channel among the counted channels. */
  __device__ __forceinline__
  VhShare (const VhKernelParams & p, uint32_t n = blockIdx.y)
  : cell (vh_cell (p, blockIdx.z)), channel (0)
  {
    while (!(p.channels & (1u << channel)) || n-- > 0)
      channel++;
    accumulators = vh_accumulators (p, channel, cell.index);
  }
};

/* Calls @body with the samples of @share, of the type that suits them. */
template <class Body>
static __device__ __forceinline__ void
vh_with_samples (const VhKernelParams & p, const VhShare & share, Body body)
{
  const VhKernelComponent & c =
      p.component[share.channel == 0 ? 0 : share.channel - 1];

  if (p.samples == VH_KERNEL_BYTES)
    body (VhByteSamples (p, share.cell, c));
  else if (p.samples == VH_KERNEL_WORDS)
    body (VhWordSamples (p, share.cell, c));
  else
    body (VhAnySamples (p, share.cell, share.channel));
}

/* The scratch of block @x among those that count the same channel of the same
 * cell. */
static __device__ __forceinline__ uint8_t *
vh_scratch (const VhKernelParams & p, uint32_t x)
{
  const uint32_t block =
      (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + x;

  return (uint8_t *) p.scratch + block * p.block_scratch;
}

/* Sets @n counters of the block to zero. */
static __device__ __forceinline__ void
vh_clear (uint32_t * counters, uint32_t n)
{
  for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
    counters[i] = 0;
  __syncthreads ();
}

/* Adds the block's table to the sums of all blocks. Skips zeros, because most
 * bins of most blocks are zero. */
static __device__ __forceinline__ void
vh_add_table (const VhKernelParams & p, const VhShare & share,
    const uint32_t * table)
{
  __syncthreads ();
  for (uint32_t bin = threadIdx.x; bin < p.bins; bin += blockDim.x) {
    if (table[bin])
      atomicAdd (share.accumulators + bin, table[bin]);
  }
}
