/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Joint histograms of one stream: of chroma, of consecutive frames, and against
 * frames of another stream, which keeps their luma. When two frames have the
 * same running time, the later arrival counts both in its own thread, so no
 * thread waits for another. */
#pragma once

#include "core/device.h"
#include "counting.h"
#include "gst/videohistogram/histogram/gstvideojointhistogram-private.h"

G_BEGIN_DECLS

/* Used by one thread at a time, except for vh_joint_stream_set_other() and its
 * references. */
typedef struct _VhJointStream VhJointStream;

VhJointStream *vh_joint_stream_new (void);
VhJointStream *vh_joint_stream_ref (VhJointStream * self);
void vh_joint_stream_unref (VhJointStream * self);

/* The stream that JOINT_OTHER counts against, or NULL; called by any thread. */
void vh_joint_stream_set_other (VhJointStream * self, VhJointStream * other);

/* Says that @self sends no more frames for now: frames of other streams no
 * longer wait for them. With @forget, also forgets earlier frames, because
 * running times start again. */
void vh_joint_stream_end_frames (VhJointStream * self, gboolean forget);

/* Forgets the last frame and releases its memory. */
void vh_joint_stream_drop (VhJointStream * self);

/* Forgets the last frame, and keeps its memory for the next one. */
void vh_joint_stream_forget_last (VhJointStream * self);

/* From now on, counts @kind with @bins on each side in frames of @layout;
 * @region_pixels are counted if there is no crop meta. Forgets the last
 * frame. */
void vh_joint_stream_set (VhJointStream * self, const VhLayout * layout,
    GstVideoHistogramJoint kind, guint bins, gsize region_pixels);

/* Allocates memory on @counting, which is ready, before the first frame. */
void vh_joint_stream_prepare (VhJointStream * self, VhCounting * counting);

/* Whether joint histograms of @kind can be counted in frames of the layout. */
gboolean vh_joint_stream_has (const VhJointStream * self,
    GstVideoHistogramJoint kind);

/* The planes of a frame that joint histograms of @kind need, and the planes
 * that the next frame needs with the current settings. */
guint vh_joint_stream_kind_planes (const VhJointStream * self,
    GstVideoHistogramJoint kind);
guint vh_joint_stream_planes (VhJointStream * self);

/* Decides what to do with @region of a frame for joint histograms, and attaches
 * the result to @histogram, which has the frame's times. FALSE if there is
 * nothing to do; otherwise call vh_joint_stream_end() afterwards, and tell it
 * whether @work was submitted. If it was, first call vh_joint_stream_match()
 * while @frame is on its device: it counts frames of this and of other streams
 * against each other. */
gboolean vh_joint_stream_begin (VhJointStream * self, VhCounting * counting,
    const VhRect * region, GstVideoHistogram * histogram, VhJoint * work);
void vh_joint_stream_match (VhJointStream * self, VhCounting * counting,
    VhFrame * frame, const VhRect * region, VhJoint * work);
void vh_joint_stream_end (VhJointStream * self, VhJoint * work,
    gboolean submitted);

/* Counts one joint histogram of @views: U and V of the first, or luma of both.
 * NULL with the error FRAME, OVERLOAD or DEVICE. */
GstVideoJointHistogram *vh_joint_stream_count (VhJointStream * self,
    VhCounting * counting, GstVideoHistogramJoint kind, VhFrameView views[2],
    const VhRect regions[2], GError ** error);

/* Why the last frame had no joint histogram, or why the next will have none;
 * NULL if there is no problem. */
gchar *vh_joint_stream_dup_problem (const VhJointStream * self);

G_END_DECLS
