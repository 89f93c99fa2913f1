/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/videohistogram/gstvideojointhistogram.h>
#include "core/counts.h"

G_BEGIN_DECLS

/* Makes a joint histogram of @n_a x @n_b bins and @pixels, counted by @backend
 * (a static string). Its counts have one channel with that many bins, [a][b],
 * and are pending. */
GstVideoJointHistogram *vh_joint_histogram_new (GstVideoHistogramJoint kind,
    guint n_a, guint n_b, guint64 pixels, const gchar * backend);

VhCounts *vh_joint_histogram_counts (GstVideoJointHistogram * joint);

/* Sets the running time of the frame of side a, in another stream. Must be
 * called before the counts are complete. */
void vh_joint_histogram_set_time (GstVideoJointHistogram * joint,
    GstClockTime running_time);

/* Sets the joint histogram of @histogram. Must be called before @histogram is
 * shared. */
void vh_histogram_set_joint (GstVideoHistogram * histogram,
    GstVideoJointHistogram * joint);

G_END_DECLS
