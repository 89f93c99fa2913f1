/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts several histograms of each frame, which is brought to its device only
 * once. */
#pragma once

#include "enginedifference.h"
#include "enginemeter.h"
#include "gst/videohistogram/gstvideohistogramengine.h"

G_BEGIN_DECLS

#define VH_ENGINE_MAX_PARTS 3

/* What to find out about each frame. */
typedef struct
{
  GstVideoHistogramSpec specs[VH_ENGINE_MAX_PARTS];     /* n of them */
  guint n_counted;              /* how many of specs, from the first, are
                                 * counted; at least one */
  guint n;                      /* length of specs; those that are not counted
                                 * are only taken from metas; if a frame lacks
                                 * any of them, its luma is measured, in the
                                 * bins of the first spec */
  gboolean compares;            /* also compare frames with the kept one */
} VhEngineWork;

/* Like gst_video_histogram_engine_configure(), for all of @work. */
gboolean vh_engine_configure (GstVideoHistogramEngine * engine, GstCaps * caps,
    const VhEngineWork * work, GError ** error);

/* What to do with GstVideoHistogramMetas of a frame. */
typedef enum
{
  VH_ENGINE_METAS_IGNORE,
  VH_ENGINE_METAS_ATTACH,       /* attach a meta with the first histogram */
  VH_ENGINE_METAS_USE,          /* do not count what a meta already has */
} VhEngineMetas;

/* The results of a frame for one spec: counted, or from a meta. A spec that is
 * not counted may have no results. */
typedef struct
{
  GstVideoHistogram *histogram;
  GstVideoJointHistogram *joint;        /* if the spec asks for one, or NULL */
} VhEngineResult;

void vh_engine_result_clear (VhEngineResult * result);

/* Like gst_video_histogram_engine_submit(), for all histograms, in the order of
 * their specs. @results are set if it returns TRUE. */
gboolean vh_engine_submit (GstVideoHistogramEngine * engine,
    GstBuffer * buffer, const GstSegment * segment, VhEngineMetas metas,
    VhEngineResult * results, GError ** error);

/* Says that the next frame does not continue the previous ones, and drops the
 * kept frame. */
void vh_engine_forget_last (GstVideoHistogramEngine * engine);

/* Takes the difference between the frame submitted last and the kept one.
 * @difference must be zero, or come from another frame. */
void vh_engine_take_difference (GstVideoHistogramEngine * engine,
    VhFrameDifference * difference);

/* Takes the measurements of the frame submitted last. @zones must be zero, or
 * come from another frame. */
void vh_engine_take_zones (GstVideoHistogramEngine * engine,
    VhFrameZones * zones);

/* Sets what counts as a step from now on: see VhMetering. */
void vh_engine_set_steps (GstVideoHistogramEngine * engine,
    const guint8 steps[VH_STEP_LEVELS]);

/* Keeps the frame submitted last. */
void vh_engine_keep (GstVideoHistogramEngine * engine);

/* Sets the rectangles that are not compared from now on, in pixels of the
 * picture; at most VH_DIFFERENCE_MAX_IGNORED. */
void vh_engine_set_ignored (GstVideoHistogramEngine * engine,
    const VhRect * ignored, guint n);

G_END_DECLS
