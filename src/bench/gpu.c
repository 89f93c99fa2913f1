/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gpu.h"
#include "cuda/devicetable.h"

#include <gmodule.h>
#include <gst/videohistogram/gstvideohistogram.h>

/* The fat binary with the benchmark's own kernels, embedded by the build. */
extern const unsigned long long vh_bench_fatbin[];

/* Maximum size of the tables of all threads: enough for up to 12,000 bins, with
 * as many threads as shared memory allows on 132 multiprocessors. */
#define SCRATCH_LIMIT (192 << 20)

#define SPIN (2 * G_TIME_SPAN_MILLISECOND)
#define TIMEOUT (60 * G_TIME_SPAN_SECOND)

/* Time for the host to enqueue a replay, in turns of the delay kernel: a fixed
 * part, plus one turn per RUNS_A_TURN runs. */
#define DELAY_TURNS 3
#define RUNS_A_TURN 16

static const gchar *const kernel_names[BENCH_N_KERNELS] = {
  [BENCH_KERNEL_EMPTY] = "vh_bench_empty",
  [BENCH_KERNEL_DELAY] = "vh_bench_delay",
  [BENCH_KERNEL_FILL] = "vh_bench_fill",
  [BENCH_KERNEL_READ] = "vh_bench_read",
  [BENCH_KERNEL_RACY] = "vh_bench_racy",
  [BENCH_KERNEL_SCAN] = "vh_bench_scan",
  [BENCH_KERNEL_SCAN_ADD] = "vh_bench_scan_add",
  [BENCH_KERNEL_SORT_BIT] = "vh_bench_sort_bit",
  [BENCH_KERNEL_SORT_SPLIT] = "vh_bench_sort_split",
  [BENCH_KERNEL_REDUCE_SEGMENTS] = "vh_bench_reduce_segments",
  [BENCH_KERNEL_REDUCE_COMPACT] = "vh_bench_reduce_compact",
  [BENCH_KERNEL_REDUCE_PLACE] = "vh_bench_reduce_place",
  [BENCH_KERNEL_SPARSE_THREADS] = "vh_bench_sparse_threads",
  [BENCH_KERNEL_SPARSE_WARPS] = "vh_bench_sparse_warps",
  [BENCH_KERNEL_DENSE_THREADS] = "vh_bench_dense_threads",
  [BENCH_KERNEL_DENSE_WARPS] = "vh_bench_dense_warps",
};

gboolean
bench_gpu_check (BenchGpu * gpu, CUresult result, const gchar * what)
{
  const gchar *name = NULL, *text = NULL;

  if (gpu->failure)
    return FALSE;
  if (result == CUDA_SUCCESS)
    return TRUE;
  gpu->driver->GetErrorName (result, &name);
  gpu->driver->GetErrorString (result, &text);
  gpu->failure = g_strdup_printf ("%s failed: %s (%s)", what,
      name ? name : "an unknown error", text ? text : "unknown");
  return FALSE;
}

static gboolean
load_functions (BenchGpu * self, GError ** error)
{
  GModule *library = g_module_open ("libcuda.so.1", G_MODULE_BIND_LOCAL);
  const gchar *missing = NULL;

#define LOAD(name, symbol, arguments) \
  if (!library \
      || !g_module_symbol (library, symbol, (gpointer *) &self->name)) { \
    self->name = NULL; \
    missing = missing ? missing : symbol; \
  }
  BENCH_GPU_FUNCTIONS (LOAD)
#undef LOAD
  /* The library is never closed, so its functions stay valid. */
  self->has_graphs = self->StreamBeginCapture && self->StreamEndCapture
      && self->GraphInstantiate && self->GraphLaunch && self->GraphExecDestroy
      && self->GraphDestroy;
  if (self->EventElapsedTime && self->MemcpyDtoH && self->MemcpyHtoD
      && self->MemcpyDtoDAsync && self->DeviceGetName && self->DriverGetVersion)
    return TRUE;
  g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
      GST_VIDEO_HISTOGRAM_ERROR_BACKEND, "the driver has no %s", missing);
  return FALSE;
}

