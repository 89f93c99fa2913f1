/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "driver.h"
#include "gstcudacompat.h"
#include "kernels.h"

G_BEGIN_DECLS

typedef struct _VhCudaDispatcher VhCudaDispatcher;      /* see dispatcher.h */

/* A context with the kernels loaded into it. There is one per CUcontext and
 * process, whatever wraps it. The kernels, events and pinned memory stay with
 * the context: freeing them would wait for whatever runs there. They are freed
 * just before the context. Thread-safe. */
typedef struct
{
  gint refcount;                /* protected by the table's lock; 0: unused,
                                 * kept for the next user */
  gboolean ready;               /* or being made; protected by the table's
                                 * lock */
  gboolean forgotten;           /* it is in the table no more; protected by the
                                 * table's lock */
  const VhCudaDriver *driver;
  GstCudaContext *context;      /* referred to while the device is used */
  GSList *wrappers;             /* all GstCudaContexts that it was requested
                                 * with, without references; protected by the
                                 * table's lock */
  CUcontext handle;
  gint id;                      /* of the CUDA device */
  gint multiprocessors;
  gint threads_per_multiprocessor;
  gint shared_limit;            /* most bytes of shared memory a block can
                                 * have */
  gint l2_cache;                /* bytes */
  gsize scratch_limit;          /* bytes of scratch for the tables of all
                                 * threads of a launch */
  gint memory_pools;            /* whether there are: memory in stream order */
  VhCudaDispatcher *dispatcher;

  GMutex load_lock;
  CUmodule modules[VH_CUDA_N_MODULES];  /* protected by load_lock */
  CUfunction kernels[VH_CUDA_N_KERNELS];        /* of another module than
                                                 * KERNELS: NULL until loaded */
  gint max_threads[VH_CUDA_N_KERNELS];  /* per block */
  gboolean overlaps[VH_CUDA_N_KERNELS]; /* launches may begin before the
                                         * previous one on their stream has
                                         * ended, if the kernel itself waits for
                                         * that */

  gint abandoned;               /* atomic: fences that are no longer waited for
                                 * and have not passed */
  GMutex shared_lock;
  guint64 shared_started;       /* fences on the dispatcher's stream, protected
                                 * by shared_lock */
  guint64 shared_ended;         /* of them; likewise */
  gint64 shared_since;          /* monotonic time of the last that ended, or of
                                 * the first, us; likewise */
  GMutex cache_lock;
  GPtrArray *events;            /* CUevent, unused; protected by cache_lock */
  GPtrArray *pinned;            /* VhCudaPinned, unused; protected by
                                 * cache_lock */
} VhCudaDevice;

/* Loads @kernel where it is not yet, such as one whose module failed to load
 * with the device; the context must be current. Where that failed it must not
 * be launched. */
CUresult vh_cuda_device_load (VhCudaDevice * device, VhCudaKernel kernel);

/* Whether it waits itself for the previous launch: all of its module do. */
gboolean vh_cuda_kernel_waits (VhCudaKernel kernel);

/* Its entry point; static. */
const gchar *vh_cuda_kernel_name (VhCudaKernel kernel);

/* Asks what the device has, and loads the kernels that every stream may need;
 * and unloads whatever was loaded. The context must be current. */
CUresult vh_cuda_device_prepare (VhCudaDevice * device);
void vh_cuda_device_unload (VhCudaDevice * device);

/* Says that a fence on the dispatcher's stream was started, and returns its
 * number; or that one is over. */
guint64 vh_cuda_device_begin_shared (VhCudaDevice * device);
void vh_cuda_device_end_shared (VhCudaDevice * device);

/* Whether one before that of @number is not over. */
gboolean vh_cuda_device_is_behind (VhCudaDevice * device, guint64 number);

/* Whether frames get on there: behind one that does not, others would be late
 * as well. */
gboolean vh_cuda_device_shares (VhCudaDevice * device);

/* Makes the context current; it must be popped only if that succeeded. */
CUresult vh_cuda_device_push (VhCudaDevice * device);
void vh_cuda_device_pop (VhCudaDevice * device);

G_END_DECLS
