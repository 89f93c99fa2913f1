/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scopes on a GPU: the counts, what is shown of earlier frames, and the drawing
 * all stay there. */
#include "scope.h"
#include "core/error.h"
#include "debug.h"
#include "devicetable.h"
#include "scopelaunch.h"
#include "writing.h"

#include <string.h>

typedef struct
{
  VhScope parent;
  VhCudaSession *session;

  VhCudaScopeState state;       /* its plan is NULL until it is configured */
  guint depth;                  /* bits, of its frames */
  VhCudaMemory *traces[VH_SCOPE_MAX_TRACES];    /* or NULL */
  VhCudaMemory *constants;      /* the plan's data besides parameters, or
                                 * NULL */
  VhCudaMemory *uploads[2];     /* for counts of histograms and of chroma that
                                 * are not on this device, or NULL */
  gboolean ready;               /* all of these exist */
  guint generation;             /* of the session they were made for */
  VhCudaFence *last;            /* of the previous frame, or NULL */
} Scope;

static void
drop_memory (Scope * self, VhCudaMemory ** memory)
{
  vh_cuda_memory_free (g_steal_pointer (memory), &self->last, 1);
}

static void
drop (Scope * self)
{
  guint i;

  for (i = 0; i < VH_SCOPE_MAX_TRACES; i++)
    drop_memory (self, &self->traces[i]);
  for (i = 0; i < G_N_ELEMENTS (self->uploads); i++)
    drop_memory (self, &self->uploads[i]);
  drop_memory (self, &self->constants);
  g_clear_pointer (&self->last, vh_cuda_fence_unref);
  self->ready = FALSE;
}

/* Ensures that @memory has at least @size bytes. The context must be current,
 * here and below. */
static CUresult
ensure_memory (Scope * self, VhCudaMemory ** memory, gsize size)
{
  CUresult result;

  if (*memory && (*memory)->size >= size)
    return CUDA_SUCCESS;
  if (!vh_cuda_session_may_grow (self->session))
    return CUDA_ERROR_NOT_READY;
  drop_memory (self, memory);
  *memory = vh_cuda_memory_new (vh_cuda_session_stream (self->session), size,
      FALSE, &result);
  return result;
}

/* Ensures memory for trace @i of the plan; the trace keeps what it shows if it
 * @continues. */
static CUresult
ensure_trace (Scope * self, guint i, gboolean continues)
{
  const VhScopePlan *plan = self->state.plan;
  VhCudaTrace *trace = &self->state.trace[i];
  CUresult result;

  continues &= self->traces[i] != NULL;
  result = ensure_memory (self, &self->traces[i],
      vh_cuda_scope_trace_size (&plan->trace[i]));
  if (result != CUDA_SUCCESS)
    return result;
  vh_cuda_scope_trace_place (trace, &plan->trace[i],
      self->traces[i]->address);
  trace->counted = FALSE;
  if (!continues)
    trace->before = VH_SHOWN_NOTHING;
  if (!continues || !(plan->envelope & VH_ENVELOPE_PEAK))
    trace->forget = TRUE;
  return CUDA_SUCCESS;
}

/* Pinned memory with two users: the upload or download, and the code that waits
 * for it. The last of them gives it back. */
typedef struct
{
  gint refcount;                /* atomic */
  VhCudaDevice *device;
  VhCudaPinned *pinned;
} Transfer;

static void
transfer_unref (gpointer data)
{
  Transfer *self = data;

  if (!g_atomic_int_dec_and_test (&self->refcount))
    return;
  vh_cuda_pinned_give (self->device, self->pinned);
  vh_cuda_device_unref (self->device);
  g_free (self);
}

static Transfer *
transfer_new (VhCudaDevice * device, gsize size, CUresult * result)
{
  VhCudaPinned *pinned = vh_cuda_pinned_take (device, size, result);
  Transfer *self;

  if (!pinned)
    return NULL;
  self = g_new0 (Transfer, 1);
  self->refcount = 1;
  self->device = vh_cuda_device_ref (device);
  self->pinned = pinned;
  return self;
}

/* Copies @size bytes on the session's stream, between @address and the pinned
 * memory of @self. Returns a fence after the copy, which holds a reference to
 * @self, or NULL with the driver's error in @result. */
