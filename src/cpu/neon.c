/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NEON is part of AArch64, so the vectoriser already uses it in the baseline.
 * These loops use what it does not find: widening products, where it widens
 * first; parts of sums that fit narrower lanes; narrowing that rounds, clamps
 * or takes the upper half; interleaved samples; tables in registers.
 *
 * Each loop processes whole vectors and leaves the rest to the baseline. */
#include "neon.h"

#include <arm_neon.h>

#define VECTOR 16               /* bytes */
#define LANES 8                 /* of 16 bits */

extern const VhLoops vh_loops_baseline;

/* Samples of more than 8 bits. If a pixel has another 16-bit word after a
 * sample, both are loaded as a 32-bit word, and the lower half is used. */

static inline __attribute__ ((always_inline))
uint8x16_t
swap_bytes (uint8x16_t words, guint sample_bytes)
{
  return sample_bytes == 4 ? vrev32q_u8 (words) : vrev16q_u8 (words);
}

static inline __attribute__ ((always_inline))
uint8x16_t
load_words (const guint8 * data, guint sample_bytes, gboolean swap)
{
  const uint8x16_t words = vld1q_u8 (data);

  return swap ? swap_bytes (words, sample_bytes) : words;
}

static inline __attribute__ ((always_inline))
uint32x4_t
load_words32 (const guint8 * data, guint sample_bytes, gboolean swap)
{
  return vreinterpretq_u32_u8 (load_words (data, sample_bytes, swap));
}

/* The LANES samples that are @pixel_stride bytes apart. */
static inline __attribute__ ((always_inline))
uint16x8_t
load_samples (const guint8 * data, guint pixel_stride, guint sample_bytes,
    gboolean swap, gint shift)
{
  uint32x4_t low, high;

  if (pixel_stride == 2) {
    return vshlq_u16 (vreinterpretq_u16_u8 (load_words (data, 2, swap)),
        vdupq_n_s16 (-shift));
  }
  low = load_words32 (data, sample_bytes, swap);
  high = load_words32 (data + VECTOR, sample_bytes, swap);
  if (pixel_stride == 8) {
    low = vuzp1q_u32 (low, high);
    high = vuzp1q_u32 (load_words32 (data + 2 * VECTOR, sample_bytes, swap),
        load_words32 (data + 3 * VECTOR, sample_bytes, swap));
  }
  low = vshlq_u32 (low, vdupq_n_s32 (-shift));
  high = vshlq_u32 (high, vdupq_n_s32 (-shift));
  return vuzp1q_u16 (vreinterpretq_u16_u32 (low), vreinterpretq_u16_u32 (high));
}

/* Fetches as many of @n samples from @data as possible, each for 2^@w_sub
 * pixels. Returns how many. Leaves out the last sample, because the bytes after
 * it may not exist. */
static inline __attribute__ ((always_inline))
gsize
fetch_words (guint16 * samples, const guint8 * data, gsize n,
    guint pixel_stride, guint sample_bytes, gboolean swap, guint w_sub,
    const VhFetch * fetch)
{
  const uint16x8_t mask = vdupq_n_u16 (fetch->mask);
  const gint shift = fetch->shift;
  gsize done;

  for (done = 0; done + LANES < n; done += LANES) {
    const uint16x8_t found = vandq_u16 (load_samples (data +
            done * pixel_stride, pixel_stride, sample_bytes, swap, shift),
        mask);

    if (w_sub == 1) {
      vst1q_u16 (samples + 2 * done, vzip1q_u16 (found, found));
      vst1q_u16 (samples + 2 * done + LANES, vzip2q_u16 (found, found));
    } else {
      vst1q_u16 (samples + done, found);
    }
  }
  return done;
}

