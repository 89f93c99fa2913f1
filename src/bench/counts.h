/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Expected counts, and comparison with them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define BENCH_CODES 65536       /* of the deepest samples */
#define BENCH_MAX_CHANNELS 3

/* One frame in the memory of the host. */
typedef struct
{
  const guint8 *data;
  gsize stride;
  guint width, height;          /* pixels */
  guint components;             /* of a pixel: 1 or 4 */
  guint sample_bytes;
  guint depth, shift;
  gboolean luma;                /* count luma of RGBA instead of R, G and B */
} BenchFrame;

/* Counts every code value of @frame, as plainly as can be and with all threads
 * of the machine, into @full: [channels][BENCH_CODES]. */
void bench_counts_reference (const BenchFrame * frame, guint32 * full);

/* Converts @n_values counters of code values of @depth bits to @bins bins. If
 * @n_values equals @bins, they are bins already, and are copied. */
void bench_counts_rebin (const guint32 * values, guint n_values, guint depth,
    guint bins, guint32 * out);

/* Whether @n_channels tables of @bins counters are as expected. If not, sets
 * @difference, unless NULL, to a message that describes what is wrong. */
gboolean bench_counts_equal (const guint32 * counts, const guint32 * expected,
    guint n_channels, guint bins, gchar ** difference);

G_END_DECLS
