/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Test data, sample by sample: the same whether the GPU or the CPU makes it. */
#ifndef BENCH_PATTERN_H
#define BENCH_PATTERN_H

#include <stdint.h>

#ifdef __CUDACC__
#define BENCH_INLINE static __host__ __device__ __forceinline__
#else
#define BENCH_INLINE static inline
#endif

#define BENCH_TABLE_BITS 16
#define BENCH_PADDING 0xa5      /* between rows; must not be counted */

enum
{
  BENCH_PATTERN_TABLE,          /* random, with the distribution of a table */
  BENCH_PATTERN_PHOTO,
  BENCH_PATTERN_RAMP            /* from left to right */
};

typedef struct
{
  uint64_t data;                /* address of the first frame */
  uint64_t table;               /* of code values, uint16_t[65536] */
  uint64_t photo;               /* red, green, blue and luma, a byte each */
  uint64_t stride;              /* bytes from row to row */
  uint64_t frame_bytes;         /* from frame to frame */
  uint32_t frames;
  uint32_t width, height;       /* pixels */
  uint32_t rows;                /* of samples: rows of chroma, if any, follow
                                 * those of luma */
  uint32_t components;          /* of a pixel: 1, or 4 of which the last is
                                 * alpha */
  uint32_t sample_bytes;        /* 1 or 2 */
  uint32_t depth, shift;        /* bits of a sample, and bits below it in its
                                 * word */
  uint32_t kind;
  uint32_t photo_width, photo_height;
  uint32_t bars;                /* black rows at the top, and at the bottom */
} BenchPattern;

BENCH_INLINE uint32_t
bench_hash (uint32_t x)
{
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

/* A photograph starts at a different pixel in each frame, and is repeated to
 * fill it. It has 8 bits; in deeper samples the bits below are noise. */
BENCH_INLINE uint32_t
bench_photo_value (const BenchPattern * p, uint32_t random, uint32_t frame,
    uint32_t x, uint32_t y, uint32_t component)
{
  const uint8_t *photo = (const uint8_t *) (uintptr_t) p->photo;
  const uint32_t extra = p->depth - 8;
  const uint32_t px = (x + 61 * frame) % p->photo_width;
  const uint32_t py = y % p->photo_height;
  const uint32_t luma = p->components == 1;
  uint32_t value = photo[((uint64_t) py * p->photo_width + px) * 4 +
      (luma ? 3 : component)];

  if (y < p->bars || y >= p->height - p->bars)
    return (luma ? 16u : 0u) << extra;
  return value << extra | (random & ((1u << extra) - 1));
}

/* The code value of a component of pixel (@x, @y) of a frame. */
BENCH_INLINE uint32_t
bench_pattern_value (const BenchPattern * p, uint32_t frame, uint32_t x,
    uint32_t y, uint32_t component)
{
  const uint16_t *table = (const uint16_t *) (uintptr_t) p->table;
  const uint64_t i = (((uint64_t) frame * p->rows + y) * p->width + x) *
      p->components + component;
  const uint32_t random = bench_hash ((uint32_t) i ^
      bench_hash ((uint32_t) (i >> 32) + 0x9e3779b9u));

  if (component == 3)
    return (1u << p->depth) - 1;
  switch (p->kind) {
    case BENCH_PATTERN_PHOTO:
      return bench_photo_value (p, random >> 16, frame, x, y, component);
    case BENCH_PATTERN_RAMP:
      return (uint32_t) (((uint64_t) ((x + 16 * frame) % p->width) <<
              p->depth) / p->width);
    default:
      return table[random >> (32 - BENCH_TABLE_BITS)];
  }
}

/* Writes every @step-th sample of row @y of a frame, starting with @first,
 * including padding. */
BENCH_INLINE void
bench_pattern_fill (const BenchPattern * p, uint32_t frame, uint32_t y,
    uint32_t first, uint32_t step)
{
  uint8_t *row = (uint8_t *) (uintptr_t) (p->data + frame * p->frame_bytes +
      y * p->stride);
  const uint32_t samples = p->width * p->components;
  const uint32_t all = (uint32_t) (p->stride / p->sample_bytes);
  uint32_t s;

  for (s = first; s < all; s += step) {
    uint32_t word = BENCH_PADDING * 0x101u;

    if (s < samples) {
      word = bench_pattern_value (p, frame, s / p->components, y,
          s % p->components) << p->shift;
    }
    if (p->sample_bytes == 1)
      row[s] = (uint8_t) word;
    else
      ((uint16_t *) row)[s] = (uint16_t) word;
  }
}

#endif
