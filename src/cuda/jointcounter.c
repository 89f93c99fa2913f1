/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts joint histograms on a GPU: a kernel counts a frame against the kept
 * luma of another frame, and keeps its own luma for the next. */
#include "jointcounter.h"
#include "frames.h"
#include "jointlaunch.h"
#include "kept.h"
#include "operation.h"

typedef struct
{
  VhJointCounter parent;
  VhCudaOperation base;

  const VhLayout *layout;       /* owned by the caller */
  guint bins;                   /* per value */
  guint requested;              /* the requested method */
  VhCountsShape shape;          /* of the counts: one value, with a bin for each
                                 * pair */
  guint method;                 /* AUTO if the requested method cannot count
                                 * these pairs */
  gchar *method_problem;        /* why a method that counts pairs cannot count
                                 * these, or NULL */
  VhKernelParams params;        /* what does not change from frame to frame */
  VhScopeColors colors;         /* likewise, for U and V of RGB */
} JointCounter;

typedef struct
{
  VhLuma parent;
  VhCudaKept *kept;             /* uint8_t[capacity] */
} CudaLuma;

static void
luma_free (VhLuma * luma)
{
  vh_cuda_kept_free (((CudaLuma *) luma)->kept);
  g_free (luma);
}

static VhLuma *
luma_new (JointCounter * joint, gsize pixels, CUresult * result)
{
  VhCudaKept *kept = vh_cuda_kept_new
      (vh_cuda_session_stream (joint->base.session), pixels, result);
  CudaLuma *self;

  if (!kept)
    return NULL;
  self = g_new0 (CudaLuma, 1);
  vh_luma_init (&self->parent, luma_free, joint->parent.klass, pixels);
  self->kept = kept;
  return &self->parent;
}

static VhCudaKept *
get_kept (CudaLuma * luma)
{
  return luma ? luma->kept : NULL;
}

/* Chooses the method, loads its kernels and makes slots. */
static CUresult
prepare_joint (gpointer operation)
{
  JointCounter *self = operation;
  VhCudaDevice *device = vh_cuda_session_device (self->base.session);
  gsize scratch;
  CUresult result;

  g_clear_pointer (&self->method_problem, g_free);
  self->method = vh_cuda_joint_choose_method (device, self->requested,
      &self->params, self->bins, &scratch, &self->method_problem);
  result = vh_cuda_joint_load (device, self->method);
  return result == CUDA_SUCCESS ? vh_cuda_operation_ensure_slots (&self->base,
      self->shape.bins, scratch) : result;
}

static gboolean
joint_configure (VhJointCounter * joint, const VhLayout * layout, guint bins,
    guint method, GError ** error)
{
  JointCounter *self = (JointCounter *) joint;

  self->layout = layout;
  self->bins = bins;
  self->requested = method;
  self->shape = (VhCountsShape) {
    .channels = 1,
    .bins = bins * bins,
    .columns = 1,
    .rows = 1,
  };
  vh_cuda_params_init (&self->params, layout, &self->shape);
  vh_scope_colors_init (&self->colors, layout);
  return vh_cuda_operation_prepare (&self->base, error);
}

static VhLuma *
joint_new_luma (VhJointCounter * joint, gsize pixels, GError ** error)
{
  JointCounter *self = (JointCounter *) joint;
  VhLuma *luma;
  CUresult result;

  if (!vh_cuda_session_enter (self->base.session, error))
    return NULL;
  luma = luma_new (self, pixels, &result);
  vh_cuda_session_leave (self->base.session);
  if (!luma) {
    vh_cuda_session_fail (self->base.session, result,
        "Allocating memory for luma", error);
  }
  return luma;
}

static CUresult
launch_chroma (const VhCudaDevice * device, guint method,
    const VhJointParams * luma, const VhLayout * layout,
    const VhRect * region, CUstream stream)
{
  VhJointParams params = *luma;

  vh_cuda_joint_place_chroma (&params, layout, region);
  return vh_cuda_joint_launch (device, method, VH_CUDA_JOINT_CHROMA, &params,
      stream);
}

static CUresult
launch_luma (const VhCudaDevice * device, guint method,
    VhJointParams * params, VhCudaKept * against, VhCudaKept * keep,
    CUstream stream)
{
  CUresult result;

  result = vh_cuda_kept_begin (against, keep, stream);
  params->against = against ? against->memory->address : 0;
  params->keep = keep ? keep->memory->address : 0;
  if (result == CUDA_SUCCESS) {
    result = vh_cuda_joint_launch (device, method, against ?
        VH_CUDA_JOINT_LUMA : VH_CUDA_JOINT_KEEP, params, stream);
  }
  return vh_cuda_kept_end (against, keep, stream, result);
}

