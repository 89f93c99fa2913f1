/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "launch.h"
#include "core/methods.h"

G_BEGIN_DECLS

/* Code values of 8 bits, lanes of a warp. */
#define VH_CUDA_CODES 256
#define VH_CUDA_WARP 32

/* The kernels that read vectors number the pixels of a region in 32 bits. */
#define VH_CUDA_MAX_VECTOR_PIXELS (1 << 30)

/* How a method counts frames. */
typedef struct _VhCudaMethod VhCudaMethod;
struct _VhCudaMethod
{
  /* Whether the method can count the frame of @params, and how: fills @launch,
   * and the part of @params that the kernel reads. If it cannot, sets @why to
   * the reason as by vh_cuda_refuse(). */
  gboolean (*prepare) (const VhCudaMethod * self, const VhCudaDevice * device,
      const VhLayout * layout, VhKernelParams * params, VhCudaLaunch * launch,
      gchar ** why);
  VhMethod instead;             /* suggested if this one cannot count; that one
                                 * may suggest another, and so on up to
                                 * REPLICATED, which can count everything */

  /* For methods with one kernel. */
  VhCudaKernel kernel;
  guint threads;                /* per block */
  guint blocks;                 /* maximum per multiprocessor; 0: as many as
                                 * there is work for */
  guint samples;                /* minimum per thread */
  gboolean (*fit) (const VhCudaDevice * device, VhKernelParams * params,
      VhCudaLaunch * launch, gchar ** why);
};

/* The methods with one kernel: vh_cuda_method_GLOBAL_ATOMICS and so on. */
#define K(id, ...) extern const VhCudaMethod vh_cuda_method_##id;
VH_CUDA_METHOD_KERNELS (K)
#undef K

/* Sets @why, unless NULL, to a clause that says why a method cannot count a
 * frame. Returns FALSE. */
gboolean vh_cuda_refuse (gchar ** why, const gchar * format, ...)
    G_GNUC_PRINTF (2, 3);

/* Refuses a region with more pixels than the kernels that read vectors can
 * number. */
gboolean vh_cuda_check_pixels (const VhKernelParams * params, gchar ** why);

/* Bytes of shared memory that a block can use for counters. */
gsize vh_cuda_max_shared (const VhCudaDevice * device);

guint vh_cuda_count_channels (const VhKernelParams * params);
guint64 vh_cuda_count_pixels (const VhKernelParams * params);

/* Sets grid[0]: for each cell, enough blocks that each thread has about
 * @samples of work, but at most @budget blocks in total. */
void vh_cuda_set_grid (const VhKernelParams * params, guint samples,
    guint budget, VhCudaLaunch * launch);

/* Whether all counted channels are planes of 8-bit samples. */
gboolean vh_cuda_takes_planes (const VhLayout * layout,
    VhKernelParams * params);

/* The layout of the samples of all counted channels: VH_KERNEL_ANY... */
guint vh_cuda_choose_samples (const VhLayout * layout,
    VhKernelParams * params);

G_END_DECLS
