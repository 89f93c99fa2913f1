/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "driver.h"
#include "gstcudacompat.h"
#include "kernels.h"

G_BEGIN_DECLS

typedef struct _VhCudaDispatcher VhCudaDispatcher;      /* see dispatcher.h */

/* A context with the kernels loaded into it. There is one per CUcontext and
 * process, whichever objects wrap it. The kernels, events and pinned memory
 * stay with the context until just before it is destroyed, because freeing them
 * would wait for all running work. Thread-safe. */
typedef struct
{
  gint refcount;                /* protected by the table's lock; 0: unused,
                                 * kept for the next user */
  gboolean ready;               /* FALSE while a thread prepares it; protected
                                 * by the table's lock */
  gboolean forgotten;           /* no longer in the table; protected by the
                                 * table's lock */
  const VhCudaDriver *driver;
  GstCudaContext *context;      /* holds a reference while the device is used */
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
  gint memory_pools;            /* boolean: has stream-ordered memory */
  VhCudaDispatcher *dispatcher;

  GMutex load_lock;
  CUmodule modules[VH_CUDA_N_MODULES];  /* protected by load_lock */
  CUfunction kernels[VH_CUDA_N_KERNELS];        /* NULL until loaded, except in
                                                 * the module KERNELS */
  gint max_threads[VH_CUDA_N_KERNELS];  /* per block */
  gboolean overlaps[VH_CUDA_N_KERNELS]; /* launches may start before the
                                         * previous one on their stream has
                                         * ended; the kernel itself waits for
                                         * that */

  gint abandoned;               /* atomic: fences that nothing waits for any
                                 * more, but that have not passed */
  GMutex shared_lock;
  guint64 shared_started;       /* fences started on the dispatcher's stream;
                                 * protected by shared_lock */
  guint64 shared_ended;         /* how many of them ended; likewise */
  gint64 shared_since;          /* monotonic time in us when the last one ended,
                                 * or the first one started; likewise */
  GMutex cache_lock;
  GPtrArray *events;            /* CUevent, unused; protected by cache_lock */
  GPtrArray *pinned;            /* VhCudaPinned, unused; protected by
                                 * cache_lock */
} VhCudaDevice;

/* Loads @kernel unless it is loaded, for example if its module failed to load
 * with the device; the context must be current. If this fails, the kernel must
 * not be launched. */
CUresult vh_cuda_device_load (VhCudaDevice * device, VhCudaKernel kernel);

/* The same for @n kernels. */
CUresult vh_cuda_device_load_all (VhCudaDevice * device,
    const VhCudaKernel * kernels, guint n);

/* The name of its entry point; static. */
const gchar *vh_cuda_kernel_name (VhCudaKernel kernel);

/* vh_cuda_device_prepare() queries the device's features, and loads the kernels
 * that every stream may need; vh_cuda_device_unload() unloads them. The context
 * must be current. */
CUresult vh_cuda_device_prepare (VhCudaDevice * device);
void vh_cuda_device_unload (VhCudaDevice * device);

/* For fences on the dispatcher's stream: vh_cuda_device_begin_shared() records
 * that one was started, and returns its number; vh_cuda_device_end_shared()
 * records that one has ended. */
guint64 vh_cuda_device_begin_shared (VhCudaDevice * device);
void vh_cuda_device_end_shared (VhCudaDevice * device);

/* Whether a fence before the one with @number has not ended. */
gboolean vh_cuda_device_is_behind (VhCudaDevice * device, guint64 number);

/* Whether frames make progress on the dispatcher's stream. If a frame hangs
 * there, frames launched after it would be late, too. */
gboolean vh_cuda_device_shares (VhCudaDevice * device);

/* Makes the context current; it must be popped only if that succeeded. */
CUresult vh_cuda_device_push (VhCudaDevice * device);
void vh_cuda_device_pop (VhCudaDevice * device);

G_END_DECLS
