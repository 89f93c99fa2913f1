/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures luma in zones. There are so many zones that each has one block: it
 * reads each pixel once, and need not merge with other blocks. */
#include "samples.cuh"
#include "share.cuh"

/* Pixels that a thread processes at a time if samples are not in vectors. */
#define VH_METER_PIXELS 8

/* The sums of a thread. */
struct VhSums
{
  uint64_t luma, squares;
  uint32_t risen, fallen;
};

/* The vectors of a row that contain pixels of a zone: the first, and how many.
 * A vector has @pixels pixels. */
struct VhSpan
{
  uint32_t first, n;

  __device__ __forceinline__
  VhSpan (const VhKernelParams & p, const VhCell & zone, uint32_t pixels)
  {
    const uint32_t begin = zone.x - p.x;

    first = begin / pixels;
    n = zone.width ? (begin + zone.width - 1) / pixels - first + 1 : 0;
  }
};

/* Reads the luma of a pixel, or a substitute for the pixel to the right of the
 * last one, which has no gradient. */
static __device__ __forceinline__ uint32_t
vh_meter_code (const VhKernelParams & p, uint32_t x, uint32_t y)
{
  uint32_t value[VH_KERNEL_CHANNELS];

  vh_load_pixel (p, 1, min (x, p.x + p.width - 1), y, value);
  return value[0];
}

/* Counts a pixel that rose or fell by a step. */
static __device__ __forceinline__ void
vh_meter_step (const uint8_t * steps, uint32_t before, uint32_t level,
    VhSums & sums)
{
  const bool step = max (before, level) >= steps[min (before, level)];

  sums.risen += step && level > before;
  sums.fallen += step && level < before;
}

/* The same for four levels, each in a byte of a word. */
static __device__ __forceinline__ void
vh_meter_steps (const uint8_t * steps, uint32_t before, uint32_t levels,
    VhSums & sums)
{
#pragma unroll
  for (uint32_t i = 0; i < 4; i++) {
    vh_meter_step (steps, before >> 8 * i & 0xff, levels >> 8 * i & 0xff,
        sums);
  }
}

static __device__ __forceinline__ void
vh_meter_pixel (const VhMeterParams & p, const uint8_t * steps, uint32_t code,
    uint32_t next, uint8_t * last, VhSums & sums)
{
  const uint32_t gradient =
      vh_bin (p.frame, abs ((int32_t) next - (int32_t) code));
  const uint32_t level = code * VH_STEP_LEVELS >> p.frame.depth;

  sums.luma += vh_bin (p.frame, code);
  sums.squares += gradient * gradient;
  if (p.compared)
    vh_meter_step (steps, *last, level, sums);
  *last = level;
}

/* Measures the pixels of the region from column @x to before @end, in row
 * @y. */
static __device__ void
vh_meter_pixels (const VhMeterParams & p, const uint8_t * steps, uint32_t x,
    uint32_t end, uint32_t y, VhSums & sums)
{
  uint8_t *last = (uint8_t *) p.last + (uint64_t) y * p.pitch;
  uint32_t code = vh_meter_code (p.frame, p.frame.x + x, p.frame.y + y);

  for (; x < end; x++) {
    const uint32_t next = vh_meter_code (p.frame, p.frame.x + x + 1,
        p.frame.y + y);

    vh_meter_pixel (p, steps, code, next, last + x, sums);
    code = next;
  }
}

/* Measures four bytes of luma, with the bytes to their right. Returns their
 * levels. */
static __device__ __forceinline__ uint32_t
vh_meter_bytes (uint32_t codes, uint32_t next, uint32_t * luma,
    uint32_t * squares)
{
  const uint32_t gradients =
      __vabsdiffu4 (codes, __funnelshift_r (codes, next, 8));

  *luma = __dp4a (codes, 0x01010101u, *luma);
  *squares = __dp4a (gradients, gradients, *squares);
  return codes >> 1 & 0x7f7f7f7f;
}

