/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/gstvideoequalizersettings.h>
#include <gst/videohistogram/gstvideohistogram.h>

G_BEGIN_DECLS

/**
 * GST_TYPE_VIDEO_EQUALIZER:
 *
 * The #GType of #GstVideoEqualizer.
 *
 * Since: 0.1
 */
#define GST_TYPE_VIDEO_EQUALIZER (gst_video_equalizer_get_type ())
GST_VIDEO_HISTOGRAM_API
G_DECLARE_FINAL_TYPE (GstVideoEqualizer, gst_video_equalizer, GST,
    VIDEO_EQUALIZER, GObject)

GST_VIDEO_HISTOGRAM_API
GstVideoEqualizer *gst_video_equalizer_new (void);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_equalizer_open (GstVideoEqualizer * equalizer,
    gint cuda_device_id, GstElement * element, GError ** error);

GST_VIDEO_HISTOGRAM_API
void gst_video_equalizer_close (GstVideoEqualizer * equalizer);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_equalizer_configure (GstVideoEqualizer * equalizer,
    GstCaps * caps, GError ** error);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_equalizer_set_settings (GstVideoEqualizer * equalizer,
    const GstVideoEqualizerSettings * settings, GError ** error);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_equalizer_set_reference (GstVideoEqualizer * equalizer,
    GstVideoHistogram * reference, GError ** error);

GST_VIDEO_HISTOGRAM_API
void gst_video_equalizer_reset (GstVideoEqualizer * equalizer);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_equalizer_process (GstVideoEqualizer * equalizer,
    GstBuffer * in, GstBuffer * out, GError ** error);

GST_VIDEO_HISTOGRAM_API
GstBufferPool *gst_video_equalizer_new_pool (GstVideoEqualizer * equalizer,
    GstBuffer * buffer, GstStructure ** config);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_equalizer_pool_fits (GstVideoEqualizer * equalizer,
    GstBufferPool * pool, GstBuffer * buffer);

GST_VIDEO_HISTOGRAM_API
guint64 gst_video_equalizer_get_counted (GstVideoEqualizer * equalizer);

GST_VIDEO_HISTOGRAM_API
const gchar *gst_video_equalizer_get_active_backend (
    GstVideoEqualizer * equalizer);

GST_VIDEO_HISTOGRAM_API
gchar *gst_video_equalizer_dup_backend_reason (GstVideoEqualizer * equalizer);

GST_VIDEO_HISTOGRAM_API
void gst_video_equalizer_set_context (GstVideoEqualizer * equalizer,
    GstContext * context);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_equalizer_answer_context_query (
    GstVideoEqualizer * equalizer, GstQuery * query);

G_END_DECLS
