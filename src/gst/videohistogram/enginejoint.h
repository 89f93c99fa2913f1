/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Joint histograms of one stream: of chroma, of frames that follow each other,
 * and against the last frame of another stream, whose luma is kept for that. */
#pragma once

#include "core/device.h"
#include "counting.h"
#include "gstvideojointhistogram-private.h"

G_BEGIN_DECLS

/* Used by one thread at a time, but for vh_joint_stream_set_other() and its
 * references. */
typedef struct _VhJointStream VhJointStream;

VhJointStream *vh_joint_stream_new (void);
VhJointStream *vh_joint_stream_ref (VhJointStream * self);
void vh_joint_stream_unref (VhJointStream * self);

/* The stream that JOINT_OTHER counts against, or NULL; by any thread. */
void vh_joint_stream_set_other (VhJointStream * self, VhJointStream * other);

/* Forgets the last frame, and gives back its memory. */
void vh_joint_stream_drop (VhJointStream * self);

/* Counts @kind in @bins of each side from now on, of frames of @layout, of
 * which @region_pixels are counted where there is no crop meta. Forgets the
 * last frame. */
void vh_joint_stream_set (VhJointStream * self, const VhLayout * layout,
    GstVideoHistogramJoint kind, guint bins, gsize region_pixels);

/* Makes room on @counting, which is ready, before the first frame comes. */
void vh_joint_stream_prepare (VhJointStream * self, VhCounting * counting);

/* Whether joint histograms of @kind can be counted in such frames. */
gboolean vh_joint_stream_has (const VhJointStream * self,
    GstVideoHistogramJoint kind);

/* The planes that joint histograms of @kind need of a frame, and those that are
 * needed of the next frame. */
guint vh_joint_stream_kind_planes (const VhJointStream * self,
    GstVideoHistogramJoint kind);
guint vh_joint_stream_planes (VhJointStream * self);

/* Finds out what of joint histograms is to be done with @region of a frame, and
 * gives @histogram the one that comes of it. FALSE where there is nothing to
 * do; else vh_joint_stream_end() has to follow, which says whether @work was
 * submitted. */
gboolean vh_joint_stream_begin (VhJointStream * self, VhCounting * counting,
    const VhRect * region, GstVideoHistogram * histogram, VhJoint * work);
void vh_joint_stream_end (VhJointStream * self, const VhRect * region,
    VhJoint * work, gboolean submitted);

/* Counts one joint histogram of what @views hold: of U and V of the first, or
 * of luma of both. NULL with FRAME, OVERLOAD or DEVICE. */
GstVideoJointHistogram *vh_joint_stream_count (VhJointStream * self,
    VhCounting * counting, GstVideoHistogramJoint kind, VhFrameView views[2],
    const VhRect regions[2], gboolean wait, GError ** error);

/* Why no joint histogram was counted last, or will be next; or NULL. */
gchar *vh_joint_stream_dup_problem (const VhJointStream * self);

G_END_DECLS
