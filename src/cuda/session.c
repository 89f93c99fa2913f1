/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path of a frame on a GPU: begin finds room for it and its planes'
 * addresses, operations enqueue kernels, and end starts the fence that holds
 * what they use until they are done. */
#include "session.h"
#include "context.h"
#include "core/error.h"
#include "debug.h"
#include "devicetable.h"
#include "gstcudacompat.h"
#include "watcher.h"

/* The maximum number of frames that are held for kernels; only one if a decoder
 * owns the memory, because decoders have few surfaces and wait for them. */
#define MAX_FRAMES VH_CUDA_UPLOADS
#define MAX_DECODED 1

/* Each frame has a fence, and one begins only while less than MAX_FRAMES are in
 * flight. */
#define MAX_FENCES (MAX_FRAMES - 1 + VH_DEVICE_MAX_FRAMES)

/* About the number of events that one stream of frames uses. */
#define EVENTS 8

#define LATE_AFTER (2 * GST_SECOND)
#define CORRECT_WITHIN (800 * GST_MSECOND)

/* How long a frame may take before it seems to hang. */
#define GROW_WITHIN GST_SECOND

/* How long closing waits for work in flight. */
#define CLOSE_WITHIN (300 * GST_MSECOND)

struct _VhCudaSession
{
  VhDevice parent;

  const VhCudaDriver *driver;
  GstElement *element;          /* may be NULL */
  gint device_id;               /* -1: any */
  VhDeviceLimits limits;
  gboolean writes;              /* frames that something waits for */

  GMutex lock;
  GstCudaContext *context;      /* shared with neighbours, may be NULL;
                                 * protected by lock */
  GThread *asker;               /* the thread that is asking for a context;
                                 * protected by lock */
  GstCudaContext *answer;       /* the context that it was given; only used by
                                 * that thread */

  VhCudaRecovery recovery;
  VhCudaDevice *device;         /* NULL before the first use, and after a
                                 * failure */
  VhCudaStream *stream;         /* of the device, under the same conditions */
  guint generation;             /* increases when device and stream are
                                 * replaced */
  VhCudaUpload upload;

  VhCudaFrame frames[VH_DEVICE_MAX_FRAMES];     /* between begin and end */
  VhCudaFence *fences[MAX_FENCES];      /* of frames in flight, or NULL */
  gboolean failed[MAX_FENCES];  /* something failed for that frame */
};

/* Returns a reference to the context to work in, or NULL. */
static GstCudaContext *
ref_context (VhCudaSession * self)
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

/* From now on works in @context, or in none if it is NULL. The old context of a
 * lost GPU is never freed, because that would call into a broken driver. */
static void
replace_context (VhCudaSession * self, GstCudaContext * context)
{
  GstCudaContext *old;

  g_mutex_lock (&self->lock);
  old = self->context;
  self->context = context ? gst_object_ref (context) : NULL;
  g_mutex_unlock (&self->lock);
  if (old && !vh_cuda_is_lost ())
    gst_object_unref (old);
}

/* Leaves the device. Work in flight there continues, and holds what it uses. */
static void
drop_device (VhCudaSession * self)
{
  if (self->device)
    GST_DEBUG ("leaving context %p", self->device->handle);
  self->generation++;
  vh_cuda_upload_clear (&self->upload);
  g_clear_pointer (&self->stream, vh_cuda_stream_unref);
  g_clear_pointer (&self->device, vh_cuda_device_unref);
}

/* Leaves a device whose context is gone: nothing finds this device any more. */
static void
lose_device (VhCudaSession * self)
{
  if (self->device)
    vh_cuda_device_forget (self->device);
  drop_device (self);
}

static void
note_failure (VhCudaSession * self, CUresult result)
{
  if (vh_cuda_recovery_note (&self->recovery, result) ==
      VH_CUDA_FAILURE_CONTEXT) {
    lose_device (self);
    replace_context (self, NULL);
  }
}

gboolean
vh_cuda_session_fail (VhCudaSession * self, CUresult result,
    const gchar * what, GError ** error)
{
  if (error && !*error)
    vh_cuda_set_error (self->driver, error, result, what);
  vh_cuda_note (result);
  note_failure (self, result);
  return FALSE;
}

/* Handles a kernel that did not work as it should: no others are launched for a
 * while. */
