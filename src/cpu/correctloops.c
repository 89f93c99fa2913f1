/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The loops that correct pixels, named by VH_CORRECT_LOOPS: written for the
 * compiler's vectoriser, with the arithmetic of kernels/curve.h, and compiled
 * once per instruction set. */
#include "loops.h"

#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

/* Pixels per step of lookup and interpolation. */
#define BLOCK_PIXELS 256

/* Storing. */

static inline __attribute__ ((always_inline))
void
store8_loop (guint8 * restrict row, const guint8 * restrict samples, gsize n,
    gsize pixel_stride)
{
  gsize i;

  for (i = 0; i < n; i++)
    row[i * pixel_stride] = samples[i];
}

static void
store8 (guint8 * row, gconstpointer samples, gsize x, gsize n,
    const VhFetch * fetch)
{
  const gsize pixel_stride = fetch->pixel_stride;

  row += x * pixel_stride;
  if (pixel_stride == 1)
    memcpy (row, samples, n);
  else
    store8_loop (row, samples, n, pixel_stride);
}

static inline __attribute__ ((always_inline))
void
store16_loop (guint8 * restrict row, const guint16 * restrict samples, gsize n,
    gsize pixel_stride, guint sample_bytes, gboolean swap,
    const VhFetch * fetch)
{
  const guint shift = fetch->shift;
  const guint32 others = ~(fetch->mask << shift);
  gsize i;

  for (i = 0; i < n; i++) {
    guint8 *const data = row + i * pixel_stride;
    const guint32 bits = (guint32) samples[i] << shift;

    if (sample_bytes == 4) {
      guint32 word;

      memcpy (&word, data, 4);
      word = swap ? GUINT32_SWAP_LE_BE (word) : word;
      word = (word & others) | bits;
      word = swap ? GUINT32_SWAP_LE_BE (word) : word;
      memcpy (data, &word, 4);
    } else {
      guint16 word;

      memcpy (&word, data, 2);
      word = swap ? GUINT16_SWAP_LE_BE (word) : word;
      word = (word & others) | bits;
      word = swap ? GUINT16_SWAP_LE_BE (word) : word;
      memcpy (data, &word, 2);
    }
  }
}

static void
store16 (guint8 * row, gconstpointer samples, gsize x, gsize n,
    const VhFetch * fetch)
{
  const gsize pixel_stride = fetch->pixel_stride;
  const gboolean plain = fetch->sample_bytes == 2 && !fetch->swap;

  row += x * pixel_stride;
  if (plain && pixel_stride == 2)
    store16_loop (row, samples, n, 2, 2, FALSE, fetch);
  else if (plain && pixel_stride == 4)
    store16_loop (row, samples, n, 4, 2, FALSE, fetch);
  else
    store16_loop (row, samples, n, pixel_stride, fetch->sample_bytes,
        fetch->swap, fetch);
}

/* Pixels are words. @used has a bit for each byte to write, and is constant
 * where this is inlined; other bytes keep their value. */

static inline __attribute__ ((always_inline))
void
interleave_pairs (guint8 * restrict row, const guint8 * restrict a,
    const guint8 * restrict b, gsize n, const guint used)
{
  const guint16 others = (used & 1 ? 0 : 0xff) | (used & 2 ? 0 : 0xff00);
  gsize i;

  for (i = 0; i < n; i++) {
    guint16 word = 0;

    if (others) {
      memcpy (&word, row + 2 * i, 2);
      word = GUINT16_FROM_LE (word) & others;
    }
    word |= (used & 1 ? a[i] : 0) | (used & 2 ? b[i] << 8 : 0);
    word = GUINT16_TO_LE (word);
    memcpy (row + 2 * i, &word, 2);
  }
}

static inline __attribute__ ((always_inline))
void
interleave_triples (guint8 * restrict row, const guint8 * restrict a,
    const guint8 * restrict b, const guint8 * restrict c, gsize n)
{
  gsize i;

  for (i = 0; i < n; i++) {
    row[3 * i] = a[i];
    row[3 * i + 1] = b[i];
    row[3 * i + 2] = c[i];
  }
}

