/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One table of loops, with the name VH_LOOPS: written for the compiler's
 * vectoriser, and compiled once per instruction set. */
#include "loops.h"
#include "zones.h"

#include <string.h>

#ifdef VH_AVX512
#include "avx512.h"
#endif
#ifdef __AVX2__
#include <immintrin.h>
#endif

/* How far ahead memory is prefetched: without that, every line of a frame that
 * is not in the cache is a miss. */
#define PREFETCH_BYTES 2048
#define CACHE_LINE 64

/* The run test examines this many bytes, and counts them at once if they are
 * equal. */
#define RUN_BYTES 512

static inline guint64
load64 (gconstpointer data)
{
  guint64 word;

  memcpy (&word, data, sizeof (word));
  return word;
}

/* Whether @bytes (a multiple of 8) from @data repeat @pattern. */
static inline gboolean
repeats (const guint8 * data, gsize bytes, guint64 pattern)
{
  guint64 differ = 0;
  gsize i;

  for (i = 0; i < bytes; i += 8)
    differ |= load64 (data + i) ^ pattern;
  return differ == 0;
}

/* Fetching: for common layouts the loops are inlined with constant arguments,
 * so that they can be vectorised. */

static inline __attribute__ ((always_inline))
void
fetch8_loop (guint8 * restrict samples, const guint8 * restrict row, gsize x,
    gsize n, gsize pixel_stride, guint w_sub)
{
  gsize i;

  if (w_sub == 1) {
    /* The run may start with the second of two pixels that share a sample. */
    const gsize lone = n > 0 ? x & 1 : 0, pairs = (n - lone) / 2;

    if (lone)
      samples[0] = row[(x >> 1) * pixel_stride];
    samples += lone;
    row += ((x + lone) >> 1) * pixel_stride;
    for (i = 0; i < pairs; i++) {
      samples[2 * i] = row[i * pixel_stride];
      samples[2 * i + 1] = row[i * pixel_stride];
    }
    if (lone + 2 * pairs < n)
      samples[2 * pairs] = row[pairs * pixel_stride];
    return;
  }
  for (i = 0; i < n; i++)
    samples[i] = row[((x + i) >> w_sub) * pixel_stride];
}

static void
fetch8 (gpointer data, const guint8 * row, gsize x, gsize n,
    const VhFetch * fetch)
{
  const guint pixel_stride = fetch->pixel_stride;
  guint8 *samples = data;

#ifdef VH_AVX512
  if (fetch->w_sub == 0) {
    const gsize done = vh_avx512_gather (samples, row + x * pixel_stride, n,
        pixel_stride);

    samples += done;
    x += done;
    n -= done;
  }
#endif
  if (fetch->w_sub == 0 && pixel_stride == 2)
    fetch8_loop (samples, row, x, n, 2, 0);
  else if (fetch->w_sub == 0 && pixel_stride == 3)
    fetch8_loop (samples, row, x, n, 3, 0);
  else if (fetch->w_sub == 0 && pixel_stride == 4)
    fetch8_loop (samples, row, x, n, 4, 0);
  else if (fetch->w_sub == 1 && pixel_stride == 1)
    fetch8_loop (samples, row, x, n, 1, 1);
  else if (fetch->w_sub == 1 && pixel_stride == 2)
    fetch8_loop (samples, row, x, n, 2, 1);
  else if (fetch->w_sub == 1 && pixel_stride == 4)
    fetch8_loop (samples, row, x, n, 4, 1);
  else
    fetch8_loop (samples, row, x, n, pixel_stride, fetch->w_sub);
}

/* All bytes of pixels at once, so that each vector is loaded only once. */

#ifdef __AVX2__
/* Loads 16 bytes into each half of a vector: from @data, and from 16 pixels
 * further on. */
static inline __m256i
load_halves (const guint8 * data, gsize pixel_stride)
{
  const __m128i low = _mm_loadu_si128 ((const __m128i *) data);
  const __m128i high =
      _mm_loadu_si128 ((const __m128i *) (data + 16 * pixel_stride));

  return _mm256_inserti128_si256 (_mm256_castsi128_si256 (low), high, 1);
}

/* 16 pixels are in three vectors of 16 bytes. Each of these has byte k of
 * pixels in every third position, and no two of them in the same position. */
static inline void
deinterleave_triples (guint8 * const bytes[4], const guint8 * row, gsize x)
{
  const __m256i every_third = _mm256_broadcastsi128_si256 (_mm_set_epi8 (-1, 0,
          0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1));
  const __m256i order = _mm256_broadcastsi128_si256 (_mm_set_epi8 (13, 10, 7,
          4, 1, 14, 11, 8, 5, 2, 15, 12, 9, 6, 3, 0));
  const __m256i third[3] = {
    every_third, _mm256_bslli_epi128 (every_third, 1),
    _mm256_bslli_epi128 (every_third, 2)
  };
  __m256i v[3];
  guint k;

  for (k = 0; k < 3; k++)
    v[k] = load_halves (row + 3 * x + 16 * k, 3);
  for (k = 0; k < 3; k++) {
    const __m256i mixed = _mm256_blendv_epi8 (_mm256_blendv_epi8 (v[2], v[1],
            third[(k + 2) % 3]), v[0], third[k]);
    const __m256i from = _mm256_and_si256 (_mm256_add_epi8 (order,
            _mm256_set1_epi8 (k)), _mm256_set1_epi8 (15));

    if (bytes[k])
      _mm256_storeu_si256 ((__m256i *) (bytes[k] + x),
          _mm256_shuffle_epi8 (mixed, from));
  }
}

/* Turns each 4 pixels into 4 words of 32 bits, one per byte of a pixel, and
 * transposes these. */
static inline void
deinterleave_fours (guint8 * const bytes[4], const guint8 * row, gsize x)
{
  const __m256i words = _mm256_broadcastsi128_si256 (_mm_set_epi8 (15, 11, 7,
          3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0));
  __m256i v[4], pairs[4], samples[4];
  guint k;

  for (k = 0; k < 4; k++) {
    v[k] = _mm256_shuffle_epi8 (load_halves (row + 4 * x + 16 * k, 4), words);
  }
  pairs[0] = _mm256_unpacklo_epi32 (v[0], v[1]);
  pairs[1] = _mm256_unpacklo_epi32 (v[2], v[3]);
  pairs[2] = _mm256_unpackhi_epi32 (v[0], v[1]);
  pairs[3] = _mm256_unpackhi_epi32 (v[2], v[3]);
  samples[0] = _mm256_unpacklo_epi64 (pairs[0], pairs[1]);
  samples[1] = _mm256_unpackhi_epi64 (pairs[0], pairs[1]);
  samples[2] = _mm256_unpacklo_epi64 (pairs[2], pairs[3]);
  samples[3] = _mm256_unpackhi_epi64 (pairs[2], pairs[3]);
  for (k = 0; k < 4; k++) {
    if (bytes[k])
      _mm256_storeu_si256 ((__m256i *) (bytes[k] + x), samples[k]);
  }
}