/* The same, with constants in place of branches in the loop. */
static inline __attribute__ ((always_inline))
gsize
fetch_layout (guint16 * samples, const guint8 * data, gsize n,
    guint pixel_stride, guint sample_bytes, const VhFetch * fetch)
{
  if (fetch->w_sub == 0 && !fetch->swap)
    return fetch_words (samples, data, n, pixel_stride, sample_bytes, FALSE, 0,
        fetch);
  if (fetch->w_sub == 0)
    return fetch_words (samples, data, n, pixel_stride, sample_bytes, TRUE, 0,
        fetch);
  if (fetch->w_sub == 1 && !fetch->swap)
    return fetch_words (samples, data, n, pixel_stride, sample_bytes, FALSE, 1,
        fetch);
  if (fetch->w_sub == 1)
    return fetch_words (samples, data, n, pixel_stride, sample_bytes, TRUE, 1,
        fetch);
  return 0;
}

static gsize
fetch_known_layout (guint16 * samples, const guint8 * data, gsize n,
    const VhFetch * fetch)
{
  if (fetch->sample_bytes == 4 && fetch->pixel_stride == 4)
    return fetch_layout (samples, data, n, 4, 4, fetch);
  if (fetch->sample_bytes == 2 && fetch->pixel_stride == 2)
    return fetch_layout (samples, data, n, 2, 2, fetch);
  if (fetch->sample_bytes == 2 && fetch->pixel_stride == 4)
    return fetch_layout (samples, data, n, 4, 2, fetch);
  if (fetch->sample_bytes == 2 && fetch->pixel_stride == 8)
    return fetch_layout (samples, data, n, 8, 2, fetch);
  return 0;
}

static void
fetch16 (gpointer data, const guint8 * row, gsize x, gsize n,
    const VhFetch * fetch)
{
  const guint w_sub = fetch->w_sub;
  guint16 *samples = data;
  gsize done = 0;

  /* The run may start with the second of two pixels that share a sample. */
  if (w_sub == 1 && x % 2 == 1 && n > 0) {
    vh_loops_baseline.ops16.fetch (samples, row, x, 1, fetch);
    done = 1;
  }
  done += fetch_known_layout (samples + done,
      row + ((x + done) >> w_sub) * fetch->pixel_stride, (n - done) >> w_sub,
      fetch) << w_sub;
  vh_loops_baseline.ops16.fetch (samples + done, row, x + done, n - done,
      fetch);
}

/* Writes as many of @n samples to @data as possible, and rewrites the bytes
 * between them unchanged. Returns how many; leaves out the last sample. */
static inline __attribute__ ((always_inline))
gsize
store_words (guint8 * data, const guint16 * samples, gsize n,
    guint pixel_stride, guint sample_bytes, gboolean swap,
    const VhFetch * fetch)
{
  const guint32 mask = fetch->mask << fetch->shift;
  const uint16x8_t mask16 = vdupq_n_u16 (mask);
  const uint32x4_t mask32 = vdupq_n_u32 (mask);
  const int16x8_t shift16 = vdupq_n_s16 (fetch->shift);
  const int32x4_t shift32 = vdupq_n_s32 (fetch->shift);
  gsize done;
  guint i;

  for (done = 0; done + LANES < n; done += LANES) {
    const uint16x8_t written = vld1q_u16 (samples + done);
    guint8 *words = data + done * pixel_stride;
    uint8x16_t bits[2];

    if (pixel_stride == 2) {
      bits[0] = vreinterpretq_u8_u16 (vbslq_u16 (mask16,
              vshlq_u16 (written, shift16),
              vreinterpretq_u16_u8 (load_words (words, 2, swap))));
    } else {
      bits[0] = vreinterpretq_u8_u32 (vbslq_u32 (mask32,
              vshlq_u32 (vmovl_u16 (vget_low_u16 (written)), shift32),
              load_words32 (words, sample_bytes, swap)));
      bits[1] = vreinterpretq_u8_u32 (vbslq_u32 (mask32,
              vshlq_u32 (vmovl_high_u16 (written), shift32),
              load_words32 (words + VECTOR, sample_bytes, swap)));
    }
    for (i = 0; i < pixel_stride / 2; i++)
      vst1q_u8 (words + i * VECTOR, swap ? swap_bytes (bits[i], sample_bytes) :
          bits[i]);
  }
  return done;
}

