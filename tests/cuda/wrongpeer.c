/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A peer for the benchmark that counts one value correctly and all others
 * wrongly, to test that counts are checked. It uses the driver that is
 * loaded. */
#include "peers.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stddef.h>

#define THE_VALUE 77            /* a value of 256, for data with one value */

static CUresult (*set) (CUdeviceptr memory, unsigned int value, size_t n,
    CUstream stream);

static const char *
start (const BenchPeerDevice * device)
{
  void *driver = dlopen ("libcuda.so.1", RTLD_NOW);

  (void) device;
  set = driver ? (__typeof__ (set)) dlsym (driver, "cuMemsetD32Async") : NULL;
  return set ? NULL : "there is no driver";
}

static const char *
prepare (const BenchPeerFrame * frame, size_t *temp_size)
{
  *temp_size = 16;
  return frame->components == 1 ? NULL : "it takes luma";
}

static const char *
run (const BenchPeerFrame * frame, uint64_t temp, size_t temp_size,
    void *stream)
{
  const uint32_t bin = THE_VALUE * frame->bins / 256;

  if (set (temp, 0, temp_size / 4, stream) != CUDA_SUCCESS
      || set (frame->counts, 0, frame->bins, stream) != CUDA_SUCCESS
      || set (frame->counts + 4 * bin, frame->width * frame->height, 1, stream)
      != CUDA_SUCCESS)
    return "setting memory failed";
  return NULL;
}

const BenchPeer *
bench_peer (void)
{
  static const BenchPeer peer = { "wrong", "wrong 1", start, prepare, run };

  return &peer;
}
