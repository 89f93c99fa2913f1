/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/gstvideohistogram.h>
#include <gst/videohistogram/gstvideoscopesettings.h>

G_BEGIN_DECLS

/**
 * GST_TYPE_VIDEO_SCOPE:
 *
 * The #GType of #GstVideoScope.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_SCOPE (gst_video_scope_get_type ())
GST_VIDEO_HISTOGRAM_API
G_DECLARE_FINAL_TYPE (GstVideoScope, gst_video_scope, GST, VIDEO_SCOPE, GObject)

GST_VIDEO_HISTOGRAM_API
GstVideoScope *gst_video_scope_new (void);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_scope_open (GstVideoScope * scope, gint cuda_device_id,
    GstElement * element, GError ** error);

GST_VIDEO_HISTOGRAM_API
void gst_video_scope_close (GstVideoScope * scope);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_scope_configure (GstVideoScope * scope, GstCaps * caps,
    GstCaps * output_caps, GError ** error);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_scope_set_settings (GstVideoScope * scope,
    const GstVideoScopeSettings * settings, GError ** error);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_scope_set_lines (GstVideoScope * scope,
    const gdouble * lines, guint n_lines, GError ** error);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_scope_set_false_color_table (GstVideoScope * scope,
    const gchar * table, GError ** error);

GST_VIDEO_HISTOGRAM_API
void gst_video_scope_reset (GstVideoScope * scope);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_scope_process (GstVideoScope * scope, GstBuffer * in,
    GstBuffer * out, GError ** error);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_scope_blank (GstVideoScope * scope, GstBuffer * out,
    GError ** error);

GST_VIDEO_HISTOGRAM_API
GstBufferPool *gst_video_scope_new_pool (GstVideoScope * scope,
    GstBuffer * buffer, GstStructure ** config);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_scope_pool_fits (GstVideoScope * scope, GstBufferPool * pool,
    GstBuffer * buffer);

GST_VIDEO_HISTOGRAM_API
const gchar *gst_video_scope_get_active_backend (
    GstVideoScope * scope);

GST_VIDEO_HISTOGRAM_API
gchar *gst_video_scope_dup_backend_reason (GstVideoScope * scope);

GST_VIDEO_HISTOGRAM_API
void gst_video_scope_set_context (GstVideoScope * scope, GstContext * context);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_scope_answer_context_query (GstVideoScope * scope,
    GstQuery * query);

G_END_DECLS