static gsize
store_known_layout (guint8 * data, const guint16 * samples, gsize n,
    const VhFetch * fetch)
{
  const gboolean swap = fetch->swap;

  if (fetch->sample_bytes == 4 && fetch->pixel_stride == 4)
    return store_words (data, samples, n, 4, 4, swap, fetch);
  if (fetch->sample_bytes == 2 && fetch->pixel_stride == 2)
    return store_words (data, samples, n, 2, 2, swap, fetch);
  if (fetch->sample_bytes == 2 && fetch->pixel_stride == 4)
    return store_words (data, samples, n, 4, 2, swap, fetch);
  return 0;
}

static void
store16 (guint8 * row, gconstpointer data, gsize x, gsize n,
    const VhFetch * fetch)
{
  const guint16 *samples = data;
  const gsize done = store_known_layout (row + x * fetch->pixel_stride, samples,
      n, fetch);

  vh_loops_baseline.correction->ops16.store (row, samples + done, x + done,
      n - done, fetch);
}

/* Luma. Each weight is below 65536, so it fits 16 bits, and the sum 32. */

static inline uint16x8_t
luma_of (uint16x8_t r, uint16x8_t g, uint16x8_t b, VhLumaWeights w)
{
  uint32x4_t low = vmull_n_u16 (vget_low_u16 (r), w.r);
  uint32x4_t high = vmull_high_n_u16 (r, w.r);

  low = vmlal_n_u16 (low, vget_low_u16 (g), w.g);
  high = vmlal_high_n_u16 (high, g, w.g);
  low = vmlal_n_u16 (low, vget_low_u16 (b), w.b);
  high = vmlal_high_n_u16 (high, b, w.b);
  return vrshrn_high_n_u32 (vrshrn_n_u32 (low, 16), high, 16);
}

static inline uint16x8_t
widen_low (uint8x16_t bytes)
{
  return vmovl_u8 (vget_low_u8 (bytes));
}

static void
luma8 (gpointer luma, gconstpointer const rgb[3], gsize n,
    const VhLumaWeights * weights)
{
  const guint8 *r = rgb[0], *g = rgb[1], *b = rgb[2];
  const VhLumaWeights w = *weights;
  guint8 *y = luma;
  gsize i;

  for (i = 0; i + VECTOR <= n; i += VECTOR) {
    const uint8x16_t red = vld1q_u8 (r + i);
    const uint8x16_t green = vld1q_u8 (g + i);
    const uint8x16_t blue = vld1q_u8 (b + i);
    const uint16x8_t low = luma_of (widen_low (red), widen_low (green),
        widen_low (blue), w);
    const uint16x8_t high = luma_of (vmovl_high_u8 (red),
        vmovl_high_u8 (green), vmovl_high_u8 (blue), w);

    vst1q_u8 (y + i, vuzp1q_u8 (vreinterpretq_u8_u16 (low),
            vreinterpretq_u8_u16 (high)));
  }
  vh_loops_baseline.ops8.luma (y + i,
      (gconstpointer[3]) { r + i, g + i, b + i }, n - i, weights);
}

static void
luma16 (gpointer luma, gconstpointer const rgb[3], gsize n,
    const VhLumaWeights * weights)
{
  const guint16 *r = rgb[0], *g = rgb[1], *b = rgb[2];
  const VhLumaWeights w = *weights;
  guint16 *y = luma;
  gsize i;

  for (i = 0; i + LANES <= n; i += LANES)
    vst1q_u16 (y + i, luma_of (vld1q_u16 (r + i), vld1q_u16 (g + i),
            vld1q_u16 (b + i), w));
  vh_loops_baseline.ops16.luma (y + i,
      (gconstpointer[3]) { r + i, g + i, b + i }, n - i, weights);
}

/* RGB from YUV of up to 12 bits, where 65536 is 1.0. Each coefficient is split
 * into a whole and a fractional part that both fit 16 bits. Let w be the sum of
 * the products with whole parts, and p of those with fractional parts; then
 *
 *   (65536 w + p + 32768) >> 16 == w + ((p + 32768) >> 16).
 *
 * The right side needs fewer 32-bit lanes, and rounds while it narrows. */
