/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch.h"

/* Launches a kernel that itself waits for the previous one on @stream. It can
 * start early only if the previous work is a kernel: copies, sets and events
 * keep the order of the stream. Any kernel may precede it, because before the
 * wait it only reads a complete frame, which no kernel on this stream writes.
 * Anything launched after it in the ordinary way starts once all of it has
 * ended. */
static CUresult
launch_overlapping (const VhCudaDevice * device, const VhCudaLaunch * launch,
    void **arguments, CUstream stream)
{
  CUlaunchAttribute attribute = {
    .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
    .value.programmaticStreamSerializationAllowed = 1,
  };
  const CUlaunchConfig config = {
    .gridDimX = launch->grid[0],
    .gridDimY = launch->grid[1],
    .gridDimZ = launch->grid[2],
    .blockDimX = launch->threads,
    .blockDimY = 1,
    .blockDimZ = 1,
    .sharedMemBytes = launch->shared,
    .hStream = stream,
    .attrs = &attribute,
    .numAttrs = 1,
  };

  return device->driver->LaunchKernelEx (&config,
      device->kernels[launch->kernel], arguments, NULL);
}

CUresult
vh_cuda_launch_kernel (const VhCudaDevice * device,
    const VhCudaLaunch * launch, gconstpointer params, CUstream stream)
{
  void *arguments[] = { (gpointer) params };

  if (device->overlaps[launch->kernel] && !launch->in_order)
    return launch_overlapping (device, launch, arguments, stream);
  return device->driver->LaunchKernel (device->kernels[launch->kernel],
      launch->grid[0], launch->grid[1], launch->grid[2], launch->threads, 1, 1,
      launch->shared, stream, arguments, NULL);
}

CUresult
vh_cuda_load_and_launch (VhCudaDevice * device, const VhCudaLaunch * launch,
    gconstpointer params, CUstream stream)
{
  CUresult result = vh_cuda_device_load (device, launch->kernel);

  return result == CUDA_SUCCESS ? vh_cuda_launch_kernel (device, launch,
      params, stream) : result;
}
