/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applies a curve to a frame, in one pass over luma and chroma. Threads process
 * vectors of 16 bytes of luma, from as many rows as share chroma, together with
 * that chroma. The curve is in shared memory: for 8-bit samples with a column
 * per lane, so that lanes never conflict in a bank, whatever the picture.
 *
 * With CLAHE a pixel is between four tiles. Blocks process vectors between the
 * same four tiles, so that four curves are enough; in shared memory the four
 * values of a code are one word. Pixels outside such vectors are left to a
 * generic kernel. */
#include "correct.cuh"

#define VH_LANES 32

/* The part of the picture that a thread corrects: the four tiles that it lies
 * between, and the thread's index among the threads there. */
struct VhBetween
{
  uint32_t x, y;                /* indices of the spans */
  uint32_t tile[4];             /* upper left, upper right, lower left, lower
                                 * right */
  uint32_t thread, threads;

  /* Returns the index of the span in @spans that contains @half, a row or
   * column of half tiles. Sets @parts to the number of halves of that span,
   * which is two except for the first and the last span, and @part to the one
   * that is @half. */
  static __device__ __forceinline__ uint32_t
  find_span (const VhKernelSpans & spans, uint32_t half, uint32_t * part,
      uint32_t * parts)
  {
    const uint32_t span = (half + 1) / 2;

    *parts = span > 0 && span < spans.n - 1 ? 2 : 1;
    *part = *parts == 2 ? (half + 1) % 2 : 0;
    return span;
  }

  __device__ __forceinline__
  VhBetween (const VhKernelEqualize & p, bool clahe)
  : x (0), y (0), tile {}, thread (vh_thread ()), threads (vh_threads ())
  {
    if (clahe) {
      uint32_t part_x = 0, part_y = 0, parts_x = 1, parts_y = 1;

      if (p.halves) {
        const uint32_t columns = 2 * p.curve.columns;

        y = blockIdx.y / columns;
        x = find_span (p.x, blockIdx.y - y * columns, &part_x, &parts_x);
        y = find_span (p.y, y, &part_y, &parts_y);
      } else {
        y = blockIdx.y / p.x.n;
        x = blockIdx.y - y * p.x.n;
      }
      thread += (part_y * parts_x + part_x) * threads;
      threads *= parts_x * parts_y;

      const uint32_t left = x > 0 ? x - 1 : 0;
      const uint32_t right = min (x, p.curve.columns - 1);
      const uint32_t upper = (y > 0 ? y - 1 : 0) * p.curve.columns;
      const uint32_t lower = min (y, p.curve.rows - 1) * p.curve.columns;

      tile[0] = upper + left;
      tile[1] = upper + right;
      tile[2] = lower + left;
      tile[3] = lower + right;
    }
  }
};

/* How near a pixel is to the second tile: vh_curve_between() for a pixel that
 * is known to be in @span. @position is below 2^24, so a float represents it
 * exactly. */
static __device__ __forceinline__ float
vh_nearness (float position, float inverse, uint32_t span)
{
  const float place = VH_FADD (VH_FMUL (position, inverse), -0.5f);

  return VH_FADD (place, -((float) span - 1.0f));
}

/* Writes a table of 8-bit codes with a column per lane. Each thread has one
 * code, and starts in a different column from its neighbours. */
template <class Entry>
static __device__ __forceinline__ void
vh_build_columns (Entry entry)
{
  const uint32_t words = VH_LANES / 4;

  for (uint32_t code = threadIdx.x; code < 256; code += blockDim.x) {
    const uint32_t word = entry (code);

    for (uint32_t i = 0; i < words; i++) {
      vh_shared[code * words + (i + code) % words] =
          make_uint4 (word, word, word, word);
    }
  }
}

/* The word of @code in this lane's column. */
static __device__ __forceinline__ uint32_t
vh_column_word (uint32_t code)
{
  return ((const uint32_t *) vh_shared)[code * VH_LANES + vh_lane ()];
}

/* The curve of a block in shared memory. The result for a code depends on how
 * near its pixel is to the tiles on the right and below. If @blends is set and
 * the table does not already include the strength, results are blended with
 * their input. */
template <uint32_t bits, bool clahe>
struct VhTable;

template <bool blends>
static __device__ __forceinline__ uint32_t
vh_blend (const VhCorrectLoops & c, uint32_t code, uint32_t corrected)
{
  return blends ? vh_curve_blend (code, corrected, c.p.curve.strength) :
      corrected;
}

