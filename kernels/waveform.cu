/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts waveforms: for each column of the picture how often each level occurs.
 * A block has a strip of the picture, from top to bottom, and the columns of
 * each waveform that lie in it, so that no two blocks add to one counter. Its
 * tables are in shared memory until the strip is counted; then they are
 * complete, and the same block makes of them what is shown.
 *
 * A thread stays in its column of pixels: where their counters lie is computed
 * once. Additions of 1 whose result is not used are combined by the hardware if
 * lanes share a counter, so a flat picture takes no longer than noise. */
#include "table.cuh"

#define VH_NO_PLACE 0xffffffffu

/* What this block has of a waveform. */
struct VhStrip
{
  uint32_t column, columns;     /* the first, and how many */
  uint32_t begin, end;          /* samples of a row, in those of the plane */
};

/* The first sample of column @column of @slot. */
static __device__ __forceinline__ uint32_t
vh_column_start (const VhKernelWaveform & slot, uint32_t column)
{
  return vh_cell_start (slot.samples, slot.table.columns, column);
}

static __device__ __forceinline__ VhStrip
vh_find_strip (const VhKernelWaveform & slot)
{
  const uint32_t columns = slot.table.columns;
  VhStrip strip;

  strip.column = (uint32_t) ((uint64_t) blockIdx.x * columns / gridDim.x);
  strip.columns = (uint32_t) ((uint64_t) (blockIdx.x + 1) * columns /
      gridDim.x) - strip.column;
  strip.begin = slot.first + vh_column_start (slot, strip.column);
  strip.end = slot.first + vh_column_start (slot,
      strip.column + strip.columns);
  return strip;
}

/* The strips of a block, and how it counts. */
struct VhStrips
{
  const VhKernelWaveforms & p;
  const VhStrip *strip;         /* of each slot */

  __device__ __forceinline__ bool
  has (uint32_t value) const
  {
    return p.values & (1u << value);
  }

  /* Where the counters of the column of sample @x are, in words of shared
   * memory; NO_PLACE if another block counts it. */
  __device__ __forceinline__ uint32_t
  place (uint32_t value, uint32_t x) const
  {
    const VhKernelWaveform & slot = p.slot[value];
    const VhStrip & own = strip[value];

    if (!has (value) || x < own.begin || x >= own.end)
      return VH_NO_PLACE;
    return slot.place + (vh_scope_column (x - slot.first, slot.table.columns,
            slot.samples) - own.column) * slot.table.levels;
  }

  __device__ __forceinline__ void
  count (uint32_t value, uint32_t place, uint32_t code) const
  {
    if (place != VH_NO_PLACE) {
      atomicAdd ((uint32_t *) vh_shared + place +
          (code >> p.slot[value].level_shift), 1u);
    }
  }

  /* The samples that some of @values have here. */
  __device__ __forceinline__ void
  find_extent (uint32_t values, uint32_t * begin, uint32_t * end) const
  {
    *begin = 0xffffffffu;
    *end = 0;
    for (uint32_t i = 0; i < VH_SCOPE_N_VALUES; i++) {
      if ((p.values & values & (1u << i)) && strip[i].begin < strip[i].end) {
        *begin = min (*begin, strip[i].begin);
        *end = max (*end, strip[i].end);
      }
    }
    *begin = min (*begin, *end);
  }

  /* Where each word of shared memory goes: finds the slot of @word, which is in
   * a column of this block. */
  __device__ __forceinline__ uint32_t
  find_slot (uint32_t word) const
  {
    uint32_t slot = 0;

    for (uint32_t i = 0; i < VH_SCOPE_N_VALUES; i++) {
      if (has (i) && word >= p.slot[i].place)
        slot = i;
    }
    return slot;
  }
};

/* The columns of a strip of @columns columns of units, each with some of its
 * rows: calls @each with column, first row and step. */
template <class Each>
static __device__ __forceinline__ void
vh_each_column (uint32_t columns, Each each)
{
  const uint32_t at_once = min (max (columns, 1u), blockDim.x);
  const uint32_t row = threadIdx.x / at_once;
  const uint32_t column = threadIdx.x - row * at_once;
  const uint32_t rows = blockDim.x / at_once;

  if (row >= rows)
    return;
  for (uint32_t i = column; i < columns; i += at_once)
    each (i, row, rows);
}

/* The lowest and the highest level with a count of each column, behind the
 * tables: a warp for each. */
