/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures a frame: luma in zones, and chroma as a whole. There are so many
 * zones that each has one block, which reads each pixel once. Blocks add their
 * sums to those of the frame, and the last one delivers them. */
#include "meterparams.h"
#include "pairs.cuh"
#include "share.cuh"

/* Pixels that a thread processes at a time if samples are not in vectors. */
#define VH_METER_PIXELS 8

/* The sums of a thread. */
struct VhSums
{
  uint64_t luma_squares, luminance, squares;
  uint32_t risen, fallen, changes;
  uint32_t gradients, strong;   /* as in VH_CELL_GRADIENTS */
};

/* The tables that pixels are looked up in. */
struct VhMeterTables
{
  const uint8_t *steps;
  const uint32_t *luminance;    /* or NULL */
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
vh_meter_load (const VhKernelParams & p, uint32_t x, uint32_t y)
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

/* Counts how a pixel changed. */
static __device__ __forceinline__ void
vh_meter_change (const uint8_t * steps, uint32_t before, uint32_t level,
    VhSums & sums)
{
  const uint32_t change = max (before, level) - min (before, level);

  vh_meter_step (steps, before, level, sums);
  sums.changes += change * change;
}

/* The same for four levels, each in a byte of a word. */
static __device__ __forceinline__ void
vh_meter_changes (const uint8_t * steps, uint32_t before, uint32_t levels,
    VhSums & sums)
{
  const uint32_t changes = __vabsdiffu4 (before, levels);

  sums.changes = __dp4a (changes, changes, sums.changes);
#pragma unroll
  for (uint32_t i = 0; i < 4; i++) {
    vh_meter_step (steps, before >> 8 * i & 0xff, levels >> 8 * i & 0xff,
        sums);
  }
}

/* Adds a pixel, but no steps. */
static __device__ __forceinline__ void
vh_meter_code (const VhMeterParams & p, const VhMeterTables & tables,
    uint32_t code, uint32_t next, VhSums & sums)
{
  const uint32_t bin = vh_bin (p.frame, code);
  const uint32_t difference = abs ((int32_t) next - (int32_t) code);
  const uint32_t gradient = vh_bin (p.frame, difference);
  const uint32_t steps = difference >> (p.frame.depth - 8);

  sums.squares += gradient * gradient;
  sums.gradients += steps > 0;
  sums.strong += steps > VH_FAINT_STEPS;
  if (tables.luminance) {
    sums.luma_squares += bin * bin;
    sums.luminance += tables.luminance[bin];
  }
}

/* Measures the pixels of the region from column @x to before @end, in row
 * @y. */
static __device__ void
vh_meter_pixels (const VhMeterParams & p, const VhMeterTables & tables,
    uint32_t x, uint32_t end, uint32_t y, VhSums & sums)
{
  uint8_t *last = (uint8_t *) p.last + (uint64_t) y * p.pitch;
  uint32_t code = vh_meter_load (p.frame, p.frame.x + x, p.frame.y + y);

  for (; x < end; x++) {
    const uint32_t next = vh_meter_load (p.frame, p.frame.x + x + 1,
        p.frame.y + y);
    const uint32_t level = code * VH_STEP_LEVELS >> p.frame.depth;

    vh_meter_code (p, tables, code, next, sums);
    if (p.compared)
      vh_meter_change (tables.steps, last[x], level, sums);
    last[x] = level;
    code = next;
  }
}

/* Adds to @count 0x80 for each of four bytes that is at least @least, which is
 * 1 to 0x80. */
static __device__ __forceinline__ uint32_t
vh_count_bytes (uint32_t bytes, uint32_t least, uint32_t count)
{
  const uint32_t carries = (bytes & 0x7f7f7f7f) + (0x80 - least) * 0x01010101;

  return __dp4a ((carries | bytes) & 0x80808080, 0x01010101u, count);
}

/* The sums of a vector of bytes, which fit 32 bits. */
struct VhVectorSums
{
  uint32_t luma_squares, luminance, squares;
  uint32_t gradients, strong;   /* times 0x80 */
};

/* Measures four bytes of luma, with the bytes to their right. Returns their
 * levels. */
static __device__ __forceinline__ uint32_t
vh_meter_bytes (const VhMeterTables & tables, uint32_t codes, uint32_t next,
    VhVectorSums & sums)
{
  const uint32_t gradients =
      __vabsdiffu4 (codes, __funnelshift_r (codes, next, 8));

  sums.squares = __dp4a (gradients, gradients, sums.squares);
  sums.gradients = vh_count_bytes (gradients, 1, sums.gradients);
  sums.strong = vh_count_bytes (gradients, VH_FAINT_STEPS + 1, sums.strong);
  if (tables.luminance) {
    sums.luma_squares = __dp4a (codes, codes, sums.luma_squares);
#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
      sums.luminance += tables.luminance[codes >> 8 * i & 0xff];
  }
  return codes >> 1 & 0x7f7f7f7f;
}

/* Measures sixteen bytes, with the byte after them. */
static __device__ __forceinline__ void
vh_meter_byte_vector (const VhMeterParams & p, const VhMeterTables & tables,
    const uint4 & v, uint32_t next, uint4 * last, VhSums & sums)
{
  const uint32_t words[5] = { v.x, v.y, v.z, v.w, next };
  VhVectorSums vector = { };
  uint32_t levels[4];
  uint4 before = { };

  if (p.compared)
    before = *last;
#pragma unroll
  for (uint32_t i = 0; i < 4; i++)
    levels[i] = vh_meter_bytes (tables, words[i], words[i + 1], vector);
  sums.luma_squares += vector.luma_squares;
  sums.luminance += vector.luminance;
  sums.squares += vector.squares;
  sums.gradients += vector.gradients / 0x80;
  sums.strong += vector.strong / 0x80;
  *last = make_uint4 (levels[0], levels[1], levels[2], levels[3]);
  if (p.compared) {
    vh_meter_changes (tables.steps, before.x, levels[0], sums);
    vh_meter_changes (tables.steps, before.y, levels[1], sums);
    vh_meter_changes (tables.steps, before.z, levels[2], sums);
    vh_meter_changes (tables.steps, before.w, levels[3], sums);
  }
}

/* Measures eight words, with the word after them. */
static __device__ __forceinline__ void
vh_meter_word_vector (const VhMeterParams & p, const VhMeterTables & tables,
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
    const uint32_t level = code * VH_STEP_LEVELS >> p.frame.depth;

    vh_meter_code (p, tables, code, right, sums);
    if (i < 4)
      levels.x |= level << 8 * i;
    else
      levels.y |= level << 8 * (i - 4);
    code = right;
  }
  *last = levels;
  if (p.compared) {
    vh_meter_changes (tables.steps, before.x, levels.x, sums);
    vh_meter_changes (tables.steps, before.y, levels.y, sums);
  }
}

