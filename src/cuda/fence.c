/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fence.h"
#include "cache.h"
#include "core/device.h"
#include "debug.h"
#include "dispatcher.h"
#include "watcher.h"

/* How long results may be missing before the driver is asked whether a kernel
 * failed. */
#define ASK_AFTER (2 * GST_MSECOND)

/* How long to wait without sleeping: a sleep takes longer than most waits. */
#define SPIN_FOR (500 * GST_USECOND)

/* Each operation that reads a frame has results, or holds its slots. One that
 * writes holds two counts and the frame that it reads instead. The frame itself
 * holds its buffer and what it was uploaded to. */
#define MAX_RESULTS VH_FRAME_MAX_RESULTS
#define MAX_HELD (MAX_RESULTS - 1 + 3 + 2)

typedef struct
{
  gpointer data;
  GDestroyNotify free;
  gboolean always;              /* release even if kernels may still use it */
  gboolean may_be_late;         /* release when kernels are late */
} Held;

typedef struct
{
  const VhCudaResultFuncs *funcs;
  gpointer data;
  guint32 launch;
  gboolean finished;
} Results;

typedef enum
{
  EVENT_NONE,                   /* not recorded until something asks for it */
  EVENT_RECORDED,
  EVENT_FAILED,                 /* could not be recorded: query the stream
                                 * instead */
} EventState;

struct _VhCudaFence
{
  gint refcount;                /* atomic: of the struct */
  gint users;                   /* atomic: references except the watcher's */
  VhCudaStream *own;            /* of its frame or memory; holds a reference
                                 * until the fence has ended and has no users */
  VhCudaDevice *device;         /* the device of own; likewise */
  GstClockTime late_after;      /* ns */
  gboolean silent;              /* constant once started */
  CUstream stream;              /* the stream of its work; constant once
                                 * started */
  gint started, ended;          /* atomic; ended: the stream has passed it */

  GMutex event_lock;            /* may be taken while holding any lock except
                                 * those of caches */
  gint event_state;             /* EventState, atomic; changes with
                                 * event_lock */
  CUevent event;                /* constant once recorded */

  GMutex lock;
  gint state;                   /* VhCudaFenceState, atomic; changes with
                                 * lock */
  GstClockTime start;           /* monotonic ns */
  gboolean shared;              /* its work is on the dispatcher's stream */
  guint64 number;               /* among the fences on that stream */
  gint late;                    /* atomic; changes with lock */
  gboolean abandoned;           /* protected by lock, like the following */
  Results results[MAX_RESULTS];
  guint n_results;
  Held held[MAX_HELD];
  guint n_held;
};

VhCudaFence *
vh_cuda_fence_new (VhCudaStream * own, GstClockTime late_after)
{
  VhCudaFence *self = g_new0 (VhCudaFence, 1);

  self->refcount = self->users = 1;
  self->own = vh_cuda_stream_ref (own);
  self->device = own->device;
  self->late_after = late_after;
  g_mutex_init (&self->lock);
  g_mutex_init (&self->event_lock);
  return self;
}

VhCudaFence *
vh_cuda_fence_ref (VhCudaFence * fence)
{
  g_atomic_int_inc (&fence->users);
  g_atomic_int_inc (&fence->refcount);
  return fence;
}

static void
unref_struct (VhCudaFence * self)
{
  if (!g_atomic_int_dec_and_test (&self->refcount))
    return;
  g_mutex_clear (&self->lock);
  g_mutex_clear (&self->event_lock);
  g_free (self);
}

/* Gives back event and stream once nothing needs them any more, without waiting
 * for the watcher. */
static void
release (VhCudaFence * self)
{
  VhCudaStream *own = NULL;

  g_mutex_lock (&self->lock);
  if (g_atomic_int_get (&self->users) == 0
      && (!self->started || self->state != VH_CUDA_FENCE_RUNNING)
      && self->own) {
    own = g_steal_pointer (&self->own);
    if (self->event)
      vh_cuda_event_give (own->device, self->event);
  }
  g_mutex_unlock (&self->lock);
  if (own)
    vh_cuda_stream_unref (own);
}

static void
end_results (const Results * results)
{
  results->funcs->end (results->data, results->launch);
}