static __device__ __forceinline__ void
vh_find_extremes (const VhStrips & s)
{
  const uint32_t *words = (const uint32_t *) vh_shared;
  VhExtremes *extremes = (VhExtremes *) (words + s.p.words);
  const uint32_t warps = blockDim.x / VH_WARP;
  uint32_t first = 0;

  for (uint32_t i = 0; i < VH_SCOPE_N_VALUES; i++) {
    const VhKernelTable & table = s.p.slot[i].table;
    const uint32_t *counts = words + s.p.slot[i].place;
    const uint32_t columns = s.has (i) ? s.strip[i].columns : 0;
    const VhPeaks peaks {(uint32_t *) table.peaks + 2 * s.strip[i].column,
      table.levels, s.p.envelope, table.forget != 0};

    for (uint32_t c = threadIdx.x / VH_WARP; c < columns; c += warps) {
      VhExtremes found;

      for (uint32_t level = vh_lane (); level < table.levels;
          level += VH_WARP) {
        if (counts[c * table.levels + level])
          found.add (level);
      }
      found.join_warp ();
      if (vh_lane () == 0)
        extremes[2 * (first + c)] = found;
      if (vh_lane () == 0)
        extremes[2 * (first + c) + 1] = peaks.follow (c, found, true);
    }
    first += columns;
  }
  __syncthreads ();
}

/* The same of the column of @cell of slot @slot. */
static __device__ __forceinline__ bool
vh_is_lit (const VhStrips & s, uint32_t slot, uint32_t column, uint32_t level)
{
  const VhExtremes *extremes = (const VhExtremes *) ((const uint32_t *)
      vh_shared + s.p.words);

  for (uint32_t i = 0; i < slot; i++)
    column += s.has (i) ? s.strip[i].columns : 0;
  return ((s.p.envelope & VH_ENVELOPE_INSTANT)
      && extremes[2 * column].has (level))
      || ((s.p.envelope & VH_ENVELOPE_PEAK)
      && extremes[2 * column + 1].has (level));
}

/* Hands over the tables of the block. */
static __device__ __forceinline__ void
vh_show_strips (const VhStrips & s)
{
  const uint32_t *words = (const uint32_t *) vh_shared;

  if (s.p.envelope)
    vh_find_extremes (s);
  for (uint32_t word = threadIdx.x; word < s.p.words; word += blockDim.x) {
    const uint32_t i = s.find_slot (word);
    const VhKernelWaveform & slot = s.p.slot[i];
    const uint32_t at = word - slot.place;
    const uint32_t column = at / slot.table.levels;

    if (column >= s.strip[i].columns)
      continue;

    const uint64_t cell = (uint64_t) s.strip[i].column * slot.table.levels +
        at;
    const bool lit = s.p.envelope
        && vh_is_lit (s, i, column, at - column * slot.table.levels);

    vh_show (slot.table, cell, words[word], s.p.decay, lit);
  }
}

/* Counts by @count, which is called with the strips of this block. */
template <class Count>
static __device__ __forceinline__ void
vh_count_waveforms (const VhKernelWaveforms & p, Count count)
{
  __shared__ VhStrip strips[VH_SCOPE_N_VALUES];
  const VhStrips s {p, strips};

  vh_let_next_begin ();
  if (threadIdx.x < VH_SCOPE_N_VALUES && s.has (threadIdx.x))
    strips[threadIdx.x] = vh_find_strip (p.slot[threadIdx.x]);
  for (uint32_t i = threadIdx.x; i < p.words; i += blockDim.x)
    ((uint32_t *) vh_shared)[i] = 0;
  __syncthreads ();
  if (!p.frame.complete)
    vh_wait_for_previous ();
  count (s);
  vh_wait_for_previous ();
  __syncthreads ();
  vh_show_strips (s);
}

/* Two samples of luma beside each other, in one or two rows, and the U and V
 * that they share. */
template <uint32_t bytes, uint32_t rows>
struct VhShared
{
  static const uint32_t bits = 8 * bytes;

  uint32_t luma[rows];
  uint32_t u, v;

  static __device__ __forceinline__ uint32_t
  load_one (uint64_t at)
  {
    return bytes == 1 ? *(const uint8_t *) at : *(const uint16_t *) at;
  }

  static __device__ __forceinline__ uint32_t
  load_two (uint64_t at)
  {
    return bytes == 1 ? *(const uint16_t *) at : *(const uint32_t *) at;
  }