static gboolean
deinterleave8 (guint8 * const bytes[4], const guint8 * row, gsize n,
    gsize pixel_stride)
{
  gsize x;
  guint k;

  if (pixel_stride == 3) {
    for (x = 0; x + 32 <= n; x += 32)
      deinterleave_triples (bytes, row, x);
  } else if (pixel_stride == 4) {
    for (x = 0; x + 32 <= n; x += 32)
      deinterleave_fours (bytes, row, x);
  } else {
    return FALSE;
  }
  for (; x < n; x++) {
    for (k = 0; k < pixel_stride; k++) {
      if (bytes[k])
        bytes[k][x] = row[pixel_stride * x + k];
    }
  }
  return TRUE;
}
#else
/* Without a byte shuffle, fetching each byte on its own is just as fast. */
static gboolean
deinterleave8 (G_GNUC_UNUSED guint8 * const bytes[4],
    G_GNUC_UNUSED const guint8 * row, G_GNUC_UNUSED gsize n,
    G_GNUC_UNUSED gsize pixel_stride)
{
  return FALSE;
}
#endif

static inline __attribute__ ((always_inline))
guint16
load_sample (const guint8 * data, guint sample_bytes, gboolean swap,
    guint shift, guint mask)
{
  guint32 word;
  guint16 half;

  if (sample_bytes == 4) {
    memcpy (&word, data, 4);
    if (swap)
      word = GUINT32_SWAP_LE_BE (word);
  } else {
    memcpy (&half, data, 2);
    word = swap ? GUINT16_SWAP_LE_BE (half) : half;
  }
  return (word >> shift) & mask;
}

static inline __attribute__ ((always_inline))
void
fetch16_loop (guint16 * restrict samples, const guint8 * restrict row,
    gsize x, gsize n, gsize pixel_stride, guint w_sub, guint sample_bytes,
    gboolean swap, const VhFetch * fetch)
{
  const guint shift = fetch->shift, mask = fetch->mask;
  gsize i;

  if (w_sub == 1) {
    /* Here, too, the run may start with the second of two pixels that share a
     * sample. */
    const gsize lone = n > 0 ? x & 1 : 0, pairs = (n - lone) / 2;

    if (lone)
      samples[0] = load_sample (row + (x >> 1) * pixel_stride, sample_bytes,
          swap, shift, mask);
    samples += lone;
    row += ((x + lone) >> 1) * pixel_stride;
    for (i = 0; i < pairs; i++) {
      const guint16 sample = load_sample (row + i * pixel_stride, sample_bytes,
          swap, shift, mask);

      samples[2 * i] = sample;
      samples[2 * i + 1] = sample;
    }
    if (lone + 2 * pairs < n)
      samples[2 * pairs] = load_sample (row + pairs * pixel_stride,
          sample_bytes, swap, shift, mask);
    return;
  }
  for (i = 0; i < n; i++)
    samples[i] = load_sample (row + ((x + i) >> w_sub) * pixel_stride,
        sample_bytes, swap, shift, mask);
}

static void
fetch16 (gpointer samples, const guint8 * row, gsize x, gsize n,
    const VhFetch * fetch)
{
  const guint pixel_stride = fetch->pixel_stride, w_sub = fetch->w_sub;
  const gboolean plain = fetch->sample_bytes == 2 && !fetch->swap;

  if (plain && pixel_stride == 2 && w_sub == 0)
    fetch16_loop (samples, row, x, n, 2, 0, 2, FALSE, fetch);
  else if (plain && pixel_stride == 2 && w_sub == 1)
    fetch16_loop (samples, row, x, n, 2, 1, 2, FALSE, fetch);
  else if (plain && pixel_stride == 4 && w_sub == 1)
    fetch16_loop (samples, row, x, n, 4, 1, 2, FALSE, fetch);
  else if (fetch->sample_bytes == 4 && !fetch->swap && w_sub == 0)
    fetch16_loop (samples, row, x, n, 4, 0, 4, FALSE, fetch);
  else
    fetch16_loop (samples, row, x, n, pixel_stride, w_sub,
        fetch->sample_bytes, fetch->swap, fetch);
}

/* Conversions: the formulas of core/color.h, for both widths of samples. Inner
 * functions take the pointers as parameters, because compilers respect restrict
 * there. */

#define DEFINE_LUMA(name, Sample) \
static inline void \
name##_loop (Sample * restrict y, const Sample * restrict r, \
    const Sample * restrict g, const Sample * restrict b, gsize n, \
    const VhLumaWeights w) \
{ \
  gsize i; \
\
  for (i = 0; i < n; i++) \
    y[i] = (w.r * r[i] + w.g * g[i] + w.b * b[i] + 32768) >> 16; \
} \
\
static void \
name (gpointer luma, gconstpointer const rgb[3], gsize n, \
    const VhLumaWeights * weights) \
{ \
  name##_loop (luma, rgb[0], rgb[1], rgb[2], n, *weights); \
}

DEFINE_LUMA (luma16, guint16)

#ifdef __AVX2__
/* Signed 16-bit products are added in pairs. The weight of G has one bit too
 * many for that, so half of it is paired with R and half with B. */
typedef struct
{
  __m256i rg, gb;
} LumaPairs;

/* Luma of 8 pixels in 32 bits, from bytes R, G and G, B. */
static inline __m256i
luma_of_pairs (__m256i rg, __m256i gb, const LumaPairs * weights)
{
  const __m256i sum = _mm256_add_epi32 (_mm256_madd_epi16 (rg, weights->rg),
      _mm256_madd_epi16 (gb, weights->gb));

  return _mm256_srli_epi32 (_mm256_add_epi32 (sum,
          _mm256_set1_epi32 (32768)), 16);
}

static inline __m256i
pair_weights (guint32 first, guint32 second)
{
  return _mm256_set1_epi32 (second << 16 | first);
}

static void
luma8 (gpointer luma, gconstpointer const rgb[3], gsize n,
    const VhLumaWeights * w)
{
  const LumaPairs weights = {
    .rg = pair_weights (w->r, w->g / 2),
    .gb = pair_weights (w->g - w->g / 2, w->b),
  };
  const __m256i zero = _mm256_setzero_si256 ();
  const guint8 *r = rgb[0], *g = rgb[1], *b = rgb[2];
  guint8 *y = luma;
  gsize i;

  for (i = 0; i + 32 <= n; i += 32) {
    const __m256i red = _mm256_loadu_si256 ((const __m256i *) (r + i));
    const __m256i green = _mm256_loadu_si256 ((const __m256i *) (g + i));
    const __m256i blue = _mm256_loadu_si256 ((const __m256i *) (b + i));
    __m256i words[2];
    guint half;

    for (half = 0; half < 2; half++) {
      const __m256i rg = half ? _mm256_unpackhi_epi8 (red, green) :
          _mm256_unpacklo_epi8 (red, green);
      const __m256i gb = half ? _mm256_unpackhi_epi8 (green, blue) :
          _mm256_unpacklo_epi8 (green, blue);

      words[half] = _mm256_packus_epi32 (luma_of_pairs (_mm256_unpacklo_epi8
              (rg, zero), _mm256_unpacklo_epi8 (gb, zero), &weights),
          luma_of_pairs (_mm256_unpackhi_epi8 (rg, zero),
              _mm256_unpackhi_epi8 (gb, zero), &weights));
    }
    _mm256_storeu_si256 ((__m256i *) (y + i), _mm256_packus_epi16 (words[0],
            words[1]));
  }
  for (; i < n; i++)
    y[i] = (w->r * r[i] + w->g * g[i] + w->b * b[i] + 32768) >> 16;
}
#else
DEFINE_LUMA (luma8, guint8)
#endif

