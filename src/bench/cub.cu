/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUB's DeviceHistogram. */
#include "peers.h"

#include <cub/device/device_histogram.cuh>
#include <stdio.h>

static const char *
start (const BenchPeerDevice *)
{
  const cudaError_t error = cudaFree (0);

  return error == cudaSuccess ? NULL : cudaGetErrorString (error);
}

/* Rows without gaps are passed as one row, so that CUB reads vectors. */
template <class Sample>
static cudaError_t
count_even (const BenchPeerFrame & f, void *temp, size_t & temp_size,
    cudaStream_t stream)
{
  const Sample *data = (const Sample *) (uintptr_t) f.data;
  int *counts = (int *) (uintptr_t) f.counts;
  const int upper = 1 << (8 * sizeof (Sample));

  if (f.stride == f.width * sizeof (Sample)) {
    return cub::DeviceHistogram::HistogramEven (temp, temp_size, data, counts,
        (int) f.bins + 1, 0, upper, (int) (f.width * f.height), stream);
  }
  return cub::DeviceHistogram::HistogramEven (temp, temp_size, data, counts,
      (int) f.bins + 1, 0, upper, (int) f.width, (int) f.height, f.stride,
      stream);
}

template <class Sample>
static cudaError_t
count_rgba (const BenchPeerFrame & f, void *temp, size_t & temp_size,
    cudaStream_t stream)
{
  const Sample *data = (const Sample *) (uintptr_t) f.data;
  int *counts = (int *) (uintptr_t) f.counts;
  const int n = f.bins, end = 1 << (8 * sizeof (Sample));
  int *outputs[3] = { counts, counts + n, counts + 2 * n };
  int levels[3] = { n + 1, n + 1, n + 1 };
  int lower[3] = { 0, 0, 0 };
  int upper[3] = { end, end, end };

  if (f.stride == f.width * 4 * sizeof (Sample)) {
    return cub::DeviceHistogram::MultiHistogramEven<4, 3> (temp, temp_size,
        data, outputs, levels, lower, upper, (int) (f.width * f.height),
        stream);
  }
  return cub::DeviceHistogram::MultiHistogramEven<4, 3> (temp, temp_size, data,
      outputs, levels, lower, upper, (int) f.width, (int) f.height, f.stride,
      stream);
}

static const char *
count (const BenchPeerFrame & f, void *temp, size_t & temp_size,
    cudaStream_t stream)
{
  cudaError_t error;

  if (f.components == 1) {
    error = f.sample_bytes == 1 ?
        count_even<uint8_t> (f, temp, temp_size, stream) :
        count_even<uint16_t> (f, temp, temp_size, stream);
  } else {
    error = f.sample_bytes == 1 ?
        count_rgba<uint8_t> (f, temp, temp_size, stream) :
        count_rgba<uint16_t> (f, temp, temp_size, stream);
  }
  if (error == cudaSuccess)
    return NULL;
  /* Clear the error, so that the next call does not return it again. */
  cudaGetLastError ();
  return cudaGetErrorString (error);
}

static const char *
prepare (const BenchPeerFrame * frame, size_t *temp_size)
{
  *temp_size = 0;
  return count (*frame, NULL, *temp_size, 0);
}

static const char *
run (const BenchPeerFrame * frame, uint64_t temp, size_t temp_size,
    void *stream)
{
  return count (*frame, (void *) (uintptr_t) temp, temp_size,
      (cudaStream_t) stream);
}

const BenchPeer *
bench_peer (void)
{
  static char version[32];
  static const BenchPeer peer = { "cub", version, start, prepare, run };

  snprintf (version, sizeof (version), "CUB %d.%d.%d", CUB_VERSION / 100000,
      CUB_VERSION / 100 % 1000, CUB_VERSION % 100);
  return &peer;
}