  /* Unit (@x, @y) of the planes, which has a second column if @two, and
   * @n_rows rows. */
  __device__ __forceinline__ void
  load (const VhKernelWaveforms & p, uint32_t x, uint32_t y, bool two,
      uint32_t n_rows)
  {
    const VhKernelComponent *c = p.frame.component;
    const uint64_t at = c[0].data + (uint64_t) (y * rows) * c[0].stride +
        (uint64_t) x * 2 * bytes;
    const uint64_t row = (uint64_t) y * c[1].stride;

#pragma unroll
    for (uint32_t r = 0; r < rows; r++) {
      luma[r] = r >= n_rows ? 0 : two ? load_two (at + r * c[0].stride) :
          load_one (at + r * c[0].stride);
    }
    if (p.chroma == VH_CHROMA_PLANES) {
      u = load_one (c[1].data + row + (uint64_t) x * bytes);
      v = load_one (c[2].data + (uint64_t) y * c[2].stride +
          (uint64_t) x * bytes);
    } else {
      const bool swapped = p.chroma == VH_CHROMA_VU;
      const uint32_t both = load_two ((swapped ? c[2].data : c[1].data) + row +
          (uint64_t) x * 2 * bytes);

      u = (swapped ? both >> bits : both) & ((1u << bits) - 1);
      v = (swapped ? both : both >> bits) & ((1u << bits) - 1);
    }
  }

  static __device__ __forceinline__ uint32_t
  code (const VhKernelWaveforms & p, uint32_t word)
  {
    return bytes == 1 ? word : word >> p.frame.component[0].shift &
        ((1u << p.frame.depth) - 1);
  }
};

static __device__ __forceinline__ uint32_t
vh_color_code (int32_t value, uint32_t shift, int32_t most)
{
  return (uint32_t) min (max (value >> shift, 0), most);
}

/* Units of a thread whose loads are in flight together. */
#define VH_WAVEFORM_UNITS 4

/* How a thread counts its column of units. */
template <uint32_t bytes, uint32_t rows>
struct VhUnitColumn
{
  typedef VhShared<bytes, rows> Unit;

  const VhStrips & s;
  uint32_t place[4][2], u_place, v_place;
  int32_t black, most;

  __device__ __forceinline__
  VhUnitColumn (const VhStrips & s, uint32_t x)
  : s (s), u_place (s.place (VH_SCOPE_U, x)), v_place (s.place (VH_SCOPE_V, x)),
    black ((1 << (s.p.frame.yuv_shift - 1)) -
        s.p.frame.y_offset * s.p.frame.y_scale),
    most ((int32_t) (1u << s.p.frame.depth) - 1)
  {
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
      place[i][0] = s.place (i, 2 * x);
      place[i][1] = s.place (i, 2 * x + 1);
    }
  }

  __device__ __forceinline__ void
  count (const Unit & unit, uint32_t n_rows) const
  {
    const VhKernelParams & f = s.p.frame;
    const bool colors = s.p.values & 0xe;
    const uint32_t u = Unit::code (s.p, unit.u);
    const uint32_t v = Unit::code (s.p, unit.v);
    int32_t red = 0, green = 0, blue = 0;

    if (colors) {
      const int32_t du = (int32_t) u - f.c_offset;
      const int32_t dv = (int32_t) v - f.c_offset;

      red = black + dv * f.rv;
      green = black + du * f.gu + dv * f.gv;
      blue = black + du * f.bu;
    }
    if (s.has (VH_SCOPE_U))
      s.count (VH_SCOPE_U, u_place, u);
    if (s.has (VH_SCOPE_V))
      s.count (VH_SCOPE_V, v_place, v);
#pragma unroll
    for (uint32_t i = 0; i < 2 * rows; i++) {
      const uint32_t k = i % 2;
      const uint32_t luma = Unit::code (s.p, k ? unit.luma[i / 2] >>
          Unit::bits : unit.luma[i / 2] & ((1u << Unit::bits) - 1));

      if (i / 2 >= n_rows)
        continue;
      if (s.has (VH_SCOPE_LUMA))
        s.count (VH_SCOPE_LUMA, place[0][k], luma);
      if (colors) {
        const int32_t value = (int32_t) luma * f.y_scale;

        s.count (VH_SCOPE_RED, place[1][k],
            vh_color_code (value + red, f.yuv_shift, most));
        s.count (VH_SCOPE_GREEN, place[2][k],
            vh_color_code (value + green, f.yuv_shift, most));
        s.count (VH_SCOPE_BLUE, place[3][k],
            vh_color_code (value + blue, f.yuv_shift, most));
      }
    }
  }
};

/* Luma in a plane of its own, with chroma for two pixels of each of @rows rows.
 * Up to 12 bits, 32 are enough for colours. */
