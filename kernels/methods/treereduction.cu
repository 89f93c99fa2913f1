/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table per block in shared memory, without atomic additions between blocks:
 * they leave their tables in global memory, where tables are added up in pairs
 * until one is left. Blocks are the leaves of the tree, and a node has the
 * number of its leftmost leaf. No block waits: the first of the two blocks that
 * arrive at a node leaves its table and ends; the second adds that table to its
 * own and continues at the next node. */
#include "../share.cuh"

/* The scratch of a block starts with a ticket, zero before and after. It
 * belongs to the node with a right half that starts with this block. A table
 * follows on its own cache line; its initial content does not matter. */
static __device__ __forceinline__ uint32_t *
vh_tree_ticket (const VhKernelParams & p, uint32_t block)
{
  return (uint32_t *) vh_scratch (p, block);
}

static __device__ __forceinline__ uint32_t *
vh_tree_table (const VhKernelParams & p, uint32_t block)
{
  return (uint32_t *) (vh_scratch (p, block) + VH_KERNEL_TREE_TABLE);
}

/* Brings the block's @table to the node that joins the blocks from @left and
 * from @right. Returns whether the other half had already arrived: then @table
 * has the sum of both. Each thread has its own bins all the way up. */
static __device__ __forceinline__ bool
vh_tree_meet (const VhKernelParams & p, uint32_t * table, uint32_t left,
    uint32_t right)
{
  const bool is_left = blockIdx.x < right;
  uint32_t *mine = vh_tree_table (p, is_left ? left : right);
  const uint32_t *other = vh_tree_table (p, is_left ? right : left);
  __shared__ bool second;

  for (uint32_t bin = threadIdx.x; bin < p.bins; bin += blockDim.x)
    mine[bin] = table[bin];
  __syncthreads ();
  if (threadIdx.x == 0) {
    __threadfence ();
    second = atomicInc (vh_tree_ticket (p, right), 1) == 1;
    __threadfence ();
  }
  __syncthreads ();
  if (!second)
    return false;

  for (uint32_t bin = threadIdx.x; bin < p.bins; bin += blockDim.x)
    table[bin] += __ldcg (other + bin);
  return true;
}

extern "C" __global__ void
__launch_bounds__ (1024)
vh_tree_reduction (const __grid_constant__ VhKernelParams p)
{
  const VhShare share (p);
  const uint64_t result = vh_first_result (p, share.channel, share.cell.index);
  uint32_t *table = (uint32_t *) vh_shared;

  vh_clear (table, p.bins);
  vh_with_samples (p, share, [&] (auto samples) {
    samples.vectors ([&] (uint32_t bin) {
      atomicAdd (table + bin, 1u);
    });
  });
  __syncthreads ();

  for (uint32_t half = 1; half < gridDim.x; half *= 2) {
    const uint32_t left = blockIdx.x & ~(2 * half - 1);

    if (left + half < gridDim.x && !vh_tree_meet (p, table, left, left + half))
      return;
  }
  for (uint32_t bin = threadIdx.x; bin < p.bins; bin += blockDim.x)
    vh_deliver (p, result + bin, table[bin]);
}
