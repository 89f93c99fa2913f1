/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The driver double itself: it works like a driver, and detects misuse. */
#include <cuda.h>
#include <dlfcn.h>
#include <gst/check/gstcheck.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "double.h"

#define FUNCTIONS(F) \
  F (cuInit) F (cuDeviceGetCount) F (cuDeviceGetAttribute) F (cuDeviceGetName) \
  F (cuCtxCreate_v2) F (cuCtxDestroy_v2) F (cuCtxPushCurrent_v2) \
  F (cuCtxPopCurrent_v2) F (cuCtxGetCurrent) F (cuModuleLoadData) \
  F (cuModuleUnload) F (cuModuleGetFunction) F (cuFuncSetAttribute) \
  F (cuMemAllocAsync) F (cuMemFreeAsync) F (cuCtxSynchronize) \
  F (cuMemAlloc_v2) F (cuMemAllocPitch_v2) F (cuMemFree_v2) F (cuMemHostAlloc) \
  F (cuMemFreeHost) F (cuMemHostGetDevicePointer_v2) F (cuPointerGetAttribute) \
  F (cuMemsetD8Async) F (cuMemsetD32Async) F (cuMemcpy2DAsync_v2) \
  F (cuMemcpy2D_v2) F (cuMemcpyHtoD_v2) F (cuMemcpyHtoDAsync_v2) \
  F (cuMemcpyDtoH_v2) \
  F (cuMemcpyDtoHAsync_v2) F (cuMemcpyDtoDAsync_v2) F (cuStreamCreate) \
  F (cuStreamDestroy_v2) F (cuStreamSynchronize) F (cuStreamQuery) \
  F (cuStreamWaitEvent) F (cuEventCreate) F (cuEventDestroy_v2) \
  F (cuEventRecord) F (cuEventQuery) F (cuEventSynchronize) F (cuLaunchKernel) \
  F (cuLaunchKernelEx) \
  F (cuStreamBeginCapture_v2) F (cuStreamEndCapture) \
  F (cuGraphInstantiateWithFlags) F (cuGraphLaunch) F (cuGraphExecDestroy) \
  F (cuGraphDestroy) \
  F (cuGetErrorName) F (cuOccupancyMaxActiveBlocksPerMultiprocessor)

/* cuda.h declares them all but the old cuCtxCreate_v2. */
CUresult cuCtxCreate_v2 (CUcontext *, unsigned int, CUdevice);

static struct
{
#define DECLARE(name) __typeof__ (name) *name;
  FUNCTIONS (DECLARE)
#undef DECLARE
} cu;

static const VhDouble *vh;

/* For each test: a current context, a stream, a module. */
static CUcontext context;
static CUstream stream;
static CUmodule module;

typedef struct
{
  guint64 in, out;
  guint32 n, argument;
} SelftestParams;

#define OK(call) fail_unless_equals_int (call, CUDA_SUCCESS)
#define FAILS(call, code) fail_unless_equals_int (call, code)

static void
load (void)
{
  void *handle = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  VhDoubleOpen open;

  if (!handle)
    g_error ("%s", dlerror ());
#define RESOLVE(name) \
  cu.name = (__typeof__ (cu.name)) dlsym (handle, #name); \
  g_assert_nonnull (cu.name);
  FUNCTIONS (RESOLVE)
#undef RESOLVE
  open = (VhDoubleOpen) dlsym (handle, VH_DOUBLE_SYMBOL);
  g_assert_nonnull (open);
  vh = open ();
}

static void
setup (void)
{
  vh->reset ();
  OK (cu.cuInit (0));
  OK (cu.cuCtxCreate_v2 (&context, 0, 0));
  OK (cu.cuStreamCreate (&stream, CU_STREAM_NON_BLOCKING));
  OK (cu.cuModuleLoadData (&module, "// PTX"));
}

static void
teardown (void)
{
  vh->hang_kernels (FALSE);
  vh->hang_stream (stream, FALSE);
  vh->hang_launches (NULL, NULL);
  OK (cu.cuStreamSynchronize (stream));
  OK (cu.cuModuleUnload (module));
  OK (cu.cuStreamDestroy_v2 (stream));
  OK (cu.cuCtxDestroy_v2 (context));
  fail_unless_equals_int (vh->violations (), 0);
  fail_unless_equals_int (vh->depth (), 0);
  for (int kind = 0; kind < VH_DOUBLE_N_KINDS; kind++)
    fail_unless_equals_int (vh->live (kind), 0);
}

/* Checks that @call is reported as a violation whose text contains @words. */
#define VIOLATES(call, words) G_STMT_START { \
  fail_unless_equals_int (vh->violations (), 0); \
  call; \
  fail_unless_equals_int (vh->violations (), 1); \
  fail_unless (strstr (vh->last_violation (), words), "%s", \
      vh->last_violation ()); \
  vh->forgive (); \
} G_STMT_END

static CUfunction
get_function (const gchar * name)
{
  CUfunction function;

  OK (cu.cuModuleGetFunction (&function, module, name));
  return function;
}

static void
launch (const gchar * name, guint blocks, guint threads, guint shared,
    const SelftestParams * p, CUdeviceptr second)
{
  void *params[] = { (void *) p, &second };

  OK (cu.cuLaunchKernel (get_function (name), blocks, 1, 1, threads, 1, 1,
          shared, stream, params, NULL));
}

static CUdeviceptr
alloc (gsize size)
{
  CUdeviceptr p;

  OK (cu.cuMemAlloc_v2 (&p, size));
  return p;
}

/* Device memory with random words. */
static CUdeviceptr
alloc_random (guint32 * words, guint n, guint32 seed)
{
  CUdeviceptr p = alloc (n * 4);

  for (guint i = 0; i < n; i++)
    words[i] = seed = seed * 1664525 + 1013904223;
  OK (cu.cuMemcpyHtoD_v2 (p, words, n * 4));
  return p;
}

