/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For test-environment.sh: a launch, and leaks as ordered. */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;

static void *
resolve (const char *name)
{
  void *symbol = dlsym (library, name);

  if (!symbol) {
    fprintf (stderr, "%s\n", dlerror ());
    exit (1);
  }
  return symbol;
}

static void
check (const char *name, CUresult result)
{
  if (result != CUDA_SUCCESS) {
    fprintf (stderr, "%s = %d\n", name, result);
    exit (1);
  }
}

#define CALL(name, types, ...) \
  check (#name, ((CUresult (*) types) resolve (#name)) (__VA_ARGS__))

int
main (int argc, char **argv)
{
  const char *crime = argc > 1 ? argv[1] : "";
  struct
  {
    unsigned long long in, out;
    unsigned n, argument;
  } parameters = { 0, };
  void *pointers[] = { &parameters };
  CUdeviceptr memory;
  CUcontext context;
  CUstream stream;
  CUmodule module;
  CUfunction function;
  int n, capability;

  library = dlopen ("libcuda.so.1", RTLD_NOW);
  if (!library) {
    fprintf (stderr, "%s\n", dlerror ());
    return 1;
  }
  CALL (cuInit, (unsigned), 0);
  CALL (cuDeviceGetCount, (int *), &n);
  CALL (cuDeviceGetAttribute, (int *, CUdevice_attribute, CUdevice),
      &capability, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0);
  CALL (cuCtxCreate_v2, (CUcontext *, unsigned, CUdevice), &context, 0, 0);
  CALL (cuStreamCreate, (CUstream *, unsigned), &stream, 0);
  CALL (cuMemAlloc_v2, (CUdeviceptr *, size_t), &memory, 128);
  CALL (cuModuleLoadData, (CUmodule *, const void *), &module, "// PTX");
  CALL (cuModuleGetFunction, (CUfunction *, CUmodule, const char *), &function,
      module, "selftest_scan");
  parameters.in = parameters.out = memory;
  CALL (cuLaunchKernel, (CUfunction, unsigned, unsigned, unsigned, unsigned,
          unsigned, unsigned, unsigned, CUstream, void **, void **), function,
      1, 1, 1, 32, 1, 1, 0, stream, pointers, NULL);
  CALL (cuStreamSynchronize, (CUstream), stream);
  if (strcmp (crime, "leak") == 0)
    exit (0);
  CALL (cuMemFree_v2, (CUdeviceptr), memory);
  CALL (cuModuleUnload, (CUmodule), module);
  CALL (cuStreamDestroy, (CUstream), stream);
  if (strcmp (crime, "push") != 0)
    CALL (cuCtxDestroy_v2, (CUcontext), context);
  printf ("ok, %d devices of %d.x\n", n, capability);
  return 0;
}