static gboolean
fail_kernel (VhCudaSession * self, const gchar * what, GError ** error)
{
  if (error && !*error)
    g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "a kernel %s", what);
  note_failure (self, CUDA_ERROR_NOT_READY);
  return FALSE;
}

static gboolean
fail_late (VhCudaSession * self, GError ** error)
{
  return fail_kernel (self, "takes too long", error);
}

/* Whether abandoned work of any stream of frames hangs on the device, so that
 * no more work should be added. */
static gboolean
has_abandoned (VhCudaSession * self)
{
  if (!self->device || g_atomic_int_get (&self->device->abandoned) == 0)
    return FALSE;
  vh_cuda_watcher_look ();
  return g_atomic_int_get (&self->device->abandoned) > 0;
}

/* Makes device and stream, unless they exist. */
static gboolean
ensure_device (VhCudaSession * self, GError ** error)
{
  GstCudaContext *context;
  CUresult result;

  if (self->device)
    return TRUE;
  context = ref_context (self);
  if (!context) {
    g_set_error (error, VH_ERROR, VH_ERROR_DEVICE,
        "cannot create a CUDA context (cuda-device-id=%d)", self->device_id);
    note_failure (self, CUDA_ERROR_DEVICE_UNAVAILABLE);
    return FALSE;
  }
  self->device = vh_cuda_device_get (self->driver, context, &result, error);
  gst_object_unref (context);
  if (!self->device) {
    note_failure (self, result);
    return FALSE;
  }

  result = vh_cuda_device_push (self->device);
  if (result == CUDA_SUCCESS) {
    vh_cuda_events_reserve (self->device, EVENTS);
    self->stream = vh_cuda_stream_new (self->device, &result);
    vh_cuda_device_pop (self->device);
  }
  if (result != CUDA_SUCCESS) {
    vh_cuda_session_fail (self, result, "Creating a stream", error);
    drop_device (self);
    return FALSE;
  }
  GST_DEBUG ("using context %p of device %d, on stream %p",
      self->device->handle, self->device->id, self->stream->handle);
  if (has_abandoned (self)) {
    drop_device (self);
    return fail_late (self, error);
  }
  return TRUE;
}

/* Leaves late frames to the watcher, so that this stream of frames continues if
 * only a frame of another stream holds it up. */
static guint
leave_late_fences (VhCudaSession * self)
{
  guint n = 0, i;

  for (i = 0; i < MAX_FENCES; i++) {
    if (!self->fences[i])
      continue;
    if (vh_cuda_fence_is_late (self->fences[i]))
      g_clear_pointer (&self->fences[i], vh_cuda_fence_unref);
    else
      n++;
  }
  return n;
}

/* Counts the frames in flight. Releases those that have ended, and records
 * their outcome. Sets whether a frame is @late, or @failed on the current
 * device. */
static guint
look_at_fences (VhCudaSession * self, gboolean * late, gboolean * failed)
{
  guint n = 0, n_behind = 0, i;

  *late = *failed = FALSE;
  for (i = 0; i < MAX_FENCES; i++) {
    VhCudaFence *fence = self->fences[i];

    if (!fence)
      continue;
    switch (vh_cuda_fence_poll (fence)) {
      case VH_CUDA_FENCE_RUNNING:
        if (vh_cuda_fence_is_late (fence)) {
          if (vh_cuda_fence_is_behind_another (fence))
            n_behind++;
          else
            *late = TRUE;
        }
        n++;
        continue;
      case VH_CUDA_FENCE_PASSED:
        if (!self->failed[i] && !vh_cuda_fence_is_late (fence))
          vh_cuda_recovery_succeed (&self->recovery);
        break;
      case VH_CUDA_FENCE_FAILED:
        *failed |= vh_cuda_fence_is_on (fence, self->device);
        break;
    }
    g_clear_pointer (&self->fences[i], vh_cuda_fence_unref);
  }
  return n_behind > 0 && !*late ? leave_late_fences (self) : n;
}

/* Whether the GPU works as it should; if not, abandons everything that a failed
 * kernel may still use. While a kernel of this stream is late, no other kernel
 * is launched, so that no more frames are held, however long it takes. */
static gboolean
check_fences (VhCudaSession * self, guint * n, GError ** error)
{
  gboolean late, failed;

  *n = look_at_fences (self, &late, &failed);
  if (vh_cuda_is_lost ())
    return vh_cuda_recovery_is_usable (&self->recovery, error);
  if (failed) {
    lose_device (self);
    return fail_kernel (self, "failed", error);
  }
  if (late)
    return fail_late (self, error);
  return TRUE;
}

