/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The curves of a stream of frames on a GPU: one kernel makes them from counts
 * on the device, and others apply them. Neither counts nor curves are copied to
 * the host. */
#include "curves.h"

struct _VhCudaCurves
{
  VhCudaMemory *memory;         /* contains everything below */

  guint cells, bins;            /* that there is room for */
  CUdeviceptr states[2];        /* VhKernelFrameState: of the previous frame and
                                 * of this one, alternating */
  guint newest;                 /* of states */
  gboolean fresh;               /* there is no previous frame */
  CUdeviceptr frame_counts, reference;  /* guint32[bins] */
  CUdeviceptr means;            /* guint32[cells] */
  CUdeviceptr levels, kept, counts;     /* guint32[cells][bins] */
  gboolean has_reference;       /* the reference with uploaded_id is on the
                                 * device */
  guint uploaded_id;

  /* What the curves are for; if it changes, they start over. */
  VhCurveParams params;
  guint reference_id;
};

static gsize
pad (gsize size)
{
  return GST_ROUND_UP_N (size, 256);
}

static guint
count_cells (const VhCurveParams * curve)
{
  return curve->columns * curve->rows;
}

static CUresult
load_kernels (VhCudaDevice * device)
{
  static const VhCudaKernel kernels[] = {
    VH_CUDA_KERNEL_CURVE, VH_CUDA_KERNEL_CURVE_FRAME,
    VH_CUDA_KERNEL_EQUALIZE_ANY, VH_CUDA_KERNEL_EQUALIZE_REST,
  };

  return vh_cuda_device_load_all (device, kernels, G_N_ELEMENTS (kernels));
}

VhCudaCurves *
vh_cuda_curves_new (VhCudaStream * stream, const VhCurveParams * curve,
    CUresult * result)
{
  const gsize state = pad (sizeof (VhKernelFrameState));
  const gsize bins = pad (curve->bins * sizeof (guint32));
  const gsize cells = pad ((gsize) count_cells (curve) * curve->bins *
      sizeof (guint32));
  const gsize means = pad (count_cells (curve) * sizeof (guint32));
  VhCudaCurves *self;
  VhCudaMemory *memory;

  *result = load_kernels (stream->device);
  if (*result != CUDA_SUCCESS)
    return NULL;
  memory = vh_cuda_memory_new (stream, 2 * state + 2 * bins + means +
      3 * cells, TRUE, result);
  if (!memory)
    return NULL;

  self = g_new0 (VhCudaCurves, 1);
  self->memory = memory;
  self->cells = count_cells (curve);
  self->bins = curve->bins;
  self->fresh = TRUE;
  self->states[0] = memory->address;
  self->states[1] = self->states[0] + state;
  self->frame_counts = self->states[1] + state;
  self->reference = self->frame_counts + bins;
  self->means = self->reference + bins;
  self->levels = self->means + means;
  self->kept = self->levels + cells;
  self->counts = self->kept + cells;
  return self;
}

void
vh_cuda_curves_free (VhCudaCurves * curves, VhCudaFence * last)
{
  if (!curves)
    return;
  vh_cuda_memory_free (curves->memory, &last, 1);
  g_free (curves);
}

gboolean
vh_cuda_curves_fit (const VhCudaCurves * curves, const VhCurveParams * curve)
{
  return curves->cells >= count_cells (curve) && curves->bins == curve->bins;
}

void
vh_cuda_curves_forget (VhCudaCurves * curves)
{
  curves->fresh = TRUE;
}

CUresult
vh_cuda_curves_upload_counts (VhCudaCurves * curves,
    const VhCurveParams * curve, const guint32 * cells, CUdeviceptr * counts,
    CUstream stream)
{
  *counts = curves->counts;
  return vh_cuda_copy_to_device (curves->memory->stream->device,
      curves->counts, cells, (gsize) count_cells (curve) * curve->bins *
      sizeof (guint32), stream);
}

/* Whether the curves continue those of the previous frame. */
static gboolean
go_on (const VhCudaCurves * self, const VhEqualizeJob * job)
{
  const VhCurveParams *a = &self->params, *b = &job->curve;

  return !self->fresh && !job->reset && a->method == b->method
      && a->depth == b->depth && a->bins == b->bins && a->columns == b->columns
      && a->rows == b->rows && a->low == b->low && a->high == b->high
      && self->reference_id == job->reference_id;
}

/* Makes the levels of this frame. */
static CUresult
launch_curve (VhCudaCurves * self, const VhEqualizeJob * job,
    CUdeviceptr counts, CUstream stream)
{
  VhCudaDevice *device = self->memory->stream->device;
  const VhCurveParams *curve = &job->curve;
  const guint older = self->newest, newer = 1 - older;
  const guint cells = count_cells (curve);
  VhKernelCurve params = {
    .curve = *curve,
    .fresh = !go_on (self, job),
    .counts = counts,
    .frame_counts = cells > 1 ? self->frame_counts : counts,
    .means = self->means,
    .before = self->states[older],
    .after = self->states[newer],
    .levels = self->levels,
    .kept = self->kept,
    .reference_sums = self->reference,
  };
  /* A block for each 32 bins, and one for the means of each 32 tiles. */
  const VhCudaLaunch sum = {
    .kernel = VH_CUDA_KERNEL_CURVE_FRAME,
    .grid = {curve->bins / 32 + (cells + 31) / 32, 1, 1},
    .threads = 1024,
    .shared = 1024 * sizeof (guint32),
  };
  /* A thread for each bin, or for each four bins. */
  VhCudaLaunch make = {
    .kernel = VH_CUDA_KERNEL_CURVE,
    .grid = {cells, 1, 1},
    .threads = curve->bins <= 1024 ? curve->bins : curve->bins / 4,
  };
  CUresult result = CUDA_SUCCESS;

  if (job->reset)
    self->fresh = TRUE;
  if (curve->method == VH_CURVE_MATCH) {
    params.reference_n = job->reference->n;
    make.shared = curve->bins * sizeof (guint32);
    if (!self->has_reference || self->uploaded_id != job->reference_id) {
      result = vh_cuda_copy_to_device (device, self->reference,
          job->reference->sums, make.shared, stream);
      self->has_reference = result == CUDA_SUCCESS;
      self->uploaded_id = job->reference_id;
    }
  }
  if (curve->method == VH_CURVE_CLAHE)
    make.shared = VH_TILE_CODES * sizeof (guint32);
  if (result == CUDA_SUCCESS && cells > 1)
    result = vh_cuda_load_and_launch (device, &sum, &params, stream);
  if (result == CUDA_SUCCESS)
    result = vh_cuda_load_and_launch (device, &make, &params, stream);
  if (result == CUDA_SUCCESS) {
    self->newest = newer;
    self->params = *curve;
    self->reference_id = job->reference_id;
    self->fresh = FALSE;
  }
  return result;
}

CUresult
vh_cuda_curves_enqueue (VhCudaCurves * curves, const VhKernelParams * params,
    const VhCudaPlanes * in, const VhCudaPlanes * out, CUdeviceptr counts,
    const VhEqualizeJob * job, CUstream stream)
{
  CUresult result = launch_curve (curves, job, counts, stream);

  if (result == CUDA_SUCCESS) {
    result = vh_cuda_correct_launch (curves->memory->stream->device, params, in,
        out, job, curves->levels, curves->states[curves->newest], stream);
  }
  return result;
}