static void
get_properties (BenchGpu * self)
{
  const struct
  {
    CUdevice_attribute attribute;
    gint *value;
  } attributes[] = {
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &self->major},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &self->minor},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &self->threads_per_block},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, &self->shared_per_block},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &self->l2_bytes},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &self->clock_khz},
  };
  CUdevice device;
  guint i;

  if (self->driver->CtxGetDevice (&device) != CUDA_SUCCESS)
    return;
  self->DeviceGetName (self->name, sizeof (self->name), device);
  self->DriverGetVersion (&self->cuda_version);
  for (i = 0; i < G_N_ELEMENTS (attributes); i++) {
    if (self->driver->DeviceGetAttribute (attributes[i].value,
            attributes[i].attribute, device) != CUDA_SUCCESS)
      *attributes[i].value = 0;
  }
}

static gboolean
prepare (BenchGpu * self)
{
  CUresult result;
  guint i;

  if (!bench_gpu_check (self, self->driver->ModuleLoadData (&self->module,
              vh_bench_fatbin), "loading the benchmark's kernels"))
    return FALSE;
  for (i = 0; i < BENCH_N_KERNELS; i++) {
    if (!bench_gpu_check (self,
            self->driver->ModuleGetFunction (&self->kernels[i], self->module,
                kernel_names[i]), kernel_names[i]))
      return FALSE;
  }
  self->own = vh_cuda_stream_new (self->device, &result);
  if (self->own)
    self->stream = self->own->handle;
  return bench_gpu_check (self, result, "making a stream")
      && bench_gpu_check (self, self->driver->EventCreate (&self->start,
          CU_EVENT_DEFAULT), "making an event")
      && bench_gpu_check (self, self->driver->EventCreate (&self->end,
          CU_EVENT_DEFAULT), "making an event");
}

BenchGpu *
bench_gpu_open (guint id, GError ** error)
{
  BenchGpu *self = g_new0 (BenchGpu, 1);
  CUresult result;

  self->driver = vh_cuda_driver_get (error);
  if (!self->driver || !load_functions (self, error))
    goto failed;
  if (gst_cuda_load_library ()) {
    gst_cuda_memory_init_once ();
    self->context = gst_cuda_context_new (id);
  }
  if (!self->context) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_DEVICE, "no CUDA device %u", id);
    goto failed;
  }
  self->device = vh_cuda_device_get (self->driver, self->context, &result,
      error);
  if (!self->device)
    goto failed;
  self->device->scratch_limit = SCRATCH_LIMIT;
  if (!bench_gpu_check (self, vh_cuda_device_push (self->device),
          "making the context current") || !prepare (self)) {
    g_set_error_literal (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_DEVICE, self->failure);
    goto failed;
  }
  get_properties (self);
  return self;

failed:
  bench_gpu_free (self);
  return NULL;
}

/* @gpu may be partly opened. Resources of a lost GPU cannot be freed. */
void
bench_gpu_free (BenchGpu * gpu)
{
  if (!gpu)
    return;
  if (!gpu->failure) {
    if (gpu->start)
      gpu->driver->EventDestroy (gpu->start);
    if (gpu->end)
      gpu->driver->EventDestroy (gpu->end);
    if (gpu->own)
      vh_cuda_stream_unref (gpu->own);
    if (gpu->module)
      gpu->driver->ModuleUnload (gpu->module);
    if (gpu->device) {
      vh_cuda_device_pop (gpu->device);
      vh_cuda_device_unref (gpu->device);
    }
    gst_clear_object (&gpu->context);
  }
  g_free (gpu->failure);
  g_free (gpu);
}

gboolean
bench_gpu_wait (BenchGpu * gpu)
{
  const gint64 begin = g_get_monotonic_time ();
  CUresult result;

  if (!bench_gpu_check (gpu, gpu->driver->EventRecord (gpu->end, gpu->stream),
          "recording an event"))
    return FALSE;
  while ((result = gpu->driver->EventQuery (gpu->end)) ==
      CUDA_ERROR_NOT_READY) {
    const gint64 waited = g_get_monotonic_time () - begin;

    if (waited > TIMEOUT) {
      gpu->failure = g_strdup ("a kernel did not finish within a minute");
      return FALSE;
    }
    if (waited > SPIN)
      g_usleep (50);
  }
  return bench_gpu_check (gpu, result, "a kernel");
}

