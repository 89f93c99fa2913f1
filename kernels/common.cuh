/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every counting kernel does besides counting: finding its cell of the
 * grid, and delivering the counts in the same launch. */
#pragma once

#include "params.h"

/* The shared memory of a block: tables of counters, in units of 16 bytes. */
extern __shared__ uint4 vh_shared[];

/* Threads per block: two such blocks fill a multiprocessor. */
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ == 750
#define VH_THREADS 512
#elif defined (__CUDA_ARCH__) && (__CUDA_ARCH__ / 10 == 86 || \
    __CUDA_ARCH__ / 10 == 89 || __CUDA_ARCH__ / 10 >= 120)
#define VH_THREADS 768
#else
#define VH_THREADS 1024
#endif

/* On a GPU where the launches of a stream may overlap, lets the next launch
 * start once all blocks of this one have called this: the next launch then
 * clears its tables and reads its frame while this one still counts. The host
 * requests the overlap only if the driver loaded code that supports it: see
 * get_overlaps() in src/cuda/device.c. */
static __device__ __forceinline__ void
vh_let_next_begin ()
{
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion ();
#endif
}

/* Waits until the previous launch has ended and everything that it wrote is
 * visible here. Every launch waits before it ends. However many are in flight,
 * all earlier launches have therefore ended, too, and have left their
 * accumulators and counts in the final state. Accumulators and counts may only
 * be used after this. */
static __device__ __forceinline__ void
vh_wait_for_previous ()
{
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize ();
#endif
}

/* Starts a kernel that counts one frame. Waits only if the frame may be the
 * work of the previous launch: a frame marked as complete was complete when the
 * host requested the launch. With several cells, each cell has few blocks, and
 * blocks of the next launch would delay them; so the next launch may not start
 * early. */
static __device__ __forceinline__ void
vh_begin (const VhKernelParams & p)
{
  if (gridDim.z == 1)
    vh_let_next_begin ();
  if (!p.complete)
    vh_wait_for_previous ();
}

/* The pixels that a block counts; positions are in the planes, not in the
 * region. */
struct VhCell
{
  uint32_t x, y, width, height;
  uint32_t index;               /* row * columns + column */
};

/* The first x of @size with x * n / size >= cell. */
static __device__ __forceinline__ uint32_t
vh_cell_start (uint32_t size, uint32_t n, uint32_t cell)
{
  return (uint32_t) (((uint64_t) cell * size + n - 1) / n);
}

static __device__ __forceinline__ VhCell
vh_cell (const VhKernelParams & p, uint32_t index)
{
  VhCell cell;

  if (p.columns == 1 && p.rows == 1) {
    cell.x = p.x;
    cell.y = p.y;
    cell.width = p.width;
    cell.height = p.height;
  } else {
    const uint32_t column = index % p.columns, row = index / p.columns;
    const uint32_t x = vh_cell_start (p.width, p.columns, column);
    const uint32_t y = vh_cell_start (p.height, p.rows, row);

    cell.x = p.x + x;
    cell.y = p.y + y;
    cell.width = vh_cell_start (p.width, p.columns, column + 1) - x;
    cell.height = vh_cell_start (p.height, p.rows, row + 1) - y;
  }
  cell.index = index;
  return cell;
}

/* Index of @channel among the counted channels. */
static __device__ __forceinline__ uint32_t
vh_channel_index (const VhKernelParams & p, uint32_t channel)
{
  return __popc (p.channels & ((1u << channel) - 1));
}

/* v < 2^16 and bins <= 2^16: the product has 32 bits. */
static __device__ __forceinline__ uint32_t
vh_bin (const VhKernelParams & p, uint32_t code)
{
  return (code * p.bins) >> p.depth;
}

/* Index of the first result of a channel in a cell; each has n_values
 * results. */
static __device__ __forceinline__ uint64_t
vh_first_result (const VhKernelParams & p, uint32_t channel, uint32_t cell)
{
  const uint64_t cells = (uint64_t) p.columns * p.rows;

  return (vh_channel_index (p, channel) * cells + cell) * p.n_values;
}

/* Writes a result to where the device and the host read it. The sequence
 * number in the same 8 bytes tells the host that the result belongs to this
 * launch, so a result needs no fence and no signal, and each may come from
 * another block. */
static __device__ __forceinline__ void
vh_deliver (const VhKernelParams & p, uint64_t index, uint32_t count)
{
  ((uint32_t *) p.device_counts)[index] = count;
  if (p.host_counts) {
    ((unsigned long long *) p.host_counts)[index] =
        (unsigned long long) p.sequence << 32 | count;
  }
}

/* The same for neighbouring results 2 * @pair and 2 * @pair + 1 of a frame,
 * with either type of parameters. */
template <class Frame>
static __device__ __forceinline__ void
vh_deliver_two (const Frame & f, uint64_t pair, uint2 count)
{
  ((uint2 *) f.device_counts)[pair] = count;
  if (f.host_counts) {
    const unsigned long long sequence = (unsigned long long) f.sequence << 32;

    ((ulonglong2 *) f.host_counts)[pair] =
        make_ulonglong2 (sequence | count.x, sequence | count.y);
  }
}

