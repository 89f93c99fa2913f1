/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts frames on a GPU: each in one launch, alone or together with frames of
 * other streams. */
#include "counter.h"
#include "choose.h"
#include "core/channels.h"
#include "core/error.h"
#include "core/methods.h"
#include "debug.h"
#include "dispatcher.h"
#include "operation.h"

typedef struct
{
  VhCounter parent;
  VhCudaOperation base;

  const VhLayout *layout;       /* owned by the caller */
  VhCountSpec spec;
  guint method;                 /* AUTO if the requested method cannot count
                                 * these frames */
  gchar *method_problem;        /* why it cannot, or NULL */
  VhKernelParams params;        /* what does not change from frame to frame */
  guint scratch_layout;         /* differs for each configuration */
} Counter;

/* Gradients are counted by a separate launch, after the other channels; their
 * results come last. */
#define GRADIENT (1u << VH_CHANNEL_GRADIENT)

static CUresult
load_gradient (VhCudaDevice * device)
{
  static const VhCudaKernel kernels[] = {
    VH_CUDA_KERNEL_GRADIENT_BYTES, VH_CUDA_KERNEL_GRADIENT_FRAME,
    VH_CUDA_KERNEL_GRADIENT_WORDS, VH_CUDA_KERNEL_GRADIENT_PIXELS
  };

  return vh_cuda_device_load_all (device, kernels, G_N_ELEMENTS (kernels));
}

/* Checks whether the requested method can count frames of the expected layout,
 * and prepares it. If it cannot, stores the reason, and uses the fastest
 * method. */
static CUresult
choose_method (Counter * self, gsize * scratch)
{
  VhCudaDevice *device = vh_cuda_session_device (self->base.session);
  const GstVideoInfo *info = &self->layout->info;
  VhKernelParams frame = self->params, params;
  VhCudaLaunch launch;
  CUresult result;
  guint i;

  self->method = self->spec.method;
  g_clear_pointer (&self->method_problem, g_free);
  result = frame.channels & GRADIENT ? load_gradient (device) : CUDA_SUCCESS;
  frame.channels &= ~GRADIENT;
  if (frame.channels == 0 || result != CUDA_SUCCESS)
    return result;
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
  launch = vh_cuda_choose_launch (device, self->layout, self->method, &params,
      &self->method_problem);
  result = vh_cuda_device_load (device, launch.kernel);
  if (result == CUDA_ERROR_NOT_FOUND && !self->method_problem
      && self->method != VH_METHOD_AUTO) {
    self->method_problem = vh_cuda_describe_problem (device, self->layout,
        self->method, &frame, "this build has no kernel for it");
    params = frame;
    launch = vh_cuda_choose_launch (device, self->layout, VH_METHOD_AUTO,
        &params, NULL);
    result = vh_cuda_device_load (device, launch.kernel);
  }
  if (self->method_problem)
    self->method = VH_METHOD_AUTO;
  *scratch = launch.scratch;
  GST_DEBUG ("%s %dx%d in %ux%u cells of %u bins: method %s, kernel %s%s%s",
      GST_VIDEO_INFO_NAME (info), frame.width, frame.height,
      self->params.columns, self->params.rows, self->params.bins,
      vh_method_nick (self->method), vh_cuda_kernel_name (launch.kernel),
      self->method_problem ? ": " : "",
      self->method_problem ? self->method_problem : "");
  return result;
}

/* Chooses the method and makes room for its results. */
static CUresult
prepare_counter (gpointer operation)
{
  Counter *self = operation;
  gsize scratch = 0;
  CUresult result = choose_method (self, &scratch);

  return result == CUDA_SUCCESS ? vh_cuda_operation_ensure_slots (&self->base,
      vh_cuda_max_results (&self->params), scratch) : result;
}

static gboolean
counter_configure (VhCounter * counter, const VhLayout * layout,
    const VhCountSpec * spec, GError ** error)
{
  Counter *self = (Counter *) counter;

  self->layout = layout;
  self->spec = *spec;
  self->scratch_layout++;
  vh_cuda_params_init (&self->params, layout, &spec->shape);
  return vh_cuda_operation_prepare (&self->base, error);
}

/* Chooses the kernel for a frame, and its parameters. */
static VhCudaLaunch
choose_kernel (Counter * self, const VhCudaFrame * frame,
    const VhRect * region, VhKernelParams * params)
{
  VhCudaDevice *device = vh_cuda_session_device (self->base.session);
  VhCudaLaunch launch;

  *params = self->params;
  params->channels &= ~GRADIENT;
  vh_cuda_params_set_frame (params, &frame->planes, region);
  if (params->channels == 0)
    return (VhCudaLaunch) { 0, };
  launch = vh_cuda_choose_launch (device, self->layout, self->method, params,
      NULL);
  /* Planes may be larger than the caps say. */
  if (launch.scratch > vh_cuda_slots_get_scratch (self->base.slots)) {
    launch = vh_cuda_choose_launch (device, self->layout, VH_METHOD_AUTO,
        params, NULL);
  }
  launch.complete = frame->complete;
  return launch;
}

/* Returns a slot for a kernel on the frame's stream. If all are in use and the
 * caller may wait, waits for the consumers of their counts. */
