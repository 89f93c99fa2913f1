/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counting on an NVIDIA GPU: where the frame is, or after an upload of the
 * planes that are needed. Submitting a frame costs a launch; the ring sees when
 * it is counted. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "context.h"
#include "dispatcher.h"
#include "driver.h"
#include "equalize.h"
#include "gstcudacompat.h"
#include "joint.h"
#include "launch.h"
#include "pinned.h"
#include "ring.h"

#define FIRST_RETRY GST_SECOND
#define LAST_RETRY (60 * GST_SECOND)

/* How long closing, and changing what kernels use, waits for them. */
#define DRAIN_TIMEOUT (300 * GST_MSECOND)

/* Rows of uploaded planes begin on this many bytes. */
#define UPLOAD_ALIGN 128

/* Where a frame from system memory goes on the device, and where it is copied
 * before if the copy engine cannot read it where it is. */
typedef struct
{
  CUdeviceptr device;           /* upload_size bytes, or 0 */
  guint8 *pinned;               /* likewise, or NULL */
} Staging;

typedef struct
{
  VhBackend parent;

  const VhCudaDriver *driver;
  GstElement *element;          /* may be NULL */
  gint device_id;               /* -1: any */

  GMutex lock;
  GstCudaContext *context;      /* shared with neighbours, may be NULL;
                                 * protected by lock */
  GThread *asker;               /* who asks for a context now; protected by
                                 * lock */
  GstCudaContext *answer;       /* what it was given; of the asker alone */

  const VhLayout *layout;       /* of the engine */
  gboolean upload;              /* frames are brought to the device */
  GstVideoHistogramInfo info;
  GstVideoHistogramMethod method;       /* AUTO where the one that was asked for
                                         * cannot count such frames */
  gchar *method_problem;        /* why it cannot, or NULL */
  VhKernelParams params;        /* what does not change from frame to frame */

  VhCudaDevice *device;         /* NULL until it is needed, and after a
                                 * failure */
  CUstream stream;
  VhCudaRing *ring;
  VhCudaJoint joint;
  VhCudaEqualizer equalizer;
  gboolean outdated;            /* ring and staging, which are to be given back
                                 * as soon as no kernel uses them */
  Staging staging[VH_CUDA_MAX_FRAMES];
  gsize upload_size;            /* bytes that staging has */
  gboolean staging_used;        /* by a frame, since it was allocated */
  guint next_staging;

  gboolean unusable;            /* for good */
  gboolean context_retried;     /* since a frame was counted */
  GstClockTime retry_at;        /* monotonic ns, or NONE */
  GstClockTime retry_delay;
} CudaBackend;

/* A reference to the context to count in. */
static GstCudaContext *
ref_context (CudaBackend * self)
{
  GstCudaContext *context = NULL;

  g_mutex_lock (&self->lock);
  if (self->context)
    context = gst_object_ref (self->context);
  else
    self->asker = g_thread_self ();
  g_mutex_unlock (&self->lock);
  if (context)
    return context;

  vh_cuda_find_context (self->element, self->device_id, &self->answer);

  g_mutex_lock (&self->lock);
  self->asker = NULL;
  if (!self->context)
    self->context = g_steal_pointer (&self->answer);
  if (self->context)
    context = gst_object_ref (self->context);
  g_mutex_unlock (&self->lock);
  gst_clear_object (&self->answer);
  return context;
}

/* Counts in @context from now on; NULL: in none. Of a lost GPU the old one is
 * kept for ever: freeing it would be one more call into a broken driver. */
static void
replace_context (CudaBackend * self, GstCudaContext * context)
{
  GstCudaContext *old;

  g_mutex_lock (&self->lock);
  old = self->context;
  self->context = context ? gst_object_ref (context) : NULL;
  g_mutex_unlock (&self->lock);
  if (old && !vh_cuda_is_lost ())
    gst_object_unref (old);
}

/* Of VH_CUDA_MAX_FRAMES. */
static void
free_staging (const VhCudaDriver * driver, Staging * staging)
{
  guint i;

  for (i = 0; i < VH_CUDA_MAX_FRAMES; i++) {
    if (staging[i].device && !vh_cuda_is_lost ())
      vh_cuda_note (driver->MemFree (staging[i].device));
    if (staging[i].pinned && !vh_cuda_is_lost ())
      vh_cuda_note (driver->MemFreeHost (staging[i].pinned));
    staging[i] = (Staging) { 0, };
  }
}

/* Gives back the staging memory, which no kernel uses any more. Of a lost GPU
 * it is leaked. */
static void
drop_staging (CudaBackend * self)
{
  if (self->device && vh_cuda_device_push (self->device) == CUDA_SUCCESS) {
    free_staging (self->driver, self->staging);
    vh_cuda_device_pop (self->device);
  }
  memset (self->staging, 0, sizeof (self->staging));
  self->upload_size = 0;
  self->staging_used = FALSE;
}

/* What a kernel may still use besides its ring. */
typedef struct
{
  const VhCudaDriver *driver;
  CUstream stream;
  Staging staging[VH_CUDA_MAX_FRAMES];
} Leftovers;

