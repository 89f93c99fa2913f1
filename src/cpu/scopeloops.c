/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The loops of scopes, with the name VH_SCOPE_LOOPS: written for the compiler's
 * vectoriser, with the arithmetic of kernels/traces.h, and compiled once per
 * instruction set. */
#include "loops.h"

#include <string.h>

#ifdef VH_AVX512
#include <immintrin.h>
#endif

extern const VhCorrectLoops VH_CORRECT_LOOPS;

/* Most cells are empty, so this many are checked together. */
#define GROUP 16

/* `value / 255` of values below 65535. */
#define BY_255(value) (((value) + 1 + ((value) >> 8)) >> 8)

/* Adds light of a color to @n pixels. */

static inline void
add_loop (guint8 * restrict part, const guint8 * restrict brightness, gsize n,
    guint16 color)
{
  gsize i;

  for (i = 0; i < n; i++) {
    const guint16 light = color * brightness[i] + 127;
    const guint16 sum = part[i] + (guint16) BY_255 (light);

    part[i] = MIN (sum, 255);
  }
}

static inline void
cover_loop (guint8 * restrict opacity, const guint8 * restrict brightness,
    gsize n)
{
  gsize i;

  for (i = 0; i < n; i++)
    opacity[i] = MAX (opacity[i], brightness[i]);
}

static void
add (guint8 * const pixels[4], const guint8 * brightness, gsize n,
    const guint32 color[3])
{
  guint i;

  for (i = 0; i < 3; i++) {
    if (color[i] > 0)
      add_loop (pixels[i], brightness, n, color[i]);
  }
  cover_loop (pixels[3], brightness, n);
}

static void
bars (guint8 * restrict brightness, const guint32 * restrict bar,
    const guint32 * restrict peak, gsize n, guint32 y, guint32 full)
{
  gsize i;

  for (i = 0; i < n; i++)
    brightness[i] = peak[i] == y + 1 ? 255 : bar[i] > y ? full : 0;
}

/* What is shown of cells. Counts are at most the pixels of a frame, fewer than
 * 2^31. */

static void
persist (gfloat * restrict shown, const guint32 * restrict counts, gsize n,
    gfloat decay)
{
  gsize i;

  for (i = 0; i < n; i++) {
    const gfloat faded = VH_SCOPE_FMUL (shown[i], decay);
    const gfloat now = (gint32) counts[i];

    shown[i] = now > faded ? now : faded;
  }
}

static void
show (gfloat * restrict shown, const guint32 * restrict counts, gsize n)
{
  gsize i;

  for (i = 0; i < n; i++)
    shown[i] = (gint32) counts[i];
}

/* Both kinds of cells are compared as 32-bit integers: non-negative floats have
 * the same order as their bits. */
static void
merge (guint32 * restrict most, const guint32 * restrict cells, gsize n)
{
  gsize i;

  for (i = 0; i < n; i++)
    most[i] = MAX ((gint32) most[i], (gint32) cells[i]);
}

static inline gboolean
is_empty (const guint32 * cells)
{
  guint32 any = 0;
  guint i;

  for (i = 0; i < GROUP; i++)
    any |= cells[i];
  return any == 0;
}

static void
lighten (guint8 * restrict brightness, const gfloat * restrict shown, gsize n,
    const guint8 * restrict table)
{
  gsize i = 0;

  while (i < n) {
    const gsize end = MIN (i + GROUP, n);

    if (end == i + GROUP && is_empty ((const guint32 *) (shown + i))) {
      memset (brightness + i, 0, GROUP);
      i = end;
    }
    for (; i < end; i++)
      brightness[i] = table[vh_scope_step (shown[i])];
  }
}

static gboolean
narrow (guint8 * restrict narrowed, const guint32 * restrict counts, gsize n)
{
  guint32 most = 0;
  gsize i;

  for (i = 0; i < n; i++) {
    narrowed[i] = MIN (counts[i], 255);
    most |= counts[i];
  }
  return most < 255;
}

static void
lighten_counts (guint8 * brightness, const guint32 * counts, gsize n,
    const guint8 * few, const guint8 * table)
{
  const gboolean all_few = narrow (brightness, counts, n);
  gsize i;

  VH_CORRECT_LOOPS.ops8.map (brightness, brightness, n, few);
  for (i = 0; i < n && !all_few; i++) {
    if (counts[i] >= 255)
      brightness[i] = table[vh_scope_step ((gint32) counts[i])];
  }
}

static void
extend (guint32 * restrict least, guint32 * restrict most,
    const guint32 * restrict counts, gsize n, guint32 level)
{
  gsize i;

  for (i = 0; i < n; i++) {
    least[i] = counts[i] ? MIN (least[i], level) : least[i];
    most[i] = counts[i] ? MAX (most[i], level) : most[i];
  }
}

/* Columns without counts have a least level above all others. */
static void
mark (guint8 * restrict brightness, const guint32 * restrict least,
    const guint32 * restrict most, gsize n, guint32 from, guint32 end)
{
  gsize i;

  for (i = 0; i < n; i++) {
    const gboolean has = least[i] <= most[i];
    const gboolean low = least[i] >= from && least[i] < end;
    const gboolean high = most[i] >= from && most[i] < end;

    brightness[i] = has & (low | high) ? 255 : brightness[i];
  }
}