template <>
struct VhTable<8, false>
{
  static const bool blends_late = false;
  const VhCorrectLoops & c;

  __device__ __forceinline__ void
  build (const VhBetween &) const
  {
    vh_build_columns ([&] (uint32_t code) {
          return c.blend (code, c.value (0, code));
        });
  }

  template <bool blends>
  __device__ __forceinline__ uint32_t
  at (uint32_t code, float, float) const
  {
    return vh_column_word (code);
  }
};

template <>
struct VhTable<8, true>
{
  static const bool blends_late = true;
  const VhCorrectLoops & c;

  __device__ __forceinline__ void
  build (const VhBetween & between) const
  {
    vh_build_columns ([&] (uint32_t code) {
          uint32_t word = 0;

          for (uint32_t i = 0; i < 4; i++)
            word |= c.value (between.tile[i], code) << 8 * i;
          return word;
        });
  }

  template <bool blends>
  __device__ __forceinline__ uint32_t
  at (uint32_t code, float x, float y) const
  {
    const uint32_t word = vh_column_word (code);

    return vh_blend<blends> (c, code, vh_curve_interpolate (word & 0xff,
            word >> 8 & 0xff, word >> 16 & 0xff, word >> 24, x, y));
  }
};

/* Up to VH_CURVE_DEPTH bits, a result for each code; above, levels. */
template <>
struct VhTable<16, false>
{
  static const bool blends_late = true;
  const VhCorrectLoops & c;

  __device__ __forceinline__ void
  build (const VhBetween &) const
  {
    const uint32_t bins = c.p.curve.bins;
    const bool exact = c.p.curve.depth <= VH_CURVE_DEPTH;
    uint32_t *table = (uint32_t *) vh_shared;

    for (uint32_t bin = threadIdx.x; bin < bins + !exact; bin += blockDim.x) {
      table[bin] = exact ? c.blend (bin, c.value (0, bin)) :
          c.level (0, bin);
    }
  }

  template <bool blends>
  __device__ __forceinline__ uint32_t
  at (uint32_t code, float, float) const
  {
    const uint32_t *table = (const uint32_t *) vh_shared;

    if (c.p.curve.depth <= VH_CURVE_DEPTH)
      return table[code];
    const uint32_t bin = code >> (c.p.curve.depth - VH_CURVE_DEPTH);

    return vh_blend<blends> (c, code, vh_curve_value (&c.p.curve, code,
            table[bin], table[bin + 1]));
  }
};

/* The same for four tiles: results in 16 bits each, or levels in 32. */
template <>
struct VhTable<16, true>
{
  static const bool blends_late = true;
  const VhCorrectLoops & c;

  __device__ __forceinline__ void
  build (const VhBetween & between) const
  {
    const uint32_t bins = c.p.curve.bins;
    const uint32_t *tile = between.tile;

    if (c.p.curve.depth <= VH_CURVE_DEPTH) {
      for (uint32_t code = threadIdx.x; code < bins; code += blockDim.x) {
        ((uint2 *) vh_shared)[code] =
            make_uint2 (c.value (tile[0], code) | c.value (tile[1], code) << 16,
            c.value (tile[2], code) | c.value (tile[3], code) << 16);
      }
    } else {
      for (uint32_t bin = threadIdx.x; bin <= bins; bin += blockDim.x) {
        vh_shared[bin] = make_uint4 (c.level (tile[0], bin),
            c.level (tile[1], bin), c.level (tile[2], bin),
            c.level (tile[3], bin));
      }
    }
  }

  template <bool blends>
  __device__ __forceinline__ uint32_t
  at (uint32_t code, float x, float y) const
  {
    const VhCurveParams *curve = &c.p.curve;
    uint32_t corrected;

    if (curve->depth <= VH_CURVE_DEPTH) {
      const uint2 v = ((const uint2 *) vh_shared)[code];

      corrected = vh_curve_interpolate (v.x & 0xffff, v.x >> 16, v.y & 0xffff,
          v.y >> 16, x, y);
    } else {
      const uint32_t bin = code >> (curve->depth - VH_CURVE_DEPTH);
      const uint4 a = vh_shared[bin], b = vh_shared[bin + 1];

      corrected = vh_curve_interpolate (vh_curve_value (curve, code, a.x, b.x),
          vh_curve_value (curve, code, a.y, b.y),
          vh_curve_value (curve, code, a.z, b.z),
          vh_curve_value (curve, code, a.w, b.w), x, y);
    }
    return vh_blend<blends> (c, code, corrected);
  }
};

