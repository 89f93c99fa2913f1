/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "driver.h"
#include "gstcudacompat.h"
#include "kernels.h"

G_BEGIN_DECLS

/* Bytes of a block's shared memory that are the kernels' own, at most. */
#define VH_CUDA_FIXED_SHARED 1024

typedef struct _VhCudaDispatcher VhCudaDispatcher;      /* see dispatcher.h */

/* A context with the kernels loaded into it. There is one per context and
 * process, shared by all who count there; constant once made, but for what has
 * to be loaded. */
typedef struct
{
  gint refcount;                /* protected by the table's lock */
  gint running;                 /* atomic: frames under way on it */
  GSList *garbage;              /* of pinned memory that was to be freed while
                                 * frames were under way; protected by the
                                 * table's lock */
  const VhCudaDriver *driver;
  GstCudaContext *context;
  CUcontext handle;
  gint id;                      /* of the CUDA device */
  gint multiprocessors;
  gint threads_per_multiprocessor;
  gint shared_limit;            /* most bytes of shared memory a block can
                                 * have */
  gint l2_cache;                /* bytes */
  VhCudaDispatcher *dispatcher;
  CUmodule modules[VH_CUDA_N_MODULES];  /* protected by the table's lock */
  CUfunction kernels[VH_CUDA_N_KERNELS];        /* of another module than
                                                 * KERNELS: NULL until loaded */
  gint max_threads[VH_CUDA_N_KERNELS];  /* per block */
  gboolean overlaps[VH_CUDA_N_KERNELS]; /* launches may begin before the one
                                         * before on their stream has ended, if
                                         * the kernel waits for that itself */
} VhCudaDevice;

/* Loads the kernels into @context, or refers to them where they are. NULL with
 * @error (GST_VIDEO_HISTOGRAM_ERROR_DEVICE) set, and @result the driver's
 * answer. */
VhCudaDevice *vh_cuda_device_get (const VhCudaDriver * driver,
    GstCudaContext * context, CUresult * result, GError ** error);

/* Loads @kernel where it is not yet; the context must be current. Where that
 * failed it must not be launched. */
CUresult vh_cuda_device_load (VhCudaDevice * device, VhCudaKernel kernel);

VhCudaDevice *vh_cuda_device_ref (VhCudaDevice * device);
void vh_cuda_device_unref (VhCudaDevice * device);

/* Says that a frame is under way, or is no longer. */
void vh_cuda_device_begin (VhCudaDevice * device);
void vh_cuda_device_end (VhCudaDevice * device);

/* Frees pinned memory, as soon as no frame is under way: the driver waits for
 * kernels when it frees, and one may never end. */
void vh_cuda_device_free_host (VhCudaDevice * device, gpointer memory);

/* Makes the context current; only where that succeeded must it be popped. */
CUresult vh_cuda_device_push (VhCudaDevice * device);
void vh_cuda_device_pop (VhCudaDevice * device);

G_END_DECLS
