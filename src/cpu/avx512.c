/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes a histogram of 8-bit codes without a table lookup per code, so that the
 * speed does not depend on the data.
 *
 * For each set S of bits of a code, let odd(S) be how many codes have an odd
 * number of ones among the bits S. With n codes in all, W(S) = n - 2 odd(S) is
 * the Walsh-Hadamard transform of the histogram, so the transform of W, divided
 * by the number of sets, is the histogram: exactly, since all are whole
 * numbers. Wide registers compute odd(S) quickly: with bit b of 512 codes in
 * one register (a bit plane), the parity of S is the XOR of some planes, and
 * odd(S) is the number of ones in it.
 *
 * 256 sets are too many, so compressing stores first sort codes into four
 * streams by their two highest bits; that leaves 6 bits, and 64 sets. Full
 * adders add up ones: planes of 7 x 512 codes become three words, with weights
 * 1, 2 and 4, for each bit position before ones are counted. */
#include "avx512.h"

#include <immintrin.h>
#include <string.h>

#define VECTOR 64               /* bytes in a register, one per code */
#define PLANE (8 * VECTOR)      /* codes in a register of one bit each */
#define N_PLANES 7              /* added by the full adders at once */
#define BLOCK (N_PLANES * PLANE)
#define BATCH PLANE             /* codes between two checks for full streams */
#define N_STREAMS 4
#define N_SETS 64               /* of the 6 bits within a stream */
#define N_HALF 8                /* sets of the lower or upper 3 bits */

/* Up to this many codes take less time one by one than as a block. */
#define FEW_CODES 512

#define PREFETCH_BYTES 4096

typedef struct
{
  __m512i odd[N_SETS];          /* odd(S), each in 16 partial sums */
  guint64 n_codes;              /* codes counted in odd */
  gsize n_waiting;              /* codes in waiting */
  /* Room for what arrives before a full block is noticed, and for the unused
   * end of the last store. */
  guint8 waiting[BLOCK + BATCH + VECTOR] __attribute__ ((aligned (VECTOR)));
} Stream;

typedef struct
{
  Stream stream[N_STREAMS];
  guint32 runs[256];            /* codes counted by the run test */
} Bitslice;

/* Full adders: the sum of three bits is their XOR, the carry their majority.
 * With t = s ^ a and sum = t ^ b, the carry of s + a + b is s where t is 0;
 * elsewhere it is b, which equals ~sum there. */
static inline __m512i
xor3 (__m512i a, __m512i b, __m512i c)
{
  return _mm512_ternarylogic_epi64 (a, b, c, 0x96);
}

static inline __m512i
majority (__m512i a, __m512i b, __m512i c)
{
  return _mm512_ternarylogic_epi64 (a, b, c, 0xe8);
}

static inline __m512i
carry (__m512i t, __m512i sum, __m512i s)
{
  return _mm512_ternarylogic_epi64 (t, sum, s, 0x3a);
}

/* Puts each of bits 0 to 5 of @codes[PLANE] into a plane. All planes have the
 * codes in the same order; which one does not matter. */
static inline void
make_planes (const guint8 * codes, __m512i planes[6])
{
  const __m512i unit = _mm512_set1_epi64 (0x8040201008040201);
  /* Moves byte 8 i + j to byte 8 j + i. */
  const __m512i turn = _mm512_set_epi64 (0x3f372f271f170f07,
      0x3e362e261e160e06, 0x3d352d251d150d05, 0x3c342c241c140c04,
      0x3b332b231b130b03, 0x3a322a221a120a02, 0x3931292119110901,
      0x3830282018100800);
  __m512i v[8], even[4], odd[4], a, b, c, d;
  guint i;

  /* Each 8 codes become 8 bytes of one bit position, then each register 8 words
   * of one bit position. */
  for (i = 0; i < 8; i++) {
    v[i] = _mm512_loadu_si512 (codes + i * VECTOR);
    v[i] = _mm512_gf2p8affine_epi64_epi8 (unit, v[i], 0);
    v[i] = _mm512_permutexvar_epi8 (turn, v[i]);
  }

  /* Transposing 8 x 8 words turns the 8 registers into planes. */
  for (i = 0; i < 4; i++) {
    even[i] = _mm512_unpacklo_epi64 (v[2 * i], v[2 * i + 1]);
    odd[i] = _mm512_unpackhi_epi64 (v[2 * i], v[2 * i + 1]);
  }
  a = _mm512_shuffle_i64x2 (even[0], even[1], 0x88);
  b = _mm512_shuffle_i64x2 (even[0], even[1], 0xdd);
  c = _mm512_shuffle_i64x2 (even[2], even[3], 0x88);
  d = _mm512_shuffle_i64x2 (even[2], even[3], 0xdd);
  planes[0] = _mm512_shuffle_i64x2 (a, c, 0x88);
  planes[2] = _mm512_shuffle_i64x2 (b, d, 0x88);
  planes[4] = _mm512_shuffle_i64x2 (a, c, 0xdd);
  a = _mm512_shuffle_i64x2 (odd[0], odd[1], 0x88);
  b = _mm512_shuffle_i64x2 (odd[0], odd[1], 0xdd);
  c = _mm512_shuffle_i64x2 (odd[2], odd[3], 0x88);
  d = _mm512_shuffle_i64x2 (odd[2], odd[3], 0xdd);
  planes[1] = _mm512_shuffle_i64x2 (a, c, 0x88);
  planes[3] = _mm512_shuffle_i64x2 (b, d, 0x88);
  planes[5] = _mm512_shuffle_i64x2 (a, c, 0xdd);
}

