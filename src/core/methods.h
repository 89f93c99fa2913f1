/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a GPU counts: one row per method, in the order of the values of
 * GstVideoHistogramMethod, where AUTO comes first.
 * M (ID, nick, description) */
#pragma once

#include <glib.h>

/* *INDENT-OFF* */
#define VH_METHODS(M) \
  M (LANE_COLUMNS, "lane-columns", \
      "One column of counters for each lane of a warp") \
  M (REPLICATED, "replicated", \
      "As many copies of each counter as fit in shared memory") \
  M (PACKED_COUNTERS, "packed-counters", \
      "16-bit counters in a block that overflow into global memory") \
  M (GLOBAL_ATOMICS, "global-atomics", \
      "Atomic additions to one table in global memory") \
  M (BLOCK_SCALAR, "block-scalar", \
      "One table per block, one sample at a time") \
  M (BLOCK_VECTOR, "block-vector", \
      "One table per block, 16 bytes at a time") \
  M (GLOBAL_COPIES, "global-copies", \
      "One table per block, in global memory") \
  M (COARSENED_CONTIGUOUS, "coarsened-contiguous", \
      "One table per block, a run of adjacent samples per thread") \
  M (COARSENED_INTERLEAVED, "coarsened-interleaved", \
      "One table per block, many interleaved samples per thread") \
  M (RUN_AGGREGATION, "run-aggregation", \
      "One table per block, one addition per run of equal samples") \
  M (TREE_REDUCTION, "tree-reduction", \
      "One table per block, added up in pairs") \
  M (TAGGED_WARPS, "tagged-warps", \
      "One table per warp, counters tagged with the lane that wrote them") \
  M (THREAD_TABLES, "thread-tables", \
      "One table per thread, with its low bits in shared memory") \
  M (BYTE_COUNTERS, "byte-counters", \
      "One byte per bin and thread, up to 64 bins") \
  M (WARP_TABLES, "warp-tables", "One table per warp") \
  M (THREAD_BYTES_ROW, "thread-bytes-row", \
      "One table of bytes per thread, thread by thread, up to 256 bins") \
  M (THREAD_BYTES_COLUMN, "thread-bytes-column", \
      "One table of bytes per thread, bin by bin, up to 256 bins") \
  M (THREAD_BYTES_PACKED, "thread-bytes-packed", \
      "One table of bytes per thread, four bins by four, up to 256 bins") \
  M (RADIX_SORT, "radix-sort", "Radix sort, then lengths of runs") \
  M (BLOCK_SORT, "block-sort", "Sort by CUB, then lengths of runs")
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