typedef struct
{
  int16x8_t whole, part;
} Split;

typedef struct
{
  int16x8_t y_offset, c_offset;
  Split y_scale, rv, gu, gv, bu;
} SplitYuvToRgb;

/* Sums for LANES values. */
typedef struct
{
  int16x8_t wholes;
  int32x4_t low, high;          /* of fractional parts */
} Sums;

static inline Split
split (gint32 coefficient)
{
  const gint16 part = coefficient;

  return (Split) {
    .whole = vdupq_n_s16 ((coefficient - part) >> 16),
    .part = vdupq_n_s16 (part),
  };
}

static inline SplitYuvToRgb
split_coefficients (const VhYuvToRgb * c)
{
  return (SplitYuvToRgb) {
    .y_offset = vdupq_n_s16 (c->y_offset),
    .c_offset = vdupq_n_s16 (c->c_offset),
    .y_scale = split (c->y_scale),
    .rv = split (c->rv),
    .gu = split (c->gu),
    .gv = split (c->gv),
    .bu = split (c->bu),
  };
}

static inline __attribute__ ((always_inline))
Sums
add_product (Sums sums, int16x8_t x, Split c)
{
  return (Sums) {
    .wholes = vmlaq_s16 (sums.wholes, x, c.whole),
    .low = vmlal_s16 (sums.low, vget_low_s16 (x), vget_low_s16 (c.part)),
    .high = vmlal_high_s16 (sums.high, x, c.part),
  };
}

static inline __attribute__ ((always_inline))
int16x8_t
add_up (Sums sums)
{
  return vaddq_s16 (sums.wholes,
      vrshrn_high_n_s32 (vrshrn_n_s32 (sums.low, 16), sums.high, 16));
}

/* Computes R, G and B of LANES pixels, without clamping. */
static inline __attribute__ ((always_inline))
void
make_rgb (int16x8_t rgb[3], uint16x8_t y, uint16x8_t u, uint16x8_t v,
    SplitYuvToRgb c)
{
  const int16x8_t dy = vsubq_s16 (vreinterpretq_s16_u16 (y), c.y_offset);
  const int16x8_t du = vsubq_s16 (vreinterpretq_s16_u16 (u), c.c_offset);
  const int16x8_t dv = vsubq_s16 (vreinterpretq_s16_u16 (v), c.c_offset);
  const Sums luma = {
    .wholes = vmulq_s16 (dy, c.y_scale.whole),
    .low = vmull_s16 (vget_low_s16 (dy), vget_low_s16 (c.y_scale.part)),
    .high = vmull_high_s16 (dy, c.y_scale.part),
  };

  rgb[0] = add_up (add_product (luma, dv, c.rv));
  rgb[1] = add_up (add_product (add_product (luma, du, c.gu), dv, c.gv));
  rgb[2] = add_up (add_product (luma, du, c.bu));
}

static inline void
rgb8_loop (guint8 * restrict r, guint8 * restrict g, guint8 * restrict b,
    const guint8 * restrict y, const guint8 * restrict u,
    const guint8 * restrict v, gsize n, const SplitYuvToRgb c)
{
  gsize i;

  for (i = 0; i + VECTOR <= n; i += VECTOR) {
    const uint8x16_t luma = vld1q_u8 (y + i);
    const uint8x16_t blue = vld1q_u8 (u + i), red = vld1q_u8 (v + i);
    int16x8_t low[3], high[3];

    make_rgb (low, widen_low (luma), widen_low (blue), widen_low (red), c);
    make_rgb (high, vmovl_high_u8 (luma), vmovl_high_u8 (blue),
        vmovl_high_u8 (red), c);
    /* Narrowing clamps to 0 ... 255. */
    vst1q_u8 (r + i, vqmovun_high_s16 (vqmovun_s16 (low[0]), high[0]));
    vst1q_u8 (g + i, vqmovun_high_s16 (vqmovun_s16 (low[1]), high[1]));
    vst1q_u8 (b + i, vqmovun_high_s16 (vqmovun_s16 (low[2]), high[2]));
  }
}

