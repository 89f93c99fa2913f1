/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Corrects on the CPU: makes the curves of a stream, and applies them to
 * pixels. */
#include "corrector.h"
#include "apply.h"
#include "curves.h"
#include "operation.h"

typedef struct
{
  VhCorrector parent;
  const VhLoops *loops;
  VhCpuCurves *curves;
  VhCpuApplier *applier;        /* NULL until it is configured */
} CpuCorrector;

static gboolean
cpu_corrector_configure (VhCorrector * corrector, const VhLayout * layout,
    G_GNUC_UNUSED const VhCurveParams * curve, G_GNUC_UNUSED GError ** error)
{
  CpuCorrector *self = (CpuCorrector *) corrector;

  vh_cpu_curves_reset (self->curves);
  g_clear_pointer (&self->applier, vh_cpu_applier_free);
  self->applier = vh_cpu_applier_new (layout, self->loops);
  return TRUE;
}

static gboolean
cpu_corrector_submit (VhCorrector * corrector, VhFrame * in, VhFrame * out,
    VhCounts * counts, const VhEqualizeJob * job, GError ** error)
{
  CpuCorrector *self = (CpuCorrector *) corrector;

  if (!vh_cpu_curves_advance (self->curves, counts, job, error))
    return FALSE;
  if (!vh_cpu_curves_is_constant (self->curves))
    return vh_cpu_applier_apply (self->applier, in->view, out->view, job,
        vh_cpu_curves_get_levels (self->curves), error);
  if (in != out)
    vh_frame_view_copy (out->view, in->view, in->view->planes);
  return TRUE;
}

static void
cpu_corrector_close (VhCorrector * corrector)
{
  CpuCorrector *self = (CpuCorrector *) corrector;

  vh_cpu_curves_free (self->curves);
  g_clear_pointer (&self->applier, vh_cpu_applier_free);
  g_free (self);
}

static const VhCorrectorClass cpu_corrector_class = {
  .configure = cpu_corrector_configure,
  .submit = cpu_corrector_submit,
  .close = cpu_corrector_close,
};

VhCorrector *
vh_cpu_corrector_new (VhDevice * device)
{
  CpuCorrector *self = g_new0 (CpuCorrector, 1);

  self->parent.klass = &cpu_corrector_class;
  self->loops = vh_cpu_loops (device);
  self->curves = vh_cpu_curves_new ();
  return &self->parent;
}
