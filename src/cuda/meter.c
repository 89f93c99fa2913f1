/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures frames on a GPU: one kernel reads luma, compares it with the
 * previous frame's and keeps it for the next, and reads chroma. */
#include "meter.h"
#include "core/channels.h"
#include "jointlaunch.h"
#include "kept.h"
#include "launch.h"
#include "meterparams.h"
#include "methods.h"
#include "operation.h"

#include <string.h>

#define VECTOR 16               /* bytes */

/* Each thread processes at least this many pixels of a zone. */
#define THREAD_PIXELS 8

/* The vectors of chroma, or pixels if it is not in vectors, of a thread. */
#define THREAD_CHROMA 4

typedef struct
{
  VhMeter parent;
  VhCudaOperation base;

  const VhLayout *layout;       /* owned by the caller */
  VhKernelParams params;        /* what does not change from frame to frame */
  guint pitch;                  /* bytes per row of last */

  VhScopeColors colors;         /* likewise, for U and V of RGB */
  guint32 *luminance;           /* of each bin, as in kept */
  gboolean has_luminance;       /* is in kept */

  VhCudaKept *kept;             /* levels of the last frame, after luminance; or
                                 * NULL */
  guint width, height;          /* of the last frame; 0: there is none */
} Meter;

static void
drop_memory (Meter * self)
{
  g_clear_pointer (&self->kept, vh_cuda_kept_free);
  self->has_luminance = FALSE;
  vh_cuda_operation_clear (&self->base);
  self->width = self->height = 0;
}

/* Bytes of luminance, in whole vectors. */
static gsize
luminance_size (const Meter * self)
{
  return GST_ROUND_UP_N (self->params.bins * sizeof (guint32), VECTOR);
}

/* Recreates all resources. */
static CUresult
prepare_meter (gpointer operation)
{
  Meter *self = operation;
  VhCudaStream *stream = vh_cuda_session_stream (self->base.session);
  CUresult result = vh_cuda_device_load (stream->device, VH_CUDA_KERNEL_METER);

  drop_memory (self);
  if (result == CUDA_SUCCESS) {
    result = vh_cuda_operation_ensure_slots (&self->base,
        self->params.n_results, 0);
  }
  if (result == CUDA_SUCCESS) {
    self->kept = vh_cuda_kept_new (stream, luminance_size (self) +
        (gsize) self->pitch * GST_VIDEO_INFO_HEIGHT (&self->layout->info),
        &result);
  }
  if (result != CUDA_SUCCESS)
    drop_memory (self);
  return result;
}

