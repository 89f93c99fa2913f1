/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How videoscope processes and draws counts: traces whose counts come from a
 * counter, the look of the picture, and panels. */
#include "table.cuh"

#include <type_traits>

/* Histograms, and U and V. Each row of blocks in the grid computes one
 * trace. */

static __device__ __forceinline__ uint32_t *
vh_words ()
{
  return (uint32_t *) vh_shared;
}

/* Adds up the joint histogram over U or over V, in shared memory. */
static __device__ __forceinline__ void
vh_sum_chroma (const VhKernelCounted & t, uint32_t n)
{
  const uint32_t *counts = (const uint32_t *) t.counts;
  const bool over_v = t.value == VH_SCOPE_U;

  for (uint32_t i = threadIdx.x; i < n * n; i += blockDim.x) {
    const uint32_t count = counts[i];

    if (count)
      atomicAdd (vh_words () + (over_v ? i / n : i % n), count);
  }
}

/* Computes the bars of a histogram, and their peaks. */
static __device__ __forceinline__ void
vh_settle_histogram (const VhKernelSettle & p, const VhKernelCounted & t)
{
  __shared__ uint32_t fullest;
  const uint32_t n = t.table.columns;
  uint32_t *bins = vh_words ();
  uint32_t *bars = (uint32_t *) t.table.light;
  uint32_t *peaks = (uint32_t *) t.table.peaks;
  uint32_t most = 0;

  if (threadIdx.x == 0)
    fullest = 0;
  for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
    bins[i] = 0;
  __syncthreads ();
  if (t.value >= VH_SCOPE_U) {
    vh_sum_chroma (t, n);
  } else {
    for (uint32_t i = threadIdx.x; i < t.n_values; i += blockDim.x)
      atomicAdd (bins + i * n / t.n_values, ((const uint32_t *) t.counts)[i]);
  }
  __syncthreads ();

  for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
    most = max (most, bins[i]);
  atomicMax (&fullest, most);
  __syncthreads ();

  for (uint32_t x = threadIdx.x; x < t.width; x += blockDim.x) {
    uint32_t from, end, count = 0, bar;

    vh_scope_cells (x, t.width, n, &from, &end);
    for (uint32_t i = from; i < end; i++)
      count = max (count, bins[i]);
    bar = vh_scope_bar (count, fullest, t.height);
    bars[x] = bar;
    if (p.envelope & VH_ENVELOPE_PEAK)
      peaks[x] = t.table.forget ? bar : max (peaks[x], bar);
  }
}

/* Computes what is shown of U and V. A block has some values of U, and finds
 * the outermost U of each V by itself. */
static __device__ __forceinline__ void
vh_settle_chroma (const VhKernelSettle & p, const VhKernelCounted & t)
{
  const VhKernelTable & table = t.table;
  const uint32_t n = table.columns;
  const uint32_t first = blockIdx.x * n / gridDim.x;
  const uint32_t end = (blockIdx.x + 1) * n / gridDim.x;
  const uint32_t *counts = (const uint32_t *) t.counts;
  const VhPeaks peaks {(uint32_t *) table.peaks, n, p.envelope,
    table.forget != 0};
  VhExtremes *now = (VhExtremes *) vh_shared, *ever = now + n;

  if (p.envelope) {
    for (uint32_t v = threadIdx.x; v < n; v += blockDim.x)
      now[v] = VhExtremes ();
    __syncthreads ();
    for (uint32_t i = threadIdx.x; i < n * n; i += blockDim.x) {
      if (counts[i]) {
        atomicMin (&now[i % n].least, i / n);
        atomicMax (&now[i % n].most, i / n);
      }
    }
    __syncthreads ();
    for (uint32_t v = threadIdx.x; v < n; v += blockDim.x)
      ever[v] = peaks.follow (n + v, now[v], true);
    __syncthreads ();
  }

  for (uint32_t u = first + threadIdx.x / VH_WARP; u < end;
      u += blockDim.x / VH_WARP) {
    VhExtremes row, row_ever;

    if (p.envelope) {
      for (uint32_t v = vh_lane (); v < n; v += VH_WARP) {
        if (counts[u * n + v])
          row.add (v);
      }
      row.join_warp ();
      row_ever = peaks.follow (u, row, vh_lane () == 0);
    }
    for (uint32_t v = 4 * vh_lane (); v < n; v += 4 * VH_WARP) {
      uint32_t lit = 0;

      for (uint32_t i = 0; i < 4 && p.envelope; i++) {
        if (((p.envelope & VH_ENVELOPE_INSTANT)
                && (row.has (v + i) || now[v + i].has (u)))
            || ((p.envelope & VH_ENVELOPE_PEAK)
                && (row_ever.has (v + i) || ever[v + i].has (u))))
          lit |= 1u << i;
      }
      vh_show (table, u * n + v, *(const VhCells<uint32_t, 4> *) (counts +
              u * n + v), p.decay, lit);
    }
  }
}

