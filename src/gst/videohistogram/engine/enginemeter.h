/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A task of engines: measures a stream's frames without histograms, unless
 * metas have all histograms. */
#pragma once

#include "processor.h"

G_BEGIN_DECLS

/* The measurements of a frame; all zeros if it was not measured. */
typedef struct
{
  VhCounts *counts;             /* see vh_meter_sum() */
  VhRect region;                /* the measured region, in pixels of the
                                 * planes */
  gboolean compared;            /* with the previous frame */
  gboolean luma, luminance, chroma;     /* they were measured */
} VhFrameZones;

void vh_frame_zones_clear (VhFrameZones * zones);

typedef struct
{
  VhTask parent;
  guint bins;                   /* of luma */

  /* Set by the user of the task. */
  gboolean cells;               /* measure luminance where it is cheap, so that
                                 * luma need not be counted in cells */
  gboolean chroma;              /* measure chroma, if the layout has it */
  gboolean changes, parts;      /* measure luma even if metas have all
                                 * histograms, which lack its changes and its
                                 * parts */
  const guint8 *steps;          /* see VhMetering; owned by the user */
  const guint32 *luminance;     /* likewise, [bins] */

  VhFrameZones result;          /* of the last frame, until it is taken */
} VhMeasuring;

VhMeasuring *vh_measuring_new (void);

/* Takes the measurements of the frame submitted last. @zones must be
 * initialized; what it has is freed. */
void vh_measuring_take (VhMeasuring * self, VhFrameZones * zones);

G_END_DECLS