/* Samples in words of 32 bits. */
template <uint32_t bits>
struct VhWordOf
{
  static const uint32_t samples = 32 / bits;

  static __device__ __forceinline__ uint32_t
  get (const VhKernelEqualize & p, uint32_t word, uint32_t i)
  {
    if (bits == 8)
      return word >> 8 * i & 0xff;
    return word >> 16 * i >> p.frame.component[0].shift &
        ((1u << p.frame.depth) - 1);
  }

  /* @sum plus samples @first to @first + @n - 1 of @word. */
  template <uint32_t first, uint32_t n>
  static __device__ __forceinline__ uint32_t
  add (const VhKernelEqualize & p, uint32_t word, uint32_t sum)
  {
    if constexpr (bits == 8) {
      return __dp4a (word, (n == 2 ? 0x0101u : 0x01u) << 8 * first, sum);
    } else {
      for (uint32_t i = first; i < first + n; i++)
        sum += get (p, word, i);
      return sum;
    }
  }

  /* The bits that do not belong to samples. */
  static __device__ __forceinline__ uint32_t
  rest (const VhKernelEqualize & p, uint32_t word)
  {
    const uint32_t mask = ((1u << p.frame.depth) - 1) * 0x10001;

    return bits == 8 ? 0 : word & ~(mask << p.frame.component[0].shift);
  }

  static __device__ __forceinline__ uint32_t
  put (const VhKernelEqualize & p, uint32_t code, uint32_t i)
  {
    return bits == 8 ? code << 8 * i :
        code << (16 * i + p.frame.component[0].shift);
  }

  /* The bits of samples @i and @i + 1. */
  static __device__ __forceinline__ uint32_t
  pair (const VhKernelEqualize & p, uint32_t i)
  {
    return bits == 8 ? 0xffffu << 8 * i :
        ((1u << p.frame.depth) - 1) * 0x10001 << p.frame.component[0].shift;
  }

  /* Makes a word of interleaved U and V from a word of each: from the samples
   * of the lower half, or of the upper half. */
  static __device__ __forceinline__ uint32_t
  weave (uint32_t u, uint32_t v, bool upper)
  {
    return __byte_perm (u, v, bits == 8 ? (upper ? 0x7362 : 0x5140) :
        (upper ? 0x7632 : 0x5410));
  }

  /* The samples of U, or of V, from two such words. */
  static __device__ __forceinline__ uint32_t
  unweave (uint32_t first, uint32_t second, bool v)
  {
    return __byte_perm (first, second, bits == 8 ? (v ? 0x7531 : 0x6420) :
        (v ? 0x7632 : 0x5410));
  }
};

enum VhShape
{
  VH_NO_CHROMA,                 /* or chroma does not change */
  VH_420,
  VH_422,
  VH_444
};

static __device__ __forceinline__ void
vh_load_words (uint32_t word[4], uint64_t from)
{
  const uint4 v = __ldcg ((const uint4 *) from);

  word[0] = v.x;
  word[1] = v.y;
  word[2] = v.z;
  word[3] = v.w;
}

static __device__ __forceinline__ void
vh_store_words (const uint32_t word[4], uint64_t to)
{
  __stcs ((uint4 *) to, make_uint4 (word[0], word[1], word[2], word[3]));
}

/* Luma in its own plane, with U and V interleaved in one plane or in two
 * planes. Chroma is held in words of interleaved U and V, in either order. */
template <uint32_t bits, VhShape shape>
struct VhPlanes
{
  typedef VhWordOf<bits> Word;
  static const uint32_t table_bits = bits;
  static const uint32_t pixels = 128 / bits;    /* in a row of a vector */
  static const uint32_t rows = shape == VH_420 ? 2 : 1;
  static const uint32_t pair_pixels =
      shape == VH_420 || shape == VH_422 ? 2 : 1;       /* in a row */
  static const uint32_t blocks = pixels / pair_pixels;  /* in a vector */
  static const uint32_t chroma_words =
      shape == VH_NO_CHROMA ? 0 : shape == VH_444 ? 8 : 4;

  uint32_t luma[rows][4];
  uint32_t chroma[chroma_words + (shape == VH_NO_CHROMA)];