/* Writes the parities of all sets of three planes to row @k of @parities. */
static inline void
make_parities (__m512i parities[N_HALF][N_PLANES], guint k, __m512i a,
    __m512i b, __m512i c)
{
  parities[0][k] = _mm512_setzero_si512 ();
  parities[1][k] = a;
  parities[2][k] = b;
  parities[3][k] = _mm512_xor_si512 (a, b);
  parities[4][k] = c;
  parities[5][k] = _mm512_xor_si512 (a, c);
  parities[6][k] = _mm512_xor_si512 (b, c);
  parities[7][k] = xor3 (a, b, c);
}

/* Adds the ones of @x[i] ^ @y[i] over all i to @odd. */
static inline __attribute__ ((always_inline))
__m512i
add_ones (__m512i odd, const __m512i x[N_PLANES], const __m512i y[N_PLANES])
{
  __m512i s0, s2, s4, s6, t, c1, c2, c3, twos, fours;

  s0 = _mm512_xor_si512 (x[0], y[0]);
  t = xor3 (s0, x[1], y[1]);
  s2 = xor3 (t, x[2], y[2]);
  c1 = carry (t, s2, s0);
  t = xor3 (s2, x[3], y[3]);
  s4 = xor3 (t, x[4], y[4]);
  c2 = carry (t, s4, s2);
  t = xor3 (s4, x[5], y[5]);
  s6 = xor3 (t, x[6], y[6]);
  c3 = carry (t, s6, s4);
  twos = xor3 (c1, c2, c3);
  fours = majority (c1, c2, c3);

  odd = _mm512_dpbusd_epi32 (odd, _mm512_popcnt_epi8 (s6),
      _mm512_set1_epi8 (1));
  odd = _mm512_dpbusd_epi32 (odd, _mm512_popcnt_epi8 (twos),
      _mm512_set1_epi8 (2));
  return _mm512_dpbusd_epi32 (odd, _mm512_popcnt_epi8 (fours),
      _mm512_set1_epi8 (4));
}

/* Counts the first BLOCK waiting codes. */
static __attribute__ ((noinline))
void
count_block (Stream * stream)
{
  __m512i high[N_HALF][N_PLANES], low[N_HALF][N_PLANES];
  __m512i planes[6], x0[N_PLANES], x1[N_PLANES], y[N_PLANES];
  guint h, l, k;

  for (k = 0; k < N_PLANES; k++) {
    make_planes (stream->waiting + k * PLANE, planes);
    make_parities (low, k, planes[0], planes[1], planes[2]);
    make_parities (high, k, planes[3], planes[4], planes[5]);
  }

  /* Two sets at a time share the loads of the lower half. */
  for (h = 0; h < N_HALF; h += 2) {
    __m512i *odd = stream->odd + h * N_HALF;

    memcpy (x0, high[h], sizeof (x0));
    memcpy (x1, high[h + 1], sizeof (x1));
    for (l = 0; l < N_HALF; l++) {
      memcpy (y, low[l], sizeof (y));
      odd[l] = add_ones (odd[l], x0, y);
      odd[l + N_HALF] = add_ones (odd[l + N_HALF], x1, y);
    }
  }
}

static inline void
drain (Stream * stream)
{
  gsize i;

  if (stream->n_waiting < BLOCK)
    return;
  count_block (stream);
  stream->n_codes += BLOCK;
  stream->n_waiting -= BLOCK;
  for (i = 0; i < stream->n_waiting; i += VECTOR)
    _mm512_store_si512 (stream->waiting + i,
        _mm512_loadu_si512 (stream->waiting + BLOCK + i));
}