static VhCudaFence *
transfer_start (Transfer * self, Scope * scope, CUdeviceptr address,
    gsize size, gboolean to_host, CUresult * result)
{
  VhCudaStream *stream = vh_cuda_session_stream (scope->session);
  VhCudaFence *fence;

  *result = to_host ? vh_cuda_copy_to_host (self->device, self->pinned->data,
      address, size, stream->handle) : vh_cuda_copy_to_device (self->device,
      address, self->pinned->data, size, stream->handle);
  if (*result != CUDA_SUCCESS)
    return NULL;
  fence = vh_cuda_fence_new (stream,
      vh_cuda_session_late_after (scope->session));
  g_atomic_int_inc (&self->refcount);
  vh_cuda_fence_hold (fence, self, transfer_unref, FALSE);
  vh_cuda_fence_set_silent (fence);
  vh_cuda_fence_start (fence, stream->handle);
  return fence;
}

/* Fills @behind with the pixels of @plan's panels, as they look without traces:
 * a byte per component. */
static void
fill_behind (const VhScopePlan * plan, guint32 * behind)
{
  guint i;
  gsize n;

  for (i = 0; i < plan->n_panels; i++) {
    const VhScopePanel *panel = &plan->panel[i];
    const gsize end = panel->graticule + (gsize) panel->width * panel->height;

    for (n = panel->graticule; n < end; n++) {
      const VhScopePixel pixel = vh_scope_behind (panel->opacity,
          plan->graticules[n]);

      behind[n] = pixel.c[0] | pixel.c[1] << 8 | pixel.c[2] << 16 |
          pixel.c[3] << 24;
    }
  }
}

/* Uploads the plan's data besides parameters. */
static CUresult
upload_constants (Scope * self)
{
  const VhScopePlan *plan = self->state.plan;
  const gsize behind = plan->n_graticules * sizeof (guint32);
  const gsize brightness = plan->n_traces * VH_SCOPE_STEPS;
  const gsize of_code = plan->look.of_code ? (gsize) 1 << self->depth : 0;
  const gsize size = behind + brightness + of_code;
  Transfer *transfer;
  VhCudaFence *fence;
  CUresult result;
  guint8 *data;

  result = ensure_memory (self, &self->constants, size);
  if (result != CUDA_SUCCESS || size == 0)
    return result;
  transfer = transfer_new (vh_cuda_session_device (self->session), size,
      &result);
  if (!transfer)
    return result;

  data = transfer->pinned->data;
  fill_behind (plan, (guint32 *) data);
  memcpy (data + behind, plan->brightness, brightness);
  if (of_code)
    memcpy (data + behind + brightness, plan->look.of_code, of_code);
  self->state.behind = self->constants->address;
  self->state.brightness = self->state.behind + behind;
  self->state.of_code = self->state.brightness + brightness;
  fence = transfer_start (transfer, self, self->constants->address, size,
      FALSE, &result);
  transfer_unref (transfer);
  g_clear_pointer (&fence, vh_cuda_fence_unref);
  return result;
}

/* Ensures room for counts of histograms and of chroma that come from the
 * host. */
static CUresult
ensure_uploads (Scope * self)
{
  const VhScopePlan *plan = self->state.plan;
  gsize size[2] = { 0, 0 };
  CUresult result = CUDA_SUCCESS;
  guint i;

  for (i = 0; i < plan->n_traces; i++) {
    const VhScopeTrace *trace = &plan->trace[i];

    if (trace->kind == VH_TRACE_CHROMA || (trace->kind == VH_TRACE_HISTOGRAM
            && trace->value >= VH_SCOPE_U)) {
      size[1] = MAX (size[1], (gsize) trace->columns * trace->columns *
          sizeof (guint32));
    } else if (trace->kind == VH_TRACE_HISTOGRAM) {
      size[0] = MAX (size[0], VH_KERNEL_CHANNELS * trace->columns *
          sizeof (guint32));
    }
  }
  for (i = 0; i < 2 && result == CUDA_SUCCESS; i++) {
    if (size[i] > 0)
      result = ensure_memory (self, &self->uploads[i], size[i]);
  }
  return result;
}

/* Makes everything for the plan, after the work enqueued for earlier frames and
 * before the first frame of the plan. Traces that continue those of @before
 * keep what they show. */
static CUresult
make_ready (Scope * self, const VhScopePlan * before)
{
  const guint generation = vh_cuda_session_generation (self->session);
  VhCudaStream *stream = vh_cuda_session_stream (self->session);
  const VhScopePlan *plan = self->state.plan;
  CUresult result = vh_cuda_scope_load (stream->device);
  guint i;

  if (self->generation != generation || !self->ready) {
    drop (self);
    before = NULL;
  }
  self->generation = generation;
  self->ready = FALSE;
  if (result == CUDA_SUCCESS && self->last)
    result = vh_cuda_fence_order (self->last, stream->handle);
  if (result != CUDA_SUCCESS)
    return result;
  g_clear_pointer (&self->last, vh_cuda_fence_unref);

  for (i = 0; i < plan->n_traces && result == CUDA_SUCCESS; i++) {
    result = ensure_trace (self, i,
        vh_scope_plan_continues (plan, before, i));
  }
  if (result == CUDA_SUCCESS)
    result = ensure_uploads (self);
  if (result == CUDA_SUCCESS)
    result = upload_constants (self);
  self->ready = result == CUDA_SUCCESS;
  return result;
}