static inline uint16x8_t
clamp (int16x8_t values, int16x8_t max)
{
  return vreinterpretq_u16_s16 (vminq_s16 (vmaxq_s16 (values,
              vdupq_n_s16 (0)), max));
}

static inline void
rgb12_loop (guint16 * restrict r, guint16 * restrict g, guint16 * restrict b,
    const guint16 * restrict y, const guint16 * restrict u,
    const guint16 * restrict v, gsize n, const SplitYuvToRgb c, gint16 max)
{
  const int16x8_t limit = vdupq_n_s16 (max);
  gsize i;

  for (i = 0; i + LANES <= n; i += LANES) {
    int16x8_t made[3];

    make_rgb (made, vld1q_u16 (y + i), vld1q_u16 (u + i), vld1q_u16 (v + i),
        c);
    vst1q_u16 (r + i, clamp (made[0], limit));
    vst1q_u16 (g + i, clamp (made[1], limit));
    vst1q_u16 (b + i, clamp (made[2], limit));
  }
}

/* RGB from YUV of more than 12 bits, where 2^20 is 1.0 and products need 64
 * bits. */
#define WIDE_SHIFT 20

typedef struct
{
  int64x2_t low, high;
} WideSums;

static inline __attribute__ ((always_inline))
WideSums
add_wide_product (WideSums sums, int32x4_t x, gint32 c)
{
  return (WideSums) {
    .low = vmlal_n_s32 (sums.low, vget_low_s32 (x), c),
    .high = vmlal_high_n_s32 (sums.high, x, c),
  };
}

static inline __attribute__ ((always_inline))
uint16x4_t
narrow (WideSums sums, guint16 max)
{
  const int32x4_t rounded = vrshrn_high_n_s64 (vrshrn_n_s64 (sums.low,
          WIDE_SHIFT), sums.high, WIDE_SHIFT);

  return vmin_u16 (vqmovun_s32 (rounded), vdup_n_u16 (max));
}

static inline int32x4_t
subtract (const guint16 * samples, gint32 offset)
{
  return vsubq_s32 (vreinterpretq_s32_u32 (vmovl_u16 (vld1_u16 (samples))),
      vdupq_n_s32 (offset));
}

static inline void
rgb16_wide_loop (guint16 * restrict r, guint16 * restrict g,
    guint16 * restrict b, const guint16 * restrict y,
    const guint16 * restrict u, const guint16 * restrict v, gsize n,
    const VhYuvToRgb c)
{
  gsize i;

  for (i = 0; i + LANES / 2 <= n; i += LANES / 2) {
    const int32x4_t dy = subtract (y + i, c.y_offset);
    const int32x4_t du = subtract (u + i, c.c_offset);
    const int32x4_t dv = subtract (v + i, c.c_offset);
    const WideSums luma = {
      .low = vmull_n_s32 (vget_low_s32 (dy), c.y_scale),
      .high = vmull_high_n_s32 (dy, c.y_scale),
    };
    const WideSums green = add_wide_product (luma, du, c.gu);

    vst1_u16 (r + i, narrow (add_wide_product (luma, dv, c.rv), c.max));
    vst1_u16 (g + i, narrow (add_wide_product (green, dv, c.gv), c.max));
    vst1_u16 (b + i, narrow (add_wide_product (luma, du, c.bu), c.max));
  }
}

/* The baseline does the last pixels of @n, after whole groups of @lanes. */
static void
finish_rgb (const VhSampleOps * ops, gpointer const rgb[3],
    gconstpointer const yuv[3], gsize n, gsize lanes, gsize sample_size,
    const VhYuvToRgb * coefficients)
{
  const gsize done = n - n % lanes;
  gconstpointer from[3];
  gpointer to[3];
  guint k;

  for (k = 0; k < 3; k++) {
    from[k] = (const guint8 *) yuv[k] + done * sample_size;
    to[k] = (guint8 *) rgb[k] + done * sample_size;
  }
  ops->rgb (to, from, n - done, coefficients);
}

