/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "counts.h"

#include <string.h>

#define MAX_THREADS 32

/* A thread with less data than this is not worth starting. */
#define MIN_BYTES (1 << 18)

typedef struct
{
  const BenchFrame *frame;
  guint first, end;             /* rows */
  guint32 *full;
} Share;

static guint
channels_of (const BenchFrame * frame)
{
  return frame->components == 1 || frame->luma ? 1 : BENCH_MAX_CHANNELS;
}

static guint
sample (const BenchFrame * frame, const guint8 * row, gsize i)
{
  const guint word = frame->sample_bytes == 1 ? row[i] :
      ((const guint16 *) row)[i];

  return (word >> frame->shift) & ((1u << frame->depth) - 1);
}

/* Luma by the matrix of BT.709, which applies to R'G'B' caps without
 * colorimetry. */
static guint
luma_of (guint red, guint green, guint blue)
{
  return ((guint64) 13933 * red + 46871 * green + 4732 * blue + 32768) >> 16;
}

static gpointer
count_share (gpointer data)
{
  const Share *share = data;
  const BenchFrame *frame = share->frame;
  guint x, y, c;

  for (y = share->first; y < share->end; y++) {
    const guint8 *row = frame->data + y * frame->stride;

    for (x = 0; x < frame->width; x++) {
      guint value[BENCH_MAX_CHANNELS];

      if (frame->components == 1) {
        share->full[sample (frame, row, x)]++;
        continue;
      }
      for (c = 0; c < BENCH_MAX_CHANNELS; c++)
        value[c] = sample (frame, row, (gsize) x * 4 + c);
      if (frame->luma) {
        share->full[luma_of (value[0], value[1], value[2])]++;
        continue;
      }
      for (c = 0; c < BENCH_MAX_CHANNELS; c++)
        share->full[c * BENCH_CODES + value[c]]++;
    }
  }
  return NULL;
}

void
bench_counts_reference (const BenchFrame * frame, guint32 * full)
{
  const gsize n = (gsize) channels_of (frame) * BENCH_CODES;
  const gsize wanted = frame->height * frame->stride / MIN_BYTES + 1;
  const guint n_shares = MIN (MIN (wanted, g_get_num_processors ()),
      MIN (frame->height, MAX_THREADS));
  Share shares[MAX_THREADS];
  GThread *threads[MAX_THREADS];
  guint i;
  gsize k;

  for (i = 0; i < n_shares; i++) {
    shares[i] = (Share) {
      .frame = frame,
      .first = (guint64) frame->height * i / n_shares,
      .end = (guint64) frame->height * (i + 1) / n_shares,
      .full = g_new0 (guint32, n),
    };
    threads[i] = g_thread_new ("reference", count_share, &shares[i]);
  }
  memset (full, 0, n * sizeof (guint32));
  for (i = 0; i < n_shares; i++) {
    g_thread_join (threads[i]);
    for (k = 0; k < n; k++)
      full[k] += shares[i].full[k];
    g_free (shares[i].full);
  }
}

void
bench_counts_rebin (const guint32 * values, guint n_values, guint depth,
    guint bins, guint32 * out)
{
  guint i;

  if (n_values == bins) {
    memcpy (out, values, bins * sizeof (guint32));
    return;
  }
  memset (out, 0, bins * sizeof (guint32));
  for (i = 0; i < MIN (n_values, 1u << depth); i++)
    out[((guint64) i * bins) >> depth] += values[i];
}

gboolean
bench_counts_equal (const guint32 * counts, const guint32 * expected,
    guint n_channels, guint bins, gchar ** difference)
{
  const guint n = n_channels * bins;
  guint wrong = 0, first = 0, i;

  if (memcmp (counts, expected, n * sizeof (guint32)) == 0)
    return TRUE;

  for (i = 0; i < n; i++) {
    if (counts[i] != expected[i] && wrong++ == 0)
      first = i;
  }
  if (difference) {
    *difference = g_strdup_printf ("%u of %u bins are wrong, such as bin %u of "
        "channel %u: %u instead of %u", wrong, n, first % bins, first / bins,
        counts[first], expected[first]);
  }
  return FALSE;
}
