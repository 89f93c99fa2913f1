/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "counting.h"
#include "enginespec.h"
#include "gst/videohistogram/histogram/gstvideohistogram-private.h"
#include "core/channels.h"
#include "core/error.h"
#include "core/log.h"
#include "core/methods.h"

VH_DEFINE_TASK_OPERATION (counting, VhCounter, new_counter);

static gboolean
counting_configure (VhTask * task, VhWhere where, GError ** error)
{
  const VhCountSpec spec = vh_counting_get_spec ((VhCounting *) task, where);
  const VhCountsShape *shape = &spec.shape;
  VhCounter *counter = task->operation[where];

  if (!counter->klass->configure (counter, &task->processor->layout, &spec,
          error))
    return FALSE;
  GST_DEBUG_OBJECT (task->processor->choice.element, "configured counting on "
      "%s: channels 0x%x, %u bins, %ux%u cells, method %s",
      vh_where_name (where), shape->channels, shape->bins, shape->columns,
      shape->rows, vh_method_nick (spec.method));
  return TRUE;
}

static void
counting_set (VhTask * task, const GstVideoHistogramSpec * spec)
{
  const VhCountSpec counted = vh_spec_counted (spec);

  vh_counting_set ((VhCounting *) task, &counted);
}

static guint
counting_planes (VhTask * task)
{
  return vh_channels_planes (&task->processor->layout,
      ((VhCounting *) task)->spec.shape.channels);
}

static gboolean
counting_submit (VhTask * task, const VhTaskFrame * frame, GError ** error)
{
  VhCounter *counter = task->operation[frame->where];

  return frame->has_histogram || counter->klass->submit (counter, frame->frame,
      &frame->region, vh_histogram_counts (frame->histogram), error);
}

static const VhTaskClass counting_class = {
  .name = "counting",
  .required = TRUE,
  VH_TASK_OPERATION (counting),
  .set = counting_set,
  .planes = counting_planes,
  .submit = counting_submit,
};

VhCounting *
vh_counting_new (void)
{
  return vh_task_new (&counting_class, sizeof (VhCounting));
}

void
vh_counting_set (VhCounting * self, const VhCountSpec * spec)
{
  const VhCountsShape *a = &self->spec.shape, *b = &spec->shape;

  if (a->channels != b->channels || a->bins != b->bins
      || a->columns != b->columns || a->rows != b->rows
      || self->spec.method != spec->method)
    vh_task_outdate (&self->parent);
  self->spec = *spec;
}

void
vh_counting_set_measured (VhCounting * self, gboolean cells_measured)
{
  if (self->cells_measured != cells_measured)
    vh_task_outdate (&self->parent);
  self->cells_measured = cells_measured;
}

VhCountSpec
vh_counting_get_spec (const VhCounting * self, VhWhere where)
{
  VhCountSpec spec = self->spec;

  if (self->cells_measured
      && self->parent.processor->on[where].device->klass->measures_cells)
    spec.shape.columns = spec.shape.rows = 1;
  return spec;
}

VhCounts *
vh_counting_new_counts (const VhCountsShape * shape, GError ** error)
{
  VhCounts *counts = vh_counts_new (shape);

  if (!counts) {
    g_set_error (error, VH_ERROR, VH_ERROR_OVERLOAD, "not enough "
        "memory for the counts");
  }
  return counts;
}

VhCounts *
vh_counting_count (VhCounting * self, VhWhere where, VhFrame * frame,
    const VhRect * region, GError ** error)
{
  VhCounter *counter = self->parent.operation[where];
  VhCounts *counts = vh_counting_new_counts (&self->spec.shape, error);

  if (counts && !counter->klass->submit (counter, frame, region, counts, error))
    g_clear_pointer (&counts, vh_counts_unref);
  return counts;
}
