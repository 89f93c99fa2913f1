/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares frames on a GPU with a kept one: one kernel reads the frame once,
 * compares it and copies it. */
#include "differencer.h"
#include "kept.h"
#include "launch.h"
#include "operation.h"

#include <string.h>

#define VECTOR 16               /* bytes */

/* Each thread processes at least this many vectors. */
#define THREAD_VECTORS 4

/* A copy of a picture's samples, with each run at its offset: VhKernelRun
 * describes the form. */
typedef struct
{
  VhCudaKept *memory;           /* or NULL */
  VhRect bounds[VH_MAX_SAMPLE_RUNS];
  gboolean filled;
} Copy;

typedef struct
{
  VhDifferencer parent;
  VhCudaOperation base;

  const VhLayout *layout;       /* owned by the caller */
  VhSampleRun runs[VH_MAX_SAMPLE_RUNS];
  gsize offset[VH_MAX_SAMPLE_RUNS];     /* of each run in a copy */
  guint n_runs;
  gsize size;                   /* bytes of a copy */
  VhCountsShape shape;
  VhKernelParams params;        /* what does not change from frame to frame */
  Copy kept, last;
} Differencer;

static void
copy_clear (Copy * self)
{
  g_clear_pointer (&self->memory, vh_cuda_kept_free);
  self->filled = FALSE;
}

static void
drop_memory (Differencer * self)
{
  copy_clear (&self->kept);
  copy_clear (&self->last);
  vh_cuda_operation_clear (&self->base);
}

/* Vectors of a row of a copy. */
static guint
count_vectors (const Differencer * self, const VhRect * bounds)
{
  const guint bytes = self->layout->depth > 8 ? 2 : 1;

  return (bounds->width * bytes + VECTOR - 1) / VECTOR;
}

static void
place_runs (Differencer * self)
{
  guint i;

  self->n_runs = vh_layout_sample_runs (self->layout, self->runs);
  self->size = 0;
  for (i = 0; i < self->n_runs; i++) {
    const VhRect bounds = vh_sample_run_most (&self->runs[i],
        self->layout);

    self->offset[i] = self->size;
    self->size += (gsize) count_vectors (self, &bounds) * VECTOR *
        bounds.height;
  }
}

/* Recreates all resources. */
static CUresult
prepare_differencer (gpointer operation)
{
  Differencer *self = operation;
  VhCudaStream *stream = vh_cuda_session_stream (self->base.session);
  CUresult result = vh_cuda_device_load (stream->device,
      VH_CUDA_KERNEL_DIFFERENCE);

  drop_memory (self);
  if (result == CUDA_SUCCESS)
    result = vh_cuda_operation_ensure_slots (&self->base, self->shape.bins, 0);
  if (result == CUDA_SUCCESS)
    self->kept.memory = vh_cuda_kept_new (stream, self->size, &result);
  if (result == CUDA_SUCCESS)
    self->last.memory = vh_cuda_kept_new (stream, self->size, &result);
  if (result != CUDA_SUCCESS)
    drop_memory (self);
  return result;
}

static gboolean
differencer_configure (VhDifferencer * differencer, const VhLayout * layout,
    GError ** error)
{
  Differencer *self = (Differencer *) differencer;

  drop_memory (self);
  self->layout = layout;
  self->shape = vh_difference_shape ();
  place_runs (self);
  vh_cuda_params_init (&self->params, layout, &self->shape);
  self->params.n_values = self->params.n_results = self->shape.bins;
  return vh_cuda_operation_prepare (&self->base, error);
}

/* Fills the mask of the bits that belong to samples in each 8 bytes of a
 * row. */
static void
fill_mask (const Differencer * self, const VhSampleRun * run,
    const VhComponent * component, guint32 mask[2])
{
  const guint bytes = component->sample_bytes;
  const guint32 bits =
      ((1u << self->layout->depth) - 1) << component->shift;
  guint8 data[8] = { 0, };
  guint i;

  for (i = 0; i < sizeof (data); i++) {
    const guint byte = self->layout->big_endian ? bytes - 1 - i % bytes :
        i % bytes;

    if (run->used & (1u << i / bytes % run->samples))
      data[i] = bits >> 8 * byte;
  }
  memcpy (mask, data, sizeof (data));
}

static void
fill_run (const Differencer * self, const VhCudaFrame * frame, guint i,
    gboolean compare, VhKernelRun * p)
{
  const VhSampleRun *run = &self->runs[i];
  const VhRect *bounds = &self->last.bounds[i];
  const VhComponent *component = &self->layout->component[run->component];
  const guint plane = component->plane;
  const gboolean whole = component->sample_bytes <= 2;

  *p = (VhKernelRun) {
    .stride = frame->planes.stride[plane],
    .copy = self->last.memory->memory->address + self->offset[i],
    .rows = bounds->height,
    .row_vectors = count_vectors (self, bounds),
    .sample_bytes = self->layout->depth > 8 ? 2 : 1,
    .shift = component->shift,
    .swap = self->layout->big_endian && whole,
    .mask = {0xffffffff, 0xffffffff},
    .pixel_stride = whole ? 0 : run->pixel_stride,
    .code_mask = (1u << self->layout->depth) - 1,
  };
  p->data = frame->planes.data[plane] + run->offset + bounds->y * p->stride +
      (guint64) bounds->x * run->pixel_stride;
  p->row_bytes = bounds->width * p->sample_bytes;
  p->aligned = (p->data | p->stride) % VECTOR == 0;
  if (whole && (run->used != (1u << run->samples) - 1
          || self->layout->depth < 8 * p->sample_bytes))
    fill_mask (self, run, component, p->mask);
  if (compare)
    p->kept = self->kept.memory->memory->address + self->offset[i];
}