/* Makes everything for the plan. Enters and leaves the session. */
static gboolean
prepare (Scope * self, const VhScopePlan * before, GError ** error)
{
  CUresult result;

  if (!vh_cuda_session_enter (self->session, error)) {
    self->ready = FALSE;
    return FALSE;
  }
  result = make_ready (self, before);
  vh_cuda_session_leave (self->session);
  return result == CUDA_SUCCESS || vh_cuda_session_fail (self->session, result,
      "Preparing to draw scopes", error);
}

static gboolean
scope_configure (VhScope * scope, const VhLayout * in,
    G_GNUC_UNUSED const VhLayout * out, VhScopePlan * plan, GError ** error)
{
  Scope *self = (Scope *) scope;
  const VhCountsShape shape = {
    .channels = 1,
    .bins = 1u << in->depth,
    .columns = 1,
    .rows = 1,
  };
  VhScopePlan *before = (VhScopePlan *) self->state.plan;
  gboolean ok;

  vh_cuda_params_init (&self->state.params, in, &shape);
  self->depth = in->depth;
  self->state.plan = vh_scope_plan_ref (plan);
  ok = prepare (self, before, error);
  if (before)
    vh_scope_plan_unref (before);
  return ok;
}

/* Provides @counts (or NULL) to the kernels in the order of the stream of
 * @frame. Uploads them to @room (or NULL) if they are on another device or
 * later frames have overwritten them. Counts that cannot be used are left
 * out. */
static CUresult
find_counts (Scope * self, VhCudaFrame * frame, VhCounts * counts,
    const VhCudaMemory * room, VhCudaScopeCounts * found)
{
  const VhCountsShape *shape;
  VhCountsDeviceView view;
  CUresult result = CUDA_SUCCESS;
  gsize size;

  *found = (VhCudaScopeCounts) { 0, };
  if (!counts || !room)
    return CUDA_SUCCESS;
  shape = vh_counts_shape (counts);
  size = vh_counts_length (counts) * sizeof (guint32);
  if (shape->columns > 1 || shape->rows > 1 || size > room->size)
    return CUDA_SUCCESS;

  if (vh_cuda_map_counts (frame, counts, 0, &view, &result)) {
    found->counts = view.counts;
    found->n_values = view.n_values;
  } else {
    if (!vh_counts_wait (counts,
            vh_cuda_session_correct_within (self->session)))
      return CUDA_SUCCESS;
    found->counts = room->address;
    found->n_values = shape->bins;
    result = vh_cuda_copy_to_device (frame->device, room->address,
        vh_counts_storage (counts), size, frame->stream);
  }
  found->channels = shape->channels;
  found->bins = shape->bins;
  return result;
}

static void
forget (Scope * self)
{
  guint i;

  for (i = 0; i < VH_SCOPE_MAX_TRACES; i++) {
    self->state.trace[i].before = VH_SHOWN_NOTHING;
    self->state.trace[i].forget = TRUE;
  }
}

/* Counts and draws, in the order of the stream of @out. */
static CUresult
enqueue (Scope * self, VhCudaFrame * in, VhCudaFrame * out,
    const VhScopeJob * job)
{
  VhCudaDevice *device = out->device;
  VhCudaScopeCounts histogram, chroma;
  CUresult result;

  if (job->reset)
    forget (self);
  self->state.params.complete = in->complete;
  result = find_counts (self, out, job->histogram, self->uploads[0],
      &histogram);
  if (result == CUDA_SUCCESS)
    result = find_counts (self, out, job->chroma, self->uploads[1], &chroma);
  if (result == CUDA_SUCCESS) {
    result = vh_cuda_scope_count (device, &self->state, &in->planes,
        &histogram, &chroma, job->decay, out->stream);
  }
  if (result == CUDA_SUCCESS && in != out) {
    result = vh_cuda_scope_place (device, &self->state, &in->planes,
        &out->planes, out->stream);
  }
  if (result == CUDA_SUCCESS) {
    result = vh_cuda_scope_draw (device, &self->state, &in->planes,
        &out->planes, out->stream);
  }
  return result;
}

