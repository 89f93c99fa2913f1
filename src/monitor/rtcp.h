/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What senders say about themselves over RTCP, in packets of SDES: names,
 * places and private items. GStreamer makes the name of each private item a
 * GQuark, which is never freed, and over UDP everybody can send some. The
 * monitor needs none of it. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Returns @buffer without its SDES packets and damaged ones, or NULL if nothing
 * else is left. Takes @buffer. */
GstBuffer *vhm_rtcp_remove_sdes (GstBuffer * buffer);

G_END_DECLS
