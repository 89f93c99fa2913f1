/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "enginemeter.h"
#include "core/channels.h"
#include "core/joint.h"

void
vh_frame_zones_clear (VhFrameZones * zones)
{
  g_clear_pointer (&zones->counts, vh_counts_unref);
  *zones = (VhFrameZones) { 0, };
}

VH_DEFINE_TASK_OPERATION (measuring, VhMeter, new_meter);

static gboolean
measuring_configure (VhTask * task, VhWhere where, GError ** error)
{
  VhMeter *meter = task->operation[where];

  return meter->klass->configure (meter, &task->processor->layout,
      ((VhMeasuring *) task)->bins, error);
}

static void
measuring_forget (VhTask * task)
{
  vh_frame_zones_clear (&((VhMeasuring *) task)->result);
}

static void
measuring_set (VhTask * task, const GstVideoHistogramSpec * spec)
{
  VhMeasuring *self = (VhMeasuring *) task;

  if (self->bins != spec->bins)
    vh_task_outdate (task);
  self->bins = spec->bins;
}

static gboolean
measures_chroma (const VhTask * task)
{
  return ((const VhMeasuring *) task)->chroma
      && vh_layout_has_chroma (&task->processor->layout);
}

static guint
measuring_planes (VhTask * task)
{
  const VhLayout *layout = &task->processor->layout;

  return vh_channels_planes (layout, 1u << VH_CHANNEL_LUMA) |
      (measures_chroma (task) ? vh_layout_chroma_planes (layout) : 0);
}

static gboolean
measuring_submit (VhTask * task, const VhTaskFrame * frame, GError ** error)
{
  VhMeasuring *self = (VhMeasuring *) task;
  VhMeter *meter = vh_task_get (task, frame->where);
  const VhCountsShape shape = vh_meter_shape ();
  const gboolean cells = self->cells && !frame->has_histogram
      && task->processor->on[frame->where].device->klass->measures_cells;
  VhMetering work = {
    .steps = self->steps,
    .luminance = cells ? self->luminance : NULL,
    .luma = cells || self->changes || self->parts || !frame->has_others,
    .chroma = measures_chroma (task) && !frame->has_joint,
    .follows = task->last == frame->where,
  };

  task->last = VH_N_DEVICES;
  vh_frame_zones_clear (&self->result);
  if (!(work.luma || work.chroma) || !meter
      || !(work.counts = vh_counts_new (&shape)))
    return TRUE;
  if (!meter->klass->submit (meter, frame->frame, &frame->region, &work,
          error)) {
    vh_counts_unref (work.counts);
    return FALSE;
  }
  if (work.luma)
    task->last = frame->where;
  self->result = (VhFrameZones) {
    .counts = work.counts,
    .region = frame->region,
    .compared = work.compared,
    .luma = work.luma,
    .luminance = cells,
    .chroma = work.chroma,
  };
  return TRUE;
}

static const VhTaskClass measuring_class = {
  .name = "measuring",
  .required = TRUE,             /* nothing else counts cells and chroma */
  VH_TASK_OPERATION (measuring),
  .forget = measuring_forget,
  .set = measuring_set,
  .planes = measuring_planes,
  .submit = measuring_submit,
};

VhMeasuring *
vh_measuring_new (void)
{
  return vh_task_new (&measuring_class, sizeof (VhMeasuring));
}

void
vh_measuring_take (VhMeasuring * self, VhFrameZones * zones)
{
  vh_frame_zones_clear (zones);
  *zones = self->result;
  self->result = (VhFrameZones) { 0, };
}
