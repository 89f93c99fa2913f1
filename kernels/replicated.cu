/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts with copies of each counter in shared memory. Samples in planes are
 * read in vectors, with one channel per block. Other layouts, and channels that
 * must be computed, are read pixel by pixel, with all channels of a pixel at
 * once if there is room. If not even one copy fits, this counts in global
 * memory. */
#include "copies.cuh"

template <class Sample, class Counter>
static __device__ __forceinline__ void
count_plane (const VhKernelParams & p, const VhShare & share,
    const VhKernelComponent & c, const Counter counter)
{
  const uint32_t bytes = sizeof (Sample);
  auto count = [&] (uint32_t word, uint32_t at) {
    atomicAdd ((uint32_t *) ((char *) vh_shared + counter.offset (word, at)),
        1u);
  };

  vh_each_vector<bytes, 1> ((const uint8_t *) c.data + share.cell.y * c.stride +
      share.cell.x * bytes, c.stride, share.cell.width, share.cell.height,
      [&] {
        vh_clear_shared (p.bins * p.copies);
      },
      [&] (const uint4 * v) {
        const uint32_t word[4] = {v->x, v->y, v->z, v->w};

#pragma unroll
        for (uint32_t i = 0; i < 16; i += bytes)
          count (word[i / 4], 8 * (i % 4));
      },
      [&] (const uint8_t * sample) {
        count (*(const Sample *) sample, 0);
      });
}

/* Counts samples in planes: blockIdx.y is the index of a counted channel,
 * blockIdx.z a cell. Each channel equals a component. */
template <class Sample>
static __device__ __forceinline__ void
count_share (const VhKernelParams & p)
{
  const VhShare share (p);
  const VhKernelComponent & c =
      p.component[share.channel == 0 ? 0 : share.channel - 1];

  vh_begin (p);
  if ((p.bins & (p.bins - 1)) == 0)
    count_plane<Sample> (p, share, c, UpperBits (p, c));
  else
    count_plane<Sample> (p, share, c, Scaled (p, c));
  add_copies (p, share, (const uint32_t *) vh_shared);
}

extern "C" __global__ void
__launch_bounds__ (VH_THREADS, 2)
vh_replicated_bytes (const __grid_constant__ VhKernelParams p)
{
  count_share<uint8_t> (p);
}

extern "C" __global__ void
__launch_bounds__ (VH_THREADS, 2)
vh_replicated_words (const __grid_constant__ VhKernelParams p)
{
  count_share<uint16_t> (p);
}

/* Counts any pixels; threads take them in turns. blockIdx.z is a cell, and
 * unless one block counts all channels, blockIdx.y is the channel. */
extern "C" __global__ void
__launch_bounds__ (1024, 1)
vh_replicated_pixels (const __grid_constant__ VhKernelParams p)
{
  VhShare share (p);
  const uint32_t channels = gridDim.y > 1 ? 1u << share.channel : p.channels;
  const uint32_t copy = threadIdx.x & (p.copies - 1);
  uint32_t *table = (uint32_t *) vh_shared;

  vh_begin (p);
  if (p.copies == 0)
    vh_wait_for_previous ();
  vh_clear_shared (__popc (channels) * p.bins * p.copies);
  for (VhPlace place (share.cell.width, share.cell.height, vh_thread (),
          vh_threads ()); !place.done (); place.next ()) {
    uint32_t value[VH_KERNEL_CHANNELS], index = 0;

    vh_load_pixel (p, channels, share.cell.x + place.x, share.cell.y + place.y,
        value);
#pragma unroll
    for (uint32_t c = 0; c < VH_KERNEL_CHANNELS; c++) {
      if (channels & (1u << c)) {
        const uint32_t bin = vh_bin (p, value[c]);

        if (p.copies) {
          atomicAdd (table + (index * p.bins + bin) * p.copies + copy, 1u);
        } else {
          atomicAdd (vh_accumulators (p, c, share.cell.index) + bin, 1u);
        }
        index++;
      }
    }
  }

  for (uint32_t c = 0; c < VH_KERNEL_CHANNELS; c++) {
    if (channels & (1u << c)) {
      share.channel = c;
      share.accumulators = vh_accumulators (p, c, share.cell.index);
      add_copies (p, share, table);
      table += p.bins * p.copies;
    }
  }
}