static inline __attribute__ ((always_inline))
void
interleave_fours (guint8 * restrict row, const guint8 * restrict a,
    const guint8 * restrict b, const guint8 * restrict c,
    const guint8 * restrict d, gsize n, const guint used)
{
  const guint32 others = (used & 1 ? 0 : 0xffu) | (used & 2 ? 0 : 0xff00u) |
      (used & 4 ? 0 : 0xff0000u) | (used & 8 ? 0 : 0xff000000u);
  gsize i;

  for (i = 0; i < n; i++) {
    guint32 word;

    memcpy (&word, row + 4 * i, 4);
    word = GUINT32_FROM_LE (word) & others;
    if (used & 1)
      word |= a[i];
    if (used & 2)
      word |= (guint32) b[i] << 8;
    if (used & 4)
      word |= (guint32) c[i] << 16;
    if (used & 8)
      word |= (guint32) d[i] << 24;
    word = GUINT32_TO_LE (word);
    memcpy (row + 4 * i, &word, 4);
  }
}

static gboolean
interleave8 (guint8 * row, const guint8 * const bytes[4], gsize n,
    gsize pixel_stride)
{
  const guint8 *const a = bytes[0], *const b = bytes[1];
  const guint8 *const c = bytes[2], *const d = bytes[3];
  const guint used = (a ? 1 : 0) | (b ? 2 : 0) | (c ? 4 : 0) | (d ? 8 : 0);

#define CASE(stride, used) (stride << 4 | used)
  switch (CASE (pixel_stride, used)) {
    case CASE (2, 0x1):
      interleave_pairs (row, a, b, n, 0x1);
      return TRUE;
    case CASE (2, 0x2):
      interleave_pairs (row, a, b, n, 0x2);
      return TRUE;
    case CASE (2, 0x3):
      interleave_pairs (row, a, b, n, 0x3);
      return TRUE;
    case CASE (3, 0x7):
      interleave_triples (row, a, b, c, n);
      return TRUE;
    case CASE (4, 0x5):
      interleave_fours (row, a, b, c, d, n, 0x5);
      return TRUE;
    case CASE (4, 0x7):
      interleave_fours (row, a, b, c, d, n, 0x7);
      return TRUE;
    case CASE (4, 0xa):
      interleave_fours (row, a, b, c, d, n, 0xa);
      return TRUE;
    case CASE (4, 0xe):
      interleave_fours (row, a, b, c, d, n, 0xe);
      return TRUE;
    default:
      return FALSE;
  }
#undef CASE
}

/* Tables. */

/* The vectoriser assumes that table lookups gain from vectors. They do not, so
 * it is turned off where GCC allows that. */
#if defined (__GNUC__) && !defined (__clang__)
#define ONE_BY_ONE __attribute__ ((noinline, optimize ("no-tree-vectorize")))
#else
#define ONE_BY_ONE __attribute__ ((noinline))
#endif

#ifdef VH_AVX512
#define VECTOR 64

/* A table of 256 codes in registers: one permutation looks up 128 of them. */
typedef struct
{
  __m512i part[4];
} Lookup;

static inline Lookup
load_lookup (const guint8 * table)
{
  Lookup lookup;
  guint i;

  for (i = 0; i < 4; i++)
    lookup.part[i] = _mm512_loadu_si512 (table + i * VECTOR);
  return lookup;
}

static inline __m512i
look_up (const Lookup * lookup, __m512i codes)
{
  const __m512i *part = lookup->part;

  return _mm512_mask_blend_epi8 (_mm512_movepi8_mask (codes),
      _mm512_permutex2var_epi8 (part[0], codes, part[1]),
      _mm512_permutex2var_epi8 (part[2], codes, part[3]));
}

static gsize
map8_vectors (guint8 * corrected, const guint8 * codes, gsize n,
    const guint8 * table)
{
  const Lookup lookup = load_lookup (table);
  gsize done;

  for (done = 0; done + VECTOR <= n; done += VECTOR)
    _mm512_storeu_si512 (corrected + done, look_up (&lookup,
            _mm512_loadu_si512 (codes + done)));
  return done;
}
#elif defined (__AVX2__)
/* Each 16 codes have a table that a shuffle looks up by the lower bits. The
 * upper bits choose between the results in pairs: bit 4 becomes the highest bit
 * of the index, which makes a shuffle return 0; the others select by
 * blending. */
