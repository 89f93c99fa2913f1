/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The entry points in kernels/. */
#pragma once

/* The fat binaries. KERNELS is loaded with a device, the others with the first
 * frame that needs one of their kernels. */
typedef enum
{
  VH_CUDA_MODULE_KERNELS,
  VH_CUDA_MODULE_METHODS,
  VH_CUDA_MODULE_JOINT,
  VH_CUDA_MODULE_CORRECT,
  VH_CUDA_MODULE_SCOPE,
  VH_CUDA_MODULE_BLOCKSORT,
  VH_CUDA_N_MODULES
} VhCudaModule;

/* *INDENT-OFF* */
/* The published methods, with one kernel each. The first three columns are the
 * method, which is also the id of the kernel, its module and its name. The
 * others tell methods.c how to launch it: the method that is suggested if this
 * one cannot count; the threads per block; the maximum blocks per
 * multiprocessor (0: as many as there is work for); the minimum samples per
 * thread; and the function fit_... that does what only this method needs. */
#define VH_CUDA_METHOD_KERNELS(K) \
  K (GLOBAL_ATOMICS, METHODS, "vh_global_atomics", \
      REPLICATED, 256, 8, 1, nothing) \
  K (BLOCK_SCALAR, METHODS, "vh_block_scalar", \
      GLOBAL_ATOMICS, 512, 0, 1, block_scalar) \
  K (BLOCK_VECTOR, METHODS, "vh_block_vector", \
      GLOBAL_ATOMICS, 512, 4, 16, block_table) \
  K (GLOBAL_COPIES, METHODS, "vh_global_copies", \
      REPLICATED, 512, 4, 4, global_copies) \
  K (COARSENED_CONTIGUOUS, METHODS, "vh_coarsened_contiguous", \
      GLOBAL_COPIES, 256, 4, 16, block_table) \
  K (COARSENED_INTERLEAVED, METHODS, "vh_coarsened_interleaved", \
      GLOBAL_COPIES, 256, 4, 16, block_table) \
  K (RUN_AGGREGATION, METHODS, "vh_run_aggregation", \
      GLOBAL_COPIES, 512, 4, 16, block_table) \
  K (TREE_REDUCTION, METHODS, "vh_tree_reduction", \
      GLOBAL_COPIES, 512, 2, 16, tree) \
  K (TAGGED_WARPS, METHODS, "vh_tagged_warps", \
      REPLICATED, 1024, 2, 4, tagged_warps) \
  K (THREAD_TABLES, METHODS, "vh_thread_tables", \
      TAGGED_WARPS, 256, 3, 64, thread_tables) \
  K (BYTE_COUNTERS, METHODS, "vh_byte_counters", \
      THREAD_BYTES_PACKED, 256, 8, 64, byte_counters) \
  K (WARP_TABLES, METHODS, "vh_warp_tables", \
      GLOBAL_COPIES, 512, 4, 16, warp_tables) \
  K (THREAD_BYTES_ROW, METHODS, "vh_thread_bytes_row", \
      WARP_TABLES, VH_KERNEL_BYTE_THREADS, 12, 64, thread_bytes) \
  K (THREAD_BYTES_COLUMN, METHODS, "vh_thread_bytes_column", \
      WARP_TABLES, VH_KERNEL_BYTE_THREADS, 12, 64, thread_bytes) \
  K (THREAD_BYTES_PACKED, METHODS, "vh_thread_bytes_packed", \
      WARP_TABLES, VH_KERNEL_BYTE_THREADS, 12, 64, thread_bytes) \
  K (RADIX_SORT, METHODS, "vh_radix_sort", \
      REPLICATED, VH_KERNEL_SORT_THREADS, 8, VH_KERNEL_SORT_KEYS, radix_sort) \
  K (BLOCK_SORT, BLOCKSORT, "vh_block_sort", \
      RADIX_SORT, VH_KERNEL_SORT_THREADS, 4, VH_KERNEL_SORT_KEYS, block_sort)

/* All entry points: id, module, name. Rows of methods have more columns, which
 * loading a kernel does not need. */