gboolean
vh_cuda_session_enter (VhCudaSession * self, GError ** error)
{
  CUresult result;
  guint n;

  if (!vh_cuda_recovery_is_usable (&self->recovery, error)
      || !ensure_device (self, error) || !check_fences (self, &n, error))
    return FALSE;
  result = vh_cuda_device_push (self->device);
  return result == CUDA_SUCCESS
      || vh_cuda_session_fail (self, result, "Entering the CUDA context",
      error);
}

void
vh_cuda_session_leave (VhCudaSession * self)
{
  vh_cuda_device_pop (self->device);
}

VhCudaDevice *
vh_cuda_session_device (VhCudaSession * self)
{
  return self->device;
}

VhCudaStream *
vh_cuda_session_stream (VhCudaSession * self)
{
  return self->stream;
}

guint
vh_cuda_session_generation (VhCudaSession * self)
{
  return self->generation;
}

gboolean
vh_cuda_session_check_frame (VhCudaSession * self, const VhCudaFrame * frame,
    GError ** error)
{
  if (self->device == frame->device)
    return TRUE;
  g_set_error (error, VH_ERROR, VH_ERROR_DEVICE,
      "the CUDA context was lost before the frame was finished");
  return FALSE;
}

void
vh_cuda_session_set_writes (VhCudaSession * self)
{
  self->writes = TRUE;
}

gboolean
vh_cuda_session_reserve_result (VhCudaSession * self, VhCudaFrame * frame,
    GError ** error)
{
  if (frame->n_reserved == VH_FRAME_MAX_RESULTS) {
    g_set_error (error, VH_ERROR, VH_ERROR_FRAME, "the frame has %u results "
        "already", frame->n_reserved);
    return FALSE;
  }
  frame->n_reserved++;
  return vh_cuda_session_check_frame (self, frame, error);
}

GstClockTime
vh_cuda_session_late_after (VhCudaSession * self)
{
  return self->limits.late_after;
}

GstClockTime
vh_cuda_session_correct_within (VhCudaSession * self)
{
  return self->limits.correct_within;
}

gboolean
vh_cuda_session_may_grow (VhCudaSession * self)
{
  guint i;

  for (i = 0; i < MAX_FENCES; i++) {
    if (self->fences[i] && vh_cuda_fence_age (self->fences[i]) > GROW_WITHIN)
      return FALSE;
  }
  return TRUE;
}

VhDevice *
vh_cuda_session_open (const VhDeviceClass * klass,
    const VhDeviceConfig * config, GError ** error)
{
  const VhCudaDriver *driver = vh_cuda_driver_get (error);
  VhCudaSession *self;
  gint devices = 0;

  if (!driver)
    return NULL;
  if (config->must_exist
      && driver->DeviceGetCount (&devices) == CUDA_SUCCESS
      && config->cuda_device_id >= devices) {
    g_set_error (error, VH_ERROR, VH_ERROR_BACKEND,
        "CUDA device %d does not exist; the devices are 0 to %d",
        config->cuda_device_id, devices - 1);
    return NULL;
  }
  /* Unless this succeeds, nothing else of libgstcuda may be called. */
  if (!gst_cuda_load_library ()) {
    g_set_error (error, VH_ERROR, VH_ERROR_BACKEND,
        "GStreamer's CUDA library cannot use the NVIDIA driver");
    return NULL;
  }
  gst_cuda_memory_init_once ();

  self = g_new0 (VhCudaSession, 1);
  self->parent.klass = klass;
  self->driver = driver;
  self->element = config->element;
  self->device_id = config->cuda_device_id;
  self->limits = config->limits;
  if (self->limits.late_after == 0)
    self->limits.late_after = LATE_AFTER;
  if (self->limits.correct_within == 0)
    self->limits.correct_within = CORRECT_WITHIN;
  self->generation = 1;
  vh_cuda_recovery_init (&self->recovery);
  g_mutex_init (&self->lock);
  return &self->parent;
}