static gsize
map8_vectors (guint8 * corrected, const guint8 * codes, gsize n,
    const guint8 * table)
{
  const __m256i lower_bits = _mm256_set1_epi8 (15);
  const __m256i highest_bit = _mm256_set1_epi8 (-128);
  __m256i part[16];
  gsize done;
  guint i;

  for (i = 0; i < 16; i++) {
    part[i] = _mm256_broadcastsi128_si256 (_mm_loadu_si128 (
            (const __m128i *) (table + 16 * i)));
  }

#define OF_2(i) _mm256_or_si256 (_mm256_shuffle_epi8 (part[i], even), \
      _mm256_shuffle_epi8 (part[i + 1], odd))
#define OF_4(i) _mm256_blendv_epi8 (OF_2 (i), OF_2 (i + 2), bit5)
#define OF_8(i) _mm256_blendv_epi8 (OF_4 (i), OF_4 (i + 4), bit6)
  for (done = 0; done + 32 <= n; done += 32) {
    const __m256i code =
        _mm256_loadu_si256 ((const __m256i *) (codes + done));
    /* Moves each bit to the highest bit of its byte. */
    const __m256i bit4 = _mm256_and_si256 (_mm256_slli_epi16 (code, 3),
        highest_bit);
    const __m256i bit5 = _mm256_slli_epi16 (code, 2);
    const __m256i bit6 = _mm256_slli_epi16 (code, 1);
    const __m256i even =
        _mm256_or_si256 (_mm256_and_si256 (code, lower_bits), bit4);
    const __m256i odd = _mm256_xor_si256 (even, highest_bit);

    _mm256_storeu_si256 ((__m256i *) (corrected + done),
        _mm256_blendv_epi8 (OF_8 (0), OF_8 (8), code));
  }
#undef OF_2
#undef OF_4
#undef OF_8
  return done;
}
#endif

static ONE_BY_ONE void
map8 (gpointer corrected, gconstpointer codes, gsize n, gconstpointer table)
{
  const guint8 *from = codes, *map = table;
  guint8 *to = corrected;
  gsize i = 0;

#ifdef __AVX2__
  i = map8_vectors (to, from, n, map);
#endif
  /* Stores eight bytes as one word: a store for each would take longer than the
   * loads. */
  for (; i + 8 <= n; i += 8) {
    guint64 word, found;

    memcpy (&word, from + i, 8);
    word = GUINT64_FROM_LE (word);
    found = map[word & 255];
    found |= (guint64) map[word >> 8 & 255] << 8;
    found |= (guint64) map[word >> 16 & 255] << 16;
    found |= (guint64) map[word >> 24 & 255] << 24;
    found |= (guint64) map[word >> 32 & 255] << 32;
    found |= (guint64) map[word >> 40 & 255] << 40;
    found |= (guint64) map[word >> 48 & 255] << 48;
    found |= (guint64) map[word >> 56] << 56;
    found = GUINT64_TO_LE (found);
    memcpy (to + i, &found, 8);
  }
  for (; i < n; i++)
    to[i] = map[from[i]];
}

static ONE_BY_ONE void
map16 (gpointer corrected, gconstpointer codes, gsize n, gconstpointer table)
{
  const guint16 *from = codes, *map = table;
  guint16 *to = corrected;
  gsize i;

  for (i = 0; i < n; i++)
    to[i] = map[from[i]];
}

static void
expand (guint16 * table, const guint32 * levels, const VhCurveParams * params)
{
  const VhCurveParams curve = *params;
  const guint one = 1u << (curve.depth - VH_CURVE_DEPTH);
  guint bin, part;

  for (bin = 0; bin < curve.bins; bin++) {
    const guint32 level = levels[bin];
    const guint32 next = bin + 1 < curve.bins ? levels[bin + 1] :
        level + VH_LEVEL_ONE;

    for (part = 0; part < one; part++) {
      const guint32 code = bin * one + part;

      table[code] = vh_curve_blend (code, vh_curve_value (&curve, code, level,
              next), curve.strength);
    }
  }
}

/* Tiles: the results of four tiles for a code lie side by side, so that one
 * load takes all four. */