CUdeviceptr
bench_gpu_alloc (BenchGpu * gpu, gsize size)
{
  CUdeviceptr memory = 0;
  CUresult result;

  if (gpu->failure)
    return 0;
  result = gpu->driver->MemAlloc (&memory, MAX (size, 256));
  if (result == CUDA_SUCCESS)
    return memory;
  if (result != CUDA_ERROR_OUT_OF_MEMORY)
    bench_gpu_check (gpu, result, "allocating memory");
  return 0;
}

void
bench_gpu_release (BenchGpu * gpu, CUdeviceptr memory)
{
  if (memory && !gpu->failure)
    bench_gpu_check (gpu, gpu->driver->MemFree (memory), "freeing memory");
}

gboolean
bench_gpu_upload (BenchGpu * gpu, CUdeviceptr to, gconstpointer from,
    gsize size, const gchar * what)
{
  /* The call may return before the copy has arrived, and the copy is ordered
   * only with the default stream. So the stream waits for an event that is
   * recorded there. */
  return bench_gpu_check (gpu, gpu->MemcpyHtoD (to, from, size), what)
      && bench_gpu_check (gpu, gpu->driver->EventRecord (gpu->end, NULL), what)
      && bench_gpu_check (gpu, gpu->driver->StreamWaitEvent (gpu->stream,
          gpu->end, 0), what);
}

gboolean
bench_gpu_launch (BenchGpu * gpu, BenchKernel kernel, guint blocks,
    guint threads, void **arguments)
{
  return bench_gpu_check (gpu, gpu->driver->LaunchKernel (gpu->kernels[kernel],
          blocks, 1, 1, threads, 1, 1, 0, gpu->stream, arguments, NULL),
      kernel_names[kernel]);
}

static gboolean
enqueue_all (BenchReplay * self)
{
  guint k = self->n;

  while (k > 0) {
    if (!self->enqueue (self->job, --k))
      return FALSE;
  }
  return TRUE;
}

/* Captures the runs in a graph. If that fails, they are enqueued one by one. */
static void
capture (BenchReplay * self, BenchGpu * gpu)
{
  CUresult result;

  if (gpu->failure || gpu->StreamBeginCapture (gpu->stream,
          CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) != CUDA_SUCCESS)
    return;
  enqueue_all (self);
  result = gpu->StreamEndCapture (gpu->stream, &self->graph);
  if (result == CUDA_SUCCESS)
    result = gpu->GraphInstantiate (&self->exec, self->graph, 0);
  if (result != CUDA_SUCCESS) {
    if (self->graph)
      gpu->GraphDestroy (self->graph);
    self->graph = NULL;
    self->exec = NULL;
  }
}

void
bench_replay_init (BenchReplay * replay, BenchGpu * gpu, BenchEnqueue enqueue,
    gpointer job, guint n)
{
  *replay = (BenchReplay) {.enqueue = enqueue,.job = job,.n = n };
  if (gpu->has_graphs && n > 1)
    capture (replay, gpu);
}

void
bench_replay_free (BenchReplay * replay, BenchGpu * gpu)
{
  if (replay->exec && !gpu->failure) {
    gpu->GraphExecDestroy (replay->exec);
    gpu->GraphDestroy (replay->graph);
  }
  replay->exec = NULL;
  replay->graph = NULL;
}

gboolean
bench_replay_enqueue (BenchReplay * replay, BenchGpu * gpu)
{
  if (gpu->failure)
    return FALSE;
  if (replay->exec) {
    return bench_gpu_check (gpu, gpu->GraphLaunch (replay->exec, gpu->stream),
        "replaying a graph");
  }
  return enqueue_all (replay);
}

gdouble
bench_replay_time (BenchReplay * replay, BenchGpu * gpu)
{
  guint32 turns = DELAY_TURNS + replay->n / RUNS_A_TURN;
  void *arguments[] = { &turns };
  gfloat ms = 0;

  if (!bench_gpu_launch (gpu, BENCH_KERNEL_DELAY, 1, 1, arguments)
      || !bench_gpu_check (gpu, gpu->driver->EventRecord (gpu->start,
              gpu->stream), "recording an event")
      || !bench_replay_enqueue (replay, gpu) || !bench_gpu_wait (gpu)
      || !bench_gpu_check (gpu, gpu->EventElapsedTime (&ms, gpu->start,
              gpu->end), "reading a time"))
    return -1;
  return ms * 1000 / replay->n;
}