/* Work that is still in flight after a while is left to the watcher. */
void
vh_cuda_session_close (VhDevice * device)
{
  VhCudaSession *self = vh_cuda_session (device);
  const GstClockTime end = gst_util_get_timestamp () + CLOSE_WITHIN;
  guint i;

  for (i = 0; i < MAX_FENCES; i++) {
    VhCudaFence *fence = self->fences[i];
    GstClockTime now = gst_util_get_timestamp ();

    if (!fence)
      continue;
    vh_cuda_fence_wait (fence, end > now ? end - now : 0);
    vh_cuda_fence_abandon (fence);
    g_clear_pointer (&self->fences[i], vh_cuda_fence_unref);
  }
  drop_device (self);
  /* Releases ended work now, and with it the context if nothing else has it. */
  vh_cuda_watcher_look ();
  replace_context (self, NULL);
  g_mutex_clear (&self->lock);
  g_free (self);
}

gboolean
vh_cuda_session_configure (VhDevice * device, const VhLayout * layout,
    guint upload_planes, GError ** error)
{
  VhCudaSession *self = vh_cuda_session (device);
  CUresult result = CUDA_SUCCESS;

  if (!vh_cuda_session_enter (self, error))
    return FALSE;
  if (upload_planes && vh_cuda_session_may_grow (self)) {
    result = vh_cuda_upload_prepare (&self->upload, self->stream,
        vh_cuda_upload_size (layout, upload_planes), TRUE);
  }
  vh_cuda_session_leave (self);
  return result == CUDA_SUCCESS || vh_cuda_session_fail (self, result,
      "Allocating memory for uploads", error);
}

static CUcontext
context_of (GstMemory * memory)
{
  return gst_cuda_context_get_handle (GST_CUDA_MEMORY_CAST (memory)->context);
}

/* Returns a CUDA memory of @view if all planes are in CUDA memory of one
 * context, otherwise NULL. */
static GstMemory *
find_cuda_memory (const VhFrameView * view)
{
  GstMemory *memory = NULL;
  guint p;

  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    if (!(view->planes & (1u << p)))
      continue;
    if (!view->plane[p].memory || !gst_is_cuda_memory (view->plane[p].memory)
        || (memory && context_of (memory) !=
            context_of (view->plane[p].memory)))
      return NULL;
    memory = view->plane[p].memory;
  }
  return memory;
}

/* Switches to the context of the frame's memory if that is a different
 * CUcontext, whichever object wraps it. */
static gboolean
adopt_context (VhCudaSession * self, GstMemory * memory, GError ** error)
{
  GstCudaContext *context = GST_CUDA_MEMORY_CAST (memory)->context;
  gint id;

  if (self->device && self->device->handle == context_of (memory))
    return TRUE;
  id = vh_gst_cuda_context_device_id (context);
  if (self->device_id >= 0 && id != self->device_id) {
    g_set_error (error, VH_ERROR, VH_ERROR_FRAME, "The frame is on CUDA "
        "device %d, but cuda-device-id is %d", id, self->device_id);
    return FALSE;
  }
  if (self->frames[0].begun || self->frames[1].begun) {
    g_set_error (error, VH_ERROR, VH_ERROR_FRAME, "The frame and the output "
        "frame are in different CUDA contexts");
    return FALSE;
  }
  drop_device (self);
  replace_context (self, context);
  return TRUE;
}

/* The maximum number of frames in flight. A decoder waits for its surfaces,
 * whether or not their buffers have a pool. Their memory is recognised by being
 * read-only. */
static guint
max_frames (const VhFrameView * view, gboolean on_device)
{
  guint p;

  for (p = 0; on_device && p < GST_VIDEO_MAX_PLANES; p++) {
    if ((view->planes & (1u << p))
        && GST_MEMORY_IS_READONLY (view->plane[p].memory))
      return MAX_DECODED;
  }
  return MAX_FRAMES;
}

/* How long a frame may take; if frames are corrected, no longer than callers
 * wait for them. */
static GstClockTime
get_max_frame_time (VhCudaSession * self)
{
  return self->writes ? MIN (self->limits.correct_within,
      self->limits.late_after) : self->limits.late_after;
}

/* Ensures that fewer than @max frames are in flight. */
static gboolean
find_room (VhCudaSession * self, guint max, gboolean wait, GError ** error)
{
  const GstClockTime start = gst_util_get_timestamp ();
  GstClockTime age;
  guint n;

  while (check_fences (self, &n, error)) {
    if (n < max)
      return TRUE;
    if (!wait) {
      g_set_error (error, VH_ERROR, VH_ERROR_OVERLOAD,
          "the GPU is still processing %u frames", n);
      return FALSE;
    }
    age = gst_util_get_timestamp () - start;
    if (age > get_max_frame_time (self))
      return fail_late (self, error);
    if (age < GST_MSECOND)
      g_thread_yield ();
    else
      g_usleep (100);
  }
  return FALSE;
}