/* Takes a slot for the counts that @work requests; NULL if it requests no
 * counts. */
static VhCudaSlot *
take_slot (JointCounter * self, VhCudaFrame * frame, VhJoint * work)
{
  const CudaLuma *against = (const CudaLuma *) work->against;
  VhCudaSlot *slot = NULL;

  if (!work->counts)
    return NULL;
  work->unreadable = against && against->kept->device != frame->device;
  if (!work->unreadable)
    slot = vh_cuda_slots_acquire (self->base.slots, frame->stream, TRUE);
  if (!slot)
    vh_counts_fail (work->counts);
  return slot;
}

/* Finds the memory for luma on the device of the frame. NULL if there is
 * none. */
static CudaLuma *
find_keep (JointCounter * self, VhCudaFrame * frame, VhJoint * work)
{
  VhLuma *replacement;
  CUresult result;

  if (!work->keep)
    return NULL;
  if (((CudaLuma *) * work->keep)->kept->device != frame->device) {
    replacement = luma_new (self, (*work->keep)->capacity, &result);
    if (!replacement)
      return NULL;
    vh_luma_unref (*work->keep);
    *work->keep = replacement;
  }
  return (CudaLuma *) * work->keep;
}

static gboolean
joint_submit (VhJointCounter * joint, VhFrame * frame, const VhRect * region,
    VhJoint * work, GError ** error)
{
  JointCounter *self = (JointCounter *) joint;
  VhCudaFrame *own = vh_cuda_frame (frame);
  CudaLuma *against = (CudaLuma *) work->against, *keep;
  VhJointParams p = {.frame = self->params,.colors = self->colors };
  CUresult result = CUDA_SUCCESS;
  VhCudaSlot *slot;
  gboolean ok;

  if (!vh_cuda_operation_start (&self->base, own, error))
    return FALSE;
  keep = find_keep (self, own, work);
  slot = take_slot (self, own, work);
  work->kept = FALSE;
  if (!slot && !keep)
    return TRUE;
  if (!slot)
    against = NULL;

  p.frame.bins = work->bins;
  p.frame.complete = own->complete;
  p.frame.n_values = p.frame.n_results = work->bins * work->bins;
  vh_cuda_params_set_frame (&p.frame, &own->planes, region);
  if (slot)
    vh_cuda_slot_set_params (slot, &p.frame);
  if (work->for_device)
    p.frame.host_counts = 0;

  if (slot && work->chroma) {
    result = launch_chroma (own->device, self->method, &p, self->layout, region,
        own->stream);
  }
  if (result == CUDA_SUCCESS && (against || keep)) {
    result = launch_luma (own->device, self->method, &p, get_kept (against),
        get_kept (keep), own->stream);
  }
  work->kept = keep && result == CUDA_SUCCESS;
  ok = vh_cuda_operation_end (&self->base, own, slot, &p.frame, work->counts,
      result, error);
  /* Luma is kept after chroma is counted, by a kernel without results. */
  if (keep)
    vh_cuda_fence_set_silent (own->fence);
  if (slot && !ok)
    vh_counts_fail (work->counts);
  return ok;
}

static gchar *
joint_dup_method_problem (VhJointCounter * joint)
{
  return g_strdup (((JointCounter *) joint)->method_problem);
}

static void
joint_close (VhJointCounter * joint)
{
  JointCounter *self = (JointCounter *) joint;

  g_free (self->method_problem);
  vh_cuda_operation_clear (&self->base);
  g_free (self);
}

static const VhCudaOperationClass joint_operation = {
  .prepare = prepare_joint,
  .preparing = "Preparing joint histograms",
  .launching = "Launching a kernel for joint histograms",
};

static const VhJointCounterClass joint_class = {
  .configure = joint_configure,
  .new_luma = joint_new_luma,
  .submit = joint_submit,
  .dup_method_problem = joint_dup_method_problem,
  .close = joint_close,
};

VhJointCounter *
vh_cuda_joint_counter_new (VhDevice * device)
{
  JointCounter *self = g_new0 (JointCounter, 1);

  self->parent.klass = &joint_class;
  vh_cuda_operation_init (&self->base, &joint_operation, self, device);
  return &self->parent;
}
