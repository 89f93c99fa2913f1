/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of the loops that fetch, convert and count. */
#include "check.h"
#include "zones.h"

#include <stdlib.h>

#define STATE_CODES 70000       /* maximum pixels counted with one state */
#define CODES_AT_ONCE 40000

static const VhSampleOps *
get_ops (const VhLoops * loops, guint bytes)
{
  return bytes == 1 ? &loops->ops8 : &loops->ops16;
}

/* Fetching. The last byte of the last sample is the last byte of the row. */

static void
fetch (Check * check)
{
  VhFetch how = check_fetch (check);
  const guint w_sub = how.w_sub = check_between (check, 0, 2);
  const gsize x = check_between (check, 0, 40), n = check_pixels (check);
  const gsize samples = n > 0 ? ((x + n - 1) >> w_sub) + 1 : 0;
  const guint8 *row = check_array (check, samples > 0 ? (samples - 1) *
      how.pixel_stride + how.sample_bytes : 0);
  const VhLoops *loops;

  while ((loops = check_next (check))) {
    gpointer fetched = check_array (check, n * check->bytes);

    get_ops (loops, check->bytes)->fetch (fetched, row, x, n, &how);
    check_result (check, fetched, n * check->bytes);
  }
}

/* A table without this loop fetches byte by byte. */
static void
deinterleave8 (Check * check)
{
  const gsize n = check_pixels (check), stride = check_between (check, 3, 5);
  const guint wanted = check_between (check, 0, 15);
  const guint8 *row = check_array (check, n * stride);
  const VhLoops *loops;

  while ((loops = check_next (check))) {
    guint8 *bytes[4] = { NULL, };
    gsize i;
    guint k;

    for (k = 0; k < MIN (stride, 4); k++) {
      if (wanted & (1u << k))
        bytes[k] = check_array (check, n);
    }
    if (!loops->deinterleave8 (bytes, row, n, stride)) {
      for (i = 0; i < 4 * n; i++) {
        if (bytes[i % 4])
          bytes[i % 4][i / 4] = row[i / 4 * stride + i % 4];
      }
    }
    for (k = 0; k < 4; k++) {
      if (bytes[k])
        check_result (check, bytes[k], n);
    }
  }
}

/* Converting */

static void
gradient (Check * check)
{
  const guint bytes = check->bytes, depth = check_depth (check, 16);
  const gsize n = check_pixels (check);
  gconstpointer codes = check_codes (check, n + 1, depth, bytes);
  const VhLoops *loops;

  while ((loops = check_next (check))) {
    gpointer made = check_array (check, n * bytes);

    get_ops (loops, bytes)->gradient (made, codes, n);
    check_result (check, made, n * bytes);
  }
}

static void
luma (Check * check)
{
  const guint bytes = check->bytes, depth = check_depth (check, 16);
  const gsize n = check_pixels (check);
  const VhLumaWeights weights =
      vh_luma_weights (check_between (check, 0, GST_VIDEO_COLOR_MATRIX_BT2020));
  gconstpointer rgb[3];
  const VhLoops *loops;
  guint i;

  for (i = 0; i < 3; i++)
    rgb[i] = check_codes (check, n, depth, bytes);
  while ((loops = check_next (check))) {
    gpointer made = check_array (check, n * bytes);

    get_ops (loops, bytes)->luma (made, rgb, n, &weights);
    check_result (check, made, n * bytes);
  }
}

static void
rgb (Check * check)
{
  const guint bytes = check->bytes, depth = check_depth (check, 16);
  const gsize n = check_pixels (check);
  const GstVideoColorMatrix matrix =
      check_between (check, 0, GST_VIDEO_COLOR_MATRIX_BT2020);
  const GstVideoColorRange range = check_between (check,
      GST_VIDEO_COLOR_RANGE_0_255, GST_VIDEO_COLOR_RANGE_16_235);
  const VhYuvToRgb coefficients = vh_yuv_to_rgb (matrix, range, depth);
  gconstpointer yuv[3];
  gpointer made[3];
  const VhLoops *loops;
  guint i;

  for (i = 0; i < 3; i++)
    yuv[i] = check_codes (check, n, depth, bytes);
  while ((loops = check_next (check))) {
    for (i = 0; i < 3; i++)
      made[i] = check_array (check, n * bytes);
    get_ops (loops, bytes)->rgb (made, yuv, n, &coefficients);
    for (i = 0; i < 3; i++)
      check_result (check, made[i], n * bytes);
  }
}

/* Bins */

/* Returns any code, but often the lowest or the highest. */
static guint
draw_bins (Check * check, guint max)
{
  switch (check_between (check, 0, 5)) {
    case 0:
      return 1;
    case 1:
      return max - 1;
    case 2:
      return max;
    default:
      return check_between (check, 1, max);
  }
}