#define DEFINE_RGB(name, Sample, Wide) \
static inline void \
name##_loop (Sample * restrict r, Sample * restrict g, Sample * restrict b, \
    const Sample * restrict y, const Sample * restrict u, \
    const Sample * restrict v, gsize n, const VhYuvToRgb c) \
{ \
  gsize i; \
\
  for (i = 0; i < n; i++) { \
    const Wide luma = ((Wide) y[i] - c.y_offset) * c.y_scale \
        + ((Wide) 1 << (c.shift - 1)); \
    const Wide du = (Wide) u[i] - c.c_offset; \
    const Wide dv = (Wide) v[i] - c.c_offset; \
    const Wide red = MAX ((luma + dv * c.rv) >> c.shift, 0); \
    const Wide green = MAX ((luma + du * c.gu + dv * c.gv) >> c.shift, 0); \
    const Wide blue = MAX ((luma + du * c.bu) >> c.shift, 0); \
\
    r[i] = MIN (red, c.max); \
    g[i] = MIN (green, c.max); \
    b[i] = MIN (blue, c.max); \
  } \
} \
\
static void \
name (gpointer const rgb[3], gconstpointer const yuv[3], gsize n, \
    const VhYuvToRgb * coefficients) \
{ \
  name##_loop (rgb[0], rgb[1], rgb[2], yuv[0], yuv[1], yuv[2], n, \
      *coefficients); \
}

#ifdef __AVX2__
DEFINE_RGB (rgb8_rest, guint8, gint32)

/* Two signed factors whose products are added. They do not fit 16 bits, so each
 * is split into its lower byte and the rest. */
typedef struct
{
  __m256i low, high;
} Factors;

static inline Factors
make_factors (gint32 first, gint32 second)
{
  const guint32 low = (second & 255) << 16 | (first & 255);
  const guint32 high = (guint32) (second >> 8) << 16 |
      (guint16) (first >> 8);

  return (Factors) {
  _mm256_set1_epi32 (low), _mm256_set1_epi32 (high)};
}

/* `(low + 256 * high) >> 16` */
static inline __m256i
join_products (__m256i low, __m256i high)
{
  return _mm256_srai_epi32 (_mm256_add_epi32 (low, _mm256_slli_epi32 (high,
              8)), 16);
}

/* Products of 8 pairs with @factors, rounded and shifted right by 16. */
static inline __m256i
multiply_pairs (__m256i pairs, const Factors * factors)
{
  const __m256i half = _mm256_set1_epi32 (32768);

  return join_products (_mm256_add_epi32 (_mm256_madd_epi16 (pairs,
              factors->low), half), _mm256_madd_epi16 (pairs, factors->high));
}

/* The same for two kinds of pairs, not rounded. */
static inline __m256i
multiply_fours (__m256i a, const Factors * a_factors, __m256i b,
    const Factors * b_factors)
{
  return join_products (_mm256_add_epi32 (_mm256_madd_epi16 (a,
              a_factors->low), _mm256_madd_epi16 (b, b_factors->low)),
      _mm256_add_epi32 (_mm256_madd_epi16 (a, a_factors->high),
          _mm256_madd_epi16 (b, b_factors->high)));
}

/* @n is a multiple of 32. The final conversion to bytes clamps. */
static inline void
rgb8_vectors (guint8 * red, guint8 * green, guint8 * blue, const guint8 * y,
    const guint8 * u, const guint8 * v, gsize n, const VhYuvToRgb * c)
{
  const Factors of_red = make_factors (c->y_scale, c->rv);
  const Factors of_green = make_factors (c->y_scale, c->gv);
  const Factors of_green_too = make_factors (c->gu, 32768);
  const Factors of_blue = make_factors (c->y_scale, c->bu);
  const __m256i zero = _mm256_setzero_si256 ();
  const __m256i one = _mm256_set1_epi16 (1);
  const __m256i y_offset = _mm256_set1_epi16 (c->y_offset);
  const __m256i c_offset = _mm256_set1_epi16 (c->c_offset);
  gsize i;

  for (i = 0; i < n; i += 32) {
    const __m256i ys = _mm256_loadu_si256 ((const __m256i *) (y + i));
    const __m256i us = _mm256_loadu_si256 ((const __m256i *) (u + i));
    const __m256i vs = _mm256_loadu_si256 ((const __m256i *) (v + i));
    __m256i r[2], g[2], b[2];
    guint half;

    for (half = 0; half < 2; half++) {
      const __m256i luma = _mm256_sub_epi16 (half ?
          _mm256_unpackhi_epi8 (ys, zero) : _mm256_unpacklo_epi8 (ys, zero),
          y_offset);
      const __m256i du = _mm256_sub_epi16 (half ?
          _mm256_unpackhi_epi8 (us, zero) : _mm256_unpacklo_epi8 (us, zero),
          c_offset);
      const __m256i dv = _mm256_sub_epi16 (half ?
          _mm256_unpackhi_epi8 (vs, zero) : _mm256_unpacklo_epi8 (vs, zero),
          c_offset);
      const __m256i yv[2] = {
        _mm256_unpacklo_epi16 (luma, dv), _mm256_unpackhi_epi16 (luma, dv)
      };
      const __m256i yu[2] = {
        _mm256_unpacklo_epi16 (luma, du), _mm256_unpackhi_epi16 (luma, du)
      };
      const __m256i u1[2] = {
        _mm256_unpacklo_epi16 (du, one), _mm256_unpackhi_epi16 (du, one)
      };

      r[half] = _mm256_packs_epi32 (multiply_pairs (yv[0], &of_red),
          multiply_pairs (yv[1], &of_red));
      g[half] = _mm256_packs_epi32 (multiply_fours (yv[0], &of_green, u1[0],
              &of_green_too), multiply_fours (yv[1], &of_green, u1[1],
              &of_green_too));
      b[half] = _mm256_packs_epi32 (multiply_pairs (yu[0], &of_blue),
          multiply_pairs (yu[1], &of_blue));
    }
    _mm256_storeu_si256 ((__m256i *) (red + i), _mm256_packus_epi16 (r[0],
            r[1]));
    _mm256_storeu_si256 ((__m256i *) (green + i), _mm256_packus_epi16 (g[0],
            g[1]));
    _mm256_storeu_si256 ((__m256i *) (blue + i), _mm256_packus_epi16 (b[0],
            b[1]));
  }
}

