/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/gstvideohistogram.h>
#include <gst/videohistogram/gstvideohistogramspec.h>
#include <gst/videohistogram/gstvideojointhistogram.h>

G_BEGIN_DECLS

/**
 * GST_TYPE_VIDEO_HISTOGRAM_ENGINE:
 *
 * The #GType of #GstVideoHistogramEngine.
 *
 * Since: 0.1
 */
#define GST_TYPE_VIDEO_HISTOGRAM_ENGINE (gst_video_histogram_engine_get_type ())
GST_VIDEO_HISTOGRAM_API
G_DECLARE_FINAL_TYPE (GstVideoHistogramEngine, gst_video_histogram_engine, GST,
    VIDEO_HISTOGRAM_ENGINE, GObject)

GST_VIDEO_HISTOGRAM_API
GstVideoHistogramEngine *gst_video_histogram_engine_new (void);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_histogram_engine_open (GstVideoHistogramEngine * engine,
    GstVideoHistogramBackend backend, gint cuda_device_id, GstElement * element,
    GError ** error);

GST_VIDEO_HISTOGRAM_API
void gst_video_histogram_engine_close (GstVideoHistogramEngine * engine);

GST_VIDEO_HISTOGRAM_API
GstVideoHistogramEngine *gst_video_histogram_engine_find (GstElement * element);

GST_VIDEO_HISTOGRAM_API
void gst_video_histogram_engine_set_overload (GstVideoHistogramEngine * engine,
    GstVideoHistogramOverload overload);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_histogram_engine_configure (GstVideoHistogramEngine * engine,
    GstCaps * caps, const GstVideoHistogramSpec * spec, GError ** error);

GST_VIDEO_HISTOGRAM_API
GstVideoHistogram *gst_video_histogram_engine_submit (
    GstVideoHistogramEngine * engine, GstBuffer * buffer,
    const GstSegment * segment, gboolean attach_meta, GError ** error);

GST_VIDEO_HISTOGRAM_API
GstVideoJointHistogram *gst_video_histogram_engine_count_joint (
    GstVideoHistogramEngine * engine, GstVideoHistogramJoint kind,
    GstBuffer * a, GstBuffer * b, GError ** error);

GST_VIDEO_HISTOGRAM_API
void gst_video_histogram_engine_end_frames (GstVideoHistogramEngine * engine,
    gboolean flush);

GST_VIDEO_HISTOGRAM_API
void gst_video_histogram_engine_set_joint_other (
    GstVideoHistogramEngine * engine, GstVideoHistogramEngine * other);

GST_VIDEO_HISTOGRAM_API
void gst_video_histogram_engine_propose_allocation (
    GstVideoHistogramEngine * engine, GstQuery * query);

GST_VIDEO_HISTOGRAM_API
void gst_video_histogram_engine_set_context (GstVideoHistogramEngine * engine,
    GstContext * context);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_histogram_engine_answer_context_query (
    GstVideoHistogramEngine * engine, GstQuery * query);

GST_VIDEO_HISTOGRAM_API
const gchar *gst_video_histogram_engine_get_active_backend (
    GstVideoHistogramEngine * engine);

GST_VIDEO_HISTOGRAM_API
gchar *gst_video_histogram_engine_dup_backend_reason (
    GstVideoHistogramEngine * engine);

GST_VIDEO_HISTOGRAM_API
gchar *gst_video_histogram_engine_dup_method_problem (
    GstVideoHistogramEngine * engine);

GST_VIDEO_HISTOGRAM_API
gchar *gst_video_histogram_engine_dup_joint_problem (
    GstVideoHistogramEngine * engine);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_histogram_engine_is_degraded (
    GstVideoHistogramEngine * engine);

GST_VIDEO_HISTOGRAM_API
GstCaps *gst_video_histogram_engine_get_caps (void);

G_END_DECLS
