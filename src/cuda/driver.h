/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <cuda.h>
#include <gst/gst.h>

#include "errors.h"

G_BEGIN_DECLS

/* The driver functions that are used, in the order of the table in driver.c.
 * libgstcuda wraps only some of them, so all go through one loader. */
#define VH_CUDA_FUNCTIONS(F) \
  F (Init, "cuInit", (unsigned int flags)) \
  F (GetErrorName, "cuGetErrorName", (CUresult error, const char **name)) \
  F (GetErrorString, "cuGetErrorString", (CUresult error, const char **text)) \
  F (DeviceGetCount, "cuDeviceGetCount", (int *count)) \
  F (DeviceGetAttribute, "cuDeviceGetAttribute", \
      (int *value, CUdevice_attribute attribute, CUdevice device)) \
  F (CtxPushCurrent, "cuCtxPushCurrent_v2", (CUcontext context)) \
  F (CtxPopCurrent, "cuCtxPopCurrent_v2", (CUcontext * context)) \
  F (CtxGetDevice, "cuCtxGetDevice", (CUdevice * device)) \
  F (ModuleLoadData, "cuModuleLoadData", \
      (CUmodule * module, const void *image)) \
  F (ModuleUnload, "cuModuleUnload", (CUmodule module)) \
  F (ModuleGetFunction, "cuModuleGetFunction", \
      (CUfunction * function, CUmodule module, const char *name)) \
  F (FuncSetAttribute, "cuFuncSetAttribute", \
      (CUfunction function, CUfunction_attribute attribute, int value)) \
  F (FuncGetAttribute, "cuFuncGetAttribute", \
      (int *value, CUfunction_attribute attribute, CUfunction function)) \
  F (MemAlloc, "cuMemAlloc_v2", (CUdeviceptr * memory, size_t size)) \
  F (MemFree, "cuMemFree_v2", (CUdeviceptr memory)) \
  F (MemHostAlloc, "cuMemHostAlloc", \
      (void **memory, size_t size, unsigned int flags)) \
  F (MemFreeHost, "cuMemFreeHost", (void *memory)) \
  F (MemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2", \
      (CUdeviceptr * device, void *host, unsigned int flags)) \
  F (MemsetD8Async, "cuMemsetD8Async", \
      (CUdeviceptr memory, unsigned char value, size_t n, CUstream stream)) \
  F (Memcpy2DAsync, "cuMemcpy2DAsync_v2", \
      (const CUDA_MEMCPY2D * copy, CUstream stream)) \
  F (StreamCreate, "cuStreamCreate", (CUstream * stream, unsigned int flags)) \
  F (StreamDestroy, "cuStreamDestroy_v2", (CUstream stream)) \
  F (StreamQuery, "cuStreamQuery", (CUstream stream)) \
  F (StreamWaitEvent, "cuStreamWaitEvent", \
      (CUstream stream, CUevent event, unsigned int flags)) \
  F (EventCreate, "cuEventCreate", (CUevent * event, unsigned int flags)) \
  F (EventDestroy, "cuEventDestroy_v2", (CUevent event)) \
  F (EventRecord, "cuEventRecord", (CUevent event, CUstream stream)) \
  F (EventQuery, "cuEventQuery", (CUevent event)) \
  F (LaunchKernel, "cuLaunchKernel", \
      (CUfunction function, unsigned int grid_x, unsigned int grid_y, \
          unsigned int grid_z, unsigned int block_x, unsigned int block_y, \
          unsigned int block_z, unsigned int shared_bytes, CUstream stream, \
          void **parameters, void **extra))

/* Functions that a driver may lack; they are NULL then. */
#define VH_CUDA_OPTIONAL_FUNCTIONS(F) \
  F (MemAllocAsync, "cuMemAllocAsync", \
      (CUdeviceptr * memory, size_t size, CUstream stream)) \
  F (MemFreeAsync, "cuMemFreeAsync", (CUdeviceptr memory, CUstream stream)) \
  F (LaunchKernelEx, "cuLaunchKernelEx", \
      (const CUlaunchConfig * config, CUfunction function, \
          void **parameters, void **extra))

typedef struct
{
#define DECLARE(name, symbol, arguments) CUresult (CUDAAPI *name) arguments;
  VH_CUDA_FUNCTIONS (DECLARE)
  VH_CUDA_OPTIONAL_FUNCTIONS (DECLARE)
#undef DECLARE
} VhCudaDriver;

/* Looks for a driver with at least one device. If there is none, returns NULL
 * with @error (VH_ERROR_BACKEND) set, and the next call looks again. Does not
 * use libgstcuda, because some driver faults make libgstcuda crash: call this
 * before any function of libgstcuda. Thread-safe. */
const VhCudaDriver *vh_cuda_driver_get (GError ** error);

/* Once a call has reported that the GPU is lost, this process makes no further
 * calls. Thread-safe. */
gboolean vh_cuda_is_lost (void);
void vh_cuda_set_lost (void);

/* Records a lost GPU, for calls whose failure has no other consequence. */
void vh_cuda_note (CUresult result);

/* Sets @error to VH_ERROR_DEVICE: @what failed with @result.
 * Records a lost GPU. */
void vh_cuda_set_error (const VhCudaDriver * driver, GError ** error,
    CUresult result, const gchar * what);

G_END_DECLS