#define VH_CUDA_KERNELS(K) \
  K (FRAME_PLANE, KERNELS, "vh_frame_columns_plane") \
  K (FRAME_PLANES, KERNELS, "vh_frame_columns_planes") \
  K (FRAME_BATCH, KERNELS, "vh_frame_columns_batch") \
  K (FRAME_PAIRS, KERNELS, "vh_frame_columns_pairs") \
  K (FRAME_PACKED4_LUMA, KERNELS, "vh_frame_columns_packed4_luma") \
  K (FRAME_PACKED4_RGB, KERNELS, "vh_frame_columns_packed4_rgb") \
  K (FRAME_PACKED4_BOTH, KERNELS, "vh_frame_columns_packed4_both") \
  K (FRAME_PACKED3_LUMA, KERNELS, "vh_frame_columns_packed3_luma") \
  K (FRAME_PACKED3_RGB, KERNELS, "vh_frame_columns_packed3_rgb") \
  K (FRAME_PACKED3_BOTH, KERNELS, "vh_frame_columns_packed3_both") \
  K (PLANES, KERNELS, "vh_lane_columns_planes") \
  K (PAIRS, KERNELS, "vh_lane_columns_pairs") \
  K (PACKED4_LUMA, KERNELS, "vh_lane_columns_packed4_luma") \
  K (PACKED4_RGB, KERNELS, "vh_lane_columns_packed4_rgb") \
  K (PACKED4_BOTH, KERNELS, "vh_lane_columns_packed4_both") \
  K (PACKED3_LUMA, KERNELS, "vh_lane_columns_packed3_luma") \
  K (PACKED3_RGB, KERNELS, "vh_lane_columns_packed3_rgb") \
  K (PACKED3_BOTH, KERNELS, "vh_lane_columns_packed3_both") \
  K (YUV_RGB, KERNELS, "vh_yuv_columns_rgb") \
  K (YUV_BOTH, KERNELS, "vh_yuv_columns_both") \
  K (YUV_WIDE_RGB, KERNELS, "vh_yuv_columns_wide_rgb") \
  K (YUV_WIDE_BOTH, KERNELS, "vh_yuv_columns_wide_both") \
  K (GRADIENT_BYTES, KERNELS, "vh_gradient_bytes") \
  K (GRADIENT_FRAME, KERNELS, "vh_gradient_frame") \
  K (GRADIENT_WORDS, KERNELS, "vh_gradient_words") \
  K (GRADIENT_PIXELS, KERNELS, "vh_gradient_pixels") \
  K (REPLICATED_BYTES, KERNELS, "vh_replicated_bytes") \
  K (REPLICATED_WORDS, KERNELS, "vh_replicated_words") \
  K (REPLICATED_PIXELS, KERNELS, "vh_replicated_pixels") \
  K (PACKED_COUNTERS_WHOLE, KERNELS, "vh_packed_counters_whole") \
  K (PACKED_COUNTERS_WORDS, KERNELS, "vh_packed_counters_words") \
  K (PACKED_COUNTERS_PIXELS, KERNELS, "vh_packed_counters_pixels") \
  K (JOINT_CHROMA, JOINT, "vh_joint_chroma") \
  K (JOINT_LUMA, JOINT, "vh_joint_luma") \
  K (JOINT_KEEP, JOINT, "vh_joint_keep") \
  K (DIFFERENCE, JOINT, "vh_difference") \
  K (METER, JOINT, "vh_meter") \
  K (TAGGED_WARPS_CHROMA, METHODS, "vh_tagged_warps_chroma") \
  K (TAGGED_WARPS_LUMA, METHODS, "vh_tagged_warps_luma") \
  K (THREAD_TABLES_CHROMA, METHODS, "vh_thread_tables_chroma") \
  K (THREAD_TABLES_LUMA, METHODS, "vh_thread_tables_luma") \
  K (CURVE, CORRECT, "vh_curve") \
  K (CURVE_FRAME, CORRECT, "vh_curve_frame") \
  K (EQUALIZE_LUMA8, CORRECT, "vh_equalize_luma8") \
  K (CLAHE_LUMA8, CORRECT, "vh_clahe_luma8") \
  K (EQUALIZE_420_8, CORRECT, "vh_equalize_420_8") \
  K (CLAHE_420_8, CORRECT, "vh_clahe_420_8") \
  K (EQUALIZE_422_8, CORRECT, "vh_equalize_422_8") \
  K (CLAHE_422_8, CORRECT, "vh_clahe_422_8") \
  K (EQUALIZE_444_8, CORRECT, "vh_equalize_444_8") \
  K (CLAHE_444_8, CORRECT, "vh_clahe_444_8") \
  K (EQUALIZE_LUMA16, CORRECT, "vh_equalize_luma16") \
  K (CLAHE_LUMA16, CORRECT, "vh_clahe_luma16") \
  K (EQUALIZE_420_16, CORRECT, "vh_equalize_420_16") \
  K (CLAHE_420_16, CORRECT, "vh_clahe_420_16") \
  K (EQUALIZE_422_16, CORRECT, "vh_equalize_422_16") \
  K (CLAHE_422_16, CORRECT, "vh_clahe_422_16") \
  K (EQUALIZE_444_16, CORRECT, "vh_equalize_444_16") \
  K (CLAHE_444_16, CORRECT, "vh_clahe_444_16") \
  K (EQUALIZE_PACKED4, CORRECT, "vh_equalize_packed4") \
  K (CLAHE_PACKED4, CORRECT, "vh_clahe_packed4") \
  K (EQUALIZE_PACKED3, CORRECT, "vh_equalize_packed3") \
  K (CLAHE_PACKED3, CORRECT, "vh_clahe_packed3") \
  K (EQUALIZE_ANY, CORRECT, "vh_equalize_any") \
  K (EQUALIZE_REST, CORRECT, "vh_equalize_rest") \
  K (WAVEFORM_420_8, SCOPE, "vh_waveform_420_8") \
  K (WAVEFORM_422_8, SCOPE, "vh_waveform_422_8") \
  K (WAVEFORM_420_16, SCOPE, "vh_waveform_420_16") \
  K (WAVEFORM_422_16, SCOPE, "vh_waveform_422_16") \
  K (WAVEFORM_ANY, SCOPE, "vh_waveform_any") \
  K (SCOPE_SETTLE, SCOPE, "vh_scope_settle") \
  K (SCOPE_FILL, SCOPE, "vh_scope_fill") \
  K (SCOPE_LOOK, SCOPE, "vh_scope_change") \
  K (SCOPE_DRAW, SCOPE, "vh_scope_draw") \
  VH_CUDA_METHOD_KERNELS (K)
/* *INDENT-ON* */

typedef enum
{
#define K(id, module, name, ...) VH_CUDA_KERNEL_##id,
  VH_CUDA_KERNELS (K)
#undef K
  VH_CUDA_N_KERNELS
} VhCudaKernel;
