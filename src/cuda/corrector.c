/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Corrects frames on the GPU that they are on. */
#include "corrector.h"
#include "core/error.h"
#include "curves.h"
#include "debug.h"
#include "writing.h"

typedef struct
{
  VhCorrector parent;
  VhCudaSession *session;

  VhKernelParams params;        /* what does not change from frame to frame */
  VhCudaCurves *curves;         /* or NULL */
  guint generation;             /* generation of the session that curves were
                                 * made for */
  VhCudaFence *last;            /* of the previous frame, or NULL */
} Corrector;

static void
drop_curves (Corrector * self)
{
  vh_cuda_curves_free (g_steal_pointer (&self->curves), self->last);
  g_clear_pointer (&self->last, vh_cuda_fence_unref);
}

/* Allocates memory for curves like @curve; the context must be current. */
static CUresult
ensure_curves (Corrector * self, const VhCurveParams * curve)
{
  const guint generation = vh_cuda_session_generation (self->session);
  CUresult result;

  if (self->curves && self->generation == generation
      && vh_cuda_curves_fit (self->curves, curve))
    return CUDA_SUCCESS;
  if (!vh_cuda_session_may_grow (self->session))
    return CUDA_ERROR_NOT_READY;
  drop_curves (self);
  self->generation = generation;
  self->curves = vh_cuda_curves_new (vh_cuda_session_stream (self->session),
      curve, &result);
  return result;
}

static gboolean
corrector_configure (VhCorrector * corrector, const VhLayout * layout,
    const VhCurveParams * curve, GError ** error)
{
  Corrector *self = (Corrector *) corrector;
  const VhCountsShape shape = {
    .channels = 1,
    .bins = curve->bins,
    .columns = curve->columns,
    .rows = curve->rows,
  };
  CUresult result;

  vh_cuda_params_init (&self->params, layout, &shape);
  if (!vh_cuda_session_enter (self->session, error))
    return FALSE;
  result = ensure_curves (self, curve);
  if (self->curves)
    vh_cuda_curves_forget (self->curves);
  vh_cuda_session_leave (self->session);
  return result == CUDA_SUCCESS || vh_cuda_session_fail (self->session, result,
      "Preparing to correct frames", error);
}

/* Sets @address to where kernels find @counts, in the order of the stream of
 * @frame. Uploads the counts if they are on another device or later frames have
 * overwritten them. */
static gboolean
find_counts (Corrector * self, VhCudaFrame * frame, VhCounts * counts,
    const VhCurveParams * curve, CUdeviceptr * address, CUresult * result,
    GError ** error)
{
  const VhCountsShape *shape = vh_counts_shape (counts);
  const guint32 *cells = NULL;
  VhCountsDeviceView view;

  if (shape->columns == curve->columns && shape->rows == curve->rows
      && shape->bins == curve->bins && (shape->channels & 1)) {
    if (vh_cuda_map_counts (frame, counts, curve->bins, &view, result)) {
      *address = view.counts;
      return TRUE;
    }
    if (vh_counts_wait (counts,
            vh_cuda_session_correct_within (self->session)))
      cells = vh_counts_cell (counts, 0, 0, 0);
  }
  if (!cells) {
    g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "the frame was not counted");
    return FALSE;
  }
  *result = vh_cuda_curves_upload_counts (self->curves, curve, cells, address,
      frame->stream);
  return TRUE;
}

static gboolean
corrector_submit (VhCorrector * corrector, VhFrame * in, VhFrame * out,
    VhCounts * counts, const VhEqualizeJob * job, GError ** error)
{
  Corrector *self = (Corrector *) corrector;
  VhCudaFrame *from = vh_cuda_frame (in), *to = vh_cuda_frame (out);
  CUdeviceptr address = 0;
  GError *local = NULL;
  gboolean found;
  CUresult result;

  if (!vh_cuda_session_check_frame (self->session, to, error)
      || !vh_cuda_session_reserve_result (self->session, from, error))
    return FALSE;
  if (self->last
      && vh_cuda_fence_poll (self->last) == VH_CUDA_FENCE_FAILED)
    drop_curves (self);
  result = ensure_curves (self, &job->curve);
  if (result == CUDA_SUCCESS)
    result = vh_cuda_start_writing (from, to, &self->last);
  if (result != CUDA_SUCCESS)
    return vh_cuda_session_fail (self->session, result, "Correcting a frame",
        error);

  found = find_counts (self, to, counts, &job->curve, &address, &result,
      &local);
  if (found && result == CUDA_SUCCESS) {
    result = vh_cuda_curves_enqueue (self->curves, &self->params,
        &from->planes, &to->planes, address, job, to->stream);
  }
  GST_LOG ("frame %p: corrected %s on stream %p, result %d",
      from->planes.view->buffer, in == out ? "in place" : "into a copy",
      to->stream, result);
  if (found && result == CUDA_SUCCESS)
    return TRUE;
  to->failed = TRUE;
  if (local) {
    g_propagate_error (error, local);
    return FALSE;
  }
  return vh_cuda_session_fail (self->session, result, "Correcting a frame",
      error);
}

static void
corrector_close (VhCorrector * corrector)
{
  Corrector *self = (Corrector *) corrector;

  drop_curves (self);
  g_free (self);
}

static const VhCorrectorClass corrector_class = {
  .configure = corrector_configure,
  .submit = corrector_submit,
  .close = corrector_close,
};

VhCorrector *
vh_cuda_corrector_new (VhDevice * device)
{
  Corrector *self = g_new0 (Corrector, 1);

  self->parent.klass = &corrector_class;
  self->session = vh_cuda_session (device);
  vh_cuda_session_set_writes (self->session);
  return &self->parent;
}
