/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "device.h"
#include "dispatcher.h"

#include <gst/videohistogram/gstvideohistogram.h>

/* The fat binaries, embedded by the build. */
extern const unsigned long long vh_kernels_fatbin[];
extern const unsigned long long vh_methods_fatbin[];
extern const unsigned long long vh_joint_fatbin[];
extern const unsigned long long vh_correct_fatbin[];
extern const unsigned long long vh_blocksort_fatbin[];

static const unsigned long long *const images[VH_CUDA_N_MODULES] = {
  [VH_CUDA_MODULE_KERNELS] = vh_kernels_fatbin,
  [VH_CUDA_MODULE_METHODS] = vh_methods_fatbin,
  [VH_CUDA_MODULE_JOINT] = vh_joint_fatbin,
  [VH_CUDA_MODULE_CORRECT] = vh_correct_fatbin,
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

/* The first code that can wait for the launch before it: what
 * kernels/framecolumns.cu asks, in tens. */
#define FIRST_TO_WAIT 90

static GMutex table_lock;
static GHashTable *table;       /* CUcontext to VhCudaDevice, protected by
                                 * table_lock */

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
    result = self->driver->DeviceGetAttribute (attributes[i].value,
        attributes[i].attribute, device);
  }
  return result;
}

/* What a kernel does is up to the code that it was compiled to, which on a GPU
 * that was not thought of may be that of an older one: so that is asked, and
 * not the GPU. */
static CUresult
get_overlaps (VhCudaDevice * self, VhCudaKernel kernel, CUfunction function)
{
  gint version = 0;
  CUresult result = CUDA_SUCCESS;

  if (self->driver->LaunchKernelEx) {
    result = self->driver->FuncGetAttribute (&version,
        CU_FUNC_ATTRIBUTE_PTX_VERSION, function);
  }
  self->overlaps[kernel] = version >= FIRST_TO_WAIT;
  return result;
}