extern "C" __global__ void
__launch_bounds__ (VH_KERNEL_SCOPE_THREADS)
vh_scope_settle (const __grid_constant__ VhKernelSettle p)
{
  const VhKernelCounted & t = p.trace[blockIdx.y];

  vh_let_next_begin ();
  vh_wait_for_previous ();
  if (t.kind == VH_TRACE_CHROMA)
    vh_settle_chroma (p, t);
  else if (blockIdx.x == 0)
    vh_settle_histogram (p, t);
}

/* Reads and writes samples of a component: with 1 or 2 @bytes each, the latter
 * as a word; 0 means any kind, byte by byte. */
template <uint32_t bytes>
struct VhSamples
{
  const VhKernelParams & p;
  const VhKernelComponent & c;

  __device__ __forceinline__ uint8_t *
  find (uint32_t x, uint32_t y) const
  {
    return (uint8_t *) c.data + (uint64_t) (y >> c.h_sub) * c.stride +
        (uint64_t) (x >> c.w_sub) * c.pixel_stride;
  }

  /* The position in the word of the byte at @i. */
  __device__ __forceinline__ uint32_t
  byte (uint32_t i) const
  {
    return p.big_endian ? c.sample_bytes - 1 - i : i;
  }

  /* The word that has the sample. */
  __device__ __forceinline__ uint32_t
  load (const uint8_t * data) const
  {
    uint32_t word = 0;

    if constexpr (bytes == 1) {
      word = *data;
    } else if constexpr (bytes == 2) {
      word = *(const uint16_t *) data;
    } else {
      for (uint32_t i = 0; i < c.sample_bytes; i++)
        word |= (uint32_t) data[i] << 8 * byte (i);
    }
    return word;
  }

  __device__ __forceinline__ uint32_t
  code (uint32_t word) const
  {
    return word >> c.shift & ((1u << p.depth) - 1);
  }

  /* Leaves the other bits of @word unchanged. */
  __device__ __forceinline__ void
  store (uint8_t * data, uint32_t word, uint32_t code) const
  {
    const uint32_t mask = ((1u << p.depth) - 1) << c.shift;

    word = (word & ~mask) | code << c.shift;
    if constexpr (bytes == 1) {
      *data = word;
    } else if constexpr (bytes == 2) {
      *(uint16_t *) data = word;
    } else {
      for (uint32_t i = 0; i < c.sample_bytes; i++)
        data[i] = word >> 8 * byte (i);
    }
  }
};

/* log2 of the pixels that share chroma, in each direction. */
static __device__ __forceinline__ uint32_t
vh_w_sub (const VhKernelParams & p)
{
  return p.model == VH_KERNEL_YUV ? p.component[1].w_sub : 0;
}

static __device__ __forceinline__ uint32_t
vh_h_sub (const VhKernelParams & p)
{
  return p.model == VH_KERNEL_YUV ? p.component[1].h_sub : 0;
}

/* Calls @each with the position of each pixel, within a rectangle of @width x
 * @height pixels, that shares chroma with the pixel at (@x, @y). */
template <class Each>
static __device__ __forceinline__ uint32_t
vh_each_sharing (const VhKernelParams & p, uint32_t x, uint32_t y,
    uint32_t width, uint32_t height, Each each)
{
  const uint32_t right = min (x + (1u << vh_w_sub (p)), width);
  const uint32_t bottom = min (y + (1u << vh_h_sub (p)), height);

  for (uint32_t j = y; j < bottom; j++) {
    for (uint32_t i = x; i < right; i++)
      each (i, j);
  }
  return (right - x) * (bottom - y);
}