static void
free_leftovers (gpointer data)
{
  Leftovers *self = data;

  free_staging (self->driver, self->staging);
  if (self->stream && !vh_cuda_is_lost ())
    vh_cuda_note (self->driver->StreamDestroy (self->stream));
  g_free (self);
}

static void
leave_to_ring (CudaBackend * self)
{
  Leftovers *leftovers = g_new (Leftovers, 1);

  leftovers->driver = self->driver;
  leftovers->stream = g_steal_pointer (&self->stream);
  memcpy (leftovers->staging, self->staging, sizeof (self->staging));
  memset (self->staging, 0, sizeof (self->staging));
  vh_cuda_ring_set_leftovers (self->ring, leftovers, free_leftovers);
}

/* Gives back all that is on the device; what a kernel still uses after a while
 * goes with the ring, and that when it can. Histograms that are pending keep
 * it. */
static void
drop_device (CudaBackend * self)
{
  const gboolean idle = !self->joint.ring
      || vh_cuda_ring_drain (self->joint.ring, DRAIN_TIMEOUT);

  if (self->ring
      && (!vh_cuda_ring_drain (self->ring, idle ? DRAIN_TIMEOUT : 0) || !idle
          || vh_cuda_ring_check (self->ring) == VH_CUDA_RING_WORN))
    leave_to_ring (self);
  drop_staging (self);

  /* They may have to ask the stream what is still under way. */
  vh_cuda_joint_clear (&self->joint);
  vh_cuda_equalizer_clear (&self->equalizer);
  if (self->stream && vh_cuda_device_push (self->device) == CUDA_SUCCESS) {
    vh_cuda_note (self->driver->StreamDestroy (self->stream));
    vh_cuda_device_pop (self->device);
  }
  self->stream = NULL;
  self->outdated = FALSE;
  g_clear_pointer (&self->ring, vh_cuda_ring_unref);
  g_clear_pointer (&self->device, vh_cuda_device_unref);
}

/* Draws the consequences of a call that failed with @result. */
static void
note_failure (CudaBackend * self, CUresult result)
{
  switch (vh_cuda_failure (result)) {
    case VH_CUDA_FAILURE_PERMANENT:
      self->unusable = TRUE;
      break;
    case VH_CUDA_FAILURE_LOST:
      vh_cuda_set_lost ();
      break;
    case VH_CUDA_FAILURE_CONTEXT:
      /* Frees what it can: nothing, where the context is gone. */
      drop_device (self);
      replace_context (self, NULL);
      if (!self->context_retried) {
        self->context_retried = TRUE;
        break;
      }
      /* fall through */
    case VH_CUDA_FAILURE_BUSY:
      self->retry_delay = self->retry_delay == 0 ? FIRST_RETRY :
          MIN (2 * self->retry_delay, LAST_RETRY);
      self->retry_at = gst_util_get_timestamp () + self->retry_delay;
      break;
  }
}

/* Sets @error, and draws the consequences. */
static gboolean
fail (CudaBackend * self, CUresult result, const gchar * what, GError ** error)
{
  if (error && !*error)
    vh_cuda_set_error (self->driver, error, result, what);
  note_failure (self, result);
  return FALSE;
}

static gboolean
is_usable (CudaBackend * self, GError ** error)
{
  if (vh_cuda_is_lost () || self->unusable) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_DEVICE, vh_cuda_is_lost ()?
        "the GPU was lost; it can be used again after a restart of this process"
        : "the GPU cannot run the kernels of this build");
    return FALSE;
  }
  if (self->retry_at != GST_CLOCK_TIME_NONE
      && gst_util_get_timestamp () < self->retry_at) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_DEVICE,
        "the GPU is busy; it is tried again in up to %u seconds",
        (guint) (self->retry_delay / GST_SECOND));
    return FALSE;
  }
  self->retry_at = GST_CLOCK_TIME_NONE;
  return TRUE;
}

/* Sees whether the method that was asked for can count frames as they should
 * come, and makes it ready; else finds out why, and takes what is fastest. */
static CUresult
choose_method (CudaBackend * self, gsize * scratch)
{
  const GstVideoInfo *info = &self->layout->info;
  VhKernelParams frame = self->params, params;
  VhCudaLaunch launch;
  CUresult result;
  guint i;

  g_clear_pointer (&self->method_problem, g_free);
  for (i = 0; i < self->layout->n_components; i++) {
    const VhComponent *c = &self->layout->component[i];

    frame.component[i] = (VhKernelComponent) {
      .data = c->offset,
      .stride = GST_VIDEO_INFO_PLANE_STRIDE (info, c->plane),
      .pixel_stride = c->pixel_stride,
      .sample_bytes = c->sample_bytes,
    };
  }
  frame.width = GST_VIDEO_INFO_WIDTH (info);
  frame.height = GST_VIDEO_INFO_HEIGHT (info);

  params = frame;
  launch = vh_cuda_choose_launch (self->device, self->layout, self->method,
      &params, &self->method_problem);
  result = vh_cuda_device_load (self->device, launch.kernel);
  if (result == CUDA_ERROR_NOT_FOUND && !self->method_problem
      && self->method != GST_VIDEO_HISTOGRAM_METHOD_AUTO) {
    self->method_problem = vh_cuda_describe_problem (self->device, self->layout,
        self->method, &frame, "this build has no kernel for it");
    params = frame;
    launch = vh_cuda_choose_launch (self->device, self->layout,
        GST_VIDEO_HISTOGRAM_METHOD_AUTO, &params, NULL);
    result = vh_cuda_device_load (self->device, launch.kernel);
  }
  if (self->method_problem)
    self->method = GST_VIDEO_HISTOGRAM_METHOD_AUTO;
  *scratch = launch.scratch;
  return result;
}

