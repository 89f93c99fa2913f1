/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of luma of the frames of one stream without counting it. */
#pragma once

#include "core/device.h"
#include "devices/devices.h"

G_BEGIN_DECLS

typedef struct
{
  VhMeter *meter;               /* NULL until it is needed */
  gboolean tried;               /* to configure it for the layout */
  gboolean ready;
} VhMeasuring;

/* Used by one thread at a time; zero at first. */
typedef struct
{
  const VhLayout *layout;
  guint bins;                   /* 0: frames are not measured */
  guint8 steps[VH_STEP_LEVELS]; /* see VhMetering */
  VhMeasuring on[VH_N_DEVICES];
  gboolean has_last;            /* a frame that was measured */
  VhWhere last;                 /* where it was */
} VhMeterStream;

/* What is known of a frame, or, with zeros, is not. */
typedef struct
{
  VhCounts *counts;             /* see vh_meter_zone() */
  VhRect region;                /* of the planes, that was measured */
  gboolean compared;            /* with the frame before, by these steps */
  guint8 steps[VH_STEP_LEVELS];
} VhFrameZones;

void vh_frame_zones_clear (VhFrameZones * zones);

/* Closes the operations. */
void vh_meter_stream_close (VhMeterStream * self);

/* Measures frames of @layout from now on, in @bins of luma, or none, with 0;
 * @same_layout: its content has not changed. */
void vh_meter_stream_set (VhMeterStream * self, const VhLayout * layout,
    gboolean same_layout, guint bins);

/* The planes that are needed of each frame. */
guint vh_meter_stream_planes (const VhMeterStream * self);

/* Makes @device, which is at @where, ready to measure. If it cannot, frames are
 * not measured there until it has failed and works again. */
void vh_meter_stream_prepare (VhMeterStream * self, VhWhere where,
    VhDevice * device);

/* The device at @where failed: it is prepared again. */
void vh_meter_stream_note_failure (VhMeterStream * self, VhWhere where);

/* Measures @region of a frame on the device at @where, which was prepared, if
 * frames are to be measured. FALSE with @error if the device failed. */
gboolean vh_meter_stream_submit (VhMeterStream * self, VhWhere where,
    VhFrame * frame, const VhRect * region, VhFrameZones * zones,
    GError ** error);

/* Compares the next frame with none. */
void vh_meter_stream_forget (VhMeterStream * self);

G_END_DECLS