/* If a fence was never started, nothing that it holds is in use. */
void
vh_cuda_fence_unref (VhCudaFence * fence)
{
  guint i;

  if (g_atomic_int_dec_and_test (&fence->users)) {
    const gboolean started = g_atomic_int_get (&fence->started);

    for (i = 0; !started && i < fence->n_results; i++)
      end_results (&fence->results[i]);
    for (i = 0; !started && i < fence->n_held; i++)
      fence->held[i].free (fence->held[i].data);
    release (fence);
  }
  unref_struct (fence);
}

void
vh_cuda_fence_hold (VhCudaFence * fence, gpointer data, GDestroyNotify free,
    gboolean always)
{
  g_return_if_fail (fence->n_held < MAX_HELD);
  fence->held[fence->n_held++] = (Held) {
    .data = data,
    .free = free,
    .always = always,
  };
}

/* After a failure it is unknown whether a kernel still reads the frame, so its
 * memory cannot be freed, unless a pool waits for it. */
void
vh_cuda_fence_hold_frame (VhCudaFence * fence, GstBuffer * frame,
    gboolean may_be_late)
{
  vh_cuda_fence_hold (fence, frame, (GDestroyNotify) gst_buffer_unref,
      frame->pool != NULL);
  fence->held[fence->n_held - 1].may_be_late = may_be_late && frame->pool;
}

void
vh_cuda_fence_add_results (VhCudaFence * fence,
    const VhCudaResultFuncs * funcs, gpointer data, guint32 launch)
{
  g_return_if_fail (fence->n_results < MAX_RESULTS);
  fence->results[fence->n_results++] = (Results) {
    .funcs = funcs,
    .data = data,
    .launch = launch,
  };
  /* Results arrive after all earlier work, so they also show the end of kernels
   * without results. */
  fence->silent = FALSE;
}

void
vh_cuda_fence_set_silent (VhCudaFence * fence)
{
  fence->silent = TRUE;
}

static gboolean
watch (gpointer data)
{
  if (vh_cuda_fence_poll (data) == VH_CUDA_FENCE_RUNNING)
    return FALSE;
  release (data);
  unref_struct (data);
  return TRUE;
}

/* Records the event, unless that was tried before. An event that is recorded
 * late also covers work that was enqueued since. The context must be current.
 * Returns whether there is an event. */
static gboolean
ensure_event (VhCudaFence * self)
{
  CUresult result;

  if (g_atomic_int_get (&self->event_state) == EVENT_RECORDED)
    return TRUE;
  g_mutex_lock (&self->event_lock);
  if (self->event_state == EVENT_NONE
      && vh_cuda_event_take (self->device, &self->event) == CUDA_SUCCESS) {
    result = self->device->driver->EventRecord (self->event, self->stream);
    vh_cuda_note (result);
    g_atomic_int_set (&self->event_state,
        result == CUDA_SUCCESS ? EVENT_RECORDED : EVENT_FAILED);
  }
  g_mutex_unlock (&self->event_lock);
  return self->event_state == EVENT_RECORDED;
}

/* Most frames need no event, because their results show when they are done. If
 * one is needed later, it can still be recorded on the fence's own stream,
 * which still exists, and only has work of this stream of frames. */
static gboolean
needs_event (const VhCudaFence * self)
{
  return self->silent || self->n_results == 0
      || self->stream != self->own->handle;
}

void
vh_cuda_fence_start (VhCudaFence * fence, CUstream stream)
{
  fence->stream = stream;
  fence->shared = stream ==
      vh_cuda_dispatcher_stream (fence->device->dispatcher);
  if (needs_event (fence))
    ensure_event (fence);
  if (fence->shared)
    fence->number = vh_cuda_device_begin_shared (fence->device);
  fence->start = gst_util_get_timestamp ();
  g_atomic_int_set (&fence->started, TRUE);
  g_atomic_int_inc (&fence->refcount);
  vh_cuda_watch (watch, fence);
}

static CUresult
query (VhCudaFence * self)
{
  const VhCudaDriver *driver = self->device->driver;
  CUresult result = vh_cuda_device_push (self->device);

  if (result == CUDA_SUCCESS) {
    result = ensure_event (self) ? driver->EventQuery (self->event) :
        driver->StreamQuery (self->stream);
    vh_cuda_device_pop (self->device);
  }
  return result;
}