static void
rgb8 (gpointer const rgb[3], gconstpointer const yuv[3], gsize n,
    const VhYuvToRgb * coefficients)
{
  rgb8_loop (rgb[0], rgb[1], rgb[2], yuv[0], yuv[1], yuv[2], n,
      split_coefficients (coefficients));
  finish_rgb (&vh_loops_baseline.ops8, rgb, yuv, n, VECTOR, 1, coefficients);
}

static void
rgb16 (gpointer const rgb[3], gconstpointer const yuv[3], gsize n,
    const VhYuvToRgb * coefficients)
{
  if (coefficients->shift == WIDE_SHIFT)
    rgb16_wide_loop (rgb[0], rgb[1], rgb[2], yuv[0], yuv[1], yuv[2], n,
        *coefficients);
  else
    rgb12_loop (rgb[0], rgb[1], rgb[2], yuv[0], yuv[1], yuv[2], n,
        split_coefficients (coefficients), coefficients->max);
  finish_rgb (&vh_loops_baseline.ops16, rgb, yuv, n,
      coefficients->shift == WIDE_SHIFT ? LANES / 2 : LANES, 2, coefficients);
}

/* Bins. A sample is shifted up to 16 bits, so that its bin is the upper half of
 * its product with @bins, which is at most 65535. */
static inline uint16x8_t
bins_of (uint16x8_t samples, guint bins, guint depth)
{
  const uint16x8_t shifted = vshlq_u16 (samples, vdupq_n_s16 (16 - depth));

  return vuzp2q_u16 (vreinterpretq_u16_u32 (vmull_n_u16 (vget_low_u16 (shifted),
              bins)), vreinterpretq_u16_u32 (vmull_high_n_u16 (shifted, bins)));
}

static void
bins8 (guint8 * indices, const guint16 * samples, gsize n, guint bins,
    guint depth)
{
  gsize i;

  for (i = 0; i + VECTOR <= n; i += VECTOR) {
    const uint16x8_t low = bins_of (vld1q_u16 (samples + i), bins, depth);
    const uint16x8_t high = bins_of (vld1q_u16 (samples + i + LANES), bins,
        depth);

    vst1q_u8 (indices + i, vuzp1q_u8 (vreinterpretq_u8_u16 (low),
            vreinterpretq_u8_u16 (high)));
  }
  vh_loops_baseline.bins8 (indices + i, samples + i, n - i, bins, depth);
}

static void
bins16 (guint16 * indices, const guint16 * samples, gsize n, guint bins,
    guint depth)
{
  gsize i = 0;

  if (bins <= G_MAXUINT16) {
    for (; i + LANES <= n; i += LANES)
      vst1q_u16 (indices + i, bins_of (vld1q_u16 (samples + i), bins, depth));
  }
  vh_loops_baseline.bins16 (indices + i, samples + i, n - i, bins, depth);
}

static void
bins_of_codes (guint8 * indices, const guint8 * codes, gsize n, guint bins)
{
  const uint8x16_t factor = vdupq_n_u8 (bins);
  gsize i = 0;

  if (bins <= G_MAXUINT8) {
    for (; i + VECTOR <= n; i += VECTOR) {
      const uint8x16_t code = vld1q_u8 (codes + i);
      const uint16x8_t low = vmull_u8 (vget_low_u8 (code),
          vget_low_u8 (factor));
      const uint16x8_t high = vmull_high_u8 (code, factor);

      vst1q_u8 (indices + i, vuzp2q_u8 (vreinterpretq_u8_u16 (low),
              vreinterpretq_u8_u16 (high)));
    }
  }
  vh_loops_baseline.bins_of_codes (indices + i, codes + i, n - i, bins);
}