/* vh_scope_blend() without 64-bit divisions. At most 16 pixels share a sample,
 * so the background under them fits 32 bits. Light fits, too, for samples of up
 * to 12 bits: at most four pixels share such a sample, or 16 if it has 8 bits.
 * For deeper samples @deep must be set. */
template <bool deep>
static __device__ __forceinline__ uint32_t
vh_blend_sample (const VhScopeColors & colors, uint32_t i, uint32_t code,
    const VhScopePixel & sum, uint32_t n)
{
  typedef std::conditional_t<deep, int64_t, int32_t> Light;

  const uint32_t behind = code * (255 * n - sum.c[3]) +
      (uint32_t) colors.offset[i] * sum.c[3] + 127 * n;
  const Light light = (Light) colors.scale[i][0] * (int32_t) sum.c[0] +
      (Light) colors.scale[i][1] * (int32_t) sum.c[1] +
      (Light) colors.scale[i][2] * (int32_t) sum.c[2];
  Light each, value;
  uint32_t share;

  if (n & (n - 1)) {
    share = behind / (255 * n);
    each = light / (Light) n;
  } else {
    const uint32_t bits = __ffs (n) - 1;

    share = (behind >> bits) / 255;
    /* Rounds towards zero. */
    each = (light + (light < 0 ? (Light) n - 1 : 0)) >> bits;
  }
  value = (Light) share + ((each + 32768) >> 16);
  return (uint32_t) (value < 0 ? 0 : value > (Light) colors.max ? colors.max :
      value);
}

/* Applies the look to pixels: false colour and zebra. A thread processes the
 * pixels that share chroma. */
struct VhLook
{
  const VhKernelLook & p;

  __device__ __forceinline__ uint32_t
  look (uint32_t luma) const
  {
    return ((const uint8_t *) p.of_code)[luma];
  }

  __device__ __forceinline__ uint32_t
  find (uint32_t look, uint32_t x, uint32_t y, uint32_t code, uint32_t grey,
      uint32_t i) const
  {
    return vh_scope_look (look, vh_scope_stripe (x, y, p.period), code, grey,
        p.color, p.stripe, i);
  }

  __device__ __forceinline__ void
  change_pixel (uint32_t x, uint32_t y) const
  {
    const VhKernelParams & f = p.frame;
    uint32_t value[VH_KERNEL_CHANNELS];

    vh_load_pixel (f, 0xf, f.x + x, f.y + y, value);
    for (uint32_t i = 0; i < 3; i++) {
      const VhSamples<0> samples {f, f.component[i]};
      uint8_t *data = samples.find (f.x + x, f.y + y);

      samples.store (data, samples.load (data), find (look (value[0]), x, y,
              value[1 + i], value[0], i));
    }
  }

  __device__ __forceinline__ void
  change_chroma (uint32_t x, uint32_t y) const
  {
    const VhKernelParams & f = p.frame;

    for (uint32_t i = 1; i < 3; i++) {
      const VhSamples<0> samples {f, f.component[i]};
      uint8_t *data = samples.find (f.x + x, f.y + y);
      const uint32_t word = samples.load (data);
      uint32_t sum = 0, n;

      n = vh_each_sharing (f, x, y, f.width, f.height,
          [&] (uint32_t px, uint32_t py) {
            const uint32_t luma = vh_load_sample (f, f.component[0], f.x + px,
                f.y + py);

            sum += find (look (luma), px, py, samples.code (word),
                1u << (f.depth - 1), i);
          });
      samples.store (data, word, vh_scope_average (sum, n));
    }
  }

  /* Changes luma last, because the look of chroma depends on it. */
  __device__ __forceinline__ void
  change (uint32_t x, uint32_t y) const
  {
    const VhKernelParams & f = p.frame;

    if (f.model == VH_KERNEL_RGB) {
      change_pixel (x, y);
      return;
    }
    if (f.model == VH_KERNEL_YUV)
      change_chroma (x, y);
    vh_each_sharing (f, x, y, f.width, f.height,
        [&] (uint32_t px, uint32_t py) {
          const VhSamples<0> samples {f, f.component[0]};
          uint8_t *data = samples.find (f.x + px, f.y + py);
          const uint32_t word = samples.load (data);
          const uint32_t luma = samples.code (word);

          samples.store (data, word, find (look (luma), px, py, luma, luma,
                  0));
        });
  }
};