/* Measures luma in whole vectors, with samples of type @Sample. Vectors that
 * two zones share are processed pixel by pixel. Each thread loads its first
 * vector before waiting for the previous launch: if that launch may write the
 * frame, vh_begin() has already waited. */
template <class Sample, class Level, class Vector>
static __device__ __forceinline__ void
vh_meter_vectors (const VhMeterParams & p, const VhCell & zone,
    const VhMeterTables & tables, VhSums & sums, Vector count)
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
      count (p, tables, v, next, (Level *) ((uint8_t *) p.last +
              (uint64_t) y * p.pitch + x), sums);
    } else {
      vh_meter_pixels (p, tables, max (x, begin), min (x + pixels, end), y,
          sums);
    }
    place.next ();
    if (!place.done ())
      load ();
  }
}

static __device__ __forceinline__ void
vh_meter_any (const VhMeterParams & p, const VhCell & zone,
    const VhMeterTables & tables, VhSums & sums)
{
  const uint32_t begin = zone.x - p.frame.x, end = begin + zone.width;

  vh_wait_for_previous ();
  for (VhPlace place ((zone.width + VH_METER_PIXELS - 1) / VH_METER_PIXELS,
          zone.height, threadIdx.x, blockDim.x); !place.done ();
      place.next ()) {
    const uint32_t x = begin + place.x * VH_METER_PIXELS;

    vh_meter_pixels (p, tables, x, min (x + VH_METER_PIXELS, end),
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

/* Sums up the luma of the parts of @zone, a warp each, and delivers the sums.
 * Parts start anywhere in a vector, so pixels are read again, from the caches,
 * one by one. */
static __device__ __forceinline__ void
vh_meter_parts (const VhMeterParams & p, const VhCell & zone)
{
  __shared__ uint32_t of_part[VH_PARTS_OF_ZONE];
  const uint32_t first = zone.index * VH_PARTS_OF_ZONE;

  for (uint32_t i = vh_warp (); i < VH_PARTS_OF_ZONE;
      i += blockDim.x / VH_WARP) {
    const uint32_t column = (first + i) % VH_PART_COLUMNS;
    const uint32_t x = vh_cell_start (p.frame.width, VH_PART_COLUMNS, column);
    const uint32_t end = vh_cell_start (p.frame.width, VH_PART_COLUMNS,
        column + 1);
    uint32_t sum = 0;

    for (VhPlace place (end - x, zone.height, vh_lane (), VH_WARP);
        !place.done (); place.next ()) {
      sum += vh_bin (p.frame, vh_meter_load (p.frame, p.frame.x + x + place.x,
              zone.y + place.y));
    }
    sum = vh_warp_sum (sum);
    if (vh_lane () == 0)
      of_part[i] = sum;
  }
  __syncthreads ();
  if (threadIdx.x < VH_PARTS_OF_ZONE)
    vh_deliver (p.frame, 2 * VH_SUMS + first + threadIdx.x,
        of_part[threadIdx.x]);
}

/* Adds to a sum of the frame. */
static __device__ __forceinline__ void
vh_add_sum (const VhMeterParams & p, uint32_t sum, uint64_t value)
{
  if (value) {
    atomicAdd ((unsigned long long *) p.frame.accumulators + sum,
        (unsigned long long) value);
  }
}

/* The sums of two counts, the second one in the upper half: the pixels of a
 * zone fit 32 bits. */
static __device__ __forceinline__ uint64_t
vh_warp_sums (uint32_t a, uint32_t b)
{
  return vh_warp_sum ((uint64_t) b << 32 | a);
}

/* Adds the sums of all threads to the cell of @zone. */
static __device__ __forceinline__ void
vh_add_zone (const VhMeterParams & p, uint32_t zone, const VhSums & sums)
{
  __shared__ uint64_t of_warp[VH_KERNEL_METER_THREADS / VH_WARP][VH_CELL_SUMS];
  const uint32_t row = zone / VH_ZONE_COLUMNS;
  const uint32_t cell = row / VH_ZONES_OF_CELL * VH_ZONE_COLUMNS +
      zone % VH_ZONE_COLUMNS;
  const uint64_t steps = vh_warp_sums (sums.risen, sums.fallen);
  uint64_t mine[VH_CELL_SUMS];

  mine[VH_CELL_LUMA_SQUARES] = vh_warp_sum (sums.luma_squares);
  mine[VH_CELL_LUMINANCE] = vh_warp_sum (sums.luminance);
  mine[VH_CELL_GRADIENT_SQUARES] = vh_warp_sum (sums.squares);
  mine[VH_CELL_GRADIENTS] = vh_warp_sums (sums.gradients, sums.strong);
  mine[VH_CELL_RISEN] = (uint32_t) steps;
  mine[VH_CELL_FALLEN] = steps >> 32;
  mine[VH_CELL_CHANGE_SQUARES] = vh_warp_sum (sums.changes);
  if (vh_lane () == 0) {
#pragma unroll
    for (uint32_t i = 0; i < VH_CELL_SUMS; i++)
      of_warp[vh_warp ()][i] = mine[i];
  }
  __syncthreads ();
  if (threadIdx.x < VH_CELL_SUMS) {
    uint64_t sum = 0;

    for (uint32_t i = 0; i < blockDim.x / VH_WARP; i++)
      sum += of_warp[i][threadIdx.x];
    vh_add_sum (p, VH_SUM_CELLS + cell * VH_CELL_SUMS + threadIdx.x, sum);
  }
}

static __device__ __forceinline__ void
vh_meter_zone (const VhMeterParams & p)
{
  __shared__ uint8_t steps[VH_STEP_LEVELS];
  const VhCell zone = vh_cell (p.frame, blockIdx.x);
  const uint32_t *luminance = (const uint32_t *) p.luminance;
  VhMeterTables tables = { steps, luminance };
  VhSums sums = { };

  for (uint32_t i = threadIdx.x; i < VH_STEP_LEVELS; i += blockDim.x)
    steps[i] = p.steps[i];
  if (luminance && p.frame.bins <= VH_KERNEL_LUMINANCE_BINS) {
    for (uint32_t i = threadIdx.x; i < p.frame.bins; i += blockDim.x)
      ((uint32_t *) vh_shared)[i] = luminance[i];
    tables.luminance = (const uint32_t *) vh_shared;
  }
  __syncthreads ();
  if (p.samples == VH_KERNEL_BYTES) {
    vh_meter_vectors<uint8_t, uint4> (p, zone, tables, sums,
        vh_meter_byte_vector);
  } else if (p.samples == VH_KERNEL_WORDS) {
    vh_meter_vectors<uint16_t, uint2> (p, zone, tables, sums,
        vh_meter_word_vector);
  } else {
    vh_meter_any (p, zone, tables, sums);
  }
  vh_add_zone (p, zone.index, sums);
  vh_meter_parts (p, zone);
}

/* A block's counts of chroma. */
struct VhChromaTable
{
  const VhKernelParams & frame;
  uint32_t *u, *v;              /* VH_CHROMA_BINS each, in shared memory */
  uint32_t neutral;             /* of this thread */

  __device__ __forceinline__ void
  count_bins (uint32_t of_u, uint32_t of_v)
  {
    const uint32_t n = VH_NEUTRAL_LAST - VH_NEUTRAL_FIRST;

    atomicAdd (u + of_u, 1u);
    atomicAdd (v + of_v, 1u);
    neutral += of_u - VH_NEUTRAL_FIRST <= n && of_v - VH_NEUTRAL_FIRST <= n;
  }

  __device__ __forceinline__ void
  count (uint32_t of_u, uint32_t of_v)
  {
    count_bins (vh_bin (frame, of_u), vh_bin (frame, of_v));
  }

  /* Counts the samples in a word of each plane, or of the only plane. */
  __device__ __forceinline__ void
  count_words (const VhJointParams & p, uint32_t a, uint32_t b)
  {
    const uint32_t mask = (1u << frame.depth) - 1;

    if (p.samples == VH_PAIRS_PLANES) {
#pragma unroll
      for (uint32_t i = 0; i < 4; i++)
        count (a >> 8 * i & 0xff, b >> 8 * i & 0xff);
    } else if (p.samples >= VH_PAIRS_WORDS) {
      if (p.samples == VH_PAIRS_SWAPPED_WORDS)
        a = __byte_perm (a, 0, 0x1032);
      a >>= frame.component[1].shift;
      count (a & mask, a >> 16 & mask);
    } else {
      if (p.samples == VH_PAIRS_SWAPPED)
        a = __byte_perm (a, 0, 0x2301);
      count (a & 0xff, a >> 8 & 0xff);
      count (a >> 16 & 0xff, a >> 24);
    }
  }
};

/* Counts vectors of chroma, a few at a time. */
static __device__ __forceinline__ void
vh_count_chroma_vectors (const VhJointParams & p, uint32_t thread,
    uint32_t threads, VhChromaTable & table)
{
  const uint32_t in_flight = 4, vectors = p.row_vectors * p.frame.height;

  for (uint32_t n = thread; n < vectors; n += in_flight * threads) {
    VhTwoVectors v[in_flight] = { };

#pragma unroll
    for (uint32_t i = 0; i < in_flight; i++) {
      if (n + i * threads >= vectors)
        continue;
      v[i].a = vh_pair_vector (p.a, p.a_stride, p, n + i * threads);
      if (p.samples == VH_PAIRS_PLANES)
        v[i].b = vh_pair_vector (p.b, p.b_stride, p, n + i * threads);
    }
#pragma unroll
    for (uint32_t i = 0; i < in_flight; i++) {
      if (n + i * threads >= vectors)
        continue;
      table.count_words (p, v[i].a.x, v[i].b.x);
      table.count_words (p, v[i].a.y, v[i].b.y);
      table.count_words (p, v[i].a.z, v[i].b.z);
      table.count_words (p, v[i].a.w, v[i].b.w);
    }
  }
}

/* Counts this block's share of chroma. */
static __device__ __forceinline__ void
vh_meter_chroma (const VhMeterParams & p)
{
  __shared__ uint32_t counts[2 * VH_CHROMA_BINS];
  const uint32_t thread = vh_thread () - p.zones * blockDim.x;
  const uint32_t threads = vh_threads () - p.zones * blockDim.x;
  VhChromaTable table = {
    p.chroma.frame, counts, counts + VH_CHROMA_BINS, 0
  };
  uint32_t neutral;

  vh_clear (counts, 2 * VH_CHROMA_BINS);
  if (p.chroma.samples != VH_PAIRS_ANY) {
    vh_count_chroma_vectors (p.chroma, thread, threads, table);
  } else {
    const VhChroma pairs {p.chroma};

    for (VhPlace place (p.chroma.frame.width, p.chroma.frame.height, thread,
            threads); !place.done (); place.next ()) {
      const uint32_t pair = pairs.pair (place.x, place.y);

      table.count_bins (pair / VH_CHROMA_BINS, pair % VH_CHROMA_BINS);
    }
  }
  neutral = vh_warp_sum (table.neutral);
  vh_wait_for_previous ();
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < 2 * VH_CHROMA_BINS; i += blockDim.x)
    vh_add_sum (p, VH_SUM_U + i, counts[i]);
  if (vh_lane () == 0)
    vh_add_sum (p, VH_SUM_NEUTRAL, neutral);
}

/* The last block delivers the sums, and leaves zeros. Without luma it delivers
 * the parts, too. */
static __device__ __forceinline__ void
vh_deliver_sums (const VhKernelParams & p, bool has_luma)
{
  __shared__ uint32_t last;
  unsigned long long *sums = (unsigned long long *) p.accumulators;

  __syncthreads ();
  if (threadIdx.x == 0) {
    __threadfence ();
    last = atomicInc ((uint32_t *) p.ticket, gridDim.x - 1) == gridDim.x - 1;
    __threadfence ();
  }
  __syncthreads ();
  if (!last)
    return;
  for (uint32_t i = threadIdx.x; i < VH_SUMS; i += blockDim.x) {
    const unsigned long long sum = __ldcg (sums + i);

    sums[i] = 0;
    vh_deliver_pair (p, 2 * i, make_uint2 ((uint32_t) sum, sum >> 32));
  }
  for (uint32_t i = threadIdx.x; !has_luma && i < VH_PARTS; i += blockDim.x)
    vh_deliver (p, 2 * VH_SUMS + i, 0);
}

extern "C" __global__ void
__launch_bounds__ (VH_KERNEL_METER_THREADS, 5)
vh_meter (const __grid_constant__ VhMeterParams p)
{
  vh_begin (p.frame);
  if (blockIdx.x < p.zones)
    vh_meter_zone (p);
  else
    vh_meter_chroma (p);
  vh_deliver_sums (p.frame, p.zones > 0);
}
