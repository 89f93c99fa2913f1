/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The GPU that is measured: its kernels, its clock, and whether it still
 * answers. */
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
  CUstream stream;              /* of own: all work is on it */
  CUevent start, end;
  CUmodule module;
  CUfunction kernels[BENCH_N_KERNELS];
  gchar name[128];
  gint cuda_version;            /* of the driver: 1000 * major + 10 * minor */
  gint major, minor;            /* compute capability */
  gint threads_per_block, shared_per_block;
  gint l2_bytes, clock_khz;
  gchar *failure;               /* that ended all use of it, or NULL */
} BenchGpu;

/* Device @id with its context current to the calling thread. */
BenchGpu *bench_gpu_open (guint id, GError ** error);
void bench_gpu_free (BenchGpu * gpu);

/* Whether @result and all earlier ones are successes; stores a failure. */
gboolean bench_gpu_check (BenchGpu * gpu, CUresult result, const gchar * what);

/* Waits for the stream. A kernel that takes longer than a minute is a
 * failure. */
gboolean bench_gpu_wait (BenchGpu * gpu);

/* 0 if there is no memory for it, which is not a failure. */
CUdeviceptr bench_gpu_alloc (BenchGpu * gpu, gsize size);
void bench_gpu_release (BenchGpu * gpu, CUdeviceptr memory);

/* Copies from the host, before all that is enqueued on the stream later. */
gboolean bench_gpu_upload (BenchGpu * gpu, CUdeviceptr to, gconstpointer from,
    gsize size, const gchar * what);

gboolean bench_gpu_launch (BenchGpu * gpu, BenchKernel kernel, guint blocks,
    guint threads, void **arguments);

/* What is timed: enqueues run @k of it, of those that count down to 0. */
typedef gboolean (*BenchEnqueue) (gpointer job, guint k);

/* @n runs, as one graph where the driver has graphs and @n is more than 1.
 * Freed with bench_replay_free(). */
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

/* Microseconds of one run; waits for it. Negative after a failure. */
gdouble bench_replay_time (BenchReplay * replay, BenchGpu * gpu);

G_END_DECLS