static void
rgb8 (gpointer const rgb[3], gconstpointer const yuv[3], gsize n,
    const VhYuvToRgb * coefficients)
{
  const gsize done = n / 32 * 32;
  gpointer rest_rgb[3];
  gconstpointer rest_yuv[3];
  guint i;

  rgb8_vectors (rgb[0], rgb[1], rgb[2], yuv[0], yuv[1], yuv[2], done,
      coefficients);
  for (i = 0; i < 3; i++) {
    rest_rgb[i] = (guint8 *) rgb[i] + done;
    rest_yuv[i] = (const guint8 *) yuv[i] + done;
  }
  rgb8_rest (rest_rgb, rest_yuv, n - done, coefficients);
}
#else
DEFINE_RGB (rgb8, guint8, gint32)
#endif
DEFINE_RGB (rgb12, guint16, gint32)
DEFINE_RGB (rgb16_wide, guint16, gint64)

static void
rgb16 (gpointer const rgb[3], gconstpointer const yuv[3], gsize n,
    const VhYuvToRgb * coefficients)
{
  /* Up to 12 bits, intermediates fit 32 bits: see core/color.h. */
  if (coefficients->max < 1 << 12)
    rgb12 (rgb, yuv, n, coefficients);
  else
    rgb16_wide (rgb, yuv, n, coefficients);
}

#define DEFINE_GRADIENT(name, Sample) \
static inline void \
name##_loop (Sample * restrict gradients, const Sample * restrict left, \
    const Sample * restrict right, gsize n) \
{ \
  gsize i; \
\
  for (i = 0; i < n; i++) \
    gradients[i] = MAX (left[i], right[i]) - MIN (left[i], right[i]); \
} \
\
static void \
name (gpointer gradients, gconstpointer luma, gsize n) \
{ \
  name##_loop (gradients, luma, (const Sample *) luma + 1, n); \
}

DEFINE_GRADIENT (gradient8, guint8)
DEFINE_GRADIENT (gradient16, guint16)

/* The product stays within 32 bits: 65535 * 65536 at most. */
#define DEFINE_BINS(name, Index) \
static void \
name (Index * restrict indices, const guint16 * restrict samples, gsize n, \
    guint bins, guint depth) \
{ \
  gsize i; \
\
  for (i = 0; i < n; i++) \
    indices[i] = ((guint32) samples[i] * bins) >> depth; \
}

DEFINE_BINS (bins8, guint8)
DEFINE_BINS (bins16, guint16)

/* 16 bits hold every product and every sum here. */
static void
bins_of_codes (guint8 * restrict indices, const guint8 * restrict codes,
    gsize n, guint bins)
{
  const guint16 factor = bins;
  gsize i;

  for (i = 0; i < n; i++)
    indices[i] = (guint16) (codes[i] * factor) >> 8;
}

static void
pairs16 (guint16 * restrict indices, const guint8 * restrict a,
    const guint8 * restrict b, gsize n, guint bins)
{
  const guint16 factor = bins;
  gsize i;

  for (i = 0; i < n; i++)
    indices[i] = a[i] * factor + b[i];
}

/* The first byte is the lower one. */
static inline guint16
load_pair (const guint8 * codes)
{
  guint16 word;

  memcpy (&word, codes, sizeof (word));
  return GUINT16_FROM_LE (word);
}

/* 16 bits hold every product and every sum here. */
static inline __attribute__ ((always_inline))
void
pairs_of_codes_loop (guint16 * restrict indices, const guint8 * restrict codes,
    gsize n, guint16 bins, gboolean swapped)
{
  gsize i;

  for (i = 0; i < n; i++) {
    const guint16 pair = load_pair (codes + 2 * i);
    const guint16 a = swapped ? pair >> 8 : pair & 255;
    const guint16 b = swapped ? pair & 255 : pair >> 8;
    const guint16 of_a = (guint16) (a * bins) >> 8;
    const guint16 of_b = (guint16) (b * bins) >> 8;

    indices[i] = of_a * bins + of_b;
  }
}

static void
pairs_of_codes (guint16 * indices, const guint8 * codes, gsize n, guint bins,
    gboolean swapped)
{
  if (swapped)
    pairs_of_codes_loop (indices, codes, n, bins, TRUE);
  else
    pairs_of_codes_loop (indices, codes, n, bins, FALSE);
}

/* Tables: four, because adding to the same counter twice in a row waits for the
 * store of the first. */

typedef struct
{
  guint32 counts[4][256];
} Tables;

static inline void
count_word (guint32 counts[4][256], guint64 word)
{
  counts[0][word & 255]++;
  counts[1][word >> 8 & 255]++;
  counts[2][word >> 16 & 255]++;
  counts[3][word >> 24 & 255]++;
  counts[0][word >> 32 & 255]++;
  counts[1][word >> 40 & 255]++;
  counts[2][word >> 48 & 255]++;
  counts[3][word >> 56]++;
}

/* Counts the equal codes at the start of @codes, in steps of RUN_BYTES. Returns
 * how many there are. */
static inline gsize
count_run (guint32 * counts, const guint8 * codes, gsize n)
{
  const guint64 pattern = codes[0] * G_GUINT64_CONSTANT (0x0101010101010101);
  gsize run = 0;

  if (load64 (codes) != pattern)
    return 0;
  while (n - run >= RUN_BYTES && repeats (codes + run, RUN_BYTES, pattern))
    run += RUN_BYTES;
  counts[codes[0]] += run;
  return run;
}

static void
tables_count (gpointer state, const guint8 * codes, gsize n)
{
  Tables *tables = state;
  gsize i;

  while (n >= RUN_BYTES) {
    gsize done = count_run (tables->counts[0], codes, n);

    if (done == 0) {
      for (i = 0; i < RUN_BYTES; i += 8) {
        if (i % CACHE_LINE == 0)
          __builtin_prefetch (codes + i + PREFETCH_BYTES);
        count_word (tables->counts, load64 (codes + i));
      }
      done = RUN_BYTES;
    }
    codes += done;
    n -= done;
  }
  for (i = 0; i + 8 <= n; i += 8)
    count_word (tables->counts, load64 (codes + i));
  for (; i < n; i++)
    tables->counts[i % 4][codes[i]]++;
}

static void
tables_fold (gpointer state, guint32 * counts)
{
  Tables *tables = state;
  guint t, code;

  for (t = 0; t < 4; t++) {
    for (code = 0; code < 256; code++)
      counts[code] += tables->counts[t][code];
  }
  memset (tables, 0, sizeof (*tables));
}

static const VhCodeCounter tables_counter = {
  .name = "tables",
  .min_samples = 1024,
  .state_size = sizeof (Tables),
  .count = tables_count,
  .fold = tables_fold,
};