/* Measures sixteen bytes, with the byte after them. */
static __device__ __forceinline__ void
vh_meter_byte_vector (const VhMeterParams & p, const uint8_t * steps,
    const uint4 & v, uint32_t next, uint4 * last, VhSums & sums)
{
  uint32_t luma = 0, squares = 0;
  uint4 before = { }, levels;

  if (p.compared)
    before = *last;
  levels.x = vh_meter_bytes (v.x, v.y, &luma, &squares);
  levels.y = vh_meter_bytes (v.y, v.z, &luma, &squares);
  levels.z = vh_meter_bytes (v.z, v.w, &luma, &squares);
  levels.w = vh_meter_bytes (v.w, next, &luma, &squares);
  sums.luma += luma;
  sums.squares += squares;
  *last = levels;
  if (p.compared) {
    vh_meter_steps (steps, before.x, levels.x, sums);
    vh_meter_steps (steps, before.y, levels.y, sums);
    vh_meter_steps (steps, before.z, levels.z, sums);
    vh_meter_steps (steps, before.w, levels.w, sums);
  }
}

/* Measures eight words, with the word after them. */
static __device__ __forceinline__ void
vh_meter_word_vector (const VhMeterParams & p, const uint8_t * steps,
    const uint4 & v, uint32_t next, uint2 * last, VhSums & sums)
{
  const uint32_t words[4] = { v.x, v.y, v.z, v.w };
  const uint32_t shift = p.frame.component[0].shift;
  const uint32_t mask = (1u << p.frame.depth) - 1;
  uint2 before = { }, levels = { };
  uint32_t code = words[0] >> shift & mask;

  if (p.compared)
    before = *last;
#pragma unroll
  for (uint32_t i = 0; i < 8; i++) {
    const uint32_t word = i < 7 ? words[(i + 1) / 2] >> (16 * ((i + 1) % 2)) :
        next;
    const uint32_t right = (word & 0xffff) >> shift & mask;
    const uint32_t gradient =
        vh_bin (p.frame, abs ((int32_t) right - (int32_t) code));
    const uint32_t level = code * VH_STEP_LEVELS >> p.frame.depth;

    sums.luma += vh_bin (p.frame, code);
    sums.squares += gradient * gradient;
    if (i < 4)
      levels.x |= level << 8 * i;
    else
      levels.y |= level << 8 * (i - 4);
    code = right;
  }
  *last = levels;
  if (p.compared) {
    vh_meter_steps (steps, before.x, levels.x, sums);
    vh_meter_steps (steps, before.y, levels.y, sums);
  }
}

/* Measures luma in whole vectors, with samples of type @Sample. Vectors that
 * two zones share are processed pixel by pixel. Each thread loads its first
 * vector before waiting for the previous launch: if that launch may write the
 * frame, vh_begin() has already waited. */
template <class Sample, class Level, class Vector>
static __device__ __forceinline__ void
vh_meter_vectors (const VhMeterParams & p, const VhCell & zone,
    const uint8_t * steps, VhSums & sums, Vector count)
{
  const uint32_t pixels = 16 / sizeof (Sample);
  const VhSpan span (p.frame, zone, pixels);
  const uint32_t begin = zone.x - p.frame.x, end = begin + zone.width;
  const uint8_t *data = (const uint8_t *) p.frame.component[0].data +
      p.frame.y * p.frame.component[0].stride +
      p.frame.x * sizeof (Sample);
  VhPlace place (span.n, zone.height, threadIdx.x, blockDim.x);
  uint4 v = { };
  uint32_t next = 0;
  auto is_whole = [&] (uint32_t x) {
    return x >= begin && x + pixels <= end;
  };
  auto load = [&] {
    const uint32_t x = (span.first + place.x) * pixels;
    const Sample *row = (const Sample *) (data +
        (uint64_t) (zone.y - p.frame.y + place.y) *
        p.frame.component[0].stride);

    if (!is_whole (x))
      return;
    v = *(const uint4 *) (row + x);
    next = row[min (x + pixels, p.frame.width - 1)];
  };

  if (!place.done ())
    load ();
  vh_wait_for_previous ();
  while (!place.done ()) {
    const uint32_t x = (span.first + place.x) * pixels;
    const uint32_t y = zone.y - p.frame.y + place.y;

    if (is_whole (x)) {
      count (p, steps, v, next, (Level *) ((uint8_t *) p.last +
              (uint64_t) y * p.pitch + x), sums);
    } else {
      vh_meter_pixels (p, steps, max (x, begin), min (x + pixels, end), y,
          sums);
    }
    place.next ();
    if (!place.done ())
      load ();
  }
}

