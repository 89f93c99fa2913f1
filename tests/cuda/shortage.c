/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE             /* dladdr(), RTLD_NEXT */
#include "shortage.h"

#include <dlfcn.h>
#include <errno.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/gst.h>
#include <stdlib.h>
#include <string.h>

static gint odds;               /* atomic; 0 if nothing fails */
static gint n_calls;            /* atomic */
static gint n_failed;           /* atomic */
static guint32 seed;

void
test_shortage_begin (guint32 new_seed, guint new_odds)
{
  seed = new_seed;
  g_atomic_int_set (&n_calls, 0);
  g_atomic_int_set (&n_failed, 0);
  g_atomic_int_set (&odds, new_odds);
}

guint
test_shortage_end (void)
{
  g_atomic_int_set (&odds, 0);
  return g_atomic_int_get (&n_failed);
}

/* Whether this call, which returns to @caller, should fail. */
static gboolean
is_to_fail (const void *caller)
{
  const guint one_of = g_atomic_int_get (&odds);
  guint32 hash;
  Dl_info info;

  if (one_of == 0 || !dladdr (caller, &info)
      || !strstr (info.dli_fname, "libgstvideohistogram"))
    return FALSE;
  hash = (seed + 1) * 2654435761u ^
      (guint32) g_atomic_int_add (&n_calls, 1) * 2246822519u;
  hash = (hash ^ hash >> 15) * 3266489917u;
  if ((hash ^ hash >> 13) % one_of != 0)
    return FALSE;
  g_atomic_int_inc (&n_failed);
  return TRUE;
}

/* The function that this one overrides. */
#define REAL(name) ((__typeof__ (&name)) dlsym (RTLD_NEXT, #name))
#define FAILS is_to_fail (__builtin_return_address (0))

#pragma GCC visibility push(default)

int
posix_memalign (void **memory, size_t alignment, size_t size)
{
  return FAILS ? ENOMEM : REAL (posix_memalign) (memory, alignment, size);
}

gpointer
g_try_malloc (gsize size)
{
  return FAILS ? NULL : REAL (g_try_malloc) (size);
}

gpointer
g_try_malloc0 (gsize size)
{
  return FAILS ? NULL : REAL (g_try_malloc0) (size);
}

gpointer
g_try_malloc_n (gsize n, gsize size)
{
  return FAILS ? NULL : REAL (g_try_malloc_n) (n, size);
}

gpointer
g_try_malloc0_n (gsize n, gsize size)
{
  return FAILS ? NULL : REAL (g_try_malloc0_n) (n, size);
}

GThread *
g_thread_try_new (const gchar * name, GThreadFunc func, gpointer data,
    GError ** error)
{
  if (!FAILS)
    return REAL (g_thread_try_new) (name, func, data, error);
  g_set_error (error, G_THREAD_ERROR, G_THREAD_ERROR_AGAIN, "no thread");
  return NULL;
}

/* As GLib does. */
GThread *
g_thread_new (const gchar * name, GThreadFunc func, gpointer data)
{
  if (FAILS)
    g_error ("no thread");
  return REAL (g_thread_new) (name, func, data);
}

gboolean
gst_memory_map (GstMemory * memory, GstMapInfo * map, GstMapFlags flags)
{
  return FAILS ? FALSE : REAL (gst_memory_map) (memory, map, flags);
}

GstFlowReturn
gst_buffer_pool_acquire_buffer (GstBufferPool * pool, GstBuffer ** buffer,
    GstBufferPoolAcquireParams * params)
{
  return FAILS ? GST_FLOW_ERROR :
      REAL (gst_buffer_pool_acquire_buffer) (pool, buffer, params);
}

gboolean
gst_buffer_pool_set_config (GstBufferPool * pool, GstStructure * config)
{
  if (!FAILS)
    return REAL (gst_buffer_pool_set_config) (pool, config);
  gst_structure_free (config);
  return FALSE;
}

gboolean
gst_buffer_pool_set_active (GstBufferPool * pool, gboolean active)
{
  return active && FAILS ? FALSE :
      REAL (gst_buffer_pool_set_active) (pool, active);
}

gboolean
gst_cuda_load_library (void)
{
  return FAILS ? FALSE : REAL (gst_cuda_load_library) ();
}

GstCudaContext *
gst_cuda_context_new (guint device_id)
{
  return FAILS ? NULL : REAL (gst_cuda_context_new) (device_id);
}

#pragma GCC visibility pop
