/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device.h"
#include "params.h"

/* The fat binaries, embedded by the build. */
extern const unsigned long long vh_kernels_fatbin[];
extern const unsigned long long vh_methods_fatbin[];
extern const unsigned long long vh_joint_fatbin[];
extern const unsigned long long vh_correct_fatbin[];
extern const unsigned long long vh_scope_fatbin[];
extern const unsigned long long vh_blocksort_fatbin[];

static const unsigned long long *const images[VH_CUDA_N_MODULES] = {
  [VH_CUDA_MODULE_KERNELS] = vh_kernels_fatbin,
  [VH_CUDA_MODULE_METHODS] = vh_methods_fatbin,
  [VH_CUDA_MODULE_JOINT] = vh_joint_fatbin,
  [VH_CUDA_MODULE_CORRECT] = vh_correct_fatbin,
  [VH_CUDA_MODULE_SCOPE] = vh_scope_fatbin,
  [VH_CUDA_MODULE_BLOCKSORT] = vh_blocksort_fatbin,
};

static const struct
{
  const gchar *name;
  VhCudaModule module;
} kernel_info[VH_CUDA_N_KERNELS] = {
#define INFO(id, module, name, ...) {name, VH_CUDA_MODULE_##module},
  VH_CUDA_KERNELS (INFO)
#undef INFO
};

/* The first architecture whose code can wait for the previous launch, as
 * kernels/common.cuh checks: 90 is compute capability 9.0. */
#define FIRST_TO_WAIT 90

/* The maximum scratch for each slot of each stream, in bytes. */
#define SCRATCH_LIMIT (64 << 20)

/* If no frame ends for this long on the stream of shared launches, no more
 * frames are launched there. */
#define MAX_SHARED_STALL (20 * G_TIME_SPAN_MILLISECOND)

static CUresult
get_attributes (VhCudaDevice * self)
{
  const struct
  {
    CUdevice_attribute attribute;
    gint *value;
  } attributes[] = {
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &self->multiprocessors},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
        &self->threads_per_multiprocessor},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
        &self->shared_limit},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &self->l2_cache},
  };
  CUresult result;
  CUdevice device;
  guint i;

  result = self->driver->CtxGetDevice (&device);
  for (i = 0; i < G_N_ELEMENTS (attributes) && result == CUDA_SUCCESS; i++) {
    result = vh_cuda_is_lost () ? CUDA_ERROR_UNKNOWN :
        self->driver->DeviceGetAttribute (attributes[i].value,
        attributes[i].attribute, device);
  }
  /* A driver that does not know the attribute lacks the feature. */
  if (result == CUDA_SUCCESS && self->driver->MemAllocAsync
      && self->driver->MemFreeAsync) {
    const CUresult asked = self->driver->DeviceGetAttribute
        (&self->memory_pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
        device);

    if (asked != CUDA_SUCCESS)
      self->memory_pools = FALSE;
    if (asked != CUDA_SUCCESS
        && vh_cuda_failure (asked) == VH_CUDA_FAILURE_LOST)
      result = asked;
  }
  return result;
}

/* All kernels wait but the published methods, if the code that they were
 * compiled to can. On an unexpected GPU that may be code for an older GPU, so
 * this queries the code, not the GPU. */
static CUresult
get_overlaps (VhCudaDevice * self, VhCudaKernel kernel, CUfunction function)
{
  gint version = 0;
  CUresult result = CUDA_SUCCESS;

  if (self->driver->LaunchKernelEx) {
    result = self->driver->FuncGetAttribute (&version,
        CU_FUNC_ATTRIBUTE_PTX_VERSION, function);
  }
  self->overlaps[kernel] = version >= FIRST_TO_WAIT
      && kernel_info[kernel].module != VH_CUDA_MODULE_METHODS
      && kernel_info[kernel].module != VH_CUDA_MODULE_BLOCKSORT;
  return result;
}