/* A kernel did not do what it should: others had better not be launched for a
 * while. */
static gboolean
fail_kernel (CudaBackend * self, const gchar * what, GError ** error)
{
  g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
      GST_VIDEO_HISTOGRAM_ERROR_DEVICE, "a kernel %s", what);
  note_failure (self, CUDA_ERROR_NOT_READY);
  return FALSE;
}

static gboolean
fail_late (CudaBackend * self, GError ** error)
{
  return fail_kernel (self, "takes too long", error);
}

static void
set_recovered (CudaBackend * self)
{
  self->retry_delay = 0;
  self->context_retried = FALSE;
}

/* Whether @ring can be used. While a kernel is late there is no other, so that
 * however long it takes no more than one is held. A ring that is worn is given
 * up with all that its slots hold: that must not happen often. */
static gboolean
check_ring (CudaBackend * self, VhCudaRing ** ring, GError ** error)
{
  switch (vh_cuda_ring_check (*ring)) {
    case VH_CUDA_RING_LATE:
      return fail_late (self, error);
    case VH_CUDA_RING_WORN:
      if (ring == &self->ring)
        leave_to_ring (self);
      g_clear_pointer (ring, vh_cuda_ring_unref);
      return fail_kernel (self, "did not count", error);
    case VH_CUDA_RING_COUNTED:
      set_recovered (self);
      break;
    case VH_CUDA_RING_READY:
      break;
  }
  return TRUE;
}

/* Before a ring that is idle is exchanged for another. */
static void
see_ring_off (CudaBackend * self)
{
  switch (vh_cuda_ring_check (self->ring)) {
    case VH_CUDA_RING_WORN:
      leave_to_ring (self);
      break;
    case VH_CUDA_RING_COUNTED:
      set_recovered (self);
      break;
    default:
      break;
  }
}

/* Makes device, stream and ring, as far as they are not there. */
static gboolean
ensure_ring (CudaBackend * self, GError ** error)
{
  GError *local = NULL;
  CUresult result;
  gsize scratch = 0;

  if (self->outdated) {
    if (self->ring && !vh_cuda_ring_drain (self->ring, 0))
      return fail_late (self, error);
    if (self->ring)
      see_ring_off (self);
    drop_staging (self);
    g_clear_pointer (&self->ring, vh_cuda_ring_unref);
  }
  self->outdated = FALSE;
  if (self->joint.ring && !check_ring (self, &self->joint.ring, error))
    return FALSE;
  if (self->ring)
    return check_ring (self, &self->ring, error);

  if (!self->device) {
    GstCudaContext *context = ref_context (self);

    if (!context) {
      g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
          GST_VIDEO_HISTOGRAM_ERROR_DEVICE, "no CUDA context on device %d",
          self->device_id);
      note_failure (self, CUDA_ERROR_DEVICE_UNAVAILABLE);
      return FALSE;
    }
    self->device = vh_cuda_device_get (self->driver, context, &result, error);
    gst_object_unref (context);
    if (!self->device) {
      note_failure (self, result);
      return FALSE;
    }
  }

  vh_cuda_luma_free_garbage ();
  result = vh_cuda_device_push (self->device);
  if (result != CUDA_SUCCESS)
    return fail (self, result, "Entering the CUDA context", error);
  if (!self->stream)
    result = self->driver->StreamCreate (&self->stream, CU_STREAM_NON_BLOCKING);
  if (result == CUDA_SUCCESS)
    result = choose_method (self, &scratch);
  if (result == CUDA_SUCCESS) {
    self->ring = vh_cuda_ring_new (self->device, &self->params, scratch,
        self->stream, &result, &local);
  }
  vh_cuda_device_pop (self->device);

  if (!self->ring) {
    if (local)
      g_propagate_error (error, local);
    return fail (self, result, "Creating a stream", error);
  }
  return TRUE;
}

static VhBackend *
cuda_open (const VhBackendConfig * config, GError ** error)
{
  const VhCudaDriver *driver = vh_cuda_driver_get (error);
  CudaBackend *self;

  if (!driver)
    return NULL;
  /* Its answer decides whether anything else of libgstcuda may be called. */
  if (!gst_cuda_load_library ()) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_BACKEND,
        "GStreamer's CUDA library cannot use the NVIDIA driver");
    return NULL;
  }
  gst_cuda_memory_init_once ();

  self = g_new0 (CudaBackend, 1);
  self->parent.klass = &vh_cuda_backend_class;
  self->driver = driver;
  self->element = config->element;
  self->device_id = config->cuda_device_id;
  self->retry_at = GST_CLOCK_TIME_NONE;
  g_mutex_init (&self->lock);
  return &self->parent;
}

