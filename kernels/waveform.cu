/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts waveforms: how often each level occurs in each column of the picture.
 * A block has a strip of the picture, from top to bottom, and the columns of
 * each waveform in it, so that no two blocks add to the same counter. Its
 * tables are in shared memory until the strip is counted; then they are
 * complete, and the same block computes what is shown.
 *
 * A thread stays in its column of pixels, so that the address of its
 * counters is computed once. If lanes share a counter, the hardware combines
 * additions of 1 whose result is not used, so a flat picture takes no longer
 * than noise. */
#include "table.cuh"

/* The part of a waveform that this block counts. */
struct VhStrip
{
  uint32_t column, columns;     /* the first column, and how many */
  uint32_t begin, end;          /* samples of a row of the plane */
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
   * memory. Samples that another block counts go to unused words, because a
   * branch for each sample would take longer. */
  __device__ __forceinline__ uint32_t
  place (uint32_t value, uint32_t x) const
  {
    const VhKernelWaveform & slot = p.slot[value];
    const VhStrip & own = strip[value];

    if (!has (value) || x < own.begin || x >= own.end)
      return p.nowhere;
    return slot.place + (vh_scope_column (x - slot.first, slot.table.columns,
            slot.samples) - own.column) * slot.table.levels;
  }

  __device__ __forceinline__ void
  count (uint32_t value, uint32_t place, uint32_t code) const
  {
    atomicAdd ((uint32_t *) vh_shared + place +
        (code >> p.slot[value].level_shift), 1u);
  }

  /* The range of samples that any of @values has in this block. */
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
};

/* Divides a strip of @columns columns of units among the threads: calls @each
 * with column, first row and step. */
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

/* Finds the lowest and the highest level with a count in each column, with a
 * warp per column, and stores them after the tables. */
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

/* Which of @n levels of a column belong to the envelope, a bit each. @column
 * counts from the block's first column of @slot. */
static __device__ __forceinline__ uint32_t
vh_find_lit (const VhStrips & s, uint32_t slot, uint32_t column,
    uint32_t level, uint32_t n)
{
  const VhExtremes *extremes = (const VhExtremes *) ((const uint32_t *)
      vh_shared + s.p.words);
  uint32_t lit = 0;

  for (uint32_t i = 0; i < slot; i++)
    column += s.has (i) ? s.strip[i].columns : 0;
  for (uint32_t i = 0; i < n; i++) {
    if (((s.p.envelope & VH_ENVELOPE_INSTANT)
            && extremes[2 * column].has (level + i))
        || ((s.p.envelope & VH_ENVELOPE_PEAK)
            && extremes[2 * column + 1].has (level + i)))
      lit |= 1u << i;
  }
  return lit;
}

/* Computes what is shown of the block's columns of slot @i, @n levels at a
 * time. */
template <uint32_t n>
static __device__ __forceinline__ void
vh_show_strip (const VhStrips & s, uint32_t i)
{
  const VhKernelWaveform & slot = s.p.slot[i];
  const uint32_t levels = slot.table.levels;
  const uint32_t *counts = (const uint32_t *) vh_shared + slot.place;
  const uint64_t first = (uint64_t) s.strip[i].column * levels;

  for (uint32_t cell = n * threadIdx.x; cell < s.strip[i].columns * levels;
      cell += n * blockDim.x) {
    const uint32_t lit = s.p.envelope ?
        vh_find_lit (s, i, cell / levels, cell % levels, n) : 0;

    vh_show (slot.table, first + cell, *(const VhCells<uint32_t, n> *) (counts +
            cell), s.p.decay, lit);
  }
}

/* Computes what is shown of the block's tables. */
static __device__ __forceinline__ void
vh_show_strips (const VhStrips & s)
{
  if (s.p.envelope)
    vh_find_extremes (s);
  for (uint32_t i = 0; i < VH_SCOPE_N_VALUES; i++) {
    if (s.has (i) && s.p.slot[i].table.levels % 4 == 0)
      vh_show_strip<4> (s, i);
    else if (s.has (i))
      vh_show_strip<1> (s, i);
  }
}

/* Counts with @count, which is called with the strips of this block. */
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

/* Two adjacent samples of luma, in one or two rows, and the U and V that they
 * share, as in memory. */
template <uint32_t rows>
struct VhUnit
{
  uint32_t luma[rows];          /* two samples each */
  uint32_t u, v;                /* both are in @u if they are interleaved */
};