static void
fill_ignored (VhKernelRun * p, const VhRect * ignored, guint n)
{
  guint i;

  p->n_ignored = n;
  for (i = 0; i < n; i++) {
    p->ignored[i] = (VhKernelIgnored) {
      .from = ignored[i].x * p->sample_bytes,
      .end = (ignored[i].x + ignored[i].width) * p->sample_bytes,
      .y = ignored[i].y,
      .rows = ignored[i].height,
    };
  }
}

/* Finds the samples of the picture. Returns whether the kept frame has as
 * many. */
static gboolean
find_bounds (Differencer * self, const VhFrameView * view)
{
  gboolean like = self->kept.filled;
  guint i;

  for (i = 0; i < self->n_runs; i++) {
    const VhRect *kept = &self->kept.bounds[i];
    VhRect *bounds = &self->last.bounds[i];

    *bounds = vh_sample_run_rect (&self->runs[i], &view->picture);
    like &= bounds->width == kept->width && bounds->height == kept->height;
  }
  return like;
}

/* Fills the kernel's parameters for the frame, and the results in @work. */
static void
fill_params (Differencer * self, const VhCudaFrame * frame,
    VhDifferenceParams * p, VhDifference * work)
{
  const VhFrameView *view = frame->planes.view;
  guint i;

  work->compared = find_bounds (self, view);
  work->n = 0;
  for (i = 0; i < self->n_runs; i++) {
    const VhSampleRun *run = &self->runs[i];
    const VhRect *bounds = &self->last.bounds[i];
    VhRect ignored[VH_DIFFERENCE_MAX_IGNORED];
    const guint n = vh_difference_find_ignored (work, view, run, bounds,
        ignored);
    VhKernelRun *next = &p->run[p->n_runs];

    if (bounds->width == 0)
      continue;
    work->n += vh_difference_count (run, bounds, ignored, n);
    fill_run (self, frame, i, work->compared, next);
    fill_ignored (next, ignored, n);
    p->n_runs++;
  }
}

static CUresult
launch (Differencer * self, VhCudaFrame * frame, VhDifferenceParams * p)
{
  const VhCudaDevice *device = frame->device;
  VhCudaLaunch launch = {
    .kernel = VH_CUDA_KERNEL_DIFFERENCE,
    .grid = {1, 1, 1},
    .threads = device->max_threads[VH_CUDA_KERNEL_DIFFERENCE],
    .in_order = TRUE,
  };
  guint64 vectors = 0;
  CUresult result;
  guint i;

  for (i = 0; i < p->n_runs; i++)
    vectors += (guint64) p->run[i].row_vectors * p->run[i].rows;
  launch.grid[0] = CLAMP (vectors / (launch.threads * THREAD_VECTORS), 1,
      (guint) device->multiprocessors *
      MAX (device->threads_per_multiprocessor / launch.threads, 1));

  result = vh_cuda_kept_begin (self->kept.memory, self->last.memory,
      frame->stream);
  if (result == CUDA_SUCCESS)
    result = vh_cuda_launch_kernel (device, &launch, p, frame->stream);
  return vh_cuda_kept_end (self->kept.memory, self->last.memory,
      frame->stream, result);
}

static gboolean
differencer_submit (VhDifferencer * differencer, VhFrame * frame,
    VhDifference * work, GError ** error)
{
  Differencer *self = (Differencer *) differencer;
  VhCudaFrame *own = vh_cuda_frame (frame);
  VhDifferenceParams p = {.frame = self->params };
  VhCudaSlot *slot = NULL;
  CUresult result;
  gboolean ok;

  if (!vh_cuda_operation_start (&self->base, own, error))
    return FALSE;

  fill_params (self, own, &p, work);
  if (work->compared)
    slot = vh_cuda_slots_acquire (self->base.slots, own->stream, TRUE);
  if (slot)
    vh_cuda_slot_set_params (slot, &p.frame);
  else
    p.frame.n_results = 0;

  result = launch (self, own, &p);
  ok = vh_cuda_operation_end (&self->base, own, slot, &p.frame, work->counts,
      result, error);
  self->last.filled = ok;
  if (!slot || !ok)
    vh_counts_fail (work->counts);
  if (!ok)
    self->kept.filled = FALSE;
  return ok;
}

static void
differencer_keep (VhDifferencer * differencer)
{
  Differencer *self = (Differencer *) differencer;
  const Copy kept = self->kept;

  if (!self->last.filled)
    return;
  self->kept = self->last;
  self->last = kept;
  self->last.filled = FALSE;
}

static void
differencer_close (VhDifferencer * differencer)
{
  Differencer *self = (Differencer *) differencer;

  drop_memory (self);
  g_free (self);
}

static const VhCudaOperationClass differencer_operation = {
  .prepare = prepare_differencer,
  .preparing = "Preparing to compare frames",
  .launching = "Launching a kernel that compares frames",
};

static const VhDifferencerClass differencer_class = {
  .configure = differencer_configure,
  .submit = differencer_submit,
  .keep = differencer_keep,
  .close = differencer_close,
};

VhDifferencer *
vh_cuda_differencer_new (VhDevice * device)
{
  Differencer *self = g_new0 (Differencer, 1);

  self->parent.klass = &differencer_class;
  vh_cuda_operation_init (&self->base, &differencer_operation, self, device);
  return &self->parent;
}
