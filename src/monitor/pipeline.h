/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pipeline that judges a camera: its elements, and how they are linked. */
#pragma once

#include "settings.h"
#include "timeline.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/* What a pipeline is made for. */
typedef struct
{
  const VhmCameraSettings *camera;
  const gchar *uri;             /* of the stream that is judged */
  gboolean software;            /* decodes on the CPU */
  GstBus *bus;
  /* Called with @data for each element that is added later. */
  void (*element) (GstBin * pipeline, GstBin * bin, GstElement * element,
      gpointer data);
  gpointer data;
} VhmPipelineSettings;

/* Elements of each pipeline, by name. */
#define VHM_PIPELINE_COLORS "colors"
#define VHM_PIPELINE_HISTOGRAM "histogram"

/* Returns a pipeline, or NULL and sets @error. Timestamps of live video pass
 * @timeline, which must live as long as the pipeline. */
GstElement *vhm_pipeline_new (const VhmPipelineSettings * settings,
    VhmTimeline * timeline, GError ** error);

G_END_DECLS