static void
bins (Check * check)
{
  const gsize n = check_pixels (check), size = n * check->bytes;
  const guint depth = check_between (check, 9, 16);
  const guint n_bins = draw_bins (check, 1u << 8 * check->bytes);
  const guint16 *samples = check_codes (check, n, depth, 2);
  const VhLoops *loops;

  while ((loops = check_next (check))) {
    gpointer indices = check_array (check, size);

    if (check->bytes == 1)
      loops->bins8 (indices, samples, n, n_bins, depth);
    else
      loops->bins16 (indices, samples, n, n_bins, depth);
    check_result (check, indices, size);
  }
}

static void
bins_of_codes (Check * check)
{
  const gsize n = check_pixels (check);
  const guint bins = draw_bins (check, 256);
  const guint8 *codes = check_codes (check, n, 8, 1);
  const VhLoops *loops;

  while ((loops = check_next (check))) {
    guint8 *indices = check_array (check, n);

    loops->bins_of_codes (indices, codes, n, bins);
    check_result (check, indices, n);
  }
}

static void
pairs_of_codes (Check * check)
{
  const gsize n = check_pixels (check);
  const guint bins = check_between (check, 1, 256);
  const gboolean swapped = check_between (check, 0, 1);
  const guint8 *codes = check_codes (check, 2 * n, 8, 1);
  const VhLoops *loops;

  while ((loops = check_next (check))) {
    guint16 *indices = check_array (check, n * sizeof (*indices));

    loops->pairs_of_codes (indices, codes, n, bins, swapped);
    check_result (check, indices, n * sizeof (*indices));
  }
}

static void
pairs16 (Check * check)
{
  const gsize n = check_pixels (check);
  const guint bins = draw_bins (check, 256);
  guint8 *a = check_codes (check, n, 8, 1), *b = check_codes (check, n, 8, 1);
  const VhLoops *loops;
  gsize i;

  for (i = 0; i < n; i++) {
    a[i] = a[i] * bins >> 8;
    b[i] = b[i] * bins >> 8;
  }
  while ((loops = check_next (check))) {
    guint16 *indices = check_array (check, n * sizeof (*indices));

    loops->pairs16 (indices, a, b, n, bins);
    check_result (check, indices, n * sizeof (*indices));
  }
}

/* All bits may differ. */
static void
difference (Check * check)
{
  const gsize n = check_pixels (check), size = n * check->bytes;
  gconstpointer a = check_codes (check, n, 8 * check->bytes, check->bytes);
  gconstpointer b = check_codes (check, n, 8 * check->bytes, check->bytes);
  const VhLoops *loops;

  while ((loops = check_next (check))) {
    gpointer copy = check_array (check, size);
    const guint64 sum = check->bytes == 1 ?
        loops->difference8 (copy, a, b, n) :
        loops->difference16 (copy, a, b, n);

    check_result (check, &sum, sizeof (sum));
    check_result (check, copy, size);
  }
}

/* Measuring */

static void
check_sums (Check * check, const VhLumaSums * sums)
{
  check_result (check, sums, sizeof (*sums));
}

/* Rising steps, some of which contain no level. */
static guint8 *
make_steps (Check * check)
{
  guint8 *steps = check_array (check, VH_STEP_LEVELS);
  guint step = 0, i;

  for (i = 0; i < VH_STEP_LEVELS; i++) {
    step = MAX (step, i + 1) + check_between (check, 0, 2);
    steps[i] = MIN (step, VH_STEP_LEVELS);
  }
  return steps;
}

/* The last code may have no neighbor. */
static void
meter8 (Check * check)
{
  const gsize n = check_between (check, 1, CHECK_MAX_PIXELS);
  const gsize n_gradients = n - check_between (check, 0, 1);
  const guint8 *luma = check_codes (check, n_gradients + 1, 8, 1);
  const guint8 *before = check_codes (check, n, 7, 1);
  const guint16 *above = check_codes (check, n, 15, 2);
  const guint8 *steps = check_between (check, 0, 3) ? make_steps (check) : NULL;
  const VhLoops *loops;

  while ((loops = check_next (check))) {
    guint8 *last = check_copy (check, before, n);
    guint16 *columns = check_copy (check, above, n * sizeof (*columns));
    VhLumaSums sums = { 1, 2, 3, 4, 5 };

    loops->meter8 (&sums, luma, n, n_gradients, columns, last, steps);
    check_sums (check, &sums);
    check_result (check, columns, n * sizeof (*columns));
    check_result (check, last, n);
  }
}

static void
steps (Check * check)
{
  const gsize n = check_pixels (check);
  const guint8 *before = check_codes (check, n, 7, 1);
  const guint8 *after = check_codes (check, n, 7, 1);
  const guint8 *table = make_steps (check);
  const VhLoops *loops;

  while ((loops = check_next (check))) {
    VhLumaSums sums = { 0, };

    loops->steps (&sums, before, after, n, table);
    check_sums (check, &sums);
  }
}