/* Finds the frame's addresses. The frame is read and written on the stream of
 * its memory, after the work on the streams of its other memories; without a
 * stream, its producer has finished. */
static CUresult
place_on_device (VhCudaFrame * frame)
{
  VhCudaSession *self = frame->session;
  const VhFrameView *view = frame->planes.view;
  CUresult result = CUDA_SUCCESS;
  guint p;

  frame->stream = NULL;
  for (p = 0; p < GST_VIDEO_MAX_PLANES && result == CUDA_SUCCESS; p++) {
    CUstream stream;

    frame->planes.data[p] = (CUdeviceptr) (guintptr) view->plane[p].data;
    frame->planes.stride[p] = view->plane[p].stride;
    if (!(view->planes & (1u << p)))
      continue;
    stream = vh_gst_cuda_memory_stream (view->plane[p].memory);
    if (stream && frame->stream)
      result = vh_cuda_stream_follow (self->device, frame->stream, stream);
    else if (stream)
      frame->stream = stream;
  }
  frame->complete = frame->stream == NULL;
  if (frame->complete)
    frame->stream = self->stream->handle;
  return result;
}

/* Makes another buffer with the memories of @buffer, which itself stays
 * writable. While the copy lives, nothing writes to the memories, and no pool
 * takes them back. */
static GstBuffer *
copy_shell (GstBuffer * buffer)
{
  GstBuffer *copy = gst_buffer_new ();

  gst_buffer_copy_into (copy, buffer, GST_BUFFER_COPY_MEMORY, 0, -1);
  return copy;
}

static gboolean
is_written_by_host (const VhCudaFrame * frame)
{
  return !frame->on_device && !vh_cuda_upload_is_pinned (frame->planes.view);
}

/* Holds the buffer. Meanwhile nothing writes to it: a writer downstream makes a
 * copy, and no pool gets it back. A frame that is written in place stays with
 * its owner, and so does a frame without enqueued work. */
static void
hold_buffer (VhCudaFrame * frame)
{
  GstBuffer *buffer = frame->planes.view->buffer;

  if (frame->held || is_written_by_host (frame))
    return;
  frame->held = TRUE;
  if (frame->failed || frame->access == VH_FRAME_WRITE)
    buffer = copy_shell (buffer);
  else
    gst_buffer_ref (buffer);
  vh_cuda_fence_hold_frame (frame->fence, buffer, TRUE);
}

/* Starts the fence, and keeps it, if something was enqueued. */
static void
start_fence (VhCudaFrame * frame)
{
  VhCudaSession *self = frame->session;
  guint i;

  if (!frame->enqueued)
    return;
  hold_buffer (frame);
  vh_cuda_fence_start (frame->fence, frame->stream);
  for (i = 0; i < MAX_FENCES - 1 && self->fences[i]; i++);
  self->fences[i] = vh_cuda_fence_ref (frame->fence);
  self->failed[i] = frame->failed;
}

/* Marks the frame as complete in the order of its stream; FALSE if that is not
 * possible for all of it. */
static gboolean
set_pending (const VhFrameView * view)
{
  gboolean pending = TRUE;
  guint p;

  for (p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    if (view->planes & (1u << p))
      pending &= vh_gst_cuda_memory_set_pending (view->plane[p].memory);
  }
  return pending;
}

/* Ends a frame, whose context is current. If the frame was written, but an
 * operation failed or its memory cannot be marked as complete in the order of
 * its stream, returns the fence to wait for. */
static VhCudaFence *
leave_frame (VhCudaFrame * frame)
{
  VhCudaFence *awaited = NULL;

  vh_frame_view_unmap (frame->parent.view);
  if (frame->enqueued && frame->access == VH_FRAME_WRITE) {
    if (frame->failed || !set_pending (frame->parent.view))
      awaited = vh_cuda_fence_ref (frame->fence);
    else
      frame->held = TRUE;
  }
  start_fence (frame);
  vh_cuda_device_pop (frame->device);
  g_clear_pointer (&frame->fence, vh_cuda_fence_unref);
  frame->begun = FALSE;
  return awaited;
}

/* Finds the planes' addresses, and makes a fence; the context must be
 * current. */