#ifndef VH_AVX512
/* Pairs: stores limit the speed of counting, and a table of pairs of
 * neighbouring codes needs half as many, as long as it stays in the nearest
 * cache. Only the frequency of each code matters, so a pair has no order: it is
 * identified by the distance of its codes on a circle of 256, 0 ... 128, and by
 * the code that is ahead of the other. That halves the number of counters; with
 * one byte each they take 33 KB. When a counter overflows, 256 are added to the
 * counts of both codes of its pair.
 *
 * Neighbours in a picture are alike, so pairs repeat, and mostly rows of small
 * distances are used. Then four tables used in turns fit as well, and equal
 * pairs do not wait for each other's increment. */

#define N_DISTANCES 129
#define N_PAIR_TABLES 4
#define RUN_PAIRS (RUN_BYTES / 2)

/* Pairs that the first table alone counts before it is folded: so many that
 * folding costs little, and so few that counters hardly ever overflow in
 * noise. */
#define FOLD_PAIRS (1 << 19)

/* With at least this many repeated pairs in a run, four tables are faster than
 * one. */
#define MIN_REPEATS (RUN_PAIRS / 64)

/* Rows of a table, some unused at the end: a load waits for a store to an
 * address with the same 12 lower bits, so this makes those bits of the rows of
 * small distances differ from table to table. */
#define PAIR_ROWS 132

typedef struct
{
  guint8 counts[PAIR_ROWS * 256];
} PairTable;

typedef struct
{
  PairTable pairs[N_PAIR_TABLES];
  guint n_used;                 /* tables in use */
  guint n_alone;                /* pairs that the first counted alone */
  Tables tables;
} Pairs;

static inline guint16
load16 (gconstpointer data)
{
  guint16 word;

  memcpy (&word, data, sizeof (word));
  return word;
}

/* Turns @codes[RUN_BYTES] into the indices of pairs: distance * 256 + code. */
static inline void
make_pairs (guint16 * restrict indices, const guint8 * restrict codes)
{
  gsize i;

  for (i = 0; i < RUN_BYTES; i += CACHE_LINE)
    __builtin_prefetch (codes + i + PREFETCH_BYTES);

#ifdef __AVX2__
  for (i = 0; i < RUN_PAIRS; i += 16) {
    const __m256i swap_bytes = _mm256_set_epi64x (0x0e0f0c0d0a0b0809,
        0x0607040502030001, 0x0e0f0c0d0a0b0809, 0x0607040502030001);
    const __m256i pairs =
        _mm256_loadu_si256 ((const __m256i *) (codes + 2 * i));
    const __m256i swapped = _mm256_shuffle_epi8 (pairs, swap_bytes);
    const __m256i difference = _mm256_sub_epi8 (pairs, swapped);
    const __m256i ahead = _mm256_blendv_epi8 (pairs, swapped, difference);

    _mm256_storeu_si256 ((__m256i *) (indices + i), _mm256_blendv_epi8 (ahead,
            _mm256_abs_epi8 (difference), _mm256_set1_epi16 (-256)));
  }
#else
  /* Makes 16-bit words with the difference in the upper 8 bits. */
  for (i = 0; i < RUN_PAIRS; i++) {
    const guint16 pair = load16 (codes + 2 * i);
    const gint16 difference = (guint16) ((pair << 8) - (pair & 0xff00));
    const guint16 swap = difference >> 15;
    const guint16 distance = (difference ^ swap) - swap;
    const guint16 ahead = pair ^ ((pair ^ pair >> 8) & swap);

    indices[i] = (distance & 0xff00) | (ahead & 0xff);
  }
#endif
}

/* How many pairs in @codes[RUN_BYTES] equal the next one. */
static inline guint
count_repeats (const guint8 * codes)
{
  guint16 repeats = 0;
  gsize i;

  for (i = 0; i + 2 < RUN_BYTES; i += 2)
    repeats += load16 (codes + i) == load16 (codes + i + 2);
  return repeats;
}

static __attribute__ ((noinline, cold))
void
carry_pairs (Tables * tables, gsize index)
{
  tables->counts[0][index & 255] += 256;
  tables->counts[1][(index - (index >> 8)) & 255] += 256;
}

static inline void
count_pair (Tables * tables, PairTable * pairs, gsize index)
{
  if (G_UNLIKELY (++pairs->counts[index] == 0))
    carry_pairs (tables, index);
}

/* Counts RUN_PAIRS. @n_tables is constant where this is inlined. */
static inline __attribute__ ((always_inline))
void
count_pairs (Pairs * pairs, const guint16 * indices, const guint n_tables)
{
  Tables *const tables = &pairs->tables;
  PairTable *const t0 = &pairs->pairs[0];
  PairTable *const t1 = &pairs->pairs[1 % n_tables];
  PairTable *const t2 = &pairs->pairs[2 % n_tables];
  PairTable *const t3 = &pairs->pairs[3 % n_tables];
  gsize i;

  for (i = 0; i < RUN_PAIRS; i += 8) {
    count_pair (tables, t0, indices[i]);
    count_pair (tables, t1, indices[i + 1]);
    count_pair (tables, t2, indices[i + 2]);
    count_pair (tables, t3, indices[i + 3]);
    count_pair (tables, t0, indices[i + 4]);
    count_pair (tables, t1, indices[i + 5]);
    count_pair (tables, t2, indices[i + 6]);
    count_pair (tables, t3, indices[i + 7]);
  }
}

/* Adds the counts of one table of pairs to the counts of codes. The sum of one
 * counter from each row fits 16 bits. */
static void
fold_pairs (PairTable * pairs, guint32 * counts)
{
  guint16 ahead[256] = { 0, }, behind[512] = { 0, };
  guint distance, code;

  for (distance = 0; distance < N_DISTANCES; distance++) {
    const guint8 *restrict row = pairs->counts + 256 * distance;
    guint16 *restrict other = behind + 256 - distance;

    for (code = 0; code < 256; code++)
      ahead[code] += row[code];
    for (code = 0; code < 256; code++)
      other[code] += row[code];
  }
  for (code = 0; code < 256; code++)
    counts[code] += ahead[code] + behind[code] + behind[256 + code];
  memset (pairs, 0, sizeof (*pairs));
}

static void
pairs_count (gpointer state, const guint8 * codes, gsize n)
{
  Pairs *pairs = state;
  guint16 indices[RUN_PAIRS];
  gsize done;

  for (; n >= RUN_BYTES; codes += done, n -= done) {
    done = count_run (pairs->tables.counts[0], codes, n);
    if (done > 0)
      continue;
    done = RUN_BYTES;
    make_pairs (indices, codes);
    if (count_repeats (codes) >= MIN_REPEATS) {
      count_pairs (pairs, indices, N_PAIR_TABLES);
      pairs->n_used = N_PAIR_TABLES;
    } else {
      count_pairs (pairs, indices, 1);
      pairs->n_used = MAX (pairs->n_used, 1);
      pairs->n_alone += RUN_PAIRS;
      if (pairs->n_alone == FOLD_PAIRS) {
        fold_pairs (&pairs->pairs[0], pairs->tables.counts[0]);
        pairs->n_alone = 0;
      }
    }
  }
  tables_count (&pairs->tables, codes, n);
}