/* The position of a thread's units, which are in one column. */
template <uint32_t bytes, uint32_t rows, bool planes>
struct VhUnits
{
  uint64_t luma, u, v;          /* interleaved chroma starts at @u */
  uint64_t luma_stride;
  uint64_t luma_step, u_step, v_step;   /* to the next unit of the thread */
  bool two;                     /* columns of pixels */

  /* Column @x of units: every @step-th row, starting at row @y. */
  __device__ __forceinline__
  VhUnits (const VhKernelWaveforms & p, uint32_t x, uint32_t y, uint32_t step)
  : luma_stride (p.frame.component[0].stride),
    two (2 * x + 1 < p.frame.x + p.frame.width)
  {
    const VhKernelComponent *c = p.frame.component;
    const VhKernelComponent & first = c[p.chroma == VH_CHROMA_VU ? 2 : 1];

    luma = c[0].data + (uint64_t) (y * rows) * luma_stride +
        (uint64_t) x * 2 * bytes;
    luma_step = (uint64_t) (step * rows) * luma_stride;
    u = first.data + y * first.stride + (uint64_t) x * (planes ? 1 : 2) * bytes;
    u_step = step * first.stride;
    v = c[2].data + y * c[2].stride + (uint64_t) x * bytes;
    v_step = step * c[2].stride;
  }

  static __device__ __forceinline__ uint32_t
  load_one (uint64_t at)
  {
    return bytes == 1 ? __ldcg ((const unsigned char *) at) :
        __ldcg ((const unsigned short *) at);
  }

  static __device__ __forceinline__ uint32_t
  load_two (uint64_t at)
  {
    return bytes == 1 ? __ldcg ((const unsigned short *) at) :
        __ldcg ((const unsigned int *) at);
  }

  /* Loads the next unit, with @n_rows rows in the picture. */
  __device__ __forceinline__ VhUnit<rows>
  next (uint32_t n_rows)
  {
    VhUnit<rows> unit = { };

#pragma unroll
    for (uint32_t r = 0; r < rows; r++) {
      const uint64_t at = luma + r * luma_stride;

      if (r < n_rows)
        unit.luma[r] = two ? load_two (at) : load_one (at);
    }
    unit.u = planes ? load_one (u) : load_two (u);
    if (planes)
      unit.v = load_one (v);
    luma += luma_step;
    u += u_step;
    v += v_step;
    return unit;
  }
};

/* How a thread counts its column of units: where the counters of its samples
 * are, and how samples become colours. Values that are not counted are skipped
 * for many units at once. */
template <uint32_t bytes, uint32_t rows, bool planes>
struct VhUnitColumn
{
  typedef VhUnit<rows> Unit;

  const VhStrips & s;
  uint32_t place[VH_SCOPE_N_VALUES][2]; /* for two columns of pixels, or one of
                                         * chroma */
  uint32_t shift, mask;         /* of a sample in its word */
  int32_t black, top;           /* colours in 2^-yuv_shift code values */
  bool luma, colors, chroma;    /* which are counted */

  __device__ __forceinline__
  VhUnitColumn (const VhStrips & s, uint32_t x)
  : s (s), shift (s.p.frame.component[0].shift),
    mask ((1u << s.p.frame.depth) - 1), luma (s.has (VH_SCOPE_LUMA)),
    colors (s.p.values & 0xe), chroma (s.p.values & 0x30)
  {
    const VhKernelParams & f = s.p.frame;

#pragma unroll
    for (uint32_t i = 0; i < VH_SCOPE_N_VALUES; i++) {
      place[i][0] = s.place (i, i < VH_SCOPE_U ? 2 * x : x);
      place[i][1] = i < VH_SCOPE_U ? s.place (i, 2 * x + 1) : 0;
    }
    /* Only if colours are counted: otherwise the depth may be above 12 bits,
     * where these shifts would overflow. */
    black = colors ? (1 << (f.yuv_shift - 1)) - f.y_offset * f.y_scale : 0;
    top = colors ? (1 << (f.depth + f.yuv_shift)) - 1 : 0;
  }

  /* Sample @i of a word. */
  __device__ __forceinline__ uint32_t
  code (uint32_t word, uint32_t i) const
  {
    return bytes == 1 ? word >> 8 * i & 0xff : word >> (16 * i + shift) & mask;
  }

  __device__ __forceinline__ uint32_t
  u (const Unit & unit) const
  {
    return code (unit.u, !planes && s.p.chroma == VH_CHROMA_VU);
  }

  __device__ __forceinline__ uint32_t
  v (const Unit & unit) const
  {
    return planes ? code (unit.v, 0) :
        code (unit.u, s.p.chroma == VH_CHROMA_UV);
  }

