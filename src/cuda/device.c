/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "cache.h"
#include "debug.h"
#include "device.h"
#include "dispatcher.h"

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

/* The first architecture whose code can wait for the previous launch, as
 * kernels/framecolumns.cu checks, in tens. */
#define FIRST_TO_WAIT 90

/* Held only for lookups, not while a module loads or a context is destroyed. */
static GMutex table_lock;
static GCond table_changed;
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
  /* A driver that does not know the attribute does not have the feature. */
  if (result == CUDA_SUCCESS && self->driver->MemAllocAsync
      && self->driver->MemFreeAsync
      && self->driver->DeviceGetAttribute (&self->memory_pools,
          CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, device) != CUDA_SUCCESS)
    self->memory_pools = FALSE;
  return result;
}

/* What a kernel does depends on the code that it was compiled to, which on an
 * unexpected GPU may be that of an older one: so the code is queried, not the
 * GPU. */
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

/* Must be called with load_lock. */
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
  /* The fixed shared memory of the kernels counts as well. */
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

  g_mutex_lock (&device->load_lock);
  result = load_kernel (device, kernel);
  g_mutex_unlock (&device->load_lock);
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

/* Frees the resources of an unused device, which may be partly made. Nothing of
 * a lost GPU is freed: that would be more calls into a broken driver. */
static void
free_device (VhCudaDevice * self)
{
  guint i;

  GST_DEBUG ("context %p: unloading", self->handle);
  if (vh_cuda_device_push (self) == CUDA_SUCCESS) {
    vh_cuda_cache_clear (self);
    vh_cuda_dispatcher_free (self->dispatcher);
    for (i = 0; i < VH_CUDA_N_MODULES && !vh_cuda_is_lost (); i++) {
      if (self->modules[i])
        vh_cuda_note (self->driver->ModuleUnload (self->modules[i]));
    }
    vh_cuda_device_pop (self);
  }
  vh_cuda_cache_free (self);
  g_slist_free (self->wrappers);
  g_mutex_clear (&self->load_lock);
  g_free (self);
}

/* Makes the resources on the GPU; without the table's lock, because it takes
 * long. */
static CUresult
make_ready (VhCudaDevice * self)
{
  const gint64 start = g_get_monotonic_time ();
  CUresult result = vh_cuda_device_push (self);
  guint i;

  if (result != CUDA_SUCCESS)
    return result;
  result = get_attributes (self);
  for (i = 0; i < VH_CUDA_N_KERNELS && result == CUDA_SUCCESS; i++) {
    if (kernel_info[i].module == VH_CUDA_MODULE_KERNELS)
      result = vh_cuda_device_load (self, i);
  }
  if (result == CUDA_SUCCESS)
    self->dispatcher = vh_cuda_dispatcher_new (self->driver, &result);
  vh_cuda_device_pop (self);
  GST_DEBUG ("context %p on device %d: kernels loaded in %" G_GINT64_FORMAT
      " us, result %d; %d multiprocessors, memory pools: %d", self->handle,
      self->id, g_get_monotonic_time () - start, result, self->multiprocessors,
      self->memory_pools);
  return result;
}

/* A GstCudaContext is about to be destroyed, possibly with its CUcontext, whose
 * address another one may get next. If the device is still used, its user has
 * another wrapper, and keeps that. */
static void
on_wrapper_gone (gpointer handle, GObject * wrapper)
{
  VhCudaDevice *device, *gone = NULL;

  g_mutex_lock (&table_lock);
  device = g_hash_table_lookup (table, handle);
  if (device && g_slist_find (device->wrappers, wrapper)) {
    device->wrappers = g_slist_remove (device->wrappers, wrapper);
    if (device->refcount == 0) {
      g_hash_table_remove (table, handle);
      gone = device;
    }
  }
  g_mutex_unlock (&table_lock);
  if (gone)
    free_device (gone);
}

/* Stores that @context wraps the device's context, with the table's lock. */
static void
add_wrapper (VhCudaDevice * self, GstCudaContext * context)
{
  if (g_slist_find (self->wrappers, context))
    return;
  self->wrappers = g_slist_prepend (self->wrappers, context);
  g_object_weak_ref (G_OBJECT (context), on_wrapper_gone, self->handle);
}

static VhCudaDevice *
new_device (const VhCudaDriver * driver, GstCudaContext * context)
{
  VhCudaDevice *self = g_new0 (VhCudaDevice, 1);

  self->driver = driver;
  self->handle = gst_cuda_context_get_handle (context);
  self->id = vh_gst_cuda_context_device_id (context);
  g_mutex_init (&self->load_lock);
  vh_cuda_cache_init (self);
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
  while ((device = g_hash_table_lookup (table, handle)) && !device->ready)
    g_cond_wait (&table_changed, &table_lock);
  if (!device) {
    device = new_device (driver, context);
    g_hash_table_insert (table, handle, device);
  }
  if (device->refcount++ == 0)
    device->context = gst_object_ref (context);
  *result = CUDA_SUCCESS;
  if (!device->ready) {
    g_mutex_unlock (&table_lock);
    *result = make_ready (device);
    g_mutex_lock (&table_lock);
    if (*result == CUDA_SUCCESS)
      device->ready = TRUE;
    else
      g_hash_table_remove (table, handle);
    g_cond_broadcast (&table_changed);
  }
  if (*result == CUDA_SUCCESS)
    add_wrapper (device, context);
  g_mutex_unlock (&table_lock);

  if (*result != CUDA_SUCCESS) {
    vh_cuda_set_error (driver, error, *result, "Loading the kernels");
    context = device->context;
    free_device (device);
    if (!vh_cuda_is_lost ())
      gst_object_unref (context);
    return NULL;
  }
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

/* If nothing else has the context, it is destroyed then, and the device with
 * it. That of a lost GPU is kept for ever: freeing it would be one more call
 * into a broken driver. */
void
vh_cuda_device_unref (VhCudaDevice * device)
{
  GstCudaContext *context = NULL;

  g_mutex_lock (&table_lock);
  if (--device->refcount == 0)
    context = g_steal_pointer (&device->context);
  g_mutex_unlock (&table_lock);
  if (context && !vh_cuda_is_lost ())
    gst_object_unref (context);
}

void
vh_cuda_device_forget (VhCudaDevice * device)
{
  g_mutex_lock (&table_lock);
  if (g_hash_table_lookup (table, device->handle) == device)
    g_hash_table_remove (table, device->handle);
  g_mutex_unlock (&table_lock);
}
