/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/gstvideohealthcondition.h>
#include <gst/videohistogram/gstvideohistogram.h>
#include <gst/videohistogram/gstvideojointhistogram.h>

G_BEGIN_DECLS

typedef struct _GstVideoHealthChange GstVideoHealthChange;

/**
 * GstVideoHealthChange:
 * @condition: the condition that changed
 * @active: whether @condition is active from now on
 * @topic_active: whether any condition of @topic is active from now on: the
 *     `State` of an ONVIF event
 * @value: the value that caused the change, in the unit of @condition
 * @threshold: the threshold that @value passed, in the same unit: the
 *     threshold for entering if @active is %TRUE, otherwise the threshold for
 *     leaving
 * @since: start of the new state in ns: the time of the first of the frames
 *     that led to this change
 * @time: time in ns of the frame, or of the tick, at which the change was
 *     found
 * @topic: (transfer none): topic of the event, a static string
 *
 * A change of a condition. docs/videohealth.md lists units and topics.
 *
 * Since: 0.2
 */
struct _GstVideoHealthChange
{
  GstVideoHealthCondition condition;
  gboolean active;
  gboolean topic_active;
  gdouble value;
  gdouble threshold;
  GstClockTime since;
  GstClockTime time;
  const gchar *topic;

  /*< private >*/
  gpointer _gst_reserved[GST_PADDING];
};

/**
 * GST_TYPE_VIDEO_HEALTH_CHANGE:
 *
 * The #GType of #GstVideoHealthChange.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_HEALTH_CHANGE (gst_video_health_change_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_health_change_get_type (void);

/**
 * GST_TYPE_VIDEO_HEALTH:
 *
 * The #GType of #GstVideoHealth.
 *
 * Since: 0.2
 */
#define GST_TYPE_VIDEO_HEALTH (gst_video_health_get_type ())
GST_VIDEO_HISTOGRAM_API
G_DECLARE_FINAL_TYPE (GstVideoHealth, gst_video_health, GST, VIDEO_HEALTH,
    GObject)

GST_VIDEO_HISTOGRAM_API
GstVideoHealth *gst_video_health_new (void);

GST_VIDEO_HISTOGRAM_API
void gst_video_health_set_conditions (GstVideoHealth * health,
    GstVideoHealthConditions conditions);

GST_VIDEO_HISTOGRAM_API
GstVideoHealthConditions gst_video_health_get_conditions (
    GstVideoHealth * health);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_health_set_rules (GstVideoHealth * health,
    const gchar * rules, GError ** error);

GST_VIDEO_HISTOGRAM_API
gchar *gst_video_health_dup_rules (GstVideoHealth * health);

GST_VIDEO_HISTOGRAM_API
void gst_video_health_set_coded (GstVideoHealth * health, gboolean coded);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_health_get_coded (GstVideoHealth * health);

/**
 * GST_VIDEO_HEALTH_MAX_VIEWS:
 *
 * The highest number of views of a camera that can be learned.
 *
 * Since: 0.2
 */
#define GST_VIDEO_HEALTH_MAX_VIEWS 16

GST_VIDEO_HISTOGRAM_API
void gst_video_health_set_views (GstVideoHealth * health, guint views);

GST_VIDEO_HISTOGRAM_API
guint gst_video_health_get_views (GstVideoHealth * health);

GST_VIDEO_HISTOGRAM_API
void gst_video_health_get_rule (GstVideoHealth * health,
    GstVideoHealthCondition condition, gdouble * enter, gdouble * leave,
    GstClockTime * duration, GstClockTime * hold);

GST_VIDEO_HISTOGRAM_API
GstClockTime gst_video_health_get_duration (GstVideoHealth * health,
    GstVideoHealthCondition condition);

GST_VIDEO_HISTOGRAM_API
GstClockTime gst_video_health_get_hold (GstVideoHealth * health,
    GstVideoHealthCondition condition);

GST_VIDEO_HISTOGRAM_API
GstClockTime gst_video_health_get_pending (GstVideoHealth * health,
    GstVideoHealthCondition condition);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_health_set_ignored (GstVideoHealth * health,
    const gchar * ignored, GError ** error);

GST_VIDEO_HISTOGRAM_API
GstVideoHealthEvidence gst_video_health_get_evidence (GstVideoHealth * health);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_health_add_histogram (GstVideoHealth * health,
    GstVideoHistogram * histogram);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_health_add_joint (GstVideoHealth * health,
    GstVideoHistogramJoint kind, GstVideoJointHistogram * joint);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_health_add_difference (GstVideoHealth * health,
    gdouble difference);

GST_VIDEO_HISTOGRAM_API
void gst_video_health_add_corrupted (GstVideoHealth * health,
    gboolean corrupted);

GST_VIDEO_HISTOGRAM_API
void gst_video_health_judge (GstVideoHealth * health, GstClockTime time,
    GstClockTime real_time);

GST_VIDEO_HISTOGRAM_API
void gst_video_health_skip (GstVideoHealth * health, GstClockTime time);

GST_VIDEO_HISTOGRAM_API
void gst_video_health_tick (GstVideoHealth * health, GstClockTime time);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_health_next_change (GstVideoHealth * health,
    GstVideoHealthChange * change);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_health_wants_frame (GstVideoHealth * health);

GST_VIDEO_HISTOGRAM_API
GstVideoHealthConditions gst_video_health_get_active (GstVideoHealth * health);

GST_VIDEO_HISTOGRAM_API
GstVideoHealthConditions gst_video_health_get_judged (GstVideoHealth * health);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_health_get_value (GstVideoHealth * health,
    GstVideoHealthCondition condition, gdouble * value);

GST_VIDEO_HISTOGRAM_API
const gchar *gst_video_health_get_unknown_reason (GstVideoHealth * health,
    GstVideoHealthCondition condition);

GST_VIDEO_HISTOGRAM_API
const gchar *gst_video_health_get_detail (GstVideoHealth * health,
    GstVideoHealthCondition condition);

GST_VIDEO_HISTOGRAM_API
GstVideoHealthConditions gst_video_health_get_held_back_by (GstVideoHealth *
    health, GstVideoHealthCondition condition);

GST_VIDEO_HISTOGRAM_API
gchar *gst_video_health_describe (GstVideoHealth * health,
    GstVideoHealthCondition condition);

GST_VIDEO_HISTOGRAM_API
void gst_video_health_restart (GstVideoHealth * health);

GST_VIDEO_HISTOGRAM_API
void gst_video_health_reset (GstVideoHealth * health);

GST_VIDEO_HISTOGRAM_API
void gst_video_health_forget (GstVideoHealth * health);

GST_VIDEO_HISTOGRAM_API
GVariant *gst_video_health_save (GstVideoHealth * health);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_health_restore (GstVideoHealth * health, GVariant * state,
    GError ** error);

G_END_DECLS