/* To be called with the table's lock, or before anybody else has the device. */
static CUresult
load_kernel (VhCudaDevice * self, VhCudaKernel kernel)
{
  const VhCudaModule module = kernel_info[kernel].module;
  CUresult result = CUDA_SUCCESS;
  CUfunction function = NULL;

  if (self->kernels[kernel])
    return CUDA_SUCCESS;

  if (!self->modules[module]) {
    result = self->driver->ModuleLoadData (&self->modules[module],
        images[module]);
  }
  if (result == CUDA_SUCCESS) {
    result = self->driver->ModuleGetFunction (&function,
        self->modules[module], kernel_info[kernel].name);
  }
  /* What the kernels have of fixed shared memory counts as well. */
  if (result == CUDA_SUCCESS) {
    result = self->driver->FuncSetAttribute (function,
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        self->shared_limit - VH_CUDA_FIXED_SHARED);
  }
  if (result == CUDA_SUCCESS) {
    result = self->driver->FuncGetAttribute (&self->max_threads[kernel],
        CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
  }
  if (result == CUDA_SUCCESS)
    result = get_overlaps (self, kernel, function);
  if (result == CUDA_SUCCESS)
    self->kernels[kernel] = function;
  return result;
}

CUresult
vh_cuda_device_load (VhCudaDevice * device, VhCudaKernel kernel)
{
  CUresult result;

  g_mutex_lock (&table_lock);
  result = load_kernel (device, kernel);
  g_mutex_unlock (&table_lock);
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

void
vh_cuda_device_begin (VhCudaDevice * device)
{
  g_atomic_int_inc (&device->running);
}

void
vh_cuda_device_end (VhCudaDevice * device)
{
  g_atomic_int_add (&device->running, -1);
}

static void
free_garbage (VhCudaDevice * self, GSList * garbage)
{
  GSList *item;

  if (garbage && vh_cuda_device_push (self) == CUDA_SUCCESS) {
    for (item = garbage; item && !vh_cuda_is_lost (); item = item->next)
      vh_cuda_note (self->driver->MemFreeHost (item->data));
    vh_cuda_device_pop (self);
  }
  g_slist_free (garbage);
}

void
vh_cuda_device_free_host (VhCudaDevice * device, gpointer memory)
{
  GSList *garbage = NULL;

  g_mutex_lock (&table_lock);
  device->garbage = g_slist_prepend (device->garbage, memory);
  if (g_atomic_int_get (&device->running) == 0)
    garbage = g_steal_pointer (&device->garbage);
  g_mutex_unlock (&table_lock);
  free_garbage (device, garbage);
}

/* Frees what a device that may be half made holds. After a GPU was lost, or
 * with a kernel that was given up, nothing is freed: that would be more calls
 * into a broken driver. */
static void
free_device (VhCudaDevice * self)
{
  gboolean pushed;
  guint i;

  if (g_atomic_int_get (&self->running) > 0)
    return;

  free_garbage (self, g_steal_pointer (&self->garbage));
  pushed = vh_cuda_device_push (self) == CUDA_SUCCESS;
  vh_cuda_dispatcher_free (self->dispatcher, pushed);
  if (pushed) {
    for (i = 0; i < VH_CUDA_N_MODULES && !vh_cuda_is_lost (); i++) {
      if (self->modules[i])
        vh_cuda_note (self->driver->ModuleUnload (self->modules[i]));
    }
    vh_cuda_device_pop (self);
  }
  if (!vh_cuda_is_lost ())
    gst_object_unref (self->context);
  g_free (self);
}

static VhCudaDevice *
make_device (const VhCudaDriver * driver, GstCudaContext * context,
    CUresult * result, GError ** error)
{
  VhCudaDevice *self = g_new0 (VhCudaDevice, 1);
  guint i;

  self->refcount = 1;
  self->driver = driver;
  self->context = gst_object_ref (context);
  self->handle = gst_cuda_context_get_handle (context);
  self->id = vh_gst_cuda_context_device_id (context);

  *result = vh_cuda_device_push (self);
  if (*result == CUDA_SUCCESS) {
    *result = get_attributes (self);
    for (i = 0; i < VH_CUDA_N_KERNELS && *result == CUDA_SUCCESS; i++) {
      if (kernel_info[i].module == VH_CUDA_MODULE_KERNELS)
        *result = load_kernel (self, i);
    }
    if (*result == CUDA_SUCCESS)
      self->dispatcher = vh_cuda_dispatcher_new (driver, result);
    vh_cuda_device_pop (self);
  }
  if (*result != CUDA_SUCCESS) {
    vh_cuda_set_error (driver, error, *result, "Loading the kernels");
    free_device (self);
    return NULL;
  }
  return self;
}

VhCudaDevice *
vh_cuda_device_get (const VhCudaDriver * driver, GstCudaContext * context,
    CUresult * result, GError ** error)
{
  const gpointer handle = gst_cuda_context_get_handle (context);
  VhCudaDevice *device;

  g_mutex_lock (&table_lock);
  if (!table)
    table = g_hash_table_new (NULL, NULL);
  device = g_hash_table_lookup (table, handle);
  if (device) {
    device->refcount++;
    *result = CUDA_SUCCESS;
  } else {
    device = make_device (driver, context, result, error);
    if (device)
      g_hash_table_insert (table, handle, device);
  }
  g_mutex_unlock (&table_lock);
  return device;
}

VhCudaDevice *
vh_cuda_device_ref (VhCudaDevice * device)
{
  g_mutex_lock (&table_lock);
  device->refcount++;
  g_mutex_unlock (&table_lock);
  return device;
}

void
vh_cuda_device_unref (VhCudaDevice * device)
{
  g_mutex_lock (&table_lock);
  if (--device->refcount == 0) {
    g_hash_table_remove (table, device->handle);
    free_device (device);
  }
  g_mutex_unlock (&table_lock);
}
