/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Joint histograms of one stream: of chroma, of consecutive frames, and against
 * frames of another stream, which keeps their luma. When two frames have the
 * same running time, the later arrival counts both in its own thread, so no
 * thread waits for another. */
#pragma once

#include "processor.h"
#include "gst/videohistogram/histogram/gstvideojointhistogram-private.h"

G_BEGIN_DECLS

/* A VhTask. */
typedef struct _VhJointStream VhJointStream;

VhJointStream *vh_joint_stream_new (void);

/* The stream that JOINT_OTHER counts against, or NULL; called by any thread. */
void vh_joint_stream_set_other (VhJointStream * self, VhJointStream * other);

/* Says that @self sends no more frames for now: frames of other streams no
 * longer wait for them. With @forget, also forgets earlier frames, because
 * running times start again. */
void vh_joint_stream_end_frames (VhJointStream * self, gboolean forget);

/* Whether joint histograms of @kind can be counted in frames of the layout. */
gboolean vh_joint_stream_has (const VhJointStream * self,
    GstVideoHistogramJoint kind);

/* The planes of a frame that joint histograms of @kind need. */
guint vh_joint_stream_kind_planes (const VhJointStream * self,
    GstVideoHistogramJoint kind);

/* Counts one joint histogram of @views: U and V of the first, or luma of both.
 * The device at @where must be ready. NULL with the error FRAME, OVERLOAD or
 * DEVICE. */
GstVideoJointHistogram *vh_joint_stream_count (VhJointStream * self,
    VhWhere where, GstVideoHistogramJoint kind, VhFrameView views[2],
    const VhRect regions[2], GError ** error);

/* Why the last frame had no joint histogram, or why the next will have none;
 * NULL if there is no problem. */
gchar *vh_joint_stream_dup_problem (const VhJointStream * self);

G_END_DECLS
