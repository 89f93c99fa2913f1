/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The frames of a case: on the GPU, which makes them, and in the memory of the
 * host; and their expected counts. */
#pragma once

#include "axes.h"
#include "counts.h"
#include "gpu.h"
#include "pattern.h"

G_BEGIN_DECLS

/* The number of frames whose counts are known, and of results that are kept. */
#define BENCH_SLOTS 8

/* An image that others are made from. */
typedef struct
{
  guint width, height;
  guint8 *pixels;               /* red, green, blue and luma, a byte each */
} BenchPhoto;

/* Reads a binary PPM of 8 bits. */
BenchPhoto *bench_photo_load (const gchar * path, GError ** error);
void bench_photo_free (BenchPhoto * photo);

/* The histogram of its red, green and blue, counted by the library, on the GPU
 * if there is one. Complete, or NULL with @error set. */
GstVideoHistogram *bench_photo_count (const BenchPhoto * photo, guint bins,
    GError ** error);

typedef struct
{
  BenchGpu *gpu;                /* NULL: use only the CPU */
  const BenchPhoto *photo;      /* or NULL */

  BenchCase made;               /* what the frames were made for */
  gboolean valid;
  GstCaps *caps;
  VhLayout layout;
  BenchPattern pattern;         /* its addresses are the GPU's, or the host's if
                                 * there is no GPU */
  guint n_channels;
  guint n_checked;              /* frames whose counts are known */
  guint32 *full;                /* [n_checked][n_channels][BENCH_CODES] */
  guint8 *host;                 /* all frames */

  gsize device_size, host_size;
  CUdeviceptr device, device_table, device_photo;
  guint16 *table;
} BenchFrames;

BenchFrames *bench_frames_new (BenchGpu * gpu, const BenchPhoto * photo);
void bench_frames_free (BenchFrames * frames);

/* Makes the frames of @c unless they exist already. FALSE with @error set if
 * there is no memory for them, or the GPU failed. */
gboolean bench_frames_make (BenchFrames * frames, const BenchCase * c,
    GError ** error);

/* Counts frame @i in the simplest way, into [n_channels][BENCH_CODES]. */
void bench_frames_reference (const BenchFrames * frames, guint i,
    guint32 * full);

/* The expected counts of frame @i in @bins bins: [n_channels][bins]. */
void bench_frames_expect (const BenchFrames * frames, guint i, guint bins,
    guint32 * expected);

GstVideoHistogramChannels bench_frames_channels (const BenchFrames * frames);

/* Bytes of samples in one frame. */
guint64 bench_frames_bytes (const BenchFrames * frames);

/* Frame @i in the host's memory. */
GstBuffer *bench_frames_buffer (const BenchFrames * frames, guint i);

G_END_DECLS
