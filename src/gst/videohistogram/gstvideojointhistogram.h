/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/gstvideohistogram.h>
#include <gst/videohistogram/gstvideosparsecounts.h>

G_BEGIN_DECLS

/**
 * GST_VIDEO_HISTOGRAM_MAX_JOINT_BINS:
 *
 * The largest number of bins on each side of a joint histogram.
 *
 * Since: 0.1
 */
#define GST_VIDEO_HISTOGRAM_MAX_JOINT_BINS 256

/**
 * GstVideoHistogramJoint:
 * @GST_VIDEO_HISTOGRAM_JOINT_NONE: do not count a joint histogram; as the kind
 *     of a joint histogram: it was made by gst_video_joint_histogram_new()
 * @GST_VIDEO_HISTOGRAM_JOINT_CHROMA: a is U and b is V of the same chroma
 *     sample of a frame, or of the same pixel of RGB; grey video has no chroma
 * @GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS: a is luma of the previously counted
 *     frame, b is luma of this frame at the same place
 * @GST_VIDEO_HISTOGRAM_JOINT_OTHER: a is luma of another frame, such as the
 *     frame of another stream with the same running time; b is luma of this
 *     frame
 *
 * The two sides, a and b, of a joint histogram.
 *
 * Since: 0.1
 */
typedef enum /*< skip >*/
{
  GST_VIDEO_HISTOGRAM_JOINT_NONE,
  GST_VIDEO_HISTOGRAM_JOINT_CHROMA,
  GST_VIDEO_HISTOGRAM_JOINT_PREVIOUS,
  GST_VIDEO_HISTOGRAM_JOINT_OTHER,
} GstVideoHistogramJoint;

/**
 * GST_TYPE_VIDEO_HISTOGRAM_JOINT:
 *
 * The #GType of #GstVideoHistogramJoint.
 *
 * Since: 0.1
 */
#define GST_TYPE_VIDEO_HISTOGRAM_JOINT (gst_video_histogram_joint_get_type ())
GST_VIDEO_HISTOGRAM_API
GType gst_video_histogram_joint_get_type (void);

typedef struct _GstVideoJointHistogram GstVideoJointHistogram;

/**
 * GST_TYPE_VIDEO_JOINT_HISTOGRAM:
 *
 * The #GType of #GstVideoJointHistogram.
 *
 * Since: 0.1
 */
#define GST_TYPE_VIDEO_JOINT_HISTOGRAM (gst_video_joint_histogram_get_type ())
/**
 * GST_VIDEO_JOINT_HISTOGRAM:
 * @obj: a pointer to a #GstVideoJointHistogram
 *
 * Casts @obj to a #GstVideoJointHistogram pointer without a check.
 *
 * Since: 0.1
 */
#define GST_VIDEO_JOINT_HISTOGRAM(obj) ((GstVideoJointHistogram *) (obj))
/**
 * GST_IS_VIDEO_JOINT_HISTOGRAM:
 * @obj: (nullable): a pointer to a #GstMiniObject
 *
 * Checks whether @obj is a #GstVideoJointHistogram. %NULL is not.
 *
 * Since: 0.1
 */
#define GST_IS_VIDEO_JOINT_HISTOGRAM(obj) \
    (GST_IS_MINI_OBJECT_TYPE (obj, GST_TYPE_VIDEO_JOINT_HISTOGRAM))

GST_VIDEO_HISTOGRAM_API
GType gst_video_joint_histogram_get_type (void);

GST_VIDEO_HISTOGRAM_API
GstVideoJointHistogram *gst_video_joint_histogram_new (guint n_a, guint n_b,
    const guint32 * counts, guint n_counts);

GST_VIDEO_HISTOGRAM_API
GstVideoJointHistogram *gst_video_joint_histogram_ref (
    GstVideoJointHistogram * joint);

GST_VIDEO_HISTOGRAM_API
void gst_video_joint_histogram_unref (GstVideoJointHistogram * joint);

GST_VIDEO_HISTOGRAM_API
void gst_clear_video_joint_histogram (GstVideoJointHistogram ** joint_ptr);

GST_VIDEO_HISTOGRAM_API
GstVideoJointHistogram *gst_video_histogram_get_joint (
    GstVideoHistogram * histogram);

GST_VIDEO_HISTOGRAM_API
GstVideoHistogramJoint gst_video_joint_histogram_get_kind (
    GstVideoJointHistogram * joint);

GST_VIDEO_HISTOGRAM_API
const gchar *gst_video_joint_histogram_get_backend (
    GstVideoJointHistogram * joint);

GST_VIDEO_HISTOGRAM_API
GstVideoHistogramState gst_video_joint_histogram_get_state (
    GstVideoJointHistogram * joint);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_joint_histogram_wait (GstVideoJointHistogram * joint,
    GstClockTime timeout);

GST_VIDEO_HISTOGRAM_API
guint gst_video_joint_histogram_get_n_a (GstVideoJointHistogram * joint);

GST_VIDEO_HISTOGRAM_API
guint gst_video_joint_histogram_get_n_b (GstVideoJointHistogram * joint);

GST_VIDEO_HISTOGRAM_API
guint64 gst_video_joint_histogram_get_pixels (GstVideoJointHistogram * joint);

GST_VIDEO_HISTOGRAM_API
GstClockTime gst_video_joint_histogram_get_running_time (
    GstVideoJointHistogram * joint);

GST_VIDEO_HISTOGRAM_API
const guint32 *gst_video_joint_histogram_get_counts (
    GstVideoJointHistogram * joint, guint * n_counts);

GST_VIDEO_HISTOGRAM_API
GBytes *gst_video_joint_histogram_get_counts_bytes (
    GstVideoJointHistogram * joint);

GST_VIDEO_HISTOGRAM_API
guint32 *gst_video_joint_histogram_dup_marginal_a (
    GstVideoJointHistogram * joint, guint * n_a);

GST_VIDEO_HISTOGRAM_API
guint32 *gst_video_joint_histogram_dup_marginal_b (
    GstVideoJointHistogram * joint, guint * n_b);

GST_VIDEO_HISTOGRAM_API
GstVideoSparseCounts *gst_video_joint_histogram_to_sparse (
    GstVideoJointHistogram * joint);

GST_VIDEO_HISTOGRAM_API
gdouble *gst_video_joint_histogram_dup_conditional_means (
    GstVideoJointHistogram * joint, guint * n_a);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_joint_histogram_get_mutual_information (
    GstVideoJointHistogram * joint, gdouble * result);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_joint_histogram_get_normalized_mutual_information (
    GstVideoJointHistogram * joint, gdouble * result);

GST_VIDEO_HISTOGRAM_API
gboolean gst_video_joint_histogram_get_correlation_ratio (
    GstVideoJointHistogram * joint, gdouble * result);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstVideoJointHistogram,
    gst_video_joint_histogram_unref)

G_END_DECLS