static gboolean
scope_submit (VhScope * scope, VhFrame * in, VhFrame * out,
    const VhScopeJob * job, GError ** error)
{
  Scope *self = (Scope *) scope;
  VhCudaFrame *from = vh_cuda_frame (in), *to = vh_cuda_frame (out);
  CUresult result;

  if (!vh_scope_plan_takes (self->state.plan, in->view, out->view, error)
      || !vh_cuda_session_check_frame (self->session, to, error)
      || !vh_cuda_session_reserve_result (self->session, from, error))
    return FALSE;
  if (self->last
      && vh_cuda_fence_poll (self->last) == VH_CUDA_FENCE_FAILED)
    drop (self);
  if ((!self->ready || self->generation !=
          vh_cuda_session_generation (self->session))
      && (!prepare (self, NULL, error)
          || !vh_cuda_session_check_frame (self->session, to, error)))
    return FALSE;
  result = vh_cuda_start_writing (from, to, &self->last);
  if (result != CUDA_SUCCESS)
    return vh_cuda_session_fail (self->session, result, "Drawing scopes",
        error);

  result = enqueue (self, from, to, job);
  GST_LOG ("frame %p: scopes drawn %s on stream %p, result %d",
      from->planes.view->buffer, in == out ? "in place" : "into another frame",
      to->stream, result);
  if (result == CUDA_SUCCESS)
    return TRUE;
  to->failed = TRUE;
  return vh_cuda_session_fail (self->session, result, "Drawing scopes", error);
}

/* Copies the table of trace @i to @transfer, and waits for the copy. */
static gboolean
download (Scope * self, guint i, Transfer * transfer, CUresult * result,
    GError ** error)
{
  const gsize size = vh_scope_trace_cells (&self->state.plan->trace[i]) *
      sizeof (guint32);
  VhCudaFence *fence = NULL;
  VhCudaFenceState state;

  if (self->last) {
    *result = vh_cuda_fence_order (self->last,
        vh_cuda_session_stream (self->session)->handle);
  }
  if (*result == CUDA_SUCCESS) {
    fence = transfer_start (transfer, self, self->state.trace[i].counts, size,
        TRUE, result);
  }
  if (!fence)
    return FALSE;
  state = vh_cuda_fence_wait (fence,
      vh_cuda_session_correct_within (self->session));
  if (state == VH_CUDA_FENCE_RUNNING)
    vh_cuda_fence_abandon (fence);
  vh_cuda_fence_unref (fence);
  if (state != VH_CUDA_FENCE_PASSED) {
    g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "a kernel %s", state ==
        VH_CUDA_FENCE_RUNNING ? "takes too long" : "failed");
  }
  return state == VH_CUDA_FENCE_PASSED;
}

static gboolean
scope_read (VhScope * scope, guint i, guint32 * counts, GError ** error)
{
  Scope *self = (Scope *) scope;
  const gsize size = vh_scope_trace_cells (&self->state.plan->trace[i]) *
      sizeof (guint32);
  CUresult result = CUDA_SUCCESS;
  Transfer *transfer;
  gboolean ok;

  if (!vh_cuda_session_enter (self->session, error))
    return FALSE;
  if (!self->ready || self->generation !=
      vh_cuda_session_generation (self->session)
      || !self->state.trace[i].counted) {
    vh_cuda_session_leave (self->session);
    g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "the frame was not counted");
    return FALSE;
  }
  transfer = transfer_new (vh_cuda_session_device (self->session), size,
      &result);
  ok = transfer && download (self, i, transfer, &result, error);
  if (ok)
    memcpy (counts, transfer->pinned->data, size);
  g_clear_pointer (&transfer, transfer_unref);
  vh_cuda_session_leave (self->session);
  if (result != CUDA_SUCCESS) {
    return vh_cuda_session_fail (self->session, result,
        "Reading the counts of a scope", error);
  }
  return ok;
}

static void
scope_close (VhScope * scope)
{
  Scope *self = (Scope *) scope;

  drop (self);
  if (self->state.plan)
    vh_scope_plan_unref ((VhScopePlan *) self->state.plan);
  g_free (self);
}

static const VhScopeClass scope_class = {
  .configure = scope_configure,
  .submit = scope_submit,
  .read = scope_read,
  .close = scope_close,
};

VhScope *
vh_cuda_scope_new (VhDevice * device)
{
  Scope *self = g_new0 (Scope, 1);

  self->parent.klass = &scope_class;
  self->session = vh_cuda_session (device);
  vh_cuda_session_set_writes (self->session);
  return &self->parent;
}
