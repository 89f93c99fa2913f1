/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "enginedifference.h"

#include <string.h>

void
vh_frame_difference_clear (VhFrameDifference * difference)
{
  g_clear_pointer (&difference->counts, vh_counts_unref);
  *difference = (VhFrameDifference) { 0, };
}

VH_DEFINE_TASK_OPERATION (comparing, VhDifferencer, new_differencer);

static gboolean
comparing_configure (VhTask * task, VhWhere where, GError ** error)
{
  VhDifferencer *differencer = task->operation[where];

  return differencer->klass->configure (differencer, &task->processor->layout,
      error);
}

static void
comparing_forget (VhTask * task)
{
  VhComparing *self = (VhComparing *) task;

  self->kept = VH_N_DEVICES;
  vh_frame_difference_clear (&self->result);
}

static void
comparing_forget_at (VhTask * task, VhWhere where)
{
  VhComparing *self = (VhComparing *) task;

  if (self->kept == where)
    self->kept = VH_N_DEVICES;
}

static guint
comparing_planes (VhTask * task)
{
  return vh_layout_sample_planes (&task->processor->layout);
}

static gboolean
comparing_submit (VhTask * task, const VhTaskFrame * frame, GError ** error)
{
  VhComparing *self = (VhComparing *) task;
  VhDifferencer *differencer = vh_task_get (task, frame->where);
  const VhCountsShape shape = vh_difference_shape ();
  VhDifference work = {
    .ignored = self->ignored,
    .n_ignored = self->n_ignored,
  };

  task->last = VH_N_DEVICES;
  vh_frame_difference_clear (&self->result);
  if (!differencer || !(work.counts = vh_counts_new (&shape)))
    return TRUE;
  if (!differencer->klass->submit (differencer, frame->frame, &work, error)) {
    vh_counts_unref (work.counts);
    return FALSE;
  }
  task->last = frame->where;
  /* A kept frame that was forgotten here may still be in the differencer: its
   * difference is dropped. */
  if (work.compared && self->kept == frame->where && work.n > 0) {
    self->result = (VhFrameDifference) {
      .counts = work.counts,
      .n = work.n,
      .depth = task->processor->layout.depth,
    };
  } else {
    vh_counts_unref (work.counts);
  }
  return TRUE;
}

static const VhTaskClass comparing_class = {
  .name = "comparing",
  .always = TRUE,
  VH_TASK_OPERATION (comparing),
  .forget = comparing_forget,
  .forget_at = comparing_forget_at,
  .planes = comparing_planes,
  .submit = comparing_submit,
};

VhComparing *
vh_comparing_new (void)
{
  VhComparing *self = vh_task_new (&comparing_class, sizeof (*self));

  self->kept = VH_N_DEVICES;
  return self;
}

void
vh_comparing_take (VhComparing * self, VhFrameDifference * difference)
{
  vh_frame_difference_clear (difference);
  *difference = self->result;
  self->result = (VhFrameDifference) { 0, };
}

void
vh_comparing_keep (VhComparing * self)
{
  VhTask *task = &self->parent;
  VhDifferencer *differencer;

  if (task->last == VH_N_DEVICES)
    return;
  differencer = task->operation[task->last];
  differencer->klass->keep (differencer);
  self->kept = task->last;
  task->last = VH_N_DEVICES;
}

void
vh_comparing_set_ignored (VhComparing * self, const VhRect * ignored, guint n)
{
  self->n_ignored = MIN (n, VH_DIFFERENCE_MAX_IGNORED);
  memcpy (self->ignored, ignored, self->n_ignored * sizeof (*ignored));
}
