/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scopes on the CPU. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "scope.h"
#include "core/error.h"
#include "scopereference.h"

#include <string.h>

typedef struct
{
  VhScope parent;
  VhScopePlan *plan;            /* NULL until it is configured */
  VhReferenceScope *reference;
} CpuScope;

static gboolean
cpu_scope_configure (VhScope * scope, G_GNUC_UNUSED const VhLayout * in,
    G_GNUC_UNUSED const VhLayout * out, VhScopePlan * plan,
    G_GNUC_UNUSED GError ** error)
{
  CpuScope *self = (CpuScope *) scope;

  vh_reference_scope_set_plan (self->reference, plan);
  if (self->plan)
    vh_scope_plan_unref (self->plan);
  self->plan = vh_scope_plan_ref (plan);
  return TRUE;
}

static void
wait_for (VhCounts * counts)
{
  if (counts)
    vh_counts_wait (counts, GST_CLOCK_TIME_NONE);
}

static gboolean
cpu_scope_submit (VhScope * scope, VhFrame * in, VhFrame * out,
    const VhScopeJob * job, GError ** error)
{
  CpuScope *self = (CpuScope *) scope;

  if (!vh_scope_plan_takes (self->plan, in->view, out->view, error))
    return FALSE;
  wait_for (job->histogram);
  wait_for (job->chroma);
  vh_reference_scope_draw (self->reference, in->view, out->view, job);
  return TRUE;
}

static gboolean
cpu_scope_read (VhScope * scope, guint i, guint32 * counts, GError ** error)
{
  CpuScope *self = (CpuScope *) scope;
  const guint32 *table = vh_reference_scope_counts (self->reference, i);

  if (!table) {
    g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "the frame was not counted");
    return FALSE;
  }
  memcpy (counts, table, vh_scope_trace_cells (&self->plan->trace[i]) *
      sizeof (*counts));
  return TRUE;
}

static void
cpu_scope_close (VhScope * scope)
{
  CpuScope *self = (CpuScope *) scope;

  vh_reference_scope_free (self->reference);
  g_clear_pointer (&self->plan, vh_scope_plan_unref);
  g_free (self);
}

static const VhScopeClass cpu_scope_class = {
  .configure = cpu_scope_configure,
  .submit = cpu_scope_submit,
  .read = cpu_scope_read,
  .close = cpu_scope_close,
};

VhScope *
vh_cpu_scope_new (G_GNUC_UNUSED const VhLoops * loops)
{
  CpuScope *self = g_new0 (CpuScope, 1);

  self->parent.klass = &cpu_scope_class;
  self->reference = vh_reference_scope_new ();
  return &self->parent;
}