#define DEFINE_JOIN(name, Sample, Table) \
static void \
name (Sample * restrict quad, const Table * const tables[4], gsize n) \
{ \
  const Table *restrict a = tables[0], *restrict b = tables[1]; \
  const Table *restrict c = tables[2], *restrict d = tables[3]; \
  gsize i; \
\
  for (i = 0; i < n; i++) { \
    quad[4 * i] = a[i]; \
    quad[4 * i + 1] = b[i]; \
    quad[4 * i + 2] = c[i]; \
    quad[4 * i + 3] = d[i]; \
  } \
}

DEFINE_JOIN (join16_loop, guint16, guint16)
DEFINE_JOIN (join_levels_loop, guint32, guint32)

#ifdef VH_AVX512
/* Looks up the tables one after the other: four lookups in registers are faster
 * than a load for each code. */
static void
join8 (gpointer quad, gconstpointer const tables[4], gsize n_codes)
{
  guint tile;

  for (tile = 0; tile < 4; tile++)
    memcpy ((guint8 *) quad + tile * n_codes, tables[tile], n_codes);
}
#else
DEFINE_JOIN (join8_loop, guint8, guint8)

static void
join8 (gpointer quad, gconstpointer const tables[4], gsize n_codes)
{
  join8_loop (quad, (const guint8 * const *) tables, n_codes);
}
#endif

static void
join16 (gpointer quad, gconstpointer const tables[4], gsize n_codes)
{
  join16_loop (quad, (const guint16 * const *) tables, n_codes);
}

static void
join_levels (guint32 * quad, const guint32 * const levels[4], gsize n_bins)
{
  guint tile;

  join_levels_loop (quad, levels, n_bins);
  for (tile = 0; tile < 4; tile++)
    quad[4 * n_bins + tile] = levels[tile][n_bins - 1] + VH_LEVEL_ONE;
}

#ifdef VH_AVX512
/* Converts 16 of the codes of @found to floats. */
static inline __m512
to_floats (__m512i found, guint part)
{
  const __m128i bytes = part == 0 ? _mm512_castsi512_si128 (found) :
      part == 1 ? _mm512_extracti32x4_epi32 (found, 1) :
      part == 2 ? _mm512_extracti32x4_epi32 (found, 2) :
      _mm512_extracti32x4_epi32 (found, 3);

  return _mm512_cvtepi32_ps (_mm512_cvtepu8_epi32 (bytes));
}

/* vh_curve_interpolate() for VECTOR pixels. */
static inline __attribute__ ((always_inline))
void
interpolate_vector (guint8 * corrected, const __m512i found[4],
    const float *x, __m512 above, __m512 below)
{
  /* Rounds like vh_round(); the result is the lowest byte. */
  const __m512 whole = _mm512_set1_ps (12582912.0f);
  guint part;

  for (part = 0; part < 4; part++) {
    const __m512 right = _mm512_loadu_ps (x + 16 * part);
    const __m512 left = _mm512_sub_ps (_mm512_set1_ps (1), right);
    const __m512 upper = _mm512_add_ps (_mm512_mul_ps (to_floats (found[0],
                part), left), _mm512_mul_ps (to_floats (found[1], part),
            right));
    const __m512 lower = _mm512_add_ps (_mm512_mul_ps (to_floats (found[2],
                part), left), _mm512_mul_ps (to_floats (found[3], part),
            right));
    const __m512 sum = _mm512_add_ps (_mm512_mul_ps (upper, above),
        _mm512_mul_ps (lower, below));

    _mm_storeu_si128 ((__m128i *) (corrected + 16 * part),
        _mm512_cvtepi32_epi8 (_mm512_castps_si512 (_mm512_add_ps (sum,
                    whole))));
  }
}

