/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "devices.h"
#include "core/error.h"
#include "core/log.h"
#include "cpu/cpudevice.h"
#ifdef HAVE_CUDA
#include "cuda/cudadevice.h"
#endif

/* Also needed in builds without CUDA. */
#define CUDA_CONTEXT_TYPE "gst.cuda.context"
#define CUDA_MEMORY_FEATURE "memory:CUDAMemory"
#define CUDA_MEMORY_TYPE "gst.cuda.memory"

static const VhDeviceClass *const classes[VH_N_DEVICES] = {
  [VH_ON_CPU] = &vh_cpu_device_class,
#ifdef HAVE_CUDA
  [VH_ON_GPU] = &vh_cuda_device_class,
#endif
};

static const gchar *const names[VH_N_DEVICES] = {
  [VH_ON_CPU] = "cpu",
  [VH_ON_GPU] = "cuda",
};

struct _VhDevices
{
  VhDeviceConfig config;
  gchar *problem;               /* why the GPU cannot be used; NULL if opening
                                 * it has not failed */

  GMutex lock;
  VhDevice *device[VH_N_DEVICES];       /* NULL if it is not open; written under
                                         * lock */
  GstContext *context;          /* for a GPU opened later, or NULL; protected by
                                 * lock */
};

VhDevices *
vh_devices_new (void)
{
  VhDevices *devices = g_new0 (VhDevices, 1);

  g_mutex_init (&devices->lock);
  return devices;
}

void
vh_devices_free (VhDevices * devices)
{
  vh_devices_close (devices);
  gst_context_replace (&devices->context, NULL);
  g_mutex_clear (&devices->lock);
  g_free (devices);
}

void
vh_devices_open (VhDevices * devices, const VhDeviceConfig * config)
{
  devices->config = *config;
  vh_devices_get (devices, VH_ON_CPU, NULL);
}

void
vh_devices_close (VhDevices * devices)
{
  VhDevice *device[VH_N_DEVICES];
  gint i;

  g_mutex_lock (&devices->lock);
  for (i = 0; i < VH_N_DEVICES; i++)
    device[i] = g_steal_pointer (&devices->device[i]);
  g_mutex_unlock (&devices->lock);

  for (i = VH_N_DEVICES - 1; i >= 0; i--) {
    if (device[i]) {
      GST_DEBUG_OBJECT (devices->config.element, "closing the device %s",
          names[i]);
      device[i]->klass->close (device[i]);
    }
  }
  vh_devices_retry (devices);
}

/* Opens the device at @where, with the context that was set before. */
static VhDevice *
open_device (VhDevices * devices, VhWhere where, GError ** error)
{
  const VhDeviceClass *klass = classes[where];
  VhDevice *device;

  if (!klass) {
    g_set_error (error, VH_ERROR, VH_ERROR_BACKEND,
        "this build has no CUDA backend: %s", NO_CUDA);
    return NULL;
  }
  device = klass->open (&devices->config, error);
  if (!device)
    return NULL;

  g_mutex_lock (&devices->lock);
  devices->device[where] = device;
  if (devices->context && klass->set_context)
    klass->set_context (device, devices->context);
  g_mutex_unlock (&devices->lock);
  return device;
}

VhDevice *
vh_devices_get (VhDevices * devices, VhWhere where, GError ** error)
{
  GError *local = NULL;
  VhDevice *device = devices->device[where];

  if (device)
    return device;
  if (!devices->problem) {
    device = open_device (devices, where, &local);
    if (device) {
      GST_DEBUG_OBJECT (devices->config.element, "opened the device %s",
          names[where]);
      return device;
    }
    GST_DEBUG_OBJECT (devices->config.element, "cannot open the device %s: %s",
        names[where], local->message);
    devices->problem = g_strdup (local->message);
    g_error_free (local);
  }
  g_set_error (error, VH_ERROR, VH_ERROR_BACKEND, "%s", devices->problem);
  return NULL;
}

void
vh_devices_retry (VhDevices * devices)
{
  g_clear_pointer (&devices->problem, g_free);
}

const gchar *
vh_where_name (VhWhere where)
{
  return names[where];
}

VhWhere
vh_where_caps (GstCaps * caps)
{
  return gst_caps_features_contains (gst_caps_get_features (caps, 0),
      CUDA_MEMORY_FEATURE) ? VH_ON_GPU : VH_ON_CPU;
}