static __device__ __forceinline__ void
vh_meter_any (const VhMeterParams & p, const VhCell & zone,
    const uint8_t * steps, VhSums & sums)
{
  const uint32_t begin = zone.x - p.frame.x, end = begin + zone.width;

  vh_wait_for_previous ();
  for (VhPlace place ((zone.width + VH_METER_PIXELS - 1) / VH_METER_PIXELS,
          zone.height, threadIdx.x, blockDim.x); !place.done ();
      place.next ()) {
    const uint32_t x = begin + place.x * VH_METER_PIXELS;

    vh_meter_pixels (p, steps, x, min (x + VH_METER_PIXELS, end),
        zone.y - p.frame.y + place.y, sums);
  }
}

static __device__ __forceinline__ uint64_t
vh_warp_sum (uint64_t value)
{
  for (uint32_t i = VH_WARP / 2; i > 0; i /= 2)
    value += __shfl_xor_sync (VH_ALL_LANES, (unsigned long long) value, i);
  return value;
}

/* Adds up the sums of all threads, and delivers them. */
static __device__ __forceinline__ void
vh_deliver_zone (const VhMeterParams & p, uint32_t zone, const VhSums & sums)
{
  __shared__ VhSums of_warp[VH_KERNEL_METER_THREADS / VH_WARP];
  const VhSums mine = {
    vh_warp_sum (sums.luma), vh_warp_sum (sums.squares),
    vh_warp_sum (sums.risen), vh_warp_sum (sums.fallen)
  };

  if (vh_lane () == 0)
    of_warp[vh_warp ()] = mine;
  __syncthreads ();
  if (threadIdx.x == 0) {
    const uint64_t first = (uint64_t) zone * VH_ZONE_VALUES;
    VhSums all = mine;

    for (uint32_t i = 1; i < blockDim.x / VH_WARP; i++) {
      all.luma += of_warp[i].luma;
      all.squares += of_warp[i].squares;
      all.risen += of_warp[i].risen;
      all.fallen += of_warp[i].fallen;
    }
    vh_deliver_pair (p.frame, first + VH_ZONE_LUMA, make_uint2 (all.luma,
            all.luma >> 32));
    vh_deliver_pair (p.frame, first + VH_ZONE_SQUARES, make_uint2 (all.squares,
            all.squares >> 32));
    vh_deliver_pair (p.frame, first + VH_ZONE_RISEN, make_uint2 (all.risen,
            all.fallen));
  }
}

extern "C" __global__ void
__launch_bounds__ (VH_KERNEL_METER_THREADS)
vh_meter (const __grid_constant__ VhMeterParams p)
{
  __shared__ uint8_t steps[VH_STEP_LEVELS];
  const VhCell zone = vh_cell (p.frame, blockIdx.x);
  VhSums sums = { };

  vh_begin (p.frame);
  for (uint32_t i = threadIdx.x; i < VH_STEP_LEVELS; i += blockDim.x)
    steps[i] = p.steps[i];
  __syncthreads ();
  if (p.samples == VH_KERNEL_BYTES) {
    vh_meter_vectors<uint8_t, uint4> (p, zone, steps, sums,
        vh_meter_byte_vector);
  } else if (p.samples == VH_KERNEL_WORDS) {
    vh_meter_vectors<uint16_t, uint2> (p, zone, steps, sums,
        vh_meter_word_vector);
  } else {
    vh_meter_any (p, zone, steps, sums);
  }
  vh_deliver_zone (p, zone.index, sums);
}