  static __device__ __forceinline__ uint64_t
  luma_at (const VhKernelComponent & c, uint32_t x, uint32_t y, uint32_t row)
  {
    return c.data + (uint64_t) (y * rows + row) * c.stride +
        (uint64_t) x * 16;
  }

  static __device__ __forceinline__ uint64_t
  chroma_at (const VhKernelComponent & c, uint32_t x, uint32_t y,
      uint32_t bytes)
  {
    return c.data + (uint64_t) y * c.stride + (uint64_t) x * bytes;
  }

  /* Interleaved U and V may start with either. */
  static __device__ __forceinline__ const VhKernelComponent &
  first_chroma (const VhKernelComponent c[3])
  {
    return c[1].data < c[2].data ? c[1] : c[2];
  }

  __device__ __forceinline__ void
  load (const VhKernelEqualize & p, uint32_t x, uint32_t y)
  {
    const VhKernelComponent *c = p.frame.component;

    for (uint32_t r = 0; r < rows; r++)
      vh_load_words (luma[r], luma_at (c[0], x, y, r));
    if constexpr (shape == VH_444) {
      uint32_t u[4], v[4];

      vh_load_words (u, chroma_at (c[1], x, y, 16));
      vh_load_words (v, chroma_at (c[2], x, y, 16));
      for (uint32_t i = 0; i < chroma_words; i++)
        chroma[i] = Word::weave (u[i / 2], v[i / 2], i % 2);
    } else if constexpr (shape != VH_NO_CHROMA) {
      if (p.planar) {
        const uint2 u = __ldcg ((const uint2 *) chroma_at (c[1], x, y, 8));
        const uint2 v = __ldcg ((const uint2 *) chroma_at (c[2], x, y, 8));

        for (uint32_t i = 0; i < chroma_words; i++) {
          chroma[i] = Word::weave (i < 2 ? u.x : u.y, i < 2 ? v.x : v.y,
              i % 2);
        }
      } else {
        vh_load_words (chroma, chroma_at (first_chroma (c), x, y, 16));
      }
    }
  }

  __device__ __forceinline__ void
  store (const VhKernelEqualize & p, uint32_t x, uint32_t y) const
  {
    const VhKernelComponent *c = p.out;

    for (uint32_t r = 0; r < rows; r++)
      vh_store_words (luma[r], luma_at (c[0], x, y, r));
    if constexpr (shape == VH_444) {
      uint32_t u[4], v[4];

      for (uint32_t i = 0; i < 4; i++) {
        u[i] = Word::unweave (chroma[2 * i], chroma[2 * i + 1], false);
        v[i] = Word::unweave (chroma[2 * i], chroma[2 * i + 1], true);
      }
      vh_store_words (u, chroma_at (c[1], x, y, 16));
      vh_store_words (v, chroma_at (c[2], x, y, 16));
    } else if constexpr (shape != VH_NO_CHROMA) {
      if (p.planar) {
        __stcs ((uint2 *) chroma_at (c[1], x, y, 8),
            make_uint2 (Word::unweave (chroma[0], chroma[1], false),
                Word::unweave (chroma[2], chroma[3], false)));
        __stcs ((uint2 *) chroma_at (c[2], x, y, 8),
            make_uint2 (Word::unweave (chroma[0], chroma[1], true),
                Word::unweave (chroma[2], chroma[3], true)));
      } else {
        vh_store_words (chroma, chroma_at (first_chroma (c), x, y, 16));
      }
    }
  }

  /* Corrects the @i-th pair of U and V, for pixels with these sums of luma. */
  __device__ __forceinline__ void
  correct_pair (const VhCorrectLoops & c, uint32_t i, uint32_t before,
      uint32_t after)
  {
    const uint32_t in_word = Word::samples / 2;
    const uint32_t at = 2 * (i % in_word);
    uint32_t & word = chroma[i / in_word];
    const uint32_t u = Word::get (c.p, word, at);
    const uint32_t v = Word::get (c.p, word, at + 1);
    const float gain = c.chroma_gain (before, after, pair_pixels * rows, u, v);

    word = (word & ~Word::pair (c.p, at)) |
        Word::put (c.p, c.apply_chroma (u, gain), at) |
        Word::put (c.p, c.apply_chroma (v, gain), at + 1);
  }