static void
pairs16 (guint16 * indices, const guint8 * a, const guint8 * b, gsize n,
    guint bins)
{
  const uint8x16_t factor = vdupq_n_u8 (bins);
  gsize i = 0;

  if (bins <= G_MAXUINT8) {
    for (; i + VECTOR <= n; i += VECTOR) {
      const uint8x16_t first = vld1q_u8 (a + i), second = vld1q_u8 (b + i);

      vst1q_u16 (indices + i, vmlal_u8 (widen_low (second),
              vget_low_u8 (first), vget_low_u8 (factor)));
      vst1q_u16 (indices + i + LANES, vmlal_high_u8 (vmovl_high_u8 (second),
              first, factor));
    }
  }
  vh_loops_baseline.pairs16 (indices + i, a + i, b + i, n - i, bins);
}

/* Correcting. */

/* The table is in 16 registers. An instruction looks up four of them, and
 * returns 0 or leaves the result for codes beyond them. */
static void
map8 (gpointer corrected, gconstpointer codes, gsize n, gconstpointer table)
{
  const guint8 *from = codes, *map = table;
  const uint8x16_t quarter = vdupq_n_u8 (64);
  guint8 *to = corrected;
  uint8x16x4_t part[4];
  gsize i;
  guint k;

  for (k = 0; k < 4; k++)
    part[k] = vld1q_u8_x4 (map + 64 * k);
  for (i = 0; i + VECTOR <= n; i += VECTOR) {
    uint8x16_t code = vld1q_u8 (from + i);
    uint8x16_t found = vqtbl4q_u8 (part[0], code);

    for (k = 1; k < 4; k++) {
      code = vsubq_u8 (code, quarter);
      found = vqtbx4q_u8 (found, part[k], code);
    }
    vst1q_u8 (to + i, found);
  }
  vh_loops_baseline.correction->ops8.map (to + i, from + i, n - i, table);
}

/* Both weights fit 16 bits, unless one is 1.0. */

static inline uint16x8_t
blend_of (uint16x8_t code, uint16x8_t corrected, guint32 strength)
{
  const guint16 rest = VH_SHARE_ONE - strength;
  uint32x4_t low = vmull_n_u16 (vget_low_u16 (code), rest);
  uint32x4_t high = vmull_high_n_u16 (code, rest);

  low = vmlal_n_u16 (low, vget_low_u16 (corrected), strength);
  high = vmlal_high_n_u16 (high, corrected, strength);
  return vrshrn_high_n_u32 (vrshrn_n_u32 (low, 16), high, 16);
}

static gboolean
can_blend (guint32 strength)
{
  return strength > 0 && strength < VH_SHARE_ONE;
}

static void
blend8 (gpointer blended, gconstpointer codes, gconstpointer corrected,
    gsize n, guint32 strength)
{
  const guint8 *from = codes, *towards = corrected;
  guint8 *to = blended;
  gsize i = 0;

  if (can_blend (strength)) {
    for (; i + VECTOR <= n; i += VECTOR) {
      const uint8x16_t a = vld1q_u8 (from + i), b = vld1q_u8 (towards + i);
      const uint16x8_t low = blend_of (widen_low (a), widen_low (b), strength);
      const uint16x8_t high = blend_of (vmovl_high_u8 (a), vmovl_high_u8 (b),
          strength);

      vst1q_u8 (to + i, vuzp1q_u8 (vreinterpretq_u8_u16 (low),
              vreinterpretq_u8_u16 (high)));
    }
  }
  vh_loops_baseline.correction->ops8.blend (to + i, from + i, towards + i,
      n - i, strength);
}

static void
blend16 (gpointer blended, gconstpointer codes, gconstpointer corrected,
    gsize n, guint32 strength)
{
  const guint16 *from = codes, *towards = corrected;
  guint16 *to = blended;
  gsize i = 0;

  if (can_blend (strength)) {
    for (; i + LANES <= n; i += LANES)
      vst1q_u16 (to + i, blend_of (vld1q_u16 (from + i),
              vld1q_u16 (towards + i), strength));
  }
  vh_loops_baseline.correction->ops16.blend (to + i, from + i, towards + i,
      n - i, strength);
}