/* Where the planes lie once they are on the device. */
typedef struct
{
  CUdeviceptr data[GST_VIDEO_MAX_PLANES];
  gsize stride[GST_VIDEO_MAX_PLANES];
} DevicePlanes;

/* Gives each plane its place in an upload; returns the size of all. */
static gsize
place_planes (const VhFrameView * view, DevicePlanes * places)
{
  gsize size = 0;
  guint p;

  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    const VhPlane *plane = &view->plane[p];

    if (!(view->planes & (1u << p)))
      continue;
    places->data[p] = size;
    places->stride[p] = GST_ROUND_UP_N (plane->row_bytes, UPLOAD_ALIGN);
    size += places->stride[p] * plane->rows;
  }
  return size;
}

/* Sees to it that there is room for uploads of @size; all of it is made for the
 * first frame of the caps and kept. */
static CUresult
ensure_staging (CudaBackend * self, gsize size, gboolean pinned)
{
  CUresult result = CUDA_SUCCESS;
  guint i;

  if (size > self->upload_size) {
    if (self->staging_used
        && !vh_cuda_ring_drain (self->ring, DRAIN_TIMEOUT))
      return CUDA_ERROR_NOT_READY;
    free_staging (self->driver, self->staging);
    self->staging_used = FALSE;
    self->upload_size = size;
  }
  for (i = 0; i < VH_CUDA_MAX_FRAMES && result == CUDA_SUCCESS; i++) {
    Staging *staging = &self->staging[i];

    if (!staging->device)
      result = self->driver->MemAlloc (&staging->device, self->upload_size);
    if (result == CUDA_SUCCESS && pinned && !staging->pinned) {
      result = self->driver->MemHostAlloc ((void **) &staging->pinned,
          self->upload_size, CU_MEMHOSTALLOC_PORTABLE);
    }
  }
  return result;
}

/* Makes room for uploads of @planes before the first frame comes. */
static gboolean
prepare_upload (CudaBackend * self, guint planes, GError ** error)
{
  const GstVideoInfo *info = &self->layout->info;
  gsize size = 0;
  CUresult result;
  guint p;

  for (p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    gint components[GST_VIDEO_MAX_COMPONENTS];

    if (!(planes & (1u << p)))
      continue;
    gst_video_format_info_component (info->finfo, p, components);
    size += (gsize) GST_VIDEO_INFO_COMP_HEIGHT (info, components[0]) *
        GST_ROUND_UP_N (GST_VIDEO_INFO_PLANE_STRIDE (info, p), UPLOAD_ALIGN);
  }

  result = vh_cuda_device_push (self->device);
  if (result == CUDA_SUCCESS) {
    result = ensure_staging (self, size, TRUE);
    vh_cuda_device_pop (self->device);
  }
  if (result != CUDA_SUCCESS)
    return fail (self, result, "Allocating memory for uploads", error);
  return TRUE;
}

static gboolean
cuda_configure (VhBackend * backend, const VhLayout * layout,
    const GstVideoHistogramInfo * info, GstVideoHistogramMethod method,
    gboolean upload, GError ** error)
{
  CudaBackend *self = (CudaBackend *) backend;

  self->layout = layout;
  self->info = *info;
  self->method = method;
  vh_cuda_params_init (&self->params, layout, info);
  self->upload = upload;
  self->joint.bins = 0;
  self->equalizer.fresh = TRUE;

  /* Once for each that comes to an end, not once for each change. */
  if (self->ring && !self->outdated)
    vh_cuda_ring_drain (self->ring, DRAIN_TIMEOUT);
  self->outdated = TRUE;
  return is_usable (self, error) && ensure_ring (self, error)
      && (!upload || prepare_upload (self, vh_layout_planes (layout,
              info->channels), error));
}

static gchar *
cuda_dup_method_problem (VhBackend * backend)
{
  return g_strdup (((CudaBackend *) backend)->method_problem);
}

static gboolean
cuda_owns (GstMemory * memory)
{
  return gst_is_cuda_memory (memory);
}

/* Switches to the context of the frame's memory where that is another one. */
static gboolean
adopt_context (CudaBackend * self, GstMemory * memory, GError ** error)
{
  GstCudaContext *context = GST_CUDA_MEMORY_CAST (memory)->context;
  const gint id = vh_gst_cuda_context_device_id (context);

  if (self->device && self->device->context == context)
    return TRUE;
  if (self->device_id >= 0 && id != self->device_id) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_FRAME, "The frame lies on CUDA device %d, "
        "and cuda-device-id is %d", id, self->device_id);
    return FALSE;
  }
  if (self->ring && !vh_cuda_ring_drain (self->ring, DRAIN_TIMEOUT))
    return fail_late (self, error);

  drop_device (self);
  replace_context (self, context);
  return TRUE;
}

/* The CUDA memory that holds all planes of @view, or NULL. */
static GstMemory *
get_cuda_memory (const VhFrameView * view)
{
  GstMemory *memory = NULL;
  guint p;

  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    if (!(view->planes & (1u << p)))
      continue;
    if (!view->plane[p].memory || !gst_is_cuda_memory (view->plane[p].memory)
        || (memory && GST_CUDA_MEMORY_CAST (memory)->context !=
            GST_CUDA_MEMORY_CAST (view->plane[p].memory)->context))
      return NULL;
    memory = view->plane[p].memory;
  }
  return memory;
}

