/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NPP's nppiHistogramEven, through the functions with a context: NPP 13 has
 * removed the others. */
#include "peers.h"

#include <cuda_runtime_api.h>
#include <npp.h>
#include <stdio.h>
#include <string.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF (x)
#ifdef NPP_VER_MAJOR
#define VERSION "NPP " TEXT (NPP_VER_MAJOR) "." TEXT (NPP_VER_MINOR)
#else
#define VERSION "NPP"
#endif

static NppStreamContext context;
static char problem[64];

static const char *
explain (NppStatus status)
{
  /* Warnings are positive. */
  if (status >= NPP_SUCCESS)
    return NULL;
  snprintf (problem, sizeof (problem), "NPP returned %d", (int) status);
  return problem;
}

static const char *
start (const BenchPeerDevice * device)
{
  memset (&context, 0, sizeof (context));
  context.nCudaDeviceId = device->id;
  context.nMultiProcessorCount = device->multiprocessors;
  context.nMaxThreadsPerMultiProcessor = device->threads_per_multiprocessor;
  context.nMaxThreadsPerBlock = device->threads_per_block;
  context.nSharedMemPerBlock = device->shared_per_block;
  context.nCudaDevAttrComputeCapabilityMajor = device->major;
  context.nCudaDevAttrComputeCapabilityMinor = device->minor;
  context.nStreamFlags = cudaStreamNonBlocking;
  return NULL;
}

/* NPP before 12.2 writes an int to this pointer, later versions a size_t. A
 * pointer to void fits both, and the size_t is set to 0 before, so that its
 * upper half is right if only an int is written. */
static const char *
prepare (const BenchPeerFrame * frame, size_t *temp_size)
{
  const NppiSize size = { (int) frame->width, (int) frame->height };
  const int n = frame->bins + 1;
  int levels[3] = { n, n, n };
  void *bytes = temp_size;

  *temp_size = 0;
  /* NPP rounds the levels between bins, unlike our methods. */
  if ((1u << (8 * frame->sample_bytes)) % frame->bins != 0)
    return "the number of bins must divide the number of code values";
  if (frame->components == 1) {
    return explain (frame->sample_bytes == 1 ?
        nppiHistogramEvenGetBufferSize_8u_C1R_Ctx (size, n, bytes, context) :
        nppiHistogramEvenGetBufferSize_16u_C1R_Ctx (size, n, bytes, context));
  }
  return explain (frame->sample_bytes == 1 ?
      nppiHistogramEvenGetBufferSize_8u_AC4R_Ctx (size, levels, bytes,
          context) :
      nppiHistogramEvenGetBufferSize_16u_AC4R_Ctx (size, levels, bytes,
          context));
}

static const char *
run (const BenchPeerFrame * frame, uint64_t temp, size_t temp_size,
    void *stream)
{
  const NppiSize size = { (int) frame->width, (int) frame->height };
  const int n = frame->bins + 1, end = 1 << (8 * frame->sample_bytes);
  const int step = frame->stride;
  Npp32s *counts = (Npp32s *) (uintptr_t) frame->counts;
  Npp32s *tables[3] = { counts, counts + n - 1, counts + 2 * (n - 1) };
  int levels[3] = { n, n, n };
  Npp32s lower[3] = { 0, 0, 0 };
  Npp32s upper[3] = { end, end, end };
  const void *data = (const void *) (uintptr_t) frame->data;
  Npp8u *buffer = (Npp8u *) (uintptr_t) temp;

  (void) temp_size;
  context.hStream = (cudaStream_t) stream;
  if (frame->components == 1) {
    return explain (frame->sample_bytes == 1 ?
        nppiHistogramEven_8u_C1R_Ctx (data, step, size, counts, n, 0, end,
            buffer, context) :
        nppiHistogramEven_16u_C1R_Ctx (data, step, size, counts, n, 0, end,
            buffer, context));
  }
  return explain (frame->sample_bytes == 1 ?
      nppiHistogramEven_8u_AC4R_Ctx (data, step, size, tables, levels, lower,
          upper, buffer, context) :
      nppiHistogramEven_16u_AC4R_Ctx (data, step, size, tables, levels, lower,
          upper, buffer, context));
}

const BenchPeer *
bench_peer (void)
{
  static const BenchPeer peer = {
    "npp", VERSION, start, prepare, run
  };

  return &peer;
}