static void
sums16 (Check * check)
{
  const gsize n = check_pixels (check);
  const guint16 *bins = check_codes (check, n, 12, 2);
  const guint16 *numbers = check_codes (check, n, 16, 2);
  const guint8 *steps = check_codes (check, n, check_between (check, 1, 8), 1);
  const VhLoops *loops;

  while ((loops = check_next (check))) {
    const guint64 sums[] = { loops->sum16 (numbers, n),
      loops->squares16 (bins, n), loops->gradients (steps, n)
    };

    check_result (check, sums, sizeof (sums));
  }
}

static void
columns16 (Check * check)
{
  const gsize n = check_pixels (check);
  const guint16 *bins = check_codes (check, n, 16, 2);
  const VhLoops *loops;

  while ((loops = check_next (check))) {
    guint32 *sums = check_array (check, n * sizeof (*sums));

    memset (sums, 1, n * sizeof (*sums));
    loops->columns16 (sums, bins, n);
    check_result (check, sums, n * sizeof (*sums));
  }
}

/* Counting. A state is reused after it was folded. */

static void
count_codes (Check * check, const VhCodeCounter * counter, gpointer state,
    const guint8 * codes, gsize n, guint32 counts[256])
{
  gsize done, part;

  for (done = 0; done < n; done += part) {
    part = MIN (n - done, CODES_AT_ONCE);
    counter->count (state, codes + done, part);
    if (done == 0)
      counter->fold (state, counts);
  }
  counter->fold (state, counts);
  check_result (check, counts, 256 * sizeof (*counts));
}

static void
counters (Check * check)
{
  const gsize n = check_between (check, 0, test_random_once_in (&check->random,
          8) ? STATE_CODES : 4000);
  const guint8 *codes = check_codes (check, n, 8, 1);
  const VhLoops *loops;
  guint i;

  while ((loops = check_next (check))) {
    for (i = 0; i < VH_MAX_COUNTERS && loops->counters[i]; i++) {
      const VhCodeCounter *counter = loops->counters[i];
      const gsize size = (counter->state_size + VH_STATE_ALIGN - 1) /
          VH_STATE_ALIGN * VH_STATE_ALIGN;
      gpointer state = aligned_alloc (VH_STATE_ALIGN, size);
      guint32 counts[256] = { 0, };

      memset (state, 0, size);
      count_codes (check, counter, state, codes, n, counts);
      free (state);
    }
  }
}

static void
count_indices (Check * check, gboolean pairs)
{
  const gsize n = check_between (check, 0, 3000);
  const guint depth = check_between (check, 1, 12);
  const gsize bins = (gsize) 1 << depth;
  const gboolean apart = check_between (check, 0, 1);
  const guint16 *indices = check_codes (check, n, depth, 2);
  const guint32 *none = check_array (check, bins * sizeof (*none));
  const VhLoops *loops;
  gsize i;
  guint k;

  while ((loops = check_next (check))) {
    guint32 *tables[4], *sums = check_copy (check, none, bins * sizeof (*sums));

    for (k = 0; k < 4; k++) {
      tables[k] = apart && k > 0 ? memset (check_array (check,
              bins * sizeof (*sums)), 0, bins * sizeof (*sums)) : sums;
    }
    if (pairs)
      loops->count_pairs16 (tables, indices, n);
    else
      loops->count16 (tables, indices, n);
    for (k = 1; k < 4 && apart; k++) {
      for (i = 0; i < bins; i++)
        sums[i] += tables[k][i];
    }
    check_result (check, sums, bins * sizeof (*sums));
  }
}

static void
count16 (Check * check)
{
  count_indices (check, FALSE);
}

static void
count_pairs16 (Check * check)
{
  count_indices (check, TRUE);
}

const CheckFunction check_counting[] = {
  {"ops8.fetch", fetch, 1},
  {"ops16.fetch", fetch, 2},
  {"deinterleave8", deinterleave8},
  {"ops8.gradient", gradient, 1},
  {"ops16.gradient", gradient, 2},
  {"ops8.luma", luma, 1},
  {"ops16.luma", luma, 2},
  {"ops8.rgb", rgb, 1},
  {"ops16.rgb", rgb, 2},
  {"bins8", bins, 1},
  {"bins16", bins, 2},
  {"bins_of_codes", bins_of_codes},
  {"pairs16", pairs16},
  {"pairs_of_codes", pairs_of_codes},
  {"difference8", difference, 1},
  {"difference16", difference, 2},
  {"meter8", meter8},
  {"columns16", columns16},
  {"sum16, squares16 and gradients", sums16},
  {"steps", steps},
  {"counters", counters},
  {"count16", count16},
  {"count_pairs16", count_pairs16},
  {NULL, NULL},
};