  /* Corrects the pairs of U and V for word @k of luma, which changed from
   * @before to @after. */
  template <uint32_t first>
  __device__ __forceinline__ void
  correct_pairs (const VhCorrectLoops & c, const uint32_t before[rows],
      const uint32_t after[rows], uint32_t k)
  {
    uint32_t sum_before = 0, sum_after = 0;

    for (uint32_t r = 0; r < rows; r++) {
      sum_before = Word::template add<first, pair_pixels> (c.p, before[r],
          sum_before);
      sum_after = Word::template add<first, pair_pixels> (c.p, after[r],
          sum_after);
    }
    correct_pair (c, (k * Word::samples + first) / pair_pixels, sum_before,
        sum_after);
    if constexpr (first + pair_pixels < Word::samples)
      correct_pairs<first + pair_pixels> (c, before, after, k);
  }

  template <bool clahe, bool blends, class Table>
  __device__ __forceinline__ void
  correct (const VhCorrectLoops & c, const Table & table,
      const VhBetween & between, uint32_t x, uint32_t y)
  {
    const VhKernelEqualize & p = c.p;
    const float first_x = (float) (x * pixels - p.frame.x);
    float near_x = 0, near_y[rows] = { };

    if (clahe) {
      for (uint32_t r = 0; r < rows; r++) {
        near_y[r] = vh_nearness ((float) (y * rows + r - p.frame.y),
            p.y_inverse, between.y);
      }
    }
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) {
      uint32_t before[rows], after[rows];

#pragma unroll
      for (uint32_t r = 0; r < rows; r++) {
        before[r] = luma[r][k];
        after[r] = Word::rest (p, before[r]);
      }
#pragma unroll
      for (uint32_t i = 0; i < Word::samples; i++) {
        if (clahe) {
          near_x = vh_nearness (first_x + (float) (k * Word::samples + i),
              p.x_inverse, between.x);
        }
#pragma unroll
        for (uint32_t r = 0; r < rows; r++) {
          after[r] |= Word::put (p, table.template at<blends> (Word::get (p,
                      before[r], i), near_x, near_y[r]), i);
        }
      }
#pragma unroll
      for (uint32_t r = 0; r < rows; r++)
        luma[r][k] = after[r];
      if constexpr (shape != VH_NO_CHROMA)
        correct_pairs<0> (c, before, after, k);
    }
  }
};

/* 8-bit RGB of three or four bytes a pixel. The order of the components matters
 * only for luma. */
template <uint32_t pixel_bytes>
struct VhPacked
{
  static const uint32_t table_bits = 8;
  static const uint32_t words = pixel_bytes == 4 ? 4 : 12;
  static const uint32_t pixels = words * 4 / pixel_bytes;
  static const uint32_t rows = 1, blocks = pixels;

  uint32_t word[words];

  static __device__ __forceinline__ uint64_t
  at (const VhKernelComponent c[3], uint32_t x, uint32_t y)
  {
    const uint64_t first = min (c[0].data, c[2].data) & ~(uint64_t) 15;

    return first + (uint64_t) y * c[0].stride + (uint64_t) x * words * 4;
  }

  __device__ __forceinline__ void
  load (const VhKernelEqualize & p, uint32_t x, uint32_t y)
  {
    for (uint32_t i = 0; i < words; i += 4)
      vh_load_words (word + i, at (p.frame.component, x, y) + i * 4);
  }

  __device__ __forceinline__ void
  store (const VhKernelEqualize & p, uint32_t x, uint32_t y) const
  {
    for (uint32_t i = 0; i < words; i += 4)
      vh_store_words (word + i, at (p.out, x, y) + i * 4);
  }

  /* Corrects a pixel in the low three bytes. */
  template <bool blends, class Table>
  static __device__ __forceinline__ uint32_t
  correct_pixel (const VhCorrectLoops & c, const Table & table, uint32_t pixel,
      float x, float y)
  {
    const uint32_t *weight = c.p.frame.byte_weight;
    uint32_t rgb[3] = { pixel & 0xff, pixel >> 8 & 0xff, pixel >> 16 & 0xff };
    const uint32_t luma = (weight[0] * rgb[0] + weight[1] * rgb[1] +
        weight[2] * rgb[2] + 32768) >> 16;

    c.correct_color (luma, table.template at<blends> (luma, x, y), rgb,
        [&] (uint32_t code) {
          return table.template at<blends> (code, x, y);
        });
    return rgb[0] | rgb[1] << 8 | rgb[2] << 16;
  }