static void
pairs_fold (gpointer state, guint32 * counts)
{
  Pairs *pairs = state;
  guint table;

  tables_fold (&pairs->tables, counts);
  for (table = 0; table < pairs->n_used; table++)
    fold_pairs (&pairs->pairs[table], counts);
  pairs->n_used = 0;
  pairs->n_alone = 0;
}

static const VhCodeCounter pairs_counter = {
  .name = "pairs",
#ifdef __AVX2__
  .min_samples = 1 << 16,
#else
  .min_samples = 1 << 18,
#endif
  .state_size = sizeof (Pairs),
  .count = pairs_count,
  .fold = pairs_fold,
};
#endif

#ifdef VH_AVX512
/* The lanes of the first @n bytes. */
static inline __mmask64
first_of (gsize n)
{
  return n >= 64 ? ~G_GUINT64_CONSTANT (0) :
      (G_GUINT64_CONSTANT (1) << n) - 1;
}

#endif

/* Differences, in forms that compilers can vectorise. The sum of this many
 * 16-bit differences fits 32 bits. */
#define SUM_SAMPLES (1 << 15)

#ifdef VH_AVX512
/* The copy is not used before a later frame, so its vectors bypass the caches,
 * which would have to read the old data first. Other threads get the copy
 * through locks, which order these stores. */
static inline __m512i
copy_vector (guint8 * copy, const guint8 * a, const guint8 * b, __m512i sum)
{
  const __m512i v = _mm512_loadu_si512 (a);

  _mm512_stream_si512 ((__m512i *) copy, v);
  return _mm512_add_epi64 (sum, _mm512_sad_epu8 (v, _mm512_loadu_si512 (b)));
}

/* @n is less than a vector. */
static inline __m512i
copy_few (guint8 * copy, const guint8 * a, const guint8 * b, gsize n,
    __m512i sum)
{
  const __mmask64 valid = first_of (n);
  const __m512i v = _mm512_maskz_loadu_epi8 (valid, a);

  _mm512_mask_storeu_epi8 (copy, valid, v);
  return _mm512_add_epi64 (sum, _mm512_sad_epu8 (v,
          _mm512_maskz_loadu_epi8 (valid, b)));
}

static guint64
difference8 (guint8 * copy, const guint8 * a, const guint8 * b, gsize n)
{
  const gsize head = MIN (-(guintptr) copy % 64, n);
  __m512i sum = copy_few (copy, a, b, head, _mm512_setzero_si512 ());
  gsize i;

  for (i = head; i + 64 <= n; i += 64)
    sum = copy_vector (copy + i, a + i, b + i, sum);
  return _mm512_reduce_add_epi64 (copy_few (copy + i, a + i, b + i, n - i,
          sum));
}
#else
static guint64
difference8 (guint8 * restrict copy, const guint8 * restrict a,
    const guint8 * restrict b, gsize n)
{
  guint64 sum = 0;
  gsize done, part, i;

  for (done = 0; done < n; done += part) {
    gint partial = 0;

    part = MIN (n - done, SUM_SAMPLES);
    for (i = done; i < done + part; i++) {
      partial += ABS (a[i] - b[i]);
      copy[i] = a[i];
    }
    sum += partial;
  }
  return sum;
}
#endif

static guint64
difference16 (guint16 * restrict copy, const guint16 * restrict a,
    const guint16 * restrict b, gsize n)
{
  guint64 sum = 0;
  gsize done, part, i;

  for (done = 0; done < n; done += part) {
    guint32 partial = 0;

    part = MIN (n - done, SUM_SAMPLES);
    for (i = done; i < done + part; i++) {
      const guint16 difference = MAX (a[i], b[i]) - MIN (a[i], b[i]);

      partial += difference;
      copy[i] = a[i];
    }
    sum += partial;
  }
  return sum;
}

/* Sums, in forms that compilers can vectorise. The sum of SUM_SAMPLES 16-bit
 * numbers fits 32 bits, and so does the sum of this many squares of 12-bit
 * numbers. */
#define SQUARES_OF_12_BITS (1 << 7)

#define DEFINE_SUM(name, most, term) \
static guint64 \
name (const guint16 * bins, gsize n) \
{ \
  guint64 sum = 0; \
  gsize done, part, i; \
\
  for (done = 0; done < n; done += part) { \
    gint partial = 0; \
\
    part = MIN (n - done, most); \
    for (i = done; i < done + part; i++) \
      partial += term; \
    sum += partial; \
  } \
  return sum; \
}

static inline gint
square (gint16 number)
{
  return number * number;
}

DEFINE_SUM (squares16, SQUARES_OF_12_BITS, square (bins[i]))

/* The counts of this many gradients fit 8 bits. */
#define GRADIENT_COUNTS 224

static guint64
gradients (const guint8 * steps, gsize n)
{
  guint64 sum = 0;
  gsize done, part, i;

  for (done = 0; done < n; done += part) {
    guint8 all = 0, strong = 0;

    part = MIN (n - done, GRADIENT_COUNTS);
    for (i = done; i < done + part; i++) {
      all += steps[i] > 0;
      strong += steps[i] > VH_FAINT_STEPS;
    }
    sum += (guint64) strong << 32 | all;
  }
  return sum;
}

static void
columns16 (guint32 * columns, const guint16 * bins, gsize n)
{
  gsize i;

  for (i = 0; i < n; i++)
    columns[i] += bins[i];
}

#ifdef VH_AVX512
/* Mostly called for a few numbers. */
static guint64
sum16 (const guint16 * numbers, gsize n)
{
  __m512i sum = _mm512_setzero_si512 ();
  gsize i;

  for (i = 0; i < n; i += 32) {
    const __m512i v = _mm512_maskz_loadu_epi16 (first_of (MIN (n - i, 32)),
        numbers + i);

    sum = _mm512_add_epi64 (sum, _mm512_sad_epu8 (_mm512_and_si512 (v,
                _mm512_set1_epi16 (0xff)), _mm512_setzero_si512 ()));
    sum = _mm512_add_epi64 (sum, _mm512_slli_epi64 (_mm512_sad_epu8
            (_mm512_srli_epi16 (v, 8), _mm512_setzero_si512 ()), 8));
  }
  return _mm512_reduce_add_epi64 (sum);
}

typedef struct
{
  __m512i low_half, high_half;
} Steps;

static inline Steps
load_steps (const guint8 * steps)
{
  return (Steps) {
  _mm512_loadu_si512 (steps), _mm512_loadu_si512 (steps + 64)};
}

/* Equal levels are not a step, so padding of 0 does not count. */
static inline void
count_step_vector (VhLumaSums * sums, __m512i before, __m512i after,
    const Steps * steps, __m512i * changes)
{
  const __m512i lower = _mm512_min_epu8 (before, after);
  const __m512i higher = _mm512_max_epu8 (before, after);
  const __m512i change = _mm512_sub_epi8 (higher, lower);
  const __m512i least = _mm512_permutex2var_epi8 (steps->low_half, lower,
      steps->high_half);
  const __mmask64 step = _mm512_cmpge_epu8_mask (higher, least);

  *changes = _mm512_dpbusd_epi32 (*changes, change, change);
  if (step) {
    const __mmask64 up = _mm512_mask_cmpgt_epu8_mask (step, after, before);

    sums->risen += __builtin_popcountll (up);
    sums->fallen += __builtin_popcountll (step & ~up);
  }
}