/* Must be called with load_lock. */
static CUresult
load_kernel (VhCudaDevice * self, VhCudaKernel kernel)
{
  const VhCudaModule module = kernel_info[kernel].module;
  CUresult result = CUDA_SUCCESS;
  CUfunction function = NULL;
  gint fixed = 0;

  if (self->kernels[kernel])
    return CUDA_SUCCESS;
  if (vh_cuda_is_lost ())
    return CUDA_ERROR_UNKNOWN;

  if (!self->modules[module]) {
    result = self->driver->ModuleLoadData (&self->modules[module],
        images[module]);
  }
  if (result == CUDA_SUCCESS) {
    result = self->driver->ModuleGetFunction (&function,
        self->modules[module], kernel_info[kernel].name);
  }
  if (result == CUDA_SUCCESS) {
    result = self->driver->FuncGetAttribute (&fixed,
        CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
  }
  /* The limit is for fixed and dynamic memory together. */
  if (result == CUDA_SUCCESS) {
    result = self->driver->FuncSetAttribute (function,
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        self->shared_limit - MAX (fixed, VH_KERNEL_FIXED_SHARED));
  }
  if (result == CUDA_SUCCESS) {
    result = self->driver->FuncGetAttribute (&self->max_threads[kernel],
        CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
  }
  if (result == CUDA_SUCCESS)
    result = get_overlaps (self, kernel, function);
  if (result == CUDA_SUCCESS)
    g_atomic_pointer_set (&self->kernels[kernel], function);
  return result;
}

CUresult
vh_cuda_device_load (VhCudaDevice * device, VhCudaKernel kernel)
{
  CUresult result;

  /* Everything that can be loaded was loaded with the device. */
  if (g_atomic_pointer_get (&device->kernels[kernel]))
    return CUDA_SUCCESS;
  g_mutex_lock (&device->load_lock);
  result = load_kernel (device, kernel);
  g_mutex_unlock (&device->load_lock);
  return result;
}

CUresult
vh_cuda_device_load_all (VhCudaDevice * device, const VhCudaKernel * kernels,
    guint n)
{
  CUresult result = CUDA_SUCCESS;
  guint i;

  for (i = 0; i < n && result == CUDA_SUCCESS; i++)
    result = vh_cuda_device_load (device, kernels[i]);
  return result;
}

CUresult
vh_cuda_device_push (VhCudaDevice * device)
{
  CUresult result;

  if (vh_cuda_is_lost ())
    return CUDA_ERROR_UNKNOWN;
  result = device->driver->CtxPushCurrent (device->handle);
  vh_cuda_note (result);
  return result;
}

void
vh_cuda_device_pop (VhCudaDevice * device)
{
  CUcontext context;

  vh_cuda_note (device->driver->CtxPopCurrent (&context));
}

const gchar *
vh_cuda_kernel_name (VhCudaKernel kernel)
{
  return kernel_info[kernel].name;
}

CUresult
vh_cuda_device_prepare (VhCudaDevice * device)
{
  CUresult result = get_attributes (device);
  guint i;

  device->scratch_limit = SCRATCH_LIMIT;
  /* Loads all modules now: later the driver would wait for running work. */
  for (i = 0; i < VH_CUDA_N_KERNELS && result == CUDA_SUCCESS; i++) {
    const CUresult loaded = vh_cuda_device_load (device, i);

    if (kernel_info[i].module == VH_CUDA_MODULE_KERNELS
        || vh_cuda_failure (loaded) == VH_CUDA_FAILURE_LOST)
      result = loaded;
  }
  return result;
}

void
vh_cuda_device_unload (VhCudaDevice * device)
{
  guint i;

  for (i = 0; i < VH_CUDA_N_MODULES && !vh_cuda_is_lost (); i++) {
    if (device->modules[i])
      vh_cuda_note (device->driver->ModuleUnload (device->modules[i]));
  }
}

guint64
vh_cuda_device_begin_shared (VhCudaDevice * device)
{
  guint64 number;

  g_mutex_lock (&device->shared_lock);
  number = device->shared_started++;
  if (number == device->shared_ended)
    device->shared_since = g_get_monotonic_time ();
  g_mutex_unlock (&device->shared_lock);
  return number;
}

void
vh_cuda_device_end_shared (VhCudaDevice * device)
{
  g_mutex_lock (&device->shared_lock);
  device->shared_ended++;
  device->shared_since = g_get_monotonic_time ();
  g_mutex_unlock (&device->shared_lock);
}

/* Fences end in order. */
gboolean
vh_cuda_device_is_behind (VhCudaDevice * device, guint64 number)
{
  gboolean behind;

  g_mutex_lock (&device->shared_lock);
  behind = number > device->shared_ended;
  g_mutex_unlock (&device->shared_lock);
  return behind;
}

gboolean
vh_cuda_device_shares (VhCudaDevice * device)
{
  gboolean shares;

  g_mutex_lock (&device->shared_lock);
  shares = device->shared_started == device->shared_ended
      || g_get_monotonic_time () - device->shared_since < MAX_SHARED_STALL;
  g_mutex_unlock (&device->shared_lock);
  return shares;
}
