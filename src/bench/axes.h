/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the benchmark varies: data, bins, sizes, channels, depths, and where
 * frames are read from. */
#pragma once

#include <gst/videohistogram/videohistogram.h>

G_BEGIN_DECLS

typedef enum
{
  BENCH_DATA_RANDOM,            /* n values, equally frequent */
  BENCH_DATA_NORMAL,            /* mean in the middle, sigma 30 of 256 codes */
  BENCH_DATA_PHOTO,
  BENCH_DATA_FILM,              /* photographs with black bars */
  BENCH_DATA_RAMP,              /* from left to right */
} BenchDataKind;

typedef struct
{
  BenchDataKind kind;
  guint n;                      /* distinct values of RANDOM, 1 to 256; 0: all
                                 * values of the depth */
} BenchData;

typedef enum
{
  BENCH_LUMA,                   /* luma of frames without gaps between rows */
  BENCH_PITCHED,                /* luma of frames with rows at multiples of 512
                                 * bytes */
  BENCH_GRADIENT,               /* luma differences, in frames like those of
                                 * LUMA */
  BENCH_YUV_RGB,                /* red, green and blue of 4:2:0 */
  BENCH_RGB,                    /* red, green and blue of packed RGBA */
  BENCH_RGBA_LUMA,              /* luma of packed RGBA */
} BenchChannels;

typedef struct
{
  gchar name[24];
  guint width, height;          /* of a frame, or 0 */
  guint64 bytes;                /* of samples in one piece, or 0 */
} BenchSize;

/* One thing to count. */
typedef struct
{
  BenchData data;
  guint bins;
  BenchSize size;
  BenchChannels channels;
  guint depth;
  gboolean warm;                /* count one frame repeatedly, which stays in
                                 * cache; otherwise, many frames in turn */
} BenchCase;

/* A list of values for each axis. */
typedef struct
{
  GArray *data;                 /* of BenchData */
  GArray *bins;                 /* of guint */
  GArray *sizes;                /* of BenchSize */
  GArray *channels;             /* of BenchChannels */
  GArray *depths;               /* of guint */
  GArray *from;                 /* of gboolean: warm */
} BenchAxes;

/* Fills @axes from lists separated by commas; FALSE with @error
 * (G_OPTION_ERROR_BAD_VALUE) set if one has an unknown value. */
gboolean bench_axes_parse (BenchAxes * axes, const gchar * data,
    const gchar * bins, const gchar * sizes, const gchar * channels,
    const gchar * depths, const gchar * from, GError ** error);
void bench_axes_clear (BenchAxes * axes);

/* Names of values. The caller frees those that are not const. */
gchar *bench_data_name (BenchData data);
gboolean bench_data_needs_photo (BenchData data);
const gchar *bench_channels_name (BenchChannels channels);
guint bench_channels_count (BenchChannels channels);

/* The video format of a case, or NULL if no format fits. */
const gchar *bench_case_format (const BenchCase * c);

/* The size of a frame of the case, in pixels. */
void bench_case_dimensions (const BenchCase * c, guint * width, guint * height);

/* A description such as "1080p luma of GRAY8, 256 bins, from HBM, photo". */
gchar *bench_case_describe (const BenchCase * c);

G_END_DECLS
