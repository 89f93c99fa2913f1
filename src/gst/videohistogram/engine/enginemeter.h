/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures the luma of a stream's frames without histograms. */
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
  gboolean has_last;            /* a frame was measured */
  VhWhere last;                 /* where that frame was */
} VhMeterStream;

/* The measurements of a frame; all zeros if it was not measured. */
typedef struct
{
  VhCounts *counts;             /* see vh_meter_zone() */
  VhRect region;                /* the measured region, in pixels of the
                                 * planes */
  gboolean compared;            /* with the previous frame, using @steps */
  guint8 steps[VH_STEP_LEVELS];
} VhFrameZones;

void vh_frame_zones_clear (VhFrameZones * zones);

/* Closes the operations. */
void vh_meter_stream_close (VhMeterStream * self);

/* Measures frames of @layout from now on, with @bins of luma; 0: does not
 * measure. @same_layout: its content has not changed. */
void vh_meter_stream_set (VhMeterStream * self, const VhLayout * layout,
    gboolean same_layout, guint bins);

/* The planes of each frame that are needed. */
guint vh_meter_stream_planes (const VhMeterStream * self);

/* Makes @device, which is at @where, ready to measure. If that fails, frames
 * are not measured there until the device fails and works again. */
void vh_meter_stream_prepare (VhMeterStream * self, VhWhere where,
    VhDevice * device);

/* Notes that the device at @where failed, so that it is prepared again. */
void vh_meter_stream_note_failure (VhMeterStream * self, VhWhere where);

/* Measures @region of a frame on the device at @where, which was prepared; does
 * nothing if measuring is not wanted. FALSE with @error if the device
 * failed. */
gboolean vh_meter_stream_submit (VhMeterStream * self, VhWhere where,
    VhFrame * frame, const VhRect * region, VhFrameZones * zones,
    GError ** error);

/* Forgets the last frame, so the next one is not compared. */
void vh_meter_stream_forget (VhMeterStream * self);

G_END_DECLS