static gboolean
is_pinned (const VhFrameView * view)
{
  guint p;

  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    if ((view->planes & (1u << p)) && (!view->plane[p].memory
            || !vh_is_pinned_memory (view->plane[p].memory)))
      return FALSE;
  }
  return TRUE;
}

/* Copies a plane to where the copy engine reads. */
static void
copy_rows (guint8 * to, gsize to_stride, const VhPlane * plane)
{
  guint y;

  for (y = 0; y < plane->rows; y++)
    memcpy (to + y * to_stride, plane->data + y * plane->stride,
        plane->row_bytes);
}

/* Puts the mapped planes of @view onto the device, in the order of the
 * stream. */
static CUresult
upload (CudaBackend * self, const VhFrameView * view, gboolean pinned,
    DevicePlanes * planes)
{
  const gsize size = place_planes (view, planes);
  CUresult result = ensure_staging (self, size, !pinned);
  const Staging *staging = &self->staging[self->next_staging];
  guint p;

  self->next_staging = (self->next_staging + 1) % VH_CUDA_MAX_FRAMES;
  self->staging_used = TRUE;
  for (p = 0; p < GST_VIDEO_MAX_PLANES && result == CUDA_SUCCESS; p++) {
    const VhPlane *plane = &view->plane[p];
    CUDA_MEMCPY2D copy = { 0, };

    if (!(view->planes & (1u << p)))
      continue;
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = plane->data;
    copy.srcPitch = plane->stride;
    if (!pinned) {
      guint8 *to = staging->pinned + planes->data[p];

      copy_rows (to, planes->stride[p], plane);
      copy.srcHost = to;
      copy.srcPitch = planes->stride[p];
    }
    planes->data[p] += staging->device;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = planes->data[p];
    copy.dstPitch = planes->stride[p];
    copy.WidthInBytes = plane->row_bytes;
    copy.Height = plane->rows;
    result = self->driver->Memcpy2DAsync (&copy, self->stream);
  }
  return result;
}

/* The kernel for a frame that lies at @planes, and what it is told of it. */
static VhCudaLaunch
choose_kernel (CudaBackend * self, const VhFrameView * view,
    const VhRect * region, const DevicePlanes * planes, VhKernelParams * params)
{
  VhCudaLaunch launch;

  *params = self->params;
  vh_cuda_params_set_frame (params, view, region, planes->data,
      planes->stride);
  launch = vh_cuda_choose_launch (self->device, view->layout, self->method,
      params, NULL);
  /* Planes may be larger than the caps say. */
  if (launch.scratch > vh_cuda_ring_get_scratch (self->ring)) {
    launch = vh_cuda_choose_launch (self->device, view->layout,
        GST_VIDEO_HISTOGRAM_METHOD_AUTO, params, NULL);
  }
  return launch;
}

/* A buffer around the memories of @buffer, which stays writable itself. While
 * the copy lives nobody writes to the memories, and no pool takes them back. */
static GstBuffer *
copy_shell (GstBuffer * buffer)
{
  GstBuffer *copy = gst_buffer_new ();

  gst_buffer_copy_into (copy, buffer, GST_BUFFER_COPY_MEMORY, 0, -1);
  return copy;
}

/* How a frame is counted. */
typedef struct
{
  DevicePlanes planes;
  VhKernelParams params;
  VhCudaLaunch launch;
  CUstream stream;
  gboolean dispatched;          /* with others, on the stream for that */
  gint slot;
} Work;

/* Prepares what can be before a frame is on the device. Memory that has a
 * stream may still be written there. On the backend's own stream uploads write
 * frames, and corrections, which are waited for; and where memory has no
 * stream, whoever made the frame has waited for it. */
static void
work_init (Work * work, CudaBackend * self, const VhFrameView * view,
    const VhRect * region, gboolean on_device, CUstream stream)
{
  guint p;

  *work = (Work) {.stream = stream,.slot = -1 };
  if (!on_device)
    return;
  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    work->planes.data[p] = (CUdeviceptr) (guintptr) view->plane[p].data;
    work->planes.stride[p] = view->plane[p].stride;
  }
  work->launch = choose_kernel (self, view, region, &work->planes,
      &work->params);
  work->launch.complete = stream == self->stream;
}

/* A slot for a frame, or -1. Whoever wants only joint histograms may wait for
 * one. */
static gint
acquire_slot (CudaBackend * self, CUstream stream, gboolean wait)
{
  gint slot = vh_cuda_ring_acquire (self->ring, stream, TRUE);

  if (slot < 0 && wait && vh_cuda_ring_drain (self->ring, DRAIN_TIMEOUT))
    slot = vh_cuda_ring_acquire (self->ring, stream, TRUE);
  return slot;
}

/* Takes a slot. Frames that are launched with others are on a stream of their
 * own, which must not run ahead of what was last done to the slot: while none
 * is ready for that, a frame goes by itself. */
