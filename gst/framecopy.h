/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

/* A new GstBuffer around the memories of @buffer, with all that it has. NULL
 * where GStreamer would copy one of them, since somebody is writing into it, or
 * cannot do even that. */
GstBuffer *vh_frame_new_around (GstBuffer * buffer);

/* What the base class cannot mark as DISCONT it copies, or crashes. Makes of
 * @buffer one around the same memories that it can mark; FALSE, and @buffer as
 * it was, where that is not possible. */
gboolean vh_frame_make_markable (GstBuffer ** buffer);

/* Pushes @buffer past the base class, with the mark missing, if nobody could
 * write to it; else, and where downstream pulls, the base class has to. */
GstFlowReturn vh_frame_push_unmarked (GstBaseTransform * trans,
    GstBuffer ** buffer);

G_END_DECLS
