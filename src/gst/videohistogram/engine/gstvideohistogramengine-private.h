/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds out several things about each frame, which is brought to its device
 * only once. */
#pragma once

#include "enginejob.h"
#include "enginejoint.h"
#include "counting.h"
#include "processor.h"
#include "gst/videohistogram/gstvideohistogramengine.h"

G_BEGIN_DECLS

#define VH_ENGINE_MAX_SPECS 3

/* Beside those of every engine, which count, and count joint histograms. */
#define VH_ENGINE_MAX_TASKS (VH_PROCESSOR_MAX_TASKS - 2)

/* What to find out about each frame. */
typedef struct
{
  gconstpointer owner;          /* submits the frames; NULL: the user */
  /* The first of the specs is counted; the others are only taken from metas. */
  GstVideoHistogramSpec specs[VH_ENGINE_MAX_SPECS];
  guint n_specs;                /* 0: only caps are checked, and no frames can
                                 * be submitted */
  gboolean cells_measured;      /* one of @tasks measures cells where that costs
                                 * less than counting in cells */
  gboolean chroma_measured;     /* one measures chroma, so that its joint
                                 * histogram need not be counted */
  VhTask *tasks[VH_ENGINE_MAX_TASKS];   /* what else to do; the engine takes
                                         * references */
  guint n_tasks;
} VhEngineWork;

struct _GstVideoHistogramEngine
{
  GObject parent;

  gboolean open;
  gint overload;                /* GstVideoHistogramOverload, atomic */
  VhProcessor processor;
  VhCounting *counting;
  VhJointStream *joint;

  gboolean configured;
  gconstpointer owner;          /* of the work it is configured for; or NULL */
  GstCaps *caps;                /* of the processor's layout, or NULL */
  GstVideoHistogramSpec specs[VH_ENGINE_MAX_SPECS];
  guint n_specs;
};

/* Like gst_video_histogram_engine_configure(), for all of @work. */
gboolean vh_engine_configure (GstVideoHistogramEngine * engine, GstCaps * caps,
    const VhEngineWork * work, GError ** error);

/* The engine is no longer configured, and uses nothing of the owner. */
void vh_engine_disown (GstVideoHistogramEngine * engine);

/* FALSE with SPEC if the engine was not configured by its user. */
gboolean vh_engine_check_configured (GstVideoHistogramEngine * engine,
    GError ** error);

/* What to do with GstVideoHistogramMetas of a frame. */
typedef enum
{
  VH_ENGINE_METAS_IGNORE,
  VH_ENGINE_METAS_ATTACH,       /* attach a meta with the first histogram */
  VH_ENGINE_METAS_USE,          /* do not count what a meta already has */
} VhEngineMetas;

/* Like gst_video_histogram_engine_submit(), for all specs and tasks; called by
 * the owner of a configured engine. @results, in the order of the specs, are
 * set if it returns TRUE. */
gboolean vh_engine_submit (GstVideoHistogramEngine * engine,
    GstBuffer * buffer, const GstSegment * segment, VhEngineMetas metas,
    VhEngineResult * results, GError ** error);

/* Says that the next frame does not continue the previous ones. */
void vh_engine_forget_last (GstVideoHistogramEngine * engine);

G_END_DECLS
