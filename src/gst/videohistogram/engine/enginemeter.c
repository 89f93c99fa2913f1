/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "enginemeter.h"
#include "core/channels.h"
#include "core/log.h"

#include <string.h>

void
vh_frame_zones_clear (VhFrameZones * zones)
{
  g_clear_pointer (&zones->counts, vh_counts_unref);
  *zones = (VhFrameZones) { 0, };
}

void
vh_meter_stream_close (VhMeterStream * self)
{
  guint i;

  for (i = 0; i < VH_N_DEVICES; i++) {
    VhMeter *meter = self->on[i].meter;

    if (meter)
      meter->klass->close (meter);
    self->on[i] = (VhMeasuring) { 0, };
  }
  self->has_last = FALSE;
}

void
vh_meter_stream_set (VhMeterStream * self, const VhLayout * layout,
    gboolean same_layout, guint bins)
{
  guint i;

  if (bins == 0) {
    vh_meter_stream_close (self);
  } else if (!same_layout || self->bins != bins) {
    for (i = 0; i < VH_N_DEVICES; i++)
      self->on[i].tried = self->on[i].ready = FALSE;
    self->has_last = FALSE;
  }
  self->layout = layout;
  self->bins = bins;
}

guint
vh_meter_stream_planes (const VhMeterStream * self)
{
  return self->bins ? vh_channels_planes (self->layout,
      1u << VH_CHANNEL_LUMA) : 0;
}

void
vh_meter_stream_prepare (VhMeterStream * self, VhWhere where, VhDevice * device)
{
  VhMeasuring *on = &self->on[where];
  GError *error = NULL;

  if (!self->bins || on->tried || !device->klass->new_meter)
    return;
  on->tried = TRUE;
  if (!on->meter)
    on->meter = device->klass->new_meter (device);
  on->ready = on->meter->klass->configure (on->meter, self->layout, self->bins,
      &error);
  if (!on->ready)
    GST_DEBUG ("luma is not measured on %s: %s", device->klass->name,
        error->message);
  g_clear_error (&error);
}

void
vh_meter_stream_note_failure (VhMeterStream * self, VhWhere where)
{
  if (self->last == where)
    self->has_last = FALSE;
  if (self->on[where].ready)
    self->on[where].tried = self->on[where].ready = FALSE;
}

gboolean
vh_meter_stream_submit (VhMeterStream * self, VhWhere where, VhFrame * frame,
    const VhRect * region, VhFrameZones * zones, GError ** error)
{
  const VhCountsShape shape = vh_meter_shape ();
  VhMeter *meter = self->on[where].meter;
  VhMetering work = {
    .steps = self->steps,
    .follows = self->has_last && self->last == where,
  };

  self->has_last = FALSE;
  if (!self->on[where].ready || !(work.counts = vh_counts_new (&shape)))
    return TRUE;
  if (!meter->klass->submit (meter, frame, region, &work, error)) {
    vh_counts_unref (work.counts);
    return FALSE;
  }
  self->has_last = TRUE;
  self->last = where;
  *zones = (VhFrameZones) {
    .counts = work.counts,
    .region = *region,
    .compared = work.compared,
  };
  memcpy (zones->steps, self->steps, sizeof (zones->steps));
  return TRUE;
}

void
vh_meter_stream_forget (VhMeterStream * self)
{
  self->has_last = FALSE;
}
