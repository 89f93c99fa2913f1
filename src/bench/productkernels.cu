/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products of a matrix of counts and a vector. The matrix is in compressed
 * sparse rows, or dense. A row has a thread, as in AMS 148 (see
 * docs/algorithms.md), or a warp. */
#include <stddef.h>
#include <stdint.h>

#define WARP 32

static __device__ __forceinline__ uint32_t
thread ()
{
  return blockIdx.x * blockDim.x + threadIdx.x;
}

/* Returns the sum over the warp to its first lane. */
static __device__ __forceinline__ float
warp_sum (float value)
{
  for (uint32_t i = WARP / 2; i > 0; i /= 2)
    value += __shfl_down_sync (0xffffffff, value, i);
  return value;
}

/* The sum of every @step-th product, starting at @from, of the row with values
 * up to @end. */
static __device__ __forceinline__ float
sparse_dot (const uint32_t * columns, const uint32_t * values,
    const float * vector, uint32_t from, uint32_t end, uint32_t step)
{
  float dot = 0;

  for (uint32_t i = from; i < end; i += step)
    dot += values[i] * vector[columns[i]];
  return dot;
}

static __device__ __forceinline__ float
dense_dot (const uint32_t * row, const float * vector, uint32_t from,
    uint32_t end, uint32_t step)
{
  float dot = 0;

  for (uint32_t i = from; i < end; i += step)
    dot += row[i] * vector[i];
  return dot;
}

/* @offsets has one more element than there are rows. */
extern "C" __global__ void
vh_bench_sparse_threads (const uint32_t * offsets, const uint32_t * columns,
    const uint32_t * values, const float * vector, float * product, uint32_t n)
{
  const uint32_t row = thread ();

  if (row < n) {
    product[row] = sparse_dot (columns, values, vector, offsets[row],
        offsets[row + 1], 1);
  }
}

extern "C" __global__ void
vh_bench_sparse_warps (const uint32_t * offsets, const uint32_t * columns,
    const uint32_t * values, const float * vector, float * product, uint32_t n)
{
  const uint32_t row = thread () / WARP, lane = thread () % WARP;
  float dot = 0;

  if (row >= n)
    return;
  dot = warp_sum (sparse_dot (columns, values, vector, offsets[row] + lane,
          offsets[row + 1], WARP));
  if (lane == 0)
    product[row] = dot;
}

/* The dense matrix has n x n values. */
extern "C" __global__ void
vh_bench_dense_threads (const uint32_t * matrix, const float * vector,
    float * product, uint32_t n)
{
  const uint32_t row = thread ();

  if (row < n)
    product[row] = dense_dot (matrix + (size_t) row * n, vector, 0, n, 1);
}

extern "C" __global__ void
vh_bench_dense_warps (const uint32_t * matrix, const float * vector,
    float * product, uint32_t n)
{
  const uint32_t row = thread () / WARP, lane = thread () % WARP;
  float dot = 0;

  if (row >= n)
    return;
  dot = warp_sum (dense_dot (matrix + (size_t) row * n, vector, lane, n,
          WARP));
  if (lane == 0)
    product[row] = dot;
}
