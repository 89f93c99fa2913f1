/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures luma on a GPU: one kernel reads it, compares it with the previous
 * frame's, and keeps it for the next. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "meter.h"
#include "core/channels.h"
#include "core/error.h"
#include "kept.h"
#include "launch.h"
#include "methods.h"
#include "session.h"

#include <string.h>

#define VECTOR 16               /* bytes */

/* Each thread processes at least this many pixels of a zone. */
#define THREAD_PIXELS 8

typedef struct
{
  VhMeter parent;
  VhCudaSession *session;

  const VhLayout *layout;       /* owned by the caller */
  VhKernelParams params;        /* what does not change from frame to frame */
  guint pitch;                  /* bytes per row of last */

  VhCudaSlots *slots;           /* or NULL */
  VhCudaKept *last;             /* levels of the last frame, or NULL */
  guint width, height;          /* of the last frame; 0: there is none */
} Meter;

static void
drop (Meter * self)
{
  g_clear_pointer (&self->last, vh_cuda_kept_free);
  g_clear_pointer (&self->slots, vh_cuda_slots_unref);
  self->width = self->height = 0;
}

/* Called with the context current, while there is no memory. */
static CUresult
make_memory (Meter * self)
{
  VhCudaStream *stream = vh_cuda_session_stream (self->session);
  CUresult result = vh_cuda_device_load (stream->device, VH_CUDA_KERNEL_METER);

  if (result == CUDA_SUCCESS) {
    result = vh_cuda_session_ensure_slots (self->session, &self->slots,
        self->params.n_results, 0);
  }
  if (result == CUDA_SUCCESS) {
    self->last = vh_cuda_kept_new (stream, (gsize) self->pitch *
        GST_VIDEO_INFO_HEIGHT (&self->layout->info), &result);
  }
  if (result != CUDA_SUCCESS)
    drop (self);
  return result;
}

/* Recreates all resources. */
static gboolean
prepare (Meter * self, GError ** error)
{
  CUresult result;

  drop (self);
  if (!vh_cuda_session_enter (self->session, error))
    return FALSE;
  result = make_memory (self);
  vh_cuda_session_leave (self->session);
  return result == CUDA_SUCCESS || vh_cuda_session_fail (self->session, result,
      "Preparing to measure luma", error);
}

static gboolean
meter_configure (VhMeter * meter, const VhLayout * layout, guint bins,
    GError ** error)
{
  Meter *self = (Meter *) meter;
  VhCountsShape shape = vh_meter_shape ();

  self->layout = layout;
  self->pitch = GST_ROUND_UP_N (GST_VIDEO_INFO_WIDTH (&layout->info), VECTOR);
  shape.bins = bins;
  vh_cuda_params_init (&self->params, layout, &shape);
  self->params.n_values = VH_ZONE_VALUES;
  self->params.n_results = VH_ZONES * VH_ZONE_VALUES;
  return prepare (self, error);
}

/* How to read luma: in vectors only if every row starts at a multiple of their
 * size. */
static guint
choose_samples (const Meter * self, VhKernelParams * params)
{
  const VhKernelComponent *luma = &params->component[0];
  const guint64 first = luma->data + params->y * luma->stride +
      (guint64) params->x * luma->pixel_stride;

  return (first | luma->stride) % VECTOR ? VH_KERNEL_ANY :
      vh_cuda_choose_samples (self->layout, params);
}

/* Chooses a number of threads of whole warps. */
static guint
choose_threads (const VhCudaDevice * device, const VhKernelParams * params)
{
  const guint64 threads = vh_cuda_count_pixels (params) / VH_ZONES /
      THREAD_PIXELS;
  const gint most = device->max_threads[VH_CUDA_KERNEL_METER];

  return CLAMP (threads / VH_CUDA_WARP * VH_CUDA_WARP, VH_CUDA_WARP,
      (guint) MIN (most, VH_KERNEL_METER_THREADS));
}

static CUresult
launch (Meter * self, VhCudaFrame * frame, VhMeterParams * p)
{
  const VhCudaDevice *device = frame->device;
  const VhCudaLaunch launch = {
    .kernel = VH_CUDA_KERNEL_METER,
    .grid = {VH_ZONES, 1, 1},
    .threads = choose_threads (device, &p->frame),
  };
  void *arguments[] = { p };
  CUresult result, ended;

  result = vh_cuda_kept_begin (self->last, NULL, frame->stream);
  if (result == CUDA_SUCCESS)
    result = vh_cuda_launch_kernel (device, &launch,
        vh_cuda_kernel_waits (launch.kernel), arguments, frame->stream);
  ended = vh_cuda_kept_end (self->last, NULL, frame->stream);
  return result == CUDA_SUCCESS ? ended : result;
}

static void
fill_params (Meter * self, const VhCudaFrame * frame, const VhRect * region,
    const VhMetering * work, VhMeterParams * p)
{
  vh_cuda_params_set_frame (&p->frame, frame->planes.view, region,
      frame->planes.data, frame->planes.stride);
  p->frame.complete = frame->complete;
  p->last = self->last->memory->address;
  p->pitch = self->pitch;
  p->compared = work->compared;
  p->samples = choose_samples (self, &p->frame);
  memcpy (p->steps, work->steps, sizeof (p->steps));
}

static gboolean
meter_submit (VhMeter * meter, VhFrame * frame, const VhRect * region,
    VhMetering * work, GError ** error)
{
  Meter *self = (Meter *) meter;
  VhCudaFrame *own = vh_cuda_frame (frame);
  VhMeterParams p = {.frame = self->params };
  VhCudaSlot *slot;
  CUresult result;

  if (!vh_cuda_session_check_frame (self->session, own, error)
      || (!vh_cuda_slots_are_on (self->slots,
              vh_cuda_session_stream (self->session))
          && !prepare (self, error))
      || !vh_cuda_session_check_frame (self->session, own, error))
    return FALSE;

  work->compared = work->follows && self->width == region->width
      && self->height == region->height;
  self->width = self->height = 0;
  slot = vh_cuda_slots_acquire (self->slots, own->stream, TRUE);
  if (!slot) {
    vh_counts_fail (work->counts);
    return TRUE;
  }
  fill_params (self, own, region, work, &p);
  vh_cuda_slot_set_params (slot, &p.frame);
  result = launch (self, own, &p);
  own->enqueued = TRUE;
  if (result != CUDA_SUCCESS) {
    vh_cuda_slot_cancel (slot, own->fence);
    vh_counts_fail (work->counts);
    own->failed = TRUE;
    return vh_cuda_session_fail (self->session, result,
        "Launching a kernel that measures luma", error);
  }
  vh_cuda_slot_submitted (slot, &p.frame, own->fence, work->counts);
  self->width = region->width;
  self->height = region->height;
  return TRUE;
}

static void
meter_close (VhMeter * meter)
{
  Meter *self = (Meter *) meter;

  drop (self);
  g_free (self);
}

static const VhMeterClass meter_class = {
  .configure = meter_configure,
  .submit = meter_submit,
  .close = meter_close,
};

VhMeter *
vh_cuda_meter_new (VhDevice * device)
{
  Meter *self = g_new0 (Meter, 1);

  self->parent.klass = &meter_class;
  self->session = vh_cuda_session (device);
  return &self->parent;
}