  template <bool clahe, bool blends, class Table>
  __device__ __forceinline__ void
  correct (const VhCorrectLoops & c, const Table & table,
      const VhBetween & between, uint32_t x, uint32_t y)
  {
    const VhKernelEqualize & p = c.p;
    const float first_x = (float) (x * pixels - p.frame.x);
    const float near_y = clahe ? vh_nearness ((float) (y - p.frame.y),
        p.y_inverse, between.y) : 0;
    auto correct_at = [&] (uint32_t pixel, uint32_t i) {
      const float near_x = clahe ? vh_nearness (first_x + (float) i,
          p.x_inverse, between.x) : 0;

      return correct_pixel<blends> (c, table, pixel, near_x, near_y);
    };

    if constexpr (pixel_bytes == 4) {
      const uint32_t shift = p.frame.byte_shift, mask = 0xffffffu << shift;

#pragma unroll
      for (uint32_t i = 0; i < 4; i++) {
        word[i] = (word[i] & ~mask) |
            correct_at (word[i] >> shift, i) << shift;
      }
    } else {
#pragma unroll
      for (uint32_t i = 0; i < 4; i++) {
        uint32_t *w = word + 3 * i;
        const uint32_t a = correct_at (w[0], 4 * i);
        const uint32_t b = correct_at (w[0] >> 24 | w[1] << 8, 4 * i + 1);
        const uint32_t d = correct_at (w[1] >> 16 | w[2] << 16, 4 * i + 2);
        const uint32_t e = correct_at (w[2] >> 8, 4 * i + 3);

        w[0] = a | b << 24;
        w[1] = b >> 8 | d << 16;
        w[2] = d >> 16 | e << 8;
      }
    }
  }
};

/* Corrects this block's share of the vectors of a span; @vector is the
 * first. */
template <class Vector, bool clahe, bool blends, class Table>
static __device__ __forceinline__ void
vh_correct_vectors (const VhCorrectLoops & c, const Table & table,
    const VhBetween & between, VhPlace place, Vector & vector)
{
  const VhKernelEqualize & p = c.p;
  const uint32_t first_x = p.x.from[between.x] / Vector::blocks;
  const uint32_t first_y = p.y.from[between.y];

  while (!place.done ()) {
    const uint32_t x = first_x + place.x, y = first_y + place.y;

    if (!c.constant)
      vector.template correct<clahe, blends> (c, table, between, x, y);
    vector.store (p, x, y);
    place.next ();
    if (!place.done ())
      vector.load (p, first_x + place.x, first_y + place.y);
  }
}

/* The first loads are in flight while the previous kernel makes the curve, and
 * while this one builds the table. */
template <class Vector, bool clahe>
static __device__ __forceinline__ void
vh_equalize_vectors (const VhKernelEqualize & p)
{
  const VhBetween between (p, clahe);
  const uint32_t first_x = p.x.from[between.x] / Vector::blocks;
  const uint32_t first_y = p.y.from[between.y];
  const VhPlace place (p.x.to[between.x] / Vector::blocks - first_x,
      p.y.to[between.y] - first_y, between.thread, between.threads);
  Vector vector;

  if (!place.done ())
    vector.load (p, first_x + place.x, first_y + place.y);
  vh_wait_for_previous ();
  if (p.has_rest)
    vh_let_next_begin ();

  const VhCorrectLoops c (p);
  const VhTable<Vector::table_bits, clahe> table {c};

  table.build (between);
  __syncthreads ();
  if (c.constant && p.in_place)
    return;

  if (table.blends_late && p.curve.strength != VH_SHARE_ONE) {
    vh_correct_vectors<Vector, clahe, true> (c, table, between, place, vector);
  } else {
    vh_correct_vectors<Vector, clahe, false> (c, table, between, place,
        vector);
  }
}

#define VH_EQUALIZE(name, ...) \
  extern "C" __global__ void \
  __launch_bounds__ (VH_KERNEL_EQUALIZE_THREADS, 2) \
  vh_equalize_##name (const __grid_constant__ VhKernelEqualize p) \
  { \
    vh_equalize_vectors<__VA_ARGS__, false> (p); \
  } \
  extern "C" __global__ void \
  __launch_bounds__ (VH_KERNEL_EQUALIZE_THREADS, 2) \
  vh_clahe_##name (const __grid_constant__ VhKernelEqualize p) \
  { \
    vh_equalize_vectors<__VA_ARGS__, true> (p); \
  }