static VhCudaSlot *
acquire_slot (Counter * self, VhCudaFrame * frame)
{
  const GstClockTime end = gst_util_get_timestamp () +
      vh_cuda_session_late_after (self->base.session);
  VhCudaSlot *slot;

  while (!(slot = vh_cuda_slots_acquire (self->base.slots, frame->stream, TRUE))
      && frame->wait && gst_util_get_timestamp () < end)
    g_usleep (100);
  return slot;
}

/* Returns a slot on the stream of shared launches, or NULL if the frame cannot
 * be part of one. A slot still in use by another stream is not returned,
 * because the shared stream would have to wait for that. */
static VhCudaSlot *
acquire_shared_slot (Counter * self, VhCudaFrame * frame,
    const VhCudaLaunch * launch)
{
  VhCudaDevice *device = vh_cuda_session_device (self->base.session);
  const CUstream stream = vh_cuda_dispatcher_stream (device->dispatcher);
  VhCudaSlot *slot;

  if (frame->enqueued || (self->params.channels & GRADIENT)
      || !vh_cuda_dispatcher_takes (launch)
      || !vh_cuda_device_shares (device))
    return NULL;
  slot = vh_cuda_slots_acquire (self->base.slots, stream, FALSE);
  if (slot)
    frame->stream = stream;
  return slot;
}

/* Launches the kernel that counts gradients after the launch of @params, and
 * adds its results to @params. */
static CUresult
launch_gradient (const Counter * self, const VhCudaFrame * frame,
    const VhRect * region, VhCudaSlot * slot, VhKernelParams * params)
{
  const VhCudaDevice *device = vh_cuda_session_device (self->base.session);
  VhKernelParams own = self->params;
  VhCudaLaunch launch;

  vh_cuda_params_set_frame (&own, &frame->planes, region);
  vh_cuda_slot_set_params (slot, &own);
  own.n_values = params->n_values;
  own.device_counts += params->n_results * sizeof (guint32);
  if (own.host_counts)
    own.host_counts += params->n_results * sizeof (guint64);
  launch = vh_cuda_choose_gradient (device, self->layout, &own);
  launch.complete = frame->complete;
  params->n_values = own.n_values;
  params->n_results += own.n_results;
  return vh_cuda_launch (device, &launch, &own, frame->stream);
}

static gboolean
counter_submit (VhCounter * counter, VhFrame * frame, const VhRect * region,
    VhCounts * counts, GError ** error)
{
  Counter *self = (Counter *) counter;
  VhCudaFrame *own = vh_cuda_frame (frame);
  VhCudaDevice *device;
  VhKernelParams params;
  VhCudaLaunch launch;
  CUresult result;
  VhCudaSlot *slot;
  gboolean shared;

  if (!vh_cuda_operation_start (&self->base, own, error))
    return FALSE;
  device = vh_cuda_session_device (self->base.session);
  launch = choose_kernel (self, own, region, &params);
  slot = acquire_shared_slot (self, own, &launch);
  shared = slot != NULL;
  if (!slot)
    slot = acquire_slot (self, own);
  if (!slot) {
    g_set_error (error, VH_ERROR, VH_ERROR_OVERLOAD,
        "all counters are in use");
    return FALSE;
  }

  vh_cuda_slot_set_params (slot, &params);
  result = vh_cuda_slot_prepare_scratch (slot, self->scratch_layout,
      own->stream);
  if (result == CUDA_SUCCESS && params.channels) {
    result = shared ? vh_cuda_dispatch (device, &launch, &params) :
        vh_cuda_launch (device, &launch, &params, own->stream);
  }
  if (result == CUDA_SUCCESS && (self->params.channels & GRADIENT))
    result = launch_gradient (self, own, region, slot, &params);
  if (!vh_cuda_operation_end (&self->base, own, slot, &params, counts, result,
          error))
    return FALSE;
  if (params.channels == 0)
    return TRUE;
  GST_LOG ("frame %p: kernel %s, %u blocks of %u threads, on stream %p%s",
      own->planes.view->buffer, vh_cuda_kernel_name (launch.kernel),
      launch.grid[0], launch.threads, own->stream,
      shared ? ", shared with other streams" : "");
  return TRUE;
}

static gchar *
counter_dup_method_problem (VhCounter * counter)
{
  return g_strdup (((Counter *) counter)->method_problem);
}

static void
counter_close (VhCounter * counter)
{
  Counter *self = (Counter *) counter;

  vh_cuda_operation_clear (&self->base);
  g_free (self->method_problem);
  g_free (self);
}

static const VhCudaOperationClass counter_operation = {
  .prepare = prepare_counter,
  .preparing = "Allocating memory for the counts",
  .launching = "Launching a kernel",
};

static const VhCounterClass counter_class = {
  .configure = counter_configure,
  .submit = counter_submit,
  .dup_method_problem = counter_dup_method_problem,
  .close = counter_close,
};

VhCounter *
vh_cuda_counter_new (VhDevice * device)
{
  Counter *self = g_new0 (Counter, 1);

  self->parent.klass = &counter_class;
  vh_cuda_operation_init (&self->base, &counter_operation, self, device);
  return &self->parent;
}