static void
steps (VhLumaSums * sums, const guint8 * before, const guint8 * after,
    gsize n, const guint8 * table)
{
  const Steps steps = load_steps (table);
  __m512i changes = _mm512_setzero_si512 ();
  gsize i;

  for (i = 0; i < n; i += 64) {
    const __mmask64 valid = first_of (n - i);

    count_step_vector (sums, _mm512_maskz_loadu_epi8 (valid, before + i),
        _mm512_maskz_loadu_epi8 (valid, after + i), &steps, &changes);
  }
  sums->changes += (guint32) _mm512_reduce_add_epi32 (changes);
}

/* Adds squares of 32 differences of 8 bits. */
static inline __m512i
add_squares (__m512i squares, __m512i differences)
{
  return _mm512_dpwssd_epi32 (squares, differences, differences);
}

/* Adds 32 codes to the sums of their columns. */
static inline void
add_to_columns (guint16 * columns, __m256i codes, __mmask32 valid)
{
  const __m512i sums = _mm512_maskz_loadu_epi16 (valid, columns);

  _mm512_mask_storeu_epi16 (columns, valid, _mm512_add_epi16 (sums,
          _mm512_cvtepu8_epi16 (codes)));
}

/* Sums over the gradients of some pixels. */
typedef struct
{
  __m512i squares[2];
  guint64 all, strong;
} Gradients;

/* Lanes beyond the pixels are 0, and the last pixel is its own neighbour. */
static inline __attribute__ ((always_inline))
void
meter_vector (VhLumaSums * sums, __m512i v, __m512i next,
    Gradients * gradients, __m512i * changes, guint16 * columns,
    guint8 * last, __mmask64 valid, const Steps * steps)
{
  const __m512i zero = _mm512_setzero_si512 ();
  const __m512i differences = _mm512_or_si512 (_mm512_subs_epu8 (v, next),
      _mm512_subs_epu8 (next, v));
  const __m512i levels = _mm512_and_si512 (_mm512_srli_epi16 (v, 1),
      _mm512_set1_epi8 (0x7f));

  gradients->squares[0] = add_squares (gradients->squares[0],
      _mm512_unpacklo_epi8 (differences, zero));
  gradients->squares[1] = add_squares (gradients->squares[1],
      _mm512_unpackhi_epi8 (differences, zero));
  gradients->all += __builtin_popcountll (_mm512_test_epi8_mask (differences,
          differences));
  gradients->strong += __builtin_popcountll (_mm512_cmpgt_epu8_mask
      (differences, _mm512_set1_epi8 (VH_FAINT_STEPS)));
  if (steps)
    count_step_vector (sums, _mm512_maskz_loadu_epi8 (valid, last), levels,
        steps, changes);
  add_to_columns (columns, _mm512_castsi512_si256 (v), valid);
  add_to_columns (columns + 32, _mm512_extracti64x4_epi64 (v, 1), valid >> 32);
  _mm512_mask_storeu_epi8 (last, valid, levels);
}

static inline __attribute__ ((always_inline))
void
meter_loop (VhLumaSums * sums, const guint8 * luma, gsize n,
    gsize n_gradients, guint16 * columns, guint8 * last, const Steps * steps)
{
  __m512i changes = _mm512_setzero_si512 ();
  Gradients gradients = { {changes, changes}, 0, 0 };
  gsize i;

  for (i = 0; i + 64 <= n_gradients; i += 64) {
    meter_vector (sums, _mm512_loadu_si512 (luma + i),
        _mm512_loadu_si512 (luma + i + 1), &gradients, &changes, columns + i,
        last + i, first_of (64), steps);
  }
  if (i < n) {
    const __mmask64 valid = first_of (n - i);
    const __m512i v = _mm512_maskz_loadu_epi8 (valid, luma + i);

    meter_vector (sums, v, _mm512_mask_loadu_epi8 (v, first_of (n_gradients -
                i), luma + i + 1), &gradients, &changes, columns + i,
        last + i, valid, steps);
  }
  sums->squares += (guint32) _mm512_reduce_add_epi32 (_mm512_add_epi32
      (gradients.squares[0], gradients.squares[1]));
  sums->gradients += gradients.strong << 32 | gradients.all;
  if (steps)
    sums->changes += (guint32) _mm512_reduce_add_epi32 (changes);
}

/* The sum of this many squares of 8-bit numbers fits 32 bits. */
#define METER_PIXELS (1 << 15)

static void
meter8 (VhLumaSums * sums, const guint8 * luma, gsize n, gsize n_gradients,
    guint16 * columns, guint8 * last, const guint8 * table)
{
  const Steps steps = table ? load_steps (table) : (Steps) { 0, };
  gsize done, part;

  for (done = 0; done < n; done += part) {
    part = MIN (n - done, METER_PIXELS);
    if (table)
      meter_loop (sums, luma + done, part, MIN (part, n_gradients - done),
          columns + done, last + done, &steps);
    else
      meter_loop (sums, luma + done, part, MIN (part, n_gradients - done),
          columns + done, last + done, NULL);
  }
}
#else
DEFINE_SUM (sum16, SUM_SAMPLES, bins[i])

/* A change counts as a step if the higher level is at least a step above the
 * lower one. */
static inline void
count_step (VhLumaSums * sums, guint8 before, guint8 after,
    const guint8 * steps)
{
  sums->changes += square (after - before);
  if (MAX (before, after) >= steps[MIN (before, after)])
    ++*(after > before ? &sums->risen : &sums->fallen);
}

#ifdef __AVX2__
/* Looks up a table in parts of 16, each of which returns 0 for indices outside
 * it. */
static inline __m256i
look_up (const __m256i parts[VH_STEP_LEVELS / 16], __m256i index)
{
  __m256i found = _mm256_setzero_si256 ();
  guint k;

  for (k = 0; k < VH_STEP_LEVELS / 16; k++) {
    const __m256i in_part = _mm256_adds_epu8 (_mm256_xor_si256 (index,
            _mm256_set1_epi8 (16 * k)), _mm256_set1_epi8 (0x70));

    found = _mm256_or_si256 (found, _mm256_shuffle_epi8 (parts[k], in_part));
  }
  return found;
}

static guint32
sum_lanes (__m256i vector)
{
  guint32 lanes[8], sum = 0;
  guint i;

  _mm256_storeu_si256 ((__m256i *) lanes, vector);
  for (i = 0; i < G_N_ELEMENTS (lanes); i++)
    sum += lanes[i];
  return sum;
}

