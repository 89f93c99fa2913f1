/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The GPU that is measured: its kernels, timing, and failures. */
#pragma once

#include "cuda/choose.h"
#include "cuda/stream.h"

G_BEGIN_DECLS

/* Functions of the driver besides those of src/cuda. Those from
 * StreamBeginCapture on may be NULL. */
#define BENCH_GPU_FUNCTIONS(F) \
  F (DriverGetVersion, "cuDriverGetVersion", (int *version)) \
  F (DeviceGetName, "cuDeviceGetName", \
      (char *name, int length, CUdevice device)) \
  F (MemcpyHtoD, "cuMemcpyHtoD_v2", \
      (CUdeviceptr to, const void *from, size_t size)) \
  F (MemcpyDtoH, "cuMemcpyDtoH_v2", \
      (void *to, CUdeviceptr from, size_t size)) \
  F (MemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", \
      (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)) \
  F (EventElapsedTime, "cuEventElapsedTime", \
      (float *ms, CUevent start, CUevent end)) \
  F (StreamBeginCapture, "cuStreamBeginCapture_v2", \
      (CUstream stream, CUstreamCaptureMode mode)) \
  F (StreamEndCapture, "cuStreamEndCapture", \
      (CUstream stream, CUgraph * graph)) \
  F (GraphInstantiate, "cuGraphInstantiateWithFlags", \
      (CUgraphExec * exec, CUgraph graph, unsigned long long flags)) \
  F (GraphLaunch, "cuGraphLaunch", (CUgraphExec exec, CUstream stream)) \
  F (GraphExecDestroy, "cuGraphExecDestroy", (CUgraphExec exec)) \
  F (GraphDestroy, "cuGraphDestroy", (CUgraph graph))

typedef enum
{
  BENCH_KERNEL_EMPTY,
  BENCH_KERNEL_DELAY,
  BENCH_KERNEL_FILL,
  BENCH_KERNEL_READ,
  BENCH_KERNEL_RACY,
  BENCH_KERNEL_SCAN,
  BENCH_KERNEL_SCAN_ADD,
  BENCH_KERNEL_SORT_BIT,
  BENCH_KERNEL_SORT_SPLIT,
  BENCH_KERNEL_REDUCE_SEGMENTS,
  BENCH_KERNEL_REDUCE_COMPACT,
  BENCH_KERNEL_REDUCE_PLACE,
  BENCH_KERNEL_SPARSE_THREADS,
  BENCH_KERNEL_SPARSE_WARPS,
  BENCH_KERNEL_DENSE_THREADS,
  BENCH_KERNEL_DENSE_WARPS,
  BENCH_N_KERNELS
} BenchKernel;

typedef struct
{
  GstCudaContext *context;
  VhCudaDevice *device;
  const VhCudaDriver *driver;
#define DECLARE(name, symbol, arguments) CUresult (CUDAAPI *name) arguments;
  BENCH_GPU_FUNCTIONS (DECLARE)
#undef DECLARE
  gboolean has_graphs;
  VhCudaStream *own;
  CUstream stream;              /* the stream of own; all work is enqueued on
                                 * it */
  CUevent start, end;
  CUmodule module;
  CUfunction kernels[BENCH_N_KERNELS];
  gchar name[128];
  gint cuda_version;            /* of the driver: 1000 * major + 10 * minor */
  gint major, minor;            /* compute capability */
  gint threads_per_block, shared_per_block;
  gint l2_bytes, clock_khz;
  gchar *failure;               /* the first failure, after which the GPU is not
                                 * used any more; or NULL */
} BenchGpu;

/* Opens device @id, and makes its context current in the calling thread. */
BenchGpu *bench_gpu_open (guint id, GError ** error);
void bench_gpu_free (BenchGpu * gpu);

/* Whether @result and all earlier results are successes. Stores the first
 * failure. */
gboolean bench_gpu_check (BenchGpu * gpu, CUresult result, const gchar * what);

/* Waits for the stream. A kernel that takes longer than a minute is a
 * failure. */
gboolean bench_gpu_wait (BenchGpu * gpu);

/* Returns 0 if there is not enough memory, which does not count as a
 * failure. */
CUdeviceptr bench_gpu_alloc (BenchGpu * gpu, gsize size);
void bench_gpu_release (BenchGpu * gpu, CUdeviceptr memory);

/* Copies from the host; work enqueued on the stream later waits for the
 * copy. */
gboolean bench_gpu_upload (BenchGpu * gpu, CUdeviceptr to, gconstpointer from,
    gsize size, const gchar * what);

gboolean bench_gpu_launch (BenchGpu * gpu, BenchKernel kernel, guint blocks,
    guint threads, void **arguments);

/* Enqueues run @k of what is timed; the runs count down to 0. */
typedef gboolean (*BenchEnqueue) (gpointer job, guint k);

/* @n runs, as one graph if the driver supports graphs and @n is greater than 1.
 * Free it with bench_replay_free(). */
typedef struct
{
  BenchEnqueue enqueue;
  gpointer job;
  guint n;
  CUgraph graph;
  CUgraphExec exec;
} BenchReplay;

void bench_replay_init (BenchReplay * replay, BenchGpu * gpu,
    BenchEnqueue enqueue, gpointer job, guint n);
void bench_replay_free (BenchReplay * replay, BenchGpu * gpu);

/* Enqueues the runs. */
gboolean bench_replay_enqueue (BenchReplay * replay, BenchGpu * gpu);

/* Waits for the runs. Returns the microseconds of one, or a negative number
 * after a failure. */
gdouble bench_replay_time (BenchReplay * replay, BenchGpu * gpu);

G_END_DECLS