/* Writes two neighbouring results; @index is even. */
static __device__ __forceinline__ void
vh_deliver_pair (const VhKernelParams & p, uint64_t index, uint2 count)
{
  vh_deliver_two (p, index / 2, count);
}

/* Adds @count to an accumulator that @members add to. The last member gets the
 * total in @count and leaves zero for the next launch; the others get FALSE.
 * The upper bits of the same word count arrivals, so that one memory access
 * adds, shows which member is last, and reads the sum. */
static __device__ __forceinline__ bool
vh_add_last (unsigned long long *accumulator, uint32_t members,
    unsigned long long *count)
{
  const int arrival_bit = 44;
  const unsigned long long before =
      atomicAdd (accumulator, *count | 1ull << arrival_bit);

  if (before >> arrival_bit != members - 1)
    return false;
  *accumulator = 0;
  *count += before & ((1ull << arrival_bit) - 1);
  return true;
}

/* Adds this block's share of one result to the shares of the other blocks of
 * the cell; all gridDim.x blocks must call it. Blocks add up in groups first,
 * so that they do not all contend for one word. */
static __device__ __forceinline__ void
vh_add (const VhKernelParams & p, uint64_t index, uint32_t block_count)
{
  unsigned long long *accumulators = (unsigned long long *) p.accumulators;
  unsigned long long count = block_count;

  if (gridDim.x > 1) {
    uint32_t members = gridDim.x;

    if (p.grouped) {
      const uint32_t group = blockIdx.x % VH_KERNEL_GROUPS;

      members = (gridDim.x - group + VH_KERNEL_GROUPS - 1) / VH_KERNEL_GROUPS;
      if (!vh_add_last (accumulators + (1 + group) * (uint64_t) p.n_results +
              index, members, &count))
        return;
      members = VH_KERNEL_GROUPS;
    }
    if (!vh_add_last (accumulators + index, members, &count))
      return;
  }
  vh_deliver (p, index, (uint32_t) count);
}

/* Adds the two counts in @count to those of the other blocks, @blocks in all,
 * in word @pair of @accumulators: it has @bits for each count and, above them,
 * the number of blocks that have added. The last block leaves zero for the next
 * launch, and gets the sums; the others get FALSE. Only a few words share a
 * cache line: each line is in one bank of the cache, so if all words were in
 * few lines, blocks would wait for the same banks. */
template <int bits>
static __device__ __forceinline__ bool
vh_add_two (uint64_t accumulators, uint64_t pair, uint32_t blocks,
    uint2 * count)
{
  const uint32_t in_line = 4, line = 128 / sizeof (unsigned long long);
  const uint32_t mask = (1u << bits) - 1;

  if (blocks > 1) {
    unsigned long long *word = (unsigned long long *) accumulators +
        pair / in_line * line + pair % in_line;
    const unsigned long long mine =
        (unsigned long long) count->y << bits | count->x;
    const unsigned long long before =
        atomicAdd (word, mine | 1ull << 2 * bits);
    const unsigned long long sums = before + mine;

    if (before >> 2 * bits != blocks - 1)
      return false;
    *word = 0;
    count->x = (uint32_t) sums & mask;
    count->y = (uint32_t) (sums >> bits) & mask;
  }
  return true;
}

/* vh_add() for two neighbouring results, in one word and without groups; @index
 * is the even one. */
static __device__ __forceinline__ void
vh_add_pair (const VhKernelParams & p, uint64_t index, uint2 count)
{
  if (vh_add_two<VH_KERNEL_PAIR_BITS> (p.accumulators, index / 2, gridDim.x,
          &count))
    vh_deliver_pair (p, index, count);
}

/* For kernels whose blocks add to only a few of many 32-bit accumulators. Must
 * be called by all threads of all blocks after they have added. The last block
 * reads the sums, leaves zeros, and delivers the sums. */
static __device__ void
vh_deliver_all (const VhKernelParams & p)
{
  __shared__ uint32_t last;
  const uint32_t in_flight = 4;
  uint32_t *accumulators = (uint32_t *) p.accumulators;

  __syncthreads ();
  if (threadIdx.x == 0) {
    __threadfence ();
    last = atomicInc ((uint32_t *) p.ticket, p.n_blocks - 1) == p.n_blocks - 1;
    __threadfence ();
  }
  __syncthreads ();
  if (!last)
    return;

  for (uint32_t first = threadIdx.x; first < p.n_results;
      first += in_flight * blockDim.x) {
    uint32_t count[in_flight];

#pragma unroll
    for (uint32_t k = 0; k < in_flight; k++) {
      if (first + k * blockDim.x < p.n_results)
        count[k] = __ldcg (accumulators + first + k * blockDim.x);
    }
#pragma unroll
    for (uint32_t k = 0; k < in_flight; k++) {
      const uint32_t i = first + k * blockDim.x;

      if (i < p.n_results) {
        accumulators[i] = 0;
        vh_deliver (p, i, count[k]);
      }
    }
  }
}