extern "C" __global__ void
__launch_bounds__ (VH_KERNEL_LOOK_THREADS)
vh_scope_change (const __grid_constant__ VhKernelLook p)
{
  const VhLook look {p};
  const uint32_t w_sub = vh_w_sub (p.frame), h_sub = vh_h_sub (p.frame);

  vh_let_next_begin ();
  vh_wait_for_previous ();
  for (VhPlace place (((p.frame.width - 1) >> w_sub) + 1,
          ((p.frame.height - 1) >> h_sub) + 1, vh_thread (), vh_threads ());
      !place.done (); place.next ())
    look.change (place.x << w_sub, place.y << h_sub);
}

/* Fills rows with a pattern. */
extern "C" __global__ void
__launch_bounds__ (VH_KERNEL_LOOK_THREADS)
vh_scope_fill (const __grid_constant__ VhKernelFill p)
{
  vh_let_next_begin ();
  vh_wait_for_previous ();
  for (VhPlace place ((uint32_t) p.row_bytes, p.rows, vh_thread (),
          vh_threads ()); !place.done (); place.next ()) {
    ((uint8_t *) p.data + place.y * p.stride)[place.x] =
        p.pattern[place.x % p.length];
  }
}

/* Panels. A block draws a tile of a panel, whose pixels are in shared memory
 * while light is added: neighbouring threads then have neighbouring levels.
 * Before and after that, they have neighbouring pixels of a row. */

/* The pixels of a tile per thread. */
#define VH_TILE_SHARE (VH_KERNEL_TILE_WIDTH * VH_KERNEL_TILE_HEIGHT / \
    VH_KERNEL_DRAW_THREADS)

struct VhTile
{
  const VhKernelDraw & p;
  const VhKernelPanel & panel;
  uint32_t x, y;                /* of its first pixel, in the panel */
  uint32_t width, height;
  uint32_t *pixels;             /* [x][y]: VhScopePixel as bytes */

  static __device__ __forceinline__ VhScopePixel
  unpack (uint32_t packed)
  {
    VhScopePixel pixel;

    for (uint32_t i = 0; i < 4; i++)
      pixel.c[i] = packed >> 8 * i & 0xff;
    return pixel;
  }

  /* Multiplies two numbers up to 255, in 16 bits each, by @brightness / 255,
   * and rounds. */
  static __device__ __forceinline__ uint32_t
  scale_two (uint32_t two, uint32_t brightness)
  {
    const uint32_t product = two * brightness + 0x00800080;

    return (product + (product >> 8 & 0x00ff00ff)) >> 8 & 0x00ff00ff;
  }

  /* vh_scope_add() for two numbers at a time: red and blue, then green and
   * opacity. */
  static __device__ __forceinline__ uint32_t
  add_light (uint32_t packed, const uint32_t color[3], uint32_t brightness)
  {
    const uint32_t red_blue = (packed & 0x00ff00ff) +
        scale_two (color[0] | color[2] << 16, brightness);
    const uint32_t green = (packed >> 8 & 0x00ff00ff) +
        scale_two (color[1], brightness);

    return __vminu2 (red_blue, 0x00ff00ff) |
        __vmaxu2 (__vminu2 (green, 0x00ff00ff), brightness << 16) << 8;
  }

  /* Pixel @i of this thread, with neighbours in a row in neighbouring
   * threads. */
  static __device__ __forceinline__ uint2
  in_rows (uint32_t i)
  {
    const uint32_t n = threadIdx.x + i * VH_KERNEL_DRAW_THREADS;

    return make_uint2 (n % VH_KERNEL_TILE_WIDTH, n / VH_KERNEL_TILE_WIDTH);
  }

  /* Pixel @i of this thread, with neighbours in a column in neighbouring
   * threads. */
  static __device__ __forceinline__ uint2
  in_columns (uint32_t i)
  {
    const uint32_t n = threadIdx.x + i * VH_KERNEL_DRAW_THREADS;

    return make_uint2 (n / VH_KERNEL_TILE_HEIGHT, n % VH_KERNEL_TILE_HEIGHT);
  }