template <uint32_t bytes, uint32_t rows>
static __device__ __forceinline__ void
vh_count_shared (const VhStrips & s)
{
  typedef VhShared<bytes, rows> Unit;

  const VhKernelWaveforms & p = s.p;
  const uint32_t luma_values = 0xf, chroma_values = 0x30;
  const uint32_t right = p.frame.x + p.frame.width;
  const uint32_t bottom = p.frame.y + p.frame.height;
  const uint32_t unit_rows = (bottom + rows - 1) / rows;
  uint32_t begin, end, chroma_begin, chroma_end;

  s.find_extent (luma_values, &begin, &end);
  s.find_extent (chroma_values, &chroma_begin, &chroma_end);
  begin /= 2;
  end = (end + 1) / 2;
  if (begin >= end) {
    begin = chroma_begin;
    end = chroma_end;
  } else if (chroma_begin < chroma_end) {
    begin = min (begin, chroma_begin);
    end = max (end, chroma_end);
  }

  vh_each_column (end - begin, [&] (uint32_t column, uint32_t row,
          uint32_t step) {
        const uint32_t x = begin + column;
        const bool two = 2 * x + 1 < right;
        const VhUnitColumn<bytes, rows> units (s, x);

        for (uint32_t y = p.frame.y / rows + row; y < unit_rows;
            y += VH_WAVEFORM_UNITS * step) {
          Unit unit[VH_WAVEFORM_UNITS];

#pragma unroll
          for (uint32_t i = 0; i < VH_WAVEFORM_UNITS; i++) {
            const uint32_t at = y + i * step;

            if (at < unit_rows)
              unit[i].load (p, x, at, two, min (bottom - at * rows, rows));
          }
#pragma unroll
          for (uint32_t i = 0; i < VH_WAVEFORM_UNITS; i++) {
            const uint32_t at = y + i * step;

            if (at < unit_rows)
              units.count (unit[i], min (bottom - at * rows, rows));
          }
        }
      });
}

#define VH_WAVEFORM(name, bytes, rows) \
  extern "C" __global__ void \
  __launch_bounds__ (VH_KERNEL_SCOPE_THREADS) \
  vh_waveform_##name (const __grid_constant__ VhKernelWaveforms p) \
  { \
    vh_count_waveforms (p, [] (const VhStrips & s) { \
          vh_count_shared<bytes, rows> (s); \
        }); \
  }

VH_WAVEFORM (420_8, 1, 2)
VH_WAVEFORM (422_8, 1, 1)
VH_WAVEFORM (420_16, 2, 2)
VH_WAVEFORM (422_16, 2, 1)

/* Any pixels, and samples of U and V of YUV by themselves. */
static __device__ __forceinline__ void
vh_count_any (const VhStrips & s)
{
  const VhKernelWaveforms & p = s.p;
  const bool rgb = p.frame.model == VH_KERNEL_RGB;
  const uint32_t chroma = p.values & 0x30;
  const uint32_t channels = (p.values & 0xf) | (rgb && chroma ? 0xe : 0);
  uint32_t begin, end;

  s.find_extent (rgb ? 0x3f : 0xf, &begin, &end);
  vh_each_column (end - begin, [&] (uint32_t column, uint32_t row,
          uint32_t step) {
        const uint32_t x = begin + column;
        uint32_t place[VH_SCOPE_N_VALUES];

#pragma unroll
        for (uint32_t i = 0; i < VH_SCOPE_N_VALUES; i++)
          place[i] = i < 4 || rgb ? s.place (i, x) : VH_NO_PLACE;
        for (uint32_t y = row; y < p.frame.height; y += step) {
          uint32_t value[VH_KERNEL_CHANNELS] = { };

          vh_load_pixel (p.frame, channels, x, p.frame.y + y, value);
#pragma unroll
          for (uint32_t i = 0; i < VH_KERNEL_CHANNELS; i++)
            s.count (i, place[i], value[i]);
          if (rgb && chroma) {
#pragma unroll
            for (uint32_t i = 0; i < 2; i++) {
              s.count (VH_SCOPE_U + i, place[VH_SCOPE_U + i],
                  vh_scope_chroma (&p.colors, i, value[1], value[2],
                      value[3]));
            }
          }
        }
      });
  if (rgb || !chroma)
    return;

  s.find_extent (0x30, &begin, &end);
  vh_each_column (end - begin, [&] (uint32_t column, uint32_t row,
          uint32_t step) {
        const uint32_t x = begin + column;

#pragma unroll
        for (uint32_t i = 0; i < 2; i++) {
          const uint32_t place = s.place (VH_SCOPE_U + i, x);
          VhKernelComponent component = p.frame.component[1 + i];

          component.w_sub = component.h_sub = 0;
          for (uint32_t y = row; y < p.chroma_rows && place != VH_NO_PLACE;
              y += step) {
            s.count (VH_SCOPE_U + i, place, vh_load_sample (p.frame, component,
                    x, p.chroma_y + y));
          }
        }
      });
}

extern "C" __global__ void
__launch_bounds__ (VH_KERNEL_SCOPE_THREADS)
vh_waveform_any (const __grid_constant__ VhKernelWaveforms p)
{
  vh_count_waveforms (p, [] (const VhStrips & s) {
        vh_count_any (s);
      });
}