/* Queries the GPU for the state. */
static VhCudaFenceState
ask (VhCudaFence * self)
{
  CUresult result;

  if (vh_cuda_is_lost ())
    return VH_CUDA_FENCE_FAILED;
  if (g_atomic_int_get (&self->ended))
    return VH_CUDA_FENCE_PASSED;
  result = query (self);
  /* Fails, and so abandons what the fence holds, only if the context is gone,
   * not after other errors. */
  if (result != CUDA_SUCCESS
      && vh_cuda_failure (result) == VH_CUDA_FAILURE_CONTEXT)
    result = query (self);
  if (result == CUDA_SUCCESS) {
    g_atomic_int_set (&self->ended, TRUE);
    return VH_CUDA_FENCE_PASSED;
  }
  if (result == CUDA_ERROR_NOT_READY)
    return VH_CUDA_FENCE_RUNNING;
  vh_cuda_note (result);
  switch (vh_cuda_failure (result)) {
    case VH_CUDA_FAILURE_CONTEXT:
    case VH_CUDA_FAILURE_LOST:
      return VH_CUDA_FENCE_FAILED;
    default:
      return VH_CUDA_FENCE_RUNNING;
  }
}

gboolean
vh_cuda_fence_has_ended (VhCudaFence * fence)
{
  return g_atomic_int_get (&fence->started)
      && ask (fence) == VH_CUDA_FENCE_PASSED;
}

static void
finish_results (VhCudaFence * self, gboolean complete)
{
  guint i;

  for (i = 0; i < self->n_results; i++) {
    Results *results = &self->results[i];

    if (!results->finished)
      results->funcs->finish (results->data, complete);
    results->finished = TRUE;
  }
}

/* Finishes the results that are complete. Returns whether all are. */
static gboolean
look_for_results (VhCudaFence * self)
{
  gboolean all = TRUE;
  guint i;

  for (i = 0; i < self->n_results; i++) {
    Results *results = &self->results[i];

    if (!results->finished && results->funcs->look (results->data)) {
      results->funcs->finish (results->data, TRUE);
      results->finished = TRUE;
    }
    all &= results->finished;
  }
  return all;
}

/* Marks the fence as late: the GPU may be busy with other work, or hang. */
static void
set_late (VhCudaFence * self)
{
  if (!self->late) {
    GST_DEBUG ("context %p, stream %p: a kernel is late",
        self->device->handle, self->stream);
  }
  g_atomic_int_set (&self->late, TRUE);
  finish_results (self, FALSE);
}

static VhCudaFenceState
look (VhCudaFence * self)
{
  const GstClockTime age = gst_util_get_timestamp () - self->start;
  VhCudaFenceState state;

  if (!self->late && self->n_results > 0) {
    const gboolean all = look_for_results (self);

    if (all && !self->silent)
      return VH_CUDA_FENCE_PASSED;
    if (!all && age < ASK_AFTER)
      return VH_CUDA_FENCE_RUNNING;
  }
  state = ask (self);
  /* The kernels have run, so their results must have arrived. */
  if (state == VH_CUDA_FENCE_PASSED && !self->late && !look_for_results (self))
    state = VH_CUDA_FENCE_FAILED;
  if (state == VH_CUDA_FENCE_FAILED)
    finish_results (self, FALSE);
  else if (state == VH_CUDA_FENCE_RUNNING && age > self->late_after)
    set_late (self);
  return state;
}

/* Moves the items that can be released now to @done; returns how many. */
static guint
take_held (VhCudaFence * self, Held done[MAX_HELD])
{
  guint n = 0, kept = 0, i;

  for (i = 0; i < self->n_held; i++) {
    const Held *held = &self->held[i];
    const gboolean over = self->state == VH_CUDA_FENCE_PASSED
        || (self->state == VH_CUDA_FENCE_FAILED && held->always);

    if (over || (self->late && held->may_be_late))
      done[n++] = *held;
    else
      self->held[kept++] = *held;
  }
  self->n_held = kept;
  return n;
}

static void
set_state (VhCudaFence * self, VhCudaFenceState state)
{
  g_atomic_int_set (&self->state, state);
  if (state == VH_CUDA_FENCE_RUNNING)
    return;
  GST_LOG ("context %p, stream %p: %s after %" G_GUINT64_FORMAT " us",
      self->device->handle, self->stream,
      state == VH_CUDA_FENCE_PASSED ? "done" : "failed",
      (gst_util_get_timestamp () - self->start) / GST_USECOND);
  if (self->shared)
    vh_cuda_device_end_shared (self->device);
  /* A failed fence does not block others, because its context is gone. */
  if (self->abandoned)
    g_atomic_int_add (&self->device->abandoned, -1);
  self->abandoned = FALSE;
}

/* Releases frames without the lock, because that also releases their metas and
 * histograms. */