static void
work_acquire (Work * work, CudaBackend * self, gboolean counts, gboolean joint)
{
  if (counts && !joint && vh_cuda_dispatcher_takes (&work->launch)) {
    const CUstream stream =
        vh_cuda_dispatcher_stream (self->device->dispatcher);

    work->slot = vh_cuda_ring_acquire (self->ring, stream, FALSE);
    work->dispatched = work->slot >= 0;
    if (work->dispatched)
      work->stream = stream;
  }
  if (work->slot < 0)
    work->slot = acquire_slot (self, work->stream, !counts);
}

static CUresult
work_launch (Work * work, CudaBackend * self)
{
  vh_cuda_ring_set_params (self->ring, work->slot, &work->params);
  if (work->dispatched)
    return vh_cuda_dispatch (self->device, &work->launch, &work->params);
  return vh_cuda_launch (self->device, &work->launch, &work->params,
      work->stream);
}

/* Counts a frame whose planes are mapped, @on_device or on the host, into
 * @histogram, unless NULL, and for @joint, unless NULL. Kernels for joint
 * histograms come first, so that the frame is held for them too. */
static gboolean
submit_mapped (CudaBackend * self, VhFrameView * view, const VhRect * region,
    gboolean on_device, CUstream stream, GstVideoHistogram * histogram,
    VhJoint * joint, GError ** error)
{
  const gboolean pinned = !on_device && is_pinned (view);
  GstBuffer *held = NULL;
  VhLuma *replaced = NULL;
  CUresult result;
  Work work;

  work_init (&work, self, view, region, on_device, stream);
  work_acquire (&work, self, histogram != NULL, joint != NULL);
  if (work.slot < 0) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_OVERLOAD, "%d frames are being counted",
        VH_CUDA_MAX_FRAMES);
    return FALSE;
  }

  result = vh_cuda_device_push (self->device);
  if (result != CUDA_SUCCESS) {
    vh_cuda_ring_release (self->ring, work.slot);
    return fail (self, result, "Entering the CUDA context", error);
  }

  if (!on_device) {
    result = upload (self, view, pinned, &work.planes);
    if (result == CUDA_SUCCESS) {
      work.launch = choose_kernel (self, view, region, &work.planes,
          &work.params);
    }
  }
  if (result == CUDA_SUCCESS && joint) {
    result = vh_cuda_joint_submit (&self->joint, self->device, &self->params,
        view, region, work.planes.data, work.planes.stride, work.stream, joint,
        &replaced);
  }
  if (result == CUDA_SUCCESS && histogram)
    result = work_launch (&work, self);

  /* While it is held nobody writes to it: whoever downstream wants to makes a
   * copy, and no pool gets it back. */
  if (result == CUDA_SUCCESS && (on_device || pinned))
    held = gst_buffer_ref (view->buffer);
  else if (pinned || (on_device && joint))
    held = copy_shell (view->buffer);
  if (result == CUDA_SUCCESS && histogram) {
    vh_cuda_ring_submitted (self->ring, work.slot, &work.params, work.stream,
        held, histogram);
  } else {
    vh_cuda_ring_cancel (self->ring, work.slot, work.stream, held);
  }
  vh_cuda_device_pop (self->device);
  /* Nothing is freed on a GPU that is lost. */
  vh_cuda_note (result);
  g_clear_pointer (&replaced, vh_luma_unref);

  if (result != CUDA_SUCCESS)
    return fail (self, result, "Launching a kernel", error);
  return TRUE;
}

/* Sees to it that joint histograms can be counted, where they are wanted. */
static gboolean
ensure_joint (CudaBackend * self, GError ** error)
{
  CUresult result = vh_cuda_device_push (self->device);
  GError *local = NULL;

  if (result == CUDA_SUCCESS) {
    vh_cuda_joint_ensure (&self->joint, self->device, self->stream, &result,
        &local);
    vh_cuda_device_pop (self->device);
  }
  if (local)
    g_propagate_error (error, local);
  return result == CUDA_SUCCESS
      || fail (self, result, "Preparing joint histograms", error);
}

static gboolean
cuda_submit_joint (VhBackend * backend, VhFrameView * view,
    const VhRect * region, GstVideoHistogram * histogram, VhJoint * joint,
    GError ** error)
{
  CudaBackend *self = (CudaBackend *) backend;
  GstMemory *memory = get_cuda_memory (view);
  CUstream stream = NULL;
  gboolean ok;

  if (!is_usable (self, error)
      || (memory && !adopt_context (self, memory, error))
      || !ensure_ring (self, error)
      || (joint && !ensure_joint (self, error)))
    return FALSE;

  if (!vh_frame_view_map (view, memory ? GST_MAP_READ | GST_MAP_CUDA :
          GST_MAP_READ, error))
    return FALSE;
  if (memory)
    stream = vh_gst_cuda_memory_stream (memory);
  ok = submit_mapped (self, view, region, memory != NULL,
      stream ? stream : self->stream, histogram, joint, error);
  vh_frame_view_unmap (view);
  return ok;
}

static gboolean
cuda_submit (VhBackend * backend, VhFrameView * view, const VhRect * region,
    GstVideoHistogram * histogram, GError ** error)
{
  return cuda_submit_joint (backend, view, region, histogram, NULL, error);
}

