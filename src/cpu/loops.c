/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One table of loops, named by VH_LOOPS: written for the compiler's
 * vectoriser and compiled once per instruction set. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "loops.h"

#include <string.h>

#ifdef VH_AVX512
#include "avx512.h"
#endif

/* How far ahead of counting memory is prefetched: without it, every line of a
 * frame that is not in the cache is a miss. */
#define PREFETCH_BYTES 2048
#define CACHE_LINE 64

/* Bytes that the run test examines, and counts at once if they are equal. */
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
    /* The second of the two pixels of a sample may be the first of the run. */
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
    /* As above. */
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

/* Conversions: the formulas of core/color.h, for both widths of samples. The
 * pointers are parameters of inner functions, where compilers respect
 * restrict. */

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

DEFINE_LUMA (luma8, guint8)
DEFINE_LUMA (luma16, guint16)

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

DEFINE_RGB (rgb8, guint8, gint32)
DEFINE_RGB (rgb12, guint16, gint32)
DEFINE_RGB (rgb16_wide, guint16, gint64)

static void
rgb16 (gpointer const rgb[3], gconstpointer const yuv[3], gsize n,
    const VhYuvToRgb * coefficients)
{
  /* What core/color.h promises about intermediates. */
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
/* Pairs: one table of two neighbouring codes needs half the stores, which limit
 * counting, as long as the pairs that occur stay in the nearest cache. In a
 * picture they do, because neighbours are alike; in noise they do not, and only
 * half of it is counted in pairs, so that cache misses overlap the stores. */

typedef struct
{
  guint32 counts[1 << 16];
  gboolean used;
  Tables tables;
} Pairs;

/* Codes between two looks at the content. */
#define PAIRS_BLOCK 8192

/* A look samples 16 places, each a possibly distant cache line; no common width
 * is a multiple of their distance. */
#define LOOK_STEP 509
#define LOOK_PAIRS 4

/* Whether most neighbours in @codes[PAIRS_BLOCK] are close. */
static gboolean
neighbours_are_close (const guint8 * codes)
{
  guint close = 0, looks = 0, i, k;

  for (i = 0; i < PAIRS_BLOCK - 2 * LOOK_PAIRS; i += LOOK_STEP) {
    for (k = i; k < i + 2 * LOOK_PAIRS; k += 2, looks++)
      close += ABS (codes[k] - codes[k + 1]) <= 40;
  }
  return close > looks / 2;
}

static inline void
count_pairs (guint32 * counts, guint64 word)
{
  counts[word & 0xffff]++;
  counts[word >> 16 & 0xffff]++;
  counts[word >> 32 & 0xffff]++;
  counts[word >> 48]++;
}

/* Counts @codes[PAIRS_BLOCK] half in pairs, half singly. */
static void
count_noise (Pairs * pairs, const guint8 * codes)
{
  guint32 *const counts = pairs->counts;
  Tables *const tables = &pairs->tables;
  gsize i;

  for (i = 0; i < PAIRS_BLOCK; i += 8) {
    const guint64 word = load64 (codes + i);

    if (i % CACHE_LINE == 0)
      __builtin_prefetch (codes + i + PREFETCH_BYTES);
    counts[word & 0xffff]++;
    tables->counts[0][word >> 16 & 255]++;
    tables->counts[1][word >> 24 & 255]++;
    counts[word >> 32 & 0xffff]++;
    tables->counts[2][word >> 48 & 255]++;
    tables->counts[3][word >> 56]++;
  }
}

static void
pairs_count (gpointer state, const guint8 * codes, gsize n)
{
  Pairs *pairs = state;
  gsize i;

  for (; n >= PAIRS_BLOCK; codes += PAIRS_BLOCK, n -= PAIRS_BLOCK) {
    pairs->used = TRUE;
    if (!neighbours_are_close (codes)) {
      count_noise (pairs, codes);
      continue;
    }
    for (i = 0; i < PAIRS_BLOCK;) {
      const gsize run = count_run (pairs->tables.counts[0], codes + i,
          PAIRS_BLOCK - i);
      const gsize end = run ? i + run : i + RUN_BYTES;

      for (i += run; i < end; i += 8) {
        if (i % CACHE_LINE == 0)
          __builtin_prefetch (codes + i + PREFETCH_BYTES);
        count_pairs (pairs->counts, load64 (codes + i));
      }
    }
  }
  tables_count (&pairs->tables, codes, n);
}

static void
pairs_fold (gpointer state, guint32 * counts)
{
  Pairs *pairs = state;
  guint a, b;

  tables_fold (&pairs->tables, counts);
  if (!pairs->used)
    return;

  for (a = 0; a < 256; a++) {
    guint32 *row = pairs->counts + 256 * a;
    guint32 sum = 0;

    for (b = 0; b < 256; b++) {
      sum += row[b];
      counts[b] += row[b];
    }
    counts[a] += sum;
    memset (row, 0, 256 * sizeof (*row));
  }
  pairs->used = FALSE;
}

static const VhCodeCounter pairs_counter = {
  .name = "pairs",
  .min_samples = 1 << 19,
  .state_size = sizeof (Pairs),
  .count = pairs_count,
  .fold = pairs_fold,
};
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

extern const VhCorrectLoops VH_CORRECT_LOOPS;
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
  .bins8 = bins8,
  .bins16 = bins16,
  .bins_of_codes = bins_of_codes,
  .pairs16 = pairs16,
  .count16 = count16,
};