/* Returns how many of the @n it counted. */
static gsize
count_step_vectors (VhLumaSums * sums, const guint8 * before,
    const guint8 * after, gsize n, const guint8 * steps)
{
  const __m256i ones = _mm256_set1_epi16 (1);
  __m256i parts[VH_STEP_LEVELS / 16], changes = _mm256_setzero_si256 ();
  gsize i;
  guint k;

  for (k = 0; k < G_N_ELEMENTS (parts); k++) {
    parts[k] = _mm256_broadcastsi128_si256 (_mm_loadu_si128 ((const __m128i *)
            (steps + 16 * k)));
  }
  for (i = 0; i + 32 <= n; i += 32) {
    const __m256i a = _mm256_loadu_si256 ((const __m256i *) (before + i));
    const __m256i b = _mm256_loadu_si256 ((const __m256i *) (after + i));
    const __m256i lower = _mm256_min_epu8 (a, b);
    const __m256i higher = _mm256_max_epu8 (a, b);
    const __m256i change = _mm256_sub_epi8 (higher, lower);
    const __m256i least = look_up (parts, lower);
    const guint step = _mm256_movemask_epi8 (_mm256_cmpeq_epi8 (higher,
            _mm256_max_epu8 (higher, least)));
    const guint down = step & _mm256_movemask_epi8 (_mm256_cmpeq_epi8 (higher,
            a));

    sums->risen += __builtin_popcount (step & ~down);
    sums->fallen += __builtin_popcount (down);
    /* Changes are below 128, so the sums of two squares fit 16 bits. */
    changes = _mm256_add_epi32 (changes, _mm256_madd_epi16 (ones,
            _mm256_maddubs_epi16 (change, change)));
  }
  sums->changes += sum_lanes (changes);
  return i;
}
#else
static gsize
count_step_vectors (G_GNUC_UNUSED VhLumaSums * sums,
    G_GNUC_UNUSED const guint8 * before, G_GNUC_UNUSED const guint8 * after,
    G_GNUC_UNUSED gsize n, G_GNUC_UNUSED const guint8 * steps)
{
  return 0;
}
#endif

static void
steps (VhLumaSums * sums, const guint8 * before, const guint8 * after,
    gsize n, const guint8 * table)
{
  gsize i;

  for (i = count_step_vectors (sums, before, after, n, table); i < n; i++)
    count_step (sums, before[i], after[i], table);
}

/* The sums over this many pixels fit 32 bits, and the levels of these pixels
 * stay in the nearest cache. */
#define METER_PIXELS 1024

static void
meter8 (VhLumaSums * sums, const guint8 * luma, gsize n, gsize n_gradients,
    guint16 * columns, guint8 * last, const guint8 * table)
{
  guint8 levels[METER_PIXELS], differences[METER_PIXELS];
  gsize done, part, n_differences, i;

  for (done = 0; done < n; done += part) {
    const guint8 *const from = luma + done;
    gint squares = 0;

    part = MIN (n - done, METER_PIXELS);
    n_differences = MIN (part, n_gradients - done);
    for (i = 0; i < n_differences; i++) {
      squares += square (from[i + 1] - from[i]);
      differences[i] = MAX (from[i + 1], from[i]) - MIN (from[i + 1], from[i]);
    }
    sums->gradients += gradients (differences, n_differences);
    for (i = 0; i < part; i++)
      columns[done + i] += from[i];
    for (i = 0; i < part; i++)
      levels[i] = from[i] >> 1;
    sums->squares += squares;
    if (table)
      steps (sums, last + done, levels, part, table);
    memcpy (last + done, levels, part);
  }
}
#endif

/* Samples that the run test of count16 examines. */
#define RUN_SAMPLES 64

static void
count16 (guint32 * const tables[4], const guint16 * indices, gsize n)
{
  guint32 *const t0 = tables[0], *const t1 = tables[1];
  guint32 *const t2 = tables[2], *const t3 = tables[3];
  gsize i;

  for (; n >= RUN_SAMPLES; indices += RUN_SAMPLES, n -= RUN_SAMPLES) {
    const guint64 pattern =
        indices[0] * G_GUINT64_CONSTANT (0x0001000100010001);

    if (load64 (indices) == pattern && repeats ((const guint8 *) indices,
            RUN_SAMPLES * sizeof (*indices), pattern)) {
      t0[indices[0]] += RUN_SAMPLES;
      continue;
    }
    for (i = 0; i < RUN_SAMPLES; i += 4) {
      const guint64 word = load64 (indices + i);

      t0[word & 0xffff]++;
      t1[word >> 16 & 0xffff]++;
      t2[word >> 32 & 0xffff]++;
      t3[word >> 48]++;
    }
  }
  for (i = 0; i < n; i++)
    t0[indices[i]]++;
}

/* If pairs mostly equal their neighbours, this many are counted at a time. */
#define EQUAL_PAIRS 8

static void
count_pairs16 (guint32 * const tables[4], const guint16 * pairs, gsize n)
{
  gsize i;

  for (; n >= EQUAL_PAIRS; pairs += EQUAL_PAIRS, n -= EQUAL_PAIRS) {
    const guint64 pattern = pairs[0] * G_GUINT64_CONSTANT (0x0001000100010001);

    if (load64 (pairs) == pattern && load64 (pairs + 4) == pattern) {
      tables[0][pairs[0]] += EQUAL_PAIRS;
      continue;
    }
    for (i = 0; i < EQUAL_PAIRS; i += 4) {
      const guint64 word = load64 (pairs + i);

      tables[0][word & 0xffff]++;
      tables[1][word >> 16 & 0xffff]++;
      tables[2][word >> 32 & 0xffff]++;
      tables[3][word >> 48]++;
    }
  }
  for (i = 0; i < n; i++)
    tables[0][pairs[i]]++;
}

extern const VhCorrectLoops VH_CORRECT_LOOPS;
extern const VhScopeLoops VH_SCOPE_LOOPS;
extern const VhLoops VH_LOOPS;
const VhLoops VH_LOOPS = {
#if defined (VH_AVX512)
  .name = "avx512",
  .counters = {&tables_counter, &vh_avx512_bitslice},
#elif defined (__AVX2__)
  .name = "avx2",
  .counters = {&tables_counter, &pairs_counter},
#else
  .name = "baseline",
  .counters = {&tables_counter, &pairs_counter},
#endif
  .ops8 = {fetch8, luma8, rgb8, gradient8},
  .ops16 = {fetch16, luma16, rgb16, gradient16},
  .correction = &VH_CORRECT_LOOPS,
  .scope = &VH_SCOPE_LOOPS,
  .deinterleave8 = deinterleave8,
  .bins8 = bins8,
  .bins16 = bins16,
  .bins_of_codes = bins_of_codes,
  .pairs16 = pairs16,
  .pairs_of_codes = pairs_of_codes,
  .difference8 = difference8,
  .difference16 = difference16,
  .meter8 = meter8,
  .columns16 = columns16,
  .sum16 = sum16,
  .squares16 = squares16,
  .gradients = gradients,
  .steps = steps,
  .count16 = count16,
  .count_pairs16 = count_pairs16,
};
