/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads rows in vectors of 16-byte words, and the pixels left at their ends one
 * by one. */
#pragma once

#include "common.cuh"

/* The vectors of one row. */
struct VhRow
{
  const uint8_t *data;
  uint32_t head;                /* pixels before the first vector */
  uint32_t vectors;
};

template <uint32_t pixel_bytes, uint32_t words>
static __device__ __forceinline__ VhRow
vh_row (const uint8_t * data, uint32_t pixels)
{
  const uint32_t bytes = words * 16;
  VhRow row;

  row.head = words > 1 ? 0 :
      ((0u - (uint32_t) (uintptr_t) data) & 15) / pixel_bytes;
  row.head = min (row.head, pixels);
  row.data = data + row.head * pixel_bytes;
  row.vectors = (pixels - row.head) * pixel_bytes / bytes;
  return row;
}

/* Walks: how one thread goes over the vectors of a cell, which blocks and
 * threads take in turns. load() loads the thread's current vector, if there is
 * one, and advances. There is a walk for each layout of rows, because the
 * arithmetic between two vectors costs as much as counting them. */

template <uint32_t words>
static __device__ __forceinline__ void
vh_load_vector (uint4 vector[words], const uint4 * data)
{
#pragma unroll
  for (uint32_t k = 0; k < words; k++)
    vector[k] = __ldcs (data + k);
}

/* One row. */
template <uint32_t words>
struct VhOneRow
{
  const uint4 *data;
  uint32_t i, vectors, threads;

  __device__ __forceinline__
  VhOneRow (const VhRow & row)
  : data ((const uint4 *) row.data), i (blockIdx.x * blockDim.x + threadIdx.x),
    vectors (row.vectors), threads (gridDim.x * blockDim.x)
  {
  }

  __device__ __forceinline__ bool
  load (uint4 vector[words])
  {
    const bool found = i < vectors;

    if (found)
      vh_load_vector<words> (vector, data + (uint64_t) i * words);
    i += threads;
    return found;
  }

  __device__ __forceinline__ bool
  done () const
  {
    return i >= vectors;
  }

  /* Positions of vectors, over all threads. */
  __device__ __forceinline__ uint32_t
  places () const
  {
    return vectors;
  }
};

/* Several rows that are all aligned to 16 bytes or, if @ragged, start
 * anywhere. */
template <uint32_t pixel_bytes, uint32_t words, bool ragged>
struct VhRows
{
  const uint8_t *data;
  uint64_t stride;
  uint32_t pixels, rows, per_row;
  uint32_t y, i;                /* position of the thread */
  uint32_t row_step, step;

  __device__ __forceinline__
  VhRows (const uint8_t * data, uint64_t stride, uint32_t pixels, uint32_t rows)
  : data (data), stride (stride), pixels (pixels), rows (rows),
    per_row (pixels * pixel_bytes / (words * 16))
  {
    const uint32_t threads = gridDim.x * blockDim.x;
    const uint32_t first = blockIdx.x * blockDim.x + threadIdx.x;

    if (per_row == 0) {
      this->rows = y = i = row_step = step = 0;
      return;
    }
    y = first / per_row;
    i = first - y * per_row;
    row_step = threads / per_row;
    step = threads - row_step * per_row;
  }

  __device__ __forceinline__ bool
  load (uint4 vector[words])
  {
    bool found = y < rows;

    if (found) {
      const uint8_t *start = data + y * stride;

      if (ragged) {
        const VhRow row = vh_row<pixel_bytes, words> (start, pixels);

        start = row.data;
        found = i < row.vectors;
      }
      if (found)
        vh_load_vector<words> (vector, (const uint4 *) start + i * words);
      y += row_step;
      i += step;
      if (i >= per_row) {
        i -= per_row;
        y++;
      }
    }
    return found;
  }

  __device__ __forceinline__ bool
  done () const
  {
    return y >= rows;
  }

  __device__ __forceinline__ uint32_t
  places () const
  {
    return per_row * rows;
  }
};

/* The number of rounds until the threads of this block have covered all
 * @places; the same for each thread. */
static __device__ __forceinline__ uint32_t
vh_turns (uint64_t places)
{
  const uint32_t threads = gridDim.x * blockDim.x;
  const uint32_t first = blockIdx.x * blockDim.x;

  return places > first ? (uint32_t) ((places - first + threads - 1) / threads)
      : 0;
}

/* Calls @vector for all vectors of a walk, with two loads in flight. The first
 * ones are in flight while @ready prepares the table. */
template <uint32_t words, class Walk, class Ready, class Vector>
static __device__ __forceinline__ void
vh_walk_vectors (Walk walk, Ready ready, Vector vector)
{
  uint4 a[words], b[words];
  bool in_a = walk.load (a), in_b = walk.load (b);

  ready ();
  while (true) {
    if (in_a)
      vector (a);
    if (in_b)
      vector (b);
    if (walk.done ())
      break;
    in_a = walk.load (a);
    in_b = walk.load (b);
  }
}

/* The same with @n loads in flight, and with the threads of a block together:
 * each calls @vector as often as the others, with false if it has no vector
 * left, and @after after every @n calls. */
template <uint32_t n, class Walk, class Ready, class Vector, class After>
static __device__ __forceinline__ void
vh_walk_rounds (Walk walk, Ready ready, Vector vector, After after)
{
  const uint32_t turns = vh_turns (walk.places ());
  uint4 v[n] = { };
  bool in[n];

#pragma unroll
  for (uint32_t k = 0; k < n; k++)
    in[k] = walk.load (v + k);
  ready ();
  for (uint32_t turn = 0; turn < turns; turn += n) {
#pragma unroll
    for (uint32_t k = 0; k < n; k++) {
      vector (v[k], in[k]);
      in[k] = walk.load (v + k);
    }
    after ();
  }
}