  /* Counts a colour: clamps it, and then drops its fraction. */
  __device__ __forceinline__ void
  count_color (uint32_t value, uint32_t i, int32_t luma, int32_t rest) const
  {
    const uint32_t color = __viaddmin_s32_relu (luma, rest, top);

    s.count (value, place[value][i], color >> s.p.frame.yuv_shift);
  }

  __device__ __forceinline__ void
  count_colors (const Unit & unit, uint32_t n_rows) const
  {
    const VhKernelParams & f = s.p.frame;
    const int32_t du = (int32_t) u (unit) - f.c_offset;
    const int32_t dv = (int32_t) v (unit) - f.c_offset;
    const int32_t red = black + dv * f.rv;
    const int32_t green = black + du * f.gu + dv * f.gv;
    const int32_t blue = black + du * f.bu;

#pragma unroll
    for (uint32_t i = 0; i < 2 * rows; i++) {
      const int32_t value = (int32_t) code (unit.luma[i / 2], i % 2) *
          f.y_scale;

      if (i / 2 >= n_rows)
        continue;
      count_color (VH_SCOPE_RED, i % 2, value, red);
      count_color (VH_SCOPE_GREEN, i % 2, value, green);
      count_color (VH_SCOPE_BLUE, i % 2, value, blue);
    }
  }

  /* Counts @n units, with @n_rows rows in the picture. */
  template <uint32_t n>
  __device__ __forceinline__ void
  count (const Unit (&unit)[n], uint32_t n_rows) const
  {
    if (luma) {
#pragma unroll
      for (uint32_t i = 0; i < n * 2 * rows; i++) {
        if (i / 2 % rows < n_rows) {
          s.count (VH_SCOPE_LUMA, place[VH_SCOPE_LUMA][i % 2],
              code (unit[i / (2 * rows)].luma[i / 2 % rows], i % 2));
        }
      }
    }
    if (colors) {
#pragma unroll
      for (uint32_t i = 0; i < n; i++)
        count_colors (unit[i], n_rows);
    }
    if (chroma) {
#pragma unroll
      for (uint32_t i = 0; i < n; i++) {
        s.count (VH_SCOPE_U, place[VH_SCOPE_U][0], u (unit[i]));
        s.count (VH_SCOPE_V, place[VH_SCOPE_V][0], v (unit[i]));
      }
    }
  }
};

/* Each thread has this many loads of units in flight. */
#define VH_WAVEFORM_UNITS 4

/* Counts units of column @x in every @step-th row, starting at row @y. */
template <uint32_t bytes, uint32_t rows, bool planes>
static __device__ __forceinline__ void
vh_count_column (const VhStrips & s, uint32_t x, uint32_t y, uint32_t step)
{
  const uint32_t bottom = s.p.frame.y + s.p.frame.height;
  const VhUnitColumn<bytes, rows, planes> column (s, x);
  VhUnits<bytes, rows, planes> units (s.p, x, y, step);

  for (; y + (VH_WAVEFORM_UNITS - 1) * step < bottom / rows;
      y += VH_WAVEFORM_UNITS * step) {
    VhUnit<rows> unit[VH_WAVEFORM_UNITS];

#pragma unroll
    for (uint32_t i = 0; i < VH_WAVEFORM_UNITS; i++)
      unit[i] = units.next (rows);
    column.count (unit, rows);
  }
  for (; y * rows < bottom; y += step) {
    const uint32_t n_rows = min (bottom - y * rows, rows);
    const VhUnit<rows> unit[1] = { units.next (n_rows) };

    column.count (unit, n_rows);
  }
}

/* Counts frames with luma in its own plane, and chroma for two pixels in each
 * of @rows rows. Up to 12 bits, 32-bit arithmetic is enough for colours. */
template <uint32_t bytes, uint32_t rows>
static __device__ __forceinline__ void
vh_count_shared (const VhStrips & s)
{
  const VhKernelWaveforms & p = s.p;
  const uint32_t luma_values = 0xf, chroma_values = 0x30;
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
        const uint32_t x = begin + column, y = p.frame.y / rows + row;

        if (p.chroma == VH_CHROMA_PLANES)
          vh_count_column<bytes, rows, true> (s, x, y, step);
        else
          vh_count_column<bytes, rows, false> (s, x, y, step);
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

/* Counts any pixels, and separately the samples of U and V of YUV. */
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
          place[i] = i < 4 || rgb ? s.place (i, x) : p.nowhere;
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
          for (uint32_t y = row; y < p.chroma_rows && place != p.nowhere;
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
