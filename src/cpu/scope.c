/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scopes on the CPU: counts frames, and draws the counts. */
#include "scope.h"
#include "core/error.h"
#include "operation.h"
#include "scopedraw.h"

typedef struct
{
  VhScope parent;
  VhScopePlan *plan;            /* NULL until it is configured */
  VhScopeCounts *counts;
  VhScopeDrawer *drawer;
} CpuScope;

static gboolean
cpu_scope_configure (VhScope * scope, const VhLayout * in,
    const VhLayout * out, VhScopePlan * plan, GError ** error)
{
  CpuScope *self = (CpuScope *) scope;

  vh_scope_plan_ref (plan);
  g_clear_pointer (&self->plan, vh_scope_plan_unref);
  self->plan = plan;
  return vh_scope_counts_configure (self->counts, in, plan, error)
      && vh_scope_drawer_configure (self->drawer, out, plan, error);
}

static gboolean
cpu_scope_submit (VhScope * scope, VhFrame * in, VhFrame * out,
    const VhScopeJob * job, GError ** error)
{
  CpuScope *self = (CpuScope *) scope;

  if (!vh_scope_plan_takes (self->plan, in->view, out->view, error))
    return FALSE;
  vh_scope_counts_add (self->counts, in->view, job);
  vh_scope_drawer_draw (self->drawer, self->counts, in->view, out->view);
  return TRUE;
}

static gboolean
cpu_scope_read (VhScope * scope, guint i, guint32 * counts, GError ** error)
{
  CpuScope *self = (CpuScope *) scope;

  if (vh_scope_counts_read (self->counts, i, counts))
    return TRUE;
  g_set_error (error, VH_ERROR, VH_ERROR_DEVICE, "the frame was not counted");
  return FALSE;
}

static void
cpu_scope_close (VhScope * scope)
{
  CpuScope *self = (CpuScope *) scope;

  vh_scope_counts_free (self->counts);
  vh_scope_drawer_free (self->drawer);
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
vh_cpu_scope_new (VhDevice * device)
{
  const VhLoops *loops = vh_cpu_loops (device);
  CpuScope *self = g_new0 (CpuScope, 1);

  self->parent.klass = &cpu_scope_class;
  self->counts = vh_scope_counts_new (loops);
  self->drawer = vh_scope_drawer_new (loops);
  return &self->parent;
}