/* The pixels outside vectors: a few at the ends of each row. */
template <uint32_t pixel_bytes, uint32_t words>
struct VhEnds
{
  static const uint32_t per_vector = words * 16 / pixel_bytes;
  static const uint32_t per_row = 2 * per_vector;

  const uint8_t *data;
  uint64_t stride;
  uint32_t pixels, rows;

  __device__ __forceinline__ uint64_t
  places () const
  {
    return (uint64_t) rows * per_row;
  }

  /* The address of pixel @i, or NULL if the row has fewer. */
  __device__ __forceinline__ const uint8_t *
  at (uint64_t i) const
  {
    const uint8_t *start = data + i / per_row * stride;
    const VhRow row = vh_row<pixel_bytes, words> (start, pixels);
    const uint32_t end = i % per_row;
    const uint32_t x = end < per_vector ? end :
        row.head + row.vectors * per_vector + end - per_vector;

    return (end < per_vector ? x < row.head : x < pixels) ?
        start + (uint64_t) x * pixel_bytes : NULL;
  }
};

/* Calls @pixel with the address of each. */
template <class Ends, class Pixel>
static __device__ __forceinline__ void
vh_walk_ends (const Ends & ends, Pixel pixel)
{
  const uint64_t places = ends.places ();
  const uint32_t threads = gridDim.x * blockDim.x;

  for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < places;
      i += threads) {
    const uint8_t *at = ends.at (i);

    if (at)
      pixel (at);
  }
}

/* The same, with @after called after at most @n pixels of each thread: see
 * vh_walk_rounds(). */
template <class Ends, class Pixel, class After>
static __device__ __forceinline__ void
vh_walk_end_rounds (const Ends & ends, uint32_t n, Pixel pixel, After after)
{
  const uint64_t places = ends.places ();
  const uint32_t threads = gridDim.x * blockDim.x;
  const uint32_t turns = vh_turns (places);
  uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;

  for (uint32_t turn = 0; turn < turns; turn += n) {
    for (uint32_t k = min (n, turns - turn); k > 0; k--, i += threads) {
      const uint8_t *at = i < places ? ends.at (i) : NULL;

      if (at)
        pixel (at);
    }
    after ();
  }
}

/* Examines the layout of @height rows of @width pixels: calls @vectors with a
 * walk over vectors of @words words of 16 bytes, and @ends with the pixels
 * outside them, if there are any. Vectors of several words start where a row
 * does, so rows must be aligned. */
template <uint32_t pixel_bytes, uint32_t words, class Vectors, class Ends>
static __device__ __forceinline__ void
vh_with_walks (const uint8_t * data, uint64_t stride, uint32_t width,
    uint32_t height, Vectors vectors, Ends ends)
{
  /* Rows without a gap are one long row. */
  const bool one_row = stride == width * pixel_bytes || height == 1;
  const uint32_t pixels = one_row ? width * height : width;
  const uint32_t rows = one_row ? 1 : height;
  const bool ragged = ((uint32_t) ((uint64_t) (uintptr_t) data | stride) & 15)
      != 0;

  if (one_row) {
    vectors (VhOneRow<words> (vh_row<pixel_bytes, words> (data, pixels)));
  } else if (!ragged) {
    vectors (VhRows<pixel_bytes, words, false> (data, stride, pixels, rows));
  } else {
    vectors (VhRows<pixel_bytes, words, true> (data, stride, pixels, rows));
  }
  if (pixels * pixel_bytes % (words * 16) != 0
      || (one_row ? ((uint32_t) (uintptr_t) data & 15) != 0 : ragged))
    ends (VhEnds<pixel_bytes, words> {data, stride, pixels, rows});
}

/* Processes this thread's share of the rows: calls @ready once, in all threads,
 * then @vector with each vector, and @pixel with the address of each pixel
 * outside vectors. */
template <uint32_t pixel_bytes, uint32_t words, class Ready, class Vector,
    class Pixel>
static __device__ __forceinline__ void
vh_each_vector (const uint8_t * data, uint64_t stride, uint32_t width,
    uint32_t height, Ready ready, Vector vector, Pixel pixel)
{
  vh_with_walks<pixel_bytes, words> (data, stride, width, height,
      [&] (auto walk) {
        vh_walk_vectors<words> (walk, ready, vector);
      },
      [&] (const auto & ends) {
        vh_walk_ends (ends, pixel);
      });
}

/* The same for vectors of one word, with @n in flight, in rounds. In a round
 * each thread processes at most the pixels of @n vectors: see
 * vh_walk_rounds(). */
template <uint32_t pixel_bytes, uint32_t n, class Ready, class Vector,
    class Pixel, class After>
static __device__ __forceinline__ void
vh_each_vector_round (const uint8_t * data, uint64_t stride, uint32_t width,
    uint32_t height, Ready ready, Vector vector, Pixel pixel, After after)
{
  vh_with_walks<pixel_bytes, 1> (data, stride, width, height,
      [&] (auto walk) {
        vh_walk_rounds<n> (walk, ready, vector, after);
      },
      [&] (const auto & ends) {
        vh_walk_end_rounds (ends, n * 16 / pixel_bytes, pixel, after);
      });
}