VH_EQUALIZE (luma8, VhPlanes<8, VH_NO_CHROMA>)
VH_EQUALIZE (420_8, VhPlanes<8, VH_420>)
VH_EQUALIZE (422_8, VhPlanes<8, VH_422>)
VH_EQUALIZE (444_8, VhPlanes<8, VH_444>)
VH_EQUALIZE (luma16, VhPlanes<16, VH_NO_CHROMA>)
VH_EQUALIZE (420_16, VhPlanes<16, VH_420>)
VH_EQUALIZE (422_16, VhPlanes<16, VH_422>)
VH_EQUALIZE (444_16, VhPlanes<16, VH_444>)
VH_EQUALIZE (packed4, VhPacked<4>)
VH_EQUALIZE (packed3, VhPacked<3>)

/* Corrects any pixels. */
extern "C" __global__ void
__launch_bounds__ (VH_KERNEL_EQUALIZE_THREADS)
vh_equalize_any (const __grid_constant__ VhKernelEqualize p)
{
  vh_wait_for_previous ();

  const VhCorrectLoops c (p);

  if (c.constant && p.in_place)
    return;

  const uint32_t lanes = c.lanes (), lane = threadIdx.x % lanes;

  for (VhPlace place (p.end_x - p.first_x, p.end_y - p.first_y,
          vh_thread () / lanes, vh_threads () / lanes); !place.done ();
      place.next ())
    c.block (p.first_x + place.x, p.first_y + place.y, lane, lanes);
}

/* Finds the block for @turn in the gaps of @spans. Each gap gets as many turns
 * as the longest gap has blocks; FALSE if a shorter gap has no block for this
 * turn. */
static __device__ __forceinline__ bool
vh_gap_place (const VhKernelSpans & spans, uint32_t first, uint32_t end,
    uint32_t turn, uint32_t * place)
{
  const uint32_t gap = turn / spans.gap;
  const uint32_t from = gap == 0 ? first : spans.to[gap - 1];
  const uint32_t to = gap == spans.n ? end : spans.from[gap];

  *place = from + turn - gap * spans.gap;
  return *place < to;
}

static __device__ __forceinline__ bool
vh_in_span (const VhKernelSpans & spans, uint32_t place)
{
  bool in = false;

  for (uint32_t i = 0; i < spans.n; i++)
    in |= place >= spans.from[i] && place < spans.to[i];
  return in;
}

/* Corrects what the vectors of all spans leave out: the columns in the gaps
 * between spans and, in the other columns, the rows in the gaps. */
static __device__ __forceinline__ void
vh_correct_gaps (const VhCorrectLoops & c)
{
  const VhKernelEqualize & p = c.p;
  const uint32_t columns = (p.x.n + 1) * p.x.gap;
  const uint32_t rows = (p.y.n + 1) * p.y.gap;
  const uint32_t height = p.end_y - p.first_y;
  const uint32_t lanes = c.lanes (), lane = threadIdx.x % lanes;
  const uint32_t threads = vh_threads () / lanes;
  const uint32_t thread = vh_thread () / lanes;
  /* Threads that had no column take rows first. */
  const uint32_t row_thread = (thread + threads - columns * height % threads)
      % threads;
  uint32_t x, y;

  for (VhPlace place (columns, height, thread, threads); !place.done ();
      place.next ()) {
    if (vh_gap_place (p.x, p.first_x, p.end_x, place.x, &x))
      c.block (x, p.first_y + place.y, lane, lanes);
  }
  for (VhPlace place (p.end_x - p.first_x, rows, row_thread, threads);
      !place.done (); place.next ()) {
    if (vh_gap_place (p.y, p.first_y, p.end_y, place.y, &y)
        && vh_in_span (p.x, p.first_x + place.x))
      c.block (p.first_x + place.x, y, lane, lanes);
  }
}

/* Runs at the same time as the kernel for vectors, which lets this one start
 * once the levels exist. No pixel belongs to both. This kernel needs no wait
 * for its own work, but it must not end before the previous launch has, because
 * later launches rely on that: see vh_wait_for_previous(). */
extern "C" __global__ void
__launch_bounds__ (VH_KERNEL_EQUALIZE_THREADS)
vh_equalize_rest (const __grid_constant__ VhKernelEqualize p)
{
  const VhCorrectLoops c (p);

  if (!c.constant || !p.in_place)
    vh_correct_gaps (c);
  vh_wait_for_previous ();
}
