/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* A new GstBuffer around the memories of @buffer, with all that it has. NULL
 * where GStreamer would copy one of them, since somebody is writing into it, or
 * cannot do even that. */
GstBuffer *vh_frame_new_around (GstBuffer * buffer);

G_END_DECLS
