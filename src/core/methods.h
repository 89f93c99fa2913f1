/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a GPU counts: one row for each method, in the order of the values of
 * GstVideoHistogramMethod, which has AUTO before them.
 * M (ID, nick, description) */
#pragma once

#include <glib.h>

/* *INDENT-OFF* */
#define VH_METHODS(M) \
  M (LANE_COLUMNS, "lane-columns", \
      "A column of counters for each lane of a warp") \
  M (REPLICATED, "replicated", \
      "As many copies of each counter as fit in a block") \
  M (PACKED_COUNTERS, "packed-counters", \
      "Counters of 16 bits in a block, which move what they cannot hold") \
  M (GLOBAL_ATOMICS, "global-atomics", \
      "Atomic additions to one table in global memory") \
  M (BLOCK_SCALAR, "block-scalar", \
      "A table for each block, a sample at a time") \
  M (BLOCK_VECTOR, "block-vector", \
      "A table for each block, 16 bytes at a time") \
  M (GLOBAL_COPIES, "global-copies", \
      "A table for each block in global memory") \
  M (COARSENED_CONTIGUOUS, "coarsened-contiguous", \
      "A table for each block, and for each thread a run of samples") \
  M (COARSENED_INTERLEAVED, "coarsened-interleaved", \
      "A table for each block, and threads that take many samples in turns") \
  M (RUN_AGGREGATION, "run-aggregation", \
      "A table for each block, and one addition for each run of equal " \
      "samples") \
  M (TREE_REDUCTION, "tree-reduction", \
      "A table for each block, added up in pairs") \
  M (TAGGED_WARPS, "tagged-warps", \
      "A table for each warp, with counters that carry the lane that wrote " \
      "them") \
  M (THREAD_TABLES, "thread-tables", \
      "A table for each thread, the lower bits of it in shared memory") \
  M (BYTE_COUNTERS, "byte-counters", \
      "A byte for each bin and thread, up to 64 bins") \
  M (WARP_TABLES, "warp-tables", "A table for each warp") \
  M (THREAD_BYTES_ROW, "thread-bytes-row", \
      "A table of bytes for each thread, thread after thread, up to 256 bins") \
  M (THREAD_BYTES_COLUMN, "thread-bytes-column", \
      "A table of bytes for each thread, bin after bin, up to 256 bins") \
  M (THREAD_BYTES_PACKED, "thread-bytes-packed", \
      "A table of bytes for each thread, four bins after four bins, up to " \
      "256 bins") \
  M (RADIX_SORT, "radix-sort", "Sorting by bits, and the lengths of runs") \
  M (BLOCK_SORT, "block-sort", "Sorting by CUB, and the lengths of runs")
/* *INDENT-ON* */

/* VH_METHOD_AUTO is 0: the device chooses. */
typedef enum
{
  VH_METHOD_AUTO,
#define M(id, nick, description) VH_METHOD_##id,
  VH_METHODS (M)
#undef M
  VH_N_METHODS,
} VhMethod;

/* As in properties; static. */
const gchar *vh_method_nick (guint method);