static VhWhere
where_memory (GstMemory * memory)
{
  guint i;

  for (i = 0; i < VH_N_DEVICES; i++) {
    if (classes[i] && classes[i]->owns && classes[i]->owns (memory))
      return i;
  }
  return VH_ON_CPU;
}

static VhWhere
where_buffer (GstBuffer * buffer)
{
  return gst_buffer_n_memory (buffer) > 0 ?
      where_memory (gst_buffer_peek_memory (buffer, 0)) : VH_ON_CPU;
}

VhWhere
vh_where_view (const VhFrameView * view)
{
  guint p;

  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    VhWhere where = VH_ON_CPU;

    if ((view->planes & (1u << p)) && view->plane[p].memory)
      where = where_memory (view->plane[p].memory);
    if (where != VH_ON_CPU)
      return where;
  }
  return VH_ON_CPU;
}

/* To map a CUDA memory for the host, GStreamer copies all of its original bytes
 * into a buffer of its current size: if the memory was made smaller, that would
 * write past the end of the buffer. */
static gboolean
is_cut_off (GstMemory * memory)
{
  gsize all;
  const gsize size = gst_memory_get_sizes (memory, NULL, &all);

  return size < all && gst_memory_is_type (memory, CUDA_MEMORY_TYPE);
}

static gboolean
has_cut_off_memory (GstBuffer * buffer)
{
  const guint n = gst_buffer_n_memory (buffer);
  guint i;

  for (i = 0; i < n; i++) {
    if (is_cut_off (gst_buffer_peek_memory (buffer, i)))
      return TRUE;
  }
  return FALSE;
}

gboolean
vh_devices_view (VhFrameView * view, const VhLayout * layout,
    GstBuffer * buffer, guint planes, GError ** error)
{
  guint p;

  if (!vh_frame_view_init (view, layout, buffer, planes, error))
    return FALSE;
  for (p = 0; p < GST_VIDEO_MAX_PLANES && !view->not_for_host; p++) {
    const VhPlane *plane = &view->plane[p];

    /* A plane that spans several memories may lie in any of them. */
    if (view->planes & (1u << p))
      view->not_for_host = plane->memory ? is_cut_off (plane->memory) :
          has_cut_off_memory (buffer);
  }
  return TRUE;
}

GstBufferPool *
vh_devices_new_pool (GstBuffer * buffer, GstStructure ** config)
{
  const VhDeviceClass *klass = classes[where_buffer (buffer)];
  GstBufferPool *pool;

  if (klass->new_pool)
    return klass->new_pool (gst_buffer_peek_memory (buffer, 0), config);
  pool = gst_video_buffer_pool_new ();
  *config = gst_buffer_pool_get_config (pool);
  return pool;
}

/* For frames in system memory, only a plain GstVideoBufferPool fits: a subclass
 * may allocate other memory. */
gboolean
vh_devices_pool_fits (GstBufferPool * pool, GstBuffer * buffer)
{
  const VhDeviceClass *klass = classes[where_buffer (buffer)];

  if (klass->pool_fits)
    return klass->pool_fits (pool, gst_buffer_peek_memory (buffer, 0));
  return G_OBJECT_TYPE (pool) == GST_TYPE_VIDEO_BUFFER_POOL;
}

/* If a GPU is open, the context is passed on; otherwise it is kept for a GPU
 * that is opened later. */
void
vh_devices_set_context (VhDevices * devices, GstContext * context)
{
  VhDevice *gpu;

  g_mutex_lock (&devices->lock);
  gpu = devices->device[VH_ON_GPU];
  if (gpu && gpu->klass->set_context)
    gpu->klass->set_context (gpu, context);
  else if (context && gst_context_has_context_type (context,
          CUDA_CONTEXT_TYPE))
    gst_context_replace (&devices->context, context);
  g_mutex_unlock (&devices->lock);
}

gboolean
vh_devices_answer_context_query (VhDevices * devices, GstQuery * query)
{
  gboolean answered = FALSE;
  VhDevice *gpu;

  g_mutex_lock (&devices->lock);
  gpu = devices->device[VH_ON_GPU];
  if (gpu && gpu->klass->answer_context_query)
    answered = gpu->klass->answer_context_query (gpu, query);
  g_mutex_unlock (&devices->lock);
  return answered;
}