  __device__ __forceinline__ bool
  has (uint2 at) const
  {
    return at.x < width && at.y < height;
  }

  __device__ __forceinline__ void
  begin () const
  {
    const uint32_t *behind = (const uint32_t *) panel.behind +
        (uint64_t) y * panel.panel.width + x;
    uint32_t pixel[VH_TILE_SHARE];

#pragma unroll
    for (uint32_t i = 0; i < VH_TILE_SHARE; i++) {
      const uint2 at = in_rows (i);

      pixel[i] = has (at) ? __ldcg (behind + at.y * panel.panel.width + at.x) :
          0;
    }
#pragma unroll
    for (uint32_t i = 0; i < VH_TILE_SHARE; i++) {
      const uint2 at = in_rows (i);

      pixels[at.x * VH_KERNEL_TILE_STRIDE + at.y] = pixel[i];
    }
  }

  /* The brightness of a pixel of a trace with a table: the highest brightness
   * among its cells. */
  static __device__ __forceinline__ uint32_t
  light (const VhKernelDrawn & t, uint2 columns, uint2 levels)
  {
    const uint8_t *column = (const uint8_t *) t.light + columns.x * t.levels;
    uint32_t brightest = 0;

    for (uint32_t c = columns.x; c < columns.y; c++, column += t.levels) {
      for (uint32_t level = levels.x; level < levels.y; level++)
        brightest = max (brightest, (uint32_t) column[level]);
    }
    return brightest;
  }

  /* The brightness of a pixel of a bar, with @up pixels below it. */
  __device__ __forceinline__ uint32_t
  bar (const VhKernelDrawn & t, uint32_t px, uint32_t up) const
  {
    const uint32_t bar = ((const uint32_t *) t.light)[px];

    if (p.draws_peaks && up + 1 == ((const uint32_t *) t.peaks)[px])
      return 255;
    return up < bar ? t.brightness : 0;
  }

  /* Whether trace @t shows a pixel of the tile. */
  __device__ __forceinline__ bool
  shows (const VhKernelDrawn & t, uint2 at) const
  {
    return has (at) && x + at.x - t.x < t.width && y + at.y - t.y < t.height;
  }

  /* Adds the light of trace @t, which @find returns for each pixel of the tile
   * that the trace shows. */
  template <class Find>
  __device__ __forceinline__ void
  add_each (const VhKernelDrawn & t, Find find) const
  {
    for (uint32_t i = 0; i < VH_TILE_SHARE; i++) {
      const uint2 at = in_columns (i);

      if (shows (t, at))
        add_to (t, at, find (at));
    }
  }

  __device__ __forceinline__ void
  add_to (const VhKernelDrawn & t, uint2 at, uint32_t brightness) const
  {
    uint32_t *pixel = pixels + at.x * VH_KERNEL_TILE_STRIDE + at.y;

    if (brightness)
      *pixel = add_light (*pixel, t.color, brightness);
  }

  /* The same if each pixel shows one column, and one or two levels: loads all
   * of them before using any, without branches. */
  __device__ __forceinline__ void
  add_pairs (const VhKernelDrawn & t, const uint2 * columns,
      const uint2 * rows) const
  {
    const uint8_t *light = (const uint8_t *) t.light;
    uint32_t pair[VH_TILE_SHARE][2];

#pragma unroll
    for (uint32_t i = 0; i < VH_TILE_SHARE; i++) {
      const uint2 at = in_columns (i);
      const uint2 levels = rows[at.y];
      const uint32_t first = columns[at.x].x * t.levels;
      const bool shown = shows (t, at);

      pair[i][0] = light[shown ? first + levels.x : 0];
      pair[i][1] = light[shown ? first + levels.y - 1 : 0];
    }
#pragma unroll
    for (uint32_t i = 0; i < VH_TILE_SHARE; i++) {
      const uint2 at = in_columns (i);

      if (shows (t, at))
        add_to (t, at, max (pair[i][0], pair[i][1]));
    }
  }