VhCudaFenceState
vh_cuda_fence_poll (VhCudaFence * fence)
{
  gboolean passed = FALSE;
  VhCudaFenceState state;
  Held done[MAX_HELD];
  guint n = 0, i;

  if (!g_atomic_int_get (&fence->started))
    return VH_CUDA_FENCE_RUNNING;
  state = g_atomic_int_get (&fence->state);
  if (state != VH_CUDA_FENCE_RUNNING)
    return state;
  g_mutex_lock (&fence->lock);
  state = fence->state;
  if (state == VH_CUDA_FENCE_RUNNING) {
    state = look (fence);
    set_state (fence, state);
    n = take_held (fence, done);
    passed = state == VH_CUDA_FENCE_PASSED;
  }
  g_mutex_unlock (&fence->lock);
  for (i = 0; passed && i < fence->n_results; i++)
    end_results (&fence->results[i]);
  for (i = 0; i < n; i++)
    done[i].free (done[i].data);
  return state;
}

VhCudaFenceState
vh_cuda_fence_wait (VhCudaFence * fence, GstClockTime timeout)
{
  const GstClockTime start = gst_util_get_timestamp ();
  VhCudaFenceState state;
  GstClockTime age;

  while (TRUE) {
    state = vh_cuda_fence_poll (fence);
    age = gst_util_get_timestamp () - start;
    if (state != VH_CUDA_FENCE_RUNNING || age >= timeout)
      return state;
    if (age < SPIN_FOR)
      g_thread_yield ();
    else
      g_usleep (50);
  }
}

gboolean
vh_cuda_fence_is_late (VhCudaFence * fence)
{
  return g_atomic_int_get (&fence->late);
}

gboolean
vh_cuda_fence_is_behind_another (VhCudaFence * fence)
{
  gboolean behind;

  g_mutex_lock (&fence->lock);
  behind = fence->state == VH_CUDA_FENCE_RUNNING && fence->shared
      && vh_cuda_device_is_behind (fence->device, fence->number);
  g_mutex_unlock (&fence->lock);
  return behind;
}

gboolean
vh_cuda_fence_is_on (VhCudaFence * fence, const VhCudaDevice * device)
{
  gboolean is_on;

  g_mutex_lock (&fence->lock);
  is_on = fence->device == device;
  g_mutex_unlock (&fence->lock);
  return is_on;
}

GstClockTime
vh_cuda_fence_age (VhCudaFence * fence)
{
  GstClockTime age = 0;

  g_mutex_lock (&fence->lock);
  if (fence->started && fence->state == VH_CUDA_FENCE_RUNNING)
    age = gst_util_get_timestamp () - fence->start;
  g_mutex_unlock (&fence->lock);
  return age;
}

void
vh_cuda_fence_abandon (VhCudaFence * fence)
{
  g_mutex_lock (&fence->lock);
  if (fence->started && fence->state == VH_CUDA_FENCE_RUNNING
      && !fence->abandoned) {
    GST_DEBUG ("context %p, stream %p: abandoned before the GPU is done",
        fence->device->handle, fence->stream);
    fence->abandoned = TRUE;
    g_atomic_int_inc (&fence->device->abandoned);
  }
  g_mutex_unlock (&fence->lock);
}

CUresult
vh_cuda_fence_order (VhCudaFence * fence, CUstream stream)
{
  if (!g_atomic_int_get (&fence->started) || fence->stream == stream
      || g_atomic_int_get (&fence->ended))
    return CUDA_SUCCESS;
  if (!ensure_event (fence))
    return vh_cuda_fence_has_ended (fence) ? CUDA_SUCCESS :
        CUDA_ERROR_NOT_READY;
  return fence->device->driver->StreamWaitEvent (stream, fence->event, 0);
}

CUevent
vh_cuda_fence_event (VhCudaFence * fence)
{
  gboolean recorded;

  if (!vh_cuda_fence_is_started (fence)
      || vh_cuda_device_push (fence->device) != CUDA_SUCCESS)
    return NULL;
  recorded = ensure_event (fence);
  vh_cuda_device_pop (fence->device);
  return recorded ? fence->event : NULL;
}

gboolean
vh_cuda_fence_can_order (const VhCudaFence * fence)
{
  return vh_cuda_fence_is_started (fence)
      && g_atomic_int_get (&fence->event_state) != EVENT_FAILED;
}

gboolean
vh_cuda_fence_is_started (const VhCudaFence * fence)
{
  return g_atomic_int_get (&fence->started);
}