/* Blends the light of panels over @n samples. @pixels pixels share a sample;
 * that number is constant where this is inlined. @Wide may be gint32 if the
 * light of all pixels fits 31 bits. */
#define DEFINE_BLEND(name, Sample, Part, Wide) \
static inline __attribute__ ((always_inline)) \
void \
name##_loop (Sample * restrict codes, const Part * restrict r, \
    const Part * restrict g, const Part * restrict b, \
    const Part * restrict opacity, gsize n, const guint32 pixels, \
    const gint32 offset, const gint32 of_r, const gint32 of_g, \
    const gint32 of_b, const gint32 max) \
{ \
  const guint32 all = 255 * pixels; \
  gsize i; \
\
  for (i = 0; i < n; i++) { \
    const guint32 behind = codes[i] * (all - opacity[i]) + \
        (guint32) offset * opacity[i] + 127 * pixels; \
    const Wide light = (Wide) of_r * r[i] + (Wide) of_g * g[i] + \
        (Wide) of_b * b[i]; \
    const Wide value = (Wide) (behind / all) + \
        ((light / (Wide) pixels + 32768) >> 16); \
\
    codes[i] = value < 0 ? 0 : value > max ? max : value; \
  } \
} \
\
static void \
name (gpointer codes, const Part * const parts[4], gsize n, guint pixels, \
    guint component, const VhScopeColors * colors) \
{ \
  const gint32 offset = colors->offset[component]; \
  const gint32 *scale = colors->scale[component]; \
\
  if (pixels == 1) \
    name##_loop (codes, parts[0], parts[1], parts[2], parts[3], n, 1, \
        offset, scale[0], scale[1], scale[2], colors->max); \
  else if (pixels == 2) \
    name##_loop (codes, parts[0], parts[1], parts[2], parts[3], n, 2, \
        offset, scale[0], scale[1], scale[2], colors->max); \
  else if (pixels == 4) \
    name##_loop (codes, parts[0], parts[1], parts[2], parts[3], n, 4, \
        offset, scale[0], scale[1], scale[2], colors->max); \
  else \
    name##_loop (codes, parts[0], parts[1], parts[2], parts[3], n, pixels, \
        offset, scale[0], scale[1], scale[2], colors->max); \
}

DEFINE_BLEND (blend8, guint8, guint8, gint32)
DEFINE_BLEND (blend12, guint16, guint8, gint32)
DEFINE_BLEND (blend16_wide, guint16, guint8, gint64)
DEFINE_BLEND (blend_sums8, guint8, guint32, gint32)
DEFINE_BLEND (blend_sums12, guint16, guint32, gint32)
DEFINE_BLEND (blend_sums16_wide, guint16, guint32, gint64)

static void
blend16 (gpointer codes, const guint8 * const parts[4], gsize n,
    guint pixels, guint component, const VhScopeColors * colors)
{
  if (colors->max < 1 << 12)
    blend12 (codes, parts, n, pixels, component, colors);
  else
    blend16_wide (codes, parts, n, pixels, component, colors);
}

static void
blend_sums16 (gpointer codes, const guint32 * const parts[4], gsize n,
    guint pixels, guint component, const VhScopeColors * colors)
{
  if (colors->max < 1 << 12)
    blend_sums12 (codes, parts, n, pixels, component, colors);
  else
    blend_sums16_wide (codes, parts, n, pixels, component, colors);
}

/* U or V from R, G, B. @Wide may be gint32 if the sums fit 31 bits. */
#define DEFINE_CHROMA(name, Sample, Wide) \
static inline void \
name##_loop (Sample * restrict chroma, const Sample * restrict r, \
    const Sample * restrict g, const Sample * restrict b, gsize n, \
    const gint32 of_r, const gint32 of_g, const gint32 of_b, \
    const gint32 grey, const gint32 max) \
{ \
  gsize i; \
\
  for (i = 0; i < n; i++) { \
    const Wide sum = (Wide) of_r * r[i] + (Wide) of_g * g[i] + \
        (Wide) of_b * b[i] + 32768; \
    const gint32 value = grey + (gint32) (sum >> 16); \
\
    chroma[i] = value < 0 ? 0 : value > max ? max : value; \
  } \
} \
\
static void \
name (gpointer chroma, gconstpointer const rgb[3], gsize n, guint i, \
    const VhScopeColors * colors) \
{ \
  const gint32 *weights = colors->chroma[i]; \
\
  name##_loop (chroma, rgb[0], rgb[1], rgb[2], n, weights[0], weights[1], \
      weights[2], colors->grey, colors->max); \
}

DEFINE_CHROMA (chroma8, guint8, gint32)
DEFINE_CHROMA (chroma12, guint16, gint32)
DEFINE_CHROMA (chroma16_wide, guint16, gint64)

static void
chroma16 (gpointer chroma, gconstpointer const rgb[3], gsize n, guint i,
    const VhScopeColors * colors)
{
  if (colors->max < 1 << 12)
    chroma12 (chroma, rgb, n, i, colors);
  else
    chroma16_wide (chroma, rgb, n, i, colors);
}

