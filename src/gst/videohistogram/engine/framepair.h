/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A frame that is processed, in place or into another frame, and its time. */
#pragma once

#include "core/device.h"

G_BEGIN_DECLS

/* Views @planes of the frame @in, of @in_layout, and, unless it is the same
 * buffer, of the frame @out, of @out_layout. FALSE with FRAME, also if the
 * picture is too large or the frames are not on the same device. */
gboolean vh_frame_pair_view (VhFrameView views[2], const VhLayout * in_layout,
    const VhLayout * out_layout, guint planes, GstBuffer * in, GstBuffer * out,
    GError ** error);

/* Frames on a device, from begin to end. */
typedef struct
{
  VhFrame *in, *out;            /* may be the same */
} VhFramePair;

/* Begins @in for reading and @out, which may be @in, for writing; waits for
 * room. FALSE with the error FRAME, OVERLOAD or DEVICE. */
gboolean vh_frame_pair_begin (VhFramePair * pair, VhDevice * device,
    VhFrameView * in, VhFrameView * out, GError ** error);

/* Ends both frames. Returns whether the output can be used; FALSE with the
 * error DEVICE. */
gboolean vh_frame_pair_end (const VhFramePair * pair, VhDevice * device,
    GError ** error);

/* The time in ns from the frame with the PTS @last (or NONE) to the frame of
 * @buffer. If a PTS is missing: the duration of @buffer, the frame time of the
 * caps, or a default. */
GstClockTime vh_frame_step (const GstVideoInfo * info, GstBuffer * buffer,
    GstClockTime last);

G_END_DECLS
