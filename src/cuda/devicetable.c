/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cache.h"
#include "debug.h"
#include "devicetable.h"
#include "dispatcher.h"

/* Held only for lookups, not while a module loads or a context is destroyed. */
static GMutex table_lock;
static GCond table_changed;
static GHashTable *table;       /* CUcontext to VhCudaDevice, protected by
                                 * table_lock */

/* Frees the resources of an unused device, which may be incomplete. Frees
 * nothing on a lost GPU, because that would call into a broken driver. */
static void
free_device (VhCudaDevice * self)
{
  const gboolean pushed = vh_cuda_device_push (self) == CUDA_SUCCESS;

  GST_DEBUG ("context %p: unloading", self->handle);
  if (pushed)
    vh_cuda_cache_clear (self);
  vh_cuda_dispatcher_free (self->dispatcher, pushed);
  if (pushed) {
    vh_cuda_device_unload (self);
    vh_cuda_device_pop (self);
  }
  vh_cuda_cache_free (self);
  g_slist_free (self->wrappers);
  g_mutex_clear (&self->load_lock);
  g_mutex_clear (&self->shared_lock);
  g_free (self);
}

/* Makes the resources on the GPU. Called without the table's lock, because it
 * takes long. */
static CUresult
make_ready (VhCudaDevice * self)
{
  const gint64 start = g_get_monotonic_time ();
  CUresult result = vh_cuda_device_push (self);

  if (result != CUDA_SUCCESS)
    return result;
  result = vh_cuda_device_prepare (self);
  if (result == CUDA_SUCCESS)
    self->dispatcher = vh_cuda_dispatcher_new (self->driver, &result);
  vh_cuda_note (result);
  vh_cuda_device_pop (self);
  GST_DEBUG ("context %p on device %d: kernels loaded in %" G_GINT64_FORMAT
      " us, result %d; %d multiprocessors, memory pools: %d", self->handle,
      self->id, g_get_monotonic_time () - start, result, self->multiprocessors,
      self->memory_pools);
  return result;
}

/* Called when a GstCudaContext is about to be destroyed, possibly with its
 * CUcontext; another CUcontext may then get the same address. If the device is
 * still used, its user has and keeps another wrapper. */
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

/* Notes that @context wraps the device's context; called with the table's
 * lock. */
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
  g_mutex_init (&self->shared_lock);
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

/* If nothing else has the context, this destroys it, and the device with it.
 * The context of a lost GPU is never freed, because that would call into a
 * broken driver. */
void
vh_cuda_device_unref (VhCudaDevice * device)
{
  GstCudaContext *context = NULL;
  gboolean forgotten = FALSE;

  g_mutex_lock (&table_lock);
  if (--device->refcount == 0) {
    context = g_steal_pointer (&device->context);
    forgotten = device->forgotten;
  }
  g_mutex_unlock (&table_lock);
  if (forgotten)
    free_device (device);
  if (context && !vh_cuda_is_lost ())
    gst_object_unref (context);
}

void
vh_cuda_device_forget (VhCudaDevice * device)
{
  g_mutex_lock (&table_lock);
  if (g_hash_table_lookup (table, device->handle) == device)
    g_hash_table_remove (table, device->handle);
  device->forgotten = TRUE;
  g_mutex_unlock (&table_lock);
}