static gboolean
cuda_prepare_joint (VhBackend * backend, guint bins, guint planes,
    GError ** error)
{
  CudaBackend *self = (CudaBackend *) backend;

  self->joint.bins = bins;
  return is_usable (self, error) && ensure_ring (self, error)
      && ensure_joint (self, error)
      && (!self->upload || prepare_upload (self, planes, error));
}

static VhLuma *
cuda_new_luma (VhBackend * backend, gsize pixels, GError ** error)
{
  CudaBackend *self = (CudaBackend *) backend;
  VhLuma *luma = NULL;

  vh_cuda_luma_free_garbage ();
  if (!self->joint.ring || vh_cuda_device_push (self->device) != CUDA_SUCCESS) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_DEVICE, "the GPU cannot be used now");
    return NULL;
  }
  luma = vh_cuda_luma_new (&self->joint, self->device, backend->klass, pixels,
      error);
  vh_cuda_device_pop (self->device);
  return luma;
}

/* Where a mapped @view lies on the device. */
static VhCudaFrame
get_frame (const VhFrameView * view)
{
  VhCudaFrame frame = {.view = view };
  guint p;

  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    frame.data[p] = (CUdeviceptr) (guintptr) view->plane[p].data;
    frame.stride[p] = view->plane[p].stride;
  }
  return frame;
}

/* Waits for what the last frame that was corrected left under way. What a
 * kernel that failed may still use is given up. */
static gboolean
finish_equalize (CudaBackend * self, GError ** error)
{
  switch (vh_cuda_equalizer_wait (&self->equalizer)) {
    case VH_CUDA_RING_LATE:
      return fail_late (self, error);
    case VH_CUDA_RING_WORN:
      vh_cuda_equalizer_clear (&self->equalizer);
      return fail_kernel (self, "failed", error);
    default:
      return TRUE;
  }
}

/* Corrects frames that are mapped, in the order of @stream, and after what is
 * on that of @in, unless NULL. */
static gboolean
equalize_mapped (CudaBackend * self, VhFrameView * in, VhFrameView * out,
    GstVideoHistogram * histogram, const VhEqualizeJob * job, CUstream stream,
    CUstream in_stream, GError ** error)
{
  const VhCudaFrame from = get_frame (in), to = get_frame (out);
  CUresult result = vh_cuda_device_push (self->device);
  GError *local = NULL;
  gboolean ok = FALSE;

  if (result == CUDA_SUCCESS) {
    ok = vh_cuda_equalizer_ensure (&self->equalizer, self->device, &job->curve,
        stream, &result, &local)
        && vh_cuda_equalizer_submit (&self->equalizer, self->device,
        &self->params, &from, &to, histogram, job, stream, in_stream, &result,
        &local);
    vh_cuda_device_pop (self->device);
  }
  if (local)
    g_propagate_error (error, local);
  if (result != CUDA_SUCCESS)
    fail (self, result, "Correcting a frame", error);
  return ok;
}

static gboolean
cuda_prepare_equalize (VhBackend * backend, const VhCurveParams * curve,
    GError ** error)
{
  CudaBackend *self = (CudaBackend *) backend;
  GError *local = NULL;
  CUresult result;

  if (!is_usable (self, error) || !ensure_ring (self, error)
      || !finish_equalize (self, error))
    return FALSE;
  result = vh_cuda_device_push (self->device);
  if (result == CUDA_SUCCESS) {
    vh_cuda_equalizer_ensure (&self->equalizer, self->device, curve,
        self->stream, &result, &local);
    vh_cuda_device_pop (self->device);
  }
  if (local)
    g_propagate_error (error, local);
  return result == CUDA_SUCCESS
      || fail (self, result, "Preparing to correct frames", error);
}

/* Sees to it that @out is complete, or will be in the order of its stream. What
 * kernels may still use after that is held. @ok says whether they were
 * launched. */
static gboolean
complete_equalize (CudaBackend * self, VhFrameView * in, VhFrameView * out,
    gboolean ok, GError ** error)
{
  GstBuffer *held;

  if (ok && vh_gst_cuda_memory_set_pending (get_cuda_memory (out))) {
    if (in != out)
      vh_cuda_equalizer_hold (&self->equalizer, gst_buffer_ref (in->buffer));
    return TRUE;
  }
  if (finish_equalize (self, ok ? error : NULL))
    return ok;
  held = copy_shell (in->buffer);
  if (in != out)
    gst_buffer_copy_into (held, out->buffer, GST_BUFFER_COPY_MEMORY, 0, -1);
  vh_cuda_equalizer_hold (&self->equalizer, held);
  return FALSE;
}