  /* Finds the cells of trace @t that the columns of the tile show, and then
   * those that its rows show. */
  __device__ __forceinline__ void
  find_cells (const VhKernelDrawn & t, uint2 * cells) const
  {
    for (uint32_t i = threadIdx.x; i < VH_KERNEL_TILE_SIDES; i += blockDim.x) {
      const bool row = i >= VH_KERNEL_TILE_WIDTH;
      const uint32_t at = row ? y + i - VH_KERNEL_TILE_WIDTH - t.y :
          x + i - t.x;

      if (at < (row ? t.height : t.width)) {
        vh_scope_cells (row ? t.height - 1 - at : at,
            row ? t.height : t.width, row ? t.levels : t.columns, &cells[i].x,
            &cells[i].y);
      }
    }
    __syncthreads ();
  }

  /* @cells: room for the cells of the trace. */
  __device__ __forceinline__ void
  add (const VhKernelDrawn & t, uint2 * cells) const
  {
    const uint2 *rows = cells + VH_KERNEL_TILE_WIDTH;

    if (t.kind == VH_TRACE_HISTOGRAM) {
      __syncthreads ();
      add_each (t, [&] (uint2 at) {
            return bar (t, x + at.x - t.x, t.height - 1 - (y + at.y - t.y));
          });
      return;
    }
    find_cells (t, cells);
    if (t.columns <= t.width && t.levels <= 2 * t.height) {
      add_pairs (t, cells, rows);
    } else {
      add_each (t, [&] (uint2 at) {
            return light (t, cells[at.x], rows[at.y]);
          });
    }
  }

  /* Whether a part of trace @t is in the tile. */
  __device__ __forceinline__ bool
  has (const VhKernelDrawn & t) const
  {
    return t.x < x + width && x < t.x + t.width && t.y < y + height
        && y < t.y + t.height;
  }

  /* Pixel (@px, @py) of the tile. */
  __device__ __forceinline__ VhScopePixel
  at (uint32_t px, uint32_t py) const
  {
    return unpack (pixels[px * VH_KERNEL_TILE_STRIDE + py]);
  }

  /* The first sample of component @c in the tile. */
  __device__ __forceinline__ uint8_t *
  find_first (const VhKernelComponent & c) const
  {
    return VhSamples<0> {p.frame, c}.find (p.frame.x + panel.panel.x + x,
        p.frame.y + panel.panel.y + y);
  }

  /* The offset of another sample of the tile from the first. */
  static __device__ __forceinline__ uint32_t
  offset (const VhKernelComponent & c, uint32_t x, uint32_t y)
  {
    return y * (uint32_t) c.stride + x * (uint32_t) c.pixel_stride;
  }

  /* Blends component @k, with a sample per pixel, over the frame. Reads the
   * samples of all pixels of a thread before writing any. Components are
   * blended one after the other, because they may share words. */
  template <uint32_t bytes, bool deep>
  __device__ __forceinline__ void
  blend_pixels (uint32_t k) const
  {
    const VhKernelComponent & c = p.frame.component[k];
    const VhSamples<bytes> samples {p.frame, c};
    uint8_t *first = find_first (c);
    uint32_t word[VH_TILE_SHARE];

#pragma unroll
    for (uint32_t i = 0; i < VH_TILE_SHARE; i++) {
      const uint2 a = in_rows (i);

      word[i] = has (a) ? samples.load (first + offset (c, a.x, a.y)) : 0;
    }
#pragma unroll
    for (uint32_t i = 0; i < VH_TILE_SHARE; i++) {
      const uint2 a = in_rows (i);
      const uint32_t code = vh_blend_sample<deep> (p.colors, k, samples.code
          (word[i]), at (a.x, a.y), 1);

      if (has (a))
        samples.store (first + offset (c, a.x, a.y), word[i], code);
    }
  }

