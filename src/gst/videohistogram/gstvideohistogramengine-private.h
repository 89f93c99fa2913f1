/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several histograms of each frame, which is brought to its device once. */
#pragma once

#include "enginedifference.h"
#include "enginemeter.h"
#include "gstvideohistogramengine.h"

G_BEGIN_DECLS

#define VH_ENGINE_MAX_PARTS 3

/* What is wanted of each frame. */
typedef struct
{
  GstVideoHistogramSpec specs[VH_ENGINE_MAX_PARTS];     /* n of them */
  guint n_counted;              /* of specs, the first ones, which are counted;
                                 * at least one */
  guint n;                      /* the others are only taken from metas; luma of
                                 * frames that do not have all of them is
                                 * measured, in the bins of the first */
  gboolean compares;            /* frames are also compared with the one that is
                                 * kept */
} VhEngineWork;

/* As gst_video_histogram_engine_configure(), for all of @work. */
gboolean vh_engine_configure (GstVideoHistogramEngine * engine, GstCaps * caps,
    const VhEngineWork * work, GError ** error);

/* What is done with GstVideoHistogramMetas of a frame. */
typedef enum
{
  VH_ENGINE_METAS_IGNORE,
  VH_ENGINE_METAS_ATTACH,       /* the first histogram becomes one */
  VH_ENGINE_METAS_USE,          /* what they have is not counted again */
} VhEngineMetas;

/* What is known of a frame for one spec: counted, or from a meta; of one that
 * is not counted, maybe nothing. */
typedef struct
{
  GstVideoHistogram *histogram;
  GstVideoJointHistogram *joint;        /* that of the spec, or NULL */
} VhEngineResult;

void vh_engine_result_clear (VhEngineResult * result);

/* As gst_video_histogram_engine_submit(), for all histograms, in the order of
 * their specs. @results are set if it returns TRUE. */
gboolean vh_engine_submit (GstVideoHistogramEngine * engine,
    GstBuffer * buffer, const GstSegment * segment, VhEngineMetas metas,
    VhEngineResult * results, GError ** error);

/* The next frame does not continue the ones before, and none is kept. */
void vh_engine_forget_last (GstVideoHistogramEngine * engine);

/* Takes what is known of how the frame that was submitted last differs from the
 * one that is kept. @difference is zero, or from another frame. */
void vh_engine_take_difference (GstVideoHistogramEngine * engine,
    VhFrameDifference * difference);

/* Takes what was measured of the frame that was submitted last. @zones are
 * zero, or of another frame. */
void vh_engine_take_zones (GstVideoHistogramEngine * engine,
    VhFrameZones * zones);

/* What are steps from now on: see VhMetering. */
void vh_engine_set_steps (GstVideoHistogramEngine * engine,
    const guint8 steps[VH_STEP_LEVELS]);

/* Keeps the frame that was submitted last. */
void vh_engine_keep (GstVideoHistogramEngine * engine);

/* What is not compared from now on, in pixels of the picture:
 * VH_DIFFERENCE_MAX_IGNORED at most. */
void vh_engine_set_ignored (GstVideoHistogramEngine * engine,
    const VhRect * ignored, guint n);

G_END_DECLS
