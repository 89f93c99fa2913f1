/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/gstvideohealth.h>
#include <gst/videohistogram/gstvideohistogramengine.h>

G_BEGIN_DECLS

/**
 * GST_TYPE_VIDEO_HEALTH_ENGINE:
 *
 * The #GType of #GstVideoHealthEngine.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_HEALTH_ENGINE (gst_video_health_engine_get_type ())
GST_VIDEO_HISTOGRAM_API
G_DECLARE_FINAL_TYPE (GstVideoHealthEngine, gst_video_health_engine, GST,
    VIDEO_HEALTH_ENGINE, GObject)

GST_VIDEO_HISTOGRAM_API
GstVideoHealthEngine *gst_video_health_engine_new (GstVideoHealth * health,
    GstVideoHistogramEngine * engine);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_health_engine_configure (GstVideoHealthEngine * engine,
    GstCaps * caps, GError ** error);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_health_engine_submit (GstVideoHealthEngine * engine,
    GstBuffer * buffer, GstClockTime time, GstClockTime real_time,
    GError ** error);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_health_engine_finish (GstVideoHealthEngine * engine,
    GstClockTime timeout);

GST_VIDEO_HISTOGRAM_API
guint64 gst_video_health_engine_get_n_failed (GstVideoHealthEngine * engine);

GST_VIDEO_HISTOGRAM_API
void gst_video_health_engine_restart (GstVideoHealthEngine * engine);

G_END_DECLS