/* Sorts @n codes, at most BATCH, into the streams. */
static inline __attribute__ ((always_inline))
void
sort_batch (Bitslice * bitslice, const guint8 * codes, gsize n)
{
  guint8 *end[N_STREAMS];
  gsize i;
  guint s;

  for (s = 0; s < N_STREAMS; s++)
    end[s] = bitslice->stream[s].waiting + bitslice->stream[s].n_waiting;

  for (i = 0; i < n; i += VECTOR) {
    const guint64 valid = n - i >= VECTOR ? ~G_GUINT64_CONSTANT (0) :
        (G_GUINT64_CONSTANT (1) << (n - i)) - 1;
    const __m512i v = _mm512_maskz_loadu_epi8 (valid, codes + i);
    const guint64 bit7 = _mm512_movepi8_mask (v);
    const guint64 bit6 = _mm512_movepi8_mask (_mm512_add_epi8 (v, v));
    const guint64 member[N_STREAMS] = {
      ~(bit7 | bit6) & valid, ~bit7 & bit6, bit7 & ~bit6, bit7 & bit6
    };

    _mm_prefetch ((const gchar *) codes + i + PREFETCH_BYTES, _MM_HINT_T0);
    for (s = 0; s < N_STREAMS; s++) {
      _mm512_storeu_si512 (end[s], _mm512_maskz_compress_epi8 (member[s], v));
      end[s] += __builtin_popcountll (member[s]);
    }
  }

  for (s = 0; s < N_STREAMS; s++) {
    bitslice->stream[s].n_waiting = end[s] - bitslice->stream[s].waiting;
    drain (&bitslice->stream[s]);
  }
}

static inline gboolean
is_run (const guint8 * codes, __m512i code)
{
  return _mm512_cmpneq_epi8_mask (_mm512_loadu_si512 (codes), code) == 0;
}

/* How many codes from the start of @codes, in whole vectors, are equal. */
static inline gsize
find_run (const guint8 * codes, gsize n)
{
  const __m512i code = _mm512_set1_epi8 (codes[0]);
  gsize run = VECTOR;
  guint i;

  if (!is_run (codes, code))
    return 0;

  while (n - run >= 16 * VECTOR) {
    __m512i differ[4] = { 0, };

    for (i = 0; i < 16; i++) {
      const __m512i v = _mm512_loadu_si512 (codes + run + i * VECTOR);

      _mm_prefetch ((const gchar *) codes + run + i * VECTOR + PREFETCH_BYTES,
          _MM_HINT_T0);
      /* differ | (v ^ code) */
      differ[i % 4] = _mm512_ternarylogic_epi64 (differ[i % 4], v, code, 0xf6);
    }
    differ[0] = _mm512_or_si512 (_mm512_or_si512 (differ[0], differ[1]),
        _mm512_or_si512 (differ[2], differ[3]));
    if (_mm512_test_epi64_mask (differ[0], differ[0]))
      break;
    run += 16 * VECTOR;
  }
  while (n - run >= VECTOR && is_run (codes + run, code))
    run += VECTOR;
  return run;
}

static void
bitslice_count (gpointer state, const guint8 * codes, gsize n)
{
  Bitslice *bitslice = state;

  while (n >= VECTOR) {
    gsize done = find_run (codes, n);

    if (done > 0) {
      bitslice->runs[codes[0]] += done;
    } else if (n >= BATCH) {
      sort_batch (bitslice, codes, BATCH);
      done = BATCH;
    } else {
      done = n - n % VECTOR;
      sort_batch (bitslice, codes, done);
    }
    codes += done;
    n -= done;
  }
  if (n > 0)
    sort_batch (bitslice, codes, n);
}

/* Adds up the quarters of each vector in pairs of neighbours: returns two sums
 * of @a, then two of @b. */
static inline __m512i
add_halves (__m512i a, __m512i b)
{
  return _mm512_add_epi32 (_mm512_shuffle_i64x2 (a, b, 0x88),
      _mm512_shuffle_i64x2 (a, b, 0xdd));
}

/* The sum of each of 16 vectors. */
static inline __m512i
add_up (const __m512i v[16])
{
  __m512i sums[8];
  guint i;

  for (i = 0; i < 8; i++)
    sums[i] = _mm512_add_epi32 (_mm512_unpacklo_epi32 (v[2 * i], v[2 * i + 1]),
        _mm512_unpackhi_epi32 (v[2 * i], v[2 * i + 1]));
  for (i = 0; i < 4; i++)
    sums[i] = _mm512_add_epi32 (_mm512_unpacklo_epi64 (sums[2 * i],
            sums[2 * i + 1]), _mm512_unpackhi_epi64 (sums[2 * i],
            sums[2 * i + 1]));
  return add_halves (add_halves (sums[0], sums[1]), add_halves (sums[2],
          sums[3]));
}