/* Of each 4 bytes, writes the ones with their bit set in @used. */
static inline __attribute__ ((always_inline))
gsize
interleave_fours (guint8 * row, const guint8 * const bytes[4], gsize n,
    const guint used)
{
  const guint8 *const a = bytes[0], *const b = bytes[1];
  const guint8 *const c = bytes[2], *const d = bytes[3];
  const uint8x16_t none = vdupq_n_u8 (0);
  const uint8x16_t mask = vreinterpretq_u8_u32 (vdupq_n_u32 (
          (used & 1 ? 0xffu : 0) | (used & 2 ? 0xff00u : 0) |
          (used & 4 ? 0xff0000u : 0) | (used & 8 ? 0xff000000u : 0)));
  gsize i;
  guint k;

  for (i = 0; i + VECTOR <= n; i += VECTOR) {
    const uint8x16_t first = used & 1 ? vld1q_u8 (a + i) : none;
    const uint8x16_t second = used & 2 ? vld1q_u8 (b + i) : none;
    const uint8x16_t third = used & 4 ? vld1q_u8 (c + i) : none;
    const uint8x16_t fourth = used & 8 ? vld1q_u8 (d + i) : none;
    const uint16x8_t low_ab = vreinterpretq_u16_u8 (vzip1q_u8 (first, second));
    const uint16x8_t high_ab = vreinterpretq_u16_u8 (vzip2q_u8 (first, second));
    const uint16x8_t low_cd = vreinterpretq_u16_u8 (vzip1q_u8 (third, fourth));
    const uint16x8_t high_cd = vreinterpretq_u16_u8 (vzip2q_u8 (third, fourth));
    const uint16x8_t pixels[4] = {
      vzip1q_u16 (low_ab, low_cd), vzip2q_u16 (low_ab, low_cd),
      vzip1q_u16 (high_ab, high_cd), vzip2q_u16 (high_ab, high_cd)
    };

    for (k = 0; k < 4; k++)
      vst1q_u8 (row + 4 * i + k * VECTOR, vbslq_u8 (mask,
              vreinterpretq_u8_u16 (pixels[k]),
              vld1q_u8 (row + 4 * i + k * VECTOR)));
  }
  return i;
}

static gboolean
interleave8 (guint8 * row, const guint8 * const bytes[4], gsize n,
    gsize pixel_stride)
{
  const guint8 *rest[4] = { NULL, };
  guint used = 0, k;
  gsize done = 0;

  for (k = 0; k < 4; k++)
    used |= (bytes[k] != NULL) << k;
  if (pixel_stride == 4 && used == 0x5)
    done = interleave_fours (row, bytes, n, 0x5);
  else if (pixel_stride == 4 && used == 0x7)
    done = interleave_fours (row, bytes, n, 0x7);
  else if (pixel_stride == 4 && used == 0xa)
    done = interleave_fours (row, bytes, n, 0xa);
  else if (pixel_stride == 4 && used == 0xe)
    done = interleave_fours (row, bytes, n, 0xe);
  for (k = 0; k < 4; k++)
    rest[k] = bytes[k] ? bytes[k] + done : NULL;
  return vh_loops_baseline.correction->interleave8 (row + 4 * done, rest,
      n - done, pixel_stride);
}

const VhLoops *
vh_neon_loops (void)
{
  static VhCorrectLoops correction;
  static VhLoops loops;

  correction = *vh_loops_baseline.correction;
  correction.ops8.map = map8;
  correction.ops8.blend = blend8;
  correction.ops16.blend = blend16;
  correction.ops16.store = store16;
  correction.interleave8 = interleave8;

  loops = vh_loops_baseline;
  loops.name = "neon";
  loops.ops8.luma = luma8;
  loops.ops8.rgb = rgb8;
  loops.ops16.fetch = fetch16;
  loops.ops16.luma = luma16;
  loops.ops16.rgb = rgb16;
  loops.correction = &correction;
  loops.bins8 = bins8;
  loops.bins16 = bins16;
  loops.bins_of_codes = bins_of_codes;
  loops.pairs16 = pairs16;
  return &loops;
}