static gboolean
cuda_equalize (VhBackend * backend, VhFrameView * in, VhFrameView * out,
    GstVideoHistogram * histogram, const VhEqualizeJob * job, GError ** error)
{
  CudaBackend *self = (CudaBackend *) backend;
  GstMemory *from = get_cuda_memory (in), *to = get_cuda_memory (out);
  CUstream stream;
  gboolean ok;

  if (!from || !to || GST_CUDA_MEMORY_CAST (from)->context !=
      GST_CUDA_MEMORY_CAST (to)->context) {
    g_set_error (error, GST_VIDEO_HISTOGRAM_ERROR,
        GST_VIDEO_HISTOGRAM_ERROR_FRAME, "The frame is not in CUDA memory, of "
        "one context, where it is read and written");
    return FALSE;
  }
  if (!is_usable (self, error) || !adopt_context (self, from, error)
      || !ensure_ring (self, error) || !finish_equalize (self, error))
    return FALSE;

  if (in != out
      && !vh_frame_view_map (in, GST_MAP_READ | GST_MAP_CUDA, error))
    return FALSE;
  if (!vh_frame_view_map (out, GST_MAP_READWRITE | GST_MAP_CUDA, error)) {
    vh_frame_view_unmap (in);
    return FALSE;
  }
  stream = vh_gst_cuda_memory_stream (to);
  ok = equalize_mapped (self, in, out, histogram, job,
      stream ? stream : self->stream, vh_gst_cuda_memory_stream (from), error);
  vh_frame_view_unmap (in);
  vh_frame_view_unmap (out);
  return complete_equalize (self, in, out, ok, error);
}

static void
cuda_close (VhBackend * backend)
{
  CudaBackend *self = (CudaBackend *) backend;

  drop_device (self);
  replace_context (self, NULL);
  g_free (self->method_problem);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static GstBufferPool *
cuda_new_pool (GstMemory * memory, GstStructure ** config)
{
  GstBufferPool *pool =
      gst_cuda_buffer_pool_new (GST_CUDA_MEMORY_CAST (memory)->context);

  *config = gst_buffer_pool_get_config (pool);
  vh_gst_cuda_pool_config_set_stream_of (*config, memory);
  return pool;
}

static gboolean
cuda_pool_fits (GstMemory * memory, GstBufferPool * pool)
{
  return GST_IS_CUDA_BUFFER_POOL (pool)
      && GST_CUDA_BUFFER_POOL (pool)->context ==
      GST_CUDA_MEMORY_CAST (memory)->context;
}

/* Offers pinned memory to upstream, unless that writes to the GPU anyway, or
 * downstream has a pool of its own. */
static void
cuda_propose_allocation (VhBackend * backend, GstQuery * query)
{
  CudaBackend *self = (CudaBackend *) backend;
  GstAllocator *allocator;
  GstBufferPool *pool;
  GstStructure *config;
  GstVideoInfo info;
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  if (!self->device || !caps || !gst_video_info_from_caps (&info, caps)
      || gst_caps_features_contains (gst_caps_get_features (caps, 0),
          GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY)
      || gst_query_get_n_allocation_pools (query) > 0
      || gst_query_get_n_allocation_params (query) > 0)
    return;

  allocator = vh_pinned_allocator_new (self->device);
  pool = gst_video_buffer_pool_new ();
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, info.size, 0, 0);
  gst_buffer_pool_config_set_allocator (config, allocator, NULL);
  if (gst_buffer_pool_set_config (pool, config)) {
    gst_query_add_allocation_param (query, allocator, NULL);
    gst_query_add_allocation_pool (query, pool, info.size, 0, 0);
  }
  gst_object_unref (pool);
  gst_object_unref (allocator);
}

static void
cuda_set_context (VhBackend * backend, GstContext * context)
{
  CudaBackend *self = (CudaBackend *) backend;
  GstCudaContext *found = NULL;
  gboolean asked;

  g_mutex_lock (&self->lock);
  asked = self->asker == g_thread_self ();
  g_mutex_unlock (&self->lock);

  gst_cuda_handle_set_context (self->element, context, self->device_id,
      asked ? &self->answer : &found);
  g_mutex_lock (&self->lock);
  if (found && !self->context)
    self->context = g_steal_pointer (&found);
  g_mutex_unlock (&self->lock);
  gst_clear_object (&found);
}

static gboolean
cuda_answer_context_query (VhBackend * backend, GstQuery * query)
{
  CudaBackend *self = (CudaBackend *) backend;
  GstCudaContext *context = NULL;
  gboolean answered;

  g_mutex_lock (&self->lock);
  if (self->context)
    context = gst_object_ref (self->context);
  g_mutex_unlock (&self->lock);

  answered = gst_cuda_handle_context_query (self->element, query, context);
  gst_clear_object (&context);
  return answered;
}

const VhBackendClass vh_cuda_backend_class = {
  .name = "cuda",
  .open = cuda_open,
  .configure = cuda_configure,
  .submit = cuda_submit,
  .close = cuda_close,
  .dup_method_problem = cuda_dup_method_problem,
  .prepare_joint = cuda_prepare_joint,
  .new_luma = cuda_new_luma,
  .submit_joint = cuda_submit_joint,
  .prepare_equalize = cuda_prepare_equalize,
  .equalize = cuda_equalize,
  .owns = cuda_owns,
  .new_pool = cuda_new_pool,
  .pool_fits = cuda_pool_fits,
  .propose_allocation = cuda_propose_allocation,
  .set_context = cuda_set_context,
  .answer_context_query = cuda_answer_context_query,
};
