/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One histogram of a frame: what is asked for, what metas have of it, and what
 * is counted. */
#pragma once

#include <gst/videohistogram/gstvideohistogramspec.h>
#include <gst/videohistogram/gstvideojointhistogram.h>
#include "core/device.h"

G_BEGIN_DECLS

/* The results of a frame for one spec: counted, or from a meta. A spec that is
 * not counted may have no results. */
typedef struct
{
  GstVideoHistogram *histogram;
  GstVideoJointHistogram *joint;        /* if the spec asks for one, or NULL */
} VhEngineResult;

void vh_engine_result_clear (VhEngineResult * result);

typedef struct
{
  const GstVideoHistogramSpec *spec;    /* complete */
  GstVideoHistogramInfo info;
  VhRect region;                /* in pixels of the planes */
  VhEngineResult held;          /* found in metas */
  GstVideoHistogram *histogram; /* to count into; NULL if metas have all */
} VhEngineJob;

/* Describes what @spec asks for in @view; its @segment may be NULL. FALSE with
 * SPEC if its region lies outside the picture. */
gboolean vh_engine_job_init (VhEngineJob * job,
    const GstVideoHistogramSpec * spec, const VhFrameView * view,
    const GstSegment * segment, GError ** error);

/* Finds results in the metas of the frame. */
void vh_engine_job_find (VhEngineJob * job, const VhFrameView * view);

/* Whether metas have everything. */
gboolean vh_engine_job_has_all (const VhEngineJob * job);

/* Makes a histogram for what metas lack, to be counted by @backend (a static
 * string) in the cells of @shape. FALSE with OVERLOAD. */
gboolean vh_engine_job_new_histogram (VhEngineJob * job, const gchar * backend,
    const VhCountsShape * shape, GError ** error);

/* Takes what metas had, or else what was counted. */
void vh_engine_job_take (VhEngineJob * job, VhEngineResult * result);

G_END_DECLS