GST_START_TEST (test_device)
{
  gchar name[64];
  int value, n;

  OK (cu.cuDeviceGetCount (&n));
  fail_unless_equals_int (n, 1);
  OK (cu.cuDeviceGetName (name, sizeof name, 0));
  fail_unless_equals_string (name, "VH Double");
  OK (cu.cuDeviceGetAttribute (&value,
          CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
  fail_unless_equals_int (value, 2);
  FAILS (cu.cuDeviceGetAttribute (&value,
          CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 1),
      CUDA_ERROR_INVALID_DEVICE);
  vh->set_devices (2);
  OK (cu.cuDeviceGetAttribute (&value,
          CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 1));
  vh->set_devices (0);
  FAILS (cu.cuInit (0), CUDA_ERROR_NO_DEVICE);

  g_setenv ("VH_DOUBLE_PROCESSORS", "132", TRUE);
  vh->reset ();
  OK (cu.cuDeviceGetAttribute (&value,
          CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
  fail_unless_equals_int (value, 132);
  g_unsetenv ("VH_DOUBLE_PROCESSORS");
}

GST_END_TEST;

GST_START_TEST (test_memory)
{
  guint8 bytes[1000], back[1000];
  CUdeviceptr p = alloc (sizeof bytes), q = alloc (sizeof bytes);
  CUmemorytype type;
  gsize pitch;
  void *host;

  /* new memory is not zeroed */
  OK (cu.cuMemcpyDtoH_v2 (back, p, sizeof back));
  for (guint i = 0; i < sizeof back; i++)
    fail_unless_equals_int (back[i], 0xa5);

  for (guint i = 0; i < sizeof bytes; i++)
    bytes[i] = i * 7;
  OK (cu.cuMemcpyHtoDAsync_v2 (p, bytes, sizeof bytes, stream));
  OK (cu.cuMemcpyDtoDAsync_v2 (q + 100, p, 900, stream));
  OK (cu.cuMemsetD8Async (q, 9, 100, stream));
  OK (cu.cuMemcpyDtoHAsync_v2 (back, q, sizeof back, stream));
  OK (cu.cuStreamSynchronize (stream));
  fail_unless_equals_int (back[99], 9);
  fail_unless (memcmp (back + 100, bytes, 900) == 0);

  VIOLATES (FAILS (cu.cuMemcpyDtoH_v2 (back, p + 1, sizeof back),
          CUDA_ERROR_INVALID_VALUE), "at byte 1 of memory of 1000 bytes");
  VIOLATES (FAILS (cu.cuMemsetD8Async (p - 1, 0, 2, stream),
          CUDA_ERROR_INVALID_VALUE), "1 bytes before memory");
  VIOLATES (FAILS (cu.cuMemcpyHtoD_v2 (p, (void *) q, 1),
          CUDA_ERROR_INVALID_VALUE), "no address of the host");
  VIOLATES (FAILS (cu.cuMemFree_v2 (p + 512), CUDA_ERROR_INVALID_VALUE),
      "at byte 512");
  OK (cu.cuMemFree_v2 (p));
  VIOLATES (FAILS (cu.cuMemFree_v2 (p), CUDA_ERROR_INVALID_VALUE), "freed");
  VIOLATES (FAILS (cu.cuMemcpyDtoH_v2 (back, p, 1), CUDA_ERROR_INVALID_VALUE),
      "freed");
  OK (cu.cuMemFree_v2 (q));

  OK (cu.cuMemAllocPitch_v2 (&p, &pitch, 100, 3, 16));
  fail_unless_equals_int (pitch, 512);
  OK (cu.cuMemFree_v2 (p));
  FAILS (cu.cuMemAlloc_v2 (&p, 0), CUDA_ERROR_INVALID_VALUE);
  FAILS (cu.cuMemAlloc_v2 (&p, G_GUINT64_CONSTANT (1) << 40),
      CUDA_ERROR_OUT_OF_MEMORY);

  OK (cu.cuMemHostAlloc (&host, 100, CU_MEMHOSTALLOC_DEVICEMAP));
  OK (cu.cuMemHostGetDevicePointer_v2 (&p, host, 0));
  fail_unless (p == (CUdeviceptr) host);
  OK (cu.cuPointerGetAttribute (&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  fail_unless_equals_int (type, CU_MEMORYTYPE_HOST);
  VIOLATES (FAILS (cu.cuMemFree_v2 (p), CUDA_ERROR_INVALID_VALUE),
      "cuMemFree_v2");
  fail_unless_equals_int (vh->live (VH_DOUBLE_PINNED_MEMORY), 1);
  fail_unless_equals_int (vh->live_bytes (VH_DOUBLE_PINNED_MEMORY), 100);
  OK (cu.cuMemFreeHost (host));
}

GST_END_TEST;

GST_START_TEST (test_copy_2d)
{
  const guint width = 37, height = 11;
  guint8 in[50 * 11], out[40 * 11];
  CUDA_MEMCPY2D up = { 0, }, down = { 0, };
  CUdeviceptr p;
  gsize pitch;

  for (guint i = 0; i < sizeof in; i++)
    in[i] = i * 13;
  OK (cu.cuMemAllocPitch_v2 (&p, &pitch, width, height, 4));
  up.srcMemoryType = CU_MEMORYTYPE_HOST;
  up.srcHost = in;
  up.srcPitch = 50;
  up.srcXInBytes = 3;
  up.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  up.dstDevice = p;
  up.dstPitch = pitch;
  up.WidthInBytes = width;
  up.Height = height;
  OK (cu.cuMemcpy2DAsync_v2 (&up, stream));
  down = up;
  down.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  down.srcDevice = p;
  down.srcPitch = pitch;
  down.srcXInBytes = 0;
  down.dstMemoryType = CU_MEMORYTYPE_HOST;
  down.dstHost = out;
  down.dstPitch = 40;
  OK (cu.cuMemcpy2DAsync_v2 (&down, stream));
  OK (cu.cuStreamSynchronize (stream));
  for (guint y = 0; y < height; y++)
    fail_unless (memcmp (out + y * 40, in + 3 + y * 50, width) == 0);

  up.dstY = 1;
  VIOLATES (FAILS (cu.cuMemcpy2DAsync_v2 (&up, stream),
          CUDA_ERROR_INVALID_VALUE), "at byte 512 of memory");
  OK (cu.cuMemFree_v2 (p));
}

GST_END_TEST;

static sigjmp_buf landing;

static void
on_fault (int number G_GNUC_UNUSED)
{
  siglongjmp (landing, 1);
}

/* Whether reading at @p is a fault. */
static gboolean
faults (const void *p)
{
  struct sigaction action = {.sa_handler = on_fault }, old;
  volatile gboolean fault = TRUE;

  sigaction (SIGSEGV, &action, &old);
  if (sigsetjmp (landing, 1) == 0) {
    (void) *(const volatile guint8 *) p;
    fault = FALSE;
  }
  sigaction (SIGSEGV, &old, NULL);
  return fault;
}

GST_START_TEST (test_guards)
{
  CUdeviceptr p = alloc (4096);
  guint8 *host;

  fail_unless (faults ((void *) p));
  fail_unless (faults (stream));
  OK (cu.cuMemHostAlloc ((void **) &host, 4000, 0));
  fail_if (faults (host));
  fail_unless (faults (host + 4096));
#if !defined (__SANITIZE_ADDRESS__)
  host[4000] = 1;
  VIOLATES (OK (cu.cuMemFreeHost (host)), "were written");
#else
  OK (cu.cuMemFreeHost (host));
#endif
  fail_unless (faults (host));
  OK (cu.cuMemFree_v2 (p));
}

GST_END_TEST;

GST_START_TEST (test_contexts)
{
  CUcontext other, current;
  CUdeviceptr p;
  CUstream elsewhere;

  OK (cu.cuCtxPopCurrent_v2 (&current));
  fail_unless (current == context);
  VIOLATES (FAILS (cu.cuMemAlloc_v2 (&p, 1), CUDA_ERROR_INVALID_CONTEXT),
      "without a current context");
  VIOLATES (FAILS (cu.cuCtxPopCurrent_v2 (NULL), CUDA_ERROR_INVALID_CONTEXT),
      "empty");
  OK (cu.cuCtxCreate_v2 (&other, 0, 0));
  VIOLATES (FAILS (cu.cuMemsetD8Async (0, 0, 1, stream),
          CUDA_ERROR_INVALID_HANDLE), "another context");
  OK (cu.cuStreamCreate (&elsewhere, 0));
  VIOLATES (OK (cu.cuCtxDestroy_v2 (other)), "still in the context");
  VIOLATES (FAILS (cu.cuCtxPushCurrent_v2 (other), CUDA_ERROR_INVALID_CONTEXT),
      "no live context");
  OK (cu.cuCtxPushCurrent_v2 (context));
  VIOLATES (FAILS (cu.cuStreamQuery (elsewhere), CUDA_ERROR_INVALID_HANDLE),
      "no live stream");
  VIOLATES (FAILS (cu.cuModuleUnload ((CUmodule) stream),
          CUDA_ERROR_INVALID_HANDLE), "no live module");
}

GST_END_TEST;

static gpointer
leave_pushed (gpointer data G_GNUC_UNUSED)
{
  OK (cu.cuCtxPushCurrent_v2 (context));
  return NULL;
}

GST_START_TEST (test_stack_of_thread)
{
  VIOLATES (g_thread_join (g_thread_new ("pushes", leave_pushed, NULL)),
      "1 contexts on its stack");
}

GST_END_TEST;

GST_START_TEST (test_order)
{
  CUdeviceptr p = alloc (4);
  CUstream other;
  CUevent event;
  guint32 *host, value;

  OK (cu.cuMemHostAlloc ((void **) &host, 4, 0));
  OK (cu.cuStreamCreate (&other, CU_STREAM_NON_BLOCKING));
  OK (cu.cuEventCreate (&event, CU_EVENT_DISABLE_TIMING));
  OK (cu.cuEventQuery (event));
  vh->set_delay (3000);

  /* in a stream, and across streams through an event */
  for (guint i = 0; i < 20; i++) {
    OK (cu.cuMemsetD32Async (p, i, 1, stream));
    OK (cu.cuEventRecord (event, stream));
    OK (cu.cuStreamWaitEvent (other, event, 0));
    OK (cu.cuMemcpyDtoHAsync_v2 (host, p, 4, other));
    OK (cu.cuEventRecord (event, other));
    OK (cu.cuStreamWaitEvent (stream, event, 0));
    if (i % 2) {
      OK (cu.cuEventSynchronize (event));
    } else {
      while (cu.cuEventQuery (event) == CUDA_ERROR_NOT_READY)
        g_usleep (100);
    }
    fail_unless_equals_int (*host, i);
  }

  /* but not without an event */
  OK (cu.cuStreamSynchronize (stream));
  vh->set_delay (0);
  vh->hang_kernels (TRUE);
  launch ("selftest_scan", 1, 1, 0, &(SelftestParams) {.in = p,.out = p}, 0);
  OK (cu.cuMemsetD32Async (p, 77, 1, stream));
  OK (cu.cuMemcpyDtoHAsync_v2 (host, p, 4, other));
  OK (cu.cuStreamSynchronize (other));
  fail_unless_equals_int (*host, 19);
  FAILS (cu.cuStreamQuery (stream), CUDA_ERROR_NOT_READY);
  fail_unless_equals_int (vh->pending (), 2);
  fail_unless (vh->peek ((const void *) p, &value, 4));
  fail_unless_equals_int (value, 19);
  vh->hang_kernels (FALSE);
  OK (cu.cuStreamSynchronize (stream));
  OK (cu.cuStreamQuery (stream));
  fail_unless (vh->peek ((const void *) p, &value, 4));
  fail_unless_equals_int (value, 77);
  fail_if (vh->peek ((const void *) p, &value, 4096));

  OK (cu.cuEventDestroy_v2 (event));
  OK (cu.cuStreamDestroy_v2 (other));
  OK (cu.cuMemFreeHost (host));
  OK (cu.cuMemFree_v2 (p));
}

GST_END_TEST;

GST_START_TEST (test_null_stream)
{
  CUdeviceptr p = alloc (4);
  CUstream blocking;
  guint32 value;

  vh->set_delay (3000);
  OK (cu.cuStreamCreate (&blocking, 0));
  for (guint i = 0; i < 10; i++) {
    OK (cu.cuMemsetD32Async (p, i, 1, blocking));
    /* the null stream waits for the other one, whose next operation waits for
     * it */
    OK (cu.cuMemsetD32Async (p, 100 + i, 1, NULL));
    OK (cu.cuMemcpyDtoHAsync_v2 (&value, p, 4, blocking));
    fail_unless_equals_int (value, 100 + i);
  }
  OK (cu.cuStreamDestroy_v2 (blocking));
  OK (cu.cuMemFree_v2 (p));
}

GST_END_TEST;

/* A copy of pageable memory has been read when the call returns; pinned memory
 * is read later. */
GST_START_TEST (test_pageable)
{
  CUdeviceptr p = alloc (4);
  guint32 pageable = 1, back, *pinned;
  guint waits;

  OK (cu.cuMemHostAlloc ((void **) &pinned, 4, 0));
  vh->set_delay (0);
  vh->hang_kernels (TRUE);
  launch ("selftest_scan", 1, 1, 0, &(SelftestParams) {.in = p,.out = p}, 0);
  waits = vh->waits ();
  OK (cu.cuMemcpyHtoDAsync_v2 (p, &pageable, 4, stream));
  pageable = 2;
  *pinned = 3;
  vh->hang_kernels (FALSE);
  OK (cu.cuMemcpyDtoHAsync_v2 (&back, p, 4, stream));
  fail_unless_equals_int (back, 1);
  fail_unless_equals_int (vh->waits (), waits + 1);

  vh->hang_kernels (TRUE);
  launch ("selftest_scan", 1, 1, 0, &(SelftestParams) {.in = p,.out = p}, 0);
  OK (cu.cuMemcpyHtoDAsync_v2 (p, pinned, 4, stream));
  *pinned = 4;
  vh->hang_kernels (FALSE);
  OK (cu.cuMemcpyDtoHAsync_v2 (&back, p, 4, stream));
  fail_unless_equals_int (back, 4);
  OK (cu.cuMemFreeHost (pinned));
  OK (cu.cuMemFree_v2 (p));
}

GST_END_TEST;

GST_START_TEST (test_free_in_use)
{
  CUdeviceptr p = alloc (1000), q;
  CUDA_MEMCPY2D within = {
    .srcMemoryType = CU_MEMORYTYPE_DEVICE,
    .dstMemoryType = CU_MEMORYTYPE_DEVICE,
    .srcPitch = 1000,
    .dstPitch = 1000,
    .WidthInBytes = 1000,
    .Height = 1
  };

  vh->set_delay (3000);
  OK (cu.cuMemsetD8Async (p, 0, 1000, stream));
  VIOLATES (OK (cu.cuMemFree_v2 (p)), "in use by cuMemsetD8Async");

  p = alloc (1000);
  q = alloc (1000);
  within.srcDevice = p;
  within.dstDevice = q;
  OK (cu.cuMemcpy2D_v2 (&within));
  OK (cu.cuMemFree_v2 (p));
  OK (cu.cuMemFree_v2 (q));

  /* A kernel's results tell the caller that it no longer needs the memory. */
  vh->set_delay (0);
  for (guint lies = 0; lies < 2; lies++) {
    volatile guint32 *done;

    p = alloc (4);
    OK (cu.cuMemHostAlloc ((void **) &done, 4, 0));
    *done = 0;
    launch ("selftest_crime", 1, 32, 0, &(SelftestParams) {p,
          (CUdeviceptr) done, lies, 8}, 0);
    while (!*done)
      g_usleep (10);
    if (lies) {
      VIOLATES (OK (cu.cuMemFree_v2 (p)), "a kernel used");
    } else {
      OK (cu.cuMemFree_v2 (p));
    }
    OK (cu.cuMemFreeHost ((void *) done));
  }
}

GST_END_TEST;

/* Memory that @s allocates. */
static CUdeviceptr
alloc_async (gsize size, CUstream s)
{
  CUdeviceptr p;

  OK (cu.cuMemAllocAsync (&p, size, s));
  return p;
}

/* Makes further work on @s wait for all work given to @other. */
static void
follow (CUstream s, CUstream other)
{
  CUevent event;

  OK (cu.cuEventCreate (&event, CU_EVENT_DISABLE_TIMING));
  OK (cu.cuEventRecord (event, other));
  OK (cu.cuStreamWaitEvent (s, event, 0));
  OK (cu.cuEventDestroy_v2 (event));
}

/* Memory exists from its allocation to its free in stream order, and neither
 * call waits. */
GST_START_TEST (test_stream_ordered)
{
  guint32 back[64];
  CUdeviceptr p, words = alloc (256);
  CUstream other, third;
  int pools;

  OK (cu.cuDeviceGetAttribute (&pools,
          CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 0));
  fail_unless_equals_int (pools, 1);
  OK (cu.cuMemsetD32Async (words, 5, 64, stream));
  OK (cu.cuStreamCreate (&other, CU_STREAM_NON_BLOCKING));
  OK (cu.cuStreamCreate (&third, CU_STREAM_NON_BLOCKING));
  vh->set_delay (3000);
  FAILS (cu.cuMemAllocAsync (&p, 0, stream), CUDA_ERROR_INVALID_VALUE);

  /* on one stream */
  p = alloc_async (256, stream);
  OK (cu.cuMemcpyDtoDAsync_v2 (p, words, 256, stream));
  launch ("selftest_scan", 2, 32, 0, &(SelftestParams) {p, p, 0, 0}, 0);
  OK (cu.cuMemcpyDtoDAsync_v2 (words, p, 256, stream));
  OK (cu.cuMemFreeAsync (p, stream));
  fail_unless_equals_int (vh->live (VH_DOUBLE_DEVICE_MEMORY), 2);
  fail_unless_equals_int (vh->live_bytes (VH_DOUBLE_DEVICE_MEMORY), 512);
  OK (cu.cuStreamSynchronize (stream));
  fail_unless_equals_int (vh->live (VH_DOUBLE_DEVICE_MEMORY), 1);
  OK (cu.cuMemcpyDtoH_v2 (back, words, 256));
  for (guint i = 0; i < 64; i++)
    fail_unless_equals_int (back[i], i % 32 * 5);

  /* on three, one after the other */
  p = alloc_async (256, stream);
  follow (other, stream);
  OK (cu.cuMemsetD8Async (p, 0, 256, other));
  follow (third, other);
  OK (cu.cuMemsetD8Async (p, 1, 256, third));
  OK (cu.cuMemFreeAsync (p, third));
  OK (cu.cuStreamSynchronize (third));

  /* the host may enforce the order */
  p = alloc_async (256, stream);
  OK (cu.cuMemsetD8Async (p, 1, 256, stream));
  follow (other, stream);
  OK (cu.cuStreamSynchronize (other));
  OK (cu.cuMemsetD8Async (p, 1, 256, third));
  OK (cu.cuStreamSynchronize (third));
  OK (cu.cuMemFreeAsync (p, other));

  /* either function frees what the other allocated */
  p = alloc_async (256, stream);
  OK (cu.cuMemsetD8Async (p, 1, 256, stream));
  OK (cu.cuStreamSynchronize (stream));
  OK (cu.cuMemFree_v2 (p));
  OK (cu.cuMemFreeAsync (words, stream));
  OK (cu.cuCtxSynchronize ());
  fail_unless_equals_int (vh->live (VH_DOUBLE_DEVICE_MEMORY), 0);
  OK (cu.cuStreamDestroy_v2 (other));
  OK (cu.cuStreamDestroy_v2 (third));
}

GST_END_TEST;

/* Uses out of that order are detected, however fast the streams are. */
GST_START_TEST (test_stream_disordered)
{
  const SelftestParams *params;
  CUdeviceptr p;
  CUstream other;

  vh->set_delay (__i__ ? 3000 : 0);
  OK (cu.cuStreamCreate (&other, CU_STREAM_NON_BLOCKING));

  p = alloc_async (256, other);
  g_usleep (2000);
  VIOLATES (OK (cu.cuMemsetD8Async (p, 0, 256, stream)),
      "does not come after its allocation");
  params = &(SelftestParams) {p, p, 0, 0};
  VIOLATES (launch ("selftest_scan", 2, 32, 0, params, 0),
      "does not come after its allocation");
  OK (cu.cuCtxSynchronize ());
  OK (cu.cuMemFreeAsync (p, other));

  p = alloc_async (256, other);
  follow (stream, other);
  OK (cu.cuMemsetD8Async (p, 0, 256, stream));
  g_usleep (2000);
  VIOLATES (OK (cu.cuMemFreeAsync (p, other)), "in use by another stream");
  OK (cu.cuCtxSynchronize ());

  p = alloc_async (256, other);
  VIOLATES (OK (cu.cuMemFreeAsync (p, stream)),
      "does not come after its allocation");
  OK (cu.cuCtxSynchronize ());

  /* after the free, on its stream, on another, and after it has happened */
  vh->hang_stream (stream, TRUE);
  p = alloc_async (256, stream);
  follow (other, stream);
  launch ("selftest_scan", 2, 32, 0, &(SelftestParams) {p, p, 0, 0}, 0);
  OK (cu.cuMemFreeAsync (p, stream));
  VIOLATES (OK (cu.cuMemsetD8Async (p, 0, 256, stream)), "uses");
  VIOLATES (OK (cu.cuMemsetD8Async (p, 0, 256, other)), "uses");
  VIOLATES (FAILS (cu.cuMemFreeAsync (p, stream), CUDA_ERROR_INVALID_VALUE),
      "after cuMemFreeAsync");
  VIOLATES (FAILS (cu.cuMemFree_v2 (p), CUDA_ERROR_INVALID_VALUE),
      "after cuMemFreeAsync");
  vh->hang_stream (stream, FALSE);
  OK (cu.cuCtxSynchronize ());
  VIOLATES (FAILS (cu.cuMemFreeAsync (p, stream), CUDA_ERROR_INVALID_VALUE),
      "has been freed");

  /* cuMemFree does not wait for it */
  vh->set_delay (3000);
  p = alloc_async (256, stream);
  OK (cu.cuMemsetD8Async (p, 0, 256, stream));
  VIOLATES (OK (cu.cuMemFree_v2 (p)), "in use by cuMemsetD8Async");
  OK (cu.cuStreamDestroy_v2 (other));
}

GST_END_TEST;

/* Memory freed after a hanging kernel stays until that ends. */
GST_START_TEST (test_free_behind_hang)
{
  CUdeviceptr p = alloc_async (256, stream);

  vh->hang_kernels (TRUE);
  OK (cu.cuMemsetD8Async (p, 0, 256, stream));
  launch ("selftest_scan", 1, 32, 0, &(SelftestParams) {p, p, 0, 0}, 0);
  OK (cu.cuMemFreeAsync (p, stream));
  g_usleep (5000);
  fail_unless_equals_int (vh->live (VH_DOUBLE_DEVICE_MEMORY), 1);
  vh->hang_kernels (FALSE);
  OK (cu.cuStreamSynchronize (stream));
  fail_unless_equals_int (vh->live (VH_DOUBLE_DEVICE_MEMORY), 0);
}

GST_END_TEST;

GST_START_TEST (test_no_pools)
{
  CUdeviceptr p = 0;
  int pools;

  vh->fail_call ("cuMemAllocAsync", 1, CUDA_ERROR_OUT_OF_MEMORY,
      VH_DOUBLE_ONCE);
  FAILS (cu.cuMemAllocAsync (&p, 4, stream), CUDA_ERROR_OUT_OF_MEMORY);
  fail_unless (p == 0);
  g_setenv ("VH_DOUBLE_POOLS", "0", TRUE);
  vh->reset ();
  OK (cu.cuDeviceGetAttribute (&pools,
          CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 0));
  fail_unless_equals_int (pools, 0);
  FAILS (cu.cuMemAllocAsync (&p, 4, stream), CUDA_ERROR_NOT_SUPPORTED);
  p = alloc (4);
  FAILS (cu.cuMemFreeAsync (p, stream), CUDA_ERROR_NOT_SUPPORTED);
  OK (cu.cuMemFree_v2 (p));
  g_unsetenv ("VH_DOUBLE_POOLS");
}

GST_END_TEST;

/* Selects launches of selftest_scan whose input is @data. */
static bool
match_input (void *data, const char *kernel, void *where, void *on,
    const void *parameters, size_t bytes)
{
  const SelftestParams *p = parameters;

  fail_unless_equals_string (kernel, "selftest_scan");
  fail_unless (where == context && on == stream);
  fail_unless (bytes >= sizeof (*p));
  return p->in == *(const CUdeviceptr *) data;
}

/* All or some kernels of one stream hang; other streams continue. */
GST_START_TEST (test_hang_stream)
{
  const CUdeviceptr p = alloc (256), q = alloc (256);
  const CUstream own = stream;
  CUstream other;

  OK (cu.cuMemsetD8Async (p, 0, 256, stream));
  OK (cu.cuMemsetD8Async (q, 0, 256, stream));
  OK (cu.cuStreamSynchronize (stream));
  OK (cu.cuStreamCreate (&other, CU_STREAM_NON_BLOCKING));
  vh->hang_stream (own, TRUE);
  launch ("selftest_scan", 2, 32, 0, &(SelftestParams) {p, p, 0, 0}, 0);
  stream = other;
  launch ("selftest_scan", 2, 32, 0, &(SelftestParams) {q, q, 0, 0}, 0);
  OK (cu.cuStreamSynchronize (other));
  FAILS (cu.cuStreamQuery (own), CUDA_ERROR_NOT_READY);
  vh->hang_stream (own, FALSE);
  OK (cu.cuStreamSynchronize (own));
  stream = own;

  vh->hang_launches (match_input, (void *) &p);
  launch ("selftest_scan", 2, 32, 0, &(SelftestParams) {q, q, 0, 0}, 0);
  OK (cu.cuStreamSynchronize (stream));
  launch ("selftest_scan", 2, 32, 0, &(SelftestParams) {p, p, 0, 0}, 0);
  g_usleep (5000);
  FAILS (cu.cuStreamQuery (stream), CUDA_ERROR_NOT_READY);
  vh->hang_launches (NULL, NULL);
  OK (cu.cuStreamSynchronize (stream));
  OK (cu.cuStreamDestroy_v2 (other));
  OK (cu.cuMemFree_v2 (p));
  OK (cu.cuMemFree_v2 (q));
}

GST_END_TEST;

/* State when a kernel of @stream hangs. */
static struct
{
  CUstream idle;
  CUdeviceptr words, in_order, also_in_order;
  void *pinned;
  CUevent event;                /* after the kernel */
  CUmodule module;
  CUcontext context;            /* with a hanging stream of its own */
} held;

static void
do_mem_alloc_async (void)
{
  OK (cu.cuMemFreeAsync (alloc_async (256, held.idle), held.idle));
}

static void
do_mem_free_async (void)
{
  OK (cu.cuMemFreeAsync (held.in_order, held.idle));
}

static void
do_mem_free_async_busy (void)
{
  OK (cu.cuMemFreeAsync (held.also_in_order, stream));
}

static void
do_mem_free_in_order (void)
{
  OK (cu.cuMemFree_v2 (held.in_order));
}

static void
do_mem_alloc (void)
{
  held.words = alloc (256);
}

static void
do_mem_free (void)
{
  OK (cu.cuMemFree_v2 (held.words));
}

static void
do_host_alloc (void)
{
  OK (cu.cuMemHostAlloc (&held.pinned, 256, 0));
}

static void
do_free_host (void)
{
  OK (cu.cuMemFreeHost (held.pinned));
}

static void
do_event_destroy (void)
{
  OK (cu.cuEventDestroy_v2 (held.event));
}

static void
do_event_create (void)
{
  OK (cu.cuEventCreate (&held.event, CU_EVENT_DISABLE_TIMING));
}

static void
do_stream_create_destroy (void)
{
  CUstream s;

  OK (cu.cuStreamCreate (&s, CU_STREAM_NON_BLOCKING));
  OK (cu.cuStreamDestroy_v2 (s));
}

static void
do_stream_destroy_busy (void)
{
  OK (cu.cuStreamDestroy_v2 (stream));
}

static void
do_module_load (void)
{
  OK (cu.cuModuleLoadData (&held.module, "// PTX"));
}

static void
do_module_unload (void)
{
  OK (cu.cuModuleUnload (held.module));
}

static void
do_launch (void)
{
  SelftestParams p = { held.in_order, held.in_order, 0, 0 };
  void *params[] = { &p };

  OK (cu.cuLaunchKernel (get_function ("selftest_scan"), 1, 1, 1, 32, 1, 1, 0,
          held.idle, params, NULL));
}

static void
do_synchronize_idle (void)
{
  do_launch ();
  OK (cu.cuStreamSynchronize (held.idle));
}

static void
do_copy (void)
{
  OK (cu.cuMemcpyDtoHAsync_v2 (held.pinned, held.in_order, 64, held.idle));
  OK (cu.cuStreamSynchronize (held.idle));
}

static void
do_set (void)
{
  OK (cu.cuMemsetD8Async (held.in_order, 0, 64, held.idle));
  OK (cu.cuStreamSynchronize (held.idle));
}

static void
do_synchronize_all (void)
{
  OK (cu.cuCtxSynchronize ());
}

/* Measured on an H200 with driver 580.159. */
static const struct
{
  const gchar *name;
  void (*call) (void);
  gboolean waits;
} calls_behind_hang[] = {
  {"cuMemAllocAsync", do_mem_alloc_async, FALSE},
  {"cuMemFreeAsync", do_mem_free_async, FALSE},
  {"cuMemFreeAsync on the busy stream", do_mem_free_async_busy, FALSE},
  {"cuMemFree of what a stream allocated", do_mem_free_in_order, FALSE},
  {"cuMemAlloc", do_mem_alloc, FALSE},
  {"cuMemFree", do_mem_free, TRUE},
  {"cuMemHostAlloc", do_host_alloc, FALSE},
  {"cuMemFreeHost", do_free_host, TRUE},
  {"cuEventCreate", do_event_create, FALSE},
  {"cuEventDestroy", do_event_destroy, FALSE},
  {"cuStreamCreate", do_stream_create_destroy, FALSE},
  {"cuStreamDestroy", do_stream_destroy_busy, FALSE},
  {"cuModuleLoadData", do_module_load, TRUE},
  {"cuModuleUnload", do_module_unload, TRUE},
  {"cuLaunchKernel", do_launch, FALSE},
  {"cuStreamSynchronize", do_synchronize_idle, FALSE},
  {"cuMemcpyDtoHAsync", do_copy, FALSE},
  {"cuMemsetD8Async", do_set, FALSE},
  {"cuCtxSynchronize", do_synchronize_all, TRUE},
};

static gint returned;           /* atomic */

static gpointer
call_in_thread (gpointer data)
{
  void (*const *call) (void) = data;

  OK (cu.cuCtxPushCurrent_v2 (context));
  (*call) ();
  g_atomic_int_set (&returned, TRUE);
  OK (cu.cuCtxPopCurrent_v2 (NULL));
  return NULL;
}

/* Checks whether @call, on another thread, returns before @hung continues, or
 * only after. */
static void
check_waits (const gchar * name, void (*const *call) (void), gboolean waits,
    CUstream hung)
{
  GThread *thread;

  returned = FALSE;
  thread = g_thread_new (name, call_in_thread, (gpointer) call);
  if (waits) {
    g_usleep (30000);
    fail_if (g_atomic_int_get (&returned), "%s does not wait", name);
    vh->hang_stream (hung, FALSE);
  }
  for (guint i = 0; i < 5000 && !g_atomic_int_get (&returned); i++)
    g_usleep (1000);
  fail_unless (g_atomic_int_get (&returned), "%s waits", name);
  g_thread_join (thread);
}

GST_START_TEST (test_waits)
{
  const guint i = __i__;
  const CUstream busy = stream;
  const CUdeviceptr in = alloc (256);

  OK (cu.cuStreamCreate (&held.idle, CU_STREAM_NON_BLOCKING));
  do_event_create ();
  do_mem_alloc ();
  do_host_alloc ();
  do_module_load ();
  held.in_order = alloc_async (256, held.idle);
  held.also_in_order = alloc_async (256, stream);
  OK (cu.cuMemsetD8Async (held.in_order, 0, 256, held.idle));
  OK (cu.cuCtxSynchronize ());
  vh->hang_stream (stream, TRUE);
  launch ("selftest_scan", 1, 32, 0, &(SelftestParams) {in, in, 0, 0}, 0);
  OK (cu.cuEventRecord (held.event, stream));

  check_waits (calls_behind_hang[i].name, &calls_behind_hang[i].call,
      calls_behind_hang[i].waits, busy);

  /* Whatever else the call created or freed is left to the context. */
  vh->hang_stream (busy, FALSE);
  OK (cu.cuCtxDestroy_v2 (context));
  vh->reset ();
  setup ();
}

GST_END_TEST;

static void
do_context_destroy (void)
{
  OK (cu.cuCtxDestroy_v2 (held.context));
}

GST_START_TEST (test_destroy_waits)
{
  void (*const call) (void) = do_context_destroy;
  const CUstream own = stream;
  const CUmodule own_module = module;
  CUdeviceptr in;

  OK (cu.cuCtxCreate_v2 (&held.context, 0, 0));
  OK (cu.cuStreamCreate (&stream, CU_STREAM_NON_BLOCKING));
  OK (cu.cuModuleLoadData (&module, "// PTX"));
  in = alloc (256);
  vh->hang_stream (stream, TRUE);
  launch ("selftest_scan", 1, 32, 0, &(SelftestParams) {in, in, 0, 0}, 0);
  OK (cu.cuCtxPopCurrent_v2 (NULL));
  g_usleep (5000);
  check_waits ("cuCtxDestroy", &call, TRUE, stream);
  stream = own;
  module = own_module;
}

GST_END_TEST;

GST_START_TEST (test_histogram)
{
  const guint n = 100003;
  guint8 *bytes = g_malloc (n);
  guint32 expected[256] = { 0, }, counts[512], zero[513] = { 0, };
  CUdeviceptr in = alloc (n), out = alloc (sizeof zero);

  for (guint i = 0; i < n; i++) {
    bytes[i] = (i * 2654435761u) >> 22;
    expected[bytes[i]]++;
  }
  OK (cu.cuMemcpyHtoD_v2 (in, bytes, n));
  for (guint blocks = 1; blocks <= 7; blocks++) {
    OK (cu.cuMemcpyHtoD_v2 (out, zero, sizeof zero));
    launch ("selftest_histogram", blocks, 1 << (4 + blocks % 7), 1024,
        &(SelftestParams) {in, out, n, 0}, out + 2048);
    OK (cu.cuMemcpyDtoHAsync_v2 (counts, out, sizeof counts, stream));
    fail_unless (memcmp (counts, expected, sizeof expected) == 0);
    fail_unless (memcmp (counts + 256, expected, sizeof expected) == 0);
  }
  OK (cu.cuMemFree_v2 (in));
  OK (cu.cuMemFree_v2 (out));
  g_free (bytes);
}

GST_END_TEST;

/* Captured operations happen each time the graph is launched. */
GST_START_TEST (test_graph)
{
  const guint n = 1000;
  guint32 counts[513] = { 0, };
  CUdeviceptr in = alloc (n), out = alloc (sizeof counts);
  CUgraph graph;
  CUgraphExec exec;

  OK (cu.cuMemcpyHtoD_v2 (out, counts, sizeof counts));
  OK (cu.cuStreamBeginCapture_v2 (stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  OK (cu.cuMemsetD8Async (in, 7, n, stream));
  launch ("selftest_histogram", 2, 64, 1024,
      &(SelftestParams) {in, out, n, 0}, out + 2048);
  OK (cu.cuStreamEndCapture (stream, &graph));
  OK (cu.cuGraphInstantiateWithFlags (&exec, graph, 0));
  OK (cu.cuGraphDestroy (graph));
  OK (cu.cuStreamSynchronize (stream));
  OK (cu.cuMemcpyDtoH_v2 (counts, out, sizeof counts));
  fail_unless_equals_int (counts[7], 0);

  OK (cu.cuGraphLaunch (exec, stream));
  OK (cu.cuGraphLaunch (exec, stream));
  OK (cu.cuStreamSynchronize (stream));
  OK (cu.cuMemcpyDtoH_v2 (counts, out, sizeof counts));
  fail_unless_equals_int (counts[7], 2 * n);
  OK (cu.cuGraphExecDestroy (exec));
  VIOLATES (FAILS (cu.cuStreamEndCapture (stream, &graph),
          CUDA_ERROR_ILLEGAL_STATE), "does not capture");
  VIOLATES (FAILS (cu.cuGraphLaunch (exec, stream),
          CUDA_ERROR_INVALID_HANDLE), "no live graph");
  OK (cu.cuMemFree_v2 (in));
  OK (cu.cuMemFree_v2 (out));
}

GST_END_TEST;

/* Launches a kernel that may start before the previous launch on the stream has
 * ended. */
static CUresult
launch_early (CUfunction function, guint blocks, const SelftestParams * p)
{
  void *params[] = { (void *) p };
  CUlaunchAttribute attribute = {
    .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
    .value.programmaticStreamSerializationAllowed = 1,
  };
  const CUlaunchConfig config = {
    blocks, 1, 1, 64, 1, 1, 0, stream, &attribute, 1
  };

  return cu.cuLaunchKernelEx (&config, function, params, NULL);
}

/* Returns the smallest of the words after @n launches that add 1 to each of
 * them; the first is an ordinary launch. */
static guint
count_launches (CUdeviceptr words, guint blocks, guint argument, guint n)
{
  const SelftestParams p = { words, 0, 0, argument };
  const CUfunction function = get_function ("selftest_dependent");
  guint32 back[64 * 7];
  guint least = n, i;

  OK (cu.cuMemsetD32Async (words, 0, blocks * 64, stream));
  launch ("selftest_dependent", blocks, 64, 0, &p, 0);
  for (i = 1; i < n; i++)
    OK (launch_early (function, blocks, &p));
  OK (cu.cuMemcpyDtoHAsync_v2 (back, words, blocks * 64 * 4, stream));
  OK (cu.cuStreamSynchronize (stream));
  for (i = 0; i < blocks * 64; i++)
    least = MIN (least, back[i]);
  return least;
}

/* A kernel that waits for the previous launch sees its writes; one that reads
 * earlier does not. */
GST_START_TEST (test_dependent)
{
  const CUdeviceptr words = alloc (64 * 7 * 4);
  const CUfunction function = get_function ("selftest_dependent");
  const guint before = vh->overlaps ();
  CUgraphExec exec;
  CUgraph graph;
  guint32 back[64];
  guint i;

  for (i = 1; i <= 7; i++)
    fail_unless_equals_int (count_launches (words, i, 0, 20), 20);
  fail_unless (vh->overlaps () > before);
  fail_unless (count_launches (words, 3, 1, 40) < 40);
  VIOLATES (count_launches (words, 1, 2, 2), "no thread of it has waited");

  /* A graph is replayed in the same way. */
  OK (cu.cuMemsetD32Async (words, 0, 64, stream));
  OK (cu.cuStreamBeginCapture_v2 (stream,
          CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  for (i = 0; i < 4; i++)
    OK (launch_early (function, 1, &(SelftestParams) {words, 0, 0, 1}));
  OK (cu.cuStreamEndCapture (stream, &graph));
  OK (cu.cuGraphInstantiateWithFlags (&exec, graph, 0));
  for (i = 0; i < 20; i++)
    OK (cu.cuGraphLaunch (exec, stream));
  OK (cu.cuMemcpyDtoHAsync_v2 (back, words, sizeof (back), stream));
  OK (cu.cuStreamSynchronize (stream));
  fail_unless (back[0] < 80);
  OK (cu.cuGraphExecDestroy (exec));
  OK (cu.cuGraphDestroy (graph));
  OK (cu.cuMemFree_v2 (words));
}

GST_END_TEST;

/* A block that has started early ends if the device is lost. */
GST_START_TEST (test_dependent_fault)
{
  const CUfunction function = get_function ("selftest_dependent");
  const CUdeviceptr words = alloc (64 * 4);
  guint i;

  for (i = 0; i < 10; i++) {
    const SelftestParams p = { words, 0, 0, 0 };

    OK (cu.cuMemsetD32Async (words, 0, 64, stream));
    vh->fault_kernel (3, CUDA_ERROR_ILLEGAL_ADDRESS);
    launch ("selftest_dependent", 1, 64, 0, &p, 0);
    while (launch_early (function, 1, &p) == CUDA_SUCCESS);
    FAILS (cu.cuStreamSynchronize (stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    vh->reset ();
  }
  fail_unless_equals_int (count_launches (words, 1, 0, 20), 20);
  OK (cu.cuMemFree_v2 (words));
}

GST_END_TEST;

GST_START_TEST (test_scan)
{
  guint32 words[4 * 1024], back[4 * 1024];
  CUdeviceptr in = alloc_random (words, G_N_ELEMENTS (words), 1);
  CUdeviceptr out = alloc (sizeof back);

  for (guint threads = 32; threads <= 1024; threads += 96) {
    guint32 sum = 0;

    launch ("selftest_scan", 4, threads, 0, &(SelftestParams) {in, out, 0, 0},
        0);
    OK (cu.cuMemcpyDtoHAsync_v2 (back, out, sizeof back, stream));
    for (guint i = 0; i < 4 * threads; i++) {
      if (i % threads == 0)
        sum = 0;
      fail_unless_equals_int (back[i], sum);
      sum += words[i];
    }
  }
  OK (cu.cuMemFree_v2 (in));
  OK (cu.cuMemFree_v2 (out));
}

GST_END_TEST;

static guint32
byte_perm (guint32 a, guint32 b, guint32 s)
{
  const guint64 all = (guint64) b << 32 | a;
  guint32 r = 0;

  for (guint i = 0; i < 4; i++)
    r |= (guint32) (all >> (s >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  return r;
}

/* Like selftest_warp, computed for all lanes of a warp at once. */
static void
reference_warp (const guint32 * v, guint32 * hash, guint32 * counts,
    guint block)
{
  static const guint32 primes[4] = { 2, 3, 5, 7 };
  guint32 ballot = 0, any = 0, add = 0, min = ~0u, xor = 0, odd = 0, even = ~0u;
  gint32 max = G_MININT32;

  for (guint i = 0; i < 32; i++) {
    ballot |= (v[i] & 1) << i;
    any |= v[i] % 37 == 0;
    add += v[i];
    min = MIN (min, v[i]);
    max = MAX (max, (gint32) v[i]);
    xor ^= v[i];
    if (i & 1)
      odd |= v[i];
    else
      even &= v[i];
    counts[v[i] % 3]++;
  }
  for (guint i = 0; i < 32; i++) {
    guint32 h = primes[i % 4], match = 0, reversed = 0;

    for (guint k = 0; k < 32; k++) {
      match |= (guint32) (v[k] % 5 == v[i] % 5) << k;
      reversed |= (v[i] >> k & 1) << (31 - k);
    }
#define MIX(x) h = (h ^ (guint32) (x)) * 16777619u
    MIX (ballot);
    MIX (any);
    MIX (!any);
    MIX (match);
    MIX (add);
    MIX (min);
    MIX (max);
    MIX (xor);
    MIX (v[v[i] % 32]);
    MIX (v[i ^ 5]);
    MIX (v[i % 8 + 3 < 8 ? i + 3 : i]);
    MIX (i & 1 ? odd : even);
    MIX (__builtin_popcount (v[i]) + (v[i] ? __builtin_clz (v[i]) : 32) +
        __builtin_ffs (v[i]));
    MIX (reversed);
    MIX (byte_perm (v[i], h, 0x5140));
    MIX ((guint64) v[i] * h >> 32);
    MIX (((guint64) h << 32 | v[i]) << 7 >> 32);
    MIX (block);
#undef MIX
    hash[i] = h;
  }
}

GST_START_TEST (test_warp)
{
  guint32 words[512], back[515], counts[3], expected[3] = { 0, };
  CUdeviceptr in = alloc_random (words, 512, 7), out = alloc (sizeof back);

  words[3] = 0;
  OK (cu.cuMemcpyHtoD_v2 (in, words, sizeof words));
  OK (cu.cuMemsetD8Async (out, 0, sizeof back, stream));
  launch ("selftest_warp", 2, 256, 0, &(SelftestParams) {in, out, 512, 0}, 0);
  OK (cu.cuMemcpyDtoHAsync_v2 (back, out, sizeof back, stream));
  for (guint block = 0; block < 2; block++) {
    guint n = 0;

    for (guint i = 0; i < 256; i++)
      n += (words[block * 256 + i] & 2) != 0;
    for (guint warp = 0; warp < 8; warp++) {
      guint32 hash[32];

      reference_warp (words + block * 256 + warp * 32, hash, expected, n);
      for (guint i = 0; i < 32; i++)
        fail_unless_equals_int (back[block * 256 + warp * 32 + i], hash[i]);
    }
  }
  memcpy (counts, back + 512, sizeof counts);
  fail_unless (memcmp (counts, expected, sizeof counts) == 0);
  OK (cu.cuMemFree_v2 (in));
  OK (cu.cuMemFree_v2 (out));
}

GST_END_TEST;

GST_START_TEST (test_grid_barrier)
{
  guint32 back[5];
  CUdeviceptr out = alloc (sizeof back), arrived = alloc (4);

  OK (cu.cuMemsetD8Async (out, 0, sizeof back, stream));
  OK (cu.cuMemsetD8Async (arrived, 0, 4, stream));
  launch ("selftest_grid_barrier", 4, 32, 0, &(SelftestParams) {0, out, 0, 0},
      arrived);
  OK (cu.cuMemcpyDtoHAsync_v2 (back, out, sizeof back, stream));
  for (guint i = 0; i < 5; i++)
    fail_unless_equals_int (back[i], 4);
  OK (cu.cuMemFree_v2 (out));
  OK (cu.cuMemFree_v2 (arrived));
}

GST_END_TEST;

/* Launches selftest_meet on @stream and on @other, with these words. */
static void
launch_meeting (CUstream other, CUdeviceptr words, guint max_polls)
{
  const CUstream own = stream;

  OK (cu.cuMemsetD32Async (words, 0, 5, stream));
  OK (cu.cuStreamSynchronize (stream));
  launch ("selftest_meet", 1, 1, 0,
      &(SelftestParams) {words, words + 8, max_polls, 0}, words + 16);
  if (max_polls == 0)
    follow (other, stream);
  stream = other;
  launch ("selftest_meet", 1, 1, 0,
      &(SelftestParams) {words + 8, words, max_polls, 0}, words + 16);
  stream = own;
  OK (cu.cuStreamSynchronize (stream));
  OK (cu.cuStreamSynchronize (other));
}

/* Kernels of two streams run at the same time: unordered accesses to the same
 * memory go wrong. */
GST_START_TEST (test_two_streams)
{
  const CUdeviceptr words = alloc (5 * 4);
  guint32 back[5];
  CUstream other;

  OK (cu.cuStreamCreate (&other, CU_STREAM_NON_BLOCKING));
  launch_meeting (other, words, 1000000);
  OK (cu.cuMemcpyDtoH_v2 (back, words, sizeof (back)));
  fail_unless_equals_int (back[1], 1);
  fail_unless_equals_int (back[3], 1);
  fail_unless_equals_int (back[4], 1);  /* one addition is lost */

  launch_meeting (other, words, 0);
  OK (cu.cuMemcpyDtoH_v2 (back, words, sizeof (back)));
  fail_unless_equals_int (back[1], 0);
  fail_unless_equals_int (back[3], 1);
  fail_unless_equals_int (back[4], 2);
  OK (cu.cuStreamDestroy_v2 (other));
  OK (cu.cuMemFree_v2 (words));
}

GST_END_TEST;

/* Blocks that wait for each other all run, even with another such grid at the
 * same time, and with more grids than run at once. */
GST_START_TEST (test_two_grid_barriers)
{
  const CUstream own = stream;
  CUdeviceptr out[4], arrived[4];
  CUstream streams[4];
  guint32 back[5];
  guint i, k;

  for (i = 0; i < 4; i++) {
    OK (cu.cuStreamCreate (&streams[i], CU_STREAM_NON_BLOCKING));
    out[i] = alloc (sizeof back);
    arrived[i] = alloc (4);
    OK (cu.cuMemsetD8Async (out[i], 0, sizeof back, streams[i]));
    OK (cu.cuMemsetD8Async (arrived[i], 0, 4, streams[i]));
  }
  for (i = 0; i < 4; i++) {
    stream = streams[i];
    launch ("selftest_grid_barrier", 4, 32, 0,
        &(SelftestParams) {0, out[i], 0, 0}, arrived[i]);
  }
  stream = own;
  for (i = 0; i < 4; i++) {
    OK (cu.cuMemcpyDtoHAsync_v2 (back, out[i], sizeof back, streams[i]));
    for (k = 0; k < 5; k++)
      fail_unless_equals_int (back[k], 4);
    OK (cu.cuMemFree_v2 (out[i]));
    OK (cu.cuMemFree_v2 (arrived[i]));
    OK (cu.cuStreamDestroy_v2 (streams[i]));
  }
}

GST_END_TEST;

/* Handles of destroyed objects are reused if requested, and only then. */
GST_START_TEST (test_handles_come_back)
{
  const gboolean reuse = __i__;
  CUstream streams[3];
  CUevent events[2];
  CUcontext contexts[2];

  vh->reuse_handles (reuse);
  OK (cu.cuStreamCreate (&streams[0], 0));
  OK (cu.cuStreamCreate (&streams[1], 0));
  OK (cu.cuStreamDestroy_v2 (streams[0]));
  OK (cu.cuStreamDestroy_v2 (streams[1]));
  OK (cu.cuStreamCreate (&streams[2], 0));
  fail_unless_equals_int (streams[2] == streams[1], reuse);
  if (reuse) {
    OK (cu.cuStreamQuery (streams[1]));
  } else {
    VIOLATES (FAILS (cu.cuStreamQuery (streams[1]), CUDA_ERROR_INVALID_HANDLE),
        "no live stream");
  }
  OK (cu.cuStreamDestroy_v2 (streams[2]));

  OK (cu.cuEventCreate (&events[0], 0));
  OK (cu.cuEventDestroy_v2 (events[0]));
  OK (cu.cuEventCreate (&events[1], 0));
  fail_unless_equals_int (events[1] == events[0], reuse);
  OK (cu.cuEventDestroy_v2 (events[1]));

  OK (cu.cuCtxCreate_v2 (&contexts[0], 0, 0));
  OK (cu.cuCtxPushCurrent_v2 (context));
  OK (cu.cuCtxDestroy_v2 (contexts[0]));
  OK (cu.cuCtxCreate_v2 (&contexts[1], 0, 0));
  fail_unless_equals_int (contexts[1] == contexts[0], reuse);
  OK (cu.cuCtxDestroy_v2 (contexts[1]));
  OK (cu.cuCtxPopCurrent_v2 (NULL));
  VIOLATES (FAILS (cu.cuCtxSynchronize (), CUDA_ERROR_CONTEXT_IS_DESTROYED),
      "destroyed");
  OK (cu.cuCtxPopCurrent_v2 (NULL));
}

GST_END_TEST;

GST_START_TEST (test_unload_in_use)
{
  const CUdeviceptr p = alloc (256);
  CUmodule gone;
  CUgraph graph;
  CUgraphExec exec;

  OK (cu.cuMemsetD8Async (p, 0, 256, stream));
  vh->set_delay (3000);
  gone = module;
  launch ("selftest_scan", 1, 32, 0, &(SelftestParams) {p, p, 0, 0}, 0);
  OK (cu.cuModuleLoadData (&module, "// PTX"));
  launch ("selftest_scan", 1, 32, 0, &(SelftestParams) {p, p, 0, 0}, 0);
  OK (cu.cuModuleUnload (gone));        /* of another module */
  OK (cu.cuModuleLoadData (&gone, "// PTX"));
  launch ("selftest_scan", 1, 32, 0, &(SelftestParams) {p, p, 0, 0}, 0);
  VIOLATES (OK (cu.cuModuleUnload (module)), "under way");
  OK (cu.cuStreamQuery (stream));

  module = gone;
  OK (cu.cuStreamBeginCapture_v2 (stream,
          CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  launch ("selftest_scan", 1, 32, 0, &(SelftestParams) {p, p, 0, 0}, 0);
  OK (cu.cuStreamEndCapture (stream, &graph));
  OK (cu.cuGraphInstantiateWithFlags (&exec, graph, 0));
  OK (cu.cuGraphDestroy (graph));
  OK (cu.cuModuleUnload (gone));
  VIOLATES (FAILS (cu.cuGraphLaunch (exec, stream),
          CUDA_ERROR_INVALID_HANDLE), "unloaded");
  OK (cu.cuGraphExecDestroy (exec));
  OK (cu.cuModuleLoadData (&module, "// PTX"));
  OK (cu.cuMemFree_v2 (p));
}

GST_END_TEST;

static gpointer
launch_one_more (gpointer data)
{
  const CUdeviceptr p = *(CUdeviceptr *) data;

  OK (cu.cuCtxPushCurrent_v2 (context));
  launch ("selftest_scan", 1, 32, 0, &(SelftestParams) {p, p, 0, 0}, 0);
  g_atomic_int_set (&returned, TRUE);
  OK (cu.cuCtxPopCurrent_v2 (NULL));
  return NULL;
}

/* A launch waits if its stream's queue is full, and only then. */
GST_START_TEST (test_queue)
{
  const CUstream own = stream;
  CUdeviceptr p = alloc (256);
  GThread *thread;
  CUstream other;
  guint i;

  OK (cu.cuStreamCreate (&other, CU_STREAM_NON_BLOCKING));
  OK (cu.cuMemsetD8Async (p, 0, 256, stream));
  vh->set_queue (4);
  vh->hang_stream (own, TRUE);
  for (i = 0; i < 4; i++) {
    launch ("selftest_scan", 1, 32, 0, &(SelftestParams) {p, p, 0, 0}, 0);
    OK (cu.cuMemsetD8Async (p, 0, 256, stream));
  }
  returned = FALSE;
  thread = g_thread_new ("launches", launch_one_more, &p);
  g_usleep (30000);
  fail_if (g_atomic_int_get (&returned));
  fail_unless_equals_int (vh->pending (), 8);
  stream = other;
  launch ("selftest_scan", 1, 32, 0, &(SelftestParams) {p, p, 0, 0}, 0);
  OK (cu.cuStreamSynchronize (other));
  stream = own;
  vh->hang_stream (own, FALSE);
  g_thread_join (thread);
  OK (cu.cuStreamDestroy_v2 (other));
  OK (cu.cuStreamSynchronize (stream));
  OK (cu.cuMemFree_v2 (p));
}

GST_END_TEST;

static const struct
{
  guint argument;
  CUresult code;
  const gchar *words;
} crimes[] = {
  {0, CUDA_ERROR_ILLEGAL_ADDRESS, "writes 4 bytes"},
  {1, CUDA_ERROR_ILLEGAL_ADDRESS, "before memory"},
  {2, CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned"},
  {3, CUDA_ERROR_ILLEGAL_ADDRESS, "of 1024 bytes of dynamic shared memory"},
  {4, CUDA_ERROR_LAUNCH_FAILED, "is stuck"},
  {5, CUDA_ERROR_LAUNCH_FAILED, "trapped"},
  {9, CUDA_ERROR_MISALIGNED_ADDRESS, "copies a vector of 16 bytes"},
  {10, CUDA_ERROR_MISALIGNED_ADDRESS, "copies a vector of 8 bytes"},
};

/* A kernel that does something forbidden is stopped before it happens, and the
 * device is lost. */
GST_START_TEST (test_crime)
{
  const guint i = __i__;
  CUdeviceptr in = alloc (400), out = alloc (400);
  CUdeviceptr p;

  launch ("selftest_crime", 2, 64, 1024, &(SelftestParams) {in, out, 100,
        crimes[i].argument}, 0);
  FAILS (cu.cuStreamSynchronize (stream), crimes[i].code);
  FAILS (cu.cuStreamQuery (stream), crimes[i].code);
  FAILS (cu.cuMemAlloc_v2 (&p, 4), crimes[i].code);
  fail_unless_equals_int (vh->violations (), 1);
  fail_unless (strstr (vh->last_violation (), crimes[i].words), "%s",
      vh->last_violation ());
  vh->reset ();
  OK (cu.cuMemFree_v2 (in));
  OK (cu.cuMemFree_v2 (out));
}

GST_END_TEST;

/* The same happens if it uses memory of another context, on another device or
 * not. */
GST_START_TEST (test_foreign_memory)
{
  CUdeviceptr in, out = alloc (2048);
  CUcontext other;

  vh->set_devices (2);
  OK (cu.cuCtxCreate_v2 (&other, 0, __i__));
  in = alloc (100);
  OK (cu.cuCtxPopCurrent_v2 (NULL));
  launch ("selftest_histogram", 1, 32, 1024,
      &(SelftestParams) {in, out, 100, 0}, out + 1024);
  FAILS (cu.cuStreamSynchronize (stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  fail_unless (strstr (vh->last_violation (), "of another context"), "%s",
      vh->last_violation ());
  vh->reset ();
  OK (cu.cuMemFree_v2 (in));
  OK (cu.cuCtxDestroy_v2 (other));
  OK (cu.cuMemFree_v2 (out));
}

GST_END_TEST;

/* State of the last launch seen. */
static struct
{
  gchar kernel[40];
  guint device;
  SelftestParams params;
  guint n;
} seen;

static void
see_launch (void *data, const char *kernel, unsigned device,
    const void *parameters, size_t bytes)
{
  fail_unless (data == &seen);
  fail_unless (bytes >= sizeof (seen.params));
  g_strlcpy (seen.kernel, kernel, sizeof (seen.kernel));
  seen.device = device;
  seen.params = *(const SelftestParams *) parameters;
  seen.n++;
}

GST_START_TEST (test_watch)
{
  CUdeviceptr out = alloc (2048);
  CUmodule module_of_0 = module;
  CUstream stream_of_0 = stream;
  CUcontext other;

  vh->set_devices (2);
  OK (cu.cuMemsetD8Async (out, 0, 2048, stream));
  vh->watch_launches (see_launch, &seen);
  vh->reset ();
  vh->set_devices (2);
  launch ("selftest_histogram", 1, 32, 1024,
      &(SelftestParams) {0, out, 0, 7}, out + 1024);
  fail_unless_equals_int (seen.n, 1);
  fail_unless_equals_string (seen.kernel, "selftest_histogram");
  fail_unless_equals_int (seen.device, 0);
  fail_unless_equals_int (seen.params.argument, 7);
  OK (cu.cuStreamSynchronize (stream));
  OK (cu.cuMemFree_v2 (out));

  OK (cu.cuCtxCreate_v2 (&other, 0, 1));
  OK (cu.cuStreamCreate (&stream, CU_STREAM_NON_BLOCKING));
  OK (cu.cuModuleLoadData (&module, "// PTX"));
  out = alloc (2048);
  launch ("selftest_histogram", 1, 32, 1024,
      &(SelftestParams) {0, out, 0, 0}, out + 1024);
  fail_unless_equals_int (seen.device, 1);
  vh->watch_launches (NULL, NULL);
  launch ("selftest_histogram", 1, 32, 1024,
      &(SelftestParams) {0, out, 0, 0}, out + 1024);
  fail_unless_equals_int (seen.n, 2);
  OK (cu.cuStreamSynchronize (stream));
  OK (cu.cuMemFree_v2 (out));
  OK (cu.cuModuleUnload (module));
  OK (cu.cuStreamDestroy_v2 (stream));
  OK (cu.cuCtxDestroy_v2 (other));
  module = module_of_0;
  stream = stream_of_0;
}

GST_END_TEST;

/* Faults that real hardware shows only sometimes are seen at once: lost counts,
 * and uninitialized shared memory. */
GST_START_TEST (test_races_show)
{
  guint32 back[64];
  CUdeviceptr in = alloc (256), out = alloc (256);
  guint sum = 0;

  OK (cu.cuMemsetD32Async (in, 1, 64, stream));
  OK (cu.cuMemsetD8Async (out, 0, 256, stream));
  launch ("selftest_crime", 1, 256, 0, &(SelftestParams) {in, out, 0, 6}, 0);
  OK (cu.cuMemcpyDtoHAsync_v2 (back, out, 256, stream));
  for (guint i = 0; i < 4; i++)
    sum += back[i];
  fail_unless (sum < 256 * 16, "%u", sum);

  launch ("selftest_crime", 1, 64, 256, &(SelftestParams) {0, out, 0, 7}, 0);
  OK (cu.cuMemcpyDtoHAsync_v2 (back, out, 256, stream));
  for (guint i = 0; i < 64; i++)
    fail_unless_equals_int (back[i], 0xa5a5a5a5);
  OK (cu.cuMemFree_v2 (in));
  OK (cu.cuMemFree_v2 (out));
}

GST_END_TEST;

GST_START_TEST (test_launch_limits)
{
  SelftestParams p = { 0, };
  CUdeviceptr second = 0;
  void *params[] = { &p, &second };
  CUfunction f = get_function ("selftest_histogram"), none;
  int n;

  FAILS (cu.cuModuleGetFunction (&none, module, "no_such_kernel"),
      CUDA_ERROR_NOT_FOUND);
  FAILS (cu.cuModuleLoadData (&(CUmodule) {NULL}, "JUNK"),
      CUDA_ERROR_INVALID_IMAGE);
  VIOLATES (FAILS (cu.cuLaunchKernel (f, 1, 1, 1, 1025, 1, 1, 0, stream, params,
              NULL), CUDA_ERROR_INVALID_VALUE), "1025x1x1");
  VIOLATES (FAILS (cu.cuLaunchKernel (f, 1, 1, 1, 32, 1, 1, 49153, stream,
              params, NULL), CUDA_ERROR_INVALID_VALUE), "49153 bytes");
  OK (cu.cuFuncSetAttribute (f,
          CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
  OK (cu.cuLaunchKernel (f, 1, 1, 1, 32, 1, 1, 100000, stream, params, NULL));
  FAILS (cu.cuStreamSynchronize (stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  vh->reset ();
  OK (cu.cuOccupancyMaxActiveBlocksPerMultiprocessor (&n, f, 1024, 100000));
  fail_unless_equals_int (n, 2);
}

GST_END_TEST;

GST_START_TEST (test_fail)
{
  CUdeviceptr p = 0, q = 0;
  const gchar *name;
  guint n;

  vh->fail_call ("cuMemAlloc_v2", 2, CUDA_ERROR_OUT_OF_MEMORY, VH_DOUBLE_ONCE);
  OK (cu.cuMemAlloc_v2 (&p, 4));
  FAILS (cu.cuMemAlloc_v2 (&q, 4), CUDA_ERROR_OUT_OF_MEMORY);
  fail_unless (q == 0);
  OK (cu.cuMemAlloc_v2 (&q, 4));
  OK (cu.cuMemFree_v2 (q));

  vh->fail_call ("cuMemAlloc_v2", 1, 46, VH_DOUBLE_EVER);
  for (guint i = 0; i < 3; i++)
    FAILS (cu.cuMemAlloc_v2 (&q, 4), 46);
  OK (cu.cuStreamSynchronize (stream));
  vh->reset ();

  vh->fail_call (NULL, 3, 700, VH_DOUBLE_ALL);
  OK (cu.cuStreamSynchronize (stream));
  OK (cu.cuStreamQuery (stream));
  FAILS (cu.cuStreamQuery (stream), 700);
  FAILS (cu.cuMemFree_v2 (p), 700);
  FAILS (cu.cuCtxPushCurrent_v2 (context), 700);
  vh->reset ();

  n = vh->calls ();
  fail_unless_equals_int (n, 0);
  OK (cu.cuMemFree_v2 (p));
  fail_unless_equals_int (vh->calls (), 1);
  fail_unless_equals_string (vh->call_name (0), "cuMemFree_v2");
  fail_unless_equals_int (vh->call_result (0), 0);
  fail_unless (vh->call_name (1) == NULL);
  fail_unless_equals_int (vh->count ("cuMemFree_v2"), 1);
  OK (cu.cuGetErrorName (700, &name));
  fail_unless_equals_string (name, "CUDA_ERROR_ILLEGAL_ADDRESS");
}

GST_END_TEST;

GST_START_TEST (test_fault)
{
  guint32 zero[64] = { 0, };
  CUdeviceptr p = alloc (256);
  CUevent event;

  OK (cu.cuMemcpyHtoD_v2 (p, zero, 256));
  OK (cu.cuEventCreate (&event, 0));
  vh->fault_kernel (2, 719);
  for (guint i = 0; i < 2; i++) {
    OK (cu.cuStreamSynchronize (stream));
    launch ("selftest_scan", 2, 32, 0, &(SelftestParams) {p, p, 0, 0}, 0);
  }
  FAILS (cu.cuStreamSynchronize (stream), 719);
  FAILS (cu.cuEventQuery (event), 719);
  FAILS (cu.cuMemFree_v2 (p), 719);
  fail_unless_equals_int (vh->launches (), 2);
  /* as with a driver, pinned memory is not the device's */
  OK (cu.cuCtxPushCurrent_v2 (context));
  OK (cu.cuCtxPopCurrent_v2 (NULL));
  vh->reset ();
  OK (cu.cuEventDestroy_v2 (event));
  OK (cu.cuMemFree_v2 (p));
}

GST_END_TEST;

GST_START_TEST (test_fork)
{
  pid_t child = fork ();
  int status;

  if (child == 0)
    _exit (cu.cuStreamQuery (stream));
  waitpid (child, &status, 0);
  fail_unless_equals_int (WEXITSTATUS (status), CUDA_ERROR_NOT_INITIALIZED);
}

GST_END_TEST;

/* Prints how long the smallest launches of a counting kernel take. */
GST_START_TEST (test_time)
{
  guint32 zero[513] = { 0, };
  CUdeviceptr in = alloc (65536), out = alloc (sizeof zero);
  gint64 begin;

  vh->set_delay (0);
  OK (cu.cuMemcpyHtoD_v2 (out, zero, sizeof zero));
  for (guint n = 0; n < 65536; n += 32768) {
    for (guint i = 0; i < 2; i++) {
      begin = g_get_monotonic_time ();
      for (guint k = 0; k < 20; k++)
        launch ("selftest_histogram", 4, 1024, 1024,
            &(SelftestParams) {in, out, n, 0}, out + 2048);
      OK (cu.cuStreamSynchronize (stream));
    }
    g_print ("4 blocks of 1024 threads, 4 barriers, %u bytes: %.2f ms\n", n,
        (g_get_monotonic_time () - begin) / 20e3);
  }
  OK (cu.cuMemFree_v2 (in));
  OK (cu.cuMemFree_v2 (out));
}

GST_END_TEST;

/* Debian's nvcodec, which knows nothing about the double. */
GST_START_TEST (test_nvcodec)
{
  GstElement *pipeline;
  GstMessage *message;
  GstRegistry *registry = gst_registry_get ();
  GError *error = NULL;

  if (!gst_registry_check_feature_version (registry, "cudaupload", 1, 0, 0)) {
    g_print ("nvcodec has not registered cudaupload: skipped\n");
    return;
  }
  vh->forgive ();
  pipeline = gst_parse_launch ("videotestsrc num-buffers=5 ! cudaupload ! "
      "video/x-raw(memory:CUDAMemory),format=NV12,width=320,height=240 ! "
      "cudadownload ! video/x-raw ! fakesink", &error);
  g_assert_no_error (error);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (GST_ELEMENT_BUS (pipeline),
      20 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  fail_unless (vh->count ("cuMemcpy2DAsync_v2") >= 10);
}

GST_END_TEST;

static Suite *
double_suite (void)
{
  Suite *s = suite_create ("double");
  TCase *driver = tcase_create ("driver");
  TCase *others = tcase_create ("nvcodec");

  tcase_add_checked_fixture (driver, setup, teardown);
  tcase_add_test (driver, test_device);
  tcase_add_test (driver, test_memory);
  tcase_add_test (driver, test_copy_2d);
  tcase_add_test (driver, test_guards);
  tcase_add_test (driver, test_contexts);
  tcase_add_test (driver, test_stack_of_thread);
  tcase_add_test (driver, test_order);
  tcase_add_test (driver, test_null_stream);
  tcase_add_test (driver, test_pageable);
  tcase_add_test (driver, test_free_in_use);
  tcase_add_test (driver, test_stream_ordered);
  tcase_add_loop_test (driver, test_stream_disordered, 0, 2);
  tcase_add_test (driver, test_free_behind_hang);
  tcase_add_test (driver, test_no_pools);
  tcase_add_test (driver, test_hang_stream);
  tcase_add_loop_test (driver, test_waits, 0,
      G_N_ELEMENTS (calls_behind_hang));
  tcase_add_test (driver, test_destroy_waits);
  tcase_add_test (driver, test_histogram);
  tcase_add_test (driver, test_graph);
  tcase_add_test (driver, test_dependent);
  tcase_add_test (driver, test_dependent_fault);
  tcase_add_test (driver, test_scan);
  tcase_add_test (driver, test_warp);
  tcase_add_test (driver, test_grid_barrier);
  tcase_add_test (driver, test_two_streams);
  tcase_add_test (driver, test_two_grid_barriers);
  tcase_add_loop_test (driver, test_handles_come_back, 0, 2);
  tcase_add_test (driver, test_unload_in_use);
  tcase_add_test (driver, test_queue);
  tcase_add_loop_test (driver, test_crime, 0, G_N_ELEMENTS (crimes));
  tcase_add_loop_test (driver, test_foreign_memory, 0, 2);
  tcase_add_test (driver, test_watch);
  tcase_add_test (driver, test_races_show);
  tcase_add_test (driver, test_launch_limits);
  tcase_add_test (driver, test_fail);
  tcase_add_test (driver, test_fault);
  tcase_add_test (driver, test_fork);
  tcase_add_test (driver, test_time);
  suite_add_tcase (s, driver);
  tcase_add_test (others, test_nvcodec);
  suite_add_tcase (s, others);
  return s;
}

int
main (int argc, char **argv)
{
  load ();
  /* A crash has to be visible as the crash of one process. */
  g_setenv ("CK_FORK", "no", TRUE);
  gst_check_init (&argc, &argv);
  return gst_check_run_suite (double_suite (), "double", __FILE__);
}
