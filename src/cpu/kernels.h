/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pixel loops of the CPU backend. They work on runs of pixels, in three
 * steps: fetch samples from a row, convert them to the channel, count them.
 * Samples of 8 bits travel in arrays of guint8, deeper ones in arrays of
 * guint16.
 *
 * kernels.c is compiled once per instruction set, and the best table that the
 * machine can run is chosen at run time. */
#pragma once

#include "engine/color.h"
#include "engine/layout.h"

G_BEGIN_DECLS

/* How the samples of one component lie in a row. */
typedef struct
{
  guint pixel_stride;           /* bytes */
  guint sample_bytes;           /* 1, 2 or 4 */
  guint shift;                  /* bits */
  guint w_sub;                  /* log2 */
  guint mask;                   /* 2^depth - 1 */
  gboolean swap;                /* words are of the other byte order */
} VhFetch;

/* Steps before counting, on arrays of guint8 or of guint16. */
typedef struct
{
  /* Fetches the samples of @n pixels from pixel @x. @row is where the
   * component's first sample of the row lies. */
  void (*fetch) (gpointer samples, const guint8 * row, gsize x, gsize n,
      const VhFetch * fetch);

  /* Luma of @n pixels of R, G, B. */
  void (*luma) (gpointer luma, gconstpointer const rgb[3], gsize n,
      const VhLumaWeights * weights);

  /* R, G, B of @n pixels of Y, U, V. */
  void (*rgb) (gpointer const rgb[3], gconstpointer const yuv[3], gsize n,
      const VhYuvToRgb * coefficients);
} VhSampleOps;

/* A way of counting codes of 8 bits. It keeps what it counts in a state, which
 * is made of zeros, and which fold leaves ready for the next codes. */
typedef struct
{
  const gchar *name;
  gsize min_samples;            /* below, fold costs more than count gains */
  gsize state_size;             /* bytes, aligned to VH_STATE_ALIGN */
  void (*count) (gpointer state, const guint8 * codes, gsize n);
  /* Adds the count of each code to @counts[256]. */
  void (*fold) (gpointer state, guint32 * counts);
} VhCounter;

#define VH_STATE_ALIGN 64
#define VH_MAX_COUNTERS 2

typedef struct
{
  const gchar *name;
  VhSampleOps ops8, ops16;

  /* Bins `(sample * bins) >> depth` of @n samples, for up to 256 and for more
   * bins. */
  void (*bins8) (guint8 * indices, const guint16 * samples, gsize n, guint bins,
      guint depth);
  void (*bins16) (guint16 * indices, const guint16 * samples, gsize n,
      guint bins, guint depth);

  /* Bins `(code * bins) >> 8` of @n samples of 8 bits, for up to 256 bins. */
  void (*bins_of_codes) (guint8 * indices, const guint8 * codes, gsize n,
      guint bins);

  /* One number of two bins: `a * bins + b`. */
  void (*pairs16) (guint16 * indices, const guint8 * a, const guint8 * b,
      gsize n, guint bins);

  /* By rising min_samples. */
  const VhCounter *counters[VH_MAX_COUNTERS];

  /* Adds 1 in one of @tables for each of @indices. The tables may be one and
   * the same; different ones do not wait for each other's last store. */
  void (*count16) (guint32 * const tables[4], const guint16 * indices, gsize n);
} VhKernels;

/* The tables that this machine can run, best first, in an array that ends with
 * NULL. */
const VhKernels *const *vh_kernels_list (void);

G_END_DECLS