  /* Blends U and V if pixels share their samples. Both are blended together,
   * because these samples are in separate words. */
  template <uint32_t bytes, bool deep>
  __device__ __forceinline__ void
  blend_chroma () const
  {
    const uint32_t w_sub = vh_w_sub (p.frame), h_sub = vh_h_sub (p.frame);
    const uint32_t bits = VH_KERNEL_TILE_WIDTH_BITS - w_sub;
    const VhKernelComponent *c = p.frame.component;
    const VhSamples<bytes> u {p.frame, c[1]}, v {p.frame, c[2]};
    uint8_t *u_first = find_first (c[1]), *v_first = find_first (c[2]);

    for (uint32_t i = threadIdx.x;
        i < (uint32_t) (VH_KERNEL_TILE_HEIGHT >> h_sub) << bits;
        i += blockDim.x) {
      const uint32_t cx = i & ((1u << bits) - 1), cy = i >> bits;
      uint8_t *u_at = u_first + offset (c[1], cx, cy);
      uint8_t *v_at = v_first + offset (c[2], cx, cy);
      VhScopePixel sum = { };
      uint32_t n, u_word, v_word;

      if (!has (make_uint2 (cx << w_sub, cy << h_sub)))
        continue;
      u_word = u.load (u_at);
      v_word = v.load (v_at);
      n = vh_each_sharing (p.frame, cx << w_sub, cy << h_sub, width, height,
          [&] (uint32_t ax, uint32_t ay) {
            const VhScopePixel pixel = at (ax, ay);

#pragma unroll
            for (uint32_t k = 0; k < 4; k++)
              sum.c[k] += pixel.c[k];
          });
      u.store (u_at, u_word, vh_blend_sample<deep> (p.colors, 1,
              u.code (u_word), sum, n));
      v.store (v_at, v_word, vh_blend_sample<deep> (p.colors, 2,
              v.code (v_word), sum, n));
    }
  }

  template <uint32_t bytes, bool deep>
  __device__ __forceinline__ void
  blend () const
  {
    const bool shared = vh_w_sub (p.frame) || vh_h_sub (p.frame);
    const uint32_t n = p.frame.model == VH_KERNEL_GRAY || shared ? 1 : 3;

#pragma unroll 1
    for (uint32_t k = 0; k < n; k++)
      blend_pixels<bytes, deep> (k);
    if (shared)
      blend_chroma<bytes, deep> ();
  }

  /* How many bytes at a time samples can be read and written. */
  __device__ __forceinline__ uint32_t
  find_bytes () const
  {
    const VhKernelComponent *c = p.frame.component;
    const uint32_t n = p.frame.model == VH_KERNEL_GRAY ? 1 : 3;
    uint64_t odd = p.frame.big_endian;

    for (uint32_t k = 0; k < n; k++)
      odd |= c[k].data | c[k].stride | c[k].pixel_stride;
    if (c[0].sample_bytes == 1)
      return 1;
    return c[0].sample_bytes == 2 && (odd & 1) == 0 ? 2 : 0;
  }

  /* Blends the tile over the frame. */
  __device__ __forceinline__ void
  end () const
  {
    const uint32_t bytes = find_bytes ();

    if (bytes == 1)
      blend<1, false> ();
    else if (bytes == 2 && p.frame.depth <= 12)
      blend<2, false> ();
    else if (bytes == 2)
      blend<2, true> ();
    else
      blend<0, true> ();
  }
};

extern "C" __global__ void
__launch_bounds__ (VH_KERNEL_DRAW_THREADS)
vh_scope_draw (const __grid_constant__ VhKernelDraw p)
{
  uint2 *cells = (uint2 *) (vh_words () + VH_KERNEL_TILE_WORDS);
  uint32_t number = p.n_panels - 1, turn = 0;

  vh_let_next_begin ();
  while (blockIdx.x < p.panel[number].first_tile)
    number--;

  const VhKernelPanel & panel = p.panel[number];
  const uint32_t tile = blockIdx.x - panel.first_tile;
  const uint32_t x = tile % panel.row_tiles * VH_KERNEL_TILE_WIDTH;
  const uint32_t y = tile / panel.row_tiles * VH_KERNEL_TILE_HEIGHT;
  const VhTile t {p, panel, x, y,
    min (panel.panel.width - x, (uint32_t) VH_KERNEL_TILE_WIDTH),
    min (panel.panel.height - y, (uint32_t) VH_KERNEL_TILE_HEIGHT),
    vh_words ()};

  t.begin ();
  vh_wait_for_previous ();
  for (uint32_t i = 0; i < p.n_traces; i++) {
    if (p.trace[i].panel == number && t.has (p.trace[i]))
      t.add (p.trace[i], cells + turn++ % 2 * VH_KERNEL_TILE_SIDES);
  }
  __syncthreads ();
  t.end ();
}
