/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "enginemeter.h"
#include "core/channels.h"

#include <string.h>

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

static guint
measuring_planes (VhTask * task)
{
  return vh_channels_planes (&task->processor->layout, 1u << VH_CHANNEL_LUMA);
}

static gboolean
measuring_submit (VhTask * task, const VhTaskFrame * frame, GError ** error)
{
  VhMeasuring *self = (VhMeasuring *) task;
  VhMeter *meter = vh_task_get (task, frame->where);
  const VhCountsShape shape = vh_meter_shape ();
  VhMetering work = {
    .steps = self->steps,
    .follows = task->last == frame->where,
  };

  task->last = VH_N_DEVICES;
  vh_frame_zones_clear (&self->result);
  if (frame->has_others || !meter || !(work.counts = vh_counts_new (&shape)))
    return TRUE;
  if (!meter->klass->submit (meter, frame->frame, &frame->region, &work,
          error)) {
    vh_counts_unref (work.counts);
    return FALSE;
  }
  task->last = frame->where;
  self->result = (VhFrameZones) {
    .counts = work.counts,
    .region = frame->region,
    .compared = work.compared,
  };
  memcpy (self->result.steps, self->steps, sizeof (self->steps));
  return TRUE;
}

static const VhTaskClass measuring_class = {
  .name = "measuring",
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