/* Counts the waiting codes. If they are so few that a block would take longer,
 * adds them to @counts[N_SETS] directly. */
static void
count_rest (Stream * stream, guint32 * counts)
{
  gsize i;

  if (stream->n_waiting <= FEW_CODES) {
    for (i = 0; i < stream->n_waiting; i++)
      counts[stream->waiting[i] % N_SETS]++;
    return;
  }
  /* Codes whose 6 bits are zero are in no odd(S), so they can fill up the
   * block. */
  memset (stream->waiting + stream->n_waiting, 0, BLOCK - stream->n_waiting);
  count_block (stream);
  stream->n_codes += stream->n_waiting;
}

/* Adds the counts of the codes of @stream to @counts[N_SETS]. */
static void
fold_stream (Stream * stream, guint32 * counts)
{
  guint32 odd[N_SETS];
  gint64 w[N_SETS];
  guint set, step, i;

  count_rest (stream, counts);
  stream->n_waiting = 0;
  if (stream->n_codes == 0)
    return;

  for (set = 0; set < N_SETS; set += 16)
    _mm512_storeu_si512 (odd + set, add_up (stream->odd + set));
  for (set = 0; set < N_SETS; set++)
    w[set] = (gint64) stream->n_codes - 2 * (gint64) odd[set];
  for (step = 1; step < N_SETS; step *= 2) {
    for (set = 0; set < N_SETS; set += 2 * step) {
      for (i = set; i < set + step; i++) {
        const gint64 a = w[i], b = w[i + step];

        w[i] = a + b;
        w[i + step] = a - b;
      }
    }
  }
  for (set = 0; set < N_SETS; set++)
    counts[set] += w[set] / N_SETS;

  memset (stream->odd, 0, sizeof (stream->odd));
  stream->n_codes = 0;
}

static void
bitslice_fold (gpointer state, guint32 * counts)
{
  Bitslice *bitslice = state;
  guint s, code;

  for (s = 0; s < N_STREAMS; s++)
    fold_stream (&bitslice->stream[s], counts + s * N_SETS);
  for (code = 0; code < 256; code++)
    counts[code] += bitslice->runs[code];
  memset (bitslice->runs, 0, sizeof (bitslice->runs));
}

const VhCodeCounter vh_avx512_bitslice = {
  .name = "bitslice",
  .min_samples = 8192,
  .state_size = sizeof (Bitslice),
  .count = bitslice_count,
  .fold = bitslice_fold,
};

static inline __attribute__ ((always_inline))
gsize
gather (guint8 * samples, const guint8 * data, gsize n, gsize stride)
{
  /* Byte i comes from i * stride: from one of the first two registers, chosen
   * by bit 6 of the index, or from one of the next two. */
  const guint first_upper = (2 * VECTOR + stride - 1) / stride;
  const __mmask64 upper = first_upper < VECTOR ?
      ~G_GUINT64_CONSTANT (0) << first_upper : 0;
  const __m512i identity = _mm512_set_epi64 (0x3f3e3d3c3b3a3938,
      0x3736353433323130, 0x2f2e2d2c2b2a2928, 0x2726252423222120,
      0x1f1e1d1c1b1a1918, 0x1716151413121110, 0x0f0e0d0c0b0a0908,
      0x0706050403020100);
  __m512i index = identity, v[4] = { 0, };
  gsize done, i;

  for (i = 1; i < stride; i++)
    index = _mm512_add_epi8 (index, identity);

  /* The bytes after the last one may not exist, so the caller handles the last
   * vector. */
  for (done = 0; done + VECTOR < n; done += VECTOR) {
    __m512i low, high;

    for (i = 0; i < stride; i++)
      v[i] = _mm512_loadu_si512 (data + done * stride + i * VECTOR);
    low = _mm512_permutex2var_epi8 (v[0], index, v[1]);
    high = _mm512_permutex2var_epi8 (v[2], index, v[3]);
    _mm512_storeu_si512 (samples + done,
        _mm512_mask_blend_epi8 (upper, low, high));
  }
  return done;
}

gsize
vh_avx512_gather (guint8 * samples, const guint8 * data, gsize n,
    gsize stride)
{
  switch (stride) {
    case 2:
      return gather (samples, data, n, 2);
    case 3:
      return gather (samples, data, n, 3);
    case 4:
      return gather (samples, data, n, 4);
    default:
      return 0;
  }
}