static void
tiles8 (gpointer corrected, gconstpointer codes, gsize n, gconstpointer quad,
    const float *x, float y)
{
  const __m512 above = _mm512_set1_ps (1.0f + -y), below = _mm512_set1_ps (y);
  guint8 last_codes[VECTOR] = { 0, }, last[VECTOR];
  float last_x[VECTOR] = { 0, };
  const guint8 *from = codes;
  guint8 *to = corrected;
  Lookup lookup[4];
  __m512i found[4];
  gsize done;
  guint tile;

  for (tile = 0; tile < 4; tile++)
    lookup[tile] = load_lookup ((const guint8 *) quad + 256 * tile);

  for (done = 0; done + VECTOR <= n; done += VECTOR) {
    for (tile = 0; tile < 4; tile++)
      found[tile] = look_up (&lookup[tile], _mm512_loadu_si512 (from + done));
    interpolate_vector (to + done, found, x + done, above, below);
  }
  if (done == n)
    return;
  memcpy (last_codes, from + done, n - done);
  memcpy (last_x, x + done, (n - done) * sizeof (*x));
  for (tile = 0; tile < 4; tile++)
    found[tile] = look_up (&lookup[tile], _mm512_loadu_si512 (last_codes));
  interpolate_vector (last, found, last_x, above, below);
  memcpy (to + done, last, n - done);
}
#else
static ONE_BY_ONE void
find8 (guint32 * restrict found, const guint8 * restrict codes, gsize n,
    const guint32 * restrict quad)
{
  gsize i;

  for (i = 0; i < n; i++)
    found[i] = quad[codes[i]];
}

static inline __attribute__ ((always_inline))
void
interpolate8 (guint8 * restrict corrected, const guint32 * restrict found,
    gsize n, const float *restrict x, float y)
{
  gsize i;

  for (i = 0; i < n; i++) {
    const guint32 four = GUINT32_FROM_LE (found[i]);

    corrected[i] = vh_curve_interpolate (four & 0xff, four >> 8 & 0xff,
        four >> 16 & 0xff, four >> 24, x[i], y);
  }
}

static void
tiles8 (gpointer corrected, gconstpointer codes, gsize n, gconstpointer quad,
    const float *x, float y)
{
  guint32 found[BLOCK_PIXELS];
  gsize done, part;

  for (done = 0; done < n; done += part) {
    part = MIN (n - done, BLOCK_PIXELS);
    find8 (found, (const guint8 *) codes + done, part, quad);
    interpolate8 ((guint8 *) corrected + done, found, part, x + done, y);
  }
}

#endif

static ONE_BY_ONE void
find16 (guint64 * restrict found, const guint16 * restrict codes, gsize n,
    const guint64 * restrict quad)
{
  gsize i;

  for (i = 0; i < n; i++)
    found[i] = quad[codes[i]];
}

#define DEFINE_INTERPOLATE(name, Found) \
static inline __attribute__ ((always_inline)) \
void \
name (guint16 * restrict corrected, const Found * restrict found, gsize n, \
    const float *restrict x, float y) \
{ \
  gsize i; \
\
  for (i = 0; i < n; i++) { \
    corrected[i] = vh_curve_interpolate (found[4 * i], found[4 * i + 1], \
        found[4 * i + 2], found[4 * i + 3], x[i], y); \
  } \
}

DEFINE_INTERPOLATE (interpolate16, guint16)
DEFINE_INTERPOLATE (interpolate_levels, guint32)

static void
tiles16 (gpointer corrected, gconstpointer codes, gsize n, gconstpointer quad,
    const float *x, float y)
{
  guint64 found[BLOCK_PIXELS];
  gsize done, part;

  for (done = 0; done < n; done += part) {
    part = MIN (n - done, BLOCK_PIXELS);
    find16 (found, (const guint16 *) codes + done, part, quad);
    interpolate16 ((guint16 *) corrected + done, (const guint16 *) found, part,
        x + done, y);
  }
}

static void
tiles_levels (guint16 * corrected, const guint16 * codes, gsize n,
    const guint32 * quad, const float *x, float y, const VhCurveParams * params)
{
  const VhCurveParams curve = *params;
  const guint shift = curve.depth - VH_CURVE_DEPTH;
  guint32 found[4 * BLOCK_PIXELS];
  gsize done, part, i;
  guint k;

  if (curve.depth <= VH_CURVE_DEPTH)
    g_assert_not_reached ();
  for (done = 0; done < n; done += part) {
    part = MIN (n - done, BLOCK_PIXELS);
    for (i = 0; i < part; i++) {
      const guint code = codes[done + i];
      const guint32 *restrict levels = quad + 4 * (code >> shift);
      guint32 *restrict four = found + 4 * i;

      for (k = 0; k < 4; k++)
        four[k] = vh_curve_value (&curve, code, levels[k], levels[4 + k]);
    }
    interpolate_levels (corrected + done, found, part, x + done, y);
  }
}

/* The other loops, for both widths of samples. */

