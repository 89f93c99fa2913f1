/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "driver.h"
#include "gstcudacompat.h"

G_BEGIN_DECLS

/* Bytes of a block's shared memory that are the kernels' own, at most. */
#define VH_CUDA_FIXED_SHARED 1024

/* The fat binaries: what is loaded with a device, and what with the first frame
 * that wants it. */
typedef enum
{
  VH_CUDA_MODULE_KERNELS,
  VH_CUDA_MODULE_METHODS,
  VH_CUDA_MODULE_JOINT,
  VH_CUDA_MODULE_CORRECT,
  VH_CUDA_MODULE_BLOCKSORT,
  VH_CUDA_N_MODULES
} VhCudaModule;

/* The entry points in kernels/, by module and name. */
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
  K (REPLICATED_BYTES, KERNELS, "vh_replicated_bytes") \
  K (REPLICATED_WORDS, KERNELS, "vh_replicated_words") \
  K (REPLICATED_PIXELS, KERNELS, "vh_replicated_pixels") \
  K (PACKED_COUNTERS_WHOLE, KERNELS, "vh_packed_counters_whole") \
  K (PACKED_COUNTERS_WORDS, KERNELS, "vh_packed_counters_words") \
  K (PACKED_COUNTERS_PIXELS, KERNELS, "vh_packed_counters_pixels") \
  K (JOINT_CHROMA, JOINT, "vh_joint_chroma") \
  K (JOINT_LUMA, JOINT, "vh_joint_luma") \
  K (JOINT_KEEP, JOINT, "vh_joint_keep") \
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
  K (GLOBAL_ATOMICS, METHODS, "vh_global_atomics") \
  K (BLOCK_SCALAR, METHODS, "vh_block_scalar") \
  K (BLOCK_VECTOR, METHODS, "vh_block_vector") \
  K (GLOBAL_COPIES, METHODS, "vh_global_copies") \
  K (COARSENED_CONTIGUOUS, METHODS, "vh_coarsened_contiguous") \
  K (COARSENED_INTERLEAVED, METHODS, "vh_coarsened_interleaved") \
  K (RUN_AGGREGATION, METHODS, "vh_run_aggregation") \
  K (TREE_REDUCTION, METHODS, "vh_tree_reduction") \
  K (TAGGED_WARPS, METHODS, "vh_tagged_warps") \
  K (THREAD_TABLES, METHODS, "vh_thread_tables") \
  K (BYTE_COUNTERS, METHODS, "vh_byte_counters") \
  K (WARP_TABLES, METHODS, "vh_warp_tables") \
  K (THREAD_BYTES_ROW, METHODS, "vh_thread_bytes_row") \
  K (THREAD_BYTES_COLUMN, METHODS, "vh_thread_bytes_column") \
  K (THREAD_BYTES_PACKED, METHODS, "vh_thread_bytes_packed") \
  K (RADIX_SORT, METHODS, "vh_radix_sort") \
  K (BLOCK_SORT, BLOCKSORT, "vh_block_sort")

typedef enum
{
#define DECLARE(id, module, name) VH_CUDA_KERNEL_##id,
  VH_CUDA_KERNELS (DECLARE)
#undef DECLARE
  VH_CUDA_N_KERNELS
} VhCudaKernel;

typedef struct _VhCudaDispatcher VhCudaDispatcher;      /* see dispatcher.h */

/* A context with the kernels loaded into it. There is one per CUcontext and
 * process, whatever wraps it. The kernels, events and pinned memory stay with
 * the context: freeing them would wait for whatever runs there. They go when
 * the context is about to. Thread-safe. */
typedef struct
{
  gint refcount;                /* protected by the table's lock; 0: unused, and
                                 * there for the next user */
  gboolean ready;               /* or being made; protected by the table's
                                 * lock */
  const VhCudaDriver *driver;
  GstCudaContext *context;      /* referred to while the device is used */
  GSList *wrappers;             /* all GstCudaContexts it was asked for by, not
                                 * referred to; protected by the table's lock */
  CUcontext handle;
  gint id;                      /* of the CUDA device */
  gint multiprocessors;
  gint threads_per_multiprocessor;
  gint shared_limit;            /* most bytes of shared memory a block can
                                 * have */
  gint l2_cache;                /* bytes */
  gint memory_pools;            /* whether there are: memory in stream order */
  VhCudaDispatcher *dispatcher;

  GMutex load_lock;
  CUmodule modules[VH_CUDA_N_MODULES];  /* protected by load_lock */
  CUfunction kernels[VH_CUDA_N_KERNELS];        /* of another module than
                                                 * KERNELS: NULL until loaded */
  gint max_threads[VH_CUDA_N_KERNELS];  /* per block */
  gboolean overlaps[VH_CUDA_N_KERNELS]; /* launches may begin before the one
                                         * before on their stream has ended, if
                                         * the kernel waits for that itself */

  gint abandoned;               /* atomic: fences that nobody waits for any more
                                 * and that have not passed */
  GMutex cache_lock;
  GPtrArray *events;            /* CUevent, unused; protected by cache_lock */
  GPtrArray *pinned;            /* VhCudaPinned, unused; protected by
                                 * cache_lock */
} VhCudaDevice;

/* Loads the kernels into @context, or refers to them where they are. NULL with
 * @error (VH_ERROR_DEVICE) set, and @result the driver's
 * answer. */
VhCudaDevice *vh_cuda_device_get (const VhCudaDriver * driver,
    GstCudaContext * context, CUresult * result, GError ** error);

/* Loads @kernel where it is not yet; the context must be current. Where that
 * failed it must not be launched. */
CUresult vh_cuda_device_load (VhCudaDevice * device, VhCudaKernel kernel);

VhCudaDevice *vh_cuda_device_ref (VhCudaDevice * device);
void vh_cuda_device_unref (VhCudaDevice * device);

/* Says that the context is gone, or what kernels do in it cannot be known: whoever
 * has its address next is another. */
void vh_cuda_device_forget (VhCudaDevice * device);

/* Makes the context current; only where that succeeded must it be popped. */
CUresult vh_cuda_device_push (VhCudaDevice * device);
void vh_cuda_device_pop (VhCudaDevice * device);

G_END_DECLS