static CUresult
prepare_frame (VhCudaFrame * frame)
{
  VhCudaSession *self = frame->session;
  CUresult result;

  frame->fence = vh_cuda_fence_new (self->stream, get_max_frame_time (self));
  frame->stream = frame->home = self->stream->handle;
  if (frame->on_device) {
    result = place_on_device (frame);
    frame->home = frame->stream;
    return result;
  }
  /* A call that fails may have started its work. */
  frame->enqueued = frame->failed = TRUE;
  result = vh_cuda_upload_frame (&self->upload, self->stream, frame->fence,
      &frame->planes);
  frame->failed = result != CUDA_SUCCESS;
  if (frame->failed)
    vh_cuda_fence_set_silent (frame->fence);
  return result;
}

static VhCudaFrame *
find_frame (VhCudaSession * self, GError ** error)
{
  guint i;

  for (i = 0; i < VH_DEVICE_MAX_FRAMES; i++) {
    if (!self->frames[i].begun)
      return &self->frames[i];
  }
  g_set_error (error, VH_ERROR, VH_ERROR_FRAME, "%u frames are on the GPU "
      "already", i);
  return NULL;
}

VhFrame *
vh_cuda_session_begin (VhDevice * device, VhFrameView * view,
    VhFrameAccess access, gboolean wait, GError ** error)
{
  VhCudaSession *self = vh_cuda_session (device);
  VhCudaFrame *frame = find_frame (self, error);
  GstMemory *memory = find_cuda_memory (view);
  const GstMapFlags flags =
      access == VH_FRAME_WRITE ? GST_MAP_READWRITE : GST_MAP_READ;
  CUresult result;

  if (!frame)
    return NULL;
  if (access == VH_FRAME_WRITE && !memory) {
    g_set_error (error, VH_ERROR, VH_ERROR_FRAME, "The output frame is not in "
        "CUDA memory of a single context");
    return NULL;
  }
  if (!vh_cuda_recovery_is_usable (&self->recovery, error)
      || !find_room (self, max_frames (view, memory != NULL), wait, error)
      || (memory && !adopt_context (self, memory, error))
      || !ensure_device (self, error)
      || !vh_frame_view_map (view, memory ? flags | GST_MAP_CUDA : flags,
          error))
    return NULL;

  *frame = (VhCudaFrame) {
    .parent.view = view,
    .session = self,
    .device = self->device,
    .access = access,
    .wait = wait,
    .on_device = memory != NULL,
    .planes.view = view,
  };
  result = vh_cuda_device_push (self->device);
  if (result != CUDA_SUCCESS) {
    vh_frame_view_unmap (view);
    vh_cuda_session_fail (self, result, "Entering the CUDA context", error);
    return NULL;
  }
  frame->begun = TRUE;
  result = prepare_frame (frame);
  if (result != CUDA_SUCCESS) {
    VhCudaFence *awaited = leave_frame (frame);

    g_clear_pointer (&awaited, vh_cuda_fence_unref);
    vh_cuda_session_fail (self, result, "Preparing a frame for the GPU", error);
    return NULL;
  }
  GST_LOG ("frame %p: %s, on stream %p%s", view->buffer,
      frame->on_device ? "already there" : "uploaded", frame->stream,
      frame->complete ? ", complete" : "");
  return &frame->parent;
}

/* Waits until a written frame is complete. */
static gboolean
complete_frame (VhCudaSession * self, VhCudaFence * fence, GError ** error)
{
  switch (vh_cuda_fence_wait (fence, self->limits.correct_within)) {
    case VH_CUDA_FENCE_RUNNING:
      return fail_late (self, error);
    case VH_CUDA_FENCE_FAILED:
      lose_device (self);
      return fail_kernel (self, "failed", error);
    default:
      return TRUE;
  }
}

gboolean
vh_cuda_session_end (VhDevice * device, VhFrame * frame, GError ** error)
{
  VhCudaSession *self = vh_cuda_session (device);
  VhCudaFence *awaited = leave_frame (vh_cuda_frame (frame));
  gboolean ok = TRUE;

  if (awaited) {
    ok = complete_frame (self, awaited, error);
    vh_cuda_fence_unref (awaited);
  }
  return ok;
}

void
vh_cuda_session_set_context (VhDevice * device, GstContext * context)
{
  VhCudaSession *self = vh_cuda_session (device);
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

gboolean
vh_cuda_session_answer_context_query (VhDevice * device, GstQuery * query)
{
  VhCudaSession *self = vh_cuda_session (device);
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