#define DEFINE_OPS(bits, Sample) \
static void \
blend##bits (gpointer blended, gconstpointer codes, gconstpointer corrected, \
    gsize n, guint32 strength) \
{ \
  const Sample *from = codes, *towards = corrected; \
  Sample *to = blended; \
  gsize i; \
\
  for (i = 0; i < n; i++) \
    to[i] = vh_curve_blend (from[i], towards[i], strength); \
} \
\
static inline __attribute__ ((always_inline)) \
void \
sum##bits##_loop (guint32 * restrict sums, const Sample * restrict codes, \
    gsize n, guint w_sub) \
{ \
  gsize i; \
  guint k; \
\
  for (i = 0; i < n >> w_sub; i++) { \
    for (k = 0; k < 1u << w_sub; k++) \
      sums[i] += codes[(i << w_sub) + k]; \
  } \
} \
\
static void \
sum##bits (guint32 * sums, gconstpointer codes, gsize n, guint w_sub) \
{ \
  const Sample *from = codes; \
  gsize i; \
\
  if (w_sub == 0) \
    sum##bits##_loop (sums, codes, n, 0); \
  else if (w_sub == 1) \
    sum##bits##_loop (sums, codes, n, 1); \
  else \
    sum##bits##_loop (sums, codes, n, w_sub); \
  for (i = n >> w_sub << w_sub; i < n; i++) \
    sums[i >> w_sub] += from[i]; \
} \
\
static inline void \
chroma##bits##_loop (Sample * restrict u, Sample * restrict v, \
    const guint32 * restrict before, const guint32 * restrict after, gsize n, \
    guint pixels, const VhCurveParams curve, guint black, guint limit) \
{ \
  const gint grey = 1 << (curve.depth - 1), max = 2 * grey - 1; \
  gsize i; \
\
  for (i = 0; i < n; i++) { \
    const gint du = ABS (u[i] - grey), dv = ABS (v[i] - grey); \
    const float gain = vh_color_limit (vh_color_gain (&curve, before[i], \
            after[i], pixels, black), MAX (du, dv), limit); \
\
    u[i] = vh_color_apply (u[i], grey, gain, max); \
    v[i] = vh_color_apply (v[i], grey, gain, max); \
  } \
} \
\
static void \
chroma##bits (gpointer u, gpointer v, const guint32 * before, \
    const guint32 * after, gsize n, guint pixels, const VhEqualizeJob * job) \
{ \
  chroma##bits##_loop (u, v, before, after, n, pixels, job->curve, job->black, \
      job->chroma_limit); \
} \
\
static inline __attribute__ ((always_inline)) \
void \
rgb##bits##_loop (Sample * restrict r, Sample * restrict g, \
    Sample * restrict b, const Sample * restrict before, \
    const Sample * restrict after, gsize n, int keep, guint black, \
    guint white, guint max) \
{ \
  gsize i; \
\
  for (i = 0; i < n; i++) { \
    uint32_t rgb[3] = { r[i], g[i], b[i] }; \
\
    vh_color_rgb (rgb, keep, before[i], after[i], black, white, max); \
    r[i] = rgb[0]; \
    g[i] = rgb[1]; \
    b[i] = rgb[2]; \
  } \
} \
\
static void \
rgb##bits (gpointer const rgb[3], gconstpointer before, gconstpointer after, \
    gsize n, const VhEqualizeJob * job) \
{ \
  const guint max = (1u << job->curve.depth) - 1; \
\
  if (job->color == VH_COLOR_KEEP) \
    rgb##bits##_loop (rgb[0], rgb[1], rgb[2], before, after, n, 1, \
        job->black, job->white, max); \
  else \
    rgb##bits##_loop (rgb[0], rgb[1], rgb[2], before, after, n, 0, \
        job->black, job->white, max); \
}

DEFINE_OPS (8, guint8)
DEFINE_OPS (16, guint16)

extern const VhCorrectLoops VH_CORRECT_LOOPS;
const VhCorrectLoops VH_CORRECT_LOOPS = {
  .ops8 = {store8, map8, join8, tiles8, blend8, sum8, chroma8, rgb8},
  .ops16 = {store16, map16, join16, tiles16, blend16, sum16, chroma16, rgb16},
  .interleave8 = interleave8,
  .expand = expand,
  .join_levels = join_levels,
  .tiles_levels = tiles_levels,
};