static gboolean
meter_configure (VhMeter * meter, const VhLayout * layout, guint bins,
    GError ** error)
{
  Meter *self = (Meter *) meter;
  const VhCountsShape shape = {
    .channels = 1u << VH_CHANNEL_LUMA,
    .bins = bins,
    .columns = VH_ZONE_COLUMNS,
    .rows = VH_ZONE_ROWS,
  };

  drop_memory (self);
  self->layout = layout;
  self->pitch = GST_ROUND_UP_N (GST_VIDEO_INFO_WIDTH (&layout->info), VECTOR);
  vh_cuda_params_init (&self->params, layout, &shape);
  self->params.n_values = self->params.n_results = vh_meter_shape ().bins;
  vh_scope_colors_init (&self->colors, layout);
  self->luminance = g_renew (guint32, self->luminance, bins);
  return vh_cuda_operation_prepare (&self->base, error);
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

/* Each block reads the same number of vectors or pixels of chroma. */
static guint
count_chroma_blocks (const VhCudaDevice * device, const VhJointParams * chroma,
    guint threads)
{
  const guint64 units = (guint64) chroma->frame.height *
      (chroma->samples == VH_PAIRS_ANY ? chroma->frame.width :
      chroma->row_vectors);

  return CLAMP (units / (threads * THREAD_CHROMA), 1,
      (guint) device->multiprocessors);
}

/* Copies @luminance to the device if it has changed. The driver keeps a copy of
 * what it is given. */
static CUresult
upload_luminance (Meter * self, const guint32 * luminance, CUstream stream)
{
  const gsize size = self->params.bins * sizeof (guint32);
  CUresult result;

  if (self->has_luminance && memcmp (self->luminance, luminance, size) == 0)
    return CUDA_SUCCESS;
  memcpy (self->luminance, luminance, size);
  result = vh_cuda_copy_to_device (self->kept->device,
      self->kept->memory->address, self->luminance, size, stream);
  self->has_luminance = result == CUDA_SUCCESS;
  return result;
}

static CUresult
launch (Meter * self, VhCudaFrame * frame, const VhMetering * work,
    VhMeterParams * p)
{
  const VhCudaDevice *device = frame->device;
  VhCudaLaunch launch = {
    .kernel = VH_CUDA_KERNEL_METER,
    .grid = {p->zones, 1, 1},
    .threads = choose_threads (device, &p->frame),
  };
  CUresult result;

  if (work->chroma)
    launch.grid[0] += count_chroma_blocks (device, &p->chroma, launch.threads);
  if (work->luminance && p->frame.bins <= VH_KERNEL_LUMINANCE_BINS)
    launch.shared = p->frame.bins * sizeof (guint32);
  result = vh_cuda_kept_begin (self->kept, NULL, frame->stream);
  if (result == CUDA_SUCCESS && work->luminance)
    result = upload_luminance (self, work->luminance, frame->stream);
  if (result == CUDA_SUCCESS)
    result = vh_cuda_launch_kernel (device, &launch, p, frame->stream);
  return vh_cuda_kept_end (self->kept, NULL, frame->stream, result);
}

static void
fill_params (Meter * self, const VhCudaFrame * frame, const VhRect * region,
    const VhMetering * work, VhMeterParams * p)
{
  vh_cuda_params_set_frame (&p->frame, &frame->planes, region);
  p->frame.complete = frame->complete;
  p->last = self->kept->memory->address + luminance_size (self);
  p->luminance = work->luminance ? self->kept->memory->address : 0;
  p->pitch = self->pitch;
  p->compared = work->compared;
  p->zones = work->luma ? VH_ZONES : 0;
  p->samples = choose_samples (self, &p->frame);
  memcpy (p->steps, work->steps, sizeof (p->steps));
  if (work->chroma) {
    p->chroma.frame = p->frame;
    p->chroma.frame.bins = VH_CHROMA_BINS;
    p->chroma.colors = self->colors;
    vh_cuda_joint_place_chroma (&p->chroma, self->layout, region);
  }
}

static gboolean
meter_submit (VhMeter * meter, VhFrame * frame, const VhRect * region,
    VhMetering * work, GError ** error)
{
  static const guint64 nothing[VH_SUMS];
  static const guint32 no_parts[VH_PARTS];
  Meter *self = (Meter *) meter;
  VhCudaFrame *own = vh_cuda_frame (frame);
  VhMeterParams p = {.frame = self->params };
  VhCudaSlot *slot;
  CUresult result;

  /* A launch needs at least one block. */
  if (!work->luma && !work->chroma) {
    self->width = self->height = 0;
    vh_meter_set_sums (work->counts, nothing, no_parts);
    return TRUE;
  }
  if (!vh_cuda_operation_start (&self->base, own, error))
    return FALSE;

  work->compared = work->follows && self->width == region->width
      && self->height == region->height;
  self->width = self->height = 0;
  slot = vh_cuda_slots_acquire (self->base.slots, own->stream, TRUE);
  if (!slot) {
    vh_counts_fail (work->counts);
    return TRUE;
  }
  fill_params (self, own, region, work, &p);
  vh_cuda_slot_set_params (slot, &p.frame);
  result = launch (self, own, work, &p);
  if (!vh_cuda_operation_end (&self->base, own, slot, &p.frame, work->counts,
          result, error)) {
    vh_counts_fail (work->counts);
    return FALSE;
  }
  if (work->luma) {
    self->width = region->width;
    self->height = region->height;
  }
  return TRUE;
}

static void
meter_close (VhMeter * meter)
{
  Meter *self = (Meter *) meter;

  drop_memory (self);
  g_free (self->luminance);
  g_free (self);
}

static const VhCudaOperationClass meter_operation = {
  .prepare = prepare_meter,
  .preparing = "Preparing to measure frames",
  .launching = "Launching a kernel that measures frames",
};

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
  vh_cuda_operation_init (&self->base, &meter_operation, self, device);
  return &self->parent;
}