/* Neighbours have different counters, so an addition does not wait for the
 * previous one. */
#define DEFINE_COUNT(bits, Sample) \
static void \
count##bits (guint32 * table, gsize stride, gconstpointer codes, gsize n, \
    guint shift) \
{ \
  const Sample *const from = codes; \
  gsize i; \
\
  for (i = 0; i < n; i++) \
    table[(gsize) (from[i] >> shift) * stride + i]++; \
} \
\
static void \
count_at##bits (guint32 * table, gsize stride, gconstpointer codes, \
    const VhScopePlace * places, gsize n, guint shift) \
{ \
  const Sample *const from = codes; \
  gsize i; \
\
  for (i = 0; i < n; i++) { \
    table[(gsize) (from[places[i].x] >> shift) * stride + \
        places[i].column]++; \
  } \
}

DEFINE_COUNT (8, guint8)
DEFINE_COUNT (16, guint16)

#ifdef VH_AVX512
/* Vectors find the codes with changed levels, and list them without a branch:
 * in video most levels stay. */
#define CHUNK 2048
#define VECTOR 32               /* codes */

static inline gsize
list_changes (guint16 * list, gsize n, guint32 changed, guint x)
{
  const __m512i places = _mm512_add_epi16 (_mm512_set1_epi16 (x),
      _mm512_set_epi16 (31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18,
          17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));

  _mm512_storeu_si512 (list + n, _mm512_maskz_compress_epi16 (changed,
          places));
  return n + _mm_popcnt_u32 (changed);
}

static inline guint32
find_changes8 (const guint8 * before, const guint8 * codes, guint32 mask,
    guint shift)
{
  return _mm256_test_epi8_mask (_mm256_xor_si256 (_mm256_maskz_loadu_epi8
          (mask, before), _mm256_maskz_loadu_epi8 (mask, codes)),
      _mm256_set1_epi8 ((gint8) (0xffu << shift)));
}

static inline guint32
find_changes16 (const guint16 * before, const guint16 * codes, guint32 mask,
    guint shift)
{
  return _mm512_test_epi16_mask (_mm512_xor_si512 (_mm512_maskz_loadu_epi16
          (mask, before), _mm512_maskz_loadu_epi16 (mask, codes)),
      _mm512_set1_epi16 ((gint16) (0xffffu << shift)));
}

#define DEFINE_CHANGES(bits, Sample) \
static gsize \
count_changes##bits (guint32 * table, gsize stride, gconstpointer before, \
    gconstpointer codes, VhScopeRun * runs, gsize n, guint32 row, \
    guint shift) \
{ \
  gsize total = 0, chunk, x, i; \
\
  for (chunk = 0; chunk < n; chunk += CHUNK) { \
    const Sample *const from = (const Sample *) before + chunk; \
    const Sample *const to = (const Sample *) codes + chunk; \
    VhScopeRun *const run = runs + chunk; \
    const gsize size = MIN (n - chunk, CHUNK); \
    guint16 list[CHUNK + VECTOR]; \
    gsize listed = 0; \
\
    for (x = 0; x < size; x += VECTOR) { \
      const guint32 mask = size - x < VECTOR ? (1u << (size - x)) - 1 : \
          0xffffffff; \
\
      listed = list_changes (list, listed, find_changes##bits (from + x, \
              to + x, mask, shift), x); \
    } \
    for (i = 0; i < listed; i++) { \
      VhScopeRun *const ended = run + list[i]; \
\
      table[(gsize) (from[list[i]] >> shift) * stride + ended->column] += \
          row - ended->since; \
      ended->since = row; \
    } \
    total += listed; \
  } \
  return total; \
}

DEFINE_CHANGES (8, guint8)
DEFINE_CHANGES (16, guint16)

#define CHANGES8 count_changes8
#define CHANGES16 count_changes16
#else
#define CHANGES8 NULL
#define CHANGES16 NULL
#endif

#define DEFINE_END(bits, Sample) \
static void \
end_runs##bits (guint32 * table, gsize stride, gconstpointer codes, \
    VhScopeRun * runs, gsize n, guint32 row, guint shift) \
{ \
  const Sample *const from = codes; \
  gsize i; \
\
  for (i = 0; i < n; i++) { \
    table[(gsize) (from[i] >> shift) * stride + runs[i].column] += \
        row - runs[i].since; \
  } \
}

DEFINE_END (8, guint8)
DEFINE_END (16, guint16)

extern const VhScopeLoops VH_SCOPE_LOOPS;
const VhScopeLoops VH_SCOPE_LOOPS = {
  .ops8 = {chroma8, count8, count_at8, CHANGES8, end_runs8, blend8,
      blend_sums8},
  .ops16 = {chroma16, count16, count_at16, CHANGES16, end_runs16, blend16,
      blend_sums16},
  .show = show,
  .persist = persist,
  .merge = merge,
  .extend = extend,
  .lighten = lighten,
  .lighten_counts = lighten_counts,
  .mark = mark,
  .bars = bars,
  .add = add,
};
